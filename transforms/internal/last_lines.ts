import { isLineEnd } from "./code_units.ts";
/** The state of {@linkcode LastLines} as plain data. */
export interface LastLinesSnapshot {
  text: string;
  cut: boolean;
}

/**
 * The end of a text: its last lines as far as they fit, kept in pieces and
 * looked at only when somebody asks.
 */
export class LastLines {
  readonly #limit: number;
  #pieces: string[] = [];
  #length = 0;
  /** Whether there was more text before the pieces. */
  #cut = false;

  /** @param limit Code units to keep. */
  constructor(limit: number, snapshot?: LastLinesSnapshot) {
    this.#limit = limit;
    if (snapshot !== undefined) {
      this.add(snapshot.text);
      this.#cut ||= snapshot.cut;
    }
  }

  add(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length > 4 * this.#limit || this.#pieces.length > 1_024) {
      this.#drop();
    }
  }

  /** Forgets whole pieces, without a look at them. */
  #drop(): void {
    const pieces = this.#pieces;
    let from = pieces.length;
    let kept = 0;
    while (from > 0 && kept < this.#limit) kept += pieces[--from]!.length;
    // Tiny pieces, or empty ones, or a single long one.
    if (pieces.length - from > 512 || kept > 4 * this.#limit) {
      this.#shorten();
      return;
    }
    this.#cut ||= from > 0;
    this.#pieces = pieces.slice(from);
    this.#length = kept;
  }

  /** Forgets all, and goes on as if `text` had been there. */
  reset(text: string): void {
    this.#pieces = [text];
    this.#length = text.length;
    this.#cut = false;
  }

  /** What is kept: at most the limit. */
  get text(): string {
    return this.#shorten();
  }

  /**
   * The nearest complete line that is not blank, without the white space around
   * it, when at most one blank line follows it. `undefined` when there is none,
   * or when its beginning is not kept.
   */
  lineBefore(): string | undefined {
    const text = this.#shorten();
    // What stands behind the last line end belongs to the line of the asker.
    let end = lineEnd(text, text.length);
    for (let blank = 0; end >= 0 && blank < 2; blank++) {
      const before = end > 0 && text[end] === "\n" && text[end - 1] === "\r"
        ? end - 1
        : end;
      end = lineEnd(text, before);
      if (end < 0 && this.#cut) return undefined;
      const line = text.slice(end + 1, before).trim();
      // A mark of a block quote alone is an empty line of that quote.
      if (/[^>\s]/.test(line)) return line;
    }
    return undefined;
  }

  snapshot(): LastLinesSnapshot {
    return { text: this.#shorten(), cut: this.#cut };
  }

  #shorten(): string {
    const limit = this.#limit;
    let from = this.#pieces.length;
    let kept = 0;
    while (from > 0 && kept < limit) kept += this.#pieces[--from]!.length;
    let text = this.#pieces.slice(from).join("");
    if (this.#length > limit) {
      text = text.slice(-limit);
      this.#cut = true;
    }
    this.#pieces = [text];
    this.#length = text.length;
    return text;
  }
}

/** Offset of the last line end before `before`, -1 when there is none. */
function lineEnd(text: string, before: number): number {
  // Lines are short, and often there is no CR in the whole text.
  let at = before - 1;
  while (at >= 0 && !isLineEnd(text.charCodeAt(at))) at--;
  return at;
}
