import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  parse,
  type Part,
  pipeline,
  readParts,
  type Stage,
  StageStream,
  standardPipeline,
  toReadableStream,
} from "../../mod.ts";
import { RUNS } from "../laws.ts";

/** Turns every number n into n copies of n, and says goodbye with `last`. */
class Repeat extends StageStream<number, number> {
  constructor(last = 0) {
    let seen = 0;
    super({
      push(input, emit) {
        seen++;
        for (let copy = 0; copy < input; copy++) emit(input);
      },
      end: (emit) => emit(last + seen),
      snapshot: () => seen,
    });
  }
}

class ToText extends StageStream<number, string> {
  constructor() {
    super({
      push: (input, emit) => emit(`${input}`),
      end: (emit) => emit("."),
      snapshot: () => null,
    });
  }
}

/** A transform that is no stage. */
function foreign<Kind>(): TransformStream<Kind, Kind> {
  return new TransformStream();
}

async function drain<Out>(readable: ReadableStream<Out>): Promise<Out[]> {
  const output: Out[] = [];
  const reader = readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return output;
    output.push(value);
  }
}

async function gather<Out>(source: AsyncIterable<Out>): Promise<Out[]> {
  const output: Out[] = [];
  for await (const one of source) output.push(one);
  return output;
}

/** A source that records how it was used. */
function spy(values: number[], failure?: Error) {
  const log = { pulled: 0, cancelled: 0, reason: undefined as unknown };
  const readable = new ReadableStream<number>({
    pull(controller) {
      if (log.pulled < values.length) {
        controller.enqueue(values[log.pulled++]!);
      } else if (failure !== undefined) controller.error(failure);
      else controller.close();
    },
    cancel(reason) {
      log.cancelled++;
      log.reason = reason;
    },
  }, { highWaterMark: 0 });
  return { log, readable };
}

describe("pipeline", () => {
  test("fused, chained, parsed and read are the same, part for part", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4)), async (numbers) => {
        const expected = parse(
          numbers,
          new Repeat(),
          new Repeat(7),
          new ToText(),
        );
        const fused = toReadableStream(numbers).pipeThrough(
          pipeline(new Repeat(), new Repeat(7), new ToText()),
        );
        expect(await drain(fused)).toEqual(expected);
        const chained = toReadableStream(numbers).pipeThrough(new Repeat())
          .pipeThrough(new Repeat(7)).pipeThrough(new ToText());
        expect(await drain(chained)).toEqual(expected);
        const read = readParts(
          toReadableStream(numbers),
          new Repeat(),
          new Repeat(7),
          new ToText(),
        );
        expect(await gather(read)).toEqual(expected);
        const mixed = toReadableStream(numbers).pipeThrough(
          pipeline(
            new Repeat(),
            foreign<number>(),
            new Repeat(7),
            new ToText(),
          ),
        );
        expect(await drain(mixed)).toEqual(expected);
        const mixedRead = readParts(
          numbers,
          new Repeat(),
          foreign<number>(),
          new Repeat(7),
          new ToText(),
          foreign<string>(),
        );
        expect(await gather(mixedRead)).toEqual(expected);
      }),
      { numRuns: Math.min(RUNS, 100) },
    );
  });

  test("one transform call a chunk: neighbours are fused", () => {
    const fused = pipeline(new Repeat(), new Repeat(), new ToText());
    expect(fused).toBeInstanceOf(StageStream);
    // A pipeline is a stage again, and fuses with its neighbours.
    const nested = pipeline(pipeline(new Repeat(), new Repeat()), new ToText());
    expect(nested).toBeInstanceOf(StageStream);
    expect(nested.snapshot()).toEqual([0, 0, null]);
    expect(parse([2], nested)).toEqual(
      parse([2], new Repeat(), new Repeat(), new ToText()),
    );
  });

  test("one stream comes back as it is", () => {
    const only = new Repeat();
    expect(pipeline(only)).toBe(only);
    const other = foreign<number>();
    expect(pipeline(other)).toBe(other);
  });

  test("the end runs through all stages in order", () => {
    expect(parse([], new Repeat(1), new Repeat(2), new ToText())).toEqual([
      "1",
      "3",
      ".",
    ]);
  });

  test("a wrong order is a compile error", () => {
    // @ts-expect-error: text does not go into a stage for numbers
    pipeline(new ToText(), new Repeat());
    // @ts-expect-error: nor in the middle
    pipeline(new Repeat(), new ToText(), new Repeat(), new ToText());
    // @ts-expect-error: nor through a foreign stream
    pipeline(new ToText(), foreign<number>(), new Repeat());
    // @ts-expect-error: nor when read
    readParts([1], new ToText(), new Repeat());
    const texts: string[] = parse([1], new Repeat(), new ToText());
    expect(texts.length).toBeGreaterThan(0);
  });

  test("wrong use throws", () => {
    const used = new Repeat();
    used.readable.getReader();
    const twice = new Repeat();
    expect(() => (pipeline as () => unknown)()).toThrow(TypeError);
    for (
      const half of [
        null,
        {},
        { readable: new ReadableStream() },
        { writable: new WritableStream() },
        { readable: {}, writable: new WritableStream() },
        { readable: new ReadableStream(), writable: {} },
      ]
    ) {
      expect(() => pipeline(new Repeat(), half as never))
        .toThrow(
          "Cannot build a pipeline: argument 1 is not a transform stream",
        );
    }
    expect(() => pipeline({} as never)).toThrow("argument 0");
    expect(() => pipeline(used)).toThrow("in use");
    expect(() => pipeline(twice, twice)).toThrow("twice");
    expect(() => parse([1], foreign<number>())).toThrow("StageStream");
    expect(() => parse([1], new Repeat(), foreign<number>())).toThrow(
      "StageStream",
    );
  });
});

describe("readParts", () => {
  test("leaving the loop cancels the source once and frees it", async () => {
    const { log, readable } = spy([1, 2, 3, 4]);
    for await (const one of readParts(readable, new Repeat())) {
      if (one === 2) break;
    }
    expect(log).toEqual({ pulled: 2, cancelled: 1, reason: undefined });
    expect(readable.locked).toBe(false);
  });

  test("nothing is read ahead", async () => {
    const { log, readable } = spy([1, 1, 1]);
    const parts = readParts(readable, new Repeat());
    await parts.next();
    expect(log.pulled).toBe(1);
    await parts.return?.();
  });

  test("an error of the source comes after what came before it", async () => {
    const { readable } = spy([1, 2], new Error("broken"));
    const got: number[] = [];
    let caught: unknown;
    try {
      for await (const one of readParts(readable, new Repeat())) got.push(one);
    } catch (error) {
      caught = error;
    }
    expect(got).toEqual([1, 2, 2]);
    expect(caught).toEqual(new Error("broken"));
  });

  test("what a stage held comes out before the error, and the lock is released", async () => {
    for (const error of [new Error("broken"), undefined]) {
      const chunks = ["a <lo", "g>b\n```", "js"];
      const readable = new ReadableStream<string>({
        pull(controller) {
          const chunk = chunks.shift();
          if (chunk !== undefined) controller.enqueue(chunk);
          else if (error !== undefined) controller.error(error);
          else controller.close();
        },
      }, { highWaterMark: 0 });
      let text = "";
      let caught: unknown;
      try {
        for await (
          const part of readParts(
            readable,
            standardPipeline({ directives: ["log"] }),
          )
        ) {
          if (part.type === "text") text += part.text;
          if (part.type === "directive") text += part.raw;
        }
      } catch (thrown) {
        caught = thrown;
      }
      expect(text).toBe("a <log>b\n```js");
      expect(caught).toBe(error);
      expect(readable.locked).toBe(false);
    }
  });

  test("a stage that throws cancels the source, after what it gave out", async () => {
    const { log, readable } = spy([1, 2, 3]);
    const failing = new StageStream<number, number>({
      push(input, emit) {
        emit(input);
        if (input === 2) throw new Error("stage");
      },
      end: () => {},
      snapshot: () => null,
    });
    const got: number[] = [];
    let caught: unknown;
    try {
      for await (const one of readParts(readable, failing)) got.push(one);
    } catch (error) {
      caught = error;
    }
    expect(got).toEqual([1, 2]);
    expect(caught).toEqual(new Error("stage"));
    expect(log.cancelled).toBe(1);
    expect(log.pulled).toBe(2);
  });

  test("calls of next that overlap keep the order", async () => {
    const parts = readParts([1, 2, 3], new Repeat());
    const results = await Promise.all(
      Array.from({ length: 8 }, () => parts.next()),
    );
    expect(results.map((result) => result.value)).toEqual([
      1,
      2,
      2,
      3,
      3,
      3,
      3,
      undefined,
    ]);
    expect(results.at(-1)!.done).toBe(true);
  });

  test("iterables and async iterables are sources, and are returned", async () => {
    let returned = 0;
    async function* source() {
      try {
        yield 1;
        yield 2;
      } finally {
        returned++;
      }
    }
    for await (const _ of readParts(source(), new Repeat())) break;
    expect(returned).toBe(1);
    expect(await gather(readParts(new Set([1]), new Repeat()))).toEqual([1, 1]);
  });
});

describe("toReadableStream", () => {
  test("pulls on demand and returns the iterator when cancelled", async () => {
    let made = 0;
    let returned = false;
    function* source() {
      try {
        for (;;) yield ++made;
      } finally {
        returned = true;
      }
    }
    const reader = toReadableStream(source()).getReader();
    expect(made).toBe(0);
    expect((await reader.read()).value).toBe(1);
    expect(made).toBe(1);
    await reader.cancel();
    expect(returned).toBe(true);
  });

  test("a stream comes back as it is; an error of the source is its error", async () => {
    const stream = new ReadableStream();
    expect(toReadableStream(stream)).toBe(stream);
    // deno-lint-ignore require-yield
    async function* failing(): AsyncGenerator<number> {
      throw new Error("broken");
    }
    let caught: unknown;
    await drain(toReadableStream(failing())).catch((error) => caught = error);
    expect(caught).toEqual(new Error("broken"));
  });
});

test("parts of one's own type flow through typed pipelines", () => {
  const upper: Stage<string | Part, Part> = {
    push(input, emit) {
      if (typeof input === "string") {
        emit({ type: "text", text: input.toUpperCase(), start: 0 });
      } else emit(input);
    },
    end() {},
    snapshot: () => null,
  };
  const parts: Part[] = parse("a", new StageStream(upper));
  expect(parts).toEqual([{ type: "text", text: "A", start: 0 }]);
});
