import { EXCERPT } from "../../internal/limits.ts";

/** Receives what a {@linkcode DocumentSplitter} finds. */
export interface DocumentEvents {
  /** An element of the array at the top, or of one of the lists. */
  element(text: string, index: number, list: string | undefined): void;
  /** A field of the object at the top that is no list. */
  field(text: string, key: string): void;
  /** Something was too long, cut or no JSON. */
  fault(
    kind: "invalid-line" | "line-too-long" | "truncated",
    message: string,
  ): void;
}

/** The state of a {@linkcode DocumentSplitter} as plain data. */
export interface DocumentSplitterSnapshot {
  where: "top" | "object" | "list" | "done";
  /** The list at work is the whole document. */
  array: boolean;
  /** In an object: what comes next. */
  next: "key" | "colon" | "value";
  /** What is being taken, `null` when nothing is. */
  taking: "key" | "field" | "element" | null;
  depth: number;
  quoted: boolean;
  escaped: boolean;
  pieces: string[];
  length: number;
  key: string;
  index: number;
  /** A bracket that closes nothing was reported. */
  stray: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * One JSON document in, the elements of its array (or of the named lists in its
 * object) out, each as soon as it is whole: documents of gigabytes need no more
 * memory than their largest element. A document that is cut gives all elements
 * before the cut.
 *
 * ```txt
 *          {               "key":          [ of a list
 *   top ──────▶ object ◀──────────▶ value ─────────────▶ list
 *    └─────────────── [ ───────────────────────────────▶ list
 * ```
 */
export class DocumentSplitter {
  readonly #lists: ReadonlySet<string>;
  readonly #maxChars: number;
  readonly #events: DocumentEvents;
  readonly #state: DocumentSplitterSnapshot;
  #text = "";
  /** Where in the text the thing begins that is being taken. */
  #from = 0;

  /**
   * @param lists Keys of the object at the top whose arrays are taken apart.
   * @param maxChars The longest element or field.
   */
  constructor(
    lists: readonly string[],
    maxChars: number,
    events: DocumentEvents,
    snapshot?: DocumentSplitterSnapshot,
  ) {
    this.#lists = new Set(lists);
    this.#maxChars = maxChars;
    this.#events = events;
    this.#state = snapshot ?? {
      where: "top",
      array: false,
      next: "key",
      taking: null,
      depth: 0,
      quoted: false,
      escaped: false,
      pieces: [],
      length: 0,
      key: "",
      index: 0,
      stray: false,
    };
  }

  push(text: string): void {
    this.#text = text;
    this.#from = 0;
    for (let at = 0; at < text.length;) {
      at = this.#state.taking === null ? this.#between(at) : this.#inside(at);
    }
    if (this.#state.taking !== null) this.#keep(text.length);
    this.#text = "";
  }

  end(): void {
    const state = this.#state;
    if (state.where === "done" || state.where === "top") return;
    state.pieces = [];
    state.where = "done";
    this.#events.fault(
      "truncated",
      `The document is cut${
        state.taking === "element" ? ` inside element ${state.index}` : ""
      }: what came before is complete`,
    );
  }

  snapshot(): DocumentSplitterSnapshot {
    return this.#state;
  }

  /** A character outside of keys, fields and elements. */
  #between(at: number): number {
    const state = this.#state;
    const code = this.#text.charCodeAt(at);
    if (state.where === "done" || code <= 0x20 || code === 0xfeff) {
      return at + 1;
    }
    if (state.where === "top") {
      if (code === OPEN_BRACE) state.where = "object";
      else if (code === OPEN) {
        state.where = "list";
        state.array = true;
      }
      return at + 1;
    }
    if (state.where === "list") {
      if (code === COMMA) return at + 1;
      if (code === CLOSE) {
        state.where = state.array ? "done" : "object";
        return at + 1;
      }
      if (code === CLOSE_BRACE) return this.#stray(at);
      this.#take("element", at);
      return at;
    }
    if (code === CLOSE) return this.#stray(at);
    if (code === CLOSE_BRACE) state.where = "done";
    else if (code === COMMA) state.next = "key";
    else if (code === COLON) state.next = "value";
    else if (state.next === "key" && code === QUOTE) {
      this.#take("key", at);
      return at;
    } else if (state.next === "value") {
      if (code === OPEN && this.#lists.has(state.key)) {
        state.where = "list";
        state.index = 0;
      } else {
        this.#take("field", at);
        return at;
      }
    }
    return at + 1;
  }

  /** A bracket that closes nothing is passed over, and reported once. */
  #stray(at: number): number {
    if (!this.#state.stray) {
      this.#state.stray = true;
      this.#events.fault(
        "invalid-line",
        "The document is no JSON: a bracket closes nothing",
      );
    }
    return at + 1;
  }

  #take(taking: "key" | "field" | "element", at: number): void {
    const state = this.#state;
    state.taking = taking;
    state.depth = state.length = 0;
    state.quoted = state.escaped = false;
    state.pieces = [];
    this.#from = at;
  }

  /** Characters inside a key, field or element. Returns where to go on. */
  #inside(start: number): number {
    const state = this.#state;
    const text = this.#text;
    for (let at = start; at < text.length; at++) {
      if (state.quoted) {
        if (state.escaped) {
          state.escaped = false;
          continue;
        }
        // Strings are the bulk: from quote to quote in one go.
        const quote = text.indexOf('"', at);
        const slash = text.indexOf("\\", at);
        const next = quote < 0
          ? slash
          : slash < 0
          ? quote
          : Math.min(quote, slash);
        if (next < 0) return text.length;
        at = next;
        if (text.charCodeAt(at) === BACKSLASH) state.escaped = true;
        else {
          state.quoted = false;
          if (state.depth === 0) return this.#taken(at + 1);
        }
        continue;
      }
      switch (text.charCodeAt(at)) {
        case QUOTE:
          state.quoted = true;
          break;
        case OPEN:
        case OPEN_BRACE:
          state.depth++;
          break;
        case CLOSE:
        case CLOSE_BRACE:
          if (state.depth === 0) return this.#taken(at);
          if (--state.depth === 0) return this.#taken(at + 1);
          break;
        case COMMA:
          if (state.depth === 0) return this.#taken(at);
      }
    }
    return text.length;
  }

  #keep(end: number): void {
    const state = this.#state;
    state.length += end - this.#from;
    // Behind the limit only the beginning is kept, to show it.
    if (state.length <= this.#maxChars || state.pieces.length === 0) {
      const piece = this.#text.slice(this.#from, end);
      state.pieces.push(
        state.length > this.#maxChars ? piece.slice(0, EXCERPT) : piece,
      );
    } else state.pieces = [state.pieces[0]!.slice(0, EXCERPT)];
    this.#from = end;
  }

  /** The thing is whole and ends before `end`. */
  #taken(end: number): number {
    const state = this.#state;
    this.#keep(end);
    const text = state.pieces.join("");
    const { taking, length } = state;
    state.pieces = [];
    state.taking = null;
    if (length > this.#maxChars) {
      this.#events.fault(
        "line-too-long",
        `Skipped ${
          taking === "element"
            ? `element ${state.index}`
            : taking === "field"
            ? `field ${JSON.stringify(state.key)}`
            : "a key"
        }: it has ${length} characters, the limit is ${this.#maxChars}`,
      );
      // The elements behind this one are still those of their list.
      if (taking === "key") state.key = "";
      else if (taking === "element") state.index++;
    } else if (taking === "key") {
      state.key = keyOf(text);
      state.next = "colon";
    } else if (taking === "field") this.#events.field(text, state.key);
    else {
      this.#events.element(
        text,
        state.index++,
        state.array ? undefined : state.key,
      );
    }
    return end;
  }
}

function keyOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
