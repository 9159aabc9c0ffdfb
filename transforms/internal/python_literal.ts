import { isLineEnd } from "./code_units.ts";
import {
  isNamePart,
  isNameStart,
  isStringPrefix,
  MOST_DEPTH,
} from "./json_scanner.ts";
import { keepsNumber, LITERALS, type Parsed } from "./lenient_json.ts";
import { setOwn } from "./own_property.ts";

/** A call as `parsePythonCalls` reads it. */
export interface PythonCall {
  /** The name, dots and hyphens included. */
  name: string;
  /** The keyword arguments; the last of equal names wins. */
  arguments: Record<string, unknown>;
}

const NOTHING: unique symbol = Symbol("nothing");

/**
 * Reads one Python literal: strings (both quotes, triple quotes, prefixes `r`
 * and `u`), numbers, `True`, `False`, `None` (and as JSON writes them), lists,
 * tuples (as arrays) and dicts with string keys. No names, no calls, no
 * operators, no two strings side by side. Refused are numbers that would change,
 * and strings that mix escapes with back-slashes that stay (`C:\Work\new`).
 */
export function parsePythonLiteral(text: string): Parsed {
  return new PythonReader(text).literal();
}

/**
 * Reads calls in Python notation: a list (`[f(a="x", b=1), g()]`), or calls
 * one after the other, apart by line ends or `;`. Arguments are keyword arguments
 * with literal values, as {@linkcode parsePythonLiteral} reads them.
 */
export function parsePythonCalls(text: string): Parsed<PythonCall[]> {
  return new PythonReader(text).calls();
}

class PythonReader {
  readonly #text: string;
  readonly #repairs: Set<string> = new Set();
  #at = 0;
  #depth = 0;
  #reason = "";

  constructor(text: string) {
    this.#text = text;
  }

  literal(): Parsed {
    this.#space();
    const value = this.#value();
    return this.#result(value);
  }

  calls(): Parsed<PythonCall[]> {
    this.#space();
    const calls: PythonCall[] = [];
    const list = this.#takes(0x5b);
    for (let first = true;; first = false) {
      const lineEnd = this.#space();
      if (list && this.#takes(0x5d)) break;
      if (this.#at === this.#text.length && !list && !first) break;
      if (!first) {
        if (list ? !this.#takes(0x2c) : !this.#takes(0x3b) && !lineEnd) {
          this.#fail("Calls are not apart");
          break;
        }
        this.#space();
        if (list && this.#takes(0x5d)) break;
        if (this.#at === this.#text.length && !list) break;
      }
      const call = this.#call();
      if (call === NOTHING) break;
      calls.push(call);
    }
    if (this.#reason === "" && calls.length === 0) {
      this.#reason = "There is no call";
    }
    return this.#result(calls) as Parsed<PythonCall[]>;
  }

  #result(value: unknown): Parsed {
    this.#space();
    if (this.#reason === "" && this.#at < this.#text.length) {
      this.#fail("Something follows");
    }
    return this.#reason === ""
      ? { ok: true, value, repairs: [...this.#repairs] }
      : { ok: false, reason: this.#reason };
  }

  #fail(what: string): typeof NOTHING {
    if (this.#reason === "") {
      this.#reason = this.#at < this.#text.length
        ? `${what} at offset ${this.#at}`
        : "The text is cut off";
    }
    return NOTHING;
  }

  /** Skips white space and comments; says whether there was a line end. */
  #space(): boolean {
    let lineEnd = false;
    for (; this.#at < this.#text.length; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === 0x23) {
        while (
          this.#at + 1 < this.#text.length &&
          !isLineEnd(this.#text.charCodeAt(this.#at + 1))
        ) this.#at++;
      } else if (isLineEnd(unit)) lineEnd = true;
      else if (unit !== 0x20 && unit !== 0x09) break;
    }
    return lineEnd;
  }

  #takes(unit: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== unit) return false;
    this.#at++;
    return true;
  }

  #word(withDots: boolean): string {
    const from = this.#at;
    if (!isNameStart(this.#text.charCodeAt(this.#at))) return "";
    for (;; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at);
      if (isNamePart(unit)) continue;
      if (!withDots || unit !== 0x2e && unit !== 0x2d) break;
    }
    return this.#text.slice(from, this.#at);
  }

  #call(): PythonCall | typeof NOTHING {
    const name = this.#word(true);
    if (name === "") return this.#fail("There is no call");
    this.#space();
    if (!this.#takes(0x28)) return this.#fail("There is no call");
    const call: PythonCall = { name, arguments: {} };
    for (let first = true;; first = false) {
      this.#space();
      if (this.#takes(0x29)) return call;
      if (!first) {
        if (!this.#takes(0x2c)) return this.#fail('"," is missing');
        this.#space();
        if (this.#takes(0x29)) return call;
      }
      const key = this.#word(false);
      this.#space();
      if (key === "" || !this.#takes(0x3d)) {
        return this.#fail("There is no argument's name");
      }
      this.#space();
      const value = this.#value();
      if (value === NOTHING) return NOTHING;
      setOwn(call.arguments, key, value);
    }
  }

  #value(): unknown {
    const unit = this.#text.charCodeAt(this.#at);
    switch (unit) {
      case 0x22:
      case 0x27:
        return this.#string(unit, false);
      case 0x5b:
        return this.#list(0x5d);
      case 0x28:
        return this.#list(0x29);
      case 0x7b:
        return this.#dict();
    }
    if (
      unit === 0x2b || unit === 0x2d || unit === 0x2e ||
      unit >= 0x30 && unit <= 0x39
    ) return this.#number();
    const from = this.#at;
    const word = this.#word(false);
    const quote = this.#text.charCodeAt(this.#at);
    if ((quote === 0x22 || quote === 0x27) && isStringPrefix(word)) {
      return this.#string(quote, word === "r" || word === "R");
    }
    const literal = LITERALS.get(word);
    if (literal !== undefined) return literal;
    this.#at = from;
    return this.#fail("There is no literal");
  }

  /** A list or a tuple; one value in parentheses is that value. */
  #list(closer: number): unknown {
    if (++this.#depth > MOST_DEPTH) {
      return this.#fail("There are too many levels");
    }
    const list: unknown[] = [];
    let comma = false;
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#takes(closer)) break;
      if (list.length > 0 && !comma) return this.#fail('"," is missing');
      const value = this.#value();
      if (value === NOTHING) return NOTHING;
      list.push(value);
      this.#space();
      comma = this.#takes(0x2c);
    }
    this.#depth--;
    return closer === 0x29 && list.length === 1 && !comma ? list[0] : list;
  }

  #dict(): unknown {
    if (++this.#depth > MOST_DEPTH) {
      return this.#fail("There are too many levels");
    }
    const dict: Record<string, unknown> = {};
    let comma = true;
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#takes(0x7d)) break;
      if (!comma) return this.#fail('"," is missing');
      const quote = this.#text.charCodeAt(this.#at);
      if (quote !== 0x22 && quote !== 0x27) {
        return this.#fail("A key is not a string");
      }
      const key = this.#string(quote, false);
      if (typeof key !== "string") return NOTHING;
      this.#space();
      if (!this.#takes(0x3a)) return this.#fail('":" is missing');
      this.#space();
      const value = this.#value();
      if (value === NOTHING) return NOTHING;
      setOwn(dict, key, value);
      this.#space();
      comma = this.#takes(0x2c);
    }
    this.#depth--;
    return dict;
  }

  #string(quote: number, raw: boolean): string | typeof NOTHING {
    const text = this.#text;
    const closer = String.fromCharCode(quote);
    const triple = text.startsWith(closer.repeat(3), this.#at);
    const pieces: string[] = [];
    const begin = this.#at;
    this.#at += triple ? 3 : 1;
    let from = this.#at;
    let letters = false;
    let kept = false;
    for (; this.#at < text.length; this.#at++) {
      const unit = text.charCodeAt(this.#at);
      if (unit === quote) {
        if (triple && !text.startsWith(closer.repeat(3), this.#at)) continue;
        if (letters && kept) {
          this.#at = begin;
          return this.#fail("A string has back-slashes of two readings");
        }
        pieces.push(text.slice(from, this.#at));
        this.#at += triple ? 3 : 1;
        return pieces.join("");
      }
      if (unit === 0x5c) {
        const length = raw ? 0 : this.#escape(pieces, from);
        if (length < 0) return NOTHING;
        if (length === 0) {
          this.#at++;
          kept ||= !raw;
        } else {
          letters ||= /[a-zU]/.test(text[this.#at + 1]!);
          this.#at += length - 1;
          from = this.#at + 1;
        }
      } else if (isLineEnd(unit) && !triple) {
        // No Python, but models write it, and it can only be meant so.
        this.#repairs.add("raw-control-character");
      }
    }
    this.#at = text.length;
    return this.#fail("A string is cut off");
  }

  /**
   * Reads the escape at the back-slash. Gives its length, 0 when the
   * back-slash stays (as in Python), -1 when it cannot be read.
   */
  #escape(pieces: string[], from: number): number {
    const text = this.#text;
    const at = this.#at;
    const letter = text[at + 1] ?? "";
    let plain = ESCAPES.get(letter);
    let length = 2;
    if (letter === "\r" && text[at + 2] === "\n") length = 3;
    const width = WIDTHS.get(letter);
    if (width !== undefined) {
      const digits = text.slice(at + 2, at + 2 + width);
      const code = digits.length === width && /^[0-9a-fA-F]+$/.test(digits)
        ? parseInt(digits, 16)
        : Infinity;
      if (code > 0x10ffff) {
        this.#fail("An escape is malformed");
        return -1;
      }
      plain = String.fromCodePoint(code);
      length = 2 + width;
    } else if (letter >= "0" && letter <= "7") {
      const digits = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))![0];
      plain = String.fromCharCode(parseInt(digits, 8));
      length = 1 + digits.length;
    } else if (letter === "N") {
      this.#fail("An escape names a character");
      return -1;
    }
    if (plain === undefined) return 0;
    pieces.push(text.slice(from, at), plain);
    return length;
  }

  #number(): unknown {
    const from = this.#at;
    for (;; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at);
      if (
        unit !== 0x2b && unit !== 0x2d && unit !== 0x2e && !isNamePart(unit)
      ) {
        break;
      }
    }
    const text = this.#text.slice(from, this.#at);
    const [, sign = "", digits = ""] = /^([+-]?)(.*)$/.exec(text)!;
    const plain = digits.replaceAll("_", "");
    const based = /^0[xXoObB]/.test(plain);
    // An underscore stands between digits, or behind the sign of a base.
    const torn = based ? /^0_|__|_$/ : /^_|__|_$|[.eE+-]_|_[.eE+-]/;
    const isNumber = !torn.test(digits) &&
      (/^(?:0+|[1-9]\d*)$/.test(plain) ||
        /^(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?$/.test(plain) ||
        /^0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)$/.test(plain));
    const kept = based
      ? Number.isSafeInteger(Number(plain))
      : keepsNumber(plain);
    if (!isNumber || !kept) {
      this.#at = from;
      return this.#fail(
        isNumber
          ? "A number is too large to be kept as it is"
          : "A number is malformed",
      );
    }
    const number = Number(plain);
    return sign === "-" && number !== 0 ? -number : number;
  }
}

/** What the escapes of one character stand for. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\n", ""],
  ["\r", ""],
]);

/** How many digits the numeric escapes have. */
const WIDTHS: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);
