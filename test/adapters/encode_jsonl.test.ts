import { describe, expect, test } from "vitest";
import { JSONLEncoderStream } from "../../adapters/encode_jsonl.ts";
import { JSONLParserStream } from "../../adapters/jsonl_parser.ts";
import { parse, type Part } from "../../mod.ts";

describe("JSONLEncoderStream", () => {
  test("makes one line of each part", () => {
    const parts: Part[] = [
      { type: "text", text: "two\nlines", start: 0 },
      { type: "finish", reason: "stop", complete: true },
    ];
    const encoded = parse(parts, new JSONLEncoderStream());
    expect(encoded.every((line) => /^[^\n]+\n$/.test(line))).toBe(true);
    const records = parse(encoded, new JSONLParserStream());
    expect(records.map((record) => record.ok && record.value)).toEqual(parts);
  });

  test("no reader finds a line end within one, not even Node's readline", () => {
    const text = "a\u2028b\u2029c\u0085d";
    const [line] = parse([text], new JSONLEncoderStream());
    expect(/[\u2028\u2029]/.test(line!)).toBe(false);
    expect(JSON.parse(line!).text).toBe(text);
  });

  test("goes on from a snapshot of its own", () => {
    const first = new JSONLEncoderStream();
    first.stage.push("abc", () => {});
    const [one] = parse(
      ["d"],
      new JSONLEncoderStream({ snapshot: first.snapshot() }),
    );
    expect(JSON.parse(one!).start).toBe(3);
    expect(() => new JSONLEncoderStream({ snapshot: {} })).toThrow(TypeError);
  });
});
