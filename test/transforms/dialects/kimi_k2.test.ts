import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const call =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path": "a b"}<|tool_call_end|><|tool_calls_section_end|>';

describe("kimi-k2", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "kimi-k2",
      call,
      empty: call.replace("read", "now").replace('{"path": "a b"}', "{}"),
    });
  });

  test("ids without prefix or number, line ends, no section", () => {
    for (
      const text of [
        call.replace("functions.", ""),
        call.replace(":0", ""),
        call.replaceAll("><", ">\n<").replace(":0", ":12\n"),
        call.replaceAll("calls_section", "call_section"),
        call.slice(28, -26),
      ]
    ) {
      expect(salvage(text), text).toMatchObject({
        calls: [["read", { path: "a b" }]],
        text: "",
      });
    }
  });

  test("a name with a colon", () => {
    const text = call.replace("read", "a:b");
    expect(salvage(text, { tools: [{ name: "a:b" }] }).calls).toHaveLength(1);
  });
});
