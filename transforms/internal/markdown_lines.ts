import type { Fence } from "../part.ts";
import {
  endHtml,
  hasHtmlEnd,
  HTML_TAIL,
  type HtmlOpening,
  type HtmlType,
  MAYBE_HTML,
  NOT_HTML,
  openHtml,
  readHtml,
  tailOfOpening,
} from "./html_blocks.ts";
import { makeFence } from "./info_string.ts";
import {
  areComplete,
  type LinkDefinitions,
  readDefinitions,
  startDefinitions,
} from "./link_definitions.ts";

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
   * Inside a block whose info begins with md, markdown or mdx, a fence line
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

/** Where in a line the reading is. See the picture at {@linkcode MarkdownLines}. */
const CONTINUE = 0;
const AFTER_QUOTE = 1;
const BLOCK = 2;
const MIDDLE = 3;
const HASHES = 4;
const BULLET = 5;
const NUMBER = 6;
const LIST_BLANKS = 7;
const OPENER = 8;
const INFO = 9;
const INSIDE = 10;
const CLOSER = 11;
const CLOSER_BLANKS = 12;
/** Only with `glued`: a closing line with a tag or the next opening line right behind. */
const CLOSER_TAG = 13;
const CLOSER_OPENER = 14;
/** Only with `glued`: a run in the middle of a line, what may be its info word, the end of a code line. */
const LATE_RUN = 15;
const LATE_INFO = 16;
const LATE_CLOSER = 17;
const LATE_EXCESS = 18;
/** Only in mode "loose". */
const LOOSE = 19;
const LOOSE_RUN = 20;
const LOOSE_INFO = 21;
const LOOSE_EXCESS = 22;

/** Which leaf block is open. 1 to 7 are the types of HTML blocks. */
const NO_LEAF = 0;
const PARAGRAPH = 8;
const FENCED = 9;

/** In the list of containers: a block quote. A list item stands there as the width of its indentation. */
const QUOTE = 0;

/** No position. */
const NONE = -1;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const HASH = 0x23;
const CLOSING_BRACKET = 0x29;
const ASTERISK = 0x2a;
const PLUS = 0x2b;
const DASH = 0x2d;
const SLASH = 0x2f;
const FULL_STOP = 0x2e;
const LESS_THAN = 0x3c;
const EQUALS = 0x3d;
const GREATER_THAN = 0x3e;
const OPENING_BRACKET = 0x5b;
const UNDERSCORE = 0x5f;
const BACKTICK = 0x60;
const TILDE = 0x7e;

/** A line that may be a thematic break or a setext underline, whatever else it may be. */
interface Rule {
  /** The one character it consists of, beside blanks. */
  character: number;
  count: number;
  /** How many containers stay open if it is a break. */
  depth: number;
  /** 0: no underline. 1: an underline. 2: with blanks behind. */
  underline: number;
}

/** Everything that lives on between two calls, as plain data. Positions are offsets in the text channel. */
interface State {
  /** Offset of the next code unit. */
  offset: number;
  /** Undecided text, the last before `offset`. */
  carry: string;
  /** What the text before the undecided is. */
  kind: LineKind;
  /** Where the undecided text begins, or NONE. */
  hold: number;
  phase: number;
  /** Open containers, outermost first. */
  containers: number[];
  /** How many of them this line continues or opened. */
  matched: number;
  /** Column up to which the line is consumed. */
  column: number;
  /** Column behind the blanks after that. */
  next: number;
  /** Where these blanks begin, when there are some. */
  indentAt: number;
  leaf: number;
  /** The innermost container is a list item without content. */
  emptyItem: boolean;
  /** This line may continue the open paragraph. */
  onParagraph: boolean;
  /** Its containers do not go on, yet this line may continue the paragraph. */
  lazy: boolean;
  /** There was text since the last `paragraphEnd`. */
  inlines: boolean;
  /** The line's block is not known before its end (or its next characters). */
  undecided: boolean;
  /** MIDDLE has to look at the characters. */
  watching: boolean;
  rule: Rule | null;
  html: HtmlOpening | null;
  /** End of the part of the line read so far, in an HTML block. */
  htmlTail: string;
  /** The end mark of the HTML block was on this line. */
  htmlEnded: boolean;
  definitions: LinkDefinitions | null;
  /** The open paragraph was nothing but link definitions when this line began. */
  onlyDefinitions: boolean;
  /** Length of the run, number or marker at work. */
  run: number;
  /** Where the run begins. */
  runAt: number;
  /** The run's character. */
  runCharacter: number;
  /** Value of the list number at work. */
  value: number;
  /** Indentation of the list marker at work. */
  markerIndent: number;
  fence: Fence | null;
  /** Columns that content lines lose. */
  fenceIndent: number;
  /** With `nested`: lengths of the markers open inside the fence. */
  inner: number[];
  /** With `nested`: length of the marker that this content line opens, unless a tick follows. */
  innerRun: number;
  /** With `glued`: length of a run that waits for its partner on this line. */
  lineRun: number;
  /** With `glued` and "loose": what may be an info word so far. 0: blanks, 1: a word, 2: blanks behind it. */
  words: number;
  /** In mode "loose": nothing but blanks on this line so far. */
  lineBlank: boolean;
  /** In mode "loose": the run at work is the first thing on its line. */
  runFirst: boolean;
  /** How many fences there were. */
  fences: number;
  /** A line feed that comes now belongs to the line end before. */
  afterReturn: boolean;
  /** `maxDepth` was reported. */
  tooDeep: boolean;
}

/**
 * The line-state core: decides where fenced code is, one line at a time, and
 * tells what every piece of text is. Forward only, linear, with bounded state;
 * nothing later than the current line is ever needed.
 *
 * ```text
 *             ┌───────────────────── line end ─────────────────────┐
 *             ▼                                                    │
 *  CONTINUE ⇄ AFTER_QUOTE      (containers of the lines before)    │
 *     │                                                            │
 *     ├─ no fence ─▶ BLOCK ─┬─ other ──────────────────────────▶ MIDDLE
 *     │                ▲    ├─ # ──▶ HASHES ───────────────────▶   ▲
 *     │                │    ├─ 1 ──▶ NUMBER ┐                      │
 *     │                │    ├─ - ──▶ BULLET ┴▶ LIST_BLANKS ──┐     │
 *     │                └────┼─ > ◀───────────────────────────┘     │
 *     │                     └─ ``` ▶ OPENER ─▶ INFO ─ line end     │
 *     └─ fence ────▶ INSIDE ┬─ ``` ▶ CLOSER ─▶ CLOSER_BLANKS       │
 *                           └─ other ──────────────────────────────┘
 * ```
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
 *
 * List items and quotes follow commonmark.js, but for one point where it stands
 * alone: a line of nothing but blanks inside a fence in a list item keeps what
 * it has beyond the item's indentation, as in cmark and micromark.
 */
export class MarkdownLines {
  readonly #events: LineEvents;
  readonly #commonmark: boolean;
  readonly #loose: boolean;
  readonly #nested: boolean;
  readonly #glued: boolean;
  readonly #maxInfoLength: number;
  readonly #maxDepth: number;
  readonly #state: State;
  /** The text at work. */
  #text = "";
  /** The next character in it. */
  #at = 0;
  /** Offset of its first character. */
  #base = 0;
  /** Offset up to which everything was reported. */
  #reported = 0;
  /** Next line feed and carriage return in the text, as far as known. */
  #lineFeed = NONE;
  #carriageReturn = NONE;
  #tick = NONE;
  /** What {@linkcode MarkdownLines.breakFence} was given while text was being reported. */
  #rest: string | undefined;
  #reporting = false;

  constructor(
    options: MarkdownLinesOptions,
    events: LineEvents,
    snapshot?: MarkdownLinesSnapshot,
  ) {
    this.#events = events;
    this.#commonmark = options.mode === "commonmark";
    this.#loose = options.mode === "loose";
    this.#nested = !this.#loose && options.nested === true;
    this.#glued = !this.#loose && options.glued === true;
    this.#maxInfoLength = options.maxInfoLength ?? 1024;
    this.#maxDepth = options.maxDepth ?? 100;
    this.#state = snapshot === undefined
      ? newState(this.#loose ? LOOSE : BLOCK)
      : copyOf(snapshot as State);
  }

  /** Code units kept because it is not yet known what they are. */
  get pending(): number {
    return this.#state.carry.length;
  }

  /** The fence that is open. */
  get fence(): Fence | undefined {
    return this.#state.fence ?? undefined;
  }

  /** What a line has to begin with to stay in the containers that are open. */
  get prefix(): string {
    return this.#state.containers.map((width) =>
      width === QUOTE ? "> " : " ".repeat(width)
    ).join("");
  }

  /** The state as plain data. */
  snapshot(): MarkdownLinesSnapshot {
    return copyOf(this.#state);
  }

  /** Sets the offset of the next code unit. Undecided text is decided first. */
  seek(offset: number): void {
    if (offset === this.#state.offset) return;
    this.release();
    this.#state.offset = offset;
  }

  /** Reads the next text and reports all of it that is decided. */
  advance(text: string): void {
    if (text === "") return;
    this.#begin(text);
    const state = this.#state;
    if (state.afterReturn) {
      state.afterReturn = false;
      if (text.charCodeAt(0) === LINE_FEED) this.#at = 1;
    }
    this.#read();
    while (this.#report(this.#heldFrom())) this.#read();
    this.#finish();
  }

  /**
   * Decides what is undecided as if nothing followed: a complete closing line
   * closes, an opening line opens. What comes next goes on in the same line.
   * Does nothing when nothing is kept.
   */
  release(): void {
    if (this.#state.carry === "") return;
    this.#begin("");
    do this.#read(); while (this.#decide() || this.#report(this.#here()));
    this.#finish();
  }

  /** The stream is over: decides everything and ends what is open. */
  end(): void {
    this.#begin("");
    const state = this.#state;
    for (;;) {
      this.#read();
      if (this.#endOfLine() || this.#report(this.#here())) continue;
      if (state.fence === null || !this.#endFence(false, this.#here())) break;
    }
    this.#endInlines(this.#here());
    this.#finish();
  }

  /**
   * What a non-blank character would be if it came next, without reading it.
   * `"<"` is what callers ask about; a character of a fence's marker that would
   * lengthen an undecided run counts as ordinary text.
   */
  kindOf(next: string): LineKind {
    const state = this.#state;
    switch (state.phase) {
      case OPENER:
        return state.run < 3 ? "prose" : "marker";
      case INFO:
        return state.runCharacter === BACKTICK && next === "`"
          ? "prose"
          : "marker";
      case INSIDE:
      case CLOSER:
      case CLOSER_BLANKS:
        return "fence";
      case CLOSER_TAG:
      case CLOSER_OPENER:
        return "fence";
      case LATE_RUN:
        return state.fence === null && state.run >= 3 && state.lineRun === 0
          ? "marker"
          : state.kind;
      case LATE_INFO:
        return state.words < 2 ? "marker" : "prose";
      case LATE_CLOSER:
      case LATE_EXCESS:
      case MIDDLE:
      case LOOSE_EXCESS:
        return state.kind;
      case LOOSE:
        return state.kind === "prose" ? "prose" : "fence";
      case LOOSE_RUN:
        if (state.run < 3) return state.kind;
        return state.fence === null ? "marker" : "prose";
      case LOOSE_INFO:
        return state.runFirst || state.words < 2 ? "marker" : "fence";
      default: {
        if (state.leaf !== FENCED) return "prose";
        if (state.matched === state.containers.length) return "fence";
        const width = state.containers[state.matched]!;
        return width === QUOTE && next === ">" && state.next - state.column < 4
          ? "marker"
          : "prose";
      }
    }
  }

  /**
   * Ends the open fence: its container is left behind by something that beats
   * it. Called from inside `events.text` about a piece of kind `fence`, with the
   * tail of that piece that is to be read again, as prose in the middle of a
   * line; or between two calls with `""`. Does nothing without an open fence.
   */
  breakFence(rest: string): void {
    if (this.#state.fence === null) return;
    if (this.#reporting) {
      this.#rest = rest;
      return;
    }
    this.#begin("");
    this.#break(this.#reported);
    this.#read();
    while (this.#report(this.#heldFrom())) this.#read();
    this.#finish();
  }

  #begin(text: string): void {
    this.#text = text;
    this.#at = 0;
    this.#base = this.#state.offset;
    this.#reported = this.#base - this.#state.carry.length;
    this.#lineFeed = this.#carriageReturn = this.#tick = NONE;
  }

  #read(): void {
    const state = this.#state;
    while (this.#at < this.#text.length) {
      if (state.phase === MIDDLE) this.#middle();
      else if (this.#loose) this.#readLoose();
      else this.#step(this.#text.charCodeAt(this.#at));
    }
  }

  #finish(): void {
    const state = this.#state;
    const here = this.#here();
    state.carry = this.#reported < here
      ? this.#slice(this.#reported, here)
      : "";
    state.offset = here;
    this.#text = "";
  }

  /** Offset of the next character. */
  #here(): number {
    return this.#base + this.#at;
  }

  #heldFrom(): number {
    return this.#state.hold === NONE ? this.#here() : this.#state.hold;
  }

  /** The text between two offsets, not older than what is unreported. */
  #slice(from: number, to: number): string {
    const start = from - this.#base;
    const end = to - this.#base;
    if (start >= 0) return this.#text.slice(start, end);
    const carry = this.#state.carry;
    return end <= 0
      ? carry.slice(carry.length + start, carry.length + end)
      : carry.slice(carry.length + start) + this.#text.slice(0, end);
  }

  /**
   * Reports everything before offset `to`. Returns whether the listener broke
   * the fence: then reading goes on from another place, and whatever was about
   * to be done is void.
   */
  #report(to: number): boolean {
    if (to <= this.#reported) return false;
    const text = this.#slice(this.#reported, to);
    this.#reported = to;
    const kind = this.#state.kind;
    if (kind !== "fence") {
      this.#events.text(text, kind);
      return false;
    }
    this.#reporting = true;
    this.#events.text(text, kind);
    this.#reporting = false;
    const rest = this.#rest;
    if (rest === undefined) return false;
    this.#rest = undefined;
    this.#break(to - rest.length);
    return true;
  }

  /** Ends the fence at an offset and makes the reading go on from there. */
  #break(at: number): void {
    const state = this.#state;
    if (at < this.#base) {
      this.#text = this.#slice(at, this.#base) + this.#text;
      state.carry = "";
      this.#base = at;
    }
    this.#at = at - this.#base;
    this.#reported = at;
    this.#lineFeed = this.#carriageReturn = this.#tick = NONE;
    state.afterReturn = false;
    const fence = state.fence!;
    state.fence = null;
    state.leaf = PARAGRAPH;
    state.kind = "prose";
    state.hold = NONE;
    state.inlines = true;
    state.lineRun = state.innerRun = 0;
    this.#toMiddle();
    this.#events.fenceEnd(fence, false, at);
  }

  /** From offset `at` on the text is of another kind. Returns as `#report`. */
  #switch(at: number, kind: LineKind): boolean {
    if (kind === this.#state.kind) return false;
    if (this.#report(at)) return true;
    this.#state.kind = kind;
    return false;
  }

  #middle(): void {
    const state = this.#state;
    const text = this.#text;
    const at = this.#at;
    if (this.#lineFeed < at) this.#lineFeed = find(text, "\n", at);
    if (this.#carriageReturn < at) this.#carriageReturn = find(text, "\r", at);
    const end = Math.min(this.#lineFeed, this.#carriageReturn);
    if (this.#glued || state.innerRun > 0) {
      if (this.#findRun(end)) return;
    } else if (state.watching) this.#watch(end);
    else this.#at = end;
    if (this.#at === end && end < text.length) this.#lineEnd();
  }

  /** Reads the line up to index `end`, or to a run that counts: then it returns true. */
  #findRun(end: number): boolean {
    const state = this.#state;
    const character = this.#lateCharacter();
    while (this.#at < end) {
      if (state.html !== null || (state.leaf >= 1 && state.leaf <= 7)) {
        this.#watch(end);
        continue;
      }
      const found = this.#text.indexOf(
        character === BACKTICK ? "`" : "~",
        this.#at,
      );
      const stop = found < 0 || found > end ? end : found;
      if (state.watching) this.#watch(stop);
      this.#at = stop;
      if (stop === end) break;
      if (state.rule !== null) {
        state.rule = null;
        if (state.undecided) this.#paragraph();
      }
      if (character === BACKTICK) state.innerRun = 0;
      if (this.#glued && (state.fence !== null || state.leaf === PARAGRAPH)) {
        state.hold = state.runAt = this.#here();
        state.run = 0;
        state.phase = LATE_RUN;
        return true;
      }
      this.#feed(character);
      this.#at++;
    }
    return false;
  }

  /** Reads the line up to index `end` with an eye on what its characters may decide. */
  #watch(end: number): void {
    const state = this.#state;
    const text = this.#text;
    while (
      this.#at < end &&
      (state.html !== null || state.rule !== null || state.definitions !== null)
    ) {
      const code = text.charCodeAt(this.#at);
      if (state.rule !== null) {
        readRule(state, code);
        if (state.rule === null && state.undecided) this.#paragraph();
      }
      this.#feed(code);
      this.#at++;
      if (state.html === null) continue;
      const found = readHtml(state.html, code);
      if (found === MAYBE_HTML) continue;
      state.html = null;
      if (found === NOT_HTML) {
        this.#paragraph();
        return;
      }
      this.#startBlock(this.#here());
      state.leaf = found;
      state.undecided = false;
      state.inlines = true;
      state.htmlTail = tailOfOpening(found);
    }
    if (this.#at >= end) return;
    if (state.leaf >= 1 && state.leaf <= 5 && !state.htmlEnded) {
      const read = state.htmlTail + text.slice(this.#at, end);
      state.htmlEnded = hasHtmlEnd(state.leaf as HtmlType, read);
      state.htmlTail = read.slice(-HTML_TAIL);
    }
    this.#at = end;
  }

  /** The paragraph's text as far as link definitions are concerned. */
  #feed(code: number): void {
    const state = this.#state;
    if (
      state.definitions !== null && !readDefinitions(state.definitions, code)
    ) state.definitions = null;
  }

  #toMiddle(): void {
    const state = this.#state;
    state.phase = this.#loose ? LOOSE : MIDDLE;
    state.hold = NONE;
    state.watching = state.html !== null || state.rule !== null ||
      state.definitions !== null || (state.leaf >= 1 && state.leaf <= 5);
  }

  /** One character at the beginning of a line. */
  #step(code: number): void {
    if (isLineEnd(code)) {
      this.#lineEnd();
      return;
    }
    if (this.#isTooLong()) {
      this.#giveUp();
      return;
    }
    const state = this.#state;
    const blank = code === SPACE || code === TAB;
    switch (state.phase) {
      case CONTINUE:
        if (state.leaf === FENCED && state.hold === NONE) {
          state.hold = this.#here();
        }
        if (blank) {
          this.#blank(code);
          this.#at++;
          this.#matchItems();
        } else this.#continue(code);
        break;
      case AFTER_QUOTE:
        if (blank) {
          this.#blank(code);
          state.column++;
          this.#at++;
        }
        this.#matchItems();
        break;
      case BLOCK:
        if (blank) {
          this.#blank(code);
          this.#at++;
          this.#holdIndent();
        } else this.#startOfBlock(code);
        break;
      case HASHES:
        if (code === HASH && state.run < 6) {
          state.run++;
          this.#feed(code);
          this.#at++;
        } else if (blank) {
          this.#startBlock(this.#here());
          state.inlines = true;
          this.#toMiddle();
        } else this.#paragraph();
        break;
      case NUMBER:
        if (isDigit(code) && state.run < 9) {
          state.run++;
          state.value = state.value * 10 + code - 0x30;
          this.#feed(code);
          this.#at++;
        } else if (
          (code === FULL_STOP || code === CLOSING_BRACKET) &&
          (!state.onParagraph || state.value === 1)
        ) this.#marker(code, state.run + 1);
        else this.#paragraph();
        break;
      case BULLET:
        if (blank) state.phase = LIST_BLANKS;
        else if (state.rule === null) this.#paragraph();
        else {
          state.undecided = true;
          this.#toMiddle();
        }
        break;
      case LIST_BLANKS:
        if (blank) {
          if (state.rule !== null) readRule(state, code);
          this.#blank(code);
          this.#feed(code);
          this.#at++;
        } else if (this.#mayDeepen()) {
          this.#startBlock(this.#here());
          const blanks = state.next - state.column;
          state.containers.push(
            state.markerIndent + state.run + (blanks < 5 ? blanks : 1),
          );
          state.matched++;
          state.column = blanks < 5 ? state.next : state.column + 1;
          state.phase = BLOCK;
        } else this.#paragraph();
        break;
      case OPENER:
        if (code === state.runCharacter) {
          state.run++;
          this.#at++;
        } else if (state.run < 3) this.#notOpener();
        else state.phase = INFO;
        break;
      case INFO:
        this.#info();
        break;
      case INSIDE:
        if (blank) {
          this.#blank(code);
          this.#at++;
          this.#insideBlank(this.#here() - 1);
        } else if (
          code === state.runCharacter && state.next - state.column < 4
        ) {
          if (state.hold === NONE) state.hold = this.#here();
          state.run = 1;
          state.runAt = this.#here();
          state.phase = CLOSER;
          this.#at++;
        } else this.#content();
        break;
      case CLOSER:
        if (code === state.runCharacter) {
          state.run++;
          this.#at++;
        } else if (blank && state.run >= this.#closerLength()) {
          state.phase = CLOSER_BLANKS;
        } else if (this.#glued && state.inner.length === 0) {
          this.#glue(code);
        } else this.#contentAfterRun(code);
        break;
      case CLOSER_BLANKS:
        if (blank) this.#at++;
        else this.#contentAfterRun(code);
        break;
      case CLOSER_TAG:
        if (isLetter(code) || code === SLASH) this.#closeBeforeTag();
        else this.#content();
        break;
      case CLOSER_OPENER:
        if (this.#readWord(code)) this.#at++;
        else this.#contentAfterRun(code);
        break;
      case LATE_RUN:
        this.#lateRun(code);
        break;
      case LATE_EXCESS:
        if (code === this.#lateCharacter()) {
          this.#feed(code);
          this.#at++;
        } else this.#toMiddle();
        break;
      case LATE_INFO:
        if (this.#readWord(code)) {
          this.#feed(code);
          this.#at++;
        } else {
          state.lineRun = state.run;
          this.#toMiddle();
        }
        break;
      case LATE_CLOSER:
        if (blank) this.#at++;
        else {
          state.lineRun = state.run;
          this.#toMiddle();
        }
        break;
    }
  }

  #blank(code: number): void {
    const state = this.#state;
    if (state.next === state.column) state.indentAt = this.#here();
    state.next += code === TAB ? 4 - state.next % 4 : 1;
  }

  /** Keeps the indentation while it may be that of a fence. */
  #holdIndent(): void {
    const state = this.#state;
    const indent = state.next - state.column;
    state.hold = indent > 0 && indent < 4 ? state.indentAt : NONE;
  }

  /** Goes on to the next container after blanks or a quote mark. */
  #matchItems(): void {
    const state = this.#state;
    const { containers } = state;
    const before = state.matched;
    while (state.matched < containers.length) {
      const width = containers[state.matched]!;
      if (width === QUOTE || state.next - state.column < width) break;
      state.column += width;
      state.matched++;
    }
    // A tab of which a part is left: it begins the rest of the indentation.
    if (
      state.next > state.column &&
      (before < state.matched || state.phase === AFTER_QUOTE)
    ) state.indentAt = this.#here() - 1;
    if (state.matched === containers.length) this.#matchedAll();
    else {
      state.phase = CONTINUE;
      if (state.leaf !== FENCED) this.#holdIndent();
    }
  }

  /** A character that is no blank, where a container has to go on. */
  #continue(code: number): void {
    const state = this.#state;
    const width = state.containers[state.matched]!;
    const indent = state.next - state.column;
    if (width === QUOTE && code === GREATER_THAN && indent < 4) {
      if (state.leaf !== FENCED) state.hold = NONE;
      state.column = ++state.next;
      state.matched++;
      state.phase = AFTER_QUOTE;
      this.#at++;
      return;
    }
    if (state.leaf === FENCED) {
      if (this.#endFence(false, this.#heldFrom())) return;
    }
    if (state.leaf === PARAGRAPH) state.lazy = true;
    else {
      state.leaf = NO_LEAF;
      state.containers.length = state.matched;
      state.emptyItem = false;
    }
    state.phase = BLOCK;
    this.#holdIndent();
  }

  /** All containers go on. */
  #matchedAll(): void {
    const state = this.#state;
    if (state.leaf !== FENCED) {
      state.onParagraph = state.leaf === PARAGRAPH;
      state.onlyDefinitions = state.definitions !== null &&
        areComplete(state.definitions);
      state.phase = BLOCK;
      this.#holdIndent();
      return;
    }
    const rest = state.next > state.column ? state.indentAt : this.#here();
    if (state.hold !== NONE && state.hold < rest) {
      if (this.#switch(state.hold, "marker")) return;
    }
    state.hold = NONE;
    state.phase = INSIDE;
    if (rest < this.#here()) this.#insideBlank(rest);
  }

  /** A blank at offset `at` before a content line (or closing line) of a fence. */
  #insideBlank(at: number): void {
    const state = this.#state;
    const indent = state.next - state.column;
    if (indent <= state.fenceIndent) this.#switch(at, "marker");
    else {
      if (state.hold === NONE) state.hold = at;
      if (indent > 3) this.#content();
    }
  }

  /** The line is content from the held text on. */
  #content(): void {
    if (this.#switch(this.#heldFrom(), "fence")) return;
    this.#toMiddle();
  }

  /** The line is content, although it began with a run of the marker's character. */
  #contentAfterRun(code: number): void {
    const state = this.#state;
    const held = this.#slice(state.runAt, this.#here());
    this.#content();
    if (state.fence === null || state.kind !== "fence") return;
    if (this.#glued) this.#pairRuns(held);
    if (
      this.#nested && code !== state.runCharacter &&
      holdsMarkdown(state.fence) &&
      state.run >= state.fence.marker.length &&
      state.inner.length < this.#maxDepth
    ) state.innerRun = state.run;
  }

  /** How long a closing line's run must be. */
  #closerLength(): number {
    const state = this.#state;
    return state.inner.at(-1) ?? state.fence!.marker.length;
  }

  /** A character right behind a closing run that is followed by something. */
  #glue(code: number): void {
    const state = this.#state;
    const length = state.fence!.marker.length;
    if (state.run >= length && code === LESS_THAN) {
      state.phase = CLOSER_TAG;
      this.#at++;
    } else if (
      state.run >= length + 3 && state.runCharacter === BACKTICK
    ) {
      state.words = 0;
      state.phase = CLOSER_OPENER;
    } else this.#contentAfterRun(code);
  }

  /** A `<` and a letter stand behind a closing run: the fence is over. */
  #closeBeforeTag(): void {
    const state = this.#state;
    if (this.#switch(state.hold, "marker")) return;
    this.#endFence(true, state.runAt + state.run);
    this.#paragraph();
  }

  /** A run in the middle of a line: what it may be is known at its end. */
  #lateRun(code: number): void {
    const state = this.#state;
    if (code === this.#lateCharacter()) {
      state.run++;
      this.#feed(code);
      this.#at++;
    } else if (state.lineRun !== 0 || state.run < this.#lateLength()) {
      this.#pairRun(state.run);
      this.#toMiddle();
    } else if (state.fence !== null) state.phase = LATE_CLOSER;
    else {
      state.words = 0;
      state.phase = LATE_INFO;
    }
  }

  /** Of what a run in the middle of a line consists. */
  #lateCharacter(): number {
    return this.#state.fence === null ? BACKTICK : this.#state.runCharacter;
  }

  /** With `glued`: the rest of a run that is too long does not count as another one. */
  #skipRun(): void {
    if (this.#glued && this.#state.phase === MIDDLE) {
      this.#state.phase = LATE_EXCESS;
    }
  }

  /** How long a run in the middle of a line must be to count. */
  #lateLength(): number {
    return this.#state.fence === null ? 3 : this.#closerLength();
  }

  /** Reads a character of at most one word with blanks around it. Returns whether it fits. */
  #readWord(code: number): boolean {
    const state = this.#state;
    if (code === SPACE || code === TAB) {
      if (state.words === 1) state.words = 2;
      return true;
    }
    if (code === BACKTICK || state.words === 2) return false;
    state.words = 1;
    return true;
  }

  /** Runs of equal length on one line belong together. */
  #pairRun(length: number): void {
    const state = this.#state;
    if (state.lineRun === 0) state.lineRun = length;
    else if (state.lineRun === length) state.lineRun = 0;
  }

  #pairRuns(text: string): void {
    const character = this.#lateCharacter();
    for (let at = 0; at < text.length;) {
      const start = at;
      while (text.charCodeAt(at) === character) at++;
      if (at > start) this.#pairRun(at - start);
      else at++;
    }
  }

  /** A character that is no blank, where a block may begin. */
  #startOfBlock(code: number): void {
    const state = this.#state;
    if (state.leaf >= 1 && state.leaf <= 7) {
      state.rule = null;
      this.#toMiddle();
      return;
    }
    // A break goes on through the list items it may be instead.
    if (state.rule !== null) readRule(state, code);
    if (state.next - state.column >= 4) {
      if (state.onParagraph || state.lazy) this.#paragraph();
      else {
        this.#startBlock(this.#here());
        state.inlines = true;
        this.#toMiddle();
        // Not to be counted again for the break.
        this.#at++;
      }
      return;
    }
    switch (code) {
      case GREATER_THAN:
        if (!this.#mayDeepen()) break;
        this.#startBlock(this.#here());
        state.containers.push(QUOTE);
        state.matched++;
        state.column = ++state.next;
        state.phase = AFTER_QUOTE;
        state.hold = NONE;
        this.#at++;
        return;
      case HASH:
        state.phase = HASHES;
        state.run = 1;
        state.hold = NONE;
        this.#feed(code);
        this.#at++;
        return;
      case BACKTICK:
      case TILDE:
        state.hold = this.#heldFrom();
        state.phase = OPENER;
        state.run = 1;
        state.runAt = this.#here();
        state.runCharacter = code;
        this.#at++;
        return;
      case LESS_THAN:
        state.html = openHtml(
          this.#commonmark,
          this.#commonmark && !state.onParagraph && !state.lazy,
        );
        state.undecided = true;
        this.#toMiddle();
        return;
      case EQUALS:
        if (!state.onParagraph) break;
        state.rule = startRule(state, code);
        state.undecided = true;
        this.#toMiddle();
        return;
      case ASTERISK:
      case DASH:
      case UNDERSCORE:
        if (state.rule === null) {
          state.rule = startRule(state, code);
          readRule(state, code);
        }
        if (code !== UNDERSCORE) {
          this.#marker(code, 1);
          return;
        }
        state.undecided = true;
        this.#toMiddle();
        this.#at++;
        this.#feed(code);
        return;
      case PLUS:
        this.#marker(code, 1);
        return;
      case OPENING_BRACKET: {
        const first = !state.onParagraph && !state.lazy;
        this.#paragraph();
        if (first) {
          state.definitions = startDefinitions();
          state.watching = true;
        }
        return;
      }
      default:
        if (!isDigit(code)) break;
        state.phase = NUMBER;
        state.run = 1;
        state.value = code - 0x30;
        state.hold = NONE;
        this.#feed(code);
        this.#at++;
        return;
    }
    this.#paragraph();
  }

  /** A list marker's last character. Whether it is one depends on what follows. */
  #marker(code: number, length: number): void {
    const state = this.#state;
    state.markerIndent = state.next - state.column;
    state.run = length;
    state.next += length;
    state.column = state.next;
    state.phase = BULLET;
    state.hold = NONE;
    this.#feed(code);
    this.#at++;
  }

  /** The line is a paragraph's text, old or new. */
  #paragraph(): void {
    const state = this.#state;
    state.undecided = false;
    if (!state.onParagraph && !state.lazy) {
      this.#startBlock(this.#heldFrom());
      state.leaf = PARAGRAPH;
    }
    state.inlines = true;
    this.#toMiddle();
  }

  /** A block begins inside the containers matched: what was open deeper ends. */
  #startBlock(at: number): void {
    const state = this.#state;
    this.#endInlines(at);
    state.containers.length = state.matched;
    state.leaf = NO_LEAF;
    state.emptyItem = state.onParagraph = state.lazy = false;
    state.definitions = null;
  }

  #endInlines(at: number): void {
    const state = this.#state;
    if (!state.inlines) return;
    state.inlines = false;
    if (this.#events.paragraphEnd === undefined) return;
    this.#report(at);
    this.#events.paragraphEnd();
  }

  /** Whether one more container may open here. */
  #mayDeepen(): boolean {
    const state = this.#state;
    if (state.matched < this.#maxDepth) return true;
    if (!state.tooDeep) {
      state.tooDeep = true;
      this.#report(this.#heldFrom());
      this.#events.limit(
        `Block quotes and list items are nested more than ${this.#maxDepth} deep: deeper ones are read as text`,
        this.#here(),
        this.#here() + 1,
      );
    }
    return false;
  }

  /** Whether the undecided line has reached its limit. */
  #isTooLong(): boolean {
    const { hold, phase } = this.#state;
    return hold !== NONE && this.#here() - hold >= this.#maxInfoLength &&
      phase >= OPENER && phase !== INSIDE;
  }

  /** The undecided line has reached its limit: it opens and closes nothing. */
  #giveUp(): void {
    const state = this.#state;
    const { hold } = state;
    if (this.#report(hold)) return;
    this.#events.limit(
      `A line that may open or close a fence is longer than ${this.#maxInfoLength} code units: it is read as text`,
      hold,
      this.#here(),
    );
    switch (state.phase) {
      case OPENER:
        this.#notOpener();
        this.#skipRun();
        break;
      case INFO:
        this.#notOpener();
        break;
      case CLOSER:
        this.#content();
        this.#skipRun();
        break;
      case LATE_RUN:
        this.#toMiddle();
        this.#skipRun();
        break;
      case LATE_INFO:
      case LATE_CLOSER:
        this.#toMiddle();
        break;
      case LOOSE_RUN:
        state.hold = NONE;
        state.phase = LOOSE_EXCESS;
        break;
      case LOOSE_INFO:
        this.#openLoose(false);
        break;
      default:
        this.#content();
    }
  }

  /** Reads an opening line behind its marker, as far as it is there. */
  #info(): void {
    const state = this.#state;
    const text = this.#text;
    const at = this.#at;
    const limit = state.hold + this.#maxInfoLength - this.#base;
    let end = at;
    while (end < text.length && end < limit) {
      const code = text.charCodeAt(end);
      if (isLineEnd(code)) break;
      if (code === BACKTICK && state.runCharacter === BACKTICK) {
        this.#at = end;
        this.#notOpener();
        return;
      }
      end++;
    }
    this.#at = end;
  }

  /** What looked like an opening line is a paragraph's text. */
  #notOpener(): void {
    const state = this.#state;
    const held = state.definitions !== null || this.#glued
      ? this.#slice(state.runAt, this.#here())
      : "";
    if (this.#glued) this.#pairRuns(held);
    if (state.definitions !== null) {
      for (let index = 0; index < held.length; index++) {
        this.#feed(held.charCodeAt(index));
      }
    }
    this.#paragraph();
  }

  #openFence(): void {
    const state = this.#state;
    this.#startBlock(state.hold);
    this.#report(state.hold);
    state.fenceIndent = state.next - state.column;
    this.#startFence(this.#here());
  }

  /** A fence begins whose run is known and whose info string goes to `infoEnd`. */
  #startFence(infoEnd: number): void {
    const state = this.#state;
    const infoAt = state.runAt + state.run;
    const fence = makeFence(
      `fence-${++state.fences}`,
      this.#slice(state.runAt, infoAt),
      this.#slice(infoAt, infoEnd),
      state.runAt,
    );
    state.fence = fence;
    state.inner = [];
    state.leaf = FENCED;
    state.kind = "marker";
    state.hold = NONE;
    this.#events.fenceStart(fence);
  }

  /** Returns as `#report`. */
  #closeFence(): boolean {
    if (this.#switch(this.#heldFrom(), "marker")) return true;
    this.#endFence(true, this.#here());
    return false;
  }

  /** Returns as `#report`. */
  #endFence(closed: boolean, at: number): boolean {
    if (this.#report(at)) return true;
    const state = this.#state;
    const fence = state.fence!;
    state.fence = null;
    state.leaf = NO_LEAF;
    state.kind = "prose";
    state.hold = NONE;
    this.#events.fenceEnd(fence, closed, at);
    return false;
  }

  #lineEnd(): void {
    if (this.#endOfLine()) return;
    const state = this.#state;
    const text = this.#text;
    if (text.charCodeAt(this.#at++) === CARRIAGE_RETURN) {
      if (this.#at === text.length) state.afterReturn = true;
      else if (text.charCodeAt(this.#at) === LINE_FEED) this.#at++;
    }
    state.matched = state.column = state.next = 0;
    state.lineRun = state.innerRun = 0;
    state.hold = NONE;
    if (state.containers.length > 0) {
      state.phase = CONTINUE;
      state.onParagraph = state.lazy = false;
    } else this.#matchedAll();
  }

  /** Decides what only the end of the line decides. Returns as `#report`. */
  #endOfLine(): boolean {
    const state = this.#state;
    if (this.#loose) return this.#endLoose();
    if (state.rule === null || !this.#endRule(state.rule)) {
      if (this.#endPhase()) return true;
    }
    state.rule = null;
    state.html = null;
    state.undecided = false;
    state.htmlTail = "";
    if (state.htmlEnded) {
      state.htmlEnded = false;
      state.leaf = NO_LEAF;
    }
    if (state.leaf === NO_LEAF) this.#endInlines(this.#here());
    else if (state.leaf === PARAGRAPH) this.#feed(LINE_FEED);
    return false;
  }

  /** Whether the line is a setext underline or a thematic break. */
  #endRule(rule: Rule): boolean {
    const state = this.#state;
    if (rule.underline > 0) {
      if (!state.onlyDefinitions) {
        state.leaf = NO_LEAF;
        state.definitions = null;
        return true;
      }
      // The definitions leave the paragraph, this line is all that is in it.
      state.definitions = null;
    }
    if (rule.character === EQUALS || rule.count < 3) return false;
    state.matched = rule.depth;
    this.#startBlock(this.#here());
    return true;
  }

  /** Returns as `#report`. */
  #endPhase(): boolean {
    const state = this.#state;
    switch (state.phase) {
      case AFTER_QUOTE:
      case CONTINUE:
      case BLOCK:
        return this.#endBlank();
      case HASHES:
        this.#startBlock(this.#here());
        break;
      case NUMBER:
        this.#paragraph();
        break;
      case BULLET:
      case LIST_BLANKS:
        if (state.onParagraph || !this.#mayDeepen()) this.#paragraph();
        else {
          this.#startBlock(this.#here());
          state.containers.push(state.markerIndent + state.run + 1);
          state.emptyItem = true;
        }
        break;
      case OPENER:
        if (state.run < 3) this.#notOpener();
        else this.#openFence();
        break;
      case INFO:
        this.#openFence();
        break;
      case INSIDE:
        return this.#switch(this.#heldFrom(), "fence");
      case CLOSER:
      case CLOSER_BLANKS:
        if (state.run >= this.#closerLength() && state.inner.length === 0) {
          return this.#closeFence();
        }
        if (state.run >= this.#closerLength()) state.inner.pop();
        return this.#switch(this.#heldFrom(), "fence");
      case CLOSER_TAG:
        return this.#switch(this.#heldFrom(), "fence");
      case CLOSER_OPENER:
        return this.#closeAndOpen();
      case LATE_RUN:
        if (state.lineRun !== 0 || state.run < this.#lateLength()) break;
        return this.#endLate();
      case LATE_INFO:
      case LATE_CLOSER:
        return this.#endLate();
      case MIDDLE:
        if (state.innerRun > 0) state.inner.push(state.innerRun);
        if (state.undecided) {
          const found = state.html === null ? NOT_HTML : endHtml(state.html);
          if (found === NOT_HTML) this.#paragraph();
          else {
            this.#startBlock(this.#here());
            state.leaf = found;
            state.inlines = true;
          }
        }
        break;
    }
    return false;
  }

  /** A run of code line's end closes, one of a prose line's end opens. Returns as `#report`. */
  #endLate(): boolean {
    const state = this.#state;
    if (state.fence === null) {
      state.column = state.next;
      this.#openFence();
      state.runCharacter = BACKTICK;
      return false;
    }
    if (state.inner.length === 0) return this.#closeFence();
    state.inner.pop();
    return false;
  }

  /** A run that closes one fence and opens the next. Returns as `#report`. */
  #closeAndOpen(): boolean {
    const state = this.#state;
    if (this.#switch(state.hold, "marker")) return true;
    const length = state.fence!.marker.length;
    const end = state.runAt + length;
    this.#endFence(true, end);
    state.hold = state.runAt = end;
    state.run -= length;
    this.#openFence();
    return false;
  }

  /** A blank line, as far as the containers not yet matched and the leaf are concerned. Returns as `#report`. */
  #endBlank(): boolean {
    const state = this.#state;
    const { containers } = state;
    let open = state.matched;
    while (open < containers.length && containers[open] !== QUOTE) open++;
    // An item that begins with a blank line must not go on with another one.
    if (state.emptyItem && open === containers.length) open--;
    if (open < containers.length) {
      if (state.leaf === FENCED) {
        if (this.#endFence(false, this.#heldFrom())) return true;
      } else state.leaf = NO_LEAF;
      containers.length = open;
      state.emptyItem = false;
      this.#endInlines(this.#heldFrom());
    } else if (state.leaf === FENCED) {
      if (this.#switch(this.#heldFrom(), "marker")) return true;
      state.hold = NONE;
      return this.#switch(this.#here(), "fence");
    } else if (state.leaf === NO_LEAF || state.leaf > 5) {
      state.leaf = NO_LEAF;
      state.definitions = null;
      this.#endInlines(this.#heldFrom());
    }
    return false;
  }

  /** Mode "loose": as much as belongs together. */
  #readLoose(): void {
    const state = this.#state;
    const text = this.#text;
    const code = text.charCodeAt(this.#at);
    if (
      this.#isTooLong() &&
      (state.phase === LOOSE_RUN ? code === BACKTICK : !isLineEnd(code))
    ) {
      this.#giveUp();
      return;
    }
    switch (state.phase) {
      case LOOSE:
        if (state.kind === "marker") this.#switch(this.#here(), "fence");
        if (state.kind === "fence") {
          const found = text.indexOf("`", this.#at);
          this.#at = found < 0 ? text.length : found;
          if (found >= 0) this.#startRun();
        } else this.#readLooseProse(code);
        break;
      case LOOSE_RUN:
        if (code !== BACKTICK) this.#endLooseRun();
        else {
          state.run++;
          this.#at++;
        }
        break;
      case LOOSE_EXCESS:
        if (code === BACKTICK) this.#at++;
        else state.phase = LOOSE;
        break;
      default: {
        if (isLineEnd(code)) {
          this.#openLoose(true);
          this.#looseLineEnd(code);
        } else if (
          code === BACKTICK || (!this.#readWord(code) && !state.runFirst)
        ) this.#openLoose(false);
        else this.#at++;
      }
    }
  }

  /** Prose up to the next tick or line end. */
  #readLooseProse(code: number): void {
    const state = this.#state;
    const text = this.#text;
    let at = this.#at;
    if (code === BACKTICK) this.#startRun();
    else if (isLineEnd(code)) {
      if (state.lineBlank) this.#endInlines(this.#here());
      this.#looseLineEnd(code);
      state.lineBlank = true;
    } else if (state.lineBlank && (code === SPACE || code === TAB)) this.#at++;
    else {
      state.lineBlank = false;
      state.inlines = true;
      if (this.#lineFeed < at) this.#lineFeed = find(text, "\n", at);
      if (this.#carriageReturn < at) {
        this.#carriageReturn = find(text, "\r", at);
      }
      if (this.#tick < at) this.#tick = find(text, "`", at);
      at = Math.min(this.#lineFeed, this.#carriageReturn, this.#tick);
      this.#at = at;
    }
  }

  #looseLineEnd(code: number): void {
    this.#at++;
    if (code !== CARRIAGE_RETURN) return;
    if (this.#at === this.#text.length) this.#state.afterReturn = true;
    else if (this.#text.charCodeAt(this.#at) === LINE_FEED) this.#at++;
  }

  #startRun(): void {
    const state = this.#state;
    state.hold = state.runAt = this.#here();
    state.run = 0;
    state.runFirst = state.lineBlank;
    state.lineBlank = false;
    state.phase = LOOSE_RUN;
  }

  /** A run is over. Returns as `#report`. */
  #endLooseRun(): boolean {
    const state = this.#state;
    if (state.run < 3) {
      state.hold = NONE;
      state.phase = LOOSE;
      if (state.fence === null) state.inlines = true;
    } else if (state.fence === null) {
      state.words = 0;
      state.phase = LOOSE_INFO;
    } else {
      if (this.#closeFence()) return true;
      state.phase = LOOSE;
    }
    return false;
  }

  /** Opens a fence whose run is followed by an info string, or at once by content. */
  #openLoose(info: boolean): void {
    const state = this.#state;
    const contentAt = state.runAt + state.run;
    this.#endInlines(state.hold);
    this.#report(state.hold);
    this.#startFence(info ? this.#here() : contentAt);
    state.phase = LOOSE;
    if (!info) this.#switch(contentAt, "fence");
  }

  /** Decides what waits as if nothing followed. Returns as `#report`. */
  #endLoose(): boolean {
    const state = this.#state;
    if (state.phase === LOOSE_RUN && this.#endLooseRun()) return true;
    if (state.phase !== LOOSE_INFO) return false;
    this.#openLoose(state.runFirst || state.words === 0);
    return false;
  }

  /** For `release`. Returns as `#report`. */
  #decide(): boolean {
    const state = this.#state;
    switch (state.phase) {
      case OPENER:
        if (state.run < 3) {
          this.#notOpener();
          return false;
        }
        this.#openFence();
        break;
      case INFO:
        this.#openFence();
        break;
      case INSIDE:
      case CLOSER:
      case CLOSER_BLANKS:
      case CLOSER_TAG:
      case CLOSER_OPENER:
      case LATE_RUN:
      case LATE_INFO:
      case LATE_CLOSER:
        if (this.#endPhase()) return true;
        state.inlines = state.fence === null;
        break;
      case LOOSE_RUN:
      case LOOSE_INFO:
        return this.#endLoose();
      case MIDDLE:
      case LOOSE:
      case LOOSE_EXCESS:
        return false;
      default:
        if (state.leaf !== FENCED) {
          state.hold = NONE;
          return false;
        }
        if (this.#endBlank()) return true;
        state.inlines = state.fence === null;
    }
    this.#toMiddle();
    return false;
  }
}

function startRule(state: State, character: number): Rule {
  return {
    character,
    count: 0,
    depth: state.matched,
    underline: state.onParagraph && character !== ASTERISK &&
        character !== UNDERSCORE
      ? 1
      : 0,
  };
}

/** One more character of a line that may be a rule; ends `state.rule` when it cannot. */
function readRule(state: State, code: number): void {
  const rule = state.rule!;
  if (code === rule.character) {
    rule.count++;
    if (rule.underline === 2) rule.underline = 0;
  } else if (code !== SPACE && code !== TAB) {
    state.rule = null;
    return;
  } else if (rule.underline === 1) rule.underline = 2;
  if (rule.character === EQUALS && rule.underline === 0) state.rule = null;
}

/** Index of a character, or the length of the text. */
function find(text: string, character: string, from: number): number {
  const found = text.indexOf(character, from);
  return found < 0 ? text.length : found;
}

function holdsMarkdown(fence: Fence): boolean {
  const language = fence.language?.toLowerCase();
  return language === "md" || language === "markdown" || language === "mdx";
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLineEnd(code: number): boolean {
  return code === LINE_FEED || code === CARRIAGE_RETURN;
}

function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function newState(phase: number): State {
  return {
    offset: 0,
    carry: "",
    kind: "prose",
    hold: NONE,
    phase,
    containers: [],
    matched: 0,
    column: 0,
    next: 0,
    indentAt: 0,
    leaf: NO_LEAF,
    emptyItem: false,
    onParagraph: false,
    lazy: false,
    inlines: false,
    undecided: false,
    watching: false,
    rule: null,
    html: null,
    htmlTail: "",
    htmlEnded: false,
    definitions: null,
    onlyDefinitions: false,
    run: 0,
    runAt: 0,
    runCharacter: 0,
    value: 0,
    markerIndent: 0,
    fence: null,
    fenceIndent: 0,
    inner: [],
    innerRun: 0,
    lineRun: 0,
    words: 0,
    lineBlank: true,
    runFirst: false,
    fences: 0,
    afterReturn: false,
    tooDeep: false,
  };
}
