import type { CodeKind } from "../part.ts";
import { Backlog, type BacklogSnapshot } from "./backlog.ts";
import {
  type FenceMode,
  type LineEvents,
  type LineKind,
  MarkdownLines,
} from "./markdown_lines.ts";

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
  /** Whether what upstream marks is what the own lines would: they need not read it all then. */
  readonly sameMarks: boolean;
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
  /** Offset behind all text so far. */
  offset: number;
  /** How many of the next code units that the lines give were passed. */
  passed: number;
  /** Upstream's marks of the text that the lines have not given yet. */
  marks: Mark[];
  /** Whether upstream's marks count. */
  marked: boolean;
  /** Whether a fence was ended from inside, so that upstream's marks are wrong. */
  lost: boolean;
  notes: LimitNote[];
}

interface Snapshot {
  state: State;
  lines: unknown;
  backlog: BacklogSnapshot;
}

/** What {@linkcode CodeTracker.snapshot} returns: plain data nobody else looks into. */
export type CodeTrackerSnapshot = unknown;

/** So much text is passed before the lines read it at once. */
const BACKLOG = 2_048;

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
  /** Text that the lines have not read yet, all of it passed. */
  readonly #backlog: Backlog;
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
    const saved = snapshot as Snapshot | undefined;
    this.#state = saved?.state ?? {
      offset: 0,
      passed: 0,
      marks: [],
      marked: options.trackFences === false,
      lost: false,
      notes: [],
    };
    this.#backlog = new Backlog(saved?.backlog);
    this.#lines = this.#newLines(saved?.lines);
  }

  /** Whether all text that was read is decided. */
  get isSettled(): boolean {
    return this.#state.passed === this.#backlog.length + this.#lines.pending;
  }

  /** The state as plain data. It shares what changes: copy it. */
  snapshot(): CodeTrackerSnapshot {
    const snapshot: Snapshot = {
      state: this.#state,
      lines: this.#lines.snapshot(),
      backlog: this.#backlog.snapshot(),
    };
    return snapshot;
  }

  /** The next text, which has left already, with its {@linkcode knownFlagsOf}. */
  pass(
    text: string,
    start: number,
    code: CodeKind | undefined,
    flags: number,
  ): void {
    const backlog = this.#backlog;
    this.#add(text, start, code);
    this.#state.passed += text.length;
    backlog.add(text, flags);
    if (code !== undefined) backlog.mark();
    if (backlog.length >= BACKLOG && !this.#skip()) this.#catchUp();
  }

  /** The next text, which waits for what it is. */
  read(text: string, start: number, code: CodeKind | undefined): void {
    this.#skip();
    this.#catchUp();
    this.#add(text, start, code);
    this.#backlog.watch(text);
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
    if (idle && this.#backlog.plain && this.isSettled) return;
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
  }

  /** From here on upstream's marks count, if they may. */
  #startMarks(): void {
    const state = this.#state;
    if (
      state.marked || state.lost || this.#options.trackFences !== undefined
    ) return;
    state.marked = true;
    const length = this.#backlog.length + this.#lines.pending;
    if (length > 0) state.marks.push(markOf(length, "prose", false));
  }

  /** Forgets what of the backlog cannot matter any more. Gives whether that made it short. */
  #skip(): boolean {
    const state = this.#state;
    const isMarked = state.marked && this.#options.sameMarks;
    if (
      this.#lines.pending > 0 || !isMarked && this.#lines.fence !== undefined
    ) return false;
    let gone = this.#backlog.forget(
      BACKLOG,
      isMarked,
      (text) => !isMarked || this.#isProse(text.length),
    );
    if (gone === 0) return false;
    state.passed -= gone;
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
    this.#lines.seek(state.offset - this.#backlog.length);
    this.#events.paragraphEnd();
    return true;
  }

  /** Whether upstream says that the backlog is prose at an index. */
  #isProse(index: number): boolean {
    let left = index;
    for (const mark of this.#state.marks) {
      if (left < mark.length) return mark.kind === "prose";
      left -= mark.length;
    }
    return false;
  }

  /** The lines read what was passed. */
  #catchUp(): void {
    if (this.#backlog.length === 0) return;
    this.#begun = true;
    this.#lines.advance(this.#backlog.take());
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

function markOf(length: number, kind: LineKind, counts: boolean = true): Mark {
  return { length, kind, counts };
}
