import { isLineEnd, isSpace } from "./code_units.ts";
import type { CompiledForm } from "./compiled_form.ts";
import { JSONScanner, type JSONScannerSnapshot } from "./json_scanner.ts";
import { NameFinder, type NameFinderSnapshot } from "./name_finder.ts";
import type { OfferedTools } from "./offered_tools.ts";
import {
  CALL_CLOSE,
  CALL_EMPTY,
  CALL_OPEN,
  LONGEST_TOKEN,
  PARAMETER_CLOSE,
  PARAMETER_OPEN,
  START,
  UNIT_CLOSE,
  UNIT_OPEN,
} from "./token_program.ts";

/** What {@linkcode FormReader.read} stopped for. */
export type ReaderEvent =
  /** Nothing: all of the text was read. */
  | "none"
  /** A call's name is known. */
  | "name"
  /** A call is complete. */
  | "call"
  /** The unit (a wrapper with its calls, or a call without one) is complete. */
  | "end"
  /** This is no call, or not a whole one. */
  | "dead";

/** Where the pieces of a call are, in code units from the beginning of its unit. */
export interface CallText {
  start: number;
  end: number;
  /** The tool's name, when the opener has it. */
  name: string | undefined;
  /** The arguments as one value. */
  body: [from: number, to: number] | undefined;
  /** The parameters with markup of their own. */
  parameters: ParameterText[];
  /** Repairs of the markup. */
  repairs: string[];
  /** Whether the end of the body is only where its closer is, for the host's own repair. */
  loose: boolean;
}

/** Where a parameter's value is. */
export interface ParameterText {
  key: string;
  from: number;
  to: number;
  /** What the markup says of the value. */
  kind?: "string" | "json";
}

/** How a reader is used. */
export interface FormReaderOptions {
  /** The tools. Absent: names do not matter, nothing is told (see {@linkcode FormReader.inValue}). */
  names?: OfferedTools | undefined;
  /** Whether only one call of the form's wrapper is read. */
  child?: boolean;
  /** Whether a body that is not JSON may be left to the host's own repair. */
  loose?: boolean;
  /** Most code units outside values. */
  candidate?: number;
  /** Most code units inside values. */
  value?: number;
}

/** The state of a {@linkcode FormReader} as plain data. */
export interface FormReaderSnapshot {
  state: State;
  scanner: JSONScannerSnapshot | null;
  finder: NameFinderSnapshot | null;
}

/** A token that is being matched. */
interface Walk {
  start: number;
  nodes: readonly number[];
}

interface State {
  phase: number;
  /** Code units read since the unit began. */
  at: number;
  walks: Walk[];
  /** The text of the tokens being matched, before the text at hand. */
  carry: string;
  /** Letters of a name that has to be one of those offered. */
  word: string;
  /** Whether there were some. */
  named: boolean;
  calls: number;
  /** End of the last call, or of the list. */
  lastEnd: number;
  /** Whether a line end came since then. */
  lineEnd: boolean;
  /** White space since then. */
  spaces: number;
  /** 0: no list, 1: inside it, 2: behind it. */
  list: number;
  /** Whether a comma has to come before the next call of the list. */
  comma: boolean;
  /** Only the wrapper's closer may follow; without it the calls do not count. */
  closing: boolean;
  call: CallText | null;
  key: string;
  kind: "string" | "json" | null;
  valueStart: number;
  valueEnd: number;
  /** Where the second of two closers begins, or -1. */
  secondCloser: number;
  /** End of the call's closer in phase AFTER_CALL. */
  callEnd: number;
  /** In phase BROKEN: whether parameters may begin anywhere, not only on a line of their own. */
  anywhere: boolean;
  /** In phase BROKEN: whether nothing but blanks came on this line. */
  blank: boolean;
  /** Nested parameters that are open. */
  depth: number;
  /** Whether anything nested was seen in the value. */
  nested: boolean;
  /** Code units inside finished values. */
  values: number;
  /** End of the unit. */
  end: number;
  /** Repairs that concern the wrapper. */
  repairs: string[];
  reason: "malformed" | "truncated" | "too-long";
  diedIn: number;
}

// Phases; see the picture at FormReader.
const OPEN = 0;
const BETWEEN = 1;
const CALL = 2;
const VALUE = 3;
const AFTER = 4;
const AFTER_CALL = 5;
const BODY = 6;
const TAIL = 7;
const LOOSE = 8;
const BROKEN = 9;
const LINE = 10;
const ENDED = 11;
const DEAD = 12;

/** White space behind a call whose closer may be missing is looked at up to here. */
const LONGEST_WAIT = 256;

/**
 * Reads one unit of a dialect form, piece by piece: a wrapper with its calls, or
 * a call without wrapper. It keeps no text but that of the token at hand, looks
 * at every code unit about once, and dies at the first one that cannot be.
 *
 * ```
 *   OPEN ─► BETWEEN ─call opener─► CALL ─parameter opener─► VALUE ⇄ AFTER
 *             ▲ │                   │ └─"{"─► BODY ─► TAIL    │ │     │ │
 *             │ │                   └── call closer ──┐  │     │ ▼     │ │
 *             │ └─ wrapper closer                     │  │     │ AFTER_CALL
 *             └───────────────────────────────────────┴──┴─────┼───────┘ │
 *                                          ENDED ◄─────────────┘  next parameter
 *
 *   AFTER       a closer came: does structure follow? if not, it was content
 *   AFTER_CALL  the call's closer came inside a value: does the wrapper's follow?
 *   LOOSE       a body that cannot be read, up to its closer
 *   LINE        the same where there is no closer, up to the end of the line
 *   BROKEN      a call that cannot be read, up to its closer
 * ```
 *
 * The same reader, without names, follows the text of a refused call: then it
 * only tells where values are (`inValue`), so that nothing in one is taken for a
 * call, and goes on through LOOSE and BROKEN where it would die.
 */
export class FormReader {
  readonly compiled: CompiledForm;
  readonly #options: FormReaderOptions;
  readonly #candidate: number;
  readonly #value: number;
  readonly #state: State;
  #scanner: JSONScanner | undefined;
  #finder: NameFinder | undefined;
  #event: ReaderEvent = "none";
  #text = "";
  /** Index in `#text` where the piece at hand begins. */
  #from = 0;
  /** What to add to an index in `#text` to count from the unit's beginning. */
  #shift = 0;

  constructor(
    compiled: CompiledForm,
    options: FormReaderOptions,
    snapshot?: FormReaderSnapshot,
  ) {
    this.compiled = compiled;
    this.#options = options;
    this.#candidate = options.candidate ?? Infinity;
    this.#value = options.value ?? Infinity;
    this.#state = snapshot?.state ??
      newState(options.child || isWithoutOpener(compiled) ? BETWEEN : OPEN);
    if (snapshot?.scanner) this.#scanner = new JSONScanner(snapshot.scanner);
    if (snapshot?.finder) this.#finder = new NameFinder(snapshot.finder);
  }

  /** What the last `read` or `finish` stopped for. */
  get event(): ReaderEvent {
    return this.#event;
  }

  /** Code units read. */
  get at(): number {
    return this.#state.at;
  }

  /** Whether the unit is complete. */
  get ended(): boolean {
    return this.#state.phase === ENDED;
  }

  /** Whether nothing can come of it any more. */
  get dead(): boolean {
    return this.#state.phase === DEAD;
  }

  /** Why it died. */
  get reason(): "malformed" | "truncated" | "too-long" {
    return this.#state.reason;
  }

  /**
   * Whether its text may hold values although nothing came of it: a refused
   * reader is followed by one without names only then.
   */
  get isToFollow(): boolean {
    const { phase, diedIn, calls, named } = this.#state;
    return phase !== DEAD || calls > 0 || named ||
      diedIn !== OPEN && diedIn !== BETWEEN;
  }

  /** Up to where what was read belongs to the call at hand. */
  get safeAt(): number {
    const { phase, at, call, callEnd } = this.#state;
    if (phase === AFTER_CALL) return callEnd;
    return phase === TAIL ? call!.body![1] : at;
  }

  /** Where the unit ends, when it has. */
  get end(): number {
    return this.#state.end;
  }

  /** The call at hand: complete after the event `call`. */
  get call(): CallText | undefined {
    return this.#state.call ?? undefined;
  }

  /** The name of the call at hand, when it is known. */
  get name(): string | undefined {
    return this.#state.call?.name ?? this.#finder?.name;
  }

  /** Repairs that concern the wrapper, hence its last call. */
  get repairs(): readonly string[] {
    return this.#state.repairs;
  }

  /** Whether its opener came, all of it, before it died. */
  get begun(): boolean {
    return this.#state.diedIn !== OPEN;
  }

  /** Whether it died inside a call. */
  get diedInCall(): boolean {
    const { diedIn } = this.#state;
    return diedIn !== OPEN && diedIn !== BETWEEN;
  }

  /** Whether the calls so far count although the wrapper went wrong behind them. */
  get keepsCalls(): boolean {
    const { closing, lineEnd, reason } = this.#state;
    return !closing && (lineEnd || reason !== "malformed") &&
      this.compiled.form.position !== "message";
  }

  /** Whether the next code unit belongs to an argument. */
  get inValue(): boolean {
    const { phase } = this.#state;
    return phase === VALUE || phase === AFTER || phase === AFTER_CALL ||
      phase === BODY || phase === LOOSE || phase === LINE;
  }

  /** Whether a call is read whose opener came, all of it. */
  get inCall(): boolean {
    const { phase } = this.#state;
    return phase > BETWEEN && phase < ENDED;
  }

  /** Whether a call of the wrapper may begin with this code unit. */
  mayBeginCall(unit: number): boolean {
    const { phase, walks } = this.#state;
    return phase === BETWEEN && walks.length === 0 && this.#beginsCall(unit);
  }

  /** Whether an opener begins, or is, one of a call of the wrapper. */
  goesOnWith(opener: string): boolean {
    const { phase, walks } = this.#state;
    return phase === BETWEEN && walks.length === 0 &&
      this.compiled.callOpenings.some((one) =>
        opener.startsWith(one) || one.startsWith(opener)
      );
  }

  /**
   * Whether behind a complete unit, at an index, a closer of one of the last
   * call's values stands: then the value did not end where it seemed to.
   */
  findCloser(text: string, from: number): "none" | "part" | "found" {
    const { program, form } = this.compiled;
    const parameters = this.#state.call?.parameters ?? [];
    if (form.call.parameter === undefined || parameters.length === 0) {
      return "none";
    }
    let nodes = START;
    for (let at = from; at < text.length; at++) {
      if (at - from >= LONGEST_TOKEN) return "none";
      const step = program.step(nodes, text.charCodeAt(at), PARAMETER_CLOSE);
      if (step.nodes.length === 0) return "none";
      for (const pattern of step.accepted) {
        const { key } = program.captures(pattern, text.slice(from, at + 1));
        if (parameters.some((one) => key === undefined || key === one.key)) {
          return "found";
        }
      }
      nodes = step.nodes;
    }
    return "part";
  }

  #beginsCall(unit: number): boolean {
    return this.compiled.form.call.open === undefined
      ? unit === 0x7b
      : (this.compiled.program.beginsWith(unit) & (CALL_OPEN | CALL_EMPTY)) !==
        0;
  }

  /** A call of the wrapper was read by another reader. */
  passCall(): void {
    this.#state.calls++;
    this.#state.comma = this.#state.list === 1;
  }

  snapshot(): FormReaderSnapshot {
    return {
      state: this.#state,
      scanner: this.#scanner?.snapshot() ?? null,
      finder: this.#finder?.snapshot() ?? null,
    };
  }

  /**
   * Reads on.
   *
   * @param text The text that holds the next piece.
   * @param from Where the piece begins in it.
   * @param to Where it ends.
   * @returns Where reading stopped: at `to`, or behind what made the event.
   */
  read(text: string, from: number, to: number): number {
    const state = this.#state;
    if (from >= to) {
      this.#event = "none";
      return from;
    }
    this.#event = "none";
    this.#text = text;
    this.#from = from;
    this.#shift = state.at - from;
    let at = from;
    while (at < to && this.#event === "none") {
      switch (state.phase) {
        case VALUE:
        case AFTER:
        case AFTER_CALL:
        case LOOSE:
        case BROKEN:
          at = this.#skim(at, to);
          break;
        case BODY:
          at = this.#body(at, to);
          break;
        case LINE: {
          const end = text.indexOf("\n", at);
          at = end < 0 || end >= to ? to : end;
          if (at < to) this.#end(at + this.#shift);
          break;
        }
        case ENDED:
          this.#event = "end";
          break;
        case DEAD:
          this.#event = "dead";
          break;
        default:
          at = this.#follow(at, to);
          if (at < to) at = this.#structure(at);
      }
    }
    const first = state.walks[0];
    if (first === undefined) state.carry = "";
    else state.carry = this.#token(first.start, at + this.#shift);
    state.at = at + this.#shift;
    this.#text = "";
    return at;
  }

  /** The stream is over, or as good as: ends or dies. May have to be called again. */
  finish(): void {
    const state = this.#state;
    this.#event = "none";
    state.walks = [];
    const { closeMayMiss = "never" } = this.compiled.form.call;
    if (state.phase === ENDED) this.#event = "end";
    else if (state.phase === TAIL && closeMayMiss !== "never") {
      this.#closeCall(state.call!.body![1]);
    } else if (
      state.phase === BETWEEN && state.calls > 0 && !state.closing &&
      !this.#isHalfMessage()
    ) {
      this.#end(state.lastEnd);
    } else this.#die("truncated");
  }

  /** Whether the whole message has to be a list that is not closed. */
  #isHalfMessage(): boolean {
    const { position, close } = this.compiled.form;
    return position === "message" &&
      (this.#state.list === 1 || close !== undefined);
  }

  #die(reason: State["reason"]): void {
    this.#state.diedIn = this.#state.phase;
    this.#state.phase = DEAD;
    this.#state.reason = reason;
    this.#event = "dead";
  }

  #end(end: number): void {
    this.#state.phase = ENDED;
    this.#state.end = end;
    this.#event = "end";
  }

  /** A code unit came that cannot be here. */
  #impossible(unit: number): void {
    const state = this.#state;
    const { form, wrapped } = this.compiled;
    if (this.#options.names === undefined) {
      if (this.#goesOnBroken(unit)) return;
    } else if (
      state.phase === BETWEEN && wrapped && state.calls > 0 &&
      !state.closing && state.list !== 1 &&
      (form.close === undefined || form.closeMayMiss === true)
    ) {
      this.#end(state.lastEnd);
      return;
    } else if (
      state.phase === TAIL && form.call.closeMayMiss === "always"
    ) {
      this.#closeCall(state.call!.body![1]);
      return;
    }
    this.#die("malformed");
  }

  /**
   * A refused call cannot be read on. Where its values are still matters, if it
   * is more than an opener that somebody mentioned.
   */
  #goesOnBroken(unit: number): boolean {
    const state = this.#state;
    const { form, wrapped } = this.compiled;
    switch (state.phase) {
      case BODY:
        if (
          form.call.body === "call" && this.#scanner!.snapshot().quote === 0
        ) return false;
        state.phase = this.#hasCloser() ? LOOSE : LINE;
        state.depth = 0;
        return true;
      case TAIL:
        // A bracket too many: what follows may be meant as arguments too.
        if (unit !== 0x2c) return false;
        state.phase = LOOSE;
        state.depth = 0;
        return true;
      case CALL:
        if (
          form.call.close === undefined || form.call.parameter === undefined
        ) {
          return false;
        }
        state.phase = BROKEN;
        // Prose about an opener stays on its line.
        state.anywhere = wrapped || state.lineEnd ||
          state.call!.parameters.length > 0;
        state.blank = false;
        return true;
      case OPEN:
        if (!state.named || form.call.parameter === undefined) return false;
        state.call = newCall(0, "");
        state.phase = BROKEN;
        state.anywhere = state.lineEnd;
        state.blank = false;
        return true;
      default:
        return false;
    }
  }

  #hasCloser(): boolean {
    const { form } = this.compiled;
    return (form.call.body === "call" ? form.close : form.call.close) !==
      undefined;
  }

  /** Follows the token at hand while it is the only one and just goes on: most of markup. */
  #follow(from: number, to: number): number {
    const state = this.#state;
    const [walk, other] = state.walks;
    if (walk === undefined || other !== undefined || state.word !== "") {
      return from;
    }
    const { program } = this.compiled;
    const kinds = this.#kinds();
    const end = Math.min(
      to,
      walk.start - this.#shift + LONGEST_TOKEN,
      state.values - this.#shift + this.#candidate,
    );
    let at = from;
    for (; at < end; at++) {
      const unit = this.#text.charCodeAt(at);
      const step = program.step(walk.nodes, unit, kinds);
      if (
        step.nodes.length === 0 || step.accepted.length > 0 || step.inTool
      ) break;
      walk.nodes = step.nodes;
    }
    return at;
  }

  /** Reads one code unit where only markup may be. */
  #structure(at: number): number {
    const state = this.#state;
    const unit = this.#text.charCodeAt(at);
    if (at + this.#shift - state.values >= this.#candidate) {
      this.#die("too-long");
      return at;
    }
    if (state.walks.length === 0) {
      if (state.phase !== OPEN) {
        if (isSpace(unit)) {
          return this.#space(at, unit);
        }
        if (this.#single(at, unit)) return at + 1;
        if (this.#event !== "none" || state.phase === BODY) return at;
      }
      state.walks.push({ start: at + this.#shift, nodes: START });
    }
    const begin = state.walks[0]!.start;
    const accepted = this.#step(at, unit, this.#kinds());
    for (const pattern of accepted) {
      const before = this.compiled.program.endsBefore(pattern);
      const end = before ? at : at + 1;
      const { start } = state.walks[0]!;
      if (this.#take(pattern, start, end + this.#shift)) {
        state.walks = [];
        return end;
      }
    }
    if (state.walks.length === 0 || accepted.length > 0) {
      state.walks = [];
      if (
        state.phase === BETWEEN &&
        this.#begins(this.compiled.callOpenings, begin, at)
      ) {
        // It has to do with the call, not with the wrapper.
        state.call = newCall(begin, "");
        state.phase = CALL;
      }
      if (
        state.phase === CALL && this.#options.names === undefined &&
        this.#begins(this.compiled.parameterOpenings, begin, at)
      ) {
        // Its opener is broken, its value is one nevertheless.
        this.#openValue({ key: "", kind: null }, at + 1 + this.#shift);
        return at + 1;
      }
      if (state.phase === OPEN) {
        state.lineEnd = this.#token(begin, at + this.#shift).includes("\n");
      }
      this.#impossible(unit);
      return this.dead || this.#event !== "none" ? at : at + 1;
    }
    return at + 1;
  }

  /** Whether a token that breaks off here had begun like one of these. */
  #begins(openings: readonly string[], start: number, at: number): boolean {
    const token = this.#token(start, at + this.#shift);
    return openings.some((one) => token.startsWith(one));
  }

  /** Kinds of the tokens that may come in this phase. */
  #kinds(): number {
    const state = this.#state;
    switch (state.phase) {
      case OPEN:
        return this.compiled.wrapped ? UNIT_OPEN : CALL_OPEN | CALL_EMPTY;
      case BETWEEN: {
        const calls = state.closing || state.comma || state.list === 2 ||
            state.list === 0 && this.#mustBeListed()
          ? 0
          : CALL_OPEN | CALL_EMPTY;
        const closers = state.list === 1 &&
            this.compiled.form.close === undefined
          ? calls
          : calls | UNIT_CLOSE;
        return state.calls > 0 ? closers | PARAMETER_CLOSE : closers;
      }
      case CALL:
        return PARAMETER_OPEN | CALL_CLOSE;
      default:
        return CALL_CLOSE;
    }
  }

  #mustBeListed(): boolean {
    return this.compiled.form.list === "required" && !this.#options.child;
  }

  #space(at: number, unit: number): number {
    const state = this.#state;
    if (isLineEnd(unit)) state.lineEnd = true;
    if (
      this.#options.names !== undefined && ++state.spaces > LONGEST_WAIT &&
      (state.phase === TAIL &&
          this.compiled.form.call.closeMayMiss === "always" ||
        state.phase === BETWEEN && state.calls > 0 && state.list !== 1 &&
          (this.compiled.form.close === undefined ||
            this.compiled.form.closeMayMiss === true))
    ) {
      this.#impossible(unit);
      return at;
    }
    return at + 1;
  }

  /** Reads a code unit that means something by itself; `false`: it does not, or it is left to the next phase. */
  #single(at: number, unit: number): boolean {
    const state = this.#state;
    const { form } = this.compiled;
    const { body } = form.call;
    if (state.phase === CALL) {
      if (unit === 0x7b && body === "json" && form.call.parameter) {
        this.#openBody(at);
      }
      return false;
    }
    if (state.phase === TAIL) {
      if (
        (unit === 0x7d || unit === 0x5d) &&
        form.call.closeMayMiss !== "always" && body !== "python"
      ) {
        add(state.call!.repairs, "surplus-closer");
        return true;
      }
      return false;
    }
    const { list = "never" } = form;
    if (this.#options.child) {
      if (unit === 0x7b && form.call.open === undefined) this.#openCall(at);
      return false;
    }
    if (list !== "never" && !state.closing) {
      if (unit === 0x5b && state.list === 0 && state.calls === 0) {
        state.list = 1;
        return true;
      }
      if (state.list === 1) {
        if (unit === 0x2c && state.comma) {
          state.comma = false;
          return true;
        }
        if (unit === 0x5d && state.calls > 0) {
          state.list = 2;
          state.comma = false;
          state.lastEnd = at + 1 + this.#shift;
          state.lineEnd = false;
          state.spaces = 0;
          if (form.close === undefined) this.#end(state.lastEnd);
          return true;
        }
      }
    }
    if (
      unit === 0x7b && form.call.open === undefined && !state.closing &&
      !state.comma && state.list !== 2 &&
      !(state.list === 0 && list === "required")
    ) {
      this.#openCall(at);
      return false;
    }
    if (
      state.list !== 1 && !state.closing &&
      form.separators?.includes(this.#text[at]!)
    ) return true;
    if (
      (unit === 0x7d || unit === 0x5d) && state.calls > 0 && body === "call" &&
      form.close !== undefined && form.closeMayMiss !== true &&
      !(this.compiled.program.beginsWith(unit) & UNIT_CLOSE)
    ) {
      state.closing = true;
      add(state.repairs, "surplus-closer");
      return true;
    }
    return false;
  }

  /** Advances the tokens at hand; gives the patterns of the first one that is complete. */
  #step(at: number, unit: number, kinds: number): readonly number[] {
    const state = this.#state;
    const { program } = this.compiled;
    const rel = at + this.#shift;
    let alive: Walk[] = [];
    let accepted: readonly number[] = NONE;
    for (const walk of state.walks) {
      if (rel - walk.start >= LONGEST_TOKEN) continue;
      const step = program.step(walk.nodes, unit, kinds);
      if (step.nodes.length === 0) continue;
      walk.nodes = step.nodes;
      if (state.phase === OPEN && !this.#wordGoesOn(step.inTool, unit)) {
        continue;
      }
      if (accepted.length === 0) {
        accepted = step.accepted;
        // What else is at hand began later.
        if (accepted.length > 0 && alive.length > 0) alive = [];
      }
      alive.push(walk);
    }
    state.walks = alive;
    return accepted;
  }

  /** Whether a name that has to be one of those offered may go on with this code unit. */
  #wordGoesOn(inTool: boolean, unit: number): boolean {
    const { names } = this.#options;
    const state = this.#state;
    if (!inTool) {
      state.word = "";
      return true;
    }
    state.named = true;
    state.word += String.fromCharCode(unit);
    return names === undefined || names.begins(state.word);
  }

  /** The text from an offset to another, both counted from the unit's beginning. */
  #token(start: number, end: number): string {
    const from = start - this.#shift;
    const to = end - this.#shift;
    if (from >= this.#from) return this.#text.slice(from, to);
    const carry = this.#state.carry;
    return carry.slice(carry.length - (this.#from - from)) +
      this.#text.slice(this.#from, to);
  }

  /** Takes a token where only markup may be; `false`: it cannot be here. */
  #take(pattern: number, start: number, end: number): boolean {
    const state = this.#state;
    const { program } = this.compiled;
    switch (program.kindOf(pattern)) {
      case UNIT_OPEN:
        state.phase = BETWEEN;
        return true;
      case UNIT_CLOSE:
        if (state.calls === 0) return false;
        if (state.list === 1) add(state.repairs, "missing-closer");
        this.#end(end);
        return true;
      case CALL_OPEN:
      case CALL_EMPTY: {
        const token = this.#token(start, end);
        const { name, attributes } = program.captures(pattern, token);
        const called = name ?? attributes?.get("name");
        if (called === undefined) return false;
        state.call = newCall(start, called);
        state.nested = false;
        state.lineEnd = token.includes("\n");
        if (program.kindOf(pattern) === CALL_EMPTY) {
          // The name is checked with the whole call.
          this.#closeCall(end);
          return true;
        }
        if (program.endsBefore(pattern) && this.compiled.form.call.body) {
          this.#openBody(end - this.#shift);
        } else state.phase = CALL;
        if (this.#options.names !== undefined) this.#event = "name";
        return true;
      }
      case PARAMETER_OPEN: {
        const parameter = this.#parameterOf(pattern, start, end);
        if (parameter === undefined) return false;
        this.#openValue(parameter, end);
        return true;
      }
      case PARAMETER_CLOSE:
        // The last call's value held closers, and did not end where it seemed to.
        if (this.#closesValue(pattern, start, end)) state.closing = true;
        return false;
      default:
        if (!this.#closesCall(pattern, start, end)) return false;
        this.#closeCall(end);
        return true;
    }
  }

  /** Whether a token behind the last call closes one of its values. */
  #closesValue(pattern: number, start: number, end: number): boolean {
    const parameters = this.#state.call?.parameters ?? [];
    const { key } = this.compiled.program.captures(
      pattern,
      this.#token(start, end),
    );
    return parameters.some((one) => key === undefined || key === one.key);
  }

  #openCall(at: number): void {
    this.#state.call = newCall(at + this.#shift, undefined);
    this.#finder = this.#options.names === undefined
      ? undefined
      : new NameFinder();
    this.#openBody(at);
  }

  #openBody(at: number): void {
    const { body } = this.compiled.form.call;
    const state = this.#state;
    state.phase = BODY;
    state.valueStart = at + this.#shift;
    this.#scanner = new JSONScanner(
      undefined,
      body === "call" || body === undefined ? "json" : body,
    );
  }

  /** The parameter whose opener a token is, if it can be one of the call at hand. */
  #parameterOf(
    pattern: number,
    start: number,
    end: number,
  ): Pick<State, "key" | "kind"> | undefined {
    const { name, key, attributes } = this.compiled.program.captures(
      pattern,
      this.#token(start, end),
    );
    const parameter = key ?? name ?? attributes?.get("name");
    const { tagged, nested } = this.compiled.form.call.parameter!;
    if (
      parameter === undefined ||
      tagged && nested === undefined && !this.#knows(parameter)
    ) return undefined;
    const said = attributes?.get("string");
    return {
      key: parameter,
      kind: said === "true" ? "string" : said === "false" ? "json" : null,
    };
  }

  #openValue({ key, kind }: Pick<State, "key" | "kind">, at: number): void {
    const state = this.#state;
    state.phase = VALUE;
    state.key = key;
    state.kind = kind;
    state.valueStart = at;
    state.secondCloser = -1;
    state.depth = 0;
    state.nested = false;
  }

  /** Whether a tag is a parameter of the call at hand. */
  #knows(key: string): boolean {
    const known = this.#options.names?.parameters(this.#state.call!.name!);
    return known === undefined || known.has(key);
  }

  #closesCall(pattern: number, start: number, end: number): boolean {
    const { name } = this.compiled.program.captures(
      pattern,
      this.#token(start, end),
    );
    return name === undefined || name === this.#state.call?.name;
  }

  #closeCall(end: number): void {
    const state = this.#state;
    const { form, wrapped } = this.compiled;
    state.call!.end = end;
    state.calls++;
    state.lastEnd = end;
    state.lineEnd = false;
    state.spaces = 0;
    state.comma = state.list === 1;
    if (
      !wrapped || this.#options.child ||
      form.close === undefined && state.list === 0 && !form.separators
    ) {
      state.phase = ENDED;
      state.end = end;
    } else state.phase = BETWEEN;
    if (this.#options.names !== undefined) this.#event = "call";
  }

  #endValue(): void {
    const state = this.#state;
    const { key, valueStart: from, valueEnd: to, kind } = state;
    state.call!.parameters.push(
      kind === null ? { key, from, to } : { key, from, to, kind },
    );
    state.values += to - from;
    if (state.secondCloser >= 0) add(state.call!.repairs, "doubled-closer");
  }

  /** Reads the arguments that are one value. */
  #body(from: number, to: number): number {
    const state = this.#state;
    const scanner = this.#scanner!;
    const room = this.#value - state.values -
      (from + this.#shift - state.valueStart);
    if (room <= 0) {
      this.#die("too-long");
      return from;
    }
    const until = Math.min(to, from + room);
    const finder = this.#finder;
    if (finder !== undefined && !finder.over) {
      return this.#namedBody(finder, from, until);
    }
    const text = until === this.#text.length
      ? this.#text
      : this.#text.slice(0, until);
    const end = scanner.push(text, from);
    if (scanner.failed) return this.#failBody(scanner.failedAt);
    if (end < 0) return until;
    this.#endBody(end);
    return end;
  }

  /** The same, one code unit at a time, until the call's name is known. */
  #namedBody(finder: NameFinder, from: number, to: number): number {
    const scanner = this.#scanner!;
    for (let at = from; at < to; at++) {
      const unit = this.#text[at]!;
      const wasInString = scanner.inString;
      const depth = scanner.depth;
      const end = scanner.push(unit, 0);
      if (scanner.failed) return this.#failBody(at);
      if (end >= 0) {
        this.#endBody(at + 1);
        return at + 1;
      }
      finder.push(unit, wasInString, scanner.inString, depth);
      if (finder.over) {
        if (finder.name !== undefined) {
          this.#event = "name";
        }
        return at + 1;
      }
    }
    return to;
  }

  #endBody(end: number): void {
    const state = this.#state;
    const { call } = this.compiled.form;
    const to = end + this.#shift;
    state.call!.body = [state.valueStart, to];
    state.values += to - state.valueStart;
    state.spaces = 0;
    this.#scanner = undefined;
    if (call.close === undefined) this.#closeCall(to);
    else state.phase = TAIL;
  }

  /** The body cannot go on with the code unit at this index. */
  #failBody(at: number): number {
    const state = this.#state;
    const { form, program } = this.compiled;
    const to = at + this.#shift;
    const { depth } = this.#scanner!;
    if (
      form.call.body === "call" && form.close !== undefined && depth === 1 &&
      state.list !== 1 &&
      !this.#options.child && this.#options.names !== undefined &&
      program.beginsWith(this.#text.charCodeAt(at)) & UNIT_CLOSE
    ) {
      // Perhaps only the envelope's last bracket is missing.
      state.call!.body = [state.valueStart, to];
      state.values += to - state.valueStart;
      state.closing = true;
      this.#scanner = undefined;
      this.#closeCall(to);
      return at;
    }
    if (
      this.#options.names !== undefined && this.#options.loose &&
      state.list !== 1 && !this.#options.child && this.#hasCloser()
    ) {
      state.phase = LOOSE;
      state.depth = 0;
    } else this.#impossible(this.#text.charCodeAt(at));
    return at;
  }

  /** Reads where anything may be, and only some tokens matter. */
  #skim(from: number, to: number): number {
    const state = this.#state;
    for (let at = from; at < to;) {
      if (state.walks.length === 0) {
        if (state.phase === AFTER || state.phase === AFTER_CALL) {
          const unit = this.#text.charCodeAt(at);
          if (
            isSpace(unit)
          ) {
            if (at + this.#shift - state.valueEnd >= this.#candidate) {
              this.#die("too-long");
              return at;
            }
            at++;
            continue;
          }
          if (!this.compiled.triggers.includes(unit)) state.phase = VALUE;
        }
        if (state.phase !== AFTER && state.phase !== AFTER_CALL) {
          // Index of the first code unit that is too much.
          const limit = state.phase === BROKEN
            ? Infinity
            : state.valueStart - this.#shift + this.#value - state.values;
          if (at <= limit) {
            const next = this.#nextTrigger(at, Math.min(to, limit));
            if (state.phase === BROKEN) this.#passLine(at, next);
            at = next;
            if (at === to) break;
          }
          if (
            at >= limit &&
            (at > limit ||
              !this.compiled.triggers.includes(this.#text.charCodeAt(at)))
          ) {
            this.#die("too-long");
            return at;
          }
        }
      }
      const unit = this.#text.charCodeAt(at);
      const first = state.walks[0]?.start ?? at + this.#shift;
      if (this.compiled.triggers.includes(unit)) {
        state.walks.push({ start: at + this.#shift, nodes: START });
      }
      const accepted = this.#step(at, unit, ~0);
      if (
        state.walks[0]?.start !== first &&
        (state.phase === AFTER || state.phase === AFTER_CALL)
      ) state.phase = VALUE;
      at++;
      const walk = state.walks[0];
      const end = this.#skimTokens(accepted, walk, at);
      if (end >= 0) {
        state.walks = [];
        at = end;
      }
      if (
        this.#event !== "none" || state.phase <= CALL || state.phase >= ENDED
      ) return at;
    }
    return to;
  }

  /** Keeps track of whether nothing but blanks came on the line. */
  #passLine(from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const unit = this.#text.charCodeAt(at);
      if (isLineEnd(unit)) this.#state.blank = true;
      else if (unit !== 0x20 && unit !== 0x09) this.#state.blank = false;
    }
  }

  #nextTrigger(from: number, to: number): number {
    const { triggers } = this.compiled;
    // Only when that is all of the text: else the rest would be searched each time.
    if (triggers.length === 1 && to === this.#text.length) {
      const at = this.#text.indexOf(String.fromCharCode(triggers[0]!), from);
      return at < 0 ? to : at;
    }
    let at = from;
    while (at < to && !triggers.includes(this.#text.charCodeAt(at))) at++;
    return at;
  }

  /** Takes the first of these tokens that means something here. Gives its end, or -1. */
  #skimTokens(
    accepted: readonly number[],
    walk: Walk | undefined,
    at: number,
  ): number {
    if (accepted.length === 0) return -1;
    const state = this.#state;
    for (const inValue of [false, true]) {
      if (inValue && (state.phase === AFTER || state.phase === AFTER_CALL)) {
        // Nothing that follows a value: the closer was content.
        state.phase = VALUE;
      }
      for (const pattern of accepted) {
        const end = this.compiled.program.endsBefore(pattern) ? at - 1 : at;
        if (this.#skimToken(pattern, walk!.start, end + this.#shift)) {
          return end;
        }
      }
    }
    return -1;
  }

  #skimToken(pattern: number, start: number, end: number): boolean {
    const kind = this.compiled.program.kindOf(pattern);
    switch (this.#state.phase) {
      case AFTER:
        return this.#skimAfter(pattern, kind, start, end);
      case AFTER_CALL:
        return this.#skimAfterCall(kind, end);
      case LOOSE:
        return this.#skimLoose(kind, start, end);
      case BROKEN:
        return this.#skimBroken(pattern, kind, start, end);
      default:
        return this.#skimValue(pattern, kind, start, end);
    }
  }

  /** What may follow a value's closer. */
  #skimAfter(
    pattern: number,
    kind: number,
    start: number,
    end: number,
  ): boolean {
    const state = this.#state;
    if (kind === PARAMETER_OPEN) {
      const parameter = this.#parameterOf(pattern, start, end);
      if (parameter === undefined) return false;
      this.#endValue();
      this.#openValue(parameter, end);
      // Short values have no end of their number: together they count as markup.
      if (end - state.values >= this.#candidate) this.#die("too-long");
      return true;
    }
    if (kind === CALL_CLOSE && this.#closesCall(pattern, start, end)) {
      this.#endValue();
      this.#closeCall(end);
      return true;
    }
    if (kind === PARAMETER_CLOSE && this.#isOfKey(pattern, start, end)) {
      if (state.secondCloser >= 0) state.valueEnd = state.secondCloser;
      state.secondCloser = start;
      return true;
    }
    return false;
  }

  /** What may follow a call's closer inside a value. */
  #skimAfterCall(kind: number, end: number): boolean {
    const state = this.#state;
    if (kind !== UNIT_CLOSE) return false;
    this.#endValue();
    add(state.call!.repairs, "missing-closer");
    this.#closeCall(state.callEnd);
    if (!this.#options.child) {
      state.phase = ENDED;
      state.end = end;
    }
    return true;
  }

  #isOfKey(pattern: number, start: number, end: number): boolean {
    const { key } = this.compiled.program.captures(
      pattern,
      this.#token(start, end),
    );
    return key === undefined || key === this.#state.key;
  }

  #skimValue(
    pattern: number,
    kind: number,
    start: number,
    end: number,
  ): boolean {
    const state = this.#state;
    const tagged = this.compiled.form.call.parameter?.tagged === true;
    switch (kind) {
      case PARAMETER_OPEN:
        if (tagged && !this.#isOfKey(pattern, start, end)) return false;
        state.depth++;
        state.nested = true;
        return true;
      case PARAMETER_CLOSE:
        if (!this.#isOfKey(pattern, start, end)) return false;
        if (state.depth > 0) state.depth--;
        else {
          state.phase = AFTER;
          state.valueEnd = start;
          state.secondCloser = -1;
        }
        return true;
      case CALL_CLOSE:
        if (
          !this.compiled.wrapped || state.depth > 0 || state.nested ||
          !this.#closesCall(pattern, start, end)
        ) return false;
        state.phase = AFTER_CALL;
        state.valueEnd = start;
        state.secondCloser = -1;
        state.callEnd = end;
        return true;
      case UNIT_CLOSE:
        return true;
      default:
        if (tagged) return false;
        state.nested = true;
        return true;
    }
  }

  #skimLoose(kind: number, start: number, end: number): boolean {
    const state = this.#state;
    const inCall = this.compiled.form.call.body !== "call";
    if (kind === (inCall ? CALL_OPEN : UNIT_OPEN)) state.depth++;
    else if (kind === (inCall ? CALL_CLOSE : UNIT_CLOSE)) {
      if (state.depth > 0) state.depth--;
      else {
        state.call!.body = [state.valueStart, start];
        state.call!.loose = true;
        state.values += start - state.valueStart;
        this.#closeCall(inCall ? end : start);
        if (!inCall) {
          state.phase = ENDED;
          state.end = end;
        }
      }
    }
    return true;
  }

  #skimBroken(
    pattern: number,
    kind: number,
    start: number,
    end: number,
  ): boolean {
    const state = this.#state;
    if (kind === PARAMETER_OPEN) {
      const parameter = this.#parameterOf(pattern, start, end);
      if (parameter === undefined || !state.anywhere && !state.blank) {
        state.blank = false;
        return false;
      }
      this.#openValue(parameter, end);
    } else if (kind === CALL_CLOSE) this.#closeCall(end);
    else if (kind === UNIT_CLOSE) this.#end(end);
    else return false;
    return true;
  }
}

const NONE: readonly number[] = [];

/** Whether the form is nothing but objects, as the whole message may be. */
function isWithoutOpener({ form }: CompiledForm): boolean {
  return form.open === undefined && form.call.open === undefined;
}

function newState(phase: number): State {
  return {
    phase,
    at: 0,
    walks: [],
    carry: "",
    word: "",
    named: false,
    calls: 0,
    lastEnd: 0,
    lineEnd: false,
    spaces: 0,
    list: 0,
    comma: false,
    closing: false,
    call: null,
    key: "",
    kind: null,
    valueStart: 0,
    valueEnd: 0,
    secondCloser: -1,
    callEnd: 0,
    anywhere: true,
    blank: false,
    depth: 0,
    nested: false,
    values: 0,
    end: 0,
    repairs: [],
    reason: "malformed",
    diedIn: OPEN,
  };
}

function newCall(start: number, name: string | undefined): CallText {
  return {
    start,
    end: start,
    name,
    body: undefined,
    parameters: [],
    repairs: [],
    loose: false,
  };
}

function add(repairs: string[], repair: string): void {
  if (!repairs.includes(repair)) repairs.push(repair);
}
