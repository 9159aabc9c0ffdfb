import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const list = '<|tool_call|>[{"name": "read", "arguments": {"path": "a b"}}]';

describe("granite", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "granite",
      call: list,
      empty: '<|tool_call|>[{"name": "now", "arguments": {}}]',
    });
    checkMarkup({
      dialect: "granite",
      call: '<function_call> {"name": "read", "arguments": {"path": "a b"}}',
      empty: '<function_call> {"name": "now", "arguments": {}}',
    });
  });

  test("several calls; a closer that may follow", () => {
    const one = '<function_call> {"name": "now"}';
    expect(salvage(`${one}\n${one}`)).toMatchObject({ text: "\n" });
    expect(salvage(`${one}</function_call> x`).text).toBe(" x");
    expect(salvage(`${list}\n<|/tool_call|>x`).text).toBe("x");
    expect(salvage(`${list}\n<b>x`).text).toBe("\n<b>x");
  });
});
