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
    this.#maxInfoLength = options.maxInfoLength ?? 1024;
    this.#maxDepth = options.maxDepth ?? 100;
    this.#state = snapshot === undefined
      ? newState()
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
      case MIDDLE:
        return state.kind;
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
    this.#lineFeed = this.#carriageReturn = NONE;
  }

  #read(): void {
    const state = this.#state;
    while (this.#at < this.#text.length) {
      if (state.phase === MIDDLE) this.#middle();
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
    this.#lineFeed = this.#carriageReturn = NONE;
    state.afterReturn = false;
    const fence = state.fence!;
    state.fence = null;
    state.leaf = PARAGRAPH;
    state.kind = "prose";
    state.hold = NONE;
    state.inlines = true;
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
    if (this.#lineFeed < at) {
      const found = text.indexOf("\n", at);
      this.#lineFeed = found < 0 ? text.length : found;
    }
    if (this.#carriageReturn < at) {
      const found = text.indexOf("\r", at);
      this.#carriageReturn = found < 0 ? text.length : found;
    }
    const end = Math.min(this.#lineFeed, this.#carriageReturn);
    if (state.watching) this.#watch(end);
    else this.#at = end;
    if (this.#at === end && end < text.length) this.#lineEnd();
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
      if (found === NOT_HTML) this.#paragraph();
      else {
        this.#startBlock(this.#here());
        state.leaf = found;
        state.undecided = false;
        state.inlines = true;
        state.htmlTail = tailOfOpening(found);
      }
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
    state.phase = MIDDLE;
    state.hold = NONE;
    state.watching = state.html !== null || state.rule !== null ||
      state.definitions !== null || (state.leaf >= 1 && state.leaf <= 5);
  }

  /** One character at the beginning of a line. */
  #step(code: number): void {
    if (code === LINE_FEED || code === CARRIAGE_RETURN) {
      this.#lineEnd();
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
        if (this.#tooLong()) this.#notOpener();
        else if (code === state.runCharacter) {
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
          state.phase = CLOSER;
          this.#at++;
        } else this.#content();
        break;
      case CLOSER:
        if (this.#tooLong()) this.#content();
        else if (code === state.runCharacter) {
          state.run++;
          this.#at++;
        } else if (blank && state.run >= state.fence!.marker.length) {
          state.phase = CLOSER_BLANKS;
        } else this.#content();
        break;
      case CLOSER_BLANKS:
        if (!blank || this.#tooLong()) this.#content();
        else this.#at++;
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
      this.#limit(
        `Block quotes and list items are nested more than ${this.#maxDepth} deep: deeper ones are read as text`,
        this.#here(),
        this.#here() + 1,
      );
    }
    return false;
  }

  /** Whether the undecided line has reached its limit; then it is text. */
  #tooLong(): boolean {
    const { hold } = this.#state;
    if (this.#here() - hold < this.#maxInfoLength) return false;
    this.#limit(
      `A line that may open or close a fence is longer than ${this.#maxInfoLength} code units: it is read as text`,
      hold,
      this.#here(),
    );
    return true;
  }

  #limit(message: string, start: number, end: number): void {
    this.#report(this.#heldFrom());
    this.#events.limit(message, start, end);
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
      if (code === LINE_FEED || code === CARRIAGE_RETURN) break;
      if (code === BACKTICK && state.runCharacter === BACKTICK) {
        this.#at = end;
        this.#notOpener();
        return;
      }
      end++;
    }
    this.#at = end;
    if (end === limit && end < text.length && !isLineEnd(text, end)) {
      this.#tooLong();
      this.#notOpener();
    }
  }

  /** What looked like an opening line is a paragraph's text. */
  #notOpener(): void {
    const state = this.#state;
    if (state.definitions !== null) {
      const held = this.#slice(state.runAt, this.#here());
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
    const infoAt = state.runAt + state.run;
    const fence = makeFence(
      `fence-${++state.fences}`,
      this.#slice(state.runAt, infoAt),
      this.#slice(infoAt, this.#here()),
      state.runAt,
    );
    state.fence = fence;
    state.fenceIndent = state.next - state.column;
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
    state.hold = NONE;
    if (state.containers.length > 0) {
      state.phase = CONTINUE;
      state.onParagraph = state.lazy = false;
    } else this.#matchedAll();
  }

  /** Decides what only the end of the line decides. Returns as `#report`. */
  #endOfLine(): boolean {
    const state = this.#state;
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
        if (state.run < state.fence!.marker.length) {
          return this.#switch(this.#heldFrom(), "fence");
        }
        return this.#closeFence();
      case CLOSER_BLANKS:
        return this.#closeFence();
      case MIDDLE:
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
      case CLOSER:
      case CLOSER_BLANKS:
        if (state.run < state.fence!.marker.length) {
          if (this.#switch(this.#heldFrom(), "fence")) return true;
        } else {
          if (this.#closeFence()) return true;
          state.inlines = true;
        }
        break;
      case INSIDE:
        if (this.#switch(this.#heldFrom(), "fence")) return true;
        break;
      case MIDDLE:
        return false;
      default:
        state.hold = NONE;
        if (state.leaf !== FENCED) return false;
        if (this.#endBlank()) return true;
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

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLineEnd(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === LINE_FEED || code === CARRIAGE_RETURN;
}

function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function newState(): State {
  return {
    offset: 0,
    carry: "",
    kind: "prose",
    hold: NONE,
    phase: BLOCK,
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
    fences: 0,
    afterReturn: false,
    tooDeep: false,
  };
}
