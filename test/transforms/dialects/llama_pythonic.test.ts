import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

describe("llama-pythonic", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "llama-pythonic",
      call: '<|python_start|>[read(path="a b")]<|python_end|>',
      empty: "<|python_start|>[now()]<|python_end|>",
    });
    checkMarkup({
      dialect: "llama-pythonic",
      call: "[read(path='a b')]",
      empty: "[now()]",
      named: true,
      whole: true,
    });
  });

  test("literals, and nothing else", () => {
    const named = { dialects: ["llama-pythonic"], tools: [{ name: "put" }] };
    const text =
      `[put(a="x, [y]", b='it\\'s', c=-2, d=1.5, e=True, f=None, g=[1, (2, 3)], h={"k": "v"})]`;
    expect(salvage(text, named).calls).toEqual([["put", {
      a: "x, [y]",
      b: "it's",
      c: -2,
      d: 1.5,
      e: true,
      f: null,
      g: [1, [2, 3]],
      h: { k: "v" },
    }]]);
    for (
      const bad of [
        "[put(a=other())]",
        "[put(a=b)]",
        "[put(1)]",
        "[put(a=1]",
        "[put(a=1)",
        '[put(a="x)]',
        "[put]",
        "[put(a=1)] and so on",
        "See [put(a=1)].",
        "[link](https://a.example)",
      ]
    ) expect(salvage(bad, named), bad).toMatchObject({ calls: [], text: bad });
  });

  test("several calls, one of them refused", () => {
    const text = "<|python_start|>[now(), gone(), now()]<|python_end|>";
    expect(salvage(text)).toMatchObject({
      calls: [["now", {}], ["now", {}]],
      text: "<|python_start|>[, gone(), ]<|python_end|>",
    });
  });
});
