import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const list = '[TOOL_CALLS] [{"name": "read", "arguments": {"path": "a b"}}]';

describe("mistral", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "mistral",
      call: list,
      empty: '[TOOL_CALLS][{"name": "now", "arguments": {}}]',
    });
    checkMarkup({
      dialect: "mistral",
      call: '[TOOL_CALLS]read{"path": "a b"}',
      empty: "[TOOL_CALLS]now{}",
    });
    checkMarkup({
      dialect: "mistral",
      call: '[TOOL_CALLS]read[ARGS]{"path": "a b"}',
      empty: "[TOOL_CALLS]now[CALL_ID]a1B2c3D4e[ARGS]{}",
    });
  });

  test("several calls", () => {
    const two = "[TOOL_CALLS]now{}[TOOL_CALLS]now[ARGS]{}";
    expect(salvage(two)).toMatchObject({
      calls: [["now", {}], ["now", {}]],
      text: "",
    });
    const mixed = list.replace("[{", '[{"name":"gone","arguments":{}}, {');
    expect(salvage(mixed)).toMatchObject({
      calls: [["read", { path: "a b" }]],
      text: '[TOOL_CALLS] [{"name":"gone","arguments":{}}, ]',
      codes: ["unknown-tool"],
    });
  });

  test("it leaves at its last bracket", () => {
    for (const text of [list, "[TOOL_CALLS]now{}"]) {
      expect(salvage(`${text}]x`).text).toBe("]x");
    }
  });

  test("prose", () => {
    for (
      const text of [
        "The [TOOL_CALLS] marker.",
        "[TOOL_CALLS]",
        "[TOOL_CALLS] now",
        "[TOOL_CALLS][]",
        "[TOOL",
      ]
    ) expect(salvage(text), text).toMatchObject({ calls: [], text });
  });
});
