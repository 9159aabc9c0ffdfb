import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

describe("minimax-m1", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "minimax-m1",
      call:
        '<tool_calls>\n{"name": "read", "arguments": {"path": "a b"}}\n</tool_calls>',
      empty: '<tool_calls>\n{"name": "now", "arguments": {}}\n</tool_calls>',
    });
    checkMarkup({
      dialect: "minimax-m1",
      call:
        '<tool_calls>[{"name": "read", "arguments": {"path": "a b"}}]</tool_calls>',
    });
  });

  test("one a line, each for itself", () => {
    const text =
      '<tool_calls>\n{"name":"now"}\n{"name":"gone"}\n{"name":"now"}\n</tool_calls>';
    expect(salvage(text)).toMatchObject({
      calls: [["now", {}], ["now", {}]],
      text: '<tool_calls>\n\n{"name":"gone"}\n\n</tool_calls>',
    });
  });
});
