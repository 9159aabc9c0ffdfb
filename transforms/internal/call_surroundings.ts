import { MarkdownLines } from "./markdown_lines.ts";
import {
  QuoteState,
  type QuoteStateSnapshot,
  type Quoting,
} from "./quote_state.ts";

/** The state of {@linkcode CallSurroundings} as plain data. */
export interface CallSurroundingsSnapshot {
  quotes: QuoteStateSnapshot;
  lines: unknown;
  marked: boolean;
}

/** So much text is kept before it is read at once. */
const BACKLOG = 4_096;

/**
 * Knows what stands around the place where a call may begin: a fence, a block
 * quote, quotation marks, backticks. That matters at few places, so the text
 * that flows by is kept, and read in large pieces or when somebody asks.
 *
 * ```
 *   pass ──▶ backlog ──▶ quotes    from the last blank line on
 *                    └─▶ lines     until a stage before marks code
 * ```
 */
export class CallSurroundings {
  readonly #quotes: QuoteState;
  readonly #lines: MarkdownLines;
  /** Whether a stage before this one marks code. */
  #marked: boolean;
  #backlog: string[] = [];
  #length = 0;

  constructor(snapshot?: CallSurroundingsSnapshot) {
    this.#quotes = new QuoteState(snapshot?.quotes);
    this.#lines = new MarkdownLines({}, NO_EVENTS, snapshot?.lines);
    this.#marked = snapshot?.marked ?? false;
  }

  /** The next text. */
  pass(text: string): void {
    this.#backlog.push(text);
    this.#length += text.length;
    if (this.#length >= BACKLOG) this.#catchUp();
  }

  /** The next text, which a stage before marked as code. */
  passCode(text: string): void {
    this.#catchUp();
    this.#marked = true;
    this.#quotes.readCode(text);
  }

  /** A stage before marks code. */
  mark(): void {
    this.#marked = true;
  }

  /** Whether nothing but blanks came on this line. */
  get blank(): boolean {
    this.#catchUp();
    return this.#quotes.blank;
  }

  /** The characters that end what is open in the paragraph: right behind a call they quote it. */
  get closers(): string {
    this.#catchUp();
    return this.#quotes.closers;
  }

  /** What quotes the next character, which is this one. */
  quoting(next: string): Quoting | "fence" | undefined {
    this.#catchUp();
    return !this.#marked && this.#lines.kindOf(next) !== "prose"
      ? "fence"
      : this.#quotes.quoting;
  }

  snapshot(): CallSurroundingsSnapshot {
    this.#catchUp();
    return {
      quotes: this.#quotes.snapshot(),
      lines: this.#lines.snapshot(),
      marked: this.#marked,
    };
  }

  #catchUp(): void {
    if (this.#length === 0) return;
    const text = this.#backlog.length === 1
      ? this.#backlog[0]!
      : this.#backlog.join("");
    this.#backlog = [];
    this.#length = 0;
    this.#quotes.read(text);
    if (!this.#marked) this.#lines.advance(text);
  }
}

const NO_EVENTS = {
  text(): void {},
  fenceStart(): void {},
  fenceEnd(): void {},
  limit(): void {},
};
