import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const object = '{"name": "read", "parameters": {"path": "a b"}}';

describe("llama3-json", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "llama3-json",
      call: `<|python_tag|>${object}`,
      empty: '<|python_tag|>{"name": "now", "parameters": {}}<|eom_id|>',
    });
    checkMarkup({
      dialect: "llama3-json",
      call: object,
      empty: '{"name": "now", "parameters": {}}',
      named: true,
      whole: true,
    });
  });

  test("several calls", () => {
    const two = `${object}; ${object}`;
    expect(salvage(`<|python_tag|>${two}`)).toMatchObject({ text: "" });
    expect(salvage(`<|python_tag|>${two}`).calls).toHaveLength(2);
    const named = { dialects: ["llama3-json"] };
    expect(salvage(two, named)).toMatchObject({ text: "" });
    expect(salvage(two, named).calls).toHaveLength(2);
  });

  test("JSON without the token is a call only as the whole message", () => {
    const named = { dialects: ["llama3-json"] };
    for (
      const text of [
        `Here: ${object}`,
        `${object}\nUse it.`,
        `${object}; and more`,
        '{"name": "Ann", "age": 3}',
        '{"a": 1}',
        "[1, 2]",
        object.slice(0, -1),
      ]
    ) expect(salvage(text, named), text).toMatchObject({ calls: [], text });
    const behind = `<think>hm</think>\n${object}`;
    expect(salvage(behind, named).calls).toHaveLength(1);
  });
});
