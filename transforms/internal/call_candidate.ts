import type { WarningCode } from "../part.ts";
import type { CompiledForm } from "./compiled_form.ts";
import {
  FormReader,
  type FormReaderOptions,
  type FormReaderSnapshot,
} from "./form_reader.ts";
import type { TextWindow } from "./text_window.ts";

/** A call that is complete and fits its tool. Offsets are those of the text channel. */
export interface FoundCall {
  start: number;
  end: number;
  name: string;
  input: unknown;
  repairs: string[];
  /** Required parameters that were not given. */
  missing: string[];
  /** Its id, when its progress was told. */
  id: string | null;
  /** Where what was told of it begins. */
  told: number;
}

/** A call whose progress is told. */
export interface CallProgress {
  id: string;
  name: string;
  /** Offsets of what was told. */
  from: number;
  to: number;
}

/** One way to read a candidate. */
export interface Reading {
  /** Index of the form. */
  form: number;
  reader: FormReader;
  calls: FoundCall[];
}

/** Why a reading came to nothing. */
export interface Refusal {
  code: WarningCode;
  message: string;
  /** How far it had come, from the candidate's beginning. */
  at: number;
  /** Whether it is not worth a word: nothing had begun like a call. */
  silent: boolean;
  /** Whether it goes without a warning all the same. */
  quiet?: boolean;
}

/** What a candidate is, apart from how it is read. */
interface CandidateState {
  start: number;
  lead: number;
  openerEnd: number;
  child: boolean;
  closers: string;
  marked: boolean;
  refusal: Refusal | null;
  refused: number[];
  progress: CallProgress | null;
  tailStart: number;
}

/** The state of a {@linkcode CallCandidate} as plain data. */
export interface CallCandidateSnapshot extends CandidateState {
  readings: (Omit<Reading, "reader"> & { reader: FormReaderSnapshot })[];
}

/** Where a candidate begins, and how. */
export interface CandidateOrigin {
  start: number;
  /** Where its lead-in word begins, or -1. */
  lead: number;
  /** Where scanning goes on when it is refused. */
  openerEnd: number;
  /** Whether it is a call inside a wrapper that was refused. */
  child: boolean;
  /** The characters that, right behind it, quote it. */
  closers: string;
}

/**
 * Text that may turn out to be a call, with all the ways in which it may be
 * read: dialects that begin alike are read side by side until one is left.
 */
export class CallCandidate {
  readonly start: number;
  readonly lead: number;
  readonly openerEnd: number;
  readonly child: boolean;
  readonly closers: string;
  /** Whether text in it is marked as code. */
  marked: boolean;
  readings: Reading[];
  /** The refusal of the reading that came furthest. */
  refusal: Refusal | null;
  /** Forms of which nothing came, but whose values still have to be known. */
  readonly refused: number[];
  progress: CallProgress | null;
  /** Text since `#tailStart`, without that at hand. */
  #tail: string[];
  #tailStart: number;

  private constructor(
    state: CandidateState,
    readings: Reading[],
    tail: string[],
  ) {
    this.start = state.start;
    this.lead = state.lead;
    this.openerEnd = state.openerEnd;
    this.child = state.child;
    this.closers = state.closers;
    this.marked = state.marked;
    this.readings = readings;
    this.refusal = state.refusal;
    this.refused = state.refused;
    this.progress = state.progress;
    this.#tail = tail;
    this.#tailStart = state.tailStart;
  }

  static begin(
    origin: CandidateOrigin,
    forms: readonly number[],
    compiled: readonly CompiledForm[],
    options: FormReaderOptions,
  ): CallCandidate {
    return new CallCandidate(
      // Field by field: copying an object takes longer than reading a call.
      {
        start: origin.start,
        lead: origin.lead,
        openerEnd: origin.openerEnd,
        child: origin.child,
        closers: origin.closers,
        marked: false,
        refusal: null,
        refused: [],
        progress: null,
        tailStart: origin.start,
      },
      forms.map((form) => ({
        form,
        reader: new FormReader(compiled[form]!, options),
        calls: [],
      })),
      [],
    );
  }

  /** @param window The text window, with the candidate's text in it. */
  static resume(
    saved: CallCandidateSnapshot,
    compiled: readonly CompiledForm[],
    options: FormReaderOptions,
    window: TextWindow,
  ): CallCandidate {
    return new CallCandidate(
      saved,
      saved.readings.map((reading) => ({
        ...reading,
        reader: new FormReader(
          compiled[reading.form]!,
          options,
          reading.reader,
        ),
      })),
      [window.held.join().slice(saved.tailStart - window.out)],
    );
  }

  /** Offset of the first code unit that a call would take out. */
  get from(): number {
    return this.lead >= 0 ? this.lead : this.start;
  }

  /** The text between two offsets, none of it before the last call that was found. */
  textOf(window: TextWindow, from: number, to: number): string {
    if (from >= window.start) {
      return window.text.slice(from - window.start, to - window.start);
    }
    const text = this.#tail.join("") +
      window.text.slice(
        Math.max(0, this.#tailStart - window.start),
        to - window.start,
      );
    return text.slice(from - this.#tailStart, to - this.#tailStart);
  }

  /** The text at hand will be gone: keeps what may be needed of it. */
  keep(window: TextWindow): void {
    const from = Math.max(this.#tailStart, window.start);
    this.#tail.push(window.text.slice(from - window.start));
  }

  /** Text before an offset is needed no longer. */
  forgetBefore(offset: number): void {
    this.#tail = [];
    this.#tailStart = offset;
  }

  snapshot(): CallCandidateSnapshot {
    return {
      start: this.start,
      lead: this.lead,
      openerEnd: this.openerEnd,
      child: this.child,
      closers: this.closers,
      marked: this.marked,
      refusal: this.refusal,
      refused: this.refused,
      progress: this.progress,
      tailStart: this.#tailStart,
      readings: this.readings.map(({ form, reader, calls }) => ({
        form,
        reader: reader.snapshot(),
        calls,
      })),
    };
  }
}
