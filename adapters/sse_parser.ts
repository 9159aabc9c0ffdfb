/**
 * Server-sent events out of text or bytes.
 *
 * @module
 */

import type { WarningPart } from "../transforms/part.ts";
import {
  type Emit,
  StageStream,
  type StageStreamOptions,
} from "../transforms/stage.ts";
import {
  makeSnapshot,
  openSnapshot,
  resumed,
} from "../transforms/internal/snapshot.ts";
import {
  deliverThenFail,
  FailingStage,
  failureOf,
  type FailureSnapshot,
  failureSnapshot,
  QuietStage,
} from "./internal/failing_stage.ts";
import { EXCERPT, excerptOf, limitOf } from "./internal/limits.ts";
import { SSEMachine, type SSEMachineSnapshot } from "./internal/sse_machine.ts";
import { TextInput, type TextInputSnapshot } from "./internal/text_input.ts";

/** One event of an event stream. */
export interface ServerSentEvent {
  /** The type: the `event:` field, or `"message"` when there is none or an empty one. */
  event: string;
  /** The `data:` fields, joined by LF. May be empty. */
  data: string;
  /** The `id:` field, only if this very event has a valid one. */
  id?: string;
  /** The last event id so far, as a browser's `EventSource` has it; `""` when there is none. */
  lastEventId: string;
}

/** Options of {@linkcode SSEParserStream}. */
export interface SSEParserStreamOptions extends StageStreamOptions {
  /**
   * The longest event, in characters (UTF-16 code units) as received: everything
   * since the last blank line, field names and line ends included. A longer one,
   * whole or not, makes the stream fail with a
   * {@linkcode [stream_error].StreamError} of code `"max-buffer-size"`.
   *
   * @default {16777216}
   */
  maxBufferSize?: number;
  /**
   * The longest line, in characters. A longer one makes the stream fail with a
   * {@linkcode [stream_error].StreamError} of code `"line-too-long"`.
   *
   * @default {maxBufferSize}
   */
  maxLineChars?: number;
  /**
   * Whether a last event without its blank line counts. The standard drops it;
   * many servers end so.
   *
   * @default {false}
   */
  flushAtEnd?: boolean;
  /**
   * Whether bytes that are not UTF-8 make the stream fail, with a
   * {@linkcode [stream_error].StreamError} of code `"invalid-utf8"`. By default
   * they become U+FFFD and are reported to `onWarning`.
   *
   * @default {false}
   */
  fatalUtf8?: boolean;
  /** Told of every comment (`: text`): without the colon and one space. */
  onComment?: (comment: string) => void;
  /** Told of every valid `retry:` field, in milliseconds. */
  onRetry?: (milliseconds: number) => void;
  /**
   * Told what was odd: `"not-an-event-stream"` (the input is over, and nothing in
   * it looked like one; the message has its first 200 characters), `"truncated"`
   * (a last event without its blank line was dropped), `"invalid-utf8"`.
   */
  onWarning?: (warning: WarningPart) => void;
  /** Goes on where the stream with this {@linkcode StageStream.snapshot} stopped. */
  snapshot?: unknown;
}

interface State {
  input: TextInputSnapshot;
  machine: SSEMachineSnapshot;
  failure?: FailureSnapshot | undefined;
}

class SSEParser extends FailingStage<string | Uint8Array, ServerSentEvent> {
  readonly #input: TextInput;
  readonly #machine: SSEMachine;
  readonly #flushAtEnd: boolean;
  readonly #onWarning: ((warning: WarningPart) => void) | undefined;
  /** Whether bytes have come: strings alone need no decoder. */
  #bytes: boolean;
  #emit: Emit<ServerSentEvent> = () => {};
  readonly #text = (text: string): void => {
    this.#machine.push(text, this.#emit);
  };

  constructor(options: SSEParserStreamOptions) {
    super();
    const maxBlockChars = limitOf("maxBufferSize", options.maxBufferSize);
    const state = openSnapshot<State>("sse-parser", options.snapshot);
    this.#onWarning = options.onWarning;
    this.#flushAtEnd = options.flushAtEnd ?? false;
    this.failure = failureOf(state?.failure);
    this.#bytes = state !== undefined;
    this.#input = new TextInput(
      options.fatalUtf8 ?? false,
      (warning) => {
        if (this.#machine.failure === undefined) options.onWarning?.(warning);
      },
      state?.input,
    );
    this.#machine = new SSEMachine({
      maxBlockChars,
      maxLineChars: limitOf(
        "maxLineChars",
        options.maxLineChars,
        maxBlockChars,
      ),
      headChars: EXCERPT,
      onComment: options.onComment,
      onRetry: options.onRetry,
    }, state?.machine);
  }

  override push(
    chunk: string | Uint8Array,
    emit: Emit<ServerSentEvent>,
  ): void {
    // The short way for what is most common: a call less for every chunk.
    if (
      typeof chunk === "string" && !this.#bytes && this.failure === undefined
    ) {
      this.#machine.push(chunk, emit);
      this.failure = this.#machine.failure;
    } else super.push(chunk, emit);
  }

  protected take(
    chunk: string | Uint8Array,
    emit: Emit<ServerSentEvent>,
  ): void {
    this.#bytes = true;
    this.#emit = emit;
    this.#input.push(chunk, this.#text);
    this.failure = this.#machine.failure ?? this.#input.failure;
  }

  protected finish(emit: Emit<ServerSentEvent>): void {
    this.#emit = emit;
    this.#input.end(this.#text);
    this.failure = this.#machine.failure ?? this.#input.failure;
    if (this.failure !== undefined) return;
    if (this.#machine.end(this.#flushAtEnd, emit)) {
      this.#onWarning?.({
        type: "warning",
        code: "truncated",
        message:
          'Dropped the last event: no blank line follows it. Set "flushAtEnd" to keep it',
      });
    }
    if (this.#machine.isForeign()) {
      this.#onWarning?.({
        type: "warning",
        code: "not-an-event-stream",
        message: `This is not an event stream. It begins ${
          JSON.stringify(excerptOf(this.#machine.head))
        }`,
      });
    }
  }

  snapshot(): unknown {
    const state: State = {
      input: this.#input.snapshot(),
      machine: this.#machine.snapshot(),
      failure: failureSnapshot(this.failure),
    };
    return makeSnapshot("sse-parser", state);
  }
}

/**
 * A `text/event-stream` body in, its events out, by the rules of the HTML
 * standard. Takes strings and bytes, cut anywhere. The grammar is
 * eventsource-parser's; around it are the byte order mark, CR line ends that
 * dispatch at once, the running last event id, and limits that are on by
 * default.
 *
 * One leading byte order mark is dropped. Comments and fields with unknown names
 * are no events. When a limit is reached, the stream fails with a
 * {@linkcode [stream_error].StreamError} after everything before it has been read.
 *
 * Construction throws a `RangeError` for a limit below 1 and a `TypeError` for a
 * foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { SSEParserStream } from "@millrace/millrace/adapters/sse_parser";
 *
 * const events = parse("event: greeting\r\ndata: hi\r\n\r\n", new SSEParserStream());
 * if (events[0]?.event !== "greeting" || events[0].data !== "hi") throw new Error();
 * ```
 */
export class SSEParserStream
  extends StageStream<string | Uint8Array, ServerSentEvent> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode SSEParserStreamOptions}.
   */
  constructor(options: SSEParserStreamOptions = {}) {
    const stage = resumed(
      options.snapshot,
      (snapshot) => new SSEParser({ ...options, snapshot }),
    );
    super(new QuietStage(stage), options);
    deliverThenFail(this, stage);
  }
}
