import type { RandomSource } from "./random_source.ts";

/** Something to throw random inputs at. */
export interface Subject<Case = unknown> {
  /** `stage/variant`; `--stage` takes either. */
  readonly name: string;
  /** Makes an input: plain JSON, so that it can be kept. */
  make(random: RandomSource): Case;
  /** Throws when a law is broken. */
  check(input: Case): void | Promise<void>;
  /** Smaller inputs, the most promising first. */
  shrink(input: Case): Iterable<Case>;
  /** Size of an input, to tell smaller ones. */
  size(input: Case): number;
}

/** Checks that two things are the same as JSON. */
export function expectSame(law: string, got: unknown, wanted: unknown): void {
  const found = JSON.stringify(got);
  const expected = JSON.stringify(wanted);
  if (found !== expected) {
    throw new Error(`${law}\nexpected ${expected}\ngot      ${found}`);
  }
}

/** Checks that something holds. */
export function expectThat(holds: boolean, law: string): void {
  if (!holds) throw new Error(law);
}
