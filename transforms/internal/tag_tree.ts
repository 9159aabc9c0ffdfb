import { setOwn } from "./own_property.ts";

/** Deeper values are refused. */
const MOST_DEPTH = 64;

const NOTHING: unique symbol = Symbol("nothing");

/**
 * Reads a value that is written as nested tags, each with the same mark before
 * it: `<item>` tags are an array, other tags an object, no tags a string.
 * `undefined`: it is none of these.
 */
export function parseTagTree(text: string, mark: string): unknown {
  const reader = new TreeReader(text, mark);
  const value = reader.value(0);
  return value === NOTHING || !reader.over ? undefined : value;
}

class TreeReader {
  readonly #text: string;
  readonly #mark: string;
  #at = 0;

  constructor(text: string, mark: string) {
    this.#text = text;
    this.#mark = mark;
  }

  get over(): boolean {
    return this.#at === this.#text.length;
  }

  /** The value up to the next closer, or to the end. */
  value(depth: number): unknown {
    if (depth > MOST_DEPTH) return NOTHING;
    const from = this.#at;
    this.#space();
    let tag = this.#open();
    if (tag === undefined) {
      const end = this.#text.indexOf(this.#mark, from);
      this.#at = end < 0 ? this.#text.length : end;
      return this.#text.slice(from, this.#at);
    }
    const isArray = tag === "item";
    const array: unknown[] = [];
    const object: Record<string, unknown> = {};
    for (; tag !== undefined; tag = this.#open()) {
      const value = this.value(depth + 1);
      if (value === NOTHING || !this.#close(tag)) return NOTHING;
      if (isArray !== (tag === "item")) return NOTHING;
      if (isArray) array.push(value);
      else if (Object.hasOwn(object, tag)) return NOTHING;
      else setOwn(object, tag, value);
      this.#space();
    }
    return isArray ? array : object;
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #open(): string | undefined {
    const begin = this.#mark + "<";
    if (!this.#text.startsWith(begin, this.#at)) return undefined;
    const from = this.#at + begin.length;
    const to = this.#text.indexOf(">", from);
    const tag = to < 0 ? "" : this.#text.slice(from, to);
    if (tag === "" || tag.startsWith("/") || /[\s<]/.test(tag)) {
      return undefined;
    }
    this.#at = to + 1;
    return tag;
  }

  #close(tag: string): boolean {
    const closer = `${this.#mark}</${tag}>`;
    if (!this.#text.startsWith(closer, this.#at)) return false;
    this.#at += closer.length;
    return true;
  }
}
