import type { CodeKind, Part, TextPart } from "../part.ts";
import type { Emit } from "../stage.ts";
import { readArguments } from "./call_arguments.ts";
import {
  CallCandidate,
  type CallCandidateSnapshot,
  type Reading,
  type Refusal,
} from "./call_candidate.ts";
import { CallOutput, type CallOutputSnapshot, shown } from "./call_output.ts";
import {
  CallSurroundings,
  type CallSurroundingsSnapshot,
} from "./call_surroundings.ts";
import { isLineEnd, isSpace } from "./code_units.ts";
import type { CompiledForm } from "./compiled_form.ts";
import type { FormReader, FormReaderOptions } from "./form_reader.ts";
import { type HeldText, textPart } from "./held_text.ts";
import type { OfferedTools } from "./offered_tools.ts";
import { NO_OPENER, OpenerTable, PART_OF_OPENER } from "./opener_table.ts";
import { mayBeginPassage } from "./passage_reader.ts";
import type { PassageKind } from "./passages.ts";
import type { Quoting } from "./quote_state.ts";
import {
  ReasoningBlock,
  type ReasoningBlockSnapshot,
} from "./reasoning_block.ts";
import { RefusedCalls, type RefusedCallsSnapshot } from "./refused_calls.ts";
import { makeSnapshot, openSnapshot } from "./snapshot.ts";
import { STOP_WORDS } from "./stop_words.ts";
import { ANYTHING, flagsOf, knownFlagsOf, LINE_END } from "./text_flags.ts";
import { TextStage } from "./text_stage.ts";
import { TextWindow, type TextWindowSnapshot } from "./text_window.ts";
import { CALL_OPEN, openings, UNIT_OPEN } from "./token_program.ts";

/** What a salvager works with; all defaults are filled in. */
export interface SalvagerConfiguration {
  readonly tools: OfferedTools;
  readonly forms: readonly CompiledForm[];
  /** What the forms and reasoning tags begin with. */
  readonly openers: OpenerTable;
  readonly bare: boolean;
  readonly leadIn: readonly string[];
  /** What the reasoning that the text starts inside of ends with. */
  readonly startInside: string | undefined;
  /** What reasoning ends with. */
  readonly reasoning: readonly string[];
  /** Names of the tags that hold it; `undefined`: all that are known. */
  readonly reasoningNames: readonly string[] | undefined;
  readonly afterNativeCall: "on" | "off";
  readonly progress: boolean;
  readonly generateId: (index: number) => string;
  readonly candidateLimit: number;
  readonly valueLimit: number;
}

/** A complete unit that waits for what follows. */
interface Pending {
  candidate: CallCandidate;
  reading: Reading;
  end: number;
  /** Whether a line end came behind it. */
  lineEnd: boolean;
  spaces: number;
  /** Whether an orphan closer came behind it. */
  closed: boolean;
}

interface State {
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
  /** Where a lead-in word begins, with nothing but line ends behind it, or -1. */
  lead: number;
  /** Whether salvaging is over. */
  off: boolean;
}

interface Snapshot {
  forms: string[];
  offset: number;
  window: TextWindowSnapshot;
  state: State;
  surroundings: CallSurroundingsSnapshot;
  reasoning: ReasoningBlockSnapshot | null;
  refused: RefusedCallsSnapshot;
  output: CallOutputSnapshot;
  candidate: CallCandidateSnapshot | null;
  /** What is left of a pending unit without its candidate. */
  pending: Omit<Pending, "candidate" | "reading"> | null;
}

const STAGE = "tool-call-salvager";

const TICK = 0x60;
const GREATER = 0x3e;

/** What may stand right behind a call: what goes with it, and what does not. */
const ORPHAN = 0;
const STOP_WORD = 1;

/** White space behind a bare call is waited through up to here. */
const LONGEST_WAIT = 256;

/** With so much behind it, what may begin an opener is one, or it is none, most often. */
const LONGEST_TAIL = 32;

/** A lead-in word and the line ends behind it are not longer than this. */
const LONGEST_LEAD = 16;

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
 * What stays text goes to the surroundings and the readers of refused calls
 * (`#refused`), up to `#state.seen`; what is in a
 * candidate does not. A candidate that is refused is looked at again, so that
 * its text runs through them after all.
 */
export class SalvagerStage extends TextStage {
  readonly #configuration: SalvagerConfiguration;
  readonly #readerOptions: FormReaderOptions;
  readonly #table: OpenerTable;
  readonly #messageForms: readonly number[];
  readonly #orphans: Map<number, OpenerTable> = new Map();
  readonly #leadIn: readonly string[];
  readonly #window: TextWindow;
  readonly #state: State;
  readonly #surroundings: CallSurroundings;
  readonly #refused: RefusedCalls;
  readonly #output: CallOutput;
  #reasoning: ReasoningBlock | undefined;
  #candidate: CallCandidate | undefined;
  #pending: Pending | undefined;
  /** Whether nothing has begun: only an opener changes anything. */
  #isIdle = false;
  /** The same, but what is held may be the beginning of one. */
  #isTail = false;
  /** Whether what is held has to be decided now. */
  #finishing = false;

  constructor(configuration: SalvagerConfiguration, snapshot: unknown) {
    super();
    const { forms, tools, startInside } = configuration;
    this.#configuration = configuration;
    this.#readerOptions = {
      names: tools,
      loose: tools.repairJSON !== undefined,
      candidate: configuration.candidateLimit,
      value: configuration.valueLimit,
    };
    this.#leadIn = configuration.bare && forms.some(({ form }) => form.bare)
      ? configuration.leadIn
      : [];
    this.#messageForms = forms.flatMap(({ form }, index) =>
      form.position === "message" ? [index] : []
    );
    this.#table = configuration.openers;

    const saved = openSnapshot<Snapshot>(STAGE, snapshot);
    if (
      saved !== undefined &&
      saved.forms.join("\n") !== this.#signature().join("\n")
    ) {
      throw new TypeError(
        "Cannot resume: the snapshot is one of a salvager with other dialects",
      );
    }
    this.offset = saved?.offset ?? 0;
    this.#window = new TextWindow(saved?.window);
    this.#state = saved?.state ?? {
      seen: 0,
      fresh: 0,
      empty: true,
      first: -1,
      noStartBefore: 0,
      noChildBefore: 0,
      lead: -1,
      off: tools.schemas.size === 0 || forms.length === 0,
    };
    this.#surroundings = new CallSurroundings(
      saved?.surroundings,
      configuration.reasoningNames,
    );
    this.#refused = new RefusedCalls(forms, saved?.refused);
    this.#output = new CallOutput(
      this.#window,
      configuration.generateId,
      configuration.progress,
      saved?.output,
    );
    const inside = saved === undefined ? startInside : saved.reasoning;
    if (typeof inside === "string" || inside) {
      this.#reasoning = new ReasoningBlock(inside);
    }
    if (saved?.candidate) this.#resume(saved.candidate, saved.pending);
  }

  #resume(saved: CallCandidateSnapshot, pending: Snapshot["pending"]): void {
    const candidate = CallCandidate.resume(
      saved,
      this.#configuration.forms,
      this.#optionsFor(saved.child),
      this.#window,
    );
    if (pending === null) this.#candidate = candidate;
    else {
      const [reading] = candidate.readings;
      this.#pending = { ...pending, candidate, reading: reading! };
    }
  }

  protected get held(): HeldText {
    return this.#window.held;
  }

  override push(input: string | Part, emit: Emit<Part>): void {
    // Most text by far goes this way: it is here, and not in the class above, as
    // engines make calls cheap that always meet the same.
    if (this.#isTail) this.#passTail(input, emit);
    if (this.#isIdle) {
      if (typeof input === "string") {
        const start = this.offset;
        if (this.#passes(input, start)) {
          this.offset = start + input.length;
          emit({ type: "text", text: input, start });
          return;
        }
      } else if (
        input.type === "text" && input.code === undefined &&
        input.start === this.offset && this.#passes(input.text, input.start)
      ) {
        this.offset = input.start + input.text.length;
        emit(input);
        return;
      }
    }
    super.push(input, emit);
  }

  end(emit: Emit<Part>): void {
    this.release(emit);
  }

  snapshot(): unknown {
    const pending = this.#pending;
    const candidate = pending?.candidate ?? this.#candidate;
    const saved: Snapshot = {
      forms: this.#signature(),
      offset: this.offset,
      window: this.#window.snapshot(),
      state: this.#state,
      surroundings: this.#surroundings.snapshot(),
      reasoning: this.#reasoning?.snapshot() ?? null,
      refused: this.#refused.snapshot(),
      output: this.#output.snapshot(),
      candidate: candidate?.snapshot() ?? null,
      pending: pending === undefined ? null : {
        end: pending.end,
        lineEnd: pending.lineEnd,
        spaces: pending.spaces,
        closed: pending.closed,
      },
    };
    return makeSnapshot(STAGE, saved);
  }

  #signature(): string[] {
    return this.#configuration.forms.map(({ dialect }) => dialect);
  }

  protected override part(part: Part, emit: Emit<Part>): void {
    const state = this.#state;
    if (part.type === "fence-start" || part.type === "fence-end") {
      this.#surroundings.mark();
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
    ) {
      state.off = true;
      this.#isIdle = this.#isTail = false;
    }
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
      this.#surroundings.mark();
      if (this.#candidate === undefined) this.release(emit);
      else this.#candidate.marked = true;
    } else if (this.#isIdle && this.#passes(text, start)) {
      emit(whole ?? textPart(text, start));
      return;
    }
    this.#open(text, start, code, whole, emit);
    if (this.#candidate === undefined && code !== undefined) this.#passCode();
    else this.#run();
    this.#close();
  }

  /** Lets text go by at once in which nothing begins: most text by far. */
  #passes(text: string, start: number): boolean {
    if (text === "") return false;
    const flags = flagsOf(text);
    if (flags === ANYTHING || !this.#table.isFree(text, flags)) return false;
    const state = this.#state;
    const window = this.#window;
    // A lead-in word may stand on any line.
    if (
      this.#leadIn.length > 0 &&
      (state.fresh === window.at || (flags & LINE_END) !== 0)
    ) return false;
    if (state.fresh === window.at) state.fresh = start;
    window.at = window.out = state.seen = start + text.length;
    this.#surroundings.pass(text, flags);
    return true;
  }

  protected release(emit: Emit<Part>): void {
    const state = this.#state;
    if (this.held.length === 0) return;
    const end = this.#window.heldEnd;
    this.#open("", end, undefined, undefined, emit);
    this.#finishing = true;
    for (;;) {
      if (this.#pending !== undefined) this.#accept(this.#pending);
      else if (this.#candidate !== undefined) {
        this.#finish(this.#candidate);
        // What follows was read already: nothing in it begins a call.
        state.noStartBefore = state.noChildBefore = end;
      } else if (!this.#scan()) {
        if (this.#window.at === end) break;
        state.noStartBefore = state.noChildBefore = end;
      }
    }
    this.#finishing = false;
    state.lead = -1;
    this.#close();
  }

  #open(
    text: string,
    start: number,
    code: CodeKind | undefined,
    whole: TextPart | undefined,
    emit: Emit<Part>,
  ): void {
    const state = this.#state;
    const window = this.#window;
    if (this.held.length === 0) {
      if (state.fresh === window.at) state.fresh = start;
      state.seen = start;
    }
    window.open(text, start, code, whole, emit);
  }

  /** Ends the work on a piece. */
  #close(): void {
    this.#closeWindow();
    const isQuiet = !this.#refused.some && this.#reasoning === undefined &&
      !(this.#state.empty && this.#messageForms.length > 0);
    const { length } = this.held;
    this.#isIdle = isQuiet && length === 0;
    this.#isTail = isQuiet && length > 0 && this.#leadIn.length === 0 &&
      length === this.#window.rest.length && this.held.waiting === 0;
  }

  /** Lets what is held go when, with the next text, it begins nothing. */
  #passTail(input: string | Part, emit: Emit<Part>): void {
    this.#isTail = false;
    let next = input;
    if (typeof next !== "string") {
      if (
        next.type !== "text" || next.code !== undefined ||
        next.start !== this.offset
      ) return;
      next = next.text;
    }
    const window = this.#window;
    const { rest } = window;
    const text = rest + next.slice(0, LONGEST_TAIL);
    for (let at = 0; at < rest.length; at++) {
      if (
        this.#table.begins(text.charCodeAt(at)) &&
        this.#table.find(text, at) !== NO_OPENER
      ) return;
    }
    window.pass(emit);
    this.#state.seen = window.at;
    this.#surroundings.pass(rest, knownFlagsOf(rest));
    this.#isIdle = true;
  }

  /** Gives out what is decided and holds the rest. */
  #closeWindow(): void {
    const state = this.#state;
    const window = this.#window;
    if (this.#candidate !== undefined) {
      this.#output.more(this.#candidate);
      this.#candidate.keep(window);
      window.close(this.#candidate.from, true);
    } else if (this.#pending !== undefined) {
      window.close(this.#pending.candidate.from, false);
    } else {
      this.#feed(window.at);
      window.close(state.lead >= 0 ? state.lead : window.at, false);
    }
  }

  /** Lets what follows the text see it up to an offset. */
  #feed(to: number): void {
    const state = this.#state;
    if (state.seen >= to) return;
    const { text, start } = this.#window;
    const from = state.seen - start;
    const end = to - start;
    state.seen = to;
    const read = from === 0 && end === text.length
      ? text
      : text.slice(from, end);
    if (!this.#refused.some) this.#surroundings.pass(read, knownFlagsOf(read));
    else this.#feedSome(read);
  }

  /**
   * Lets text be seen in which values of refused calls may stand: no passage
   * begins in one. A fence that a call's own markup opens is closed by a line
   * with a token in it, which no fence's is: left open, it would hide all other
   * calls of the wrapper.
   */
  #feedSome(text: string): void {
    const hasFences = this.#refused.someOpenFence;
    for (let from = 0; from < text.length;) {
      const isHidden = mayBeginPassage(text.charCodeAt(from)) &&
        this.#refused.inValue;
      let to = from + 1;
      while (
        to < text.length && !mayBeginPassage(text.charCodeAt(to)) &&
        !(hasFences && text.charCodeAt(to - 1) === GREATER)
      ) to++;
      const piece = text.slice(from, to);
      if (isHidden) this.#surroundings.passValue(piece);
      else this.#surroundings.pass(piece, ANYTHING);
      if (this.#refused.read(text, from, to)) this.#surroundings.endFence();
      from = to;
    }
  }

  #run(): void {
    const state = this.#state;
    const window = this.#window;
    for (;;) {
      if (this.#candidate !== undefined) {
        if (!this.#read(this.#candidate)) return;
      } else if (this.#pending !== undefined) {
        if (!this.#wait(this.#pending)) return;
      } else {
        if (window.code !== undefined) {
          state.noStartBefore = state.noChildBefore = window.end;
        }
        if (!this.#scan()) return;
      }
    }
  }

  /** Text that a stage before this one marked: nothing begins in it. */
  #passCode(): void {
    const state = this.#state;
    const window = this.#window;
    const { text, start, end } = window;
    this.#surroundings.passCode(text);
    this.#refused.read(text, 0, text.length);
    window.at = state.seen = end;
    state.empty = false;
    state.lead = -1;
    for (let at = 0; at < text.length; at++) {
      if (isLineEnd(text.charCodeAt(at))) state.fresh = start + at + 1;
    }
  }

  /** Looks for the next thing that begins. `false`: the text is over. */
  #scan(): boolean {
    if (this.#reasoning !== undefined) return this.#reason(this.#reasoning);
    const state = this.#state;
    const { text, start: base } = this.#window;
    if (state.empty && this.#messageForms.length > 0 && this.#scanFirst()) {
      return true;
    }
    for (let at = this.#window.at - base; at < text.length;) {
      // Where only openers matter, on to the next one.
      if (this.#leadIn.length === 0 && !this.#refused.some) {
        at = this.#table.next(text, at);
        if (at === text.length) break;
      }
      const offset = base + at;
      const length = this.#leadIn.length === 0 ? 0 : this.#matchLead(at);
      if (length < 0) {
        this.#stop(at);
        return false;
      }
      if (length > 0) {
        state.lead = offset;
        at += length;
        continue;
      }
      const unit = text.charCodeAt(at);
      const isOpener = this.#table.begins(unit);
      if (state.lead >= 0 && !isOpener && !isLineEnd(unit)) state.lead = -1;
      if (
        this.#refused.someMixed && offset >= state.noChildBefore &&
        this.#beginsChild(unit, at)
      ) {
        this.#stop(at);
        this.#begin(this.#refused.formsThatBegin(unit), 1, { child: true });
        return true;
      }
      if (isOpener && offset >= state.noStartBefore) {
        const match = this.#table.find(text, at);
        if (match !== NO_OPENER && !this.#inRefused(at)) {
          this.#stop(at);
          if (match === PART_OF_OPENER) return false;
          if (this.#takeOpener(match.values, match.length)) return true;
        }
        state.lead = -1;
      }
      if (unit === TICK) this.#leaveTicks(at);
      at++;
      if (isLineEnd(unit)) {
        state.fresh = base + at;
        if (state.lead >= 0 && state.fresh - state.lead >= LONGEST_LEAD) {
          state.lead = -1;
        }
      }
    }
    this.#stop(text.length);
    return false;
  }

  /** Scanning has come to an index of the text. */
  #stop(at: number): void {
    this.#window.at = this.#window.start + at;
  }

  /** Looks for the message's first thing. `true`: something begins there. */
  #scanFirst(): boolean {
    const state = this.#state;
    const { text, start } = this.#window;
    let at = this.#window.at - start;
    for (; at < text.length && isSpace(text.charCodeAt(at)); at++) {
      if (isLineEnd(text.charCodeAt(at))) state.fresh = start + at + 1;
    }
    this.#stop(at);
    if (at === text.length) return false;
    const opener = this.#table.find(text, at);
    if (opener === PART_OF_OPENER && !this.#finishing) return false;
    state.empty = false;
    state.first = start + at;
    const isReasoning = typeof opener === "object" && opener.values[0]! < 0;
    return !isReasoning && state.first >= state.noStartBefore &&
      this.#beginMessage(text.charCodeAt(at));
  }

  /** Begins forms that are the whole message, and all that begin alike. */
  #beginMessage(unit: number): boolean {
    const { forms } = this.#configuration;
    const usable = this.#messageForms.filter((index) =>
      beginsMessage(forms[index]!, unit)
    );
    if (
      usable.length === 0 ||
      this.#quoting(this.#window.at - this.#window.start) !== undefined
    ) return false;
    const others = forms.flatMap(({ form, program }, index) =>
      form.position !== "message" && !form.bare &&
        program.beginsWith(unit) !== 0
        ? [index]
        : []
    );
    this.#begin([...others, ...usable], 1, {});
    return true;
  }

  /** Length of a lead-in word that stands alone on its line; -1: more text is needed. */
  #matchLead(at: number): number {
    const state = this.#state;
    const { text, start } = this.#window;
    if (
      start + at !== state.fresh || start + at < state.noStartBefore ||
      state.lead >= 0
    ) return 0;
    for (const word of this.#leadIn) {
      const there = text.slice(at, at + word.length);
      if (there === word) {
        const next = text[at + word.length];
        if (next === undefined) return -1;
        if (next === "\n" || next === "\r") {
          return this.#inRefused(at) ? 0 : word.length;
        }
      } else if (
        at + there.length === text.length && word.startsWith(there)
      ) return -1;
    }
    return 0;
  }

  /** Whether the text at an index stands in a value of a refused call. */
  #inRefused(at: number): boolean {
    if (!this.#refused.some) return false;
    this.#feed(this.#window.start + at);
    return this.#refused.inValue;
  }

  /** Whether a call of a refused wrapper may begin at an index. */
  #beginsChild(unit: number, at: number): boolean {
    return !this.#inRefused(at) &&
      this.#refused.formsThatBegin(unit).length > 0 &&
      this.#quoting(at) === undefined;
  }

  /** A backtick comes: what stood in a code span is over. */
  #leaveTicks(at: number): void {
    if (!this.#refused.someInTicks) return;
    this.#feed(this.#window.start + at);
    this.#refused.leaveTicks();
  }

  /** What quotes what begins at an index, with an opener of this length. */
  #quoting(at: number, length = 1): Hiding | undefined {
    const { text, start } = this.#window;
    this.#feed(start + at);
    return this.#surroundings.quoting(text.slice(at, at + length));
  }

  /** An opener is there. `false`: nothing begins, it is text. */
  #takeOpener(values: readonly number[], length: number): boolean {
    const { forms, bare, reasoning } = this.#configuration;
    const state = this.#state;
    const window = this.#window;
    let quoting = this.#quoting(window.at - window.start, length);
    const { blank } = this.#surroundings;
    const [first] = values;
    if (first! < 0) {
      if (quoting !== undefined || !blank) return false;
      // A message may begin behind its reasoning.
      state.empty = window.at === state.first;
      this.#reasoning = new ReasoningBlock(reasoning[-1 - first!]!);
      window.at = state.seen = window.at + length;
      state.lead = -1;
      return true;
    }
    if (quoting === undefined && this.#refused.some) {
      const from = window.at - window.start;
      const opener = window.text.slice(from, from + length);
      if (this.#refused.quotes(opener)) quoting = "wrapper";
    }
    const usable = quoting !== undefined ? [] : values.filter((index) => {
      const { form } = forms[index]!;
      return form.position !== "line-start" || blank && (bare || !form.bare);
    });
    if (usable.length === 0) {
      this.#refuseOpener(values, length, quoting);
      return false;
    }
    const isBare = usable.every((index) => forms[index]!.form.bare);
    this.#begin(usable, length, { lead: isBare ? state.lead : -1 });
    return true;
  }

  /** An opener stands where no call may begin. */
  #refuseOpener(
    forms: readonly number[],
    length: number,
    quoting: Hiding | undefined,
  ): void {
    const { at } = this.#window;
    this.#state.noStartBefore = at + length;
    const why = quoting !== undefined
      ? `it is quoted (${HIDING[quoting].name})`
      : this.#surroundings.blank
      ? 'it has no wrapper, which only counts with the option "bare"'
      : "it is not the first thing on its line";
    this.#output.warn(
      quoting === undefined ? "position" : "quoted",
      `What may be a tool call stays text: ${why}`,
      at,
      at + length,
    );
    if (quoting !== undefined && HIDING[quoting].whole) return;
    for (const form of forms) {
      this.#refused.add(form, {
        quoted: quoting !== undefined,
        inTicks: quoting === "code",
      });
    }
  }

  #optionsFor(child: boolean): FormReaderOptions {
    return child ? { ...this.#readerOptions, child } : this.#readerOptions;
  }

  /** A candidate begins, with an opener of this length. */
  #begin(
    forms: readonly number[],
    length: number,
    { lead = -1, child = false }: { lead?: number; child?: boolean },
  ): void {
    const start = this.#window.at;
    this.#feed(start);
    this.#state.lead = -1;
    this.#candidate = CallCandidate.begin(
      {
        start,
        lead,
        openerEnd: start + length,
        child,
        closers: this.#surroundings.closers,
      },
      forms,
      this.#configuration.forms,
      this.#optionsFor(child),
    );
  }

  /** Follows a reasoning block. `false`: the text is over. */
  #reason(reasoning: ReasoningBlock): boolean {
    const state = this.#state;
    const window = this.#window;
    const end = reasoning.read(window.text, window.at - window.start);
    if (end < 0) {
      window.at = state.seen = window.end;
      return false;
    }
    // What stood before it goes on, as if it had not been there.
    this.#reasoning = undefined;
    window.at = state.seen = state.fresh = window.start + end;
    return true;
  }

  /** Reads a candidate. `false`: the text is over. */
  #read(candidate: CallCandidate): boolean {
    const { text, start, end } = this.#window;
    const read = ({ reader }: Reading): void => {
      reader.read(text, candidate.start + reader.at - start, text.length);
    };
    for (;;) {
      let next: Reading | undefined;
      for (const reading of candidate.readings) {
        const { reader } = reading;
        if (reader.event === "none") read(reading);
        if (
          reader.event !== "none" &&
          (next === undefined || comesBefore(reader, next.reader))
        ) next = reading;
      }
      if (next === undefined) {
        this.#window.at = end;
        return false;
      }
      this.#handle(candidate, next);
      if (this.#candidate !== candidate) return true;
      read(next);
    }
  }

  /** The stream is over, or as good as: the candidate has to do with what there is. */
  #finish(candidate: CallCandidate): void {
    while (this.#candidate === candidate) {
      const [reading] = candidate.readings;
      reading!.reader.finish();
      this.#handle(candidate, reading!);
    }
  }

  /** Deals with what a reader stopped for. */
  #handle(candidate: CallCandidate, reading: Reading): void {
    const { reader } = reading;
    switch (reader.event) {
      case "name": {
        const name = reader.name!;
        if (this.#configuration.tools.has(name)) {
          this.#output.begin(candidate, reading, name);
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
      default:
        this.#takeDeath(candidate, reading);
    }
  }

  /** A reader cannot go on, or is not done at the end. */
  #takeDeath(candidate: CallCandidate, reading: Reading): void {
    const { reader, calls } = reading;
    const refusal: Refusal = {
      code: reader.reason,
      message: MESSAGES[reader.reason],
      at: reader.at,
      // A limit is never hit in silence.
      silent: reader.reason !== "too-long" && isSilent(candidate, reader),
      quiet: reader.reason !== "too-long" && calls.length === 0 &&
        isQuiet(candidate, reader),
    };
    if (reader.diedInCall) this.#refuseCall(candidate, reading, refusal);
    else if (
      calls.length > 0 && reader.keepsCalls && !reader.compiled.fenced
    ) {
      this.#mix(candidate, reading);
      this.#output.warn(
        refusal.code,
        refusal.message,
        calls.at(-1)!.end,
        candidate.start + refusal.at,
      );
    } else this.#drop(candidate, reading, refusal);
  }

  /** A call is complete: it counts if it fits its tool. */
  #takeCall(candidate: CallCandidate, reading: Reading): void {
    const { reader } = reading;
    const call = reader.call!;
    const start = candidate.start + call.start;
    const end = candidate.start + call.end;
    const read = readArguments(
      reader.compiled,
      call,
      candidate.textOf(this.#window, start, end),
      this.#configuration.tools,
    );
    if (!read.ok) {
      const name = read.name ?? reader.name;
      const what = name === undefined
        ? "a tool call"
        : `a call of tool "${shown(name)}"`;
      this.#refuseCall(candidate, reading, {
        code: read.code,
        message: `What may be ${what} stays text: ${read.reason}`,
        at: call.end,
        silent: false,
        quiet: isData(reader),
      });
      return;
    }
    const { name, input, repairs, missing } = read;
    const { id, from: told } = this.#output.complete(candidate, end) ??
      { id: null, from: start };
    reading.calls.push({ start, end, name, input, repairs, missing, id, told });
    if (candidate.readings.length === 1) candidate.forgetBefore(end);
    if (reader.ended) this.#complete(candidate, reading);
  }

  /** A call is refused: with it the wrapper, whose other calls are read one by one. */
  #refuseCall(
    candidate: CallCandidate,
    reading: Reading,
    refusal: Refusal,
  ): void {
    this.#output.abandon(candidate);
    const { wrapped, fenced, form } = reading.reader.compiled;
    if (
      candidate.child || !wrapped || form.position === "message" ||
      // A wrapper that is a fence, and comes to nothing, is a fence.
      fenced || candidate.readings.length > 1
    ) {
      this.#drop(candidate, reading, refusal);
      return;
    }
    this.#mix(candidate, reading);
    // Else it is refused once more, by itself.
    if (this.#finishing) {
      this.#output.warn(
        refusal.code,
        refusal.message,
        candidate.start + (reading.reader.call?.start ?? 0),
        candidate.start + refusal.at,
      );
    }
  }

  /** One reading of the candidate came to nothing. */
  #drop(
    candidate: CallCandidate,
    reading: Reading,
    refusal: Refusal,
  ): void {
    candidate.readings = candidate.readings.filter((one) => one !== reading);
    if (candidate.refusal === null || refusal.at > candidate.refusal.at) {
      candidate.refusal = refusal;
    }
    if (reading.reader.isToFollow) candidate.refused.push(reading.form);
    if (candidate.readings.length === 0) {
      this.#reject(candidate, reading, candidate.refusal);
    }
  }

  /** The candidate is no call: its text is looked at again, behind the opener. */
  #reject(
    candidate: CallCandidate,
    reading: Reading,
    refusal: Refusal,
  ): void {
    const state = this.#state;
    const window = this.#window;
    const { start, child } = candidate;
    this.#candidate = this.#pending = undefined;
    window.rewind();
    window.at = start;
    this.#output.abandonCalls(candidate, reading.calls);
    if (child) state.noChildBefore = start + 1;
    if (!refusal.silent) {
      state.noStartBefore = candidate.openerEnd;
      const { code, message, at, quiet = false } = refusal;
      if (!quiet) this.#output.warn(code, message, start, start + at);
    }
    if (candidate.marked) state.noStartBefore = window.end;
    // The reader of the wrapper follows a refused call in it.
    if (child) return;
    for (const form of candidate.refused) this.#refused.add(form);
  }

  /** Gives a wrapper's calls so far and makes the rest text, in which further calls may be found. */
  #mix(candidate: CallCandidate, { form, calls, reader }: Reading): void {
    const state = this.#state;
    const window = this.#window;
    this.#candidate = undefined;
    window.rewind();
    window.at = candidate.start;
    this.#refused.add(form, { mixed: true });
    state.noStartBefore = candidate.openerEnd;
    for (const call of calls) {
      this.#passText(call.start);
      window.give(call.start);
      this.#output.call(reader.compiled.dialect, call, call.end);
      this.#refused.passCall(form);
      window.at = state.seen = call.end;
    }
  }

  /** Lets text through in which nothing begins. */
  #passText(to: number): void {
    const state = this.#state;
    const window = this.#window;
    const { noStartBefore, noChildBefore } = state;
    const { text } = window;
    state.noStartBefore = state.noChildBefore = to;
    window.text = text.slice(0, to - window.start);
    this.#scan();
    this.#feed(to);
    window.text = text;
    state.noStartBefore = noStartBefore;
    state.noChildBefore = noChildBefore;
  }

  /** A unit is complete. Its calls leave, unless something may still forbid it. */
  #complete(candidate: CallCandidate, reading: Reading): void {
    const { reader, calls } = reading;
    const { position = "anywhere", orphans } = reader.compiled.form;
    const window = this.#window;
    const last = calls.at(-1)!;
    last.repairs = [...new Set([...last.repairs, ...reader.repairs])];
    this.#candidate = undefined;
    candidate.readings = [reading];
    const end = candidate.start + reader.end;
    if (end < window.start) window.rewind();
    window.at = end;
    const pending: Pending = {
      candidate,
      reading,
      end,
      lineEnd: false,
      spaces: 0,
      closed: false,
    };
    if (
      !candidate.child &&
      (position !== "anywhere" || orphans !== undefined ||
        candidate.closers !== "")
    ) this.#pending = pending;
    else this.#accept(pending);
  }

  /** Looks at what follows a complete unit. `false`: more text is needed. */
  #wait(pending: Pending): boolean {
    const window = this.#window;
    const { candidate, reading } = pending;
    const { position = "anywhere", orphans } = reading.reader.compiled.form;
    const { text, start } = window;
    for (; window.at < window.end; window.at++) {
      const at = window.at - start;
      const unit = text.charCodeAt(at);
      if (
        window.at === pending.end && candidate.closers.includes(text[at]!)
      ) return this.#rejectPending(pending, "quoted");
      if (pending.closed || position === "anywhere" && orphans === undefined) {
        return this.#accept(pending);
      }
      if (isSpace(unit)) {
        if (isLineEnd(unit)) pending.lineEnd = true;
        if (++pending.spaces > LONGEST_WAIT && position !== "message") {
          return this.#accept(pending);
        }
        continue;
      }
      const closer = reading.reader.findCloser(text, at);
      if (closer === "found") return this.#rejectPending(pending, "malformed");
      const after = this.#orphansOf(reading.form).find(text, at);
      if (closer === "part" || after === PART_OF_OPENER) return false;
      if (after !== NO_OPENER) {
        if (after.values[0] === STOP_WORD) return this.#accept(pending);
        pending.end = window.at + after.length;
        if (candidate.closers === "") return this.#accept(pending);
        pending.closed = true;
        window.at = pending.end - 1;
        continue;
      }
      if (position === "message") {
        return this.#rejectPending(pending, "position");
      }
      if (position === "line-start" && !pending.lineEnd) {
        const opener = this.#table.find(text, at);
        if (opener === PART_OF_OPENER) return false;
        if (opener === NO_OPENER) {
          return this.#rejectPending(pending, "position");
        }
      }
      return this.#accept(pending);
    }
    return false;
  }

  #orphansOf(form: number): OpenerTable {
    let table = this.#orphans.get(form);
    if (table === undefined) {
      const { orphans = [] } = this.#configuration.forms[form]!.form;
      table = new OpenerTable([
        ...orphans.flatMap((pattern) => openings(pattern, [])).map((text) =>
          [text, ORPHAN] as const
        ),
        ...STOP_WORDS.map((text) => [text, STOP_WORD] as const),
      ]);
      this.#orphans.set(form, table);
    }
    return table;
  }

  #rejectPending(
    pending: Pending,
    code: "quoted" | "position" | "malformed",
  ): true {
    const { candidate, reading, end } = pending;
    candidate.refused.push(reading.form);
    this.#reject(candidate, reading, {
      code,
      message: `What may be a tool call stays text: ${BEHIND[code]}`,
      at: end - candidate.start,
      silent: false,
    });
    return true;
  }

  /** Gives out the calls of a complete unit. */
  #accept(pending: Pending): true {
    const state = this.#state;
    const window = this.#window;
    const { candidate, reading: { reader, form, calls }, end } = pending;
    this.#pending = undefined;
    window.give(candidate.from);
    if (candidate.lead >= 0) calls[0]!.repairs.push("lead-in");
    const last = calls.at(-1);
    for (const call of calls) {
      const callEnd = call === last ? end : call.end;
      this.#output.call(reader.compiled.dialect, call, callEnd);
    }
    if (end < window.start) window.rewind();
    window.at = state.seen = end;
    state.empty = false;
    if (candidate.child) this.#refused.passCall(form);
    return true;
  }
}

/** Whether what a reader stopped for comes before what another one did. */
function comesBefore(reader: FormReader, other: FormReader): boolean {
  // What kills a reader is the code unit that the others have not yet read.
  return reader.at < other.at ||
    reader.at === other.at && other.event === "dead" && reader.event !== "dead";
}

/** Why what stands behind a complete call forbids it. */
const BEHIND = {
  quoted: "a quotation that is open before it ends right behind it",
  position: "something stands behind it",
  malformed: "a closer behind it belongs to one of its values",
};

/** What a call may be hidden by. */
type Hiding = Quoting | PassageKind | "wrapper";

/**
 * What hides calls, as warnings name it. `whole`: what it holds is hidden, all
 * of it, whatever its end cuts in two. The end of others may stand in a value of
 * what they hide, whose rest is then followed all the same.
 */
const HIDING: Readonly<
  Record<Hiding, { readonly name: string; readonly whole: boolean }>
> = {
  fence: { name: "in a fenced code block", whole: true },
  block: { name: "in a block quote", whole: true },
  code: { name: "in inline code", whole: false },
  quotes: { name: "in double quotes", whole: false },
  wrapper: { name: "in markup that is quoted", whole: false },
  reasoning: { name: "in reasoning", whole: true },
  result: { name: "in what is shown as a tool's result", whole: true },
  turn: { name: "in somebody else's turn", whole: true },
  speech: { name: "in what somebody else is made to say", whole: false },
  string: { name: "in a string over lines", whole: false },
  data: { name: "in text that is no markup", whole: false },
  diff: { name: "in a diff or a listing", whole: true },
};

const MESSAGES: Readonly<Record<FormReader["reason"], string>> = {
  malformed:
    "What began like a tool call stays text: it goes on as no call does",
  truncated: "A tool call was cut off and stays text",
  "too-long": "What may be a tool call stays text: it is longer than the limit",
};

/** Whether a form that is the whole message may begin with this code unit. */
function beginsMessage({ form, program }: CompiledForm, unit: number): boolean {
  const opener = form.open === undefined ? CALL_OPEN : UNIT_OPEN;
  if (program.beginsWith(unit) & opener) return true;
  return form.open === undefined && form.call.open === undefined &&
    (unit === 0x7b || unit === 0x5b && (form.list ?? "never") !== "never");
}

/** Whether a candidate that came to nothing had not even begun like a call. */
function isSilent(candidate: CallCandidate, reader: FormReader): boolean {
  if (candidate.child) return reader.call === undefined;
  return reader.compiled.form.position === "message" &&
    reader.name === undefined;
}

/** Whether nobody has to hear of a candidate that came to nothing. */
function isQuiet(
  { start, openerEnd }: CallCandidate,
  reader: FormReader,
): boolean {
  // Read only because the message begins with the same character.
  return openerEnd === start + 1 && !reader.begun || isData(reader);
}

/** Whether what was read looks like a call no more than any list or JSON does. */
function isData({ compiled, name, reason, dead }: FormReader): boolean {
  return name === undefined &&
    (compiled.form.position === "message" ||
      compiled.fenced && !(dead && reason === "truncated"));
}
