/**
 * The kernel: a {@linkcode Stage} is a synchronous state machine, a
 * {@linkcode StageStream} is a stage dressed as a `TransformStream`.
 *
 * A stage never awaits, never looks at a clock and never throws on input. That
 * is what makes fusing, one-shot use, snapshots and property tests possible.
 *
 * @example A stage of your own
 * ```ts
 * import { parse, type Part, type Stage, StageStream } from "@millrace/millrace";
 *
 * const shout: Stage<string | Part, Part> = {
 *   push(input, emit) {
 *     if (typeof input === "string") {
 *       emit({ type: "text", text: input.toUpperCase(), start: 0 });
 *     } else emit(input);
 *   },
 *   end() {},
 *   snapshot: () => null,
 * };
 *
 * const parts = parse("hi", new StageStream(shout));
 * if (parts[0]?.type !== "text" || parts[0].text !== "HI") throw new Error();
 * ```
 *
 * @module
 */

/** Receives what a stage gives out. It returns nothing and never throws. */
export type Emit<Out> = (output: Out) => void;

/**
 * A synchronous state machine from `In` to `Out`.
 *
 * All of its state is plain data: what {@linkcode Stage.snapshot} returns goes
 * through `JSON.stringify` and back unharmed.
 */
export interface Stage<In, Out> {
  /**
   * Takes one input and emits everything that is now certain, in source order.
   * Must not throw, whatever the input is.
   */
  push(input: In, emit: Emit<Out>): void;
  /** The input is over: emits what was held. Called once, after the last push. */
  end(emit: Emit<Out>): void;
  /**
   * The input broke off: emits what was held, and nothing that would make the
   * output look finished. Called by `readParts`, once, instead of `end`, before
   * the error of the source is thrown. Without it what was held is dropped, as
   * a web stream's pipe does.
   */
  breakOff?(emit: Emit<Out>): void;
  /** The state as plain data, a copy; `null` for a stage without state. */
  snapshot(): unknown;
}

/** Options of every stage's stream. */
export interface StageStreamOptions {
  /**
   * How many chunks may wait before the stream, and how many parts behind it,
   * until backpressure is felt. With 0 nothing is made before it is asked for;
   * one chunk may wait before the stream all the same, as no pipe would ever
   * write otherwise.
   *
   * @default {1}
   */
  highWaterMark?: number;
}

/**
 * A {@linkcode Stage} as a `TransformStream`, ready for `pipeThrough`.
 *
 * Put several into {@linkcode [pipeline].pipeline} and they run as one.
 * Construction throws a `TypeError` when given no stage.
 *
 * @typeParam In What goes in.
 * @typeParam Out What comes out.
 *
 * @example
 * ```ts
 * import { StageStream } from "@millrace/millrace";
 *
 * const doubled = new StageStream<number, number>({
 *   push: (input, emit) => emit(input * 2),
 *   end: () => {},
 *   snapshot: () => null,
 * });
 * const writer = doubled.writable.getWriter();
 * writer.write(21);
 * const { value } = await doubled.readable.getReader().read();
 * if (value !== 42) throw new Error();
 * ```
 */
export class StageStream<In, Out> extends TransformStream<In, Out> {
  /** The machine inside. Whoever pushes into it must not use the stream too. */
  readonly stage: Stage<In, Out>;

  /**
   * Dresses a stage.
   *
   * @param stage The machine to dress.
   * @param options See {@linkcode StageStreamOptions}.
   */
  constructor(stage: Stage<In, Out>, options: StageStreamOptions = {}) {
    if (
      typeof stage?.push !== "function" || typeof stage.end !== "function" ||
      typeof stage.snapshot !== "function"
    ) {
      throw new TypeError(
        "Cannot make a stream: a stage has push, end and snapshot",
      );
    }
    const highWaterMark = options.highWaterMark ?? 1;
    if (!(highWaterMark >= 0)) {
      throw new RangeError(
        `Cannot use highWaterMark "${highWaterMark}": it must be 0 or more`,
      );
    }
    let controller: TransformStreamDefaultController<Out>;
    const emit = (output: Out): void => controller.enqueue(output);
    super(
      {
        start(given) {
          controller = given;
        },
        transform(input) {
          stage.push(input, emit);
        },
        flush() {
          stage.end(emit);
        },
      },
      { highWaterMark: Math.max(highWaterMark, 1) },
      { highWaterMark },
    );
    this.stage = stage;
  }

  /**
   * The state as plain JSON data. Pass it to a new stream as
   * `options.snapshot` and that one goes on from here, on another machine too.
   * What had come out before has come out; what is held is in the snapshot.
   */
  snapshot(): unknown {
    return this.stage.snapshot();
  }
}
