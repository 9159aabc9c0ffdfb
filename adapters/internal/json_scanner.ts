import { EXCERPT, excerptOf } from "./limits.ts";

/** What a {@linkcode JSONScanner} found. */
export type Found =
  /** Something that looks like a JSON value. */
  | "value"
  /** Something that is none, up to the end of its line. */
  | "noise"
  /** The beginning of a value. */
  | "cut"
  /** A value over the limit; only its beginning is given. */
  | "too-long";

/** Takes what was found: its text, the line where it begins, its length. */
export type TakeFound = (
  found: Found,
  text: string,
  line: number,
  length: number,
) => void;

/** What a {@linkcode JSONScanner} is told. */
export interface JSONScannerOptions {
  /** The longest value, in characters. */
  maxChars: number;
  /** Whether a record separator (U+001E) ends whatever is open. */
  separators: boolean;
  /** Whether the values are those in arrays: brackets and commas around them are skipped. */
  unwrap: boolean;
}

/** The state of a {@linkcode JSONScanner} as plain data. */
export interface JSONScannerSnapshot {
  where: "between" | "value" | "scalar" | "noise";
  /** Open brackets. */
  depth: number;
  /** Inside a string. */
  quoted: boolean;
  /** Behind a back-slash in a string. */
  escaped: boolean;
  /** The number of the current line. */
  line: number;
  /** Where the open value begins. */
  startLine: number;
  /** The open value, only its beginning when it is too long. */
  pieces: string[];
  length: number;
}

const LINE_FEED = 0x0a;
const RECORD_SEPARATOR = 0x1e;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Finds JSON values that follow one another with or without white space. It
 * looks at brackets and strings only: what is between them is found out by
 * `JSON.parse`.
 *
 * A line end inside a string cannot be JSON, so a value that was cut there ends
 * there. A word that is no value makes the rest of its line noise.
 *
 * ```txt
 *              { [ "                         last bracket or quote
 *   between ──────────▶ value ──────────────────────────────────────▶ between
 *      │                  └── line end in a string: noise ──────────▶ between
 *      └── other ──▶ scalar ── blank, { [ " ── a value ─────────────▶ between
 *                       └── not a value ──▶ noise ── line end ──────▶ between
 * ```
 */
export class JSONScanner {
  readonly #options: JSONScannerOptions;
  readonly #state: JSONScannerSnapshot;

  constructor(
    options: JSONScannerOptions,
    snapshot: JSONScannerSnapshot = {
      where: "between",
      depth: 0,
      quoted: false,
      escaped: false,
      line: 1,
      startLine: 1,
      pieces: [],
      length: 0,
    },
  ) {
    this.#options = options;
    this.#state = snapshot;
  }

  push(text: string, take: TakeFound): void {
    const state = this.#state;
    const { separators, unwrap } = this.#options;
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      switch (state.where) {
        case "value":
          if (code === RECORD_SEPARATOR && separators) {
            this.#add(text.slice(from, at));
            this.#give("cut", take);
          } else if (state.quoted) {
            if (code === LINE_FEED) {
              this.#add(text.slice(from, at));
              this.#give("noise", take);
              state.line++;
            } else if (state.escaped) state.escaped = false;
            else if (code === BACKSLASH) state.escaped = true;
            else if (code === QUOTE) {
              state.quoted = false;
              if (state.depth === 0) {
                this.#add(text.slice(from, at + 1));
                this.#give("value", take);
              }
            }
          } else if (code === LINE_FEED) state.line++;
          else if (code === QUOTE) state.quoted = true;
          else if (isOpening(code)) state.depth++;
          else if ((code === 0x7d || code === 0x5d) && --state.depth === 0) {
            this.#add(text.slice(from, at + 1));
            this.#give("value", take);
          }
          break;
        case "between":
          if (code === LINE_FEED) state.line++;
          else if (
            !isBlank(code) && !(separators && code === RECORD_SEPARATOR) &&
            !(unwrap && isBetween(code))
          ) {
            from = at;
            state.startLine = state.line;
            if (code === QUOTE) {
              state.where = "value";
              state.quoted = true;
            } else if (isOpening(code)) {
              state.where = "value";
              state.depth = 1;
            } else state.where = "scalar";
          }
          break;
        case "scalar": {
          const separator = separators && code === RECORD_SEPARATOR;
          if (
            !separator && code !== QUOTE && !isBlank(code) &&
            !isOpening(code) && !(unwrap && isBetween(code))
          ) break;
          this.#add(text.slice(from, at));
          from = at;
          if (this.#scalarEnds(take, separator)) at--;
          else if (code === LINE_FEED || separator) {
            this.#give("noise", take);
            at--;
          } else state.where = "noise";
          break;
        }
        case "noise":
          if (
            code === LINE_FEED || (separators && code === RECORD_SEPARATOR)
          ) {
            this.#add(text.slice(from, at));
            this.#give("noise", take);
            if (code === LINE_FEED) state.line++;
          }
      }
    }
    if (state.where !== "between") this.#add(text.slice(from));
  }

  /** The input is over. */
  end(take: TakeFound): void {
    const { where } = this.#state;
    if (where === "value") this.#give("cut", take);
    else if (
      where === "noise" ||
      where === "scalar" && !this.#scalarEnds(take, this.#options.separators)
    ) this.#give("noise", take);
  }

  snapshot(): JSONScannerSnapshot {
    return this.#state;
  }

  /**
   * A word is over. Behind a record separator its own end has to be blank (RFC
   * 7464): else it may be half a number.
   */
  #scalarEnds(take: TakeFound, cut: boolean): boolean {
    const state = this.#state;
    if (state.length <= this.#options.maxChars) {
      try {
        JSON.parse(state.pieces.join(""));
      } catch {
        return false;
      }
    }
    this.#give(cut ? "cut" : "value", take);
    return true;
  }

  #add(text: string): void {
    const state = this.#state;
    state.length += text.length;
    if (state.length <= this.#options.maxChars) {
      state.pieces.push(text);
      return;
    }
    // One more than is shown, to see whether a surrogate pair would be cut.
    const beginning = state.pieces.join("").slice(0, EXCERPT + 1);
    state.pieces = [
      (beginning + text.slice(0, EXCERPT + 1)).slice(0, EXCERPT + 1),
    ];
  }

  #give(found: Found, take: TakeFound): void {
    const state = this.#state;
    const { pieces, length, startLine } = state;
    const text = pieces.length === 1 ? pieces[0]! : pieces.join("");
    state.where = "between";
    state.depth = 0;
    state.quoted = state.escaped = false;
    state.pieces = [];
    state.length = 0;
    if (length <= this.#options.maxChars) take(found, text, startLine, length);
    else take("too-long", excerptOf(text), startLine, length);
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

/** Whether this stands between the elements of an array. */
function isBetween(code: number): boolean {
  return code === 0x5b || code === 0x2c || code === 0x5d;
}
