import type { CompiledForm } from "./compiled_form.ts";
import { FormReader, type FormReaderSnapshot } from "./form_reader.ts";

/** A refused call that is followed. */
interface Refused {
  /** Index of its form. */
  form: number;
  reader: FormReader;
  /** Whether it is a wrapper whose calls are read one by one. */
  mixed: boolean;
  /** Whether it is quoted, and with it all that goes on in its wrapper. */
  quoted: boolean;
  /** Whether it stands in a code span, and is over with it. */
  inTicks: boolean;
}

/** The state of {@linkcode RefusedCalls} as plain data. */
export type RefusedCallsSnapshot =
  (Omit<Refused, "reader"> & { reader: FormReaderSnapshot })[];

/** So many are followed at a time, the last ones. */
const MOST = 8;

/**
 * Follows the text of calls that were refused, as it flows out, to know where
 * their values are: nothing that stands in one is taken for a call. Of wrappers
 * whose calls are read one by one it also knows where a call may begin.
 */
export class RefusedCalls {
  /** Whether there are any. */
  some = false;
  /** Whether one of them is a wrapper whose calls are read one by one. */
  someMixed = false;
  readonly #forms: readonly CompiledForm[];
  #all: Refused[] = [];

  constructor(
    forms: readonly CompiledForm[],
    snapshot: RefusedCallsSnapshot = [],
  ) {
    this.#forms = forms;
    this.#set(snapshot.map((one) => ({
      ...one,
      reader: new FormReader(forms[one.form]!, {}, one.reader),
    })));
  }

  /** Whether the next code unit belongs to a value. */
  get inValue(): boolean {
    return this.#all.some(({ reader }) => reader.inValue);
  }

  /** Whether the markup of one of them opens fences. */
  get someOpenFence(): boolean {
    return this.#all.some(({ reader }) => reader.compiled.opensFence);
  }

  /** Whether one of them stands in a code span. */
  get someInTicks(): boolean {
    return this.#all.some(({ inTicks }) => inTicks);
  }

  /** Follows one more, from the next code unit on. */
  add(
    form: number,
    how: { mixed?: boolean; quoted?: boolean; inTicks?: boolean } = {},
  ): void {
    // An opener where no value is: what was before it with the same form is over.
    const others = this.#all.filter((one) => one.form !== form).slice(1 - MOST);
    this.#set([...others, {
      form,
      reader: new FormReader(this.#forms[form]!, {}),
      mixed: how.mixed ?? false,
      quoted: how.quoted ?? false,
      inTicks: how.inTicks ?? false,
    }]);
  }

  /**
   * Reads the text that flows out, from an index to another.
   *
   * @returns Whether a call ended in it whose markup opens a fence.
   */
  read(text: string, from: number, to: number): boolean {
    if (!this.some) return false;
    let closesFence = false;
    const left = this.#all.filter(({ reader, quoted }) => {
      const { inCall } = reader;
      for (let at = from; at < to;) {
        at = reader.read(text, at, to);
        if (reader.event === "end" || reader.event === "dead") break;
      }
      closesFence ||= reader.compiled.opensFence && !quoted && inCall &&
        !reader.inCall && !reader.dead;
      return !reader.ended && !reader.dead;
    });
    if (left.length < this.#all.length) this.#set(left);
    return closesFence;
  }

  /** Forms of the wrappers in which a call may begin with this code unit. */
  formsThatBegin(unit: number): number[] {
    return this.#all.flatMap(({ mixed, reader, form }) =>
      mixed && reader.mayBeginCall(unit) ? [form] : []
    );
  }

  /** Whether this opener goes on a wrapper that is quoted: lines may lie between. */
  quotes(opener: string): boolean {
    return this.#all.some(({ quoted, reader }) =>
      quoted && reader.goesOnWith(opener)
    );
  }

  /** A call of a wrapper was taken out of the text. */
  passCall(form: number): void {
    for (const one of this.#all) {
      if (one.mixed && one.form === form) one.reader.passCall();
    }
  }

  /** A backtick comes: what stood in a code span is over. */
  leaveTicks(): void {
    this.#set(this.#all.filter(({ inTicks }) => !inTicks));
  }

  #set(all: Refused[]): void {
    this.#all = all;
    this.some = all.length > 0;
    this.someMixed = all.some(({ mixed }) => mixed);
  }

  snapshot(): RefusedCallsSnapshot {
    return this.#all.map((one) => ({
      ...one,
      reader: one.reader.snapshot(),
    }));
  }
}
