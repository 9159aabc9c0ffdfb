import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const call =
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path": "a b"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>';

describe("deepseek-v3.1", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "deepseek-v3.1",
      call,
      empty: call.replace("read", "now").replace('{"path": "a b"}', "{}"),
    });
  });

  test("several calls", () => {
    const one = call.replaceAll(/<｜tool▁calls[^>]*>/g, "");
    const text = call.replace(one, `${one}\n${one}`);
    expect(salvage(text)).toMatchObject({ text: "" });
    expect(salvage(text).calls).toHaveLength(2);
  });
});
