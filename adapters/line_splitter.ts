/**
 * Lines out of text or bytes.
 *
 * @module
 */

import type { WarningPart } from "../transforms/part.ts";
import {
  type Emit,
  type Stage,
  StageStream,
  type StageStreamOptions,
} from "../transforms/stage.ts";
import {
  makeSnapshot,
  openSnapshot,
  resumed,
} from "../transforms/internal/snapshot.ts";
import {
  type LineEnding,
  LineMachine,
  type LineMachineSnapshot,
  type TakeLine,
} from "./internal/line_machine.ts";
import { limitOf } from "./internal/limits.ts";
import { TextInput, type TextInputSnapshot } from "./internal/text_input.ts";

/** One line. */
export interface Line {
  /** The text without the line end; only its beginning when the line was too long. */
  text: string;
  /** The number of the line, from 1. */
  number: number;
  /** How the line ended: LF, CRLF, CR, or `""` for a last line without an end. */
  ending: "\n" | "\r\n" | "\r" | "";
  /** Its length in UTF-16 code units. More than `text.length` when it was cut. */
  length: number;
}

/** Options of {@linkcode LineSplitterStream}. */
export interface LineSplitterStreamOptions extends StageStreamOptions {
  /**
   * Whether a CR that no LF follows ends a line (`"end"`) or is part of it
   * (`"text"`). With `"end"`, a line that ends with CR waits for one more
   * character.
   *
   * @default {"text"}
   */
  loneCR?: "end" | "text";
  /**
   * The longest line, in characters (UTF-16 code units). Of a longer one only so
   * much comes out, at its end, and a warning `"line-too-long"` is given; the
   * next line is read as usual.
   *
   * @default {16777216}
   */
  maxLineChars?: number;
  /** Told of lines that are too long and of bytes that are not UTF-8. */
  onWarning?: (warning: WarningPart) => void;
  /** Goes on where the stream with this {@linkcode StageStream.snapshot} stopped. */
  snapshot?: unknown;
}

interface State {
  input: TextInputSnapshot;
  machine: LineMachineSnapshot;
}

class LineSplitter implements Stage<string | Uint8Array, Line> {
  readonly #input: TextInput;
  readonly #machine: LineMachine;
  readonly #take: TakeLine;
  #emit: Emit<Line> = () => {};
  readonly #text = (text: string): void => {
    this.#machine.push(text, this.#take);
  };

  constructor(options: LineSplitterStreamOptions) {
    const { loneCR = "text", onWarning } = options;
    if (loneCR !== "end" && loneCR !== "text") {
      throw new TypeError(
        `Cannot use loneCR "${loneCR}": it is "end" or "text"`,
      );
    }
    const maxLineChars = limitOf("maxLineChars", options.maxLineChars);
    const state = openSnapshot<State>("line-splitter", options.snapshot);
    this.#input = new TextInput(false, onWarning, state?.input);
    this.#machine = new LineMachine({
      maxLineChars,
      keepChars: maxLineChars,
      loneReturn: loneCR === "end",
    }, state?.machine);
    this.#take = (
      text: string,
      number: number,
      ending: LineEnding,
      length: number,
    ): void => {
      if (length > maxLineChars) {
        onWarning?.({
          type: "warning",
          code: "line-too-long",
          message:
            `Line ${number} has ${length} characters: only ${text.length} of them are read`,
        });
      }
      this.#emit({ text, number, ending, length });
    };
  }

  push(chunk: string | Uint8Array, emit: Emit<Line>): void {
    this.#emit = emit;
    this.#input.push(chunk, this.#text);
    if (this.#input.failure !== undefined) throw this.#input.failure;
  }

  end(emit: Emit<Line>): void {
    this.#emit = emit;
    this.#input.end(this.#text);
    this.#machine.end(this.#take);
  }

  snapshot(): unknown {
    const state: State = {
      input: this.#input.snapshot(),
      machine: this.#machine.snapshot(),
    };
    return makeSnapshot("line-splitter", state);
  }
}

/**
 * Text or bytes in, lines out, however they are cut. Lines end with LF or CRLF,
 * and with CR if `loneCR` says so; U+2028, U+2029 and U+0085 end none. A byte
 * order mark is text. Nothing follows a final line end, and a last line without
 * one is a line.
 *
 * The texts with their endings, in order, are the input, lines over the limit
 * excepted.
 *
 * Construction throws a `RangeError` for a limit below 1 and a `TypeError` for
 * an unknown `loneCR` or a foreign snapshot; a chunk that is neither a string nor
 * bytes is a {@linkcode [stream_error].StreamError}.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { LineSplitterStream } from "@millrace/millrace/adapters/line_splitter";
 *
 * const lines = parse(["one\r", "\ntwo"], new LineSplitterStream());
 * if (lines[0]?.text !== "one" || lines[0].ending !== "\r\n") throw new Error();
 * if (lines[1]?.number !== 2) throw new Error();
 * ```
 */
export class LineSplitterStream extends StageStream<string | Uint8Array, Line> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode LineSplitterStreamOptions}.
   */
  constructor(options: LineSplitterStreamOptions = {}) {
    super(
      resumed(
        options.snapshot,
        (snapshot) => new LineSplitter({ ...options, snapshot }),
      ),
      options,
    );
  }
}
