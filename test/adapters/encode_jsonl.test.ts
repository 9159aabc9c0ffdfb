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
