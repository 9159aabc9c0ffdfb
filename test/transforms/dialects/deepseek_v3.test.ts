import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const call =
  "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n" +
  '```json\n{"path": "a b"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>';

describe("deepseek-v3", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "deepseek-v3",
      call,
      empty: call.replace("read", "now").replace('{"path": "a b"}', "{}"),
    });
  });

  test("without its section", () => {
    const bare = call.replaceAll(/<｜tool▁calls[^>]*>/g, "");
    expect(salvage(`So: ${bare}!`)).toMatchObject({
      calls: [["read", { path: "a b" }]],
      text: "So: !",
    });
  });

  test("tokens that drift", () => {
    for (const separator of ["_", " "]) {
      const text = call.replaceAll("▁", separator);
      expect(salvage(text).calls, text).toEqual([["read", { path: "a b" }]]);
    }
  });

  test("a fence inside a value", () => {
    const text = call.replace("a b", "a\\n```\\nb");
    expect(salvage(text).calls).toEqual([["read", { path: "a\n```\nb" }]]);
  });
});
