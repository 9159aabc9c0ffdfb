import { describe, test } from "vitest";
import { checkMarkup } from "../salvage_support.ts";

describe("nemotron", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "nemotron",
      call:
        '<TOOLCALL>[{"name": "read", "arguments": {"path": "a b"}}]</TOOLCALL>',
      empty: '<TOOLCALL>{"name": "now", "arguments": {}}</TOOLCALL>',
    });
  });
});
