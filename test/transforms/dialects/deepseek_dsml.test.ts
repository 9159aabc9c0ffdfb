import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const call = '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read">\n' +
  '<｜DSML｜parameter name="path" string="true">a b</｜DSML｜parameter>\n' +
  "</｜DSML｜invoke>\n</｜DSML｜function_calls>";

describe("deepseek-dsml", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "deepseek-dsml",
      call,
      empty:
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    });
  });

  test("without its wrapper, also in mid-line", () => {
    const bare = call.split("\n").slice(1, -1).join("\n");
    expect(salvage(`So: ${bare}!`)).toMatchObject({
      calls: [["read", { path: "a b" }]],
      text: "So: !",
    });
  });

  test("bars that drift", () => {
    for (const bar of ["|", "‖", "｜｜", "||", " | ", " ｜ "]) {
      const mark = bar.startsWith(" ")
        ? `${bar}DSML${bar}`
        : `${bar}DSML${bar}`;
      const text = call.replaceAll("｜DSML｜", mark);
      expect(salvage(text), text).toMatchObject({
        calls: [["read", { path: "a b" }]],
        text: "",
      });
    }
  });

  test("the attribute says what a value is", () => {
    const value = (text: string, kind: string) =>
      salvage(
        call.replace('"path"', '"other"').replace("a b", text).replace(
          '"true"',
          `"${kind}"`,
        ),
      ).calls[0]?.[1];
    expect(value("[1]", "true")).toEqual({ other: "[1]" });
    expect(value("[1]", "false")).toEqual({ other: [1] });
    expect(value("a b", "false")).toBeUndefined();
    const plain = call.replace(' string="true"', "");
    expect(salvage(plain).calls).toEqual([["read", { path: "a b" }]]);
  });

  test("a JSON object as body", () => {
    const text = '<｜DSML｜invoke name="read">{"path": "a b"}</｜DSML｜invoke>';
    expect(salvage(text).calls).toEqual([["read", { path: "a b" }]]);
  });

  test("what is none", () => {
    for (
      const text of [
        "<｜DSML｜tool-calls\nread\n</plan>",
        '<｜DSML｜invoke name="now">',
        "a < | b",
      ]
    ) expect(salvage(text), text).toMatchObject({ calls: [], text });
  });
});
