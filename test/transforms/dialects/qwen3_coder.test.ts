import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const call = "<tool_call>\n<function=read>\n<parameter=path>\na b\n" +
  "</parameter>\n</function>\n</tool_call>";
const bare = call.slice(12, -13);

describe("qwen3-coder", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "qwen3-coder",
      call,
      empty: "<tool_call>\n<function=now>\n</function>\n</tool_call>",
    });
    checkMarkup({ dialect: "qwen3-coder", call: bare, bare: true });
  });

  test("without its opener, the closer goes too", () => {
    for (
      const closer of ["</tool_call>", "\n</tool_call>", "\n\n</tool_call>"]
    ) {
      expect(salvage(`Hi.\n${bare}${closer} x`)).toMatchObject({
        calls: [["read", { path: "a b" }]],
        text: "Hi.\n x",
      });
    }
    expect(salvage(`See ${bare}`).calls).toEqual([]);
    expect(salvage(`${bare} is one.`).calls).toEqual([]);
  });

  test("one line end at each side is markup", () => {
    for (
      const [value, path] of [
        ["a b", "a b"],
        ["\na b\n", "a b"],
        ["\r\na b\r\n", "a b"],
        ["\n\n a b\n\n", "\n a b\n"],
        ["\n", ""],
        ["", ""],
        ["\n</parameter x>\n", "</parameter x>"],
      ]
    ) {
      const text = call.replace("\na b\n", value!);
      expect(salvage(text).calls, text).toEqual([["read", { path }]]);
    }
  });

  test("several functions, or several blocks", () => {
    const two = call.replace("</function>\n", `</function>\n${bare}\n`);
    expect(salvage(two)).toMatchObject({ text: "" });
    expect(salvage(two).calls).toHaveLength(2);
    expect(salvage(`${call}\n${call}`).calls).toHaveLength(2);
  });

  test("a missing or doubled closer of a parameter", () => {
    const missing = call.replace("</parameter>\n", "");
    const doubled = call.replace("</parameter>", "</parameter>\n</parameter>");
    for (const text of [missing, doubled]) {
      expect(salvage(text), text).toMatchObject({
        calls: [["read", { path: "a b" }]],
        codes: ["repaired"],
      });
    }
    // Both closers missing: nobody knows where the value ends.
    const both = missing.replace("</function>\n", "");
    expect(salvage(both), both).toMatchObject({ calls: [], text: both });
  });

  test("with attributes", () => {
    const text =
      '<tool_call><function name="read"><parameter name="path">a b</parameter></function></tool_call>';
    expect(salvage(text).calls).toEqual([["read", { path: "a b" }]]);
  });

  test("prose", () => {
    for (
      const text of [
        "Use <function=read> to read.",
        "<function=read> is how.",
        "<function=read>\nis how.",
        "Odd: <function=gone>\n<parameter=a>\n1\n</parameter>\n</function>",
      ]
    ) expect(salvage(text), text).toMatchObject({ calls: [], text });
  });
});
