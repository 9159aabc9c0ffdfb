import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const call = '```json\n{"name": "read", "arguments": {"path": "a b"}}\n```';

describe("fenced-json", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "fenced-json",
      call,
      empty: '```tool_call\n{"name": "now"}\n```',
      named: true,
      bare: true,
      fenced: true,
    });
  });

  test("data, other fences, fences in fences", () => {
    const named = { dialects: ["fenced-json"] };
    for (
      const text of [
        '```json\n{"a": 1}\n```\n',
        "```json\n[1]\n```\n",
        call.replace("json", "js"),
        "````\n" + call + "\n````\n",
        call + " like this",
      ]
    ) expect(salvage(text, named), text).toMatchObject({ calls: [], text });
    // What follows a refused one is outside the fence again.
    const refused = call.replace("read", "gone");
    expect(salvage(`${refused}\n\n${call}`, named).calls).toHaveLength(1);
  });
});
