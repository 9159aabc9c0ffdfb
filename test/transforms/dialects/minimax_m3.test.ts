import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

/** The mark before every tag. */
const mark = (text: string) => text.replaceAll("<", "]<]minimax[>[<");

const call = mark(
  '<tool_call><invoke name="read"><path>a b</path></invoke></tool_call>',
);

describe("minimax-m3", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "minimax-m3",
      call,
      empty: mark('<tool_call><invoke name="now"></invoke></tool_call>'),
    });
    checkMarkup({
      dialect: "minimax-m3",
      call: call.replaceAll("[>[", "[>[ "),
    });
  });

  test("nested values", () => {
    const tools = [{
      name: "find",
      inputSchema: {
        properties: {
          tags: { type: "array", items: { type: "string" } },
          where: { type: "object" },
          count: { type: "integer" },
        },
      },
    }];
    const text = mark(
      '<tool_call><invoke name="find"><tags><item>x <b></item><item>y</item></tags>'
        .replace("<b>", "(b)") +
        "<where><a><item>1</item></a><b>c</b></where><count>3</count></invoke></tool_call>",
    );
    expect(salvage(text, { tools }).calls).toEqual([[
      "find",
      { tags: ["x (b)", "y"], where: { a: ["1"], b: "c" }, count: 3 },
    ]]);
    const broken = text.replace("y]<", "y");
    expect(salvage(broken, { tools }).calls).toEqual([]);
  });
});
