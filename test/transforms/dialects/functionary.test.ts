import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

describe("functionary", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "functionary",
      call: '<function=read>{"path": "a b"}</function>',
      empty: "<function=now>{}</function>",
      bare: true,
    });
    checkMarkup({
      dialect: "functionary",
      call: '>>>read\n{"path": "a b"}',
      empty: ">>>now\n{}",
      bare: true,
      named: true,
    });
  });

  test("the text channel of 3.2 is text", () => {
    const text = ">>>all\nHi.\n>>>now\n{}";
    expect(salvage(text, { dialects: ["functionary"] })).toMatchObject({
      calls: [["now", {}]],
      text: ">>>all\nHi.\n",
    });
  });
});
