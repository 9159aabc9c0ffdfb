/**
 * JSON Lines, concatenated JSON and JSON text sequences, out of text or bytes.
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
import {
  JSONLMachine,
  type JSONLMachineSnapshot,
} from "./internal/jsonl_machine.ts";
import { excerptOf, limitOf } from "./internal/limits.ts";
import { TextInput, type TextInputSnapshot } from "./internal/text_input.ts";
import { StreamError } from "./stream_error.ts";

/** A line that is JSON. */
export interface JSONLValue {
  /** It is. */
  ok: true;
  /** The parsed value; `null` is one too. */
  value: unknown;
  /** The number of the line, from 1; of the one where the value begins. */
  line: number;
}

/** A line that is not JSON. */
export interface JSONLFault {
  /** It is not. */
  ok: false;
  /**
   * Why: `"invalid-line"` (noise, damage, or several values on one line),
   * `"truncated"` (a last line that begins as JSON does and does not end), or
   * `"line-too-long"`.
   */
  kind: "invalid-line" | "line-too-long" | "truncated";
  /** The line; its first 200 characters when it was too long. */
  text: string;
  /** The number of the line, from 1. */
  line: number;
  /** The length of the line in UTF-16 code units. */
  length: number;
  /** The same for people. */
  message: string;
}

/** What comes out of a {@linkcode JSONLParserStream}. */
export type JSONLRecord = JSONLValue | JSONLFault;

/** Options of {@linkcode JSONLParserStream}. */
export interface JSONLParserStreamOptions extends StageStreamOptions {
  /**
   * What happens with a line that is not JSON: it comes out as a
   * {@linkcode JSONLFault} and reading goes on, or the stream fails with a
   * {@linkcode [stream_error].StreamError} after the values before it.
   *
   * @default {"report"}
   */
  onInvalid?: "report" | "throw";
  /**
   * Whether values may follow one another without a line end, and may have line
   * ends in them. A line end inside a string still ends a value, as damage; a
   * word that is no value makes the rest of its line a fault.
   *
   * @default {false}
   */
  concatenated?: boolean;
  /**
   * Whether the text is a JSON text sequence (RFC 7464): U+001E begins a value and
   * ends, as truncated, one that is open. Values are found as with
   * `concatenated`.
   *
   * @default {false}
   */
  recordSeparator?: boolean;
  /**
   * Whether terminal escape sequences are taken out of the text first. They
   * cannot be part of JSON.
   *
   * @default {false}
   */
  stripAnsi?: boolean;
  /**
   * The longest line, in characters (UTF-16 code units); with `concatenated` and
   * `recordSeparator`, the longest value. A longer one is a fault
   * `"line-too-long"`, and reading goes on behind it.
   *
   * @default {16777216}
   */
  maxLineChars?: number;
  /**
   * Whether bytes that are not UTF-8 make the stream fail, with a
   * {@linkcode [stream_error].StreamError} of code `"invalid-utf8"`. By default
   * they become U+FFFD and are reported to `onWarning`.
   *
   * @default {false}
   */
  fatalUtf8?: boolean;
  /** Told of bytes that are not UTF-8. */
  onWarning?: (warning: WarningPart) => void;
  /** Goes on where the stream with this {@linkcode StageStream.snapshot} stopped. */
  snapshot?: unknown;
}

interface State {
  input: TextInputSnapshot;
  machine: JSONLMachineSnapshot;
  failure?: FailureSnapshot | undefined;
}

class JSONLParser extends FailingStage<string | Uint8Array, JSONLRecord> {
  readonly #input: TextInput;
  readonly #machine: JSONLMachine;
  #emit: Emit<JSONLRecord> = () => {};
  readonly #text = (text: string): void => {
    this.#machine.push(text);
  };

  constructor(options: JSONLParserStreamOptions) {
    super();
    const { onInvalid = "report" } = options;
    if (onInvalid !== "report" && onInvalid !== "throw") {
      throw new TypeError(
        `Cannot use onInvalid "${onInvalid}": it is "report" or "throw"`,
      );
    }
    const state = openSnapshot<State>("jsonl-parser", options.snapshot);
    this.failure = failureOf(state?.failure);
    this.#input = new TextInput(
      options.fatalUtf8 ?? false,
      (warning) => {
        if (this.failure === undefined) options.onWarning?.(warning);
      },
      state?.input,
    );
    this.#machine = new JSONLMachine(
      {
        maxLineChars: limitOf("maxLineChars", options.maxLineChars),
        concatenated: options.concatenated ?? false,
        recordSeparator: options.recordSeparator ?? false,
        unwrap: false,
        stripAnsi: options.stripAnsi ?? false,
      },
      {
        value: (value, _text, line) => {
          if (this.failure !== undefined) return;
          this.#emit({ ok: true, value, line });
        },
        fault: (kind, text, line, length, message) => {
          if (this.failure !== undefined) return;
          if (onInvalid === "report") {
            this.#emit({ ok: false, kind, text, line, length, message });
          } else {
            this.failure = new StreamError(kind, message, {
              line,
              excerpt: excerptOf(text),
            });
          }
        },
      },
      state?.machine,
    );
  }

  protected take(chunk: string | Uint8Array, emit: Emit<JSONLRecord>): void {
    this.#emit = emit;
    this.#input.push(chunk, this.#text);
    this.failure ??= this.#input.failure;
  }

  protected finish(emit: Emit<JSONLRecord>): void {
    this.#emit = emit;
    this.#input.end(this.#text);
    this.failure ??= this.#input.failure;
    if (this.failure === undefined) this.#machine.end();
  }

  snapshot(): unknown {
    const state: State = {
      input: this.#input.snapshot(),
      machine: this.#machine.snapshot(),
      failure: failureSnapshot(this.failure),
    };
    return makeSnapshot("jsonl-parser", state);
  }
}

/**
 * One JSON value a line in, the values out, and every line that is none
 * reported: real streams have log lines, cut lines and damaged lines in them.
 * Takes strings and bytes, cut anywhere.
 *
 * Lines end with LF or CRLF; U+2028 and U+2029 are ordinary characters. Blank
 * lines and one leading byte order mark are skipped. A last line needs no line
 * end. Two values on one line are a fault unless `concatenated` says otherwise.
 * Values are made by `JSON.parse`: a key `__proto__` is an own property.
 *
 * Construction throws a `RangeError` for a limit below 1 and a `TypeError` for
 * an unknown `onInvalid` or a foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { JSONLParserStream } from "@millrace/millrace/adapters/jsonl_parser";
 *
 * const records = parse('{"n":1}\noops\n{"n":2}', new JSONLParserStream());
 * const values = records.map((record) => record.ok ? record.value : record.kind);
 * if (JSON.stringify(values) !== '[{"n":1},"invalid-line",{"n":2}]') throw new Error();
 * ```
 */
export class JSONLParserStream
  extends StageStream<string | Uint8Array, JSONLRecord> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode JSONLParserStreamOptions}.
   */
  constructor(options: JSONLParserStreamOptions = {}) {
    const stage = resumed(
      options.snapshot,
      (snapshot) => new JSONLParser({ ...options, snapshot }),
    );
    const fails = options.onInvalid === "throw" || options.fatalUtf8 === true;
    super(fails ? new QuietStage(stage) : stage, options);
    if (fails) deliverThenFail(this, stage);
  }
}
