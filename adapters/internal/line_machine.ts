import { wholeLength } from "./limits.ts";

/** How a line ended: by LF, CRLF, CR, or not at all. */
export type LineEnding = "\n" | "\r\n" | "\r" | "";

/**
 * Takes a line.
 *
 * @param text The line without its end, cut when it was too long.
 * @param number Its number, from 1.
 * @param ending How it ended.
 * @param length Its length, which is more than that of `text` when it was cut.
 */
export type TakeLine = (
  text: string,
  number: number,
  ending: LineEnding,
  length: number,
) => void;

/** What a {@linkcode LineMachine} is told. */
export interface LineMachineOptions {
  /** The longest line, in characters. */
  maxLineChars: number;
  /** How much of a longer one is kept. */
  keepChars: number;
  /** Whether a CR without LF ends a line too. */
  loneReturn: boolean;
}

/** The state of a {@linkcode LineMachine} as plain data. */
export interface LineMachineSnapshot {
  /** How many lines are complete. */
  lines: number;
  /** The line that is not complete, cut when it is too long already. */
  pieces: string[];
  /** Its length, without a CR at its end that may belong to a CRLF. */
  length: number;
  /** How much of it is in `pieces`. */
  kept: number;
  /** The last character was a CR, which is not counted yet. */
  afterReturn: boolean;
}

/**
 * Text in, lines out. A line that is not complete is a list of pieces, joined
 * once; behind the limit only its beginning is kept and the rest is counted.
 *
 * ```txt
 *              ┌──────────── LF, or end of a CR line ───────────┐
 *              ▼                                                │
 *   in a line ─── CR ──▶ behind CR ── LF: line ends CRLF ───────┤
 *       ▲                    │ other: the CR is text, or ───────┘
 *       └────────────────────┘       with `loneReturn` a line end
 * ```
 */
export class LineMachine {
  readonly #options: LineMachineOptions;
  readonly #state: LineMachineSnapshot;

  constructor(
    options: LineMachineOptions,
    snapshot: LineMachineSnapshot = {
      lines: 0,
      pieces: [],
      length: 0,
      kept: 0,
      afterReturn: false,
    },
  ) {
    this.#options = options;
    this.#state = snapshot;
  }

  push(text: string, take: TakeLine): void {
    if (text === "") return;
    const state = this.#state;
    let from = 0;
    if (state.afterReturn) {
      state.afterReturn = false;
      if (text.charCodeAt(0) === 10) {
        this.#complete("", "\r\n", take);
        from = 1;
      } else if (this.#options.loneReturn) this.#complete("", "\r", take);
      else this.#add("\r");
    }
    const { loneReturn } = this.#options;
    let feed = text.indexOf("\n", from);
    let carriage = loneReturn ? text.indexOf("\r", from) : -1;
    for (;;) {
      if (carriage >= 0 && (feed < 0 || carriage < feed - 1)) {
        if (carriage === text.length - 1) break;
        this.#complete(text.slice(from, carriage), "\r", take);
        from = carriage + 1;
        carriage = text.indexOf("\r", from);
      } else if (feed >= 0) {
        const crlf = feed > from && text.charCodeAt(feed - 1) === 13;
        this.#complete(
          text.slice(from, crlf ? feed - 1 : feed),
          crlf ? "\r\n" : "\n",
          take,
        );
        from = feed + 1;
        feed = text.indexOf("\n", from);
        if (carriage >= 0 && carriage < from) {
          carriage = text.indexOf("\r", from);
        }
      } else break;
    }
    if (from === text.length) return;
    state.afterReturn = text.charCodeAt(text.length - 1) === 13;
    const rest = text.slice(
      from,
      state.afterReturn ? text.length - 1 : text.length,
    );
    if (rest !== "") this.#add(rest);
  }

  /** The input is over: a line without an end is one when there is something in it. */
  end(take: TakeLine): void {
    const state = this.#state;
    if (state.afterReturn) {
      state.afterReturn = false;
      if (this.#options.loneReturn) return this.#complete("", "\r", take);
      this.#add("\r");
    }
    if (state.length > 0) this.#complete("", "", take);
  }

  snapshot(): LineMachineSnapshot {
    return this.#state;
  }

  #add(text: string): void {
    const state = this.#state;
    const { maxLineChars, keepChars } = this.#options;
    state.length += text.length;
    if (state.length <= maxLineChars) {
      state.pieces.push(text);
      state.kept += text.length;
      return;
    }
    if (state.pieces.length > 1 || state.kept > keepChars + 1) {
      state.pieces = [state.pieces.join("").slice(0, keepChars + 1)];
      state.kept = state.pieces[0]!.length;
    }
    if (state.kept <= keepChars) {
      // One more than is kept, to see whether a surrogate pair would be cut.
      const more = text.slice(0, keepChars + 1 - state.kept);
      state.pieces.push(more);
      state.kept += more.length;
    }
  }

  #complete(rest: string, ending: LineEnding, take: TakeLine): void {
    const state = this.#state;
    state.lines++;
    let text = rest;
    let { length } = rest;
    const { maxLineChars, keepChars } = this.#options;
    if (state.length > 0 || length > maxLineChars) {
      this.#add(rest);
      text = state.pieces.join("");
      ({ length } = state);
      if (length > maxLineChars) {
        text = text.slice(0, wholeLength(text, keepChars));
      }
      state.pieces = [];
      state.length = state.kept = 0;
    }
    take(text, state.lines, ending, length);
  }
}
