import type { Fence } from "../part.ts";
import { isDigit, isLetter, isLineEnd } from "./code_units.ts";
import {
  endHtml,
  hasHtmlEnd,
  HTML_TAIL,
  type HtmlType,
  MAYBE_HTML,
  NOT_HTML,
  openHtml,
  readHtml,
  tailOfOpening,
} from "./html_blocks.ts";
import { LineReader } from "./line_reader.ts";
import {
  AFTER_QUOTE,
  ASTERISK,
  BACKTICK,
  BLOCK,
  BULLET,
  CLOSER,
  CLOSER_BLANKS,
  CLOSER_OPENER,
  CLOSER_TAG,
  CLOSING_BRACKET,
  CONTINUE,
  DASH,
  EQUALS,
  FENCED,
  FULL_STOP,
  GREATER_THAN,
  HASH,
  HASHES,
  INFO,
  INSIDE,
  LATE_CLOSER,
  LATE_EXCESS,
  LATE_INFO,
  LATE_RUN,
  LESS_THAN,
  LINE_FEED,
  type LineState,
  LIST_BLANKS,
  MIDDLE,
  NO_LEAF,
  NONE,
  NUMBER,
  OPENER,
  OPENING_BRACKET,
  PARAGRAPH,
  PLUS,
  QUOTE,
  type Rule,
  SLASH,
  SPACE,
  TAB,
  TILDE,
  UNDERSCORE,
} from "./line_state.ts";
import {
  areComplete,
  readDefinitions,
  startDefinitions,
} from "./link_definitions.ts";
import type {
  LineEvents,
  LineKind,
  MarkdownLinesOptions,
} from "./markdown_lines.ts";
import { hasLineEnd } from "./text_flags.ts";

const ONE = 0x31;

/** How deep containers may be nested. */
const DEEPEST = 100;

/**
 * Fences as CommonMark finds them, one line at a time. Forward only, linear,
 * with bounded state: nothing later than the current line is ever needed.
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
 * A line of `*`, `-`, `_` or `=` is known to be a break or an underline only at
 * its end, a lone tag to be an HTML block likewise. What the line may be instead
 * goes on meanwhile; `rule` and `html` watch. With `glued`, runs of ticks in
 * MIDDLE lead to the LATE phases.
 *
 * List items and quotes follow commonmark.js, but for one point where it stands
 * alone: a line of nothing but blanks inside a fence in a list item keeps what
 * it has beyond the item's indentation, as in cmark and micromark.
 */
export class BlockLines extends LineReader {
  readonly #commonmark: boolean;
  readonly #nested: boolean;
  readonly #glued: boolean;
  readonly #maxDepth: number;

  constructor(
    options: MarkdownLinesOptions,
    events: LineEvents,
    state: LineState,
  ) {
    super(options, events, state);
    this.#commonmark = options.mode === "commonmark";
    this.#nested = options.nested === true;
    this.#glued = options.glued === true;
    this.#maxDepth = options.maxDepth ?? DEEPEST;
  }

  kindOf(next: string): LineKind {
    const state = this.state;
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

  protected isPlain(text: string): boolean {
    const state = this.state;
    return state.phase === MIDDLE && !state.watching && state.innerRun === 0 &&
      !this.#glued && !hasLineEnd(text);
  }

  protected step(): void {
    const { phase } = this.state;
    if (phase === MIDDLE) this.#middle();
    else if (phase > BLOCK || !this.#plainLines()) this.#beginning();
  }

  /**
   * Reads lines whose first characters tell all there is to know, as most do:
   * blank ones, paragraphs and list items at the margin that go on with a letter.
   * Gives whether there was one; what `#beginning` would leave is left.
   */
  #plainLines(): boolean {
    const state = this.state;
    const { containers } = state;
    if (
      state.next > 0 || state.definitions !== null || this.#glued ||
      (state.leaf !== NO_LEAF && state.leaf !== PARAGRAPH) ||
      (state.phase === CONTINUE) !== (containers.length > 0)
    ) return false;
    const text = this.text;
    const from = this.at;
    for (;;) {
      const at = this.at;
      const code = text.charCodeAt(at);
      if (code === LINE_FEED) {
        if (
          containers.length > 0 &&
          (containers.length > 1 || containers[0] === QUOTE || state.emptyItem)
        ) break;
        state.leaf = NO_LEAF;
        this.endInlines(this.here());
        this.at++;
        continue;
      }
      const width = widthOfItem(text, at, code);
      if (width === 0) {
        if (!isWord(code) || containers.length > 0 && state.leaf !== NO_LEAF) {
          break;
        }
        if (state.leaf === NO_LEAF) {
          this.#startBlock(this.here());
          state.leaf = PARAGRAPH;
        }
      } else {
        // In the middle of a paragraph only a list that begins with 1 begins.
        if (
          width === 3 && code !== ONE && containers.length === 0 &&
          state.leaf === PARAGRAPH
        ) break;
        this.at += width;
        this.#startBlock(this.here());
        containers.push(width);
        state.leaf = PARAGRAPH;
      }
      state.inlines = true;
      const end = this.nextLineEnd();
      this.at = end;
      if (text.charCodeAt(end) !== LINE_FEED) {
        state.matched = containers.length;
        state.column = state.next = width;
        state.onParagraph = state.leaf === PARAGRAPH && width === 0;
        this.goOn();
        return true;
      }
      this.at++;
    }
    if (this.at === from) return false;
    state.hold = NONE;
    state.lazy = state.onlyDefinitions = false;
    state.onParagraph = containers.length === 0 && state.leaf === PARAGRAPH;
    state.phase = containers.length === 0 ? BLOCK : CONTINUE;
    return true;
  }

  /** The middle of a line: nothing is decided there, or by few characters. */
  #middle(): void {
    const state = this.state;
    let end = this.nextLineEnd();
    // What is left of an opening line that was released ends as the line does.
    if (
      state.fence !== null && state.kind === "fence" && end < this.text.length
    ) end = this.#leap(end);
    if (this.#glued || state.innerRun > 0) {
      if (this.#findRun(end)) return;
    } else if (state.watching) this.#watch(end);
    else this.at = end;
    if (this.at === end && end < this.text.length) this.#lineEnd();
  }

  /**
   * In a fence at the margin no line counts but one with a run of its marker's
   * character: the line end before that one, from the one at index `end` on.
   */
  #leap(end: number): number {
    const state = this.state;
    if (
      this.#glued || this.#nested || state.containers.length > 0 ||
      state.fenceIndent > 0
    ) return end;
    const text = this.text;
    let run = this.markerRun;
    if (run < this.at) {
      run = text.indexOf(state.fence!.marker.slice(0, 3), this.at);
      if (run < 0) run = text.length;
      this.markerRun = run;
    }
    if (run <= end) return end;
    // Looking back is bounded: there is one of them between here and the run.
    const feed = this.lineFeed < run ? text.lastIndexOf("\n", run - 1) : NONE;
    return this.carriageReturn < run
      ? Math.max(feed, text.lastIndexOf("\r", run - 1))
      : feed;
  }

  /** Reads the line up to index `end`, or to a run that counts: then it returns true. */
  #findRun(end: number): boolean {
    const state = this.state;
    const character = this.#lateCharacter();
    while (this.at < end) {
      if (state.html !== null || (state.leaf >= 1 && state.leaf <= 7)) {
        this.#watch(end);
        continue;
      }
      const found = this.text.indexOf(
        character === BACKTICK ? "`" : "~",
        this.at,
      );
      const stop = found < 0 || found > end ? end : found;
      if (state.watching) this.#watch(stop);
      this.at = stop;
      if (stop === end) break;
      if (state.rule !== null) {
        state.rule = null;
        if (state.undecided) this.#paragraph();
      }
      if (character === BACKTICK) state.innerRun = 0;
      if (this.#glued && (state.fence !== null || state.leaf === PARAGRAPH)) {
        state.hold = state.runAt = this.here();
        state.run = 0;
        state.phase = LATE_RUN;
        return true;
      }
      this.#feed(character);
      this.at++;
    }
    return false;
  }

  /** Reads the line up to index `end` with an eye on what its characters may decide. */
  #watch(end: number): void {
    const state = this.state;
    const text = this.text;
    while (
      this.at < end &&
      (state.html !== null || state.rule !== null || state.definitions !== null)
    ) {
      const code = text.charCodeAt(this.at);
      if (state.rule !== null) {
        readRule(state, code);
        if (state.rule === null && state.undecided) this.#paragraph();
      }
      this.#feed(code);
      this.at++;
      if (state.html === null) continue;
      const found = readHtml(state.html, code);
      if (found === MAYBE_HTML) continue;
      state.html = null;
      if (found === NOT_HTML) {
        this.#paragraph();
        return;
      }
      this.#startBlock(this.here());
      state.leaf = found;
      state.undecided = false;
      state.inlines = true;
      state.htmlTail = tailOfOpening(found);
    }
    if (this.at >= end) return;
    if (state.leaf >= 1 && state.leaf <= 5 && !state.htmlEnded) {
      const read = state.htmlTail + text.slice(this.at, end);
      state.htmlEnded = hasHtmlEnd(state.leaf as HtmlType, read);
      state.htmlTail = read.slice(-HTML_TAIL);
    }
    this.at = end;
  }

  /** The paragraph's text as far as link definitions are concerned. */
  #feed(code: number): void {
    const state = this.state;
    if (
      state.definitions !== null && !readDefinitions(state.definitions, code)
    ) state.definitions = null;
  }

  protected goOn(): void {
    const state = this.state;
    state.phase = MIDDLE;
    state.hold = NONE;
    state.watching = state.html !== null || state.rule !== null ||
      state.definitions !== null || (state.leaf >= 1 && state.leaf <= 5);
  }

  /** One character at the beginning of a line. */
  #beginning(): void {
    const state = this.state;
    const code = this.text.charCodeAt(this.at);
    if (isLineEnd(code)) {
      this.#lineEnd();
      return;
    }
    if (state.phase >= OPENER && state.phase !== INSIDE && this.isTooLong()) {
      this.#giveUp();
      return;
    }
    const blank = code === SPACE || code === TAB;
    switch (state.phase) {
      case CONTINUE:
        if (state.leaf === FENCED && state.hold === NONE) {
          state.hold = this.here();
        }
        if (blank) {
          this.#blank(code);
          this.at++;
          this.#matchItems();
        } else this.#continue(code);
        break;
      case AFTER_QUOTE:
        if (blank) {
          this.#blank(code);
          state.column++;
          this.at++;
        }
        this.#matchItems();
        break;
      case BLOCK:
        if (blank) {
          this.#blank(code);
          this.at++;
          this.#holdIndent();
        } else this.#startOfBlock(code);
        break;
      case HASHES:
        if (code === HASH && state.run < 6) {
          state.run++;
          this.#feed(code);
          this.at++;
        } else if (blank) {
          this.#startBlock(this.here());
          state.inlines = true;
          this.goOn();
        } else this.#paragraph();
        break;
      case NUMBER:
        if (isDigit(code) && state.run < 9) {
          state.run++;
          state.value = state.value * 10 + code - 0x30;
          this.#feed(code);
          this.at++;
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
          this.goOn();
        }
        break;
      case LIST_BLANKS:
        if (blank) {
          if (state.rule !== null) readRule(state, code);
          this.#blank(code);
          this.#feed(code);
          this.at++;
        } else if (this.#mayDeepen(this.here() - 1)) {
          this.#startBlock(this.here());
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
          this.at++;
        } else if (state.run < 3) this.#notOpener();
        else state.phase = INFO;
        break;
      case INFO:
        this.#info();
        break;
      case INSIDE:
        if (blank) {
          this.#blank(code);
          this.at++;
          this.#insideBlank(this.here() - 1);
        } else if (
          code === state.runCharacter && state.next - state.column < 4
        ) {
          if (state.hold === NONE) state.hold = this.here();
          state.run = 1;
          state.runAt = this.here();
          state.phase = CLOSER;
          this.at++;
        } else this.#content();
        break;
      case CLOSER:
        if (code === state.runCharacter) {
          state.run++;
          this.at++;
        } else if (blank && state.run >= this.#closerLength()) {
          state.phase = CLOSER_BLANKS;
        } else if (this.#glued && state.inner.length === 0) {
          this.#glue(code);
        } else this.#contentAfterRun(code);
        break;
      case CLOSER_BLANKS:
        if (blank) this.at++;
        else this.#contentAfterRun(code);
        break;
      case CLOSER_TAG:
        if (isLetter(code) || code === SLASH) this.#closeBeforeTag();
        else this.#content();
        break;
      case CLOSER_OPENER:
        if (this.readWord(code)) this.at++;
        else this.#contentAfterRun(code);
        break;
      case LATE_RUN:
        this.#lateRun(code);
        break;
      case LATE_EXCESS:
        if (code === this.#lateCharacter()) {
          this.#feed(code);
          this.at++;
        } else this.goOn();
        break;
      case LATE_INFO:
        if (this.readWord(code)) {
          this.#feed(code);
          this.at++;
        } else {
          state.lineRun = state.run;
          this.goOn();
        }
        break;
      case LATE_CLOSER:
        if (blank) this.at++;
        else {
          state.lineRun = state.run;
          this.goOn();
        }
        break;
    }
  }

  #blank(code: number): void {
    const state = this.state;
    if (state.next === state.column) state.indentAt = this.here();
    state.next += code === TAB ? 4 - state.next % 4 : 1;
  }

  /** Keeps the indentation while it may be that of a fence. */
  #holdIndent(): void {
    const state = this.state;
    const indent = state.next - state.column;
    state.hold = indent > 0 && indent < 4 ? state.indentAt : NONE;
  }

  /** Goes on to the next container after blanks or a quote mark. */
  #matchItems(): void {
    const state = this.state;
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
    ) state.indentAt = this.here() - 1;
    if (state.matched === containers.length) this.#matchedAll();
    else {
      state.phase = CONTINUE;
      if (state.leaf !== FENCED) this.#holdIndent();
    }
  }

  /** A character that is no blank, where a container has to go on. */
  #continue(code: number): void {
    const state = this.state;
    const width = state.containers[state.matched]!;
    const indent = state.next - state.column;
    if (width === QUOTE && code === GREATER_THAN && indent < 4) {
      if (state.leaf !== FENCED) state.hold = NONE;
      state.column = ++state.next;
      state.matched++;
      state.phase = AFTER_QUOTE;
      this.at++;
      return;
    }
    if (state.leaf === FENCED) {
      if (this.endFence(false, this.heldFrom())) return;
    }
    if (state.leaf === PARAGRAPH) state.lazy = true;
    else {
      state.leaf = NO_LEAF;
      truncate(state.containers, state.matched);
      state.emptyItem = false;
    }
    state.phase = BLOCK;
    this.#holdIndent();
  }

  /** All containers go on. */
  #matchedAll(): void {
    const state = this.state;
    if (state.leaf !== FENCED) {
      state.onParagraph = state.leaf === PARAGRAPH;
      state.onlyDefinitions = state.definitions !== null &&
        areComplete(state.definitions);
      state.phase = BLOCK;
      this.#holdIndent();
      return;
    }
    const rest = state.next > state.column ? state.indentAt : this.here();
    if (state.hold !== NONE && state.hold < rest) {
      if (this.switchTo(state.hold, "marker")) return;
    }
    state.hold = NONE;
    state.phase = INSIDE;
    if (rest < this.here()) this.#insideBlank(rest);
  }

  /** A blank at offset `at` before a content line (or closing line) of a fence. */
  #insideBlank(at: number): void {
    const state = this.state;
    const indent = state.next - state.column;
    if (indent <= state.fenceIndent) this.switchTo(at, "marker");
    else {
      if (state.hold === NONE) state.hold = at;
      if (indent > 3) this.#content();
    }
  }

  /** The line is content from the held text on. */
  #content(): void {
    if (this.switchTo(this.heldFrom(), "fence")) return;
    this.goOn();
  }

  /** The line is content, although it began with a run of the marker's character. */
  #contentAfterRun(code: number): void {
    const state = this.state;
    const held = this.slice(state.runAt, this.here());
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
    const state = this.state;
    return state.inner.at(-1) ?? state.fence!.marker.length;
  }

  /** A character right behind a closing run that is followed by something. */
  #glue(code: number): void {
    const state = this.state;
    const length = state.fence!.marker.length;
    if (state.run >= length && code === LESS_THAN) {
      state.phase = CLOSER_TAG;
      this.at++;
    } else if (
      state.run >= length + 3 && state.runCharacter === BACKTICK
    ) {
      state.words = 0;
      state.phase = CLOSER_OPENER;
    } else this.#contentAfterRun(code);
  }

  /** A `<` and a letter stand behind a closing run: the fence is over. */
  #closeBeforeTag(): void {
    const state = this.state;
    if (this.switchTo(state.hold, "marker")) return;
    this.endFence(true, state.runAt + state.run);
    this.#paragraph();
  }

  /** A run in the middle of a line: what it may be is known at its end. */
  #lateRun(code: number): void {
    const state = this.state;
    if (code === this.#lateCharacter()) {
      state.run++;
      this.#feed(code);
      this.at++;
    } else if (state.lineRun !== 0 || state.run < this.#lateLength()) {
      this.#pairRun(state.run);
      this.goOn();
    } else if (state.fence !== null) state.phase = LATE_CLOSER;
    else {
      state.words = 0;
      state.phase = LATE_INFO;
    }
  }

  /** Of what a run in the middle of a line consists. */
  #lateCharacter(): number {
    return this.state.fence === null ? BACKTICK : this.state.runCharacter;
  }

  /** With `glued`: the rest of a run that is too long does not count as another one. */
  #skipRun(): void {
    if (this.#glued && this.state.phase === MIDDLE) {
      this.state.phase = LATE_EXCESS;
    }
  }

  /** How long a run in the middle of a line must be to count. */
  #lateLength(): number {
    return this.state.fence === null ? 3 : this.#closerLength();
  }

  /** Runs of equal length on one line belong together. */
  #pairRun(length: number): void {
    const state = this.state;
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
    const state = this.state;
    if (state.leaf >= 1 && state.leaf <= 7) {
      state.rule = null;
      this.goOn();
      return;
    }
    // A break goes on through the list items it may be instead.
    if (state.rule !== null) readRule(state, code);
    if (state.next - state.column >= 4) {
      if (state.onParagraph || state.lazy) this.#paragraph();
      else {
        this.#startBlock(this.here());
        state.inlines = true;
        this.goOn();
        // Not to be counted again for the break.
        this.at++;
      }
      return;
    }
    switch (code) {
      case GREATER_THAN:
        if (!this.#mayDeepen(this.here())) break;
        this.#startBlock(this.here());
        state.containers.push(QUOTE);
        state.matched++;
        state.column = ++state.next;
        state.phase = AFTER_QUOTE;
        state.hold = NONE;
        this.at++;
        return;
      case HASH:
        state.phase = HASHES;
        state.run = 1;
        state.hold = NONE;
        this.#feed(code);
        this.at++;
        return;
      case BACKTICK:
      case TILDE:
        state.hold = this.heldFrom();
        state.phase = OPENER;
        state.run = 1;
        state.runAt = this.here();
        state.runCharacter = code;
        this.at++;
        return;
      case LESS_THAN:
        state.html = openHtml(
          this.#commonmark,
          this.#commonmark && !state.onParagraph && !state.lazy,
        );
        state.undecided = true;
        this.goOn();
        return;
      case EQUALS:
        if (!state.onParagraph) break;
        state.rule = startRule(state, code);
        state.undecided = true;
        this.goOn();
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
        this.goOn();
        this.at++;
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
        this.at++;
        return;
    }
    this.#paragraph();
  }

  /** A list marker's last character. Whether it is one depends on what follows. */
  #marker(code: number, length: number): void {
    const state = this.state;
    state.markerIndent = state.next - state.column;
    state.run = length;
    state.next += length;
    state.column = state.next;
    state.phase = BULLET;
    state.hold = NONE;
    this.#feed(code);
    this.at++;
  }

  /** The line is a paragraph's text, old or new. */
  #paragraph(): void {
    const state = this.state;
    state.undecided = false;
    if (!state.onParagraph && !state.lazy) {
      this.#startBlock(this.heldFrom());
      state.leaf = PARAGRAPH;
    }
    state.inlines = true;
    this.goOn();
  }

  /** A block begins inside the containers matched: what was open deeper ends. */
  #startBlock(at: number): void {
    const state = this.state;
    this.endInlines(at);
    truncate(state.containers, state.matched);
    state.leaf = NO_LEAF;
    state.emptyItem = state.onParagraph = state.lazy = false;
    state.definitions = null;
  }

  /** Whether one more container may open; `at` is the last character of its marker. */
  #mayDeepen(at: number): boolean {
    const state = this.state;
    if (state.matched < this.#maxDepth) return true;
    if (!state.tooDeep) {
      state.tooDeep = true;
      this.report(this.heldFrom());
      this.events.limit(
        `Block quotes and list items are nested more than ${this.#maxDepth} deep: deeper ones are read as text`,
        at,
        at + 1,
      );
    }
    return false;
  }

  /** The undecided line has reached its limit: it opens and closes nothing. */
  #giveUp(): void {
    if (this.reportTooLong()) return;
    const state = this.state;
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
        this.goOn();
        this.#skipRun();
        break;
      case LATE_INFO:
      case LATE_CLOSER:
        this.goOn();
        break;
      default:
        this.#content();
    }
  }

  /** Reads an opening line behind its marker, as far as it is there. */
  #info(): void {
    const state = this.state;
    const text = this.text;
    const at = this.at;
    const limit = state.hold + this.maxInfoLength - this.base;
    let end = at;
    while (end < text.length && end < limit) {
      const code = text.charCodeAt(end);
      if (isLineEnd(code)) break;
      if (code === BACKTICK && state.runCharacter === BACKTICK) {
        this.at = end;
        this.#notOpener();
        return;
      }
      end++;
    }
    this.at = end;
  }

  /** What looked like an opening line is a paragraph's text. */
  #notOpener(): void {
    const state = this.state;
    const held = state.definitions !== null || this.#glued
      ? this.slice(state.runAt, this.here())
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
    const state = this.state;
    this.#startBlock(state.hold);
    this.report(state.hold);
    state.fenceIndent = state.next - state.column;
    this.startFence(this.here());
  }

  #lineEnd(): void {
    if (this.endOfLine()) return;
    const state = this.state;
    this.skipLineEnd();
    state.matched = state.column = state.next = 0;
    state.lineRun = state.innerRun = 0;
    state.hold = NONE;
    if (state.containers.length > 0) {
      state.phase = CONTINUE;
      state.onParagraph = state.lazy = false;
    } else this.#matchedAll();
  }

  protected endOfLine(): boolean {
    const state = this.state;
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
    if (state.leaf === NO_LEAF) this.endInlines(this.here());
    else if (state.leaf === PARAGRAPH) this.#feed(LINE_FEED);
    return false;
  }

  /** Whether the line is a setext underline or a thematic break. */
  #endRule(rule: Rule): boolean {
    const state = this.state;
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
    this.#startBlock(this.here());
    return true;
  }

  /** Returns as `report`. */
  #endPhase(): boolean {
    const state = this.state;
    switch (state.phase) {
      case AFTER_QUOTE:
      case CONTINUE:
      case BLOCK:
        return this.#endBlank();
      case HASHES:
        this.#startBlock(this.here());
        break;
      case NUMBER:
        this.#paragraph();
        break;
      case BULLET:
      case LIST_BLANKS:
        if (state.onParagraph || !this.#mayDeepen(this.here() - 1)) {
          this.#paragraph();
        } else {
          this.#startBlock(this.here());
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
        return this.switchTo(this.heldFrom(), "fence");
      case CLOSER:
      case CLOSER_BLANKS:
        if (state.run >= this.#closerLength() && state.inner.length === 0) {
          return this.closeFence();
        }
        if (state.run >= this.#closerLength()) state.inner.pop();
        return this.switchTo(this.heldFrom(), "fence");
      case CLOSER_TAG:
        return this.switchTo(this.heldFrom(), "fence");
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
            this.#startBlock(this.here());
            state.leaf = found;
            state.inlines = true;
          }
        }
        break;
    }
    return false;
  }

  /** A run of code line's end closes, one of a prose line's end opens. Returns as `report`. */
  #endLate(): boolean {
    const state = this.state;
    if (state.fence === null) {
      state.column = state.next;
      this.#openFence();
      state.runCharacter = BACKTICK;
      return false;
    }
    if (state.inner.length === 0) return this.closeFence();
    state.inner.pop();
    return false;
  }

  /** A run that closes one fence and opens the next. Returns as `report`. */
  #closeAndOpen(): boolean {
    const state = this.state;
    if (this.switchTo(state.hold, "marker")) return true;
    const length = state.fence!.marker.length;
    const end = state.runAt + length;
    this.endFence(true, end);
    state.hold = state.runAt = end;
    state.run -= length;
    this.#openFence();
    return false;
  }

  /** A blank line, as far as the containers not yet matched and the leaf are concerned. Returns as `report`. */
  #endBlank(): boolean {
    const state = this.state;
    const { containers } = state;
    let open = state.matched;
    while (open < containers.length && containers[open] !== QUOTE) open++;
    // An item that begins with a blank line must not go on with another one.
    if (state.emptyItem && open === containers.length) open--;
    if (open < containers.length) {
      if (state.leaf === FENCED) {
        if (this.endFence(false, this.heldFrom())) return true;
      } else state.leaf = NO_LEAF;
      truncate(containers, open);
      state.emptyItem = false;
      this.endInlines(this.heldFrom());
    } else if (state.leaf === FENCED) {
      if (this.switchTo(this.heldFrom(), "marker")) return true;
      state.hold = NONE;
      return this.switchTo(this.here(), "fence");
    } else if (state.leaf === NO_LEAF || state.leaf > 5) {
      state.leaf = NO_LEAF;
      state.definitions = null;
      this.endInlines(this.heldFrom());
    }
    return false;
  }

  protected decide(): boolean {
    const state = this.state;
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
      case MIDDLE:
        return false;
      default:
        if (state.leaf !== FENCED) {
          state.hold = NONE;
          return false;
        }
        if (this.#endBlank()) return true;
        state.inlines = state.fence === null;
    }
    this.goOn();
    return false;
  }
}

/** Cuts a list. Setting its length takes V8 longer than reading a whole line. */
function truncate(list: number[], length: number): void {
  while (list.length > length) list.pop();
}

function startRule(state: LineState, character: number): Rule {
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

function readRule(state: LineState, code: number): void {
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

function holdsMarkdown(fence: Fence): boolean {
  const language = fence.language?.toLowerCase();
  return language === "md" || language === "markdown" ||
    language === "mdx" || language === "gfm";
}

/** Whether a line that begins with this is a paragraph's, and nothing else. */
function isWord(code: number): boolean {
  return isLetter(code) || code > 127;
}

/** How wide the marker is of a list item that goes on with a word; 0 for all other lines. */
function widthOfItem(text: string, at: number, code: number): number {
  const width = code === DASH || code === ASTERISK || code === PLUS
    ? 2
    : isDigit(code) && text.charCodeAt(at + 1) === FULL_STOP
    ? 3
    : 0;
  return width > 0 && text.charCodeAt(at + width - 1) === SPACE &&
      isWord(text.charCodeAt(at + width))
    ? width
    : 0;
}
