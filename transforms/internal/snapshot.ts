/** The format of all snapshots; raised when a stage's state changes shape. */
const VERSION = 1;

/** Wraps a stage's state, so that only the same kind of stage takes it back. */
export function makeSnapshot(stage: string, state: unknown): unknown {
  return {
    millrace: VERSION,
    stage,
    // A copy: the stage goes on changing its own.
    state: JSON.parse(JSON.stringify(state)),
  };
}

/**
 * The state in a snapshot, or `undefined` when there is none. Throws a
 * `TypeError` for one of another stage or version.
 */
export function openSnapshot<State>(
  stage: string,
  snapshot: unknown,
): State | undefined {
  if (snapshot === undefined) return undefined;
  const given = snapshot as
    | { millrace?: unknown; stage?: unknown; state?: unknown }
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
  return JSON.parse(JSON.stringify(given.state)) as State;
}
