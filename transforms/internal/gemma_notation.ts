import { isSpace } from "./code_units.ts";
import { isNamePart, isNameStart, MOST_DEPTH } from "./json_scanner.ts";
import {
  isJSONNumber,
  keepsNumber,
  LITERALS,
  type Parsed,
  parseLenientJSON,
} from "./lenient_json.ts";
import { setOwn } from "./own_property.ts";

const NOTHING: unique symbol = Symbol("nothing");

/**
 * Reads a call's arguments in Gemma's notation: `{city:<|"|>Ulm<|"|>,days:3}`.
 * Keys stand bare, strings between two `delimiter`s (`<|"|>`, or `<escape>` for
 * FunctionGemma) and unescaped, numbers, `true`, `false` and `null` bare.
 * Its end is found by a `JSONScanner` with `{ delimiter }`.
 *
 * Repairs, by name: `missing-delimiter` (a string whose opening one is missing,
 * where only one reading is left), `bare-string` (a single word without
 * delimiters), `json-string` (a string in double quotes), `python-literal`,
 * `trailing-comma`, `surplus-closer`. Everything else is refused; linear in
 * time, throws nothing.
 */
export function parseGemmaArguments(
  text: string,
  delimiter: string,
): Parsed<Record<string, unknown>> {
  return new GemmaReader(text, delimiter).read();
}

class GemmaReader {
  readonly #text: string;
  readonly #delimiter: string;
  readonly #repairs: Set<string> = new Set();
  #at = 0;
  #depth = 0;
  #reason = "";
  /**
   * Whether the value before may reach further than it was read: a word
   * without delimiters, or a string that ends like the beginning of another.
   */
  #inDoubt = false;

  constructor(text: string, delimiter: string) {
    this.#text = text;
    this.#delimiter = delimiter;
  }

  read(): Parsed<Record<string, unknown>> {
    this.#space();
    const value = this.#text[this.#at] === "{"
      ? this.#object()
      : this.#fail("There is no object");
    if (value !== NOTHING) {
      this.#space();
      while (this.#takes("}") || this.#takes("]")) {
        this.#repairs.add("surplus-closer");
        this.#space();
      }
      if (this.#at < this.#text.length) this.#fail("Something follows");
    }
    return this.#reason === ""
      ? {
        ok: true,
        value: value as Record<string, unknown>,
        repairs: [...this.#repairs],
      }
      : { ok: false, reason: this.#reason };
  }

  #fail(what: string): typeof NOTHING {
    this.#reason = this.#at < this.#text.length
      ? `${what} at offset ${this.#at}`
      : "The arguments are cut off";
    return NOTHING;
  }

  #space(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  #takes(what: string): boolean {
    if (!this.#text.startsWith(what, this.#at)) return false;
    this.#at += what.length;
    return true;
  }

  #object(): unknown {
    if (++this.#depth > MOST_DEPTH) {
      return this.#fail("There are too many levels");
    }
    const object: Record<string, unknown> = {};
    this.#at++;
    for (let first = true;; first = false) {
      const next = this.#next("}", first);
      if (next === false) break;
      if (next === NOTHING) return NOTHING;
      const key = this.#key();
      if (typeof key !== "string") return NOTHING;
      this.#space();
      if (!this.#takes(":")) return this.#fail('":" is missing');
      this.#space();
      const value = this.#value();
      if (value === NOTHING) return NOTHING;
      setOwn(object, key, value);
      // Of the arguments themselves the schema tells numbers from strings.
      if (this.#depth > 1) this.#doubt();
    }
    this.#depth--;
    this.#inDoubt = false;
    return object;
  }

  #array(): unknown {
    if (++this.#depth > MOST_DEPTH) {
      return this.#fail("There are too many levels");
    }
    const array: unknown[] = [];
    this.#at++;
    for (let first = true;; first = false) {
      const next = this.#next("]", first);
      if (next === false) break;
      if (next === NOTHING) return NOTHING;
      const value = this.#value();
      if (value === NOTHING) return NOTHING;
      array.push(value);
      this.#doubt();
    }
    this.#depth--;
    this.#inDoubt = false;
    return array;
  }

  /** `0,x` with its beginning lost looks like 0 and x: only a delimiter leaves no doubt. */
  #doubt(): void {
    this.#inDoubt ||= !this.#text.endsWith(this.#delimiter, this.#at);
  }

  /** Goes to the next member: `true`; `false` when the closer comes. */
  #next(closer: string, first: boolean): boolean | typeof NOTHING {
    this.#space();
    if (this.#takes(closer)) return false;
    if (first) return true;
    if (!this.#takes(",")) return this.#fail('"," is missing');
    this.#space();
    if (!this.#takes(closer)) return true;
    this.#repairs.add("trailing-comma");
    return false;
  }

  #key(): string | typeof NOTHING {
    if (this.#takes(this.#delimiter)) return this.#delimited();
    if (this.#text[this.#at] === '"') return this.#jsonString();
    const from = this.#at;
    if (!isNameStart(this.#text.charCodeAt(from))) {
      return this.#fail("There is no key");
    }
    for (;; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at);
      if (!isNamePart(unit) && unit !== 0x2e && unit !== 0x2d) break;
    }
    return this.#text.slice(from, this.#at);
  }

  #value(): unknown {
    const first = this.#text[this.#at];
    if (first === "{") return this.#object();
    if (first === "[") return this.#array();
    if (first === '"') {
      this.#inDoubt = true;
      return this.#jsonString();
    }
    if (this.#takes(this.#delimiter)) {
      const text = this.#delimited();
      this.#inDoubt = typeof text === "string" &&
        /[,:[{]$/.test(text.trimEnd());
      return text;
    }
    return this.#bare();
  }

  /** The rest of a string, behind its opening delimiter. */
  #delimited(): string | typeof NOTHING {
    const end = this.#text.indexOf(this.#delimiter, this.#at);
    if (end < 0) {
      this.#at = this.#text.length;
      return this.#fail("A string is cut off");
    }
    const text = this.#text.slice(this.#at, end);
    this.#at = end + this.#delimiter.length;
    return text;
  }

  #jsonString(): string | typeof NOTHING {
    const from = this.#at;
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const unit = this.#text[this.#at];
      if (unit === "\\") this.#at++;
      else if (unit === '"') {
        const parsed = parseLenientJSON(this.#text.slice(from, ++this.#at));
        if (!parsed.ok) {
          this.#at = from;
          return this.#fail("A string is malformed");
        }
        this.#repairs.add("json-string");
        for (const repair of parsed.repairs) this.#repairs.add(repair);
        return parsed.value as string;
      }
    }
    this.#at = this.#text.length;
    return this.#fail("A string is cut off");
  }

  #bare(): unknown {
    const text = this.#text;
    const from = this.#at;
    while (this.#at < text.length && !/[,{}[\]<]/.test(text[this.#at]!)) {
      this.#at++;
    }
    const bare = text.slice(from, this.#at);
    if (this.#takes(this.#delimiter)) {
      if (this.#inDoubt || beginsInside(bare, this.#delimiter)) {
        this.#at = from;
        return this.#fail("A string has no beginning");
      }
      this.#inDoubt = /[,:[{]$/.test(bare.trimEnd());
      this.#repairs.add("missing-delimiter");
      return bare;
    }
    const word = bare.trim();
    this.#inDoubt = false;
    const literal = LITERALS.get(word);
    if (literal !== undefined) {
      if (word.charCodeAt(0) < 0x61) this.#repairs.add("python-literal");
      return literal;
    }
    if (isJSONNumber(word) && keepsNumber(word)) return Number(word);
    if (isWord(word)) {
      this.#inDoubt = true;
      this.#repairs.add("bare-string");
      return word;
    }
    if (this.#at < text.length) this.#at = from;
    return this.#fail("A value is neither a number nor a string");
  }
}

/** Whether a text begins with the end of a delimiter, of which the rest is lost. */
function beginsInside(text: string, delimiter: string): boolean {
  for (let at = 1; at < delimiter.length; at++) {
    if (text.startsWith(delimiter.slice(at))) return true;
  }
  return false;
}

/** Whether a text is a name, so that nothing in it can be notation. */
function isWord(text: string): boolean {
  if (!isNameStart(text.charCodeAt(0))) return false;
  for (let at = 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (!isNamePart(unit) && unit !== 0x2e && unit !== 0x2d) return false;
  }
  return true;
}
