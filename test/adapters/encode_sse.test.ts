import { describe, expect, test } from "vitest";
import { SSEEncoderStream } from "../../adapters/encode_sse.ts";
import { SSEParserStream } from "../../adapters/sse_parser.ts";
import { parse, type Part, pipeline } from "../../mod.ts";
import { piped } from "../support/wire.ts";

describe("SSEEncoderStream", () => {
  test("makes one event of each part", () => {
    const parts: Part[] = [
      { type: "text", text: "two\r\nlines\n\n", start: 0 },
      { type: "finish", reason: "stop", complete: true },
    ];
    const encoded = parse(parts, new SSEEncoderStream());
    expect(encoded.length).toBe(2);
    const events = parse(encoded, new SSEParserStream());
    expect(events.map(({ data }) => JSON.parse(data))).toEqual(parts);
  });

  test("a string stands for its text part", () => {
    const encoded = parse(
      ["ab", "", { type: "text", text: "c", start: 5 }, "d"],
      new SSEEncoderStream(),
    );
    expect(encoded.map((one) => JSON.parse(one.slice(6)).start)).toEqual([
      0,
      5,
      6,
    ]);
  });

  test("a part that is no JSON is dropped, and that is said", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const encoded = parse(
      [{ type: "raw", value: circular }, { type: "raw", value: 1n }],
      new SSEEncoderStream(),
    );
    for (const one of encoded) {
      expect(JSON.parse(one.slice(6))).toMatchObject({
        type: "warning",
        code: "malformed",
      });
    }
    expect(encoded.length).toBe(2);
  });

  test("halves of surrogate pairs survive as escapes", () => {
    const [one] = parse(["\ud83d"], new SSEEncoderStream());
    expect(one!.isWellFormed()).toBe(true);
    expect(JSON.parse(one!.slice(6)).text).toBe("\ud83d");
  });

  test("works as a stream and in a pipeline", async () => {
    const { output } = await piped(
      ["a"],
      pipeline(new SSEEncoderStream(), new SSEParserStream()) as never,
    );
    expect(output.length).toBe(1);
  });

  test("goes on from a snapshot", () => {
    const first = new SSEEncoderStream();
    first.stage.push("abc", () => {});
    const [one] = parse(
      ["d"],
      new SSEEncoderStream({ snapshot: first.snapshot() }),
    );
    expect(JSON.parse(one!.slice(6)).start).toBe(3);
    expect(() => new SSEEncoderStream({ snapshot: {} })).toThrow(TypeError);
  });
});
