import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const call =
  '<|start|>assistant<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path": "a b"}<|call|>';

describe("harmony", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "harmony",
      call,
      empty: call.replace("read", "now").replace('{"path": "a b"}', "{}"),
    });
    checkMarkup({
      dialect: "harmony",
      call:
        '<|start|>assistant to=functions.read<|channel|>commentary json<|message|>{"path": "a b"}<|call|>',
    });
  });

  test("the marker behind it may be missing anywhere", () => {
    for (const text of [call.slice(0, -8), `${call.slice(0, -8)} Well.`]) {
      expect(salvage(text).calls, text).toEqual([["read", { path: "a b" }]]);
    }
    expect(salvage(call + call)).toMatchObject({ text: "" });
    expect(salvage(call.slice(0, -8) + call).calls).toHaveLength(2);
  });

  test("without prefixes", () => {
    const text = '<|channel|>commentary to=read<|message|>{"path":"a b"}';
    expect(salvage(text).calls).toEqual([["read", { path: "a b" }]]);
  });

  test("with the tokens stripped, by name only", () => {
    for (
      const text of [
        'commentary to=functions.read json{"path": "a b"}',
        'commentary to=functions.read {"path": "a b"}',
        'thinkingassistantcommentary to=functions.read json{"path": "a b"}',
      ]
    ) {
      expect(salvage(text).calls, text).toEqual([]);
      expect(salvage(text, { dialects: ["harmony"] }).calls, text).toEqual([
        ["read", { path: "a b" }],
      ]);
    }
  });

  test("headers that are no calls", () => {
    for (
      const text of [
        "<|channel|>analysis<|message|>Need it.<|end|>",
        '<|channel|>analysis to=functions.read<|message|>{"path":"a"}<|call|>',
        "<|channel|>commentary<|message|>I look.<|end|>",
        "<|start|>assistant<|channel|>final<|message|>Done.",
        "You write <|channel|>commentary to=functions.NAME and so on.",
      ]
    ) expect(salvage(text), text).toMatchObject({ calls: [], text });
  });
});
