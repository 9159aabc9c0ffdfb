import type { Fence } from "../part.ts";
import { makeFence } from "./info_string.ts";
import {
  BACKTICK,
  CARRIAGE_RETURN,
  FENCED,
  LINE_FEED,
  type LineState,
  NO_LEAF,
  NONE,
  PARAGRAPH,
  QUOTE,
  SPACE,
  TAB,
} from "./line_state.ts";
import type { LineEvents, LineKind } from "./markdown_lines.ts";

/** How long an opening line may be, in code units. */
const LONGEST_INFO = 1024;

/** The options that every reader knows. */
export interface LineReaderOptions {
  /** See {@linkcode MarkdownLinesOptions.maxInfoLength}. */
  maxInfoLength?: number | undefined;
}

/**
 * What all ways of finding fences have in common: text comes in pieces, what is
 * undecided is kept, everything else is reported once and in order, and a fence
 * can be broken from outside while its text is being reported.
 *
 * Positions are offsets in the text channel. `text` is the piece at work, `at`
 * an index in it; the text kept from before lies before index 0.
 */
export abstract class LineReader {
  protected readonly events: LineEvents;
  protected readonly maxInfoLength: number;
  readonly state: LineState;
  /** The text at work. */
  protected text = "";
  /** The next character in it. */
  protected at = 0;
  /** Next line feed, carriage return and backtick in the text, as far as known. */
  protected lineFeed: number = NONE;
  protected carriageReturn: number = NONE;
  protected tick: number = NONE;
  /** Next run of three of the open fence's character, as far as known. */
  protected markerRun: number = NONE;
  /** Offset of the first character of the text. */
  protected base = 0;
  /** Offset up to which everything was reported. */
  #reported = 0;
  /** What {@linkcode LineReader.breakFence} was given while text was being reported. */
  #rest: string | undefined;
  #reporting = false;

  constructor(
    options: LineReaderOptions,
    events: LineEvents,
    state: LineState,
  ) {
    this.events = events;
    this.maxInfoLength = options.maxInfoLength ?? LONGEST_INFO;
    this.state = state;
  }

  /** Whether a text can have no say at all. */
  protected abstract isPlain(text: string): boolean;

  /** Reads on from `at`, at least one character or one decision. */
  protected abstract step(): void;

  /** Decides what only the end of the line decides. Returns as `report`. */
  protected abstract endOfLine(): boolean;

  /** Decides what is kept, as if nothing followed. Returns as `report`. */
  protected abstract decide(): boolean;

  /** The line goes on as ordinary text, whatever it was. */
  protected abstract goOn(): void;

  /** See {@linkcode MarkdownLines.kindOf}. */
  abstract kindOf(next: string): LineKind;

  /** Code units kept because it is not yet known what they are. */
  get pending(): number {
    return this.state.carry.length;
  }

  /** The fence that is open. */
  get fence(): Fence | undefined {
    return this.state.fence ?? undefined;
  }

  /** What a line has to begin with to stay in the containers that are open. */
  get prefix(): string {
    return this.state.containers.map((width) =>
      width === QUOTE ? "> " : " ".repeat(width)
    ).join("");
  }

  /** The state as plain data. */
  snapshot(): unknown {
    return copyOf(this.state);
  }

  /** Sets the offset of the next code unit. Undecided text is decided first. */
  seek(offset: number): void {
    if (offset === this.state.offset) return;
    this.release();
    this.state.offset = offset;
  }

  /** See {@linkcode MarkdownLines.skim}. */
  skim(text: string): LineKind | undefined {
    const state = this.state;
    if (state.carry !== "" || !this.isPlain(text)) return undefined;
    state.offset += text.length;
    return state.kind;
  }

  /** Reads the next text and reports all of it that is decided. */
  advance(text: string): void {
    if (text === "") return;
    this.#begin(text);
    const state = this.state;
    if (state.afterReturn) {
      state.afterReturn = false;
      if (text.charCodeAt(0) === LINE_FEED) this.at = 1;
    }
    this.#read();
    while (this.report(this.heldFrom())) this.#read();
    this.#finish();
  }

  /** See {@linkcode MarkdownLines.release}. */
  release(): void {
    if (this.state.carry === "") return;
    this.#begin("");
    do this.#read(); while (this.decide() || this.report(this.here()));
    this.#finish();
  }

  /** The stream is over: decides everything and ends what is open. */
  end(): void {
    this.#begin("");
    const state = this.state;
    for (;;) {
      this.#read();
      if (this.endOfLine() || this.report(this.here())) continue;
      if (state.fence === null || !this.endFence(false, this.here())) break;
    }
    this.endInlines(this.here());
    this.#finish();
  }

  /** See {@linkcode MarkdownLines.breakFence}. */
  breakFence(rest: string): void {
    if (this.state.fence === null) return;
    if (this.#reporting) {
      this.#rest = rest;
      return;
    }
    this.#begin("");
    this.#break(this.#reported);
    this.#read();
    while (this.report(this.heldFrom())) this.#read();
    this.#finish();
  }

  #begin(text: string): void {
    this.text = text;
    this.at = 0;
    this.base = this.state.offset;
    this.#reported = this.base - this.state.carry.length;
    this.lineFeed =
      this.carriageReturn =
      this.tick =
      this.markerRun =
        NONE;
  }

  #read(): void {
    while (this.at < this.text.length) this.step();
  }

  #finish(): void {
    const state = this.state;
    const here = this.here();
    state.carry = this.#reported < here ? this.slice(this.#reported, here) : "";
    state.offset = here;
    this.text = "";
  }

  /** Offset of the next character. */
  protected here(): number {
    return this.base + this.at;
  }

  /** Where the undecided text begins, or would. */
  protected heldFrom(): number {
    return this.state.hold === NONE ? this.here() : this.state.hold;
  }

  /** The text between two offsets, not older than what is unreported. */
  protected slice(from: number, to: number): string {
    const start = from - this.base;
    const end = to - this.base;
    // Most often all of it.
    if (start === 0 && end === this.text.length) return this.text;
    if (start >= 0) return this.text.slice(start, end);
    const carry = this.state.carry;
    return end <= 0
      ? carry.slice(carry.length + start, carry.length + end)
      : carry.slice(carry.length + start) + this.text.slice(0, end);
  }

  /**
   * Reports everything before offset `to`. Returns whether the listener broke
   * the fence: then reading goes on from another place, and whatever was about
   * to be done is void.
   */
  protected report(to: number): boolean {
    if (to <= this.#reported) return false;
    const text = this.slice(this.#reported, to);
    this.#reported = to;
    const kind = this.state.kind;
    if (kind !== "fence") {
      this.events.text(text, kind);
      return false;
    }
    this.#reporting = true;
    this.events.text(text, kind);
    this.#reporting = false;
    const rest = this.#rest;
    if (rest === undefined) return false;
    this.#rest = undefined;
    this.#break(to - rest.length);
    return true;
  }

  /** Ends the fence at an offset and makes the reading go on from there. */
  #break(at: number): void {
    const state = this.state;
    if (at < this.base) {
      this.text = this.slice(at, this.base) + this.text;
      state.carry = "";
      this.base = at;
    }
    this.at = at - this.base;
    this.#reported = at;
    this.lineFeed =
      this.carriageReturn =
      this.tick =
      this.markerRun =
        NONE;
    state.afterReturn = false;
    const fence = state.fence!;
    state.fence = null;
    state.leaf = PARAGRAPH;
    state.kind = "prose";
    state.hold = NONE;
    state.inlines = true;
    state.lineRun = state.innerRun = 0;
    this.goOn();
    this.events.fenceEnd(fence, false, at);
  }

  /** From offset `at` on the text is of another kind. Returns as `report`. */
  protected switchTo(at: number, kind: LineKind): boolean {
    if (kind === this.state.kind) return false;
    if (this.report(at)) return true;
    this.state.kind = kind;
    return false;
  }

  /** Code spans do not reach beyond this offset. */
  protected endInlines(at: number): void {
    const state = this.state;
    if (!state.inlines) return;
    state.inlines = false;
    if (this.events.paragraphEnd === undefined) return;
    this.report(at);
    this.events.paragraphEnd();
  }

  /** Whether the undecided line has reached its limit. */
  protected isTooLong(): boolean {
    const { hold } = this.state;
    return hold !== NONE && this.here() - hold >= this.maxInfoLength;
  }

  /** The undecided line has reached its limit. Returns as `report`. */
  protected reportTooLong(): boolean {
    const { hold } = this.state;
    if (this.report(hold)) return true;
    this.events.limit(
      `A line that may open or close a fence is longer than ${this.maxInfoLength} code units: it is read as text`,
      hold,
      this.here(),
    );
    return false;
  }

  /** A fence begins whose run is known and whose info string goes to `infoEnd`. */
  protected startFence(infoEnd: number): void {
    const state = this.state;
    const infoAt = state.runAt + state.run;
    const fence = makeFence(
      `fence-${++state.fences}`,
      this.slice(state.runAt, infoAt),
      this.slice(infoAt, infoEnd),
      state.runAt,
    );
    state.fence = fence;
    this.markerRun = NONE;
    state.inner = [];
    state.leaf = FENCED;
    state.kind = "marker";
    state.hold = NONE;
    this.events.fenceStart(fence);
  }

  /** The undecided text is the closing line. Returns as `report`. */
  protected closeFence(): boolean {
    if (this.switchTo(this.heldFrom(), "marker")) return true;
    this.endFence(true, this.here());
    return false;
  }

  /** The fence ends at an offset. Returns as `report`. */
  protected endFence(closed: boolean, at: number): boolean {
    if (this.report(at)) return true;
    const state = this.state;
    const fence = state.fence!;
    state.fence = null;
    state.leaf = NO_LEAF;
    state.kind = "prose";
    state.hold = NONE;
    this.events.fenceEnd(fence, closed, at);
    return false;
  }

  /** Reads a character of at most one word with blanks around it. Returns whether it fits. */
  protected readWord(code: number): boolean {
    const state = this.state;
    if (code === SPACE || code === TAB) {
      if (state.words === 1) state.words = 2;
      return true;
    }
    if (code === BACKTICK || state.words === 2) return false;
    state.words = 1;
    return true;
  }

  /** Index of the next line end, or the length of the text. */
  protected nextLineEnd(): number {
    if (this.lineFeed < this.at) this.lineFeed = this.find("\n");
    if (this.carriageReturn < this.at) this.carriageReturn = this.find("\r");
    return Math.min(this.lineFeed, this.carriageReturn);
  }

  /** Index of a character from `at` on, or the length of the text. */
  protected find(character: string): number {
    const found = this.text.indexOf(character, this.at);
    return found < 0 ? this.text.length : found;
  }

  /** Goes behind a line end, or the half of one that is there. */
  protected skipLineEnd(): void {
    if (this.text.charCodeAt(this.at++) !== CARRIAGE_RETURN) return;
    if (this.at === this.text.length) this.state.afterReturn = true;
    else if (this.text.charCodeAt(this.at) === LINE_FEED) this.at++;
  }
}

/** A deep copy of plain data. */
export function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
