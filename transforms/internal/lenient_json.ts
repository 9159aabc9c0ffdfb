import { isLineEnd } from "./code_units.ts";
import { isNamePart, isNameStart, MOST_DEPTH } from "./json_scanner.ts";
import { setOwn } from "./own_property.ts";

/** What a parser gives: the value with the names of the repairs it took, or why not. */
export type Parsed<Value = unknown> =
  | { ok: true; value: Value; repairs: string[] }
  | { ok: false; reason: string };

/** Options of {@linkcode parseLenientJSON}. */
export interface LenientJSONOptions {
  /**
   * Whether the text is an envelope (`{"name": …, "arguments": {…}}`, or a list
   * of them), in which one closing bracket may be missing at the end when
   * the arguments are whole.
   *
   * @default {false}
   */
  envelope?: boolean;
}

/** Keys under which an envelope holds the arguments. */
const ARGUMENTS: readonly string[] = ["arguments", "parameters"];

/** What `#value` gives when it found the reason why not. */
const NOTHING: unique symbol = Symbol("nothing");

/**
 * Reads JSON, and JSON with mistakes that leave no doubt about what is meant.
 * `JSON.parse` decides first. Repairs, by name:
 *
 * - `trailing-comma`: one comma before a closing bracket
 * - `python-literal`: `True`, `False`, `None`
 * - `single-quotes`: strings in single quotes
 * - `raw-control-character`: line ends, tabs and the like inside a string
 * - `invalid-escape`: the back-slash stays, unless the string has valid letter
 *   escapes too (`C:\Work\new`): then it has two readings and is refused
 * - `unquoted-key`: a name as key
 * - `comment`: from `//` to the end of the line
 * - `surplus-closer`: closing brackets behind the value
 * - `missing-closer`: see {@linkcode LenientJSONOptions.envelope}
 *
 * Everything else is refused: nothing cut is completed, nothing is guessed. So
 * are numbers that would change (integers beyond 2^53, overflow), and more than
 * 256 levels. `__proto__` becomes an own property, the last of equal
 * keys wins, as with `JSON.parse`. Linear in time, throws nothing.
 */
export function parseLenientJSON(
  text: string,
  options: LenientJSONOptions = {},
): Parsed {
  if (!mayBeDeep(text) && !mayLoseDigits(text)) {
    try {
      return { ok: true, value: JSON.parse(text), repairs: [] };
    } catch {
      // The reader below says what is wrong, or repairs it.
    }
  }
  return new LenientReader(text, options.envelope ?? false).read();
}

/** Whether the text has enough brackets for too many levels. */
function mayBeDeep(text: string): boolean {
  let brackets = 0;
  for (const bracket of ["{", "["]) {
    for (
      let at = text.indexOf(bracket);
      at >= 0;
      at = text.indexOf(bracket, at + 1)
    ) if (++brackets > MOST_DEPTH) return true;
  }
  return false;
}

/** Whether the text has something like a number that a double cannot hold. */
function mayLoseDigits(text: string): boolean {
  return /\d{16}|\d[eE]\+?\d\d/.test(text);
}

/** `true` when a number in JSON notation is what the text says, not something near it. */
export function keepsNumber(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) &&
    (/[.eE]/.test(text) || Number.isSafeInteger(value));
}

class LenientReader {
  readonly #text: string;
  readonly #envelope: boolean;
  readonly #repairs: Set<string> = new Set();
  #at = 0;
  #depth = 0;
  #reason = "";

  constructor(text: string, envelope: boolean) {
    this.#text = text;
    this.#envelope = envelope;
  }

  read(): Parsed {
    this.#space();
    if (this.#at === this.#text.length) {
      return { ok: false, reason: "There is no value" };
    }
    const value = this.#value();
    if (value !== NOTHING) this.#tail(typeof value === "object");
    return this.#reason === ""
      ? { ok: true, value, repairs: [...this.#repairs] }
      : { ok: false, reason: this.#reason };
  }

  /** What may stand behind the value: white space and surplus closers. */
  #tail(closers: boolean): void {
    this.#space();
    while (this.#at < this.#text.length) {
      const unit = this.#text.charCodeAt(this.#at);
      if (!closers || unit !== 0x7d && unit !== 0x5d) {
        this.#fail("Something follows the value");
        return;
      }
      this.#repairs.add("surplus-closer");
      this.#at++;
      this.#space();
    }
  }

  #fail(what: string): typeof NOTHING {
    this.#reason = this.#at < this.#text.length
      ? `${what} at offset ${this.#at}`
      : "The value is cut off";
    return NOTHING;
  }

  #space(): void {
    const text = this.#text;
    while (this.#at < text.length) {
      const unit = text.charCodeAt(this.#at);
      if (unit === 0x2f && text.charCodeAt(this.#at + 1) === 0x2f) {
        this.#repairs.add("comment");
        while (
          this.#at < text.length && !isLineEnd(text.charCodeAt(this.#at))
        ) {
          this.#at++;
        }
      } else if (
        unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09
      ) return;
      else this.#at++;
    }
  }

  #value(): unknown {
    const unit = this.#text.charCodeAt(this.#at);
    if (unit === 0x7b) return this.#object();
    if (unit === 0x5b) return this.#array();
    if (unit === 0x22 || unit === 0x27) return this.#string(unit);
    if (unit === 0x2d || unit >= 0x30 && unit <= 0x39) return this.#number();
    return this.#literal();
  }

  #object(): unknown {
    if (++this.#depth > MOST_DEPTH) {
      return this.#fail("There are too many levels");
    }
    const object: Record<string, unknown> = {};
    /** The key of the last member, and whether the arguments are among them. */
    let whole = false;
    let last: unknown;
    this.#at++;
    for (let first = true;; first = false) {
      this.#space();
      if (this.#closes(0x7d)) return object;
      if (!first) {
        if (this.#mayEnd(last) && whole) return this.#end(object);
        if (!this.#comma()) return NOTHING;
        this.#space();
        if (this.#closesBehindComma(0x7d)) return object;
      }
      const key = this.#key();
      if (typeof key !== "string") return NOTHING;
      this.#space();
      if (this.#text.charCodeAt(this.#at) !== 0x3a) {
        return this.#fail('":" is missing');
      }
      this.#at++;
      this.#space();
      const value = this.#value();
      if (value === NOTHING) return NOTHING;
      setOwn(object, key, value);
      last = value;
      whole ||= ARGUMENTS.includes(key) &&
        (typeof value === "string" || typeof value === "object" &&
            value !== null && !Array.isArray(value));
    }
  }

  #array(): unknown {
    if (++this.#depth > MOST_DEPTH) {
      return this.#fail("There are too many levels");
    }
    const array: unknown[] = [];
    this.#at++;
    for (let first = true;; first = false) {
      this.#space();
      if (this.#closes(0x5d)) return array;
      if (!first) {
        if (this.#mayEnd(array.at(-1)) && array.every(isWholeCall)) {
          return this.#end(array);
        }
        if (!this.#comma()) return NOTHING;
        this.#space();
        if (this.#closesBehindComma(0x5d)) return array;
      }
      const value = this.#value();
      if (value === NOTHING) return NOTHING;
      array.push(value);
    }
  }

  #closes(closer: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== closer) return false;
    this.#at++;
    this.#depth--;
    return true;
  }

  #closesBehindComma(closer: number): boolean {
    if (!this.#closes(closer)) return false;
    this.#repairs.add("trailing-comma");
    return true;
  }

  #comma(): boolean {
    if (this.#text.charCodeAt(this.#at) !== 0x2c) {
      this.#fail('"," is missing');
      return false;
    }
    this.#at++;
    return true;
  }

  /** Whether the text may end here, behind `last`, in an envelope that is not closed. */
  #mayEnd(last: unknown): boolean {
    return this.#envelope && this.#depth === 1 &&
      this.#at === this.#text.length &&
      // A number or literal may be the beginning of a longer one.
      (typeof last === "string" || typeof last === "object" && last !== null);
  }

  #end(value: unknown): unknown {
    this.#repairs.add("missing-closer");
    return value;
  }

  #key(): string | typeof NOTHING {
    const unit = this.#text.charCodeAt(this.#at);
    if (unit === 0x22 || unit === 0x27) return this.#string(unit);
    if (!isNameStart(unit)) return this.#fail("There is no key");
    const from = this.#at;
    while (isNamePart(this.#text.charCodeAt(this.#at))) this.#at++;
    this.#repairs.add("unquoted-key");
    return this.#text.slice(from, this.#at);
  }

  #string(quote: number): string | typeof NOTHING {
    const text = this.#text;
    const begin = this.#at;
    const pieces: string[] = [];
    let from = ++this.#at;
    let letters = false;
    let invalid = false;
    if (quote === 0x27) this.#repairs.add("single-quotes");
    for (; this.#at < text.length; this.#at++) {
      const unit = text.charCodeAt(this.#at);
      if (unit === quote) {
        if (invalid && letters) {
          this.#at = begin;
          return this.#fail("A string has back-slashes of two readings");
        }
        pieces.push(text.slice(from, this.#at++));
        return pieces.length === 1 ? pieces[0]! : pieces.join("");
      }
      if (unit < 0x20) this.#repairs.add("raw-control-character");
      if (unit !== 0x5c) continue;
      const escape = text[this.#at + 1];
      if (escape === undefined) break;
      let plain: string | undefined;
      let length = 2;
      if (escape === '"' || escape === "\\" || escape === "/") plain = escape;
      else if (escape === "'" && quote === 0x27) plain = escape;
      else if (escape === "u") {
        const digits = text.slice(this.#at + 2, this.#at + 6);
        if (/^[0-9a-fA-F]{4}$/.test(digits)) {
          plain = String.fromCharCode(parseInt(digits, 16));
          length = 6;
          letters = true;
        }
      } else {
        plain = LETTER_ESCAPES.get(escape);
        if (plain !== undefined) letters = true;
      }
      if (plain === undefined) {
        this.#repairs.add("invalid-escape");
        invalid = true;
        // In single quotes it may be meant as Python or JavaScript has it.
        if (quote === 0x27 && /[xavUN0-7\n\r\u2028\u2029]/.test(escape)) {
          letters = true;
        }
        // The back-slash stays, and what it stands before is read as it is.
        continue;
      }
      pieces.push(text.slice(from, this.#at), plain);
      this.#at += length - 1;
      from = this.#at + 1;
    }
    this.#at = text.length;
    return this.#fail("A string is cut off");
  }

  #number(): unknown {
    const text = this.#text;
    const from = this.#at;
    while (isNumberPart(text.charCodeAt(this.#at))) this.#at++;
    const number = text.slice(from, this.#at);
    if (!isJSONNumber(number)) {
      this.#at = from;
      return this.#fail("A number is malformed");
    }
    if (!keepsNumber(number)) {
      this.#at = from;
      return this.#fail("A number is too large to be kept as it is");
    }
    return Number(number);
  }

  #literal(): unknown {
    const from = this.#at;
    let to = from;
    while (to - from < 6 && isNamePart(this.#text.charCodeAt(to))) to++;
    const word = this.#text.slice(from, to);
    const literal = LITERALS.get(word);
    if (literal === undefined) return this.#fail("There is no value");
    this.#at = to;
    if (word.charCodeAt(0) < 0x61) this.#repairs.add("python-literal");
    return literal;
  }
}

const LETTER_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** The literals of JSON and Python. */
export const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
  ["True", true],
  ["False", false],
  ["None", null],
]);

/** Whether a text is a number in JSON's notation. */
export function isJSONNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/** Whether an element of a list is a call with its arguments whole. */
function isWholeCall(value: unknown): boolean {
  return typeof value === "object" && value !== null &&
    ARGUMENTS.some((key) => Object.hasOwn(value, key));
}

function isNumberPart(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39 || unit === 0x2d || unit === 0x2b ||
    unit === 0x2e || unit === 0x65 || unit === 0x45;
}
