/**
 * Putting stages together: fused into one stream, read without any stream, or
 * run over a whole text at once.
 *
 * @module
 */

import { FusedStage } from "./internal/fused_stage.ts";
import { type Emit, type Stage, StageStream } from "./stage.ts";

/** Anything with a readable and a writable side, such as a `TransformStream`. */
// deno-lint-ignore no-explicit-any
export type AnyTransform = TransformStream<any, any>;

/** What goes into a transform. */
export type InputOf<Transform> = Transform extends TransformStream<
  infer In,
  // deno-lint-ignore no-explicit-any
  any
> ? In
  : never;

/** What comes out of a transform. */
export type OutputOf<Transform> = Transform extends TransformStream<
  // deno-lint-ignore no-explicit-any
  any,
  infer Out
> ? Out
  : never;

/** The same transforms, each checked to accept what the one before gives. */
export type Chain<Transforms extends readonly AnyTransform[]> =
  Transforms extends readonly [
    infer First extends AnyTransform,
    infer Second extends AnyTransform,
    ...infer Rest extends AnyTransform[],
  ] ? OutputOf<First> extends InputOf<Second> ? readonly [
        First,
        ...Chain<readonly [Second, ...Rest]>,
      ]
    : readonly [
      First,
      TransformStream<OutputOf<First>, OutputOf<Second>>,
      ...Rest,
    ]
    : Transforms;

/** What goes into the first of some transforms. */
export type FirstInput<Transforms extends readonly AnyTransform[]> =
  Transforms extends readonly [infer First, ...unknown[]] ? InputOf<First>
    : never;

/** What comes out of the last of some transforms. */
export type LastOutput<Transforms extends readonly AnyTransform[]> =
  Transforms extends readonly [...unknown[], infer Last] ? OutputOf<Last>
    : never;

/**
 * What some transforms are when joined: one stage, if all are stages, else just
 * a transform.
 */
export type Joined<Transforms extends readonly AnyTransform[]> =
  // deno-lint-ignore no-explicit-any
  Transforms extends readonly StageStream<any, any>[]
    ? StageStream<FirstInput<Transforms>, LastOutput<Transforms>>
    : TransformStream<FirstInput<Transforms>, LastOutput<Transforms>>;

/** The stages inside a stream that may be a pipeline itself. */
function stagesOf(
  stream: StageStream<unknown, unknown>,
): readonly Stage<unknown, unknown>[] {
  return stream.stage instanceof FusedStage
    ? stream.stage.stages
    : [stream.stage];
}

function checked(streams: readonly AnyTransform[]): void {
  if (streams.length === 0) {
    throw new TypeError("Cannot build a pipeline: no stream was given");
  }
  for (const [index, stream] of streams.entries()) {
    if (
      typeof stream?.readable?.getReader !== "function" ||
      typeof stream.writable?.getWriter !== "function"
    ) {
      throw new TypeError(
        `Cannot build a pipeline: argument ${index} is not a transform stream`,
      );
    }
    if (stream.readable.locked || stream.writable.locked) {
      throw new TypeError(
        `Cannot build a pipeline: stream ${index} is in use already`,
      );
    }
    if (streams.indexOf(stream) !== index) {
      throw new TypeError(
        `Cannot build a pipeline: stream ${index} is in it twice`,
      );
    }
  }
}

/** Neighbouring stages become one stream; everything else stays as it is. */
function fuse(streams: readonly AnyTransform[]): AnyTransform[] {
  const fused: AnyTransform[] = [];
  let run: StageStream<unknown, unknown>[] = [];
  const close = () => {
    if (run.length === 1) fused.push(run[0]!);
    else if (run.length > 1) {
      fused.push(new StageStream(new FusedStage(run.flatMap(stagesOf))));
    }
    run = [];
  };
  for (const stream of streams) {
    if (stream instanceof StageStream) run.push(stream);
    else {
      close();
      fused.push(stream);
    }
  }
  close();
  return fused;
}

/**
 * Joins transforms into one.
 *
 * Neighbouring {@linkcode StageStream}s are fused: one transform call a chunk,
 * however many stages. Any other `TransformStream` may stand between them and
 * is piped through. The streams given must not be used on their own any more.
 *
 * Throws a `TypeError` when there is no stream, something else than a transform
 * stream, or one that is locked or given twice. A wrong order is a compile
 * error where the types tell.
 *
 * @typeParam Transforms The transforms, first to last.
 * @param streams The transforms, first to last.
 * @returns One transform from the first one's input to the last one's output: a
 * {@linkcode StageStream} when all of them are (its snapshot is the array of
 * theirs), so that pipelines can stand in pipelines.
 *
 * @example
 * ```ts
 * import { collect, FenceTrackerStream, pipeline, SurrogateSanitizerStream } from "@millrace/millrace";
 *
 * const source = new ReadableStream<string>({
 *   start(controller) {
 *     controller.enqueue("Look:\n~~~sh\nls\n~~~\n");
 *     controller.close();
 *   },
 * });
 * const { text } = await collect(
 *   source.pipeThrough(pipeline(new SurrogateSanitizerStream(), new FenceTrackerStream())),
 * );
 * if (text !== "Look:\n~~~sh\nls\n~~~\n") throw new Error();
 * ```
 */
export function pipeline<
  const Transforms extends readonly [AnyTransform, ...AnyTransform[]],
>(
  ...streams: Transforms & Chain<Transforms>
): Joined<Transforms> {
  checked(streams);
  const [first, ...rest] = fuse(streams);
  if (rest.length === 0) return first as Joined<Transforms>;
  const readable = rest.reduce(
    (upstream, stream) => upstream.pipeThrough(stream),
    first!.readable as ReadableStream<unknown>,
  );
  return { readable, writable: first!.writable } as unknown as Joined<
    Transforms
  >;
}

/** A source of inputs: a web stream, or anything that can be iterated. */
export type Source<In> = ReadableStream<In> | AsyncIterable<In> | Iterable<In>;

/** One way of pulling for all kinds of sources. */
interface Puller<In> {
  pull(): PromiseLike<IteratorResult<In, unknown>> | IteratorResult<In>;
  stop(reason?: unknown): unknown;
  /** The source is over by itself. */
  release(): void;
}

function pullerOf<In>(source: Source<In>): Puller<In> {
  if ("getReader" in source) {
    const reader = source.getReader();
    return {
      pull: () => reader.read() as Promise<IteratorResult<In>>,
      stop(reason) {
        const cancelled = reader.cancel(reason);
        reader.releaseLock();
        return cancelled;
      },
      release: () => reader.releaseLock(),
    };
  }
  const iterator = Symbol.asyncIterator in source
    ? source[Symbol.asyncIterator]()
    : source[Symbol.iterator]();
  return {
    pull: () => iterator.next(),
    stop: () => iterator.return?.(),
    release() {},
  };
}

/** Pulls, pushes and hands out: the whole of {@linkcode readParts}. */
class PartReader<In, Out> implements AsyncIterableIterator<Out> {
  readonly #puller: Puller<In>;
  readonly #stage: Stage<In, Out>;
  readonly #queue: Out[] = [];
  #head = 0;
  #over = false;
  /** What to throw once everything before it was given out. */
  #failure: { error: unknown } | undefined;
  /** Calls of `next` wait for each other, so that order stays. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #emit: Emit<Out> = (output) => {
    this.#queue.push(output);
  };

  constructor(source: Source<In>, stage: Stage<In, Out>) {
    this.#puller = pullerOf(source);
    this.#stage = stage;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Out>> {
    const result = this.#turn.then(() => this.#next());
    this.#turn = result.catch(() => {});
    return result;
  }

  async #next(): Promise<IteratorResult<Out>> {
    while (this.#head === this.#queue.length) {
      this.#queue.length = this.#head = 0;
      if (this.#failure !== undefined) {
        const { error } = this.#failure;
        this.#failure = undefined;
        throw error;
      }
      if (this.#over) return { done: true, value: undefined };
      await this.#pull();
    }
    return { done: false, value: this.#queue[this.#head++]! };
  }

  /** Takes one input through the stage. A failure waits behind what came before it. */
  async #pull(): Promise<void> {
    try {
      let result: IteratorResult<In, unknown>;
      try {
        result = await this.#puller.pull();
      } catch (error) {
        if (!this.#over) this.#fail(error);
        return;
      }
      if (this.#over) return;
      if (result.done) {
        this.#over = true;
        this.#puller.release();
        this.#stage.end(this.#emit);
        return;
      }
      try {
        this.#stage.push(result.value, this.#emit);
      } catch (error) {
        // The source is sound and does not know: nobody will read on.
        Promise.resolve(this.#puller.stop(error)).catch(() => {});
        throw error;
      }
    } catch (error) {
      this.#over = true;
      this.#failure = { error };
    }
  }

  /** The source failed: what is held comes out before that. */
  #fail(error: unknown): void {
    this.#over = true;
    this.#failure = { error };
    this.#puller.release();
    try {
      this.#stage.breakOff?.(this.#emit);
    } catch {
      // A stage that cannot go on has nothing more to say than the source.
    }
  }

  async return(value?: unknown): Promise<IteratorResult<Out>> {
    if (!this.#over) {
      this.#over = true;
      this.#queue.length = this.#head = 0;
      await this.#puller.stop(value);
    }
    return { done: true, value: undefined };
  }
}

const identity: Stage<unknown, unknown> = {
  push: (input, emit) => emit(input),
  end: () => {},
  snapshot: () => null,
};

/**
 * Reads a source through transforms without building any stream: a reader and
 * plain function calls, several times faster than a `TransformStream`. When a
 * foreign transform is among them, the part behind its last one works so, and
 * the rest is piped.
 *
 * Leaving the loop early cancels the source. An error of the source is thrown
 * by the loop after all that came before it, text that a stage held included.
 * When the source is over, however that came, it is not locked any more.
 *
 * @typeParam Transforms The transforms, first to last.
 * @param source A web stream or anything iterable.
 * @param streams The transforms, first to last.
 * @returns What comes out, to be iterated once.
 *
 * @example
 * ```ts
 * import { FenceTrackerStream, readParts } from "@millrace/millrace";
 *
 * let text = "";
 * for await (const part of readParts(["a", "b"], new FenceTrackerStream())) {
 *   if (part.type === "text") text += part.text;
 * }
 * if (text !== "ab") throw new Error();
 * ```
 */
export function readParts<
  const Transforms extends readonly [AnyTransform, ...AnyTransform[]],
>(
  source: Source<FirstInput<Transforms>>,
  ...streams: Transforms & Chain<Transforms>
): AsyncIterableIterator<LastOutput<Transforms>> {
  checked(streams);
  let input = source as Source<unknown>;
  const fused = fuse(streams);
  const last = fused.at(-1)!;
  const stage = last instanceof StageStream ? last.stage : identity;
  const piped = last instanceof StageStream ? fused.slice(0, -1) : fused;
  if (piped.length > 0) {
    input = piped.reduce(
      (upstream, stream) => upstream.pipeThrough(stream),
      toReadableStream(input),
    );
  }
  return new PartReader(input, stage) as unknown as AsyncIterableIterator<
    LastOutput<Transforms>
  >;
}

/**
 * A source as a web stream. Pulled on demand: nothing is read ahead, and
 * cancelling the stream ends the source.
 *
 * @typeParam In What the source gives.
 * @param source A web stream (returned as it is) or anything iterable.
 * @returns A web stream of the same things.
 *
 * @example
 * ```ts
 * import { toReadableStream } from "@millrace/millrace";
 *
 * const { value } = await toReadableStream(["a"]).getReader().read();
 * if (value !== "a") throw new Error();
 * ```
 */
export function toReadableStream<In>(source: Source<In>): ReadableStream<In> {
  if ("getReader" in source) return source;
  const puller = pullerOf(source);
  return new ReadableStream<In>({
    async pull(controller) {
      const result = await puller.pull();
      if (result.done) controller.close();
      else controller.enqueue(result.value);
    },
    async cancel(reason) {
      await puller.stop(reason);
    },
  }, { highWaterMark: 0 });
}

/**
 * Runs a whole text (or chunks) through stages at once, by the same code as
 * streaming: everything is pushed, then ended.
 *
 * Each stage brings a stream that is not used here, and engines keep streams
 * until their event loop turns (Node: some 14 KB each). A loop over many
 * thousand texts should wait for something now and then.
 *
 * Throws a `TypeError` when a transform is no {@linkcode StageStream}: a
 * foreign stream cannot be run synchronously.
 *
 * @typeParam Transforms The stages, first to last.
 * @param input One text, or the chunks of one.
 * @param streams The stages, first to last.
 * @returns Everything that came out, neighbours not merged.
 *
 * @example
 * ```ts
 * import { FenceTrackerStream, parse } from "@millrace/millrace";
 *
 * const parts = parse("~~~\nx\n~~~", new FenceTrackerStream());
 * if (parts[0]?.type !== "fence-start") throw new Error();
 * ```
 */
export function parse<
  const Transforms extends readonly [AnyTransform, ...AnyTransform[]],
>(
  input: string | Iterable<FirstInput<Transforms>>,
  ...streams: Transforms & Chain<Transforms>
): LastOutput<Transforms>[] {
  checked(streams);
  const [only, other] = fuse(streams);
  if (!(only instanceof StageStream) || other !== undefined) {
    throw new TypeError(
      "Cannot parse at once: every stream given has to be a StageStream",
    );
  }
  const output: LastOutput<Transforms>[] = [];
  const emit = (part: unknown): void => {
    output.push(part as LastOutput<Transforms>);
  };
  const chunks = typeof input === "string" ? [input] : input;
  for (const chunk of chunks) only.stage.push(chunk, emit);
  only.stage.end(emit);
  return output;
}
