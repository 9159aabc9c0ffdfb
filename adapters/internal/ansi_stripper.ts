/** Longer sequences are text: nothing that a terminal is told is longer. */
const LONGEST_SEQUENCE = 4_096;

const ESCAPE = 0x1b;

/** Where in a sequence; the numbers go into snapshots. */
const TEXT = 0;
const AFTER_ESCAPE = 1;
const IN_CONTROL = 2;
const IN_STRING = 3;
const ESCAPE_IN_STRING = 4;
const IN_SHORT = 5;

/** The state of an {@linkcode AnsiStripper} as plain data. */
export interface AnsiStripperSnapshot {
  /** Where in a sequence. */
  where: number;
  /** The sequence so far. */
  held: string;
}

/**
 * Takes terminal escape sequences out of text: control sequences (colours,
 * cursor, modes), strings (titles, links) and short ones. What turns out to be
 * no sequence stays.
 *
 * ```txt
 *          ESC                [               @ to ~
 *   text ──────▶ after ESC ──────▶ in control ──────▶ text
 *                    │  ] P X ^ _             BEL, or ESC \
 *                    ├──────────▶ in string ──────────▶ text
 *                    │  blank to /            0 to ~
 *                    ├──────────▶ in short ───────────▶ text
 *                    └── 0 to ~ ──▶ text
 * ```
 */
export class AnsiStripper {
  readonly #state: AnsiStripperSnapshot;

  constructor(snapshot: AnsiStripperSnapshot = { where: TEXT, held: "" }) {
    this.#state = snapshot;
  }

  /** The text without sequences, as far as it is certain. */
  strip(text: string): string {
    const state = this.#state;
    let next = state.where === TEXT ? text.indexOf("\x1b") : 0;
    if (next < 0) return text;
    const out: string[] = [];
    let at = 0;
    while (next >= 0) {
      if (state.where === TEXT) {
        if (next > at) out.push(text.slice(at, next));
        state.where = AFTER_ESCAPE;
        at = next + 1;
        state.held = "\x1b";
      }
      const from = at;
      while (at < text.length && state.where !== TEXT) {
        const where = this.#step(text.charCodeAt(at));
        if (where < 0 || state.held.length + at - from > LONGEST_SEQUENCE) {
          // No sequence after all. The character is looked at again.
          out.push(state.held, text.slice(from, at));
          state.where = TEXT;
          state.held = "";
          next = text.indexOf("\x1b", at);
          break;
        }
        state.where = where;
        at++;
        if (where === TEXT) {
          state.held = "";
          next = text.indexOf("\x1b", at);
        }
      }
      if (state.where !== TEXT) {
        state.held += text.slice(from, at);
        return out.join("");
      }
    }
    out.push(text.slice(at));
    return out.join("");
  }

  /** The input is over: what was held, which is no sequence. */
  end(): string {
    const { held } = this.#state;
    this.#state.held = "";
    this.#state.where = TEXT;
    return held;
  }

  snapshot(): AnsiStripperSnapshot {
    return this.#state;
  }

  /** Where one more character leads; -1 when it cannot be there. */
  #step(code: number): number {
    switch (this.#state.where) {
      case AFTER_ESCAPE:
        if (code === 0x5b) return IN_CONTROL;
        if (
          code === 0x5d || code === 0x50 || code === 0x58 || code === 0x5e ||
          code === 0x5f
        ) return IN_STRING;
        if (code >= 0x20 && code <= 0x2f) return IN_SHORT;
        return code >= 0x30 && code <= 0x7e ? TEXT : -1;
      case IN_CONTROL:
        if (code >= 0x40 && code <= 0x7e) return TEXT;
        return code >= 0x20 && code <= 0x3f ? IN_CONTROL : -1;
      case IN_STRING:
        if (code === 0x07) return TEXT;
        if (code === ESCAPE) return ESCAPE_IN_STRING;
        return code === 10 || code === 13 ? -1 : IN_STRING;
      case ESCAPE_IN_STRING:
        return code === 0x5c ? TEXT : -1;
    }
    // In a short sequence.
    if (code >= 0x30 && code <= 0x7e) return TEXT;
    return code >= 0x20 && code <= 0x2f ? IN_SHORT : -1;
  }
}
