import type { Emit, Stage } from "../stage.ts";

/** The format of all snapshots; raised when a stage's state changes shape. */
const VERSION = 1;

/** Wraps a stage's state, so that only the same kind of stage takes it back. */
export function makeSnapshot(stage: string, state: unknown): unknown {
  // A copy: the stage goes on changing its own.
  const copy: unknown = JSON.parse(JSON.stringify(state));
  return { millrace: VERSION, stage, check: checkOf(copy), state: copy };
}

/**
 * The state in a snapshot, or `undefined` when there is none. Throws a
 * `TypeError` for one of another stage or version, and for one that is not what
 * was made: a stage trusts its state, and with a damaged one it might never come
 * back. Whoever forges the check too is not stopped here: see {@linkcode resumed}.
 */
export function openSnapshot<State>(
  stage: string,
  snapshot: unknown,
): State | undefined {
  if (snapshot === undefined) return undefined;
  const given = snapshot as
    | { millrace?: unknown; stage?: unknown; check?: unknown; state?: unknown }
    | null;
  if (typeof given !== "object" || given === null || given.stage !== stage) {
    throw new TypeError(
      `Cannot resume: the snapshot is not one of stage "${stage}"`,
    );
  }
  if (given.millrace !== VERSION) {
    throw new TypeError(
      `Cannot resume: the snapshot has version "${given.millrace}", this is version "${VERSION}"`,
    );
  }
  const state: unknown = JSON.parse(JSON.stringify(given.state ?? null));
  if (
    typeof state !== "object" || state === null ||
    given.check !== checkOf(state)
  ) {
    throw new TypeError(
      `Cannot resume: the snapshot of stage "${stage}" is not as it was made`,
    );
  }
  return state as State;
}

/**
 * A stage made from a snapshot, or a new one without. No stage knows its state
 * from one that was forged: what is not like a new one's is refused, and what it
 * throws later is told as the snapshot's.
 */
export function resumed<Made extends Pick<Stage<never, never>, "snapshot">>(
  snapshot: unknown,
  make: (snapshot?: unknown) => Made,
): Made {
  const fresh = make();
  if (snapshot === undefined) return fresh;
  try {
    const made = make(snapshot);
    if (isLike(stateOf(snapshot), stateOf(fresh.snapshot()))) {
      return guarded(made);
    }
  } catch (error) {
    throw refusal(error);
  }
  throw new TypeError(
    "Cannot resume: the snapshot is not one that a stage made",
  );
}

function stateOf(snapshot: unknown): unknown {
  return (snapshot as { state: unknown }).state;
}

/** Whether a state is like a new one; what one of them has not may be anything. */
function isLike(given: unknown, fresh: unknown): boolean {
  if (typeof fresh === "number") {
    return Number.isSafeInteger(given) &&
      (given as number) >= Math.min(0, fresh);
  }
  if (typeof fresh !== "object") return typeof given === typeof fresh;
  if (fresh === null || given === null || given === undefined) return true;
  return typeof given === "object" &&
    Array.isArray(given) === Array.isArray(fresh) &&
    (Array.isArray(fresh) ||
      Object.entries(fresh).every(([key, value]) =>
        isLike((given as Record<string, unknown>)[key], value)
      ));
}

/** Makes a stage with a state from outside tell its failures as the state's. */
function guarded<Made extends object>(stage: Made): Made {
  // deno-lint-ignore no-explicit-any
  const methods = stage as Record<string, (...values: any[]) => unknown>;
  for (const name of ["push", "end", "breakOff", "snapshot"]) {
    const method = methods[name];
    if (method === undefined) continue;
    methods[name] = (...values) => {
      const emit: Emit<unknown> | undefined = values.at(-1);
      // What comes out is taken by others, whose errors are theirs.
      let isOurs = true;
      if (typeof emit === "function") {
        values[values.length - 1] = (output: unknown) => {
          isOurs = false;
          emit(output);
          isOurs = true;
        };
      }
      try {
        return method.apply(stage, values);
      } catch (error) {
        throw isOurs ? refusal(error) : error;
      }
    };
  }
  return stage;
}

/** An error of the engine as one of the snapshot; others are meant. */
function refusal(error: unknown): unknown {
  if (
    !(error instanceof TypeError || error instanceof RangeError) ||
    error.message.startsWith("Cannot resume")
  ) return error;
  return new TypeError(
    `Cannot resume: the snapshot is not one that a stage made (${error.message})`,
    { cause: error },
  );
}

/** An object or list that is being summed up. */
interface Open {
  /** `undefined` for a list. */
  keys: string[] | undefined;
  values: unknown[];
  next: number;
  sum: number;
}

/**
 * A sum over a JSON value that does not depend on the order of keys, which some
 * databases change. No recursion: values may be nested deeper than calls.
 */
function checkOf(value: unknown): number {
  const open: Open[] = [];
  let current = value;
  for (;;) {
    let known: number | undefined;
    if (typeof current !== "object" || current === null) {
      known = checkOfText(
        typeof current === "string" ? current : `\0${String(current)}`,
      );
    } else {
      const list: unknown[] | undefined = Array.isArray(current)
        ? current
        : undefined;
      open.push({
        keys: list === undefined ? Object.keys(current) : undefined,
        values: list ?? Object.values(current),
        next: 0,
        sum: list === undefined ? 0 : 1,
      });
    }
    // What is known goes into what it stands in, which may be complete by that.
    for (;;) {
      const top = open.at(-1);
      if (top === undefined) return known!;
      const { keys, values } = top;
      if (known !== undefined) {
        top.sum = keys === undefined
          ? mixed(top.sum, known)
          : (top.sum + mixed(checkOfText(keys[top.next - 1]!), known)) | 0;
      }
      if (top.next < values.length) {
        current = values[top.next++];
        break;
      }
      open.pop();
      known = keys === undefined ? top.sum : mixed(2, top.sum);
    }
  }
}

/** FNV-1a over code units. */
function checkOfText(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  }
  return sum;
}

function mixed(sum: number, other: number): number {
  const product = Math.imul(sum ^ (sum >>> 15), 0x85ebca6b) ^ other;
  return Math.imul(product ^ (product >>> 13), 0xc2b2ae35);
}
