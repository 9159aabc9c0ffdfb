import type { CodeKind, Part, TextPart, WarningCode } from "../part.ts";
import type { Schema } from "../schema.ts";
import type { Emit } from "../stage.ts";
import {
  type OfferedTools,
  parameterNames,
  readArguments,
} from "./call_arguments.ts";
import {
  type CompiledForm,
  FormReader,
  type FormReaderOptions,
  type FormReaderSnapshot,
  type OfferedNames,
  openingsOf,
} from "./form_reader.ts";
import { HeldText, type HeldTextSnapshot, textPart } from "./held_text.ts";
import { MarkdownLines } from "./markdown_lines.ts";
import { NO_OPENER, OpenerTable, PART_OF_OPENER } from "./opener_table.ts";
import {
  QuoteState,
  type QuoteStateSnapshot,
  type Quoting,
} from "./quote_state.ts";
import { makeSnapshot, openSnapshot } from "./snapshot.ts";
import { TextStage } from "./text_stage.ts";
import { CALL_OPEN, openings, UNIT_OPEN } from "./token_program.ts";

/** What a salvager works with; all defaults are filled in. */
export interface SalvagerConfiguration {
  readonly tools: ReadonlyMap<string, Schema | undefined>;
  readonly forms: readonly CompiledForm[];
  readonly bare: boolean;
  readonly leadIn: readonly string[];
  readonly startInside: string | undefined;
  readonly reasoning: readonly string[];
  readonly afterNativeCall: "on" | "off";
  readonly repairJSON: ((text: string) => string | undefined) | undefined;
  readonly progress: boolean;
  readonly generateId: (index: number) => string;
  readonly candidateLimit: number;
  readonly valueLimit: number;
}

/** A call that is complete and fits its tool. Offsets are those of the text channel. */
interface Found {
  start: number;
  end: number;
  name: string;
  input: unknown;
  repairs: string[];
  missing: string[];
  /** Its id, when its progress was told. */
  id: string | null;
}

/** A call whose progress is told. */
interface Progress {
  id: string;
  name: string;
  /** Offsets of what was told. */
  from: number;
  to: number;
}

/** One way to read a candidate. */
interface Reading {
  form: number;
  reader: FormReader;
  calls: Found[];
}

/** Why a reading came to nothing. */
interface Refusal {
  code: WarningCode;
  message: string;
  /** How far it had come, from the candidate's beginning. */
  at: number;
  /** Whether it is not worth a word: nothing had begun like a call. */
  silent: boolean;
}

/** Text that may turn out to be a call. */
interface Candidate {
  start: number;
  /** Where its lead-in word begins, or -1. */
  lead: number;
  /** Where scanning goes on when it is refused. */
  openerEnd: number;
  /** Whether it is a call inside a wrapper that was refused. */
  child: boolean;
  /** Whether a run of backticks is open in the paragraph. */
  ticks: boolean;
  /** Whether text in it is marked as code. */
  marked: boolean;
  readings: Reading[];
  refusal: Refusal | undefined;
  /** Forms of which nothing came, but whose values still have to be known. */
  refused: number[];
  progress: Progress | null;
  /** Text since `tailStart`, without that at hand. */
  tail: string[];
  tailStart: number;
}

/** A complete unit that waits for what follows. */
interface Pending {
  candidate: Candidate;
  reading: Reading;
  end: number;
  /** Whether a line end came behind it. */
  lineEnd: boolean;
  spaces: number;
}

/** The reader of a refused call: it tells where values are. */
interface Shadow {
  form: number;
  reader: FormReader;
  /** Whether it is a wrapper whose calls are read one by one. */
  mixed: boolean;
  /** Whether it stands in a code span, and is over with it. */
  inTicks: boolean;
}

/** A reasoning block that is open. */
interface Reasoning {
  closer: string;
  /** How much of the closer came. */
  matched: number;
  /** The backtick run that is open on the line, and the one that is coming. */
  ticks: number;
  run: number;
  /** A closer came inside an open run: it counts unless the run closes on this line. */
  closing: boolean;
}

interface State {
  /** Offset of the next code unit to look at. */
  at: number;
  /** Offset of the first code unit that was not given out. */
  out: number;
  /** Offset of the first code unit that what follows the text has not seen. */
  seen: number;
  /** Offset where the line begins, when nothing on it was looked at. */
  fresh: number;
  /** Whether only white space and reasoning came so far. */
  empty: boolean;
  /** Where the message's first thing is. */
  first: number;
  /** No candidate begins before this offset. */
  noStartBefore: number;
  /** No call of a refused wrapper begins before this offset. */
  noChildBefore: number;
  /** The undecided text that has to be looked at again. */
  rest: string;
  /** Where a lead-in word begins, with nothing but line ends behind it, or -1. */
  lead: number;
  reasoning: Reasoning | null;
  /** Whether a stage before this one marks code. */
  marked: boolean;
  /** Whether salvaging is over. */
  off: boolean;
  /** How many ids were given. */
  calls: number;
  /** Calls that begin before this offset were told of once. */
  told: number;
}

interface Snapshot {
  forms: string[];
  offset: number;
  held: HeldTextSnapshot;
  state: State;
  quotes: QuoteStateSnapshot;
  lines: unknown;
  candidate: SavedCandidate | null;
  pending: (Omit<Pending, "candidate" | "reading">) | null;
  shadows: (Omit<Shadow, "reader"> & { reader: FormReaderSnapshot })[];
}

interface SavedCandidate
  extends Omit<Candidate, "readings" | "tail" | "refusal"> {
  readings: (Omit<Reading, "reader"> & { reader: FormReaderSnapshot })[];
  refusal: Refusal | null;
}

const STAGE = "tool-call-salvager";

const OPENER = 1;
const SPECIAL = 2;

/** White space behind a bare call is waited through up to here. */
const LONGEST_WAIT = 256;

/** A lead-in word and the line ends behind it are not longer than this. */
const LONGEST_LEAD = 16;

/** More refused calls than these are not followed at a time. */
const MOST_SHADOWS = 8;

/**
 * The machine behind `ToolCallSalvagerStream`.
 *
 * ```
 *            opener                 complete            nothing forbids it
 *   scan ───────────────► candidate ────────► pending ─────────────────► call
 *    ▲ ▲                     │                   │
 *    │ └── behind the opener─┴── refused ────────┘
 *    └── reasoning ◄─► scan
 * ```
 *
 * Text is looked at in `#work`, which holds the piece at hand and before it only
 * what is undecided; `#state.at` is the next code unit to look at. What stays
 * text runs through the quoting state (`#quotes`, `#lines`) and the readers of
 * refused calls (`#shadows`), up to `#state.seen`; what is in a candidate does not.
 */
export class SalvagerStage extends TextStage {
  protected readonly held: HeldText;
  readonly #configuration: SalvagerConfiguration;
  readonly #tools: OfferedTools;
  readonly #readerOptions: FormReaderOptions;
  readonly #table: OpenerTable;
  readonly #messageForms: readonly number[];
  readonly #orphans: Map<number, OpenerTable> = new Map();
  /** By code unit below 128: what scanning has to do. */
  readonly #ascii: Uint8Array = new Uint8Array(128);
  readonly #highOpeners: boolean;
  readonly #leadIn: readonly string[];
  readonly #state: State;
  readonly #quotes: QuoteState;
  readonly #lines: MarkdownLines;
  #candidate: Candidate | undefined;
  #pending: Pending | undefined;
  #shadows: Shadow[];

  // The work at hand; none of this outlives a push.
  #emit: Emit<Part> = () => {};
  #piece = "";
  #pieceStart = 0;
  #code: CodeKind | undefined;
  #whole: TextPart | undefined;
  #work = "";
  #workStart = 0;
  /** Index in the work up to which the quoting state has seen it. */
  #passed = 0;
  /** Whether what is held has to be decided now. */
  #finishing = false;

  constructor(configuration: SalvagerConfiguration, snapshot: unknown) {
    super();
    const { forms, tools, reasoning, candidateLimit, valueLimit } =
      configuration;
    this.#configuration = configuration;
    this.#tools = {
      schemas: tools,
      repairJSON: configuration.repairJSON,
    };
    this.#readerOptions = {
      names: namesOf(tools),
      loose: configuration.repairJSON !== undefined,
      candidate: candidateLimit,
      value: valueLimit,
    };
    this.#leadIn = configuration.bare && forms.some(({ form }) => form.bare)
      ? configuration.leadIn
      : [];
    const names = [...tools.keys()];
    const openers: [string, number][] = [];
    const messageForms: number[] = [];
    for (const [index, compiled] of forms.entries()) {
      if (compiled.form.position === "message") messageForms.push(index);
      else {
        for (
          const opening of compiled.openings ?? openingsOf(compiled, names)
        ) {
          openers.push([opening, index]);
        }
      }
    }
    this.#messageForms = messageForms;
    for (const [index, name] of reasoning.entries()) {
      openers.push([`<${name}>`, -1 - index]);
    }
    this.#table = new OpenerTable(openers);
    this.#highOpeners = this.#table.firstUnits().some((unit) => unit >= 128);
    for (let unit = 0; unit < 128; unit++) {
      this.#ascii[unit] = (this.#table.begins(unit) ? OPENER : 0) |
        (QuoteState.isSpecial(unit) ? SPECIAL : 0);
    }

    const saved = openSnapshot<Snapshot>(STAGE, snapshot);
    const signature = this.#signature();
    if (
      saved !== undefined && saved.forms.join("\n") !== signature.join("\n")
    ) {
      throw new TypeError(
        "Cannot resume: the snapshot is one of a salvager with other dialects",
      );
    }
    this.held = new HeldText(saved?.held);
    this.offset = saved?.offset ?? 0;
    this.#state = saved?.state ?? {
      at: 0,
      out: 0,
      seen: 0,
      fresh: 0,
      empty: true,
      first: -1,
      noStartBefore: 0,
      noChildBefore: 0,
      rest: "",
      lead: -1,
      reasoning: configuration.startInside === undefined
        ? null
        : newReasoning(configuration.startInside),
      marked: false,
      off: tools.size === 0 || forms.length === 0,
      calls: 0,
      told: 0,
    };
    this.#quotes = new QuoteState(saved?.quotes);
    this.#lines = new MarkdownLines({}, NO_EVENTS, saved?.lines);
    this.#shadows = (saved?.shadows ?? []).map((shadow) => ({
      ...shadow,
      reader: new FormReader(forms[shadow.form]!, {}, shadow.reader),
    }));
    const candidate = saved?.candidate ?? undefined;
    if (candidate !== undefined) {
      this.#candidate = {
        ...candidate,
        refusal: candidate.refusal ?? undefined,
        readings: candidate.readings.map((reading) => ({
          ...reading,
          reader: new FormReader(
            forms[reading.form]!,
            this.#optionsFor(candidate.child),
            reading.reader,
          ),
        })),
        tail: [this.held.join().slice(candidate.tailStart - this.#state.out)],
      };
      if (saved!.pending !== null) {
        this.#pending = {
          ...saved!.pending,
          candidate: this.#candidate,
          reading: this.#candidate.readings[0]!,
        };
        this.#candidate = undefined;
      }
    }
  }

  end(emit: Emit<Part>): void {
    this.release(emit);
  }

  snapshot(): unknown {
    const pending = this.#pending;
    const candidate = pending?.candidate ?? this.#candidate;
    const readings = pending === undefined
      ? candidate?.readings ?? []
      : [pending.reading];
    const state: Snapshot = {
      forms: this.#signature(),
      offset: this.offset,
      held: this.held.snapshot(),
      state: this.#state,
      quotes: this.#quotes.snapshot(),
      lines: this.#lines.snapshot(),
      candidate: candidate === undefined ? null : {
        start: candidate.start,
        lead: candidate.lead,
        openerEnd: candidate.openerEnd,
        child: candidate.child,
        ticks: candidate.ticks,
        marked: candidate.marked,
        tailStart: candidate.tailStart,
        refused: candidate.refused,
        progress: candidate.progress,
        refusal: candidate.refusal ?? null,
        readings: readings.map(({ form, reader, calls }) => ({
          form,
          reader: reader.snapshot(),
          calls,
        })),
      },
      pending: pending === undefined ? null : {
        end: pending.end,
        lineEnd: pending.lineEnd,
        spaces: pending.spaces,
      },
      shadows: this.#shadows.map((shadow) => ({
        ...shadow,
        reader: shadow.reader.snapshot(),
      })),
    };
    return makeSnapshot(STAGE, state);
  }

  #signature(): string[] {
    return this.#configuration.forms.map(({ dialect }) => dialect);
  }

  protected override part(part: Part, emit: Emit<Part>): void {
    const state = this.#state;
    if (part.type === "fence-start" || part.type === "fence-end") {
      state.marked = true;
      if (this.#candidate !== undefined && this.held.length > 0) {
        // A value may hold a fence.
        this.held.wait(part);
        return;
      }
    }
    super.part(part, emit);
    if (
      this.#configuration.afterNativeCall === "off" &&
      (part.type === "tool-input-start" ||
        part.type === "tool-call" && part.origin === "native")
    ) state.off = true;
  }

  protected text(
    text: string,
    start: number,
    code: CodeKind | undefined,
    whole: TextPart | undefined,
    emit: Emit<Part>,
  ): void {
    const state = this.#state;
    if (state.off) {
      emit(whole ?? textPart(text, start, code));
      return;
    }
    if (code !== undefined) {
      state.marked = true;
      if (this.#candidate === undefined) this.release(emit);
      else this.#candidate.marked = true;
    }
    this.#begin(text, start, code, whole, emit);
    if (this.#candidate === undefined && code !== undefined) this.#passCode();
    else this.#run();
    this.#keep();
  }

  protected release(emit: Emit<Part>): void {
    const state = this.#state;
    if (this.held.length === 0) return;
    const end = state.out + this.held.length;
    this.#begin("", end, undefined, undefined, emit);
    this.#finishing = true;
    for (;;) {
      if (this.#pending !== undefined) this.#accept(this.#pending);
      else if (this.#candidate !== undefined) {
        this.#finish(this.#candidate);
        // What follows was read already: nothing in it begins a call.
        state.noStartBefore = state.noChildBefore = end;
      } else if (!this.#scan()) {
        if (state.at === end) break;
        state.noStartBefore = state.noChildBefore = end;
      }
    }
    this.#finishing = false;
    state.lead = -1;
    this.#keep();
  }

  get #workEnd(): number {
    return this.#workStart + this.#work.length;
  }

  #begin(
    text: string,
    start: number,
    code: CodeKind | undefined,
    whole: TextPart | undefined,
    emit: Emit<Part>,
  ): void {
    const state = this.#state;
    this.#emit = emit;
    this.#piece = text;
    this.#pieceStart = start;
    this.#code = code;
    this.#whole = whole;
    if (this.held.length === 0) {
      if (state.fresh === state.at) state.fresh = start;
      state.at = state.out = state.seen = start;
    }
    this.#work = state.rest === "" ? text : state.rest + text;
    this.#workStart = start - state.rest.length;
    state.rest = "";
  }

  /** Makes the work at hand begin at the first code unit that was not given out. */
  #rewind(): void {
    if (this.#workStart <= this.#state.out) return;
    this.#work = this.held.join() + this.#piece;
    this.#workStart = this.#state.out;
  }

  /** Ends the work at hand: gives out what is decided and holds the rest. */
  #keep(): void {
    const state = this.#state;
    const candidate = this.#candidate ?? this.#pending?.candidate;
    let from = state.at;
    if (candidate !== undefined) {
      from = candidate.lead >= 0 ? candidate.lead : candidate.start;
      if (this.#candidate !== undefined) {
        this.#tellMore(candidate);
        const tail = Math.max(candidate.tailStart, this.#workStart);
        candidate.tail.push(this.#work.slice(tail - this.#workStart));
      }
    } else if (state.lead >= 0) from = state.lead;
    if (this.#candidate === undefined) {
      state.rest = this.#work.slice(state.at - this.#workStart);
      if (this.#pending === undefined) this.#feed(state.at);
    }
    this.#give(from);
    const kept = Math.max(from, this.#pieceStart);
    this.held.add(
      this.#piece.slice(kept - this.#pieceStart),
      kept,
      this.#code,
    );
    this.#work = this.#piece = "";
    this.#whole = undefined;
  }

  /** Gives out text up to an offset. */
  #give(to: number): void {
    const state = this.#state;
    const start = this.#pieceStart;
    if (state.out < Math.min(start, to)) {
      const end = Math.min(start, to);
      this.held.give(this.#emit, end - state.out);
      state.out = end;
    }
    if (state.out >= to) return;
    if (
      this.#whole !== undefined && state.out === start &&
      to === start + this.#piece.length
    ) this.#emit(this.#whole);
    else {
      this.#emit(
        textPart(
          this.#piece.slice(state.out - start, to - start),
          state.out,
          this.#code,
        ),
      );
    }
    state.out = to;
  }

  /** Takes text out up to an offset. */
  #cut(to: number): { text: string; waiting: Part[] } {
    const state = this.#state;
    const start = this.#pieceStart;
    let text = "";
    let waiting: Part[] = [];
    if (state.out < Math.min(start, to)) {
      const end = Math.min(start, to);
      ({ text, waiting } = this.held.cut(end - state.out));
      state.out = end;
    }
    if (state.out < to) {
      text += this.#piece.slice(state.out - start, to - start);
      state.out = to;
    }
    return { text, waiting };
  }

  /** Lets what follows the text see it up to an offset. */
  #feed(to: number): void {
    if (this.#state.seen >= to) return;
    const from = this.#state.seen - this.#workStart;
    const end = to - this.#workStart;
    this.#state.seen = to;
    if (!this.#state.marked) {
      this.#lines.advance(
        from === 0 && end === this.#work.length
          ? this.#work
          : this.#work.slice(from, end),
      );
    }
    if (this.#shadows.length === 0) return;
    this.#shadows = this.#shadows.filter(({ reader }) => {
      for (let at = from; at < end;) {
        at = reader.read(this.#work, at, end);
        if (reader.event === "end" || reader.event === "dead") return false;
      }
      return !reader.ended && !reader.dead;
    });
  }

  #run(): void {
    for (;;) {
      if (this.#candidate !== undefined) {
        if (!this.#read(this.#candidate)) return;
      } else if (this.#pending !== undefined) {
        if (!this.#wait(this.#pending)) return;
      } else {
        if (this.#code !== undefined) {
          this.#state.noStartBefore = this.#workEnd;
          this.#state.noChildBefore = this.#workEnd;
        }
        if (!this.#scan()) return;
      }
    }
  }

  /** Text that a stage before this one marked: nothing begins in it. */
  #passCode(): void {
    const state = this.#state;
    this.#quotes.pass("x", 0, 1);
    state.at = this.#workEnd;
    state.empty = false;
    state.lead = -1;
    for (let at = 0; at < this.#work.length; at++) {
      const unit = this.#work.charCodeAt(at);
      if (unit === 0x0a || unit === 0x0d) {
        this.#quotes.special(unit);
        state.fresh = this.#workStart + at + 1;
      }
    }
  }

  /** Looks for the next thing that begins. `false`: the text is over. */
  #scan(): boolean {
    const state = this.#state;
    if (state.reasoning !== null) return this.#reason(state.reasoning);
    const text = this.#work;
    const base = this.#workStart;
    const quotes = this.#quotes;
    let at = state.at - base;
    this.#passed = at;
    if (state.empty && this.#messageForms.length > 0) {
      while (at < text.length && isSpace(text.charCodeAt(at))) {
        const unit = text.charCodeAt(at);
        if (QuoteState.isSpecial(unit)) {
          this.#stop(at);
          quotes.special(unit);
          this.#passed = ++at;
          state.fresh = base + at;
        } else at++;
      }
      this.#stop(at);
      if (at === text.length) return false;
      state.empty = false;
      state.first = state.at;
      if (
        base + at >= state.noStartBefore &&
        this.#openMessage(text.charCodeAt(at))
      ) return true;
    }
    while (at < text.length) {
      const offset = base + at;
      if (this.#leadIn.length > 0) {
        const length = this.#matchLead(at);
        if (length < 0) {
          this.#stop(at);
          return false;
        }
        if (length > 0) {
          state.lead = offset;
          at += length;
          continue;
        }
      }
      const unit = text.charCodeAt(at);
      const flags = unit < 128
        ? this.#ascii[unit]!
        : (this.#highOpeners && this.#table.begins(unit) ? OPENER : 0) |
          (QuoteState.isSpecial(unit) ? SPECIAL : 0);
      if (
        state.lead >= 0 && !(flags & OPENER) && unit !== 0x0a && unit !== 0x0d
      ) state.lead = -1;
      if (
        this.#shadows.length > 0 && offset >= state.noChildBefore &&
        this.#beginsChild(unit, at)
      ) {
        this.#stop(at);
        this.#openChild(unit);
        return true;
      }
      if (flags === 0) {
        at++;
        continue;
      }
      if (flags & OPENER && offset >= state.noStartBefore) {
        const match = this.#table.find(text, at);
        if (match !== NO_OPENER && !this.#inShadow(at)) {
          if (match === PART_OF_OPENER) {
            this.#stop(at);
            return false;
          }
          this.#stop(at);
          if (this.#open(match.values, at, match.length)) return true;
        }
        state.lead = -1;
      }
      if (flags & SPECIAL) {
        if (unit === 0x60) this.#leaveTicks(at);
        quotes.pass(text, this.#passed, at);
        quotes.special(unit);
        this.#passed = ++at;
        if (unit === 0x0a || unit === 0x0d) state.fresh = base + at;
        if (state.lead >= 0 && base + at - state.lead >= LONGEST_LEAD) {
          state.lead = -1;
        }
      } else at++;
    }
    this.#stop(text.length);
    return false;
  }

  /** Scanning has come to an index of the work. */
  #stop(at: number): void {
    this.#quotes.pass(this.#work, this.#passed, at);
    this.#passed = at;
    this.#state.at = this.#workStart + at;
  }

  /** Length of a lead-in word that stands alone on its line; -1: more text is needed. */
  #matchLead(at: number): number {
    const state = this.#state;
    const offset = this.#workStart + at;
    if (
      offset !== state.fresh || offset < state.noStartBefore || state.lead >= 0
    ) return 0;
    const text = this.#work;
    for (const word of this.#leadIn) {
      const there = text.slice(at, at + word.length);
      if (there === word) {
        const next = text[at + word.length];
        if (next === undefined) return -1;
        if (next === "\n" || next === "\r") {
          return this.#inShadow(at) ? 0 : word.length;
        }
      } else if (
        at + there.length === text.length && word.startsWith(there)
      ) return -1;
    }
    return 0;
  }

  /** Whether the text at an index stands in a value of a refused call. */
  #inShadow(at: number): boolean {
    if (this.#shadows.length === 0) return false;
    this.#feed(this.#workStart + at);
    return this.#shadows.some(({ reader }) => reader.inValue);
  }

  #beginsChild(unit: number, at: number): boolean {
    if (!this.#shadows.some(({ mixed }) => mixed)) return false;
    return !this.#inShadow(at) &&
      this.#shadows.some(({ mixed, reader }) =>
        mixed && reader.mayBeginCall(unit)
      ) && this.#quoting(at) === undefined;
  }

  /** A backtick comes: what stood in a code span is over. */
  #leaveTicks(at: number): void {
    if (!this.#shadows.some(({ inTicks }) => inTicks)) return;
    this.#feed(this.#workStart + at);
    this.#shadows = this.#shadows.filter(({ inTicks }) => !inTicks);
  }

  /** What quotes the next code unit. */
  #quoting(at: number): Quoting | "fence" | undefined {
    this.#feed(this.#workStart + at);
    if (
      !this.#state.marked &&
      this.#lines.kindOf(this.#work[at]!) !== "prose"
    ) return "fence";
    return this.#quotes.quoting;
  }

  /** An opener is there. `false`: nothing begins, it is text. */
  #open(values: readonly number[], at: number, length: number): boolean {
    const state = this.#state;
    const quoting = this.#quoting(at);
    const blank = this.#quotes.blank;
    const [first] = values;
    if (first! < 0) {
      if (quoting !== undefined || !blank) return false;
      // A message may begin behind its reasoning.
      state.empty = state.at === state.first;
      state.reasoning = newReasoning(
        this.#configuration.reasoning[-1 - first!]!,
      );
      state.at += length;
      this.#state.seen = state.at;
      state.lead = -1;
      return true;
    }
    const { forms, bare } = this.#configuration;
    const usable = quoting !== undefined ? [] : values.filter((index) => {
      const { form } = forms[index]!;
      return form.position !== "line-start" || blank && (bare || !form.bare);
    });
    if (usable.length === 0) {
      this.#refuse(values, length, quoting);
      return false;
    }
    const isBare = usable.every((index) => forms[index]!.form.bare);
    this.#openCandidate(usable, length, false, isBare ? state.lead : -1);
    return true;
  }

  /** An opener stands where no call may begin. */
  #refuse(
    forms: readonly number[],
    length: number,
    quoting: Quoting | "fence" | undefined,
  ): void {
    const state = this.#state;
    const { at } = state;
    state.noStartBefore = at + length;
    this.#warn(
      quoting === undefined ? "position" : "quoted",
      quoting === undefined
        ? "What may be a tool call stays text: it has to be first on its line, and a form without wrapper has to be switched on"
        : `What may be a tool call stays text: it is quoted (${
          NAMES_OF_QUOTING[quoting]
        })`,
      at,
      at + length,
    );
    // What a fence or a block quote holds is quoted, all of it.
    if (quoting === "fence" || quoting === "block") return;
    for (const form of forms) this.#addShadow(form, false, quoting === "code");
  }

  #addShadow(form: number, mixed: boolean, inTicks = false): Shadow {
    this.#feed(this.#state.at);
    const shadow: Shadow = {
      form,
      reader: new FormReader(this.#configuration.forms[form]!, {}),
      mixed,
      inTicks,
    };
    // An opener where no value is: what was before it with the same form is over.
    this.#shadows = this.#shadows.filter((one) => one.form !== form);
    this.#shadows.push(shadow);
    if (this.#shadows.length > MOST_SHADOWS) this.#shadows.shift();
    return shadow;
  }

  #openMessage(unit: number): boolean {
    const { forms } = this.#configuration;
    const usable = this.#messageForms.filter((index) =>
      beginsMessage(forms[index]!, unit)
    );
    if (usable.length === 0) return false;
    const others = forms.flatMap(({ form, program }, index) =>
      form.position !== "message" && !form.bare &&
        program.beginsWith(unit) !== 0
        ? [index]
        : []
    );
    if (this.#quoting(this.#state.at - this.#workStart) !== undefined) {
      return false;
    }
    this.#openCandidate([...others, ...usable], 1, false, -1);
    return true;
  }

  #openChild(unit: number): void {
    const forms = this.#shadows.flatMap(({ mixed, form, reader }) =>
      mixed && reader.mayBeginCall(unit) ? [form] : []
    );
    this.#openCandidate([...new Set(forms)], 1, true, -1);
  }

  #optionsFor(child: boolean): FormReaderOptions {
    return child ? { ...this.#readerOptions, child } : this.#readerOptions;
  }

  #openCandidate(
    forms: readonly number[],
    length: number,
    child: boolean,
    lead: number,
  ): void {
    const { at } = this.#state;
    this.#feed(at);
    this.#state.lead = -1;
    const options = this.#optionsFor(child);
    this.#candidate = {
      start: at,
      lead,
      openerEnd: at + length,
      child,
      ticks: this.#quotes.ticksInParagraph,
      marked: false,
      readings: forms.map((form) => ({
        form,
        reader: new FormReader(this.#configuration.forms[form]!, options),
        calls: [],
      })),
      refusal: undefined,
      refused: [],
      progress: null,
      tail: [],
      tailStart: at,
    };
  }

  /** Follows a reasoning block. `false`: the text is over. */
  #reason(reasoning: Reasoning): boolean {
    const state = this.#state;
    const { closer } = reasoning;
    for (let at = state.at - this.#workStart; at < this.#work.length;) {
      const unit = this.#work.charCodeAt(at++);
      if (unit === 0x60) reasoning.run++;
      else if (reasoning.run > 0) {
        if (reasoning.ticks === 0) reasoning.ticks = reasoning.run;
        else if (reasoning.ticks === reasoning.run) {
          reasoning.ticks = 0;
          reasoning.closing = false;
        }
        reasoning.run = 0;
      }
      const over = unit === 0x0a && reasoning.closing;
      if (unit === 0x0a) reasoning.ticks = 0;
      reasoning.matched = unit === closer.charCodeAt(reasoning.matched)
        ? reasoning.matched + 1
        : unit === closer.charCodeAt(0)
        ? 1
        : 0;
      if (reasoning.matched === closer.length) {
        reasoning.matched = 0;
        reasoning.closing = true;
      }
      if (over || reasoning.closing && reasoning.ticks === 0) {
        // What stood before it goes on, as if it had not been there.
        state.reasoning = null;
        state.at = state.seen = this.#workStart + at;
        state.fresh = state.at;
        return true;
      }
    }
    state.at = state.seen = this.#workEnd;
    return false;
  }

  /** Reads a candidate. `false`: the text is over. */
  #read(candidate: Candidate): boolean {
    const length = this.#work.length;
    for (;;) {
      let next: Reading | undefined;
      for (const reading of candidate.readings) {
        const { reader } = reading;
        const at = candidate.start + reader.at - this.#workStart;
        if (reader.event === "none") reader.read(this.#work, at, length);
        if (
          reader.event !== "none" &&
          (next === undefined || reader.at < next.reader.at)
        ) next = reading;
      }
      if (next === undefined) {
        this.#state.at = this.#workEnd;
        return false;
      }
      this.#handle(candidate, next);
      if (this.#candidate !== candidate) return true;
      next.reader.read(
        this.#work,
        candidate.start + next.reader.at - this.#workStart,
        length,
      );
    }
  }

  /** The stream is over, or as good as: the candidate has to do with what there is. */
  #finish(candidate: Candidate): void {
    while (this.#candidate === candidate) {
      const [reading] = candidate.readings;
      reading!.reader.finish();
      this.#handle(candidate, reading!);
    }
  }

  /** Deals with what a reader stopped for. */
  #handle(candidate: Candidate, reading: Reading): void {
    const { reader } = reading;
    switch (reader.event) {
      case "name": {
        const name = reader.name!;
        if (this.#configuration.tools.has(name)) {
          this.#tellStart(candidate, reading, name);
          return;
        }
        this.#refuseCall(candidate, reading, {
          code: "unknown-tool",
          message: `What may be a tool call stays text: tool "${
            shown(name)
          }" was not offered`,
          at: reader.at,
          silent: false,
        });
        return;
      }
      case "call":
        this.#takeCall(candidate, reading);
        return;
      case "end":
        this.#complete(candidate, reading);
        return;
      default: {
        const refusal: Refusal = {
          code: reader.reason,
          message: MESSAGES[reader.reason],
          at: reader.at,
          silent: isSilent(candidate, reading),
        };
        if (reader.diedInCall) this.#refuseCall(candidate, reading, refusal);
        else if (
          reading.calls.length > 0 && reader.keepsCalls &&
          !reader.compiled.fenced
        ) {
          this.#mix(candidate, reading);
          this.#warn(
            refusal.code,
            refusal.message,
            reading.calls.at(-1)!.end,
            candidate.start + refusal.at,
          );
        } else this.#drop(candidate, reading, refusal);
      }
    }
  }

  /** A call is complete: it counts if it fits its tool. */
  #takeCall(candidate: Candidate, reading: Reading): void {
    const { reader } = reading;
    const call = reader.call!;
    const start = candidate.start + call.start;
    const end = candidate.start + call.end;
    const read = readArguments(
      reader.compiled,
      call,
      this.#textOf(candidate, start, end),
      this.#tools,
    );
    if (!read.ok) {
      this.#refuseCall(candidate, reading, {
        code: read.code,
        message: `What may be a call of tool "${
          shown(read.name ?? "")
        }" stays text: ${read.reason}`,
        at: call.end,
        silent: false,
      });
      return;
    }
    const { name, input, repairs, missing } = read;
    this.#tellMore(candidate, end);
    const id = candidate.progress?.id ?? null;
    candidate.progress = null;
    reading.calls.push({ start, end, name, input, repairs, missing, id });
    if (candidate.readings.length === 1) {
      candidate.tail = [];
      candidate.tailStart = end;
    }
    if (reader.ended) this.#complete(candidate, reading);
  }

  /** A call is refused: with it the wrapper, whose other calls are read one by one. */
  #refuseCall(
    candidate: Candidate,
    reading: Reading,
    refusal: Refusal,
  ): void {
    this.#tellEnd(candidate);
    if (
      candidate.child || !reading.reader.compiled.wrapped ||
      reading.reader.compiled.form.position === "message" ||
      // A wrapper that is a fence, and comes to nothing, is a fence.
      reading.reader.compiled.fenced || candidate.readings.length > 1
    ) {
      this.#drop(candidate, reading, refusal);
      return;
    }
    this.#mix(candidate, reading);
    // Else it is refused once more, by itself.
    if (this.#finishing) {
      this.#warn(
        refusal.code,
        refusal.message,
        candidate.start + (reading.reader.call?.start ?? 0),
        candidate.start + refusal.at,
      );
    }
  }

  /** A call's name is known: its progress is told from here on. */
  #tellStart(candidate: Candidate, { reader }: Reading, name: string): void {
    const state = this.#state;
    const start = candidate.start + reader.call!.start;
    if (
      !this.#configuration.progress || candidate.readings.length > 1 ||
      start < state.told
    ) return;
    const from = candidate.start + reader.at;
    state.told = from;
    candidate.progress = { id: this.#newId(), name, from, to: from };
    this.#give(candidate.lead >= 0 ? candidate.lead : candidate.start);
    this.#emit({
      type: "tool-input-start",
      toolCallId: candidate.progress.id,
      toolName: name,
    });
  }

  /** Tells what came of the call, up to an offset. */
  #tellMore(
    candidate: Candidate,
    to = candidate.start + candidate.readings[0]!.reader.safeAt,
  ): void {
    const { progress } = candidate;
    if (progress === null || progress.to >= to) return;
    const delta = this.#textOf(candidate, progress.to, to);
    progress.to = to;
    this.#emit({ type: "tool-input-delta", toolCallId: progress.id, delta });
  }

  /** The call comes to nothing. */
  #tellEnd(candidate: Candidate): void {
    const { progress } = candidate;
    if (progress === null) return;
    this.#tellMore(candidate);
    this.#emit({
      type: "tool-call-partial",
      toolCallId: progress.id,
      toolName: progress.name,
      inputText: this.#textOf(candidate, progress.from, progress.to),
    });
    candidate.progress = null;
  }

  #newId(): string {
    return this.#configuration.generateId(++this.#state.calls);
  }

  /** One reading of the candidate came to nothing. */
  #drop(candidate: Candidate, reading: Reading, refusal: Refusal): void {
    candidate.readings = candidate.readings.filter((one) => one !== reading);
    if (
      candidate.refusal === undefined || refusal.at > candidate.refusal.at
    ) candidate.refusal = refusal;
    if (reading.reader.isToFollow) candidate.refused.push(reading.form);
    if (candidate.readings.length > 0) return;
    this.#candidate = undefined;
    this.#reject(candidate, candidate.refusal, reading.calls);
  }

  /** The text between two offsets, both in the candidate. */
  #textOf(candidate: Candidate, from: number, to: number): string {
    if (from >= this.#workStart) {
      return this.#work.slice(from - this.#workStart, to - this.#workStart);
    }
    const text = candidate.tail.join("") +
      this.#work.slice(
        Math.max(0, candidate.tailStart - this.#workStart),
        to - this.#workStart,
      );
    return text.slice(from - candidate.tailStart, to - candidate.tailStart);
  }

  /** The candidate is no call: its text is looked at again, behind the opener. */
  #reject(
    candidate: Candidate,
    refusal: Refusal,
    calls: readonly Found[],
  ): void {
    const state = this.#state;
    const { start } = candidate;
    this.#rewind();
    state.at = start;
    for (const call of calls) {
      if (call.id === null) continue;
      this.#emit({
        type: "tool-call-partial",
        toolCallId: call.id,
        toolName: call.name,
        inputText: this.#textOf(candidate, call.start, call.end),
      });
    }
    if (candidate.child) state.noChildBefore = start + 1;
    if (!refusal.silent) {
      state.noStartBefore = candidate.openerEnd;
      this.#warn(refusal.code, refusal.message, start, start + refusal.at);
    }
    if (candidate.marked) state.noStartBefore = this.#workEnd;
    // The reader of the wrapper follows a refused call in it.
    if (candidate.child) return;
    for (const form of candidate.refused) this.#addShadow(form, false);
  }

  /** Gives a wrapper's calls so far and makes the rest text, in which further calls may be found. */
  #mix(candidate: Candidate, reading: Reading): void {
    const state = this.#state;
    this.#candidate = undefined;
    this.#rewind();
    state.at = candidate.start;
    const shadow = this.#addShadow(reading.form, true);
    state.noStartBefore = candidate.openerEnd;
    for (const call of reading.calls) {
      this.#passText(call.start);
      this.#give(call.start);
      this.#giveCall(reading, call, call.end);
      shadow.reader.passCall();
      state.at = state.seen = call.end;
    }
  }

  /** Lets text through in which nothing begins. */
  #passText(to: number): void {
    const state = this.#state;
    const { noStartBefore, noChildBefore } = state;
    const work = this.#work;
    state.noStartBefore = state.noChildBefore = to;
    this.#work = work.slice(0, to - this.#workStart);
    this.#scan();
    this.#feed(to);
    this.#work = work;
    state.noStartBefore = noStartBefore;
    state.noChildBefore = noChildBefore;
  }

  /** A unit is complete. Its calls leave, unless something may still forbid it. */
  #complete(candidate: Candidate, reading: Reading): void {
    const { reader } = reading;
    const { position = "anywhere" } = reader.compiled.form;
    const last = reading.calls.at(-1)!;
    last.repairs = [...new Set([...last.repairs, ...reader.repairs])];
    this.#candidate = undefined;
    const end = candidate.start + reader.end;
    if (end < this.#workStart) this.#rewind();
    this.#state.at = end;
    const pending: Pending = {
      candidate,
      reading,
      end,
      lineEnd: false,
      spaces: 0,
    };
    if (
      !candidate.child && (position !== "anywhere" || candidate.ticks)
    ) this.#pending = pending;
    else this.#accept(pending);
  }

  /** Looks at what follows a complete unit. `false`: more text is needed. */
  #wait(pending: Pending): boolean {
    const state = this.#state;
    const { candidate, reading, end } = pending;
    const { form } = reading.reader.compiled;
    const text = this.#work;
    for (let at = state.at - this.#workStart; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const offset = this.#workStart + at;
      state.at = offset;
      if (offset === end && candidate.ticks && unit === 0x60) {
        this.#rejectPending(pending, "quoted");
        return true;
      }
      if (form.position === undefined || form.position === "anywhere") {
        this.#accept(pending);
        return true;
      }
      if (isSpace(unit)) {
        if (unit === 0x0a || unit === 0x0d) pending.lineEnd = true;
        if (
          ++pending.spaces > LONGEST_WAIT && form.position === "line-start"
        ) {
          this.#accept(pending);
          return true;
        }
        continue;
      }
      if (form.position === "message") {
        this.#rejectPending(pending, "position");
        return true;
      }
      const orphan = this.#orphansOf(reading.form).find(text, at);
      if (orphan === PART_OF_OPENER) return false;
      if (orphan !== NO_OPENER) {
        this.#accept(pending, offset + orphan.length);
        return true;
      }
      if (!pending.lineEnd) {
        const opener = this.#table.find(text, at);
        if (opener === PART_OF_OPENER) return false;
        if (opener === NO_OPENER) {
          this.#rejectPending(pending, "position");
          return true;
        }
      }
      this.#accept(pending);
      return true;
    }
    state.at = this.#workEnd;
    return false;
  }

  #orphansOf(form: number): OpenerTable {
    let table = this.#orphans.get(form);
    if (table === undefined) {
      const { orphans = [] } = this.#configuration.forms[form]!.form;
      table = new OpenerTable(
        orphans.flatMap((pattern) => openings(pattern, [])).map((text) =>
          [text, 0] as const
        ),
      );
      this.#orphans.set(form, table);
    }
    return table;
  }

  #rejectPending(pending: Pending, code: "quoted" | "position"): void {
    const { candidate, reading, end } = pending;
    this.#pending = undefined;
    candidate.refused.push(reading.form);
    this.#reject(candidate, {
      code,
      message: code === "quoted"
        ? "What may be a tool call stays text: a backtick follows it, and one is open before it"
        : "What may be a tool call stays text: something stands behind it",
      at: end - candidate.start,
      silent: false,
    }, reading.calls);
  }

  /** Gives out the calls of a complete unit. */
  #accept(pending: Pending, end: number = pending.end): void {
    const state = this.#state;
    const { candidate, reading } = pending;
    this.#pending = undefined;
    this.#give(candidate.lead >= 0 ? candidate.lead : candidate.start);
    if (candidate.lead >= 0) {
      reading.calls[0]!.repairs.push("lead-in");
    }
    const last = reading.calls.at(-1);
    for (const call of reading.calls) {
      this.#giveCall(reading, call, call === last ? end : call.end);
    }
    if (end < this.#workStart) this.#rewind();
    state.at = state.seen = end;
    state.empty = false;
    if (candidate.child) {
      for (const shadow of this.#shadows) {
        if (shadow.mixed && shadow.form === reading.form) {
          shadow.reader.passCall();
        }
      }
    }
  }

  #giveCall(reading: Reading, call: Found, end: number): void {
    const state = this.#state;
    const start = state.out;
    const { text: raw, waiting } = this.#cut(end);
    if (call.repairs.length > 0) {
      this.#emit({
        type: "warning",
        code: "repaired",
        message: `A tool call was repaired: ${call.repairs.join(", ")}`,
        start,
        end,
      });
    }
    if (call.missing.length > 0) {
      this.#emit({
        type: "warning",
        code: "missing-parameter",
        message: `A tool call lacks what its schema requires: ${
          call.missing.map((name) => `"${shown(name)}"`).join(", ")
        }`,
        start,
        end,
      });
    }
    this.#emit({
      type: "tool-call",
      toolCallId: call.id ?? this.#newId(),
      toolName: call.name,
      input: call.input,
      origin: "salvaged",
      dialect: this.#configuration.forms[reading.form]!.dialect,
      raw,
      start,
      end,
      repairs: call.repairs,
    });
    for (const part of waiting) this.#emit(part);
  }

  #warn(code: WarningCode, message: string, start: number, end: number): void {
    this.#give(start);
    this.#emit({ type: "warning", code, message, start, end });
  }
}

const NO_EVENTS = {
  text(): void {},
  fenceStart(): void {},
  fenceEnd(): void {},
  limit(): void {},
};

const NAMES_OF_QUOTING: Readonly<Record<Quoting | "fence", string>> = {
  fence: "in a fenced code block",
  code: "in inline code",
  block: "in a block quote",
  quotes: "in double quotes",
};

const MESSAGES: Readonly<Record<FormReader["reason"], string>> = {
  malformed:
    "What began like a tool call stays text: it goes on as no call does",
  truncated: "A tool call was cut off and stays text",
  "too-long": "What may be a tool call stays text: it is longer than the limit",
};

function newReasoning(name: string): Reasoning {
  return {
    closer: `</${name}>`,
    matched: 0,
    ticks: 0,
    run: 0,
    closing: false,
  };
}

/** Whether a form that is the whole message may begin with this code unit. */
function beginsMessage({ form, program }: CompiledForm, unit: number): boolean {
  if (program.beginsWith(unit) & (UNIT_OPEN | CALL_OPEN)) return true;
  return form.open === undefined && form.call.open === undefined &&
    (unit === 0x7b || unit === 0x5b && (form.list ?? "never") !== "never");
}

/** Whether a candidate that came to nothing had not even begun like a call. */
function isSilent(candidate: Candidate, { reader }: Reading): boolean {
  if (candidate.child) return reader.call === undefined;
  return reader.compiled.form.position === "message" &&
    reader.name === undefined;
}

function namesOf(
  tools: ReadonlyMap<string, Schema | undefined>,
): OfferedNames {
  const prefixes = new Set<string>();
  for (const name of tools.keys()) {
    for (let end = 1; end <= name.length; end++) {
      prefixes.add(name.slice(0, end));
    }
  }
  const parameters = new Map<string, ReadonlySet<string> | undefined>();
  return {
    begins: (prefix) => prefixes.has(prefix),
    parameters(name) {
      if (!parameters.has(name)) {
        parameters.set(name, parameterNames(tools.get(name)));
      }
      return parameters.get(name);
    },
  };
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** A name from hostile text, fit for a message. */
function shown(name: string): string {
  return name.length <= 64 ? name : `${name.slice(0, 63)}…`;
}
