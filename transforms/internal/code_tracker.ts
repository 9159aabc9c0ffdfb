import type { CodeKind } from "../part.ts";
import {
  type FenceMode,
  type LineEvents,
  type LineKind,
  MarkdownLines,
} from "./markdown_lines.ts";
import { LESS_THAN, TICK, TILDE } from "./text_flags.ts";

/** Receives what {@linkcode CodeTracker} finds, in source order. */
export interface CodeEvents {
  /** Text that came in by `read`: what it is decides what becomes of it. */
  text(text: string, kind: LineKind): void;
  /** Text that came in by `pass`: it has left, and matters only for what follows. */
  passed(text: string, kind: LineKind): void;
  /** The paragraph is over: code spans do not reach further. */
  paragraphEnd(): void;
}

/** What the own lines could not read because of a limit. */
export interface LimitNote {
  message: string;
  start: number;
  end: number;
}

/** Options of {@linkcode CodeTracker}. */
export interface CodeTrackerOptions {
  readonly mode: FenceMode;
  /** Whose fences count; `undefined`: the own ones until an upstream mark comes. */
  readonly trackFences: boolean | undefined;
}

/** What upstream says of a stretch of text. */
interface Mark {
  length: number;
  kind: LineKind;
  /** Whether that counts, and not what the own lines say. */
  counts: boolean;
}

/** The state as plain data. */
interface State {
  lines: unknown;
  /** Offset behind all text so far. */
  offset: number;
  /** Text that the lines have not read yet, all of it passed. */
  backlog: string[];
  backlogLength: number;
  /** Whether nothing in the backlog can begin or end code, and no upstream mark is on it. */
  plain: boolean;
  /** How many of the next code units that the lines give were passed. */
  passed: number;
  /** Upstream's marks of the text that the lines have not given yet. */
  marks: Mark[];
  /** Whether upstream's marks count. */
  marked: boolean;
  /** Whether a fence was ended from inside, so that upstream's marks are wrong. */
  lost: boolean;
  /** Whether there was nothing so far that blank lines do not end. */
  calm: boolean;
  /** A tag name at the end of the text that may be one of an HTML block. */
  tag: string;
  notes: LimitNote[];
}

/** What {@linkcode CodeTracker.snapshot} returns: plain data nobody else looks into. */
export type CodeTrackerSnapshot = unknown;

/** So much text is passed before the lines read it at once. */
const BACKLOG = 2_048;

/** What opens an HTML block that goes on over blank lines. */
const LONG_BLOCKS: readonly string[] = [
  "!",
  "?",
  "pre",
  "script",
  "style",
  "textarea",
];

/**
 * Tells what text is code, when that is asked for.
 *
 * Most text is passed on whatever it is, and only behind a `<` that may begin a
 * tag it matters where that stands. So text comes in by two doors:
 *
 * ```text
 *  pass ──▶ backlog ──▶ lines ──▶ events.passed    for the record, in large pieces
 *              │
 *              └──▶ forgotten, when a paragraph begins later on and
 *                   nothing in between has a tick, a tilde or HTML in it
 *
 *  read ─────────────▶ lines ──▶ events.text       at once
 * ```
 *
 * Upstream's marks, where they count, go before what the own lines say.
 */
export class CodeTracker {
  readonly #options: CodeTrackerOptions;
  readonly #events: CodeEvents;
  readonly #state: State;
  #lines: MarkdownLines;
  /** Whether the lines have read anything. */
  #begun = true;
  /** What has to be read anew, since the fence around it was ended. */
  #rest: string[] | undefined;
  #restsAtLineStart = false;
  readonly #lineEvents: LineEvents = {
    text: (text, kind) => this.#classified(text, kind),
    fenceStart: () => {},
    fenceEnd: () => {},
    paragraphEnd: () => {
      if (this.#rest === undefined) this.#events.paragraphEnd();
    },
    limit: (message, start, end) => {
      // One about a single character is about depth, and changes nothing here.
      if (this.#rest === undefined && !this.#state.marked && end > start + 1) {
        this.#state.notes.push({ message, start, end });
      }
    },
  };

  constructor(
    options: CodeTrackerOptions,
    events: CodeEvents,
    snapshot?: CodeTrackerSnapshot,
  ) {
    this.#options = options;
    this.#events = events;
    this.#state = snapshot === undefined
      ? {
        lines: undefined,
        offset: 0,
        backlog: [],
        backlogLength: 0,
        plain: true,
        passed: 0,
        marks: [],
        marked: options.trackFences === false,
        lost: false,
        calm: true,
        tag: "",
        notes: [],
      }
      : snapshot as State;
    this.#lines = this.#newLines(this.#state.lines);
  }

  /** Whether all text that was read is decided. */
  get isSettled(): boolean {
    const state = this.#state;
    return state.passed === state.backlogLength + this.#lines.pending;
  }

  /** The state as plain data. It shares what changes: copy it. */
  snapshot(): CodeTrackerSnapshot {
    return { ...this.#state, lines: this.#lines.snapshot() };
  }

  /** The next text, which has left already, with its {@linkcode knownFlagsOf}. */
  pass(
    text: string,
    start: number,
    code: CodeKind | undefined,
    flags: number,
  ): void {
    const state = this.#state;
    this.#add(text, start, code, (flags & LESS_THAN) !== 0);
    state.passed += text.length;
    state.backlog.push(text);
    state.backlogLength += text.length;
    state.plain &&= code === undefined && !mayFence(text, flags);
    if (state.backlogLength >= BACKLOG && !this.#skip()) this.#catchUp();
  }

  /** The next text, which waits for what it is. */
  read(text: string, start: number, code: CodeKind | undefined): void {
    this.#skip();
    this.#catchUp();
    this.#add(text, start, code, true);
    let next = text;
    this.#begun = true;
    for (;;) {
      this.#lines.advance(next);
      if (this.#rest === undefined) return;
      // What the lines keep comes after what they gave, and all of it came in `next`.
      const { pending } = this.#lines;
      if (pending > 0) this.#rest.push(next.slice(-pending));
      next = this.#rest.join("");
      this.#restart(start + text.length - next.length);
    }
  }

  /** Decides everything as if nothing followed. */
  release(): void {
    this.#catchUp();
    this.#lines.release();
    this.#readRest();
  }

  /** The stream is over. `idle` says that nobody asks any more. */
  end(idle: boolean): void {
    if (idle && this.#state.plain && this.isSettled) return;
    this.#catchUp();
    this.#lines.end();
    this.#readRest();
  }

  /** A fence of an upstream tracker begins or ends. */
  fence(): void {
    this.#startMarks();
  }

  /**
   * Ends the fence that the text at hand stands in: called from inside
   * `events.text`, with what of that text is to be read again as prose, in the
   * middle of a line or at the beginning of one.
   */
  breakFence(rest: string, atLineStart: boolean): void {
    const state = this.#state;
    this.#rest = [rest];
    this.#restsAtLineStart = atLineStart;
    if (!state.marked) return;
    // Upstream takes all that follows for that fence's content, up to its end,
    // and may be out of step even then. The own lines know better.
    state.lost = true;
    state.marked = false;
    state.marks = [];
  }

  /** Takes the notes about text before an offset. */
  takeNotes(before: number = Infinity): LimitNote[] {
    const { notes } = this.#state;
    let count = 0;
    while (count < notes.length && notes[count]!.end <= before) count++;
    return count === 0 ? [] : notes.splice(0, count);
  }

  #newLines(snapshot?: unknown): MarkdownLines {
    return new MarkdownLines(
      { mode: this.#options.mode },
      this.#lineEvents,
      snapshot,
    );
  }

  /** Notes what the next text is like. */
  #add(
    text: string,
    start: number,
    code: CodeKind | undefined,
    tags: boolean,
  ): void {
    const state = this.#state;
    if (start !== state.offset) {
      this.#catchUp();
      this.#lines.seek(start);
    }
    state.offset = start + text.length;
    if (code !== undefined) this.#startMarks();
    if (state.marked) {
      // Spans are followed anyway, since a tag may have ticks in it.
      const kind = code === undefined || code === "inline" ? "prose" : code;
      const last = state.marks[state.marks.length - 1];
      if (last?.kind === kind && last.counts) last.length += text.length;
      else state.marks.push(markOf(text.length, kind));
    }
    if (state.calm && (tags || state.tag !== "")) this.#watchHtml(text);
  }

  /** From here on upstream's marks count, if they may. */
  #startMarks(): void {
    const state = this.#state;
    if (
      state.marked || state.lost || this.#options.trackFences !== undefined
    ) return;
    state.marked = true;
    const length = state.backlogLength + this.#lines.pending;
    if (length > 0) state.marks.push(markOf(length, "prose", false));
  }

  /** HTML blocks that blank lines do not end begin with these names. */
  #watchHtml(text: string): void {
    const state = this.#state;
    const all = state.tag + text;
    state.tag = "";
    for (let at = all.indexOf("<"); at >= 0; at = all.indexOf("<", at + 1)) {
      if (at + 1 < all.length && !"!?pPsStT".includes(all[at + 1]!)) continue;
      const name = all.slice(at + 1, at + 9).toLowerCase();
      if (LONG_BLOCKS.some((one) => name.startsWith(one))) state.calm = false;
      else if (
        at + 1 + name.length === all.length &&
        LONG_BLOCKS.some((one) => one.startsWith(name))
      ) state.tag = all.slice(at);
    }
  }

  /**
   * Forgets the backlog up to the last paragraph that begins in it at the margin
   * behind a blank line, if that ends whatever was open: lists, quotes, all
   * blocks but fences and some of HTML.
   */
  #skip(): boolean {
    const state = this.#state;
    const { backlog } = state;
    if (
      !state.plain || !state.calm || this.#lines.pending > 0 ||
      this.#lines.fence !== undefined
    ) return false;
    for (let index = backlog.length - 1; index >= 0; index--) {
      const piece = backlog[index]!;
      for (
        let at = piece.lastIndexOf("\n\n");
        at >= 0;
        at = at === 0 ? -1 : piece.lastIndexOf("\n\n", at - 1)
      ) {
        const next = at + 2 < piece.length
          ? piece.charCodeAt(at + 2)
          : backlog[index + 1]?.charCodeAt(0) ?? 0;
        if (!isLetter(next)) continue;
        const kept = [piece.slice(at + 2), ...backlog.slice(index + 1)];
        if (kept[0] === "") kept.shift();
        let length = 0;
        for (const one of kept) length += one.length;
        if (length >= BACKLOG) return false;
        this.#forget(kept, length);
        return true;
      }
    }
    return false;
  }

  #forget(kept: string[], length: number): void {
    const state = this.#state;
    let gone = state.backlogLength - length;
    state.passed -= gone;
    state.backlog = kept;
    state.backlogLength = length;
    for (; gone > 0; state.marks.shift()) {
      const mark = state.marks[0];
      if (mark === undefined) break;
      const cut = Math.min(gone, mark.length);
      mark.length -= cut;
      gone -= cut;
      if (mark.length > 0) break;
    }
    if (this.#begun) this.#lines = this.#newLines();
    this.#begun = false;
    this.#lines.seek(state.offset - length);
    this.#events.paragraphEnd();
  }

  /** The lines read what was passed. */
  #catchUp(): void {
    const state = this.#state;
    if (state.backlogLength === 0) return;
    const text = state.backlog.join("");
    state.backlog = [];
    state.backlogLength = 0;
    state.plain = true;
    this.#begun = true;
    this.#lines.advance(text);
  }

  /** After a fence that was ended from inside when the lines had to decide: the rest of its line is prose. */
  #readRest(): void {
    const state = this.#state;
    if (this.#rest !== undefined) {
      const rest = this.#rest.join("");
      this.#restart(state.offset);
      if (rest !== "") this.#events.text(rest, "prose");
    }
    state.marks = [];
    state.passed = 0;
  }

  /** Forgets the lines: from an offset on there is prose. */
  #restart(offset: number): void {
    this.#lines = this.#newLines();
    // There is no such character; while `#rest` is there, it goes no further.
    if (!this.#restsAtLineStart) this.#lines.advance("x");
    this.#lines.seek(offset);
    this.#rest = undefined;
  }

  /** The next text, with what the lines say of it. */
  #classified(text: string, kind: LineKind): void {
    const state = this.#state;
    for (let from = 0; from < text.length;) {
      if (this.#rest !== undefined) {
        this.#rest.push(text.slice(from));
        return;
      }
      const [mark] = state.marks;
      let length = text.length - from;
      if (mark !== undefined) length = Math.min(length, mark.length);
      if (state.passed > 0) length = Math.min(length, state.passed);
      const piece = length === text.length
        ? text
        : text.slice(from, from + length);
      const found = mark?.counts === true ? mark.kind : kind;
      from += length;
      if (mark !== undefined) {
        mark.length -= length;
        if (mark.length === 0) state.marks.shift();
      }
      if (state.passed > 0) {
        state.passed -= length;
        this.#events.passed(piece, found);
      } else this.#events.text(piece, found);
    }
  }
}

/** What begins a paragraph, and nothing else, at the margin. */
function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Whether there is what fences and code spans are made of in a text. */
function mayFence(text: string, flags: number): boolean {
  return (flags & (TICK | TILDE)) !== 0 &&
    (text.includes("`") || text.includes("~"));
}

function markOf(length: number, kind: LineKind, counts: boolean = true): Mark {
  return { length, kind, counts };
}
