import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type ServerSentEvent,
  SSEParserStream,
  type SSEParserStreamOptions,
} from "../../adapters/sse_parser.ts";
import { StreamError } from "../../adapters/stream_error.ts";
import { parse, pipeline, StageStream } from "../../mod.ts";
import { least, RUNS } from "../laws.ts";
import type { CaseLine } from "../support/cases/area_runner.ts";
import { run } from "../support/cases/sse.ts";
import { pieces, randomPieces } from "../support/cases/wire_case.ts";
import { referenceEvents } from "../support/sse_reference.ts";
import {
  ChunkSource,
  drained,
  outputs,
  outputsResumed,
  piped,
} from "../support/wire.ts";

type Chunk = string | Uint8Array;

/** Everything a parser says, in order. */
function told(
  chunks: readonly Chunk[],
  options: SSEParserStreamOptions = {},
  resume = false,
): {
  events: ServerSentEvent[];
  retry: number[];
  comments: string[];
  warnings: string[];
  error: string | undefined;
} {
  const retry: number[] = [];
  const comments: string[] = [];
  const warnings: string[] = [];
  const make = (snapshot?: unknown) =>
    new SSEParserStream({
      ...options,
      snapshot,
      onRetry: (milliseconds) => retry.push(milliseconds),
      onComment: (comment) => comments.push(comment),
      onWarning: ({ code }) => warnings.push(code),
    }).stage;
  const { output, error } = resume
    ? outputsResumed(make, chunks)
    : outputs(make(), chunks);
  return {
    events: output,
    retry,
    comments,
    warnings,
    error: error === undefined ? undefined : (error as StreamError).code,
  };
}

function* waysToCut(text: string, seed: number): Generator<Chunk[]> {
  yield pieces(text, 1);
  yield randomPieces(text, seed, 8);
  const bytes = new TextEncoder().encode(text);
  yield pieces(bytes, 1);
  yield randomPieces(bytes, seed, 8);
}

/** Far quicker than `expect`, which matters a hundred thousand times over. */
function same(got: unknown, expected: unknown): void {
  const a = JSON.stringify(got);
  const b = JSON.stringify(expected);
  if (a !== b) throw new Error(`expected ${b}\ngot      ${a}`);
}

/** A breath: what a hundred thousand streams leave behind is freed only between turns. */
const turn = Promise.resolve();

/** Event streams with everything that can be odd about one. */
const streams = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("\n", "\r\n", "\r", "\n\n") },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "data: ",
        "data:",
        "data",
        "event: ",
        "event:",
        "event",
        "id: ",
        "id:",
        "id",
        "retry: ",
        "retry:",
        ": ",
        ":",
        "Data:",
        "datax:",
        " data:",
        "\ufeff",
        "ï»¿",
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "a",
        " ",
        "12",
        "{}",
        "é€😀",
        "\0",
        ":",
        "data",
        "\u2028id",
        "\u0085",
        "\v",
        "x".repeat(20),
      ),
    },
  ),
  { maxLength: 24 },
).map((list) => list.join(""));

describe("SSEParserStream: the cases", () => {
  const lines = readFileSync("test/cases/sse.jsonl", "utf8").trim().split("\n");
  for (const line of lines) {
    const one = JSON.parse(line) as CaseLine;
    test(one.id, async () => {
      expect(await run(one)).toEqual({ status: "passed" });
    });
  }
});

describe("SSEParserStream: the standard", () => {
  test("says what a literal reading of the standard says, however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        streams,
        fc.integer(),
        fc.boolean(),
        async (text, seed, flush) => {
          await turn;
          const expected = referenceEvents(text, flush);
          const whole = told([text], { flushAtEnd: flush });
          const { events, retry, comments, error } = whole;
          same({ events, retry, comments }, expected);
          same(error, undefined);
          for (const chunks of waysToCut(text, seed)) {
            same(told(chunks, { flushAtEnd: flush }), whole);
          }
          const chunks = randomPieces(text, seed, 8);
          same(told(chunks, { flushAtEnd: flush }, true), whole);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("says what eventsource-parser's feed says, three things excepted", async () => {
    // Its 3.1 keeps U+FEFF at the beginning, takes off the three characters that
    // a badly decoded one looks like, and waits behind a final CR. So it is given
    // the text without the mark, behind a line of its own, with LF line ends.
    await fc.assert(
      fc.asyncProperty(streams, fc.integer(), async (text, seed) => {
        await turn;
        const events: unknown[] = [];
        const retry: number[] = [];
        const comments: string[] = [];
        const parser = createParser({
          onEvent: ({ event, data, id }) => {
            events.push({
              event: event ?? "message",
              data,
              ...(id === undefined ? {} : { id }),
            });
          },
          onRetry: (milliseconds) => retry.push(milliseconds),
          onComment: (comment) => comments.push(comment),
        });
        parser.feed("\n");
        const plain = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
        for (const piece of randomPieces(plain, seed, 8)) parser.feed(piece);
        const ours = told(randomPieces(text, seed + 1, 8));
        same(ours.events.map(({ lastEventId: _, ...rest }) => rest), events);
        same(ours.retry, retry);
        same(ours.comments, comments);
      }),
      { numRuns: RUNS },
    );
  });

  test("the running last event id: kept, changed, reset, set by a block without data", () => {
    const ids = told([
      "data:a\n\nid:1\n\ndata:b\n\nid:2\ndata:c\n\nid\n\ndata:d\n\nid:3\0\ndata:e\n\n",
    ]).events.map(({ lastEventId }) => lastEventId);
    expect(ids).toEqual(["", "1", "2", "", ""]);
  });

  test("the event's own id is absent when it has none", () => {
    const { events } = told(["id:1\ndata:a\n\ndata:b\n\n"]);
    expect(events).toEqual([
      { event: "message", data: "a", id: "1", lastEventId: "1" },
      { event: "message", data: "b", lastEventId: "1" },
    ]);
  });

  test("a CR ends a line at once, and a LF behind it is its second half", () => {
    const { stage } = new SSEParserStream();
    const events: ServerSentEvent[] = [];
    const emit = (event: ServerSentEvent): void => void events.push(event);
    stage.push("data: a\r\r", emit);
    expect(events.length).toBe(1);
    stage.push("\ndata: b\r", emit);
    stage.push("\n\r", emit);
    expect(events.map(({ data }) => data)).toEqual(["a", "b"]);
  });

  test("keep-alive comments are told before any blank line", () => {
    const { stage } = new SSEParserStream({
      onComment: (comment) => comments.push(comment),
    });
    const comments: string[] = [];
    for (const chunk of [": pi", "ng\n: po", "ng\nda"]) {
      stage.push(chunk, () => {});
    }
    expect(comments).toEqual(["ping", "pong"]);
  });

  test("a retry field counts without a blank line behind it", () => {
    expect(told(["retry: 5\ndata: lost\n"]).retry).toEqual([5]);
    expect(told(["retry: 5"]).retry).toEqual([]);
    expect(told(["retry: 5"], { flushAtEnd: true }).retry).toEqual([5]);
  });
});

describe("SSEParserStream: what is odd", () => {
  test("a body that is no event stream is shown, once it is over", () => {
    const messages: string[] = [];
    const options: SSEParserStreamOptions = {
      onWarning: ({ code, message }) => messages.push(`${code}: ${message}`),
    };
    const long = `<html>${"x".repeat(300)}`;
    for (
      const body of ['{"error":"no"}', "[1]", long, "Bad\ngateway\n", "\n\nx"]
    ) {
      for (const chunks of [[body], pieces(body, 1)]) {
        messages.length = 0;
        outputs(new SSEParserStream(options).stage, chunks);
        expect(messages).toEqual([
          `not-an-event-stream: This is not an event stream. It begins ${
            JSON.stringify(body.slice(0, 200))
          }`,
        ]);
      }
    }
  });

  test("anything of an event stream is enough for one", () => {
    for (
      const body of [
        "",
        "\r\n\n",
        ": ping\n",
        "retry: 5\n",
        "data: cut off",
        "event: only\n\n",
        "noise\nid: 4",
        "<p>\ndata: x\n\n",
      ]
    ) {
      expect(told([body]).warnings.includes("not-an-event-stream")).toBe(false);
      expect(told(pieces(body, 1)).warnings).toEqual(told([body]).warnings);
    }
  });

  test("a dropped last event is reported", () => {
    expect(told(["data: a\n\ndata: b"]).warnings).toEqual(["truncated"]);
    expect(told(["data: a\n\nevent: b\ndata: c\n"]).warnings).toEqual([
      "truncated",
    ]);
    expect(told(["data: a\n\nevent: b\n"]).warnings).toEqual([]);
    expect(told(["data: a\n\ndata: b"], { flushAtEnd: true }).warnings)
      .toEqual([]);
  });

  test("bytes that are not UTF-8 become U+FFFD and are reported, or fail", () => {
    const bytes = Uint8Array.from([
      ...new TextEncoder().encode("data: a\n\ndata: "),
      0xff,
      0x0a,
      0x0a,
    ]);
    for (const chunks of [[bytes], pieces(bytes, 1)]) {
      const lenient = told(chunks);
      expect(lenient.events.map(({ data }) => data)).toEqual(["a", "\ufffd"]);
      expect(lenient.warnings).toEqual(["invalid-utf8"]);
      const strict = told(chunks, { fatalUtf8: true });
      expect(strict.events.map(({ data }) => data)).toEqual(["a"]);
      expect(strict.error).toBe("invalid-utf8");
    }
  });
});

describe("SSEParserStream: limits", () => {
  test("a limit is reached at the same character however the input is cut", () => {
    fc.assert(
      fc.property(
        streams,
        fc.integer(),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (text, seed, maxBufferSize, maxLineChars) => {
          const options = { maxBufferSize, maxLineChars };
          const whole = told([text], options);
          for (const chunks of waysToCut(text, seed)) {
            same(told(chunks, options), whole);
          }
          same(told(randomPieces(text, seed, 8), options, true), whole);
          if (whole.error === undefined) same(whole, told([text]));
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("a whole event in one chunk counts too", () => {
    const text = `data: a\n\ndata: ${"x".repeat(60)}\n\n`;
    const { events, error } = told([text], { maxBufferSize: 64 });
    expect(events.map(({ data }) => data)).toEqual(["a"]);
    expect(error).toBe("max-buffer-size");
    expect(told([text], { maxBufferSize: 67 }).error).toBe(undefined);
  });

  test("events, types, ids and unknown fields all count", () => {
    for (const field of ["event", "id", "retry", "other", "x"]) {
      const line = `${field}: ${"1".repeat(100)}`;
      expect(told([line], { maxBufferSize: 64 }).error).toBe("max-buffer-size");
      expect(told(pieces(line, 1), { maxLineChars: 64 }).error).toBe(
        "line-too-long",
      );
    }
  });

  test("leading comments do not add up", () => {
    const text = ": keep alive\n".repeat(1000);
    expect(told([text], { maxBufferSize: 64 }).error).toBe(undefined);
    expect(told([text], { maxBufferSize: 64 }).comments.length).toBe(1000);
  });

  test("the limit is 16 Mi characters when none is given", () => {
    const line = (length: number) => `data: ${"x".repeat(length - 6)}`;
    const chunks = (length: number) => pieces(line(length), 65_536);
    expect(told([...chunks(16_777_216)]).error).toBe(undefined);
    expect(told([...chunks(16_777_217)]).error).toBe("max-buffer-size");
    expect(told([line(16_777_217)]).error).toBe("max-buffer-size");
  });

  test("as a stream it fails behind everything that came before, and the source is cancelled", async () => {
    const source = new ChunkSource<Chunk>([
      `data: a\n\ndata: b\n\ndata: ${"x".repeat(99)}`,
      "never",
      "read",
      "far",
    ]);
    const { output, error } = await drained(
      source.readable.pipeThrough(new SSEParserStream({ maxBufferSize: 64 })),
    );
    expect(output.map(({ data }) => data)).toEqual(["a", "b"]);
    expect(error).toBeInstanceOf(StreamError);
    expect((error as StreamError).code).toBe("max-buffer-size");
    expect((error as StreamError).excerpt).toBe(`data: ${"x".repeat(59)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(source.cancels).toEqual([error]);
  });

  test("the same when the input is over at once", async () => {
    const { output, error } = await piped(
      [`data: a\n\ndata: ${"x".repeat(99)}`],
      new SSEParserStream({ maxBufferSize: 64 }),
    );
    expect(output.map(({ data }) => data)).toEqual(["a"]);
    expect((error as StreamError).code).toBe("max-buffer-size");
  });

  test("in a pipeline, the stage throws at the call after the failure", () => {
    const { stage } = new SSEParserStream({ maxBufferSize: 8 });
    const events: ServerSentEvent[] = [];
    stage.push("data:a\n\ndata:way too long\n\n", (event) => {
      events.push(event);
    });
    expect(events.length).toBe(1);
    expect(() => stage.push("x", () => {})).toThrow(StreamError);
    expect(() => stage.end(() => {})).toThrow(StreamError);
  });
});

describe("SSEParserStream: as a stream", () => {
  test("gives the same in a pipe as by pushing", async () => {
    const text = ": c\r\nid: 1\r\nevent: e\r\ndata: é😀\r\n\r\ndata: 2\n\n";
    for (const chunks of waysToCut(text, 7)) {
      const { output } = await piped(chunks, new SSEParserStream());
      expect(output).toEqual(told([text]).events);
    }
  });

  test("is fused into a pipeline", async () => {
    const data = new StageStream<ServerSentEvent, string>({
      push: (event, emit) => emit(event.data),
      end: () => {},
      snapshot: () => null,
    });
    const stream = pipeline(new SSEParserStream(), data);
    const source = new ChunkSource<Chunk>(["data: a\n\nda", "ta: b\n\n"]);
    const { output } = await drained(source.readable.pipeThrough(stream));
    expect(output).toEqual(["a", "b"]);
    expect(stream).toBeInstanceOf(StageStream);
  });

  test("cancelling it cancels the source, once", async () => {
    const source = new ChunkSource<Chunk>(["data: a\n\n", "data: b\n\n"]);
    const reader = source.readable.pipeThrough(new SSEParserStream())
      .getReader();
    await reader.read();
    await reader.cancel("enough");
    expect(source.cancels).toEqual(["enough"]);
  });

  test("an error of the source comes through behind the events", async () => {
    const broken = new TypeError("broken");
    const source = new ChunkSource<Chunk>(["data: a\n\n"], 1, broken);
    const reader = source.readable.pipeThrough(new SSEParserStream())
      .getReader();
    expect((await reader.read()).value?.data).toBe("a");
    let error: unknown;
    await reader.read().catch((reason) => error = reason);
    expect(error).toBe(broken);
  });

  test("goes on from a snapshot between any two chunks", () => {
    const text =
      "\ufeffid: 1\ndata: é\r\n\r\n: c\ndata: 😀\nid: 2\n\ndata: x\n\ndata: cut";
    const whole = told([text], { flushAtEnd: true });
    for (const chunks of waysToCut(text, 3)) {
      expect(told(chunks, { flushAtEnd: true }, true)).toEqual(whole);
    }
  });

  test("a snapshot is a copy, and belongs to this stage", () => {
    const stream = new SSEParserStream();
    stream.stage.push("data: a", () => {});
    const snapshot = stream.snapshot();
    const json = JSON.stringify(snapshot);
    stream.stage.push("b\n\n", () => {});
    expect(JSON.stringify(snapshot)).toBe(json);
    const events = parse("c\n\n", new SSEParserStream({ snapshot }));
    expect(events.map(({ data }) => data)).toEqual(["ac"]);
    expect(() => new SSEParserStream({ snapshot: { stage: "x" } })).toThrow(
      TypeError,
    );
  });

  test("refuses limits that are none", () => {
    expect(() => new SSEParserStream({ maxBufferSize: 0 })).toThrow(RangeError);
    expect(() => new SSEParserStream({ maxLineChars: NaN })).toThrow(
      RangeError,
    );
  });
});

describe("SSEParserStream: time", () => {
  const growth = (text: (length: number) => string, size: number): number => {
    const time = (length: number): number => {
      const chunks = pieces(text(length), size);
      let best = Infinity;
      for (let round = 0; round < 3; round++) {
        const { stage } = new SSEParserStream();
        const before = performance.now();
        for (const chunk of chunks) stage.push(chunk, () => {});
        stage.end(() => {});
        best = Math.min(best, performance.now() - before);
      }
      return best / length;
    };
    time(50_000);
    return time(500_000) / time(50_000);
  };

  const inputs: Record<string, (length: number) => string> = {
    "one line": (length) => `data: ${"x".repeat(length)}\n\n`,
    "many data lines": (length) => "data:ab\n".repeat(length / 8),
    "comments": (length) => ": ping\n".repeat(length / 7),
    "a comment without end": (length) => `:${"x".repeat(length)}`,
    "blank lines": (length) => "\n".repeat(length),
    "carriage returns": (length) => "\r".repeat(length),
    "noise": (length) => "x".repeat(length),
    "ids": (length) => "id:1\n\n".repeat(length / 6),
  };
  for (const [name, text] of Object.entries(inputs)) {
    test(`is linear for ${name}`, () => {
      for (const size of [20, 4096]) {
        expect(least(() => growth(text, size))).toBeLessThan(8);
      }
    });
  }

  test("reads an event of 16 MB in pieces of 256 characters", () => {
    const chunks = pieces(`data: ${"x".repeat(16_000_000)}\n\n`, 256);
    const { output } = outputs(new SSEParserStream().stage, chunks);
    expect(output[0]?.data.length).toBe(16_000_000);
  });
});
