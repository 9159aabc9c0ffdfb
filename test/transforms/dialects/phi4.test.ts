import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

describe("phi4", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "phi4",
      call: 'functools[{"name": "read", "arguments": {"path": "a b"}}]',
      empty: 'functools[{"name": "now", "arguments": {}}]',
    });
    checkMarkup({
      dialect: "phi4",
      call:
        '<|tool_call|>[{"name": "read", "arguments": {"path": "a b"}}]<|/tool_call|>',
    });
  });

  test("prose about Python", () => {
    const text =
      "I import functools; functools.reduce, functools[0], functool.";
    expect(salvage(text)).toMatchObject({ calls: [], text });
  });
});
