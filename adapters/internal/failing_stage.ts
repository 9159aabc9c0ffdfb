import type { Emit, Stage, StageStream } from "../../transforms/stage.ts";
import { StreamError } from "../stream_error.ts";

/** A failure as plain data, for snapshots. */
export interface FailureSnapshot {
  code: string;
  message: string;
  line?: number;
  offset?: number;
  excerpt?: string;
}

/**
 * A stage that can be asked to fail: by a limit, by fatal decoding, by
 * `onInvalid: "throw"`. What came before the failure is emitted, then it is
 * recorded, and the next call throws it. So nothing is lost on the way out.
 */
export abstract class FailingStage<In, Out> implements Stage<In, Out> {
  /** Why nothing is taken any more. Set by `take` and `finish`. */
  failure: StreamError | undefined;

  push(input: In, emit: Emit<Out>): void {
    if (this.failure !== undefined) throw this.failure;
    this.take(input, emit);
  }

  end(emit: Emit<Out>): void {
    if (this.failure === undefined) this.finish(emit);
    if (this.failure !== undefined) throw this.failure;
  }

  /** What `push` does while nothing has failed. */
  protected abstract take(input: In, emit: Emit<Out>): void;

  /** What `end` does when nothing has failed. */
  protected abstract finish(emit: Emit<Out>): void;

  abstract snapshot(): unknown;
}

/** A failure in a form that goes through JSON. */
export function failureSnapshot(
  failure: StreamError | undefined,
): FailureSnapshot | undefined {
  if (failure === undefined) return undefined;
  const { code, message, line, offset, excerpt } = failure;
  return {
    code,
    message,
    ...(line === undefined ? {} : { line }),
    ...(offset === undefined ? {} : { offset }),
    ...(excerpt === undefined ? {} : { excerpt }),
  };
}

/** The failure back from a snapshot. */
export function failureOf(
  snapshot: FailureSnapshot | undefined,
): StreamError | undefined {
  return snapshot === undefined
    ? undefined
    : new StreamError(snapshot.code, snapshot.message, snapshot);
}

/** Stands in the queue where the failure happened. */
const FAILED: unique symbol = Symbol("failed");

/** The stage as a stream runs it: it never throws, it says that it failed. */
export class QuietStage<In, Out> implements Stage<In, Out> {
  readonly #stage: FailingStage<In, Out>;

  constructor(stage: FailingStage<In, Out>) {
    this.#stage = stage;
  }

  push(input: In, emit: Emit<Out>): void {
    if (this.#stage.failure !== undefined) return;
    this.#stage.push(input, emit);
    this.#check(emit);
  }

  end(emit: Emit<Out>): void {
    if (this.#stage.failure !== undefined) return;
    try {
      this.#stage.end(emit);
    } catch (error) {
      // A forged snapshot is told at once.
      if (this.#stage.failure === undefined) throw error;
      this.#check(emit);
    }
  }

  snapshot(): unknown {
    return this.#stage.snapshot();
  }

  #check(emit: Emit<Out>): void {
    if (this.#stage.failure !== undefined) emit(FAILED as Out);
  }
}

/**
 * Makes the stream of a {@linkcode QuietStage} fail only when everything before
 * the failure has been read: an errored stream throws its queue away. In a
 * pipeline the stage itself is used, without this.
 */
export function deliverThenFail<In, Out>(
  stream: StageStream<In, Out>,
  stage: FailingStage<In, Out>,
): void {
  const reader = stream.readable.getReader();
  const readable = new ReadableStream<Out>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else if ((value as unknown) === FAILED) {
        controller.error(stage.failure);
        // Reaches the source through the pipe; its own trouble is not ours.
        reader.cancel(stage.failure).catch(() => {});
      } else controller.enqueue(value);
    },
    cancel(reason) {
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
  Object.defineProperty(stream, "readable", { value: readable });
  Object.defineProperty(stream, "stage", { value: stage, enumerable: true });
}
