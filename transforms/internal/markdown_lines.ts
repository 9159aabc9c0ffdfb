import type { Fence } from "../part.ts";
import { BlockLines } from "./block_lines.ts";
import { copyOf, type LineReader } from "./line_reader.ts";
import {
  BLOCK,
  CONTINUE,
  type LineState,
  LOOSE,
  LOOSE_EXCESS,
  newState,
} from "./line_state.ts";
import { LooseLines } from "./loose_lines.ts";

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
  /**
   * The paragraph (or heading, or other block) that was open ended: code spans
   * do not reach further. Comes before the first character of the next block
   * that is neither a blank nor part of a container, heading or break marker;
   * for a heading before its line end. Leave it out and prose comes in longer
   * pieces.
   */
  paragraphEnd?(): void;
  /** A limit was hit; what was held is text. */
  limit(message: string, start: number, end: number): void;
}

/** Options of {@linkcode MarkdownLines}. */
export interface MarkdownLinesOptions {
  /** @default {"tolerant"} */
  mode?: FenceMode | undefined;
  /**
   * Inside a block whose info begins with md, markdown, mdx or gfm, a fence line
   * with an info word opens a nested block, which its own closing line ends.
   *
   * @default {false}
   */
  nested?: boolean | undefined;
  /**
   * Also: an opener at the end of a prose line, a closer at the end of a code
   * line, and a closer with a tag or the next opener right behind it.
   *
   * @default {false}
   */
  glued?: boolean | undefined;
  /** How long an opening line (or an undecided closing line) may be, in code units. @default {1024} */
  maxInfoLength?: number | undefined;
  /** How deep block quotes and list items may be nested. @default {100} */
  maxDepth?: number | undefined;
}

/** What {@linkcode MarkdownLines.snapshot} returns: plain data nobody else looks into. */
export type MarkdownLinesSnapshot = unknown;

/**
 * The line-state core: decides where fenced code is and tells what every piece
 * of text is. The stages that must know share it.
 *
 * What the pieces are: the opening line with its indentation and its line end
 * is `marker`; content is `fence`, its final line end included; what containers
 * and the opener's indentation take from a content line is `marker` (a tab that
 * is only partly taken is content); the closing line is `marker` without its
 * line end, which is `prose`. A container prefix before an opener is `prose`.
 *
 * Undecided text is kept: outside a fence up to three columns of indentation
 * and a fence's opening line, inside a fence a line's container prefix and what
 * may be its closing line. Everything else is reported at once.
 */
export class MarkdownLines {
  readonly #options: MarkdownLinesOptions;
  readonly #events: LineEvents;
  #reader: LineReader;

  constructor(
    options: MarkdownLinesOptions,
    events: LineEvents,
    snapshot?: MarkdownLinesSnapshot,
  ) {
    this.#options = options;
    this.#events = events;
    this.#reader = this.#read(
      snapshot === undefined ? this.#newState() : copyOf(snapshot as LineState),
    );
  }

  #newState(): LineState {
    return newState(this.#options.mode === "loose" ? LOOSE : BLOCK);
  }

  #read(state: LineState): LineReader {
    const isLoose = this.#options.mode === "loose";
    // In no phase of its own a reader would stand still.
    if (
      !(state.phase >= CONTINUE && state.phase <= LOOSE_EXCESS) ||
      (state.phase >= LOOSE) !== isLoose ||
      !(state.matched <= state.containers.length)
    ) {
      throw new TypeError(
        `Cannot resume: the snapshot is in phase "${state.phase}"`,
      );
    }
    return isLoose
      ? new LooseLines(this.#options, this.#events, state)
      : new BlockLines(this.#options, this.#events, state);
  }

  /** Code units kept because it is not yet known what they are. */
  get pending(): number {
    return this.#reader.pending;
  }

  /** The fence that is open. */
  get fence(): Fence | undefined {
    return this.#reader.fence;
  }

  /** What a line has to begin with to stay in the containers that are open. */
  get prefix(): string {
    return this.#reader.prefix;
  }

  /** The state as plain data. */
  snapshot(): MarkdownLinesSnapshot {
    return this.#reader.snapshot();
  }

  /** Sets the offset of the next code unit. Undecided text is decided first. */
  seek(offset: number): void {
    this.#reader.seek(offset);
  }

  /**
   * Takes the next text unread when it lies in the middle of a line. Gives what
   * it is, and does not report it; `undefined` when the text has to be read.
   */
  skim(text: string): LineKind | undefined {
    return this.#reader.skim(text);
  }

  /** Reads the next text and reports all of it that is decided. */
  advance(text: string): void {
    this.#reader.advance(text);
  }

  /**
   * Decides what is undecided as if nothing followed: a complete closing line
   * closes, an opening line opens. What comes next goes on in the same line.
   * Does nothing when nothing is kept.
   */
  release(): void {
    this.#reader.release();
  }

  /** The text is over: decides everything and ends what is open. What may come next is another text. */
  end(): void {
    this.#reader.end();
    const { offset, fences } = this.#reader.state;
    this.#reader = this.#read({ ...this.#newState(), offset, fences });
  }

  /**
   * What a non-blank character would be if it came next, without reading it.
   * `"<"` is what callers ask about; a character of a fence's marker that would
   * lengthen an undecided run counts as ordinary text.
   */
  kindOf(next: string): LineKind {
    return this.#reader.kindOf(next);
  }

  /**
   * Ends the open fence: its container is left behind by something that beats
   * it. Called from inside `events.text` about a piece of kind `fence`, with the
   * tail of that piece that is to be read again, as prose in the middle of a
   * line; or between two calls with `""`. Does nothing without an open fence.
   */
  breakFence(rest: string): void {
    this.#reader.breakFence(rest);
  }
}
