/**
 * Parts as Anthropic's messages: with a decoder in front, a gateway.
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

/** Options of {@linkcode AnthropicEncoderStream}. */
export interface AnthropicEncoderStreamOptions extends StageStreamOptions {
  /**
   * The message's id.
   *
   * @default {"msg_millrace"}
   */
  id?: string | undefined;
  /**
   * The model's name.
   *
   * @default {""}
   */
  model?: string | undefined;
  /**
   * Send the arguments of calls while they come, instead of calls that are whole.
   * A call that does not become one, because it was cut or blocked on the way,
   * has then been sent in part; its block is never closed and the answer ends
   * with `"max_tokens"`, so that clients know. Best without a tool gate before
   * this.
   *
   * @default {false}
   */
  streamInput?: boolean | undefined;
  /** What an earlier stream's `snapshot()` gave. */
  snapshot?: unknown;
}

const REASONS: Readonly<Partial<Record<FinishReason, string>>> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
};

/** What the encoder remembers. */
interface State {
  /** The number of the next block. */
  blocks: number;
  /** The open block of text or thinking. */
  open: "text" | "thinking" | null;
  /** Its number. */
  text: number;
}

class AnthropicEncoder extends WireEncoder<State> {
  readonly #id: string;
  readonly #model: string;

  constructor(options: AnthropicEncoderStreamOptions) {
    super("anthropic-encoder", options.streamInput ?? false, options.snapshot, {
      blocks: 0,
      open: null,
      text: 0,
    });
    this.#id = options.id ?? "msg_millrace";
    this.#model = options.model ?? "";
  }

  protected override nextIndex(): number {
    this.#closeText();
    return this.own.blocks++;
  }

  protected override begin(): void {
    this.#event("message_start", {
      message: {
        id: this.#id,
        type: "message",
        role: "assistant",
        model: this.#model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        // Known at the end only.
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    });
  }

  protected override text(text: string): void {
    this.#piece("text", { type: "text", text: "" }, {
      type: "text_delta",
      text,
    });
  }

  protected override reasoning(thinking: string): void {
    this.#piece("thinking", { type: "thinking", thinking: "", signature: "" }, {
      type: "thinking_delta",
      thinking,
    });
  }

  protected override open(call: SentCall, id: string, name: string): void {
    this.#event("content_block_start", {
      index: call.index,
      content_block: { type: "tool_use", id, name, input: {} },
    });
  }

  protected override argument(call: SentCall, partial_json: string): void {
    this.#event("content_block_delta", {
      index: call.index,
      delta: { type: "input_json_delta", partial_json },
    });
  }

  protected override close(call: SentCall): void {
    this.#event("content_block_stop", { index: call.index });
  }

  protected override error(error: ErrorInfo): void {
    this.#event("error", {
      error: { type: error.name, message: error.message },
    });
  }

  protected override over(
    part: FinishPart,
    reason: FinishReason,
    usage: UsagePart | undefined,
  ): void {
    this.#closeText();
    const word = REASONS[reason];
    if (word !== undefined || usage !== undefined) {
      this.#event("message_delta", {
        delta: { stop_reason: word ?? null, stop_sequence: null },
        usage: usageOf(usage),
      });
    }
    // Without it, clients see that the stream was cut.
    if (part.complete) this.#event("message_stop", {});
  }

  /** A piece of text or thinking, in the open block if it is of that kind. */
  #piece(
    kind: "text" | "thinking",
    block: Record<string, unknown>,
    delta: Record<string, unknown>,
  ): void {
    const { own } = this;
    if (own.open !== kind) {
      this.#closeText();
      own.open = kind;
      own.text = own.blocks++;
      this.#event("content_block_start", {
        index: own.text,
        content_block: block,
      });
    }
    this.#event("content_block_delta", { index: own.text, delta });
  }

  #closeText(): void {
    if (this.own.open === null) return;
    this.own.open = null;
    this.#event("content_block_stop", { index: this.own.text });
  }

  #event(type: string, data: Record<string, unknown>): void {
    this.emit(
      `event: ${type}\ndata: ${oneLine(JSON.stringify({ type, ...data }))}\n\n`,
    );
  }
}

function usageOf(usage: UsagePart | undefined): Record<string, unknown> {
  return {
    ...(usage?.inputTokens === undefined
      ? {}
      : { input_tokens: usage.inputTokens }),
    output_tokens: usage?.outputTokens ?? 0,
    ...(usage?.cachedInputTokens === undefined
      ? {}
      : { cache_read_input_tokens: usage.cachedInputTokens }),
    ...(usage?.reasoningTokens === undefined ? {} : {
      output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    }),
  };
}

/**
 * Parts in, Anthropic message events as `text/event-stream` text out. A string
 * stands for its text part.
 *
 * Text, reasoning, tool calls (of either origin), usage, a fatal error and the
 * end go on the wire; every other part has no place there and is left out. What
 * was cut stays cut: without a complete `finish` there is no `message_stop`, and a
 * call whose arguments never completed is sent, if at all, as a block that is
 * never closed. A normal end behind calls that no `tool-result` has answered says
 * `tool_use`, whatever the model thought: calls recovered from text are calls. One
 * whose arguments have no JSON text (they are nested too deep) is not sent, and the
 * answer looks cut.
 *
 * For a `Response`, bytes are needed: put
 * {@linkcode [encodeText].encodeText} behind it. Construction throws a
 * `TypeError` for a foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { AnthropicEncoderStream } from "@millrace/millrace/adapters/encode_anthropic";
 *
 * const wire = parse([
 *   "Hi",
 *   { type: "finish", reason: "stop", complete: true },
 * ], new AnthropicEncoderStream()).join("");
 * if (!wire.startsWith("event: message_start\n")) throw new Error();
 * if (!wire.endsWith('data: {"type":"message_stop"}\n\n')) throw new Error();
 * ```
 */
export class AnthropicEncoderStream extends StageStream<string | Part, string> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode AnthropicEncoderStreamOptions}.
   */
  constructor(options: AnthropicEncoderStreamOptions = {}) {
    super(
      resumed(
        options.snapshot,
        (snapshot) => new AnthropicEncoder({ ...options, snapshot }),
      ),
      options,
    );
  }
}
