import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromJSONL } from "../../adapters/jsonl.ts";
import { partsProvider } from "../../adapters/parts_provider.ts";
import type { Provider, ProviderInput } from "../../adapters/provider.ts";
import type { SourceOptions, WireSource } from "../../adapters/source.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { StreamError } from "../../adapters/stream_error.ts";
import { fromText } from "../../adapters/text.ts";
import type { Emit, Part, Stage } from "../../mod.ts";
import { merged, RUNS } from "../laws.ts";
import { pieces } from "../support/cases/wire_case.ts";
import { ChunkSource, drained } from "../support/wire.ts";

const letters = ["a", "b", "c", "d"];

/** One chunk for each letter, each giving one text part. */
const wires: Record<
  string,
  {
    chunk: (letter: string, start: number) => string;
    open: (source: WireSource, options?: SourceOptions) => ReadableStream<Part>;
  }
> = {
  fromSSE: {
    chunk: (text, start) =>
      `data: ${JSON.stringify({ type: "text", text, start })}\n\n`,
    open: (source, options) =>
      fromSSE(source, { provider: partsProvider, ...options }),
  },
  fromJSONL: {
    chunk: (text, start) =>
      `${JSON.stringify({ type: "text", text, start })}\n`,
    open: (source, options) =>
      fromJSONL(source, { provider: partsProvider, ...options }),
  },
  fromText: { chunk: (text) => text, open: fromText },
};

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => part.type === "text" ? part.text : "").join("");
}

/** The end of a stream of parts: error code or name, and the finish part. */
function endOf(parts: readonly Part[]): unknown {
  const finishes = parts.filter((part) => part.type === "finish");
  expect(finishes.length).toBe(1);
  const last = parts.at(-1)!;
  if (last.type !== "finish") throw new Error(`it ends with ${last.type}`);
  const errors = parts.filter((part) => part.type === "error");
  return [
    ...errors.map(({ error }) => error.code ?? error.name),
    last.reason,
    last.complete,
  ];
}

const turn = (): Promise<void> => new Promise((go) => setTimeout(go, 1));

for (const [name, { chunk, open }] of Object.entries(wires)) {
  const chunks = letters.map(chunk);

  describe(`${name}: reading`, () => {
    test("nothing is read before it is asked for, and nothing ahead", async () => {
      const source = new ChunkSource(chunks);
      const reader = open(source.readable).getReader();
      await turn();
      expect(source.reads).toBe(0);
      for (const [index, letter] of letters.entries()) {
        const { value } = await reader.read();
        expect(value?.type === "text" && value.text).toBe(letter);
        await turn();
        expect(source.reads).toBe(index + 1);
      }
    });

    test("takes streams, iterables, async iterables, texts and bytes", async () => {
      const encoder = new TextEncoder();
      const whole = chunks.join("");
      async function* asynchronously(): AsyncGenerator<string> {
        for (const one of chunks) {
          await turn();
          yield one;
        }
      }
      const sources: WireSource[] = [
        new ChunkSource(chunks).readable,
        new ChunkSource(chunks.map((one) => encoder.encode(one))).readable,
        chunks,
        new Set(chunks),
        asynchronously(),
        whole,
        encoder.encode(whole),
        pieces(encoder.encode(whole), 1),
        new Response(whole),
      ];
      for (const source of sources) {
        const { output } = await drained(open(source));
        expect(textOf(output)).toBe("abcd");
        expect(endOf(output)).toEqual(["unknown", false]);
      }
    });

    test("the lock is released when the source is over", async () => {
      const source = new ChunkSource(chunks);
      await drained(open(source.readable));
      expect(source.readable.locked).toBe(false);
      expect(source.cancels).toEqual([]);
    });

    test("a source in use is refused at once", () => {
      const { readable } = new ChunkSource(chunks);
      readable.getReader();
      expect(() => open(readable)).toThrow(TypeError);
      expect(() => open(chunks, { onError: "no" as "part" })).toThrow(
        TypeError,
      );
    });

    test("a chunk of another kind is an error, and the source is cancelled", async () => {
      const source = new ChunkSource<unknown>([chunks[0], { not: "text" }]);
      const { output } = await drained(
        open(source.readable as ReadableStream<string>),
      );
      expect(textOf(output)).toBe("a");
      expect(endOf(output)).toEqual(["invalid-chunk", "error", false]);
      expect(source.cancels.length).toBe(1);
    });
  });

  describe(`${name}: a source that fails`, () => {
    const broken = Object.assign(new TypeError("terminated"), {
      cause: { code: "ECONNRESET" },
    });

    test("at every chunk: parts, an error part, a finish part, a normal close", async () => {
      for (let at = 0; at <= chunks.length; at++) {
        const source = new ChunkSource(chunks, at, broken);
        const { output, error } = await drained(open(source.readable));
        expect(error).toBe(undefined);
        expect(textOf(output)).toBe(letters.slice(0, at).join(""));
        expect(endOf(output)).toEqual(["ECONNRESET", "error", false]);
        expect(output.find((part) => part.type === "error")).toEqual({
          type: "error",
          error: {
            name: "TypeError",
            message: "terminated",
            code: "ECONNRESET",
          },
          fatal: true,
        });
        expect(source.cancels).toEqual([]);
        expect(source.readable.locked).toBe(false);
      }
    });

    test('at every chunk with onError: "throw": what came before, then the very error', async () => {
      for (let at = 0; at <= chunks.length; at++) {
        const source = new ChunkSource(chunks, at, broken);
        const { output, error } = await drained(
          open(source.readable, { onError: "throw" }),
        );
        expect(error).toBe(broken);
        expect(textOf(output)).toBe(letters.slice(0, at).join(""));
        expect(output.some(({ type }) => type === "finish")).toBe(false);
      }
    });

    test("behind an event whose end has not come: the event counts", async () => {
      const cut = [chunks[0]!, chunks[1]!.trimEnd()];
      const source = new ChunkSource(cut, 2, broken);
      const { output } = await drained(open(source.readable));
      expect(textOf(output)).toBe("ab");
      expect(endOf(output)).toEqual(["ECONNRESET", "error", false]);
    });

    test("an abort from elsewhere is a cancellation", async () => {
      const aborted = new DOMException("stopped", "AbortError");
      const source = new ChunkSource(chunks, 1, aborted);
      const { output } = await drained(open(source.readable));
      expect(endOf(output)).toEqual(["AbortError", "cancelled", false]);
    });

    test("whatever is thrown", async () => {
      const hostile = {
        get name(): string {
          throw new Error("no name");
        },
      };
      async function* failing(thrown: unknown): AsyncGenerator<string> {
        yield chunks[0]!;
        throw thrown;
      }
      for (const thrown of ["text", undefined, null, 5, hostile, {}]) {
        const { output } = await drained(open(failing(thrown)));
        expect(textOf(output)).toBe("a");
        expect((endOf(output) as unknown[]).slice(1)).toEqual(["error", false]);
      }
    });
  });

  if (name !== "fromText") {
    test(`${name}: an event that is cut where the source fails is reported`, async () => {
      const cut = [chunks[0]!, chunks[1]!.slice(0, -5)];
      const source = new ChunkSource(cut, 2, new Error("reset"));
      const { output } = await drained(open(source.readable));
      expect(textOf(output)).toBe("a");
      const types = output.map(({ type }) => type);
      expect(types.indexOf("warning")).toBeLessThan(types.indexOf("error"));
      expect(types).toContain("warning");
    });
  }

  describe(`${name}: abort`, () => {
    test("at every chunk, while the next read is waiting", async () => {
      for (let at = 0; at <= chunks.length; at++) {
        const abort = new AbortController();
        const cancels: unknown[] = [];
        let reads = 0;
        const source = new ReadableStream<string>({
          pull(controller) {
            // The last one never answers.
            if (reads < at) controller.enqueue(chunks[reads++]!);
            else return new Promise(() => {});
          },
          cancel(reason) {
            cancels.push(reason);
            // Nor does the cancelling.
            return new Promise(() => {});
          },
        }, { highWaterMark: 0 });
        const done = drained(open(source, { signal: abort.signal }));
        await turn();
        abort.abort();
        const { output, error } = await done;
        expect(error).toBe(undefined);
        expect(textOf(output)).toBe(letters.slice(0, at).join(""));
        expect(endOf(output)).toEqual(["AbortError", "cancelled", false]);
        expect(cancels).toEqual([abort.signal.reason]);
        expect(source.locked).toBe(false);
      }
    });

    test("at every chunk, while nobody reads", async () => {
      for (let at = 0; at <= chunks.length; at++) {
        const abort = new AbortController();
        const source = new ChunkSource(chunks);
        const stream = open(source.readable, { signal: abort.signal });
        const reader = stream.getReader();
        const parts: Part[] = [];
        for (let read = 0; read < at; read++) {
          parts.push((await reader.read()).value!);
        }
        abort.abort("because");
        abort.abort("again");
        reader.releaseLock();
        const { output } = await drained(stream);
        parts.push(...output);
        expect(textOf(parts)).toBe(letters.slice(0, at).join(""));
        expect(endOf(parts)).toEqual(["AbortError", "cancelled", false]);
        expect(source.cancels).toEqual(["because"]);
        expect(source.reads).toBe(at);
      }
    });

    test("before the beginning: nothing is read", async () => {
      const source = new ChunkSource(chunks);
      const { output } = await drained(
        open(source.readable, { signal: AbortSignal.abort("early") }),
      );
      expect(endOf(output)).toEqual(["AbortError", "cancelled", false]);
      expect(output.length).toBe(2);
      expect(source.reads).toBe(0);
      expect(source.cancels).toEqual(["early"]);
    });

    test('with onError: "throw" the stream fails with the reason', async () => {
      const abort = new AbortController();
      const source = new ChunkSource(chunks);
      const reader = open(source.readable, {
        signal: abort.signal,
        onError: "throw",
      }).getReader();
      await reader.read();
      const reason = new Error("because");
      abort.abort(reason);
      let error: unknown;
      await reader.read().catch((thrown) => error = thrown);
      expect(error).toBe(reason);
    });

    test("a timeout says so", async () => {
      const signal = AbortSignal.timeout(1);
      const source = new ReadableStream<string>({
        pull: () => new Promise(() => {}),
      });
      const { output } = await drained(open(source, { signal }));
      expect(endOf(output)).toEqual(["TimeoutError", "cancelled", false]);
    });

    test("after the end: nothing, and nobody listens any more", async () => {
      let listeners = 0;
      const abort = new AbortController();
      const { signal } = abort;
      const add = signal.addEventListener.bind(signal);
      const remove = signal.removeEventListener.bind(signal);
      signal.addEventListener = (...given: Parameters<typeof add>) => {
        listeners++;
        add(...given);
      };
      signal.removeEventListener = (...given: Parameters<typeof remove>) => {
        listeners--;
        remove(...given);
      };
      const source = new ChunkSource(chunks);
      await open(source.readable, { signal }).cancel();
      expect(listeners).toBe(0);
      const { output } = await drained(open(chunks, { signal }));
      abort.abort();
      expect(endOf(output)).toEqual(["unknown", false]);
      expect(listeners).toBe(0);
    });
  });

  describe(`${name}: cancel`, () => {
    test("at every chunk it reaches the source, once, and the lock is released", async () => {
      for (let at = 0; at <= chunks.length; at++) {
        const source = new ChunkSource(chunks);
        const stream = open(source.readable);
        const reader = stream.getReader();
        for (let read = 0; read < at; read++) await reader.read();
        await reader.cancel("enough");
        await reader.cancel("again");
        expect(source.cancels).toEqual(["enough"]);
        expect(source.readable.locked).toBe(false);
        expect(await reader.read()).toEqual({ done: true, value: undefined });
      }
    });

    test("while a read is waiting", async () => {
      const cancels: unknown[] = [];
      const source = new ReadableStream<string>({
        pull: () => new Promise(() => {}),
        cancel: (reason) => void cancels.push(reason),
      });
      const reader = open(source).getReader();
      const waiting = reader.read();
      await turn();
      await reader.cancel("enough");
      expect(await waiting).toEqual({ done: true, value: undefined });
      expect(cancels).toEqual(["enough"]);
    });

    test("of an iterable it is the iterator's return, once", async () => {
      let returned = 0;
      function* given(): Generator<string> {
        try {
          yield* chunks;
        } finally {
          returned++;
        }
      }
      const reader = open(given()).getReader();
      await reader.read();
      await reader.cancel();
      expect(returned).toBe(1);
      for await (const _ of open(given())) break;
      expect(returned).toBe(2);
    });

    test("of a source that does not like it is told to who cancels", async () => {
      const source = new ReadableStream<string>({
        cancel() {
          throw new Error("no");
        },
      });
      let error: unknown;
      await open(source).cancel().catch((reason) => error = reason);
      expect(String(error)).toBe("Error: no");
    });

    test("after the end is nothing", async () => {
      const source = new ChunkSource(chunks);
      const stream = open(source.readable);
      await drained(stream);
      await stream.cancel("late");
      expect(source.cancels).toEqual([]);
    });
  });

  describe(`${name}: any order of things`, () => {
    test("reads, aborts, cancels and errors leave one end and one cancel", async () => {
      const step = fc.constantFrom("read", "abort", "cancel", "turn");
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 8 }),
          fc.integer({ min: -1, max: 5 }),
          fc.constantFrom<"part" | "throw">("part", "throw"),
          fc.boolean(),
          async (steps, failAt, onError, slow) => {
            const abort = new AbortController();
            let source = new ChunkSource(chunks, failAt);
            if (slow) {
              const inner = source.readable.getReader();
              source = new ChunkSource<string>([]);
              const { cancels } = source;
              Object.assign(source, {
                readable: new ReadableStream<string>({
                  async pull(controller) {
                    await turn();
                    const { done, value } = await inner.read();
                    if (done) controller.close();
                    else controller.enqueue(value);
                  },
                  cancel: (reason) => void cancels.push(reason),
                }, { highWaterMark: 0 }),
              });
            }
            const reader = open(source.readable, {
              signal: abort.signal,
              onError,
            }).getReader();
            const parts: Part[] = [];
            const pending: Promise<unknown>[] = [];
            let failed = false;
            const read = () =>
              reader.read().then(
                ({ done, value }) => {
                  if (!done) parts.push(value);
                },
                () => {
                  failed = true;
                },
              );
            let cancelled = false;
            for (const one of steps) {
              if (one === "read") pending.push(read());
              else if (one === "abort") abort.abort();
              else if (one === "turn") await turn();
              else {
                cancelled = true;
                pending.push(reader.cancel("c").catch(() => {}));
              }
            }
            await Promise.all(pending);
            for (let more = 0; more < 8; more++) await read();
            await turn();
            const finishes = parts.filter(({ type }) => type === "finish");
            if (!cancelled) {
              const expected = failed ? 0 : 1;
              if (finishes.length !== expected) {
                throw new Error(`${finishes.length} finish parts`);
              }
            } else if (finishes.length > 1) throw new Error("two finish parts");
            if (source.cancels.length > 1) {
              throw new Error("cancelled more than once");
            }
            if (source.readable.locked) throw new Error("still locked");
            const text = textOf(parts);
            if (!"abcd".startsWith(text)) throw new Error(`text is ${text}`);
          },
        ),
        { numRuns: Math.ceil(RUNS / 5) },
      );
    });
  });
}

describe("sources: big chunks", () => {
  test("a chunk is worked on in pieces, and pairs are not cut", async () => {
    const text = "😀".repeat(50_000);
    const { output } = await drained(fromText(`x${text}`));
    const texts = output.filter((part) => part.type === "text");
    expect(texts.length).toBeGreaterThan(2);
    for (const part of texts) expect(part.text.isWellFormed()).toBe(true);
    expect(merged(output)[0]).toEqual({
      type: "text",
      text: `x${text}`,
      start: 0,
    });
    const bytes = await drained(fromText(new TextEncoder().encode(text)));
    expect(textOf(bytes.output)).toBe(text);
  });

  test("a hundred thousand parts in one chunk take linear time", async () => {
    const time = async (count: number): Promise<number> => {
      const body = 'data: {"type":"text","text":"x","start":0}\n\n'
        .repeat(count);
      const before = performance.now();
      const { output } = await drained(
        fromSSE(body, { provider: partsProvider }),
      );
      expect(output.length).toBe(count + 1);
      return (performance.now() - before) / count;
    };
    await time(10_000);
    expect(await time(100_000) / await time(10_000)).toBeLessThan(5);
  });

  test("a cancelled stream does not read the rest of a chunk", async () => {
    const body = 'data: {"type":"text","text":"x","start":0}\n\n'
      .repeat(10_000);
    let seen = 0;
    const counting: Provider = {
      ...partsProvider,
      create: (options) => {
        const stage = partsProvider.create(options);
        return {
          push(input: ProviderInput, emit: Emit<Part>) {
            seen++;
            stage.push(input, emit);
          },
          end: (emit: Emit<Part>) => stage.end(emit),
          snapshot: () => null,
        };
      },
    };
    const reader = fromSSE(body, { provider: counting }).getReader();
    await reader.read();
    await reader.cancel();
    expect(seen).toBeLessThan(1000);
  });
});

describe("sources: a decoder of your own", () => {
  const custom = (stage: Partial<Stage<ProviderInput, Part>>): Provider => ({
    name: "custom",
    transport: "any",
    detect: () => true,
    create: () => ({
      push: () => {},
      end: () => {},
      snapshot: () => null,
      ...stage,
    }),
  });
  const finish: Part = { type: "finish", reason: "stop", complete: true };

  test("that gives no finish part gets one", async () => {
    const { output } = await drained(
      fromSSE("data: 1\n\n", { provider: custom({}) }),
    );
    expect(output).toEqual([
      { type: "finish", reason: "unknown", complete: false },
    ]);
  });

  test("that gives two keeps one", async () => {
    const { output } = await drained(fromSSE("data: 1\n\n", {
      provider: custom({
        push: (_, emit) => emit(finish),
        end: (emit) => emit(finish),
      }),
    }));
    expect(output).toEqual([finish]);
  });

  test("that throws is an error of the stream, wherever it throws", async () => {
    const fault = () => {
      throw new RangeError("mine");
    };
    for (const stage of [{ push: fault }, { end: fault }]) {
      const source = new ChunkSource(["data: 1\n\n", "data: 2\n\n"]);
      const { output } = await drained(
        fromSSE(source.readable, { provider: custom(stage) }),
      );
      expect((endOf(output) as unknown[]).slice(-3)).toEqual([
        "RangeError",
        "error",
        false,
      ]);
      const thrown = await drained(
        fromSSE("data: 1\n\n", { provider: custom(stage), onError: "throw" }),
      );
      expect(String(thrown.error)).toBe("RangeError: mine");
    }
  });

  test("what it holds comes out before the stream fails", async () => {
    const held: Part = { type: "text", text: "held", start: 0 };
    const provider = custom({
      end: (emit) => {
        emit(held);
        emit(finish);
      },
    });
    const source = new ChunkSource(["data: 1\n\n"], 1, new Error("broken"));
    const { output, error } = await drained(
      fromSSE(source.readable, { provider, onError: "throw" }),
    );
    expect(output).toEqual([held]);
    expect(String(error)).toBe("Error: broken");
  });
});

describe("sources: answers with an error status", () => {
  const answers: [string, number, string][] = [
    ['{"error":{"message":"Slow down","type":"rate"}}', 429, "Slow down"],
    ['{"type":"error","error":{"type":"x","message":"Busy"}}', 529, "Busy"],
    ['[{"error":{"code":400,"message":"Bad key"}}]', 400, "Bad key"],
    ['{"error":"model not found"}', 404, "model not found"],
    ['{"detail":[{"msg":"field required"}]}', 422, "field required"],
    ['{"message":"Forbidden"}', 403, "Forbidden"],
    ['event: error\ndata: {"error":{"message":"Quota"}}\n\n', 402, "Quota"],
    [
      "<!doctype html><html><head><title>502 Bad Gateway</title></head>",
      502,
      'a web page titled "502 Bad Gateway"',
    ],
    ["upstream timed out", 504, '"upstream timed out"'],
    ['{"half":', 500, '"{\\"half\\":"'],
  ];
  for (const [name, { open }] of Object.entries(wires)) {
    test(`${name} says the status and what the provider says`, async () => {
      for (const [body, status, message] of answers) {
        const { output } = await drained(
          open(new Response(body, { status, statusText: "Oh" })),
        );
        expect(endOf(output)).toEqual([`http-${status}`, "error", false]);
        const error = output.find((part) => part.type === "error");
        expect(error?.error.message).toBe(
          `The server answered ${status} Oh: ${message}`,
        );
      }
    });

    test(`${name} throws it with onError: "throw"`, async () => {
      const { output, error } = await drained(
        open(new Response('{"error":"no"}', { status: 401 }), {
          onError: "throw",
        }),
      );
      expect(output).toEqual([]);
      expect(error).toBeInstanceOf(StreamError);
      expect((error as StreamError).status).toBe(401);
      expect((error as StreamError).code).toBe("http-401");
    });

    test(`${name} does not read an error body for ever`, async () => {
      const cancels: unknown[] = [];
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(1000)),
        cancel: (reason) => void cancels.push(reason),
      });
      const { output } = await drained(
        open(new Response(body, { status: 500 })),
      );
      expect(endOf(output)).toEqual(["http-500", "error", false]);
      expect(cancels.length).toBe(1);
    });

    test(`${name} needs no body`, async () => {
      const { output } = await drained(
        open(new Response(null, { status: 500 })),
      );
      expect(endOf(output)).toEqual(["http-500", "error", false]);
      const empty = await drained(open(new Response(null, { status: 200 })));
      expect(endOf(empty.output)).toEqual(["unknown", false]);
    });
  }
});
