/** Throws inputs at subjects, makes failing ones small, counts. */
import * as vm from "node:vm";
import { RandomSource } from "./random_source.ts";
import type { Subject } from "./subject.ts";

/** A law that an input breaks. */
export interface Finding {
  /** Name of the subject. */
  subject: string;
  /** Seed that {@linkcode Subject.make} made the input from. */
  seed: number;
  /** What was broken, by the smallest input. */
  message: string;
  /** The smallest input found. */
  input: unknown;
}

/** Longer than this takes no input; a loop without end does. */
const TIMEOUT_MILLISECONDS = 5_000;

/** How long one input is made smaller. */
const SHRINK_MILLISECONDS = 20_000;

const RUN = new vm.Script("millraceFuzz()");

/** Runs something that may never end; what it started may not be over. */
function limited(work: () => unknown): unknown {
  let result: unknown;
  const scope = globalThis as { millraceFuzz?: () => void };
  scope.millraceFuzz = () => {
    result = work();
  };
  RUN.runInThisContext({ timeout: TIMEOUT_MILLISECONDS });
  return result;
}

/** What a check throws, or `undefined`. */
export async function failureOf<Case>(
  subject: Subject<Case>,
  input: Case,
): Promise<Error | undefined> {
  try {
    await limited(() => subject.check(input));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What a failure is about: its law, or where it was thrown. */
function kindOf(error: Error): string {
  const [message] = error.message.split("\n");
  return message!.replace(/ is broken by .*/s, "").replace(/"[^"]*"|\d+/g, "");
}

/** Makes a failing input smaller as long as it fails for the same reason. */
export async function shrink<Case>(
  subject: Subject<Case>,
  input: Case,
  error: Error,
): Promise<{ input: Case; error: Error }> {
  const kind = kindOf(error);
  const end = performance.now() + SHRINK_MILLISECONDS;
  search: while (performance.now() < end) {
    for (const candidate of subject.shrink(input)) {
      if (performance.now() > end) break;
      if (subject.size(candidate) >= subject.size(input)) continue;
      const failure = await failureOf(subject, candidate);
      if (failure !== undefined && kindOf(failure) === kind) {
        input = candidate;
        error = failure;
        continue search;
      }
    }
    break;
  }
  return { input, error };
}

/** Runs one random input. */
export async function fuzzOnce<Case>(
  subject: Subject<Case>,
  seed: number,
): Promise<Finding | undefined> {
  const input = subject.make(new RandomSource(seed));
  const failure = await failureOf(subject, input);
  if (failure === undefined) return undefined;
  const smallest = await shrink(subject, input, failure);
  return {
    subject: subject.name,
    seed,
    message: smallest.error.message,
    input: smallest.input,
  };
}
