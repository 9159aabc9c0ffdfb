import type { Emit, Stage } from "../../transforms/stage.ts";
import {
  makeSnapshot,
  openSnapshot,
} from "../../transforms/internal/snapshot.ts";
import type { ProviderInput } from "../provider.ts";

/** Where in the array. */
interface State {
  where: "before" | "between" | "element" | "after";
  /** Open brackets of the element. */
  depth: number;
  /** Inside a string. */
  quoted: boolean;
  /** Behind a back-slash in a string. */
  escaped: boolean;
  /** The element so far. */
  pieces: string[];
  length: number;
  /** The element went over the limit: it is skipped. */
  tooLong: boolean;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Text of one JSON array in, its elements out, each as soon as it is whole. What
 * is no JSON is found by whoever parses the elements.
 *
 * ```txt
 *            [              not , ] or blank          , ] at depth 0
 *   before ────▶ between ─────────────────▶ element ─────────────────▶ between, after
 * ```
 */
export class JSONArraySplitter implements Stage<string, ProviderInput> {
  readonly #maxElementChars: number;
  readonly #state: State;

  /**
   * @param maxElementChars The longest element; a longer one becomes an error input.
   * @param snapshot What an earlier splitter gave.
   */
  constructor(maxElementChars = 16_777_216, snapshot?: unknown) {
    this.#maxElementChars = maxElementChars;
    this.#state = openSnapshot<State>("json-array", snapshot) ?? {
      where: "before",
      depth: 0,
      quoted: false,
      escaped: false,
      pieces: [],
      length: 0,
      tooLong: false,
    };
  }

  push(text: string, emit: Emit<ProviderInput>): void {
    const state = this.#state;
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (state.quoted) {
        if (state.escaped) state.escaped = false;
        else if (code === BACKSLASH) state.escaped = true;
        else if (code === QUOTE) state.quoted = false;
        continue;
      }
      switch (state.where) {
        case "before":
          if (code === OPEN) state.where = "between";
          continue;
        case "after":
          continue;
        case "between":
          if (code <= SPACE || code === COMMA) continue;
          if (code === CLOSE) {
            state.where = "after";
            continue;
          }
          state.where = "element";
          from = at;
      }
      if (code === QUOTE) state.quoted = true;
      else if (code === OPEN || code === OPEN_BRACE) state.depth++;
      else if (state.depth > 0) {
        if (code === CLOSE || code === CLOSE_BRACE) state.depth--;
      } else if (code === COMMA || code === CLOSE) {
        this.#take(text.slice(from, at));
        this.#give(emit);
        state.where = code === COMMA ? "between" : "after";
      }
      // An object is whole at its last bracket: no waiting for the comma.
      if (
        state.where === "element" && state.depth === 0 && code === CLOSE_BRACE
      ) {
        this.#take(text.slice(from, at + 1));
        this.#give(emit);
        state.where = "between";
      }
    }
    if (state.where === "element") this.#take(text.slice(from));
  }

  end(emit: Emit<ProviderInput>): void {
    if (this.#state.where === "element") this.#give(emit);
  }

  snapshot(): unknown {
    return makeSnapshot("json-array", this.#state);
  }

  #take(piece: string): void {
    const state = this.#state;
    state.length += piece.length;
    if (state.length > this.#maxElementChars) {
      state.tooLong = true;
      state.pieces = [];
    } else if (!state.tooLong) state.pieces.push(piece);
  }

  #give(emit: Emit<ProviderInput>): void {
    const state = this.#state;
    const data = state.pieces.join("");
    const error = state.tooLong
      ? {
        name: "LimitError",
        message:
          `Skipped an element of ${state.length} characters: the limit is ${this.#maxElementChars}`,
        code: "max-event",
      }
      : undefined;
    state.depth = 0;
    state.quoted = state.escaped = state.tooLong = false;
    state.pieces = [];
    state.length = 0;
    emit(error === undefined ? { data } : { data: "", error });
  }
}
