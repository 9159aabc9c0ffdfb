import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const list = '[{"name": "read", "arguments": {"path": "a b"}}]';

describe("xlam", () => {
  test("what holds for every markup", () => {
    checkMarkup({ dialect: "xlam", call: list, named: true, whole: true });
    checkMarkup({
      dialect: "xlam",
      call: "```json\n" + list + "\n```",
      named: true,
      bare: true,
      fenced: true,
    });
  });

  test("behind reasoning, or other markers", () => {
    const named = { dialects: ["xlam"] };
    for (
      const [before, after] of [
        ["<think>hm</think>\n\n", ""],
        ["[TOOL_CALLS]", ""],
        ["<tool_call>", "</tool_call>"],
      ]
    ) {
      expect(salvage(before + list + after, named).calls, before).toEqual([
        ["read", { path: "a b" }],
      ]);
    }
    const mixed = list.replace("]", ', {"name": "gone"}]');
    for (
      const text of [`So: ${list}`, `${list} ok`, mixed, list.slice(0, -1)]
    ) {
      expect(salvage(text, named), text).toMatchObject({ calls: [], text });
    }
  });
});
