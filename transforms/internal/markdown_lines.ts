import type { Fence } from "../part.ts";

/**
 * How fences are found. `"commonmark"`: exactly as the CommonMark reference.
 * `"tolerant"`: the same without HTML blocks of types 6 and 7, which a lone
 * `<think>` or directive line would open. `"loose"`: any run of three or more
 * backticks toggles, also in mid-line.
 */
export type FenceMode = "commonmark" | "tolerant" | "loose";

/** What a piece of text is. */
export type LineKind = "prose" | "fence" | "marker";

/** Receives what {@linkcode MarkdownLines} finds, in source order. */
export interface LineEvents {
  /** The next text: everything given to `advance` comes out here once. */
  text(text: string, kind: LineKind): void;
  /** A fence opens; its opening line is the next text, of kind `marker`. */
  fenceStart(fence: Fence): void;
  /** A fence ended at offset `end`. A closing line went before as `marker`, its line end follows as `prose`. */
  fenceEnd(fence: Fence, closed: boolean, end: number): void;
  /** The paragraph (or heading) that was open ended: code spans do not reach further. */
  paragraphEnd(): void;
  /** A limit was hit; what was held is text. */
  limit(message: string, start: number, end: number): void;
}
