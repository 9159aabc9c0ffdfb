/**
 * Parts as OpenAI's chat completions: with a decoder in front, a gateway.
 *
 * @module
 */

import type {
  ErrorInfo,
  FinishPart,
  FinishReason,
  Part,
  UsagePart,
} from "../transforms/part.ts";
import { StageStream, type StageStreamOptions } from "../transforms/stage.ts";
import { oneLine } from "./internal/json.ts";
import { type SentCall, WireEncoder } from "./internal/wire_encoder.ts";
import { resumed } from "../transforms/internal/snapshot.ts";

/** Options of {@linkcode OpenAIChatEncoderStream}. */
export interface OpenAIChatEncoderStreamOptions extends StageStreamOptions {
  /**
   * The id in every chunk.
   *
   * @default {"chatcmpl-millrace"}
   */
  id?: string | undefined;
  /**
   * The model's name in every chunk.
   *
   * @default {""}
   */
  model?: string | undefined;
  /**
   * When the answer was made, in seconds since 1970.
   *
   * @default {0}
   */
  created?: number | undefined;
  /**
   * The field for reasoning, for which OpenAI has none.
   *
   * @default {"reasoning_content"}
   */
  reasoningField?: "reasoning_content" | "reasoning" | undefined;
  /**
   * Send the arguments of calls while they come, instead of calls that are whole.
   * A call that does not become one, because it was cut or blocked on the way,
   * has then been sent in part; the answer ends with `"length"`, so that clients
   * know. Best without a tool gate before this.
   *
   * @default {false}
   */
  streamInput?: boolean | undefined;
  /** What an earlier stream's `snapshot()` gave. */
  snapshot?: unknown;
}

const REASONS: Readonly<Partial<Record<FinishReason, string>>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

class OpenAIChatEncoder extends WireEncoder<{ calls: number }> {
  readonly #head: Record<string, unknown>;
  readonly #reasoningField: string;

  constructor(options: OpenAIChatEncoderStreamOptions) {
    super(
      "openai-chat-encoder",
      options.streamInput ?? false,
      options.snapshot,
      { calls: 0 },
    );
    this.#head = {
      id: options.id ?? "chatcmpl-millrace",
      object: "chat.completion.chunk",
      created: options.created ?? 0,
      model: options.model ?? "",
    };
    this.#reasoningField = options.reasoningField ?? "reasoning_content";
  }

  protected override nextIndex(): number {
    return this.own.calls++;
  }

  protected override begin(): void {
    // Clients refuse an answer whose first delta has no role.
    this.#delta({ role: "assistant", content: "" });
  }

  protected override text(text: string): void {
    this.#delta({ content: text });
  }

  protected override reasoning(text: string): void {
    this.#delta({ [this.#reasoningField]: text });
  }

  protected override open(call: SentCall, id: string, name: string): void {
    this.#delta({
      tool_calls: [{
        index: call.index,
        id,
        type: "function",
        function: { name, arguments: "" },
      }],
    });
  }

  protected override argument(call: SentCall, json: string): void {
    this.#delta({
      tool_calls: [{ index: call.index, function: { arguments: json } }],
    });
  }

  /** The finish reason closes all calls at once. */
  protected override close(): void {}

  protected override error(error: ErrorInfo): void {
    this.#event({
      error: {
        message: error.message,
        type: error.name,
        ...(error.code === undefined ? {} : { code: error.code }),
      },
    });
  }

  protected override over(
    part: FinishPart,
    reason: FinishReason,
    usage: UsagePart | undefined,
  ): void {
    const word = part.complete ? REASONS[reason] : undefined;
    if (word !== undefined) this.#delta({}, word);
    if (usage !== undefined) {
      this.#event({ ...this.#head, choices: [], usage: usageOf(usage) });
    }
    // Without it, clients see that the stream was cut.
    if (word !== undefined) this.emit("data: [DONE]\n\n");
  }

  #delta(
    delta: Record<string, unknown>,
    finish_reason: string | null = null,
  ): void {
    this.#event({
      ...this.#head,
      choices: [{ index: 0, delta, finish_reason }],
    });
  }

  #event(data: Record<string, unknown>): void {
    this.emit(`data: ${oneLine(JSON.stringify(data))}\n\n`);
  }
}

function usageOf(usage: UsagePart): Record<string, unknown> {
  const { inputTokens = 0, outputTokens = 0 } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: usage.totalTokens ?? inputTokens + outputTokens,
    ...(usage.cachedInputTokens === undefined ? {} : {
      prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
    }),
    ...(usage.reasoningTokens === undefined ? {} : {
      completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    }),
  };
}

/**
 * Parts in, OpenAI chat completion chunks as `text/event-stream` text out. A
 * string stands for its text part.
 *
 * Text, reasoning, tool calls (of either origin), usage, a fatal error and the
 * end go on the wire; every other part has no place there and is left out. What
 * was cut stays cut: without a complete `finish` of a reason that this wire knows
 * there is neither a finish reason nor `[DONE]`, and a call whose arguments never
 * completed is sent only where nobody can take it for whole. A normal end behind
 * calls that no `tool-result` has answered says `tool_calls`, whatever the model
 * thought: calls recovered from text are calls. One whose arguments have no JSON
 * text (they are nested too deep) is not sent, and the answer looks cut.
 *
 * For a `Response`, bytes are needed: put
 * {@linkcode [encodeText].encodeText} behind it. Construction throws a
 * `TypeError` for a foreign snapshot.
 *
 * @example A gateway: Anthropic in, OpenAI out
 * ```ts
 * import { fromSSE } from "@millrace/millrace/adapters/sse";
 * import { OpenAIChatEncoderStream } from "@millrace/millrace/adapters/encode_openai_chat";
 *
 * const body = 'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\n\n';
 * const reader = fromSSE(body, { provider: "anthropic" })
 *   .pipeThrough(new OpenAIChatEncoderStream({ model: "mine" }))
 *   .getReader();
 * let wire = "";
 * for (let next = await reader.read(); !next.done; next = await reader.read()) wire += next.value;
 * if (!wire.includes('"delta":{"content":"Hi"}')) throw new Error();
 * ```
 */
export class OpenAIChatEncoderStream
  extends StageStream<string | Part, string> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode OpenAIChatEncoderStreamOptions}.
   */
  constructor(options: OpenAIChatEncoderStreamOptions = {}) {
    super(
      resumed(
        options.snapshot,
        (snapshot) => new OpenAIChatEncoder({ ...options, snapshot }),
      ),
      options,
    );
  }
}
