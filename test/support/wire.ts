import type { Stage, StageStream } from "../../mod.ts";

/** Everything a stage gives for these chunks, and what it threw. */
export function outputs<In, Out>(
  stage: Stage<In, Out>,
  chunks: Iterable<In>,
): { output: Out[]; error: unknown } {
  const output: Out[] = [];
  const emit = (one: Out): void => {
    output.push(one);
  };
  try {
    for (const chunk of chunks) stage.push(chunk, emit);
    stage.end(emit);
  } catch (error) {
    return { output, error };
  }
  return { output, error: undefined };
}

/**
 * The same with a new stage after every chunk, each made from the snapshot of
 * the one before, through JSON.
 */
export function outputsResumed<In, Out>(
  make: (snapshot?: unknown) => Stage<In, Out>,
  chunks: Iterable<In>,
): { output: Out[]; error: unknown } {
  const output: Out[] = [];
  const emit = (one: Out): void => {
    output.push(one);
  };
  let stage = make();
  try {
    for (const chunk of chunks) {
      stage.push(chunk, emit);
      const before = stage;
      stage = make(JSON.parse(JSON.stringify(before.snapshot())));
    }
    stage.end(emit);
  } catch (error) {
    return { output, error };
  }
  return { output, error: undefined };
}

/** Reads a stream to its end or failure. */
export async function drained<Out>(
  readable: ReadableStream<Out>,
): Promise<{ output: Out[]; error: unknown }> {
  const output: Out[] = [];
  const reader = readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { output, error: undefined };
      output.push(value);
    }
  } catch (error) {
    return { output, error };
  } finally {
    reader.releaseLock();
  }
}

/** A stream that gives these chunks, one for each read, and remembers being cancelled. */
export class ChunkSource<Chunk> {
  /** How often it was read. */
  reads = 0;
  /** The reasons it was cancelled with. */
  readonly cancels: unknown[] = [];
  readonly readable: ReadableStream<Chunk>;

  /**
   * @param chunks What it gives.
   * @param failAt At which read it fails instead, if at all.
   * @param error What it fails with.
   */
  constructor(
    chunks: readonly Chunk[],
    failAt = -1,
    error: unknown = new TypeError("broken"),
  ) {
    this.readable = new ReadableStream<Chunk>({
      pull: (controller) => {
        const at = this.reads++;
        if (at === failAt) controller.error(error);
        else if (at < chunks.length) controller.enqueue(chunks[at]!);
        else controller.close();
      },
      cancel: (reason) => {
        this.cancels.push(reason);
      },
    }, { highWaterMark: 0 });
  }
}

/** What a stream of a stage gives when these chunks are piped through it. */
export function piped<In, Out>(
  chunks: readonly In[],
  stream: StageStream<In, Out>,
): Promise<{ output: Out[]; error: unknown }> {
  return drained(new ChunkSource(chunks).readable.pipeThrough(stream));
}
