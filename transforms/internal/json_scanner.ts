import { isDigit, isLetter, isLineEnd, isSpace } from "./code_units.ts";
/**
 * Which notation a {@linkcode JSONScanner} reads. `"json"`: what
 * `parseLenientJSON` accepts. `"python"`: literals and calls, as
 * `parsePythonCalls` accepts. `{ delimiter }`: Gemma's notation, whose strings
 * stand between two of these delimiters.
 */
export type Notation = "json" | "python" | { readonly delimiter: string };

/** The state of a {@linkcode JSONScanner} as plain data. */
export interface JSONScannerSnapshot {
  notation: Notation;
  state: number;
  stack: number[];
  after: number;
  resume: number;
  quote: number;
  escaped: boolean;
  count: number;
  word: string;
  wordLength: number;
  behindString: boolean;
}

/** More open brackets than these make a value fail. The parsers have the same limit. */
export const MOST_DEPTH = 256;

/** A name without quotes is not longer than this. */
const LONGEST_NAME = 256;

const BEGIN = 0;
const KEY = 1;
const ITEM = 2;
const COLON = 3;
const VALUE = 4;
const NEXT = 5;
const LITERAL = 6;
const NAME = 7;
const NUMBER = 8;
const NAMED = 9;
const STRING = 10;
const QUOTED_ONCE = 11;
const QUOTED_TWICE = 12;
const TRIPLE = 13;
const DELIMITER = 14;
const DELIMITED = 15;
const BARE = 16;
const BARE_END = 17;
const SLASH = 18;
const COMMENT = 19;
const DONE = 20;
const FAILED = 21;

const JSON_NOTATION = 0;
const PYTHON_NOTATION = 1;
const DELIMITED_NOTATION = 2;

const LITERALS: readonly string[] = [
  "true",
  "false",
  "null",
  "True",
  "False",
  "None",
];

/**
 * Finds the end of the first value in a text that arrives in pieces: an object
 * or array (in Python notation also a parenthesised list of arguments). It
 * keeps no text, looks at every code unit once, knows strings and escapes, and
 * fails at the first code unit that no accepted notation allows there.
 *
 * ```
 *          key, name                 value, literal, number, string
 *   KEY ─────────────► COLON ─":"─► VALUE ─────────────────────────► NEXT
 *    ▲                                ▲  "{" ─► KEY                  │  │
 *    │ "," in an object      "," else │  "[" "(" ─► ITEM             │  │
 *    └────────────────────────────────┴──────────◄────────────────────┘  │
 *   a closer in KEY, ITEM or NEXT closes one bracket; the last ─► DONE ◄─┘
 *
 *   STRING      between quotes       QUOTED_*, TRIPLE  Python's triple quotes
 *   DELIMITED   between delimiters   BARE              Gemma's bare values
 *   SLASH, COMMENT: from anywhere outside a string, back to `resume`
 * ```
 */
export class JSONScanner {
  readonly #notation: Notation;
  readonly #kind: number;
  readonly #delimiter: string;
  #state: number;
  /** Closers of the open brackets, outermost first. */
  readonly #stack: number[];
  /** The state after the string or word that is being read. */
  #after: number;
  /** The state after a comment. */
  #resume: number;
  /** The quote that closes the string. */
  #quote: number;
  #escaped: boolean;
  /** Quotes or code units of a delimiter seen in a row. */
  #count: number;
  /** The first letters of the word that is being read. */
  #word: string;
  #wordLength: number;
  /** Whether nothing but white space came since a string closed. */
  #behindString: boolean;
  #failedAt = -1;

  /**
   * @param snapshot The state to go on from.
   * @param notation What to read; a snapshot brings its own.
   */
  constructor(snapshot?: JSONScannerSnapshot, notation: Notation = "json") {
    this.#notation = snapshot?.notation ?? notation;
    this.#delimiter = typeof this.#notation === "string"
      ? ""
      : this.#notation.delimiter;
    this.#kind = this.#notation === "json"
      ? JSON_NOTATION
      : this.#notation === "python"
      ? PYTHON_NOTATION
      : DELIMITED_NOTATION;
    this.#state = snapshot?.state ?? BEGIN;
    this.#stack = [...snapshot?.stack ?? []];
    this.#after = snapshot?.after ?? NEXT;
    this.#resume = snapshot?.resume ?? NEXT;
    this.#quote = snapshot?.quote ?? 0;
    this.#escaped = snapshot?.escaped ?? false;
    this.#count = snapshot?.count ?? 0;
    this.#word = snapshot?.word ?? "";
    this.#wordLength = snapshot?.wordLength ?? 0;
    this.#behindString = snapshot?.behindString ?? false;
  }

  /** Whether no value in the notation begins like this. It stays so. */
  get failed(): boolean {
    return this.#state === FAILED;
  }

  /** Index of the first impossible code unit in the text last pushed, or -1. */
  get failedAt(): number {
    return this.#failedAt;
  }

  /** Whether the value's end was found. */
  get done(): boolean {
    return this.#state === DONE;
  }

  /** Whether the next code unit belongs to a string. */
  get inString(): boolean {
    return this.#state === STRING || this.#state === TRIPLE ||
      this.#state === DELIMITED || this.#state === QUOTED_ONCE ||
      this.#state === BARE_END;
  }

  /**
   * Whether the last thing read was a string's end. When the scanner failed
   * there, the string may hold quotes that nobody escaped, and what follows may
   * still be meant as its content.
   */
  get behindString(): boolean {
    return this.#behindString;
  }

  /** How many brackets are open. */
  get depth(): number {
    return this.#stack.length;
  }

  /**
   * Reads on.
   *
   * @param text The text that holds the next piece.
   * @param from Where the piece begins in it; it goes to the end.
   * @returns The index just behind the value's end, or -1: it takes more, or `failed`.
   */
  push(text: string, from: number): number {
    this.#failedAt = -1;
    if (this.#state === DONE) return from;
    for (let at = from; at < text.length;) {
      switch (this.#state) {
        case STRING:
        case TRIPLE:
          at = this.#string(text, at);
          break;
        case DELIMITED:
        case DELIMITER:
        case BARE_END:
          at = this.#delimited(text, at);
          break;
        case COMMENT:
          at = this.#comment(text, at);
          break;
        case FAILED:
          return -1;
        default:
          // A word that ends leaves its last code unit to the next state.
          if (!this.#one(text.charCodeAt(at))) {
            if (this.failed) {
              this.#failedAt = at;
              return -1;
            }
            break;
          }
          at++;
          if (this.#state === DONE) return at;
      }
      if (this.failed) {
        this.#failedAt = at;
        return -1;
      }
    }
    return -1;
  }

  /** The state as plain data, a copy. */
  snapshot(): JSONScannerSnapshot {
    return {
      notation: this.#notation,
      state: this.#state,
      stack: [...this.#stack],
      after: this.#after,
      resume: this.#resume,
      quote: this.#quote,
      escaped: this.#escaped,
      count: this.#count,
      word: this.#word,
      wordLength: this.#wordLength,
      behindString: this.#behindString,
    };
  }

  /** Reads in a quoted string; gives the index where to go on. */
  #string(text: string, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      this.#count = 0;
      at++;
    }
    const quote = this.#quote;
    const closing = this.#state === TRIPLE ? 3 : 1;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === quote) {
        if (++this.#count === closing) {
          this.#endString();
          return at + 1;
        }
      } else {
        this.#count = 0;
        if (unit === 0x5c) {
          if (++at === text.length) {
            this.#escaped = true;
            return at;
          }
        }
      }
    }
    return at;
  }

  /** Reads in or at the end of a delimited string; gives the index where to go on. */
  #delimited(text: string, from: number): number {
    const delimiter = this.#delimiter;
    let at = from;
    while (at < text.length) {
      if (this.#count === 0 && this.#state === DELIMITED) {
        at = text.indexOf(delimiter[0]!, at);
        if (at < 0) return text.length;
      }
      // The first code unit of a delimiter comes only once in it, so a failed
      // match can only begin again at the code unit that broke it.
      if (text[at] === delimiter[this.#count]) {
        at++;
        if (++this.#count === delimiter.length) {
          this.#count = 0;
          if (this.#state === DELIMITER) this.#state = DELIMITED;
          else this.#endString();
          return at;
        }
      } else if (this.#state === DELIMITED) {
        this.#count = 0;
        if (text[at] !== delimiter[0]) at++;
      } else {
        this.#state = FAILED;
        return at;
      }
    }
    return at;
  }

  #comment(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (isLineEnd(unit)) {
        this.#state = this.#resume;
        return at + 1;
      }
    }
    return text.length;
  }

  #endString(): void {
    this.#state = this.#after;
    this.#count = 0;
    this.#behindString = true;
  }

  /** Reads one code unit outside strings; `false`: it is not used up, or `failed`. */
  #one(unit: number): boolean {
    switch (this.#state) {
      case LITERAL:
        if (isLetter(unit)) {
          this.#word += String.fromCharCode(unit);
          const word = this.#word;
          return LITERALS.some((one) => one.startsWith(word)) || this.#fail();
        }
        if (isNamePart(unit) || !LITERALS.includes(this.#word)) {
          return this.#fail();
        }
        this.#state = NEXT;
        return false;
      case NAME:
        if (
          isNamePart(unit) ||
          (this.#kind !== JSON_NOTATION && (unit === 0x2e || unit === 0x2d))
        ) {
          if (this.#word.length < 2) this.#word += String.fromCharCode(unit);
          return ++this.#wordLength <= LONGEST_NAME || this.#fail();
        }
        if (
          (unit === 0x22 || unit === 0x27) && this.#kind === PYTHON_NOTATION &&
          isStringPrefix(this.#word)
        ) {
          return this.#openString(unit, NEXT);
        }
        this.#state = this.#after;
        return false;
      case NUMBER:
        if (
          isNamePart(unit) || unit === 0x2b || unit === 0x2d || unit === 0x2e
        ) {
          return true;
        }
        this.#state = NEXT;
        return false;
      case QUOTED_ONCE:
        if (unit === this.#quote) this.#state = QUOTED_TWICE;
        else {
          this.#state = STRING;
          return false;
        }
        return true;
      case QUOTED_TWICE:
        if (unit === this.#quote) {
          this.#state = TRIPLE;
          this.#count = 0;
          return true;
        }
        this.#endString();
        return false;
      case BARE:
        return this.#bare(unit);
      case SLASH:
        if (unit !== 0x2f) return this.#fail();
        this.#state = COMMENT;
        return true;
    }
    if (isSpace(unit)) {
      return true;
    }
    if (
      (unit === 0x2f && this.#kind === JSON_NOTATION ||
        unit === 0x23 && this.#kind === PYTHON_NOTATION) &&
      this.#state !== BEGIN
    ) {
      this.#resume = this.#state;
      this.#state = unit === 0x2f ? SLASH : COMMENT;
      return true;
    }
    switch (this.#state) {
      case BEGIN:
        return this.#open(unit) || this.#fail();
      case KEY:
        return this.#key(unit);
      case ITEM:
        return this.#close(unit) || this.#value(unit);
      case VALUE:
        return this.#value(unit);
      case COLON:
        if (unit !== 0x3a) return this.#fail();
        this.#behindString = false;
        this.#state = VALUE;
        return true;
      case NAMED:
        // A Python name: a call, an argument's name, or a literal.
        if (unit === 0x28) return this.#open(unit);
        if (unit === 0x3d && this.#stack.at(-1) === 0x29) {
          this.#state = VALUE;
          return true;
        }
        break;
    }
    // NEXT, or NAMED with a literal.
    if (unit === 0x2c) {
      this.#behindString = false;
      this.#state = this.#stack.at(-1) === 0x7d ? KEY : ITEM;
      return true;
    }
    return this.#close(unit) || this.#fail();
  }

  #fail(): false {
    this.#state = FAILED;
    return false;
  }

  #open(unit: number): boolean {
    const closer = unit === 0x7b
      ? 0x7d
      : unit === 0x5b
      ? 0x5d
      : unit === 0x28 && this.#kind === PYTHON_NOTATION
      ? 0x29
      : 0;
    if (closer === 0) return false;
    this.#stack.push(closer);
    if (this.#stack.length > MOST_DEPTH) return this.#fail();
    this.#behindString = false;
    this.#state = closer === 0x7d ? KEY : ITEM;
    return true;
  }

  #close(unit: number): boolean {
    if (unit !== this.#stack.at(-1)) return false;
    this.#stack.pop();
    this.#behindString = false;
    this.#state = this.#stack.length === 0 ? DONE : NEXT;
    return true;
  }

  #key(unit: number): boolean {
    if (this.#close(unit)) return true;
    if (
      this.#kind === DELIMITED_NOTATION &&
      unit === this.#delimiter.charCodeAt(0)
    ) {
      return this.#openDelimiter(COLON);
    }
    if (this.#isQuote(unit)) return this.#openString(unit, COLON);
    if (this.#kind === PYTHON_NOTATION || !isNameStart(unit)) {
      return this.#fail();
    }
    return this.#openWord(unit, NAME, COLON);
  }

  #value(unit: number): boolean {
    if (this.#open(unit)) return true;
    if (this.failed) return false;
    if (this.#isQuote(unit)) return this.#openString(unit, NEXT);
    if (this.#kind === DELIMITED_NOTATION) {
      if (unit === this.#delimiter.charCodeAt(0)) {
        return this.#openDelimiter(NEXT);
      }
      this.#behindString = false;
      this.#state = BARE;
      return this.#bare(unit, true);
    }
    if (isDigit(unit) || unit === 0x2d) {
      return this.#openWord(unit, NUMBER, NEXT);
    }
    if (this.#kind === PYTHON_NOTATION) {
      if (unit === 0x2b || unit === 0x2e) {
        return this.#openWord(unit, NUMBER, NEXT);
      }
      return isNameStart(unit)
        ? this.#openWord(unit, NAME, NAMED)
        : this.#fail();
    }
    return LITERALS.some((one) => one.charCodeAt(0) === unit)
      ? this.#openWord(unit, LITERAL, NEXT)
      : this.#fail();
  }

  #isQuote(unit: number): boolean {
    return unit === 0x22 ||
      unit === 0x27 && this.#kind !== DELIMITED_NOTATION;
  }

  #openWord(unit: number, state: number, after: number): true {
    this.#behindString = false;
    this.#state = state;
    this.#after = after;
    this.#word = String.fromCharCode(unit);
    this.#wordLength = 1;
    return true;
  }

  #openString(quote: number, after: number): true {
    this.#behindString = false;
    this.#state = this.#kind === PYTHON_NOTATION ? QUOTED_ONCE : STRING;
    this.#after = after;
    this.#quote = quote;
    this.#count = 0;
    this.#escaped = false;
    return true;
  }

  #openDelimiter(after: number): true {
    this.#behindString = false;
    this.#state = DELIMITER;
    this.#after = after;
    this.#count = 1;
    return true;
  }

  /** A value without delimiters; one behind it closes a string whose opening one is missing. */
  #bare(unit: number, first = false): boolean {
    if (
      unit === 0x2c || unit === this.#stack.at(-1) && !first
    ) {
      if (first) return this.#fail();
      this.#state = NEXT;
      return false;
    }
    if (unit === this.#delimiter.charCodeAt(0)) {
      this.#state = BARE_END;
      this.#after = NEXT;
      this.#count = 1;
      return true;
    }
    if (
      unit === 0x7b || unit === 0x7d || unit === 0x5b || unit === 0x5d ||
      unit === 0x3c
    ) return this.#fail();
    return true;
  }
}

/**
 * Whether a name without quotes may begin so: a letter, `_`, `$`, or something
 * beyond ASCII that is neither white space nor punctuation.
 */
export function isNameStart(unit: number): boolean {
  return isLetter(unit) || unit === 0x5f || unit === 0x24 ||
    unit >= 0xc0 && (unit < 0x2000 || unit > 0x206f) &&
      (unit < 0x3000 || unit > 0x303f) && unit < 0xfe00 && unit !== 0x1680;
}

/** Whether a name without quotes may go on so. */
export function isNamePart(unit: number): boolean {
  return isNameStart(unit) || isDigit(unit);
}

/** Whether a Python string may have this prefix and still be plain text. */
export function isStringPrefix(word: string): boolean {
  return word === "r" || word === "R" || word === "u" || word === "U";
}
