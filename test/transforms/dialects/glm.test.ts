import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const call =
  "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a b</arg_value>\n</tool_call>";

describe("glm", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "glm",
      call,
      empty: "<tool_call>now</tool_call>",
    });
    checkMarkup({
      dialect: "glm",
      call: call.replaceAll("\n", ""),
      empty: "<tool_call>now\n</tool_call>",
    });
  });

  test("types, raw text", () => {
    const line =
      "<tool_call>read<arg_key>line</arg_key><arg_value>7</arg_value></tool_call>";
    expect(salvage(line).calls).toEqual([["read", { line: 7 }]]);
    const raw = call.replace("a b", "\n a </arg_value> b\n");
    expect(salvage(raw).calls).toEqual([
      ["read", { path: "\n a </arg_value> b\n" }],
    ]);
  });

  test("line ends as letters, a closer too many", () => {
    for (
      const text of [
        call.replaceAll("\n", "\\n"),
        call.replace("</arg_key>", "</arg_key></arg_key>"),
        call.replace("</arg_key>", "</arg_key>\n</arg_key>"),
      ]
    ) {
      expect(salvage(text), text).toMatchObject({
        calls: [["read", { path: "a b" }]],
        text: "",
      });
    }
  });

  test("a name that is not offered ends it at once, its values stay closed", () => {
    const text = call.replace("read", "gone").replace(
      "a b",
      "<tool_call>now</tool_call>",
    );
    expect(salvage(text)).toMatchObject({ calls: [], text });
    for (
      const prose of [
        "<tool_call> is a marker.",
        "<tool_call>read is a marker.",
        "<tool_call>reading</tool_call>",
        "<tool_call>now",
        "<tool_call>now</tool_call",
      ]
    ) expect(salvage(prose), prose).toMatchObject({ calls: [], text: prose });
  });
});
