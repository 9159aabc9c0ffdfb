import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SSEEncoderStream } from "../../adapters/encode_sse.ts";
import { partsProvider } from "../../adapters/parts_provider.ts";
import { fromSSE, type FromSSEOptions } from "../../adapters/sse.ts";
import type { StreamError } from "../../adapters/stream_error.ts";
import { collect, parse, type Part } from "../../mod.ts";
import { merged, RUNS } from "../laws.ts";
import { pieces, randomPieces } from "../support/cases/wire_case.ts";
import { drained } from "../support/wire.ts";

const encoder = new TextEncoder();

function event(text: string, start = 0): string {
  return `data: ${JSON.stringify({ type: "text", text, start })}\n\n`;
}

async function partsOf(
  source: Parameters<typeof fromSSE>[0],
  options: FromSSEOptions = {},
): Promise<Part[]> {
  const { output, error } = await drained(
    fromSSE(source, { provider: partsProvider, ...options }),
  );
  if (error !== undefined) throw error;
  return output;
}

function codes(parts: readonly Part[]): string[] {
  return parts.map((part) =>
    part.type === "warning"
      ? `warning ${part.code}`
      : part.type === "error"
      ? `error ${part.error.code}`
      : part.type === "finish"
      ? `finish ${part.reason}`
      : part.type
  );
}

describe("fromSSE", () => {
  test("reads a provider's stream to the end", async () => {
    const body =
      'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}\r\n\r\n' +
      ": keep-alive\r\n\r\n" +
      'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}\r\n\r\n' +
      "data: [DONE]\r\n\r\n";
    for (const provider of ["auto", "openai-chat"] as const) {
      for (const chunks of [[body], pieces(encoder.encode(body), 1)]) {
        const { text, finish, warnings } = await collect(
          fromSSE(chunks, { provider }),
        );
        expect(text).toBe("Hello");
        expect(finish).toMatchObject({ reason: "stop", complete: true });
        expect(warnings).toEqual([]);
      }
    }
  });

  test("gives a provider the type of an event, when it has one", async () => {
    const seen: unknown[] = [];
    await partsOf('event: x\ndata: "1"\n\ndata: "2"\n\nevent:\ndata: "3"\n\n', {
      provider: {
        ...partsProvider,
        create: () => ({
          push: (input) => void seen.push(input),
          end: () => {},
          snapshot: () => null,
        }),
      },
    });
    expect(seen).toEqual([
      { data: '"1"', event: "x" },
      { data: '"2"' },
      { data: '"3"' },
    ]);
  });

  test("the same parts however bytes and text are cut, malformed or not", async () => {
    const piece = fc.constantFrom(
      event("a"),
      event("é😀", 1),
      "data: noise\n\n",
      ": c\r\n",
      "\n",
      "\r\r",
      "data: 1",
      "x",
      "[",
      "{",
      "\ufeff",
    );
    const junk = fc.constantFrom([0xff], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [
      0x80,
    ]);
    const body = fc.array(
      fc.oneof(
        { weight: 5, arbitrary: piece.map((text) => encoder.encode(text)) },
        { weight: 1, arbitrary: junk.map((list) => Uint8Array.from(list)) },
      ),
      { maxLength: 12 },
    ).map((list) => Uint8Array.from(list.flatMap((one) => Array.from(one))));
    await fc.assert(
      fc.asyncProperty(
        body,
        fc.integer(),
        fc.constantFrom(20, 1000),
        fc.boolean(),
        async (bytes, seed, maxEventChars, fatalUtf8) => {
          const options = { maxEventChars, fatalUtf8 };
          const whole = JSON.stringify(merged(await partsOf([bytes], options)));
          for (const cut of [pieces(bytes, 1), randomPieces(bytes, seed)]) {
            const got = JSON.stringify(merged(await partsOf(cut, options)));
            if (got !== whole) throw new Error(`expected ${whole} got ${got}`);
          }
          const finishes = whole.split('"type":"finish"').length - 1;
          if (finishes !== 1) throw new Error(`${finishes} finish parts`);
        },
      ),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });

  test("cut anywhere, a stream keeps what came and is not complete", async () => {
    const body = event("ab") + event("cd", 2) +
      'data: {"type":"finish","reason":"stop","complete":true}\n\n';
    for (let at = 0; at < body.length; at++) {
      const parts = await partsOf(body.slice(0, at));
      const finish = parts.at(-1);
      const ends = at >= body.length - 2;
      expect(finish?.type === "finish" && finish.complete).toBe(ends);
      const { text } = await collect(parts);
      expect("abcd".startsWith(text)).toBe(true);
    }
  });

  test("a last event without its blank line counts, unless that is off", async () => {
    const body = event("a").trimEnd();
    expect(codes(await partsOf(body))).toEqual(["text", "finish unknown"]);
    expect(codes(await partsOf(body, { flushAtEnd: false }))).toEqual([
      "warning truncated",
      "warning no-events",
      "finish unknown",
    ]);
  });

  test("an empty stream says that nothing came", async () => {
    for (const body of ["", "\n\n", ": ping\n\n", "\ufeff", "id: 1\n\n"]) {
      expect(codes(await partsOf(body))).toEqual([
        "warning no-events",
        "finish unknown",
      ]);
    }
  });

  test("malformed bytes are a warning with their offset, and the text goes on", async () => {
    const bytes = [...encoder.encode(event("a?b"))];
    const at = bytes.indexOf(0x3f);
    bytes[at] = 0xff;
    const parts = await partsOf([Uint8Array.from(bytes)]);
    expect(codes(parts)).toEqual([
      "warning invalid-utf8",
      "text",
      "finish unknown",
    ]);
    expect(parts[0]?.type === "warning" && parts[0].message).toContain(
      `offset ${at} `,
    );
    expect(parts[1]).toEqual({ type: "text", text: "a\ufffdb", start: 0 });
    const fatal = await partsOf([Uint8Array.from(bytes)], { fatalUtf8: true });
    expect(codes(fatal)).toEqual(["error invalid-utf8", "finish error"]);
  });
});

describe("fromSSE: what is no event stream", () => {
  test("a web page", async () => {
    const page = `<!doctype html><title>Login</title>${"x".repeat(500)}`;
    const response = new Response(page, {
      headers: { "content-type": "text/html; charset=utf-8" },
    });
    const parts = await partsOf(response);
    expect(codes(parts)).toEqual([
      "warning not-an-event-stream",
      "error not-an-event-stream",
      "finish error",
    ]);
    const [warning, error] = parts;
    expect(warning?.type === "warning" && warning.message).toBe(
      `This is not an event stream but "text/html; charset=utf-8". It begins ${
        JSON.stringify(page.slice(0, 200))
      }`,
    );
    expect(error?.type === "error" && error.error.message).toContain(
      'a web page titled "Login"',
    );
  });

  test("a JSON error with a status of success says what the provider says", async () => {
    for (
      const body of [
        '{"error":{"message":"No such model"}}',
        '{"error":{\n"message":"No such model"\n}}\n',
      ]
    ) {
      for (const chunks of [[body], pieces(body, 1)]) {
        const parts = await partsOf(chunks);
        expect(codes(parts)).toEqual([
          "warning not-an-event-stream",
          "error not-an-event-stream",
          "finish error",
        ]);
        expect(parts[1]?.type === "error" && parts[1].error.message).toContain(
          "No such model",
        );
      }
    }
  });

  test("an answer that was not streamed, and JSON Lines, get a hint", async () => {
    const hints: [string, string][] = [
      ['{"id":"x","choices":[]}', "was streaming asked for"],
      ['{"a":1}\n{"a":2}\n', "fromJSONL"],
      ["<p>", "web page"],
      ["Not found", "check the address"],
    ];
    for (const [body, hint] of hints) {
      const error = (await partsOf(body)).find((part) => part.type === "error");
      expect(error?.error.message).toContain(hint);
    }
  });

  test('fails with onError: "throw", behind the warning', async () => {
    const { output, error } = await drained(
      fromSSE("<html>", { onError: "throw" }),
    );
    expect(codes(output)).toEqual(["warning not-an-event-stream"]);
    expect((error as StreamError).code).toBe("not-an-event-stream");
    expect((error as StreamError).excerpt).toBe("<html>");
  });

  test("noise before the events is no reason to give up", async () => {
    const parts = await partsOf(`<p>\n[INFO] hello\n\n${event("a")}`);
    expect(codes(parts)).toEqual(["text", "finish unknown"]);
  });

  test("a wrong content type is none either", async () => {
    const response = new Response(event("a"), {
      headers: { "content-type": "application/json" },
    });
    expect(codes(await partsOf(response))).toEqual(["text", "finish unknown"]);
  });
});

describe("fromSSE: a JSON array of events", () => {
  const events = ["a", "b"].map((text, start) => ({
    type: "text",
    text,
    start,
  }));

  test("is unwrapped, element by element", async () => {
    const bodies = [
      JSON.stringify(events),
      JSON.stringify(events, null, 2),
      `\ufeff\r\n [${
        events.map((one) => JSON.stringify(one)).join("\n,\r\n")
      }\n]\n`,
      `${JSON.stringify([events[0]])}\n${JSON.stringify([events[1]])}`,
    ];
    for (const body of bodies) {
      for (const chunks of [[body], pieces(body, 1)]) {
        const parts = await partsOf(chunks);
        expect(codes(parts)).toEqual(["text", "text", "finish unknown"]);
        expect((await collect(parts)).text).toBe("ab");
      }
    }
  });

  test("comes out while it comes in", async () => {
    const body = JSON.stringify(events);
    let reads = 0;
    const chunks = pieces(body, 1);
    const source = new ReadableStream<string>({
      pull: (controller) => controller.enqueue(chunks[reads++]!),
    }, { highWaterMark: 0 });
    const reader = fromSSE(source, { provider: partsProvider }).getReader();
    await reader.read();
    expect(reads).toBe(JSON.stringify(events[0]).length + 1);
  });

  test("that was cut or damaged says so", async () => {
    const body = JSON.stringify(events);
    expect(codes(await partsOf(body.slice(0, -5)))).toEqual([
      "text",
      "warning truncated",
      "finish unknown",
    ]);
    expect(codes(await partsOf(`[{"a":},${body.slice(1)}`))).toEqual([
      "warning invalid-line",
      "text",
      "text",
      "finish unknown",
    ]);
    expect(codes(await partsOf("[]"))).toEqual([
      "warning no-events",
      "finish unknown",
    ]);
  });

  test("has its limit too: the element is skipped", async () => {
    const body = `[{"x":"${"x".repeat(100)}"},${JSON.stringify(events[0])}]`;
    expect(codes(await partsOf(body, { maxEventChars: 60 }))).toEqual([
      "warning line-too-long",
      "text",
      "finish unknown",
    ]);
  });

  test("is for providers that may send one", async () => {
    const parts = await partsOf(JSON.stringify(events), {
      provider: { ...partsProvider, transport: "sse" },
    });
    expect(codes(parts)).toEqual([
      "warning not-an-event-stream",
      "error not-an-event-stream",
      "finish error",
    ]);
  });
});

describe("fromSSE: limits", () => {
  test("an event over the limit is a fatal error, behind what came before", async () => {
    const body = event("a") + event("b".repeat(200), 1) + event("c", 201);
    for (const chunks of [[body], pieces(body, 1)]) {
      expect(codes(await partsOf(chunks, { maxEventChars: 100 }))).toEqual([
        "text",
        "error max-buffer-size",
        "finish error",
      ]);
      expect(codes(await partsOf(chunks, { maxLineChars: 100 }))).toEqual([
        "text",
        "error line-too-long",
        "finish error",
      ]);
    }
  });

  test("the limit is 16 Mi characters when none is given", async () => {
    const endless = new ReadableStream<string>({
      start: (controller) => controller.enqueue("data: "),
      pull: (controller) => controller.enqueue("x".repeat(65_536)),
    }, { highWaterMark: 0 });
    expect(codes(await partsOf(endless))).toEqual([
      "error max-buffer-size",
      "finish error",
    ]);
  });

  test("refuses what is none, before anything is read", () => {
    expect(() => fromSSE("", { maxEventChars: 0 })).toThrow(RangeError);
    // The decoder's own too, also while the provider is not known.
    for (const provider of ["auto", "openai-chat", "anthropic"] as const) {
      for (
        const wrong of [
          { maxOpenCalls: 0 },
          { maxArgumentChars: Number.NaN },
          { choice: -1 },
        ]
      ) {
        expect(() => fromSSE("", { provider, ...wrong })).toThrow(RangeError);
      }
      for (const wrong of [{ raw: "some" }, { generateId: "id" }]) {
        expect(() => fromSSE("", { provider, ...wrong } as never))
          .toThrow(TypeError);
      }
    }
    expect(() => fromSSE("", { maxLineChars: -1 })).toThrow(RangeError);
    expect(() => fromSSE("", { provider: "nobody" as "auto" })).toThrow(
      RangeError,
    );
  });
});

describe("fromSSE: what was encoded", () => {
  test("comes back as it was", async () => {
    const parts: Part[] = [
      { type: "text", text: "a\n\u2028é😀", start: 0 },
      { type: "reasoning", text: "hm" },
      {
        type: "tool-call",
        toolCallId: "1",
        toolName: "t",
        input: { deep: [1] },
        origin: "native",
      },
      { type: "finish", reason: "tool-calls", complete: true },
    ];
    expect(await partsOf(parse(parts, new SSEEncoderStream()))).toEqual(parts);
  });
});
