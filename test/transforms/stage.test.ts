import { describe, expect, test } from "vitest";
import { type Stage, StageStream, toReadableStream } from "../../mod.ts";

/** Gives every input out one step late. */
function late(): Stage<string, string> & { held: string[] } {
  return {
    held: [],
    push(input, emit) {
      for (const one of this.held.splice(0)) emit(one);
      this.held.push(input);
    },
    end(emit) {
      for (const one of this.held.splice(0)) emit(one);
    },
    snapshot() {
      return [...this.held];
    },
  };
}

describe("StageStream", () => {
  test("is a TransformStream that ends its stage", async () => {
    const stream = new StageStream(late());
    expect(stream).toBeInstanceOf(TransformStream);
    const writer = stream.writable.getWriter();
    const written = (async () => {
      await writer.write("a");
      await writer.write("b");
      await writer.close();
    })();
    const output: string[] = [];
    for await (const one of stream.readable) output.push(one);
    await written;
    expect(output).toEqual(["a", "b"]);
  });

  test("an abort does not end the stage", async () => {
    const stage = late();
    let ended = false;
    const end = stage.end.bind(stage);
    stage.end = (emit) => {
      ended = true;
      end(emit);
    };
    const stream = new StageStream(stage);
    const writer = stream.writable.getWriter();
    const reader = stream.readable.getReader();
    const failing = reader.read().catch((error) => error);
    writer.write("a").catch(() => {});
    await writer.abort(new Error("gone"));
    expect((await failing).message).toBe("gone");
    expect(ended).toBe(false);
  });

  test("snapshot is the stage's", () => {
    const stage = late();
    const stream = new StageStream(stage);
    stage.push("a", () => {});
    expect(stream.snapshot()).toEqual(["a"]);
  });

  test("backpressure reaches the writer", async () => {
    const stream = new StageStream(late(), { highWaterMark: 1 });
    const writer = stream.writable.getWriter();
    // They never arrive: nobody reads.
    const writes = ["a", "b", "c"].map((text) =>
      writer.write(text).catch(() => {})
    );
    expect(writer.desiredSize).toBeLessThanOrEqual(0);
    stream.readable.cancel();
    await writer.closed.catch(() => {});
    await Promise.all(writes);
  });

  test("a pipe runs with a highWaterMark of 0", async () => {
    const stream = new StageStream(late(), { highWaterMark: 0 });
    const reader = toReadableStream(["a", "b"]).pipeThrough(stream).getReader();
    expect(await reader.read()).toEqual({ done: false, value: "a" });
    expect(await reader.read()).toEqual({ done: false, value: "b" });
    expect((await reader.read()).done).toBe(true);
  });

  test("wrong use throws at construction", () => {
    expect(() => new StageStream(undefined as never)).toThrow(TypeError);
    for (const missing of ["push", "end", "snapshot"]) {
      const { push, end, snapshot } = late();
      for (const other of [undefined, null, 1, {}]) {
        const stage = { push, end, snapshot, [missing]: other };
        expect(() => new StageStream(stage as never), missing).toThrow(
          new TypeError(
            "Cannot make a stream: a stage has push, end and snapshot",
          ),
        );
      }
    }
    expect(() => new StageStream(null as never)).toThrow("Cannot make");
    for (const highWaterMark of [-1, NaN]) {
      expect(() => new StageStream(late(), { highWaterMark })).toThrow(
        RangeError,
      );
    }
  });
});
