/**
 * Parts as the AI SDK's UI message stream, which `useChat` reads.
 *
 * @module
 */

import type {
  ErrorInfo,
  FinishPart,
  FinishReason,
  Part,
  ToolCallPart,
} from "../transforms/part.ts";
import {
  type Emit,
  StageStream,
  type StageStreamOptions,
} from "../transforms/stage.ts";
import { oneLine, stringOf, toJSON } from "./internal/json.ts";
import { rememberId } from "./internal/recent_ids.ts";
import { type SentCall, WireEncoder } from "./internal/wire_encoder.ts";
import { resumed } from "../transforms/internal/snapshot.ts";

/** Options of {@linkcode UIMessageEncoderStream}. */
export interface UIMessageEncoderStreamOptions extends StageStreamOptions {
  /** The message's id. Without one the client makes it up. */
  messageId?: string | undefined;
  /**
   * Send the arguments of calls while they come, instead of calls that are whole.
   *
   * @default {true}
   */
  streamInput?: boolean | undefined;
  /**
   * Types of parts that go out as data parts: a `directive` becomes a chunk of
   * type `data-directive` with the part as its data.
   *
   * @default {[]}
   */
  dataParts?: readonly Part["type"][] | undefined;
  /** What an earlier stream's `snapshot()` gave. */
  snapshot?: unknown;
}

/** The headers a response with such a body needs. */
export const uiMessageHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
};

/** The SDK's words for the end. */
const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool-calls",
  "content-filter": "content-filter",
  error: "error",
  cancelled: "other",
  unknown: "other",
};

/** Calls whose result can still come; more than that is no real message. */
const MOST_CALLS = 4096;

/** What the encoder remembers. */
interface State {
  /** The number of the next block or call. */
  blocks: number;
  /** The open block. */
  open: "text" | "reasoning" | null;
  /** Its id. */
  id: string;
  /** Calls the client knows. */
  calls: string[];
}

class UIMessageEncoder extends WireEncoder<State> {
  readonly #messageId: string | undefined;
  readonly #dataParts: ReadonlySet<string>;

  constructor(options: UIMessageEncoderStreamOptions) {
    super(
      "ui-message-encoder",
      options.streamInput ?? true,
      options.snapshot,
      { blocks: 0, open: null, id: "", calls: [] },
    );
    this.#messageId = options.messageId;
    this.#dataParts = new Set(options.dataParts);
  }

  override push(input: string | Part, emit: Emit<string>): void {
    if (typeof input === "object" && input !== null && !this.isOver) {
      this.emit = emit;
      if (this.#dataParts.has(input.type)) this.#data(input);
      switch (input.type) {
        // The client has a state of its own for calls that cannot run.
        case "tool-call-partial":
          return this.#failed(
            stringOf(input.toolCallId),
            stringOf(input.toolName),
            stringOf(input.inputText),
            "The call was cut",
          );
        case "tool-blocked":
          return this.#failed(
            stringOf(input.toolCallId),
            stringOf(input.toolName),
            null,
            stringOf(input.reason),
          );
        case "tool-result":
          // A client stops at a result of a call it does not know.
          if (this.own.calls.includes(input.toolCallId)) {
            this.#result(input.toolCallId, input.output);
          }
          break;
      }
    }
    super.push(input, emit);
  }

  protected override get readsDeltas(): boolean {
    return false;
  }

  protected override unwritable(id: string, name: string): void {
    this.#failed(id, name, null, "The arguments cannot be written as JSON");
  }

  protected override nextIndex(): number {
    this.#closeBlock();
    return this.own.blocks++;
  }

  protected override begin(): void {
    this.#chunk(
      "start",
      this.#messageId === undefined ? {} : { messageId: this.#messageId },
    );
    this.#chunk("start-step", {});
  }

  protected override text(delta: string): void {
    this.#piece("text", delta);
  }

  protected override reasoning(delta: string): void {
    this.#piece("reasoning", delta);
  }

  protected override open(call: SentCall, _id: string, toolName: string): void {
    this.#known(call.id);
    this.#chunk("tool-input-start", { toolCallId: call.id, toolName });
  }

  protected override argument(call: SentCall, inputTextDelta: string): void {
    this.#chunk("tool-input-delta", { toolCallId: call.id, inputTextDelta });
  }

  protected override close(call: SentCall, part: ToolCallPart): void {
    this.#chunk("tool-input-available", {
      toolCallId: call.id,
      toolName: part.toolName,
      input: part.input ?? null,
    });
  }

  protected override error(error: ErrorInfo): void {
    this.began();
    this.#closeBlock();
    this.#chunk("error", { errorText: error.message });
  }

  protected override over(part: FinishPart, reason: FinishReason): void {
    this.#closeBlock();
    if (!part.complete) return;
    this.#chunk("finish-step", {});
    this.#chunk("finish", { finishReason: REASONS[reason] });
    this.emit("data: [DONE]\n\n");
  }

  #failed(
    toolCallId: string,
    toolName: string,
    input: string | null,
    errorText: string,
  ): void {
    this.began();
    this.#closeBlock();
    this.forget(toolCallId);
    this.#known(toolCallId);
    this.#chunk("tool-input-error", { toolCallId, toolName, input, errorText });
  }

  #known(id: string): void {
    rememberId(this.own.calls, id, MOST_CALLS);
  }

  #data(part: Part): void {
    this.began();
    if (
      !this.#write(`data-${part.type}`, { data: part }) &&
      this.#dataParts.has("warning")
    ) {
      this.#chunk("data-warning", {
        data: {
          type: "warning",
          code: "malformed",
          message: `Dropped a part of type "${part.type}" that is not JSON`,
        },
      });
    }
  }

  #result(toolCallId: string, output: unknown): void {
    const isJSON = output === undefined || toJSON(output) !== undefined;
    if (
      !isJSON || !this.#write("tool-output-available", { toolCallId, output })
    ) {
      this.#chunk("tool-output-error", {
        toolCallId,
        errorText: "The result cannot be written as JSON",
      });
    }
  }

  /** A piece of text or reasoning, in the open block if it is of that kind. */
  #piece(kind: "text" | "reasoning", delta: string): void {
    const { own } = this;
    if (own.open !== kind) {
      this.#closeBlock();
      own.open = kind;
      own.id = `${kind}-${own.blocks++}`;
      this.#chunk(`${kind}-start`, { id: own.id });
    }
    this.#chunk(`${kind}-delta`, { id: own.id, delta });
  }

  #closeBlock(): void {
    const { open, id } = this.own;
    if (open === null) return;
    this.own.open = null;
    this.#chunk(`${open}-end`, { id });
  }

  #chunk(type: string, fields: Record<string, unknown>): void {
    this.#write(type, fields);
  }

  /** Whether it could be written: some values are no JSON, or are nested too deep. */
  #write(type: string, fields: Record<string, unknown>): boolean {
    const json = toJSON({ type, ...fields });
    if (json === undefined) return false;
    this.emit(`data: ${oneLine(json)}\n\n`);
    return true;
  }
}

/**
 * Parts in, the AI SDK's UI message stream (version 1, of `ai` 5 to 7) as
 * `text/event-stream` text out. A string stands for its text part.
 *
 * Text, reasoning, tool calls and their results, a fatal error and the end go on
 * the wire, and the types named in `dataParts` as data parts; every other part is
 * left out. A call that was cut or blocked, and one whose arguments have no JSON
 * text, is one with an error; so is a result like that. A normal end behind calls
 * that no result has answered says `tool-calls`. Without a complete `finish` there
 * is neither `finish` nor `[DONE]`.
 *
 * For a `Response`, bytes and {@linkcode uiMessageHeaders} are needed: put
 * {@linkcode [encodeText].encodeText} behind it. Construction throws a
 * `TypeError` for a foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { UIMessageEncoderStream } from "@millrace/millrace/adapters/encode_ui_message";
 *
 * const wire = parse([
 *   "Hi",
 *   { type: "finish", reason: "stop", complete: true },
 * ], new UIMessageEncoderStream()).join("");
 * if (!wire.includes('{"type":"text-delta","id":"text-0","delta":"Hi"}')) throw new Error();
 * if (!wire.endsWith("data: [DONE]\n\n")) throw new Error();
 * ```
 */
export class UIMessageEncoderStream extends StageStream<string | Part, string> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode UIMessageEncoderStreamOptions}.
   */
  constructor(options: UIMessageEncoderStreamOptions = {}) {
    super(
      resumed(
        options.snapshot,
        (snapshot) => new UIMessageEncoder({ ...options, snapshot }),
      ),
      options,
    );
  }
}
