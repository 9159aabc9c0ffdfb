import { Backlog, type BacklogSnapshot } from "./backlog.ts";
import { MarkdownLines } from "./markdown_lines.ts";
import {
  PassageReader,
  type PassageReaderSnapshot,
  type PassageSink,
} from "./passage_reader.ts";
import type { PassageKind } from "./passages.ts";
import {
  QuoteState,
  type QuoteStateSnapshot,
  type Quoting,
} from "./quote_state.ts";

/** The state of {@linkcode CallSurroundings} as plain data. */
export interface CallSurroundingsSnapshot {
  quotes: QuoteStateSnapshot;
  lines: unknown;
  passages: PassageReaderSnapshot;
  marked: boolean;
  backlog: BacklogSnapshot;
}

/** So much text is kept before it is read at once. */
const BACKLOG = 4_096;

/** Shorter text is read as fast as it is forgotten. */
const WORTH_SKIPPING = 1_024;

/**
 * Knows what stands around the place where a call may begin: a fence, a block
 * quote, quotation marks, backticks, a passage that is no answer. That matters
 * at few places, so the text that flows by is kept, and read in large pieces or
 * when somebody asks.
 *
 * ```
 *   pass ──▶ backlog ──▶ passages ──▶ quotes    from the last blank line on
 *               │                └──▶ lines     until a stage before marks code
 *               └──────▶ forgotten, when a paragraph begins and nothing is about that reaches into it
 * ```
 */
export class CallSurroundings {
  #quotes: QuoteState;
  #lines: MarkdownLines;
  readonly #passages: PassageReader;
  readonly #sink: PassageSink;
  /** Whether a stage before this one marks code. */
  #marked: boolean;
  readonly #backlog: Backlog;
  /** Whether the lines have read anything. */
  #begun = true;

  /** @param reasoning Names of tags that hold reasoning; without them, all that are known. */
  constructor(
    snapshot?: CallSurroundingsSnapshot,
    reasoning?: readonly string[] | undefined,
  ) {
    this.#quotes = new QuoteState(snapshot?.quotes);
    this.#lines = new MarkdownLines({}, NO_EVENTS, snapshot?.lines);
    this.#passages = new PassageReader(reasoning, snapshot?.passages);
    this.#sink = {
      read: (text) => this.#read(text),
      isBlank: () => this.#quotes.blank,
      isFree: (next) => this.#quotingOf(next) === undefined,
    };
    this.#marked = snapshot?.marked ?? false;
    this.#backlog = new Backlog(snapshot?.backlog);
  }

  /** The next text, with its {@linkcode knownFlagsOf}. */
  pass(text: string, flags: number): void {
    const backlog = this.#backlog;
    backlog.add(text, flags);
    if (backlog.length >= BACKLOG && !this.#skip()) this.#catchUp();
  }

  /** The next text, at whose beginning nothing begins: it stands in a value. */
  passValue(text: string): void {
    this.#settle();
    this.#passages.readValue(text, this.#sink);
  }

  /** The next text, which a stage before marked as code. */
  passCode(text: string): void {
    this.#settle();
    this.#marked = true;
    this.#quotes.readCode(text);
  }

  /** A call's own markup has closed the fence that it opened. */
  endFence(): void {
    this.#settle();
    this.#quotes.endTicks();
    this.#lines.breakFence("");
  }

  /** A stage before marks code. */
  mark(): void {
    this.#marked = true;
  }

  /** Whether nothing but blanks came on this line. */
  get blank(): boolean {
    this.#settle();
    return this.#quotes.blank;
  }

  /** The characters that end what is open in the paragraph: right behind a call they quote it. */
  get closers(): string {
    this.#settle();
    return this.#quotes.closers;
  }

  /** What quotes the text that comes next, which begins like this and may be a call. */
  quoting(opener: string): Quoting | PassageKind | undefined {
    this.#settle();
    this.#passages.meet(opener);
    return this.#passages.kind ?? this.#quotingOf(opener[0]!);
  }

  snapshot(): CallSurroundingsSnapshot {
    return {
      quotes: this.#quotes.snapshot(),
      lines: this.#lines.snapshot(),
      passages: this.#passages.snapshot(),
      marked: this.#marked,
      backlog: this.#backlog.snapshot(),
    };
  }

  /** Forgets what of the backlog cannot matter any more. Gives whether that made it short. */
  #skip(): boolean {
    if (
      this.#lines.pending > 0 || this.#lines.fence !== undefined ||
      this.#quotes.inMark
    ) return false;
    const passages = this.#passages;
    const forgotten = this.#backlog.forget(
      BACKLOG,
      false,
      (text, flags) => passages.maySkip(text, flags),
    );
    if (forgotten === 0) return false;
    passages.skip();
    if (this.#begun) {
      this.#lines = new MarkdownLines({}, NO_EVENTS);
      this.#quotes = new QuoteState();
    }
    this.#begun = false;
    return true;
  }

  #catchUp(): void {
    if (this.#backlog.length === 0) return;
    if (this.#backlog.length > WORTH_SKIPPING) this.#skip();
    this.#begun = true;
    this.#passages.read(this.#backlog.take(), this.#sink);
  }

  /** Reads all there is: what comes next is something else. */
  #settle(): void {
    this.#catchUp();
    this.#passages.settle(this.#sink);
  }

  #read(text: string): void {
    this.#quotes.read(text);
    if (!this.#marked) this.#lines.advance(text);
  }

  #quotingOf(next: string): Quoting | undefined {
    return !this.#marked && this.#lines.kindOf(next) !== "prose"
      ? "fence"
      : this.#quotes.quoting;
  }
}

const NO_EVENTS = {
  text(): void {},
  fenceStart(): void {},
  fenceEnd(): void {},
  limit(): void {},
};
