/**
 * Stands in for vitest while mutants are tried: collects tests, so that they
 * can be run one by one, in any order, in one process.
 */
import { expect as anyExpect } from "../support/vitest_on_deno.ts";

/** A test, as it was written down. */
export interface CollectedTest {
  file: string;
  name: string;
  run: () => unknown;
}

/** All tests of the files imported so far. */
export const collected: CollectedTest[] = [];

let names: string[] = [];
let file = "";

/** Says which file the tests that come next are in. */
export function beginFile(path: string): void {
  file = path;
  names = [];
}

export function describe(name: string, body: () => void): void {
  names.push(name);
  body();
  names.pop();
}

export function test(name: string, run: () => unknown): void {
  collected.push({ file, name: [...names, name].join(" › "), run });
}

export { test as it };

// deno-lint-ignore no-explicit-any
export const expect: any = anyExpect;
