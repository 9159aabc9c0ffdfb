import { describe, expect, test } from "vitest";
import { JSONLEncoderStream } from "../../adapters/encode_jsonl.ts";
import { fromJSONL, type FromJSONLOptions } from "../../adapters/jsonl.ts";
import { partsProvider } from "../../adapters/parts_provider.ts";
import type { StreamError } from "../../adapters/stream_error.ts";
import { collect, parse, type Part } from "../../mod.ts";
import { pieces } from "../support/cases/wire_case.ts";
import { drained } from "../support/wire.ts";

const line = (text: string, start = 0): string =>
  JSON.stringify({ type: "text", text, start });

async function partsOf(
  source: Parameters<typeof fromJSONL>[0],
  options: FromJSONLOptions = {},
): Promise<Part[]> {
  const { output, error } = await drained(
    fromJSONL(source, { provider: partsProvider, ...options }),
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

describe("fromJSONL", () => {
  test("reads lines however they are cut", async () => {
    const body = `${line("é")}\r\n\n${line("😀", 1)}`;
    for (
      const chunks of [
        [body],
        pieces(body, 1),
        pieces(new TextEncoder().encode(body), 1),
      ]
    ) {
      const parts = await partsOf(chunks);
      expect(codes(parts)).toEqual(["text", "text", "finish unknown"]);
      expect((await collect(parts)).text).toBe("é😀");
    }
  });

  test("skips what is no JSON, with a warning that shows it", async () => {
    const body = `npm warn\n${line("a")}\n${line("b", 1)}${line("c", 2)}\n{"ty`;
    const parts = await partsOf(body);
    expect(codes(parts)).toEqual([
      "warning invalid-line",
      "text",
      "warning invalid-line",
      "warning truncated",
      "finish unknown",
    ]);
    expect(parts[0]?.type === "warning" && parts[0].message).toBe(
      'Line 1 is not JSON. It begins "npm warn"',
    );
  });

  test("skips a line over the limit and goes on", async () => {
    const body = `${line("a".repeat(200))}\n${line("b")}\n`;
    expect(codes(await partsOf(body, { maxLineChars: 100 }))).toEqual([
      "warning line-too-long",
      "text",
      "finish unknown",
    ]);
  });

  test("nothing but noise is an error", async () => {
    for (
      const [body, message] of [
        ["command not found\n", 'It begins "command not found"'],
        ["data: {}\n\n", "fromSSE"],
        ['{\n"error": "No such model"\n}\n', "No such model"],
        ["<title>Gone</title>", 'a web page titled "Gone"'],
      ] as const
    ) {
      const parts = await partsOf(body);
      const error = parts.find((part) => part.type === "error");
      expect(error?.error.code).toBe("not-json-lines");
      expect(error?.error.message).toContain(message);
      expect(codes(parts).at(-1)).toBe("finish error");
    }
    const { error } = await drained(fromJSONL("no", { onError: "throw" }));
    expect((error as StreamError).code).toBe("not-json-lines");
  });

  test("a stream cut in its first line is not complete, no more", async () => {
    expect(codes(await partsOf('{"type":"te'))).toEqual([
      "warning truncated",
      "warning no-events",
      "finish unknown",
    ]);
    expect(codes(await partsOf(""))).toEqual([
      "warning no-events",
      "finish unknown",
    ]);
  });

  test("reads a JSON array of events, and lines that begin with a bracket", async () => {
    for (
      const body of [
        `[${line("a")},\n${line("b", 1)}]`,
        `[\n${line("a")}\n,${line("b", 1)}\n]\n`,
      ]
    ) {
      for (const chunks of [[body], pieces(body, 1)]) {
        expect(codes(await partsOf(chunks))).toEqual([
          "text",
          "text",
          "finish unknown",
        ]);
      }
    }
    expect(codes(await partsOf(`[DEBUG] {"x":1}\n${line("a")}\n`))).toEqual([
      "warning invalid-line",
      "text",
      "finish unknown",
    ]);
  });

  test("reads concatenated values, text sequences and terminal output on demand", async () => {
    const two = ["text", "text", "finish unknown"];
    expect(
      codes(
        await partsOf(line("a") + line("b", 1), { concatenated: true }),
      ),
    ).toEqual(two);
    expect(
      codes(
        await partsOf(`\x1e${line("a")}\n\x1e${line("b", 1)}\n`, {
          recordSeparator: true,
        }),
      ),
    ).toEqual(two);
    expect(
      codes(
        await partsOf(`\x1b[2K${line("a")}\n${line("b", 1)}\x1b[0m\n`, {
          stripAnsi: true,
        }),
      ),
    ).toEqual(two);
  });

  test("finds out the provider by the first line that is JSON", async () => {
    const body = "Loading…\n" +
      '{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\n' +
      '{"model":"m","message":{"role":"assistant","content":"!"},"done":true,"done_reason":"stop"}\n';
    const { text, finish } = await collect(fromJSONL(body));
    expect(text).toBe("Hi!");
    expect(finish).toMatchObject({ reason: "stop", complete: true });
  });

  test("malformed bytes are a warning, or fatal", async () => {
    const bytes = [...new TextEncoder().encode(line("a?"))];
    bytes[bytes.indexOf(0x3f)] = 0xff;
    const chunk = Uint8Array.from(bytes);
    expect(codes(await partsOf([chunk]))).toEqual([
      "warning invalid-utf8",
      "text",
      "finish unknown",
    ]);
    expect(codes(await partsOf([chunk], { fatalUtf8: true }))).toEqual([
      "error invalid-utf8",
      "finish error",
    ]);
  });

  test("what was encoded comes back as it was", async () => {
    const parts: Part[] = [
      { type: "text", text: "a\n\u2028", start: 0 },
      { type: "warning", code: "quoted", message: "m", start: 0, end: 1 },
      { type: "finish", reason: "stop", complete: true },
    ];
    expect(await partsOf(parse(parts, new JSONLEncoderStream()))).toEqual(
      parts,
    );
  });

  test("refuses options that are none, before anything is read", () => {
    expect(() => fromJSONL("", { maxLineChars: 0 })).toThrow(RangeError);
    expect(() => fromJSONL("", { provider: "nobody" as "auto" })).toThrow(
      RangeError,
    );
  });
});
