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
 * back. Whoever forges the check too is not stopped; that is for signatures.
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
  if (given.check !== checkOf(state)) {
    throw new TypeError(
      `Cannot resume: the snapshot of stage "${stage}" is not as it was made`,
    );
  }
  return state as State;
}

/** A sum over a JSON value that does not depend on the order of keys, which some databases change. */
function checkOf(value: unknown): number {
  if (typeof value !== "object" || value === null) {
    return checkOfText(
      typeof value === "string" ? value : `\0${String(value)}`,
    );
  }
  let sum = 0;
  if (Array.isArray(value)) {
    sum = 1;
    for (const item of value) sum = mixed(sum, checkOf(item));
    return sum;
  }
  for (const [key, item] of Object.entries(value)) {
    sum = (sum + mixed(checkOfText(key), checkOf(item))) | 0;
  }
  return mixed(2, sum);
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
