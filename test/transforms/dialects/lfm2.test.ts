import { describe, test } from "vitest";
import { checkMarkup } from "../salvage_support.ts";

describe("lfm2", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "lfm2",
      call: '<|tool_call_start|>[read(path="a b")]<|tool_call_end|>',
      empty: "<|tool_call_start|>[now()]<|tool_call_end|>",
    });
    checkMarkup({
      dialect: "lfm2",
      call:
        '<|tool_call_start|>[{"name": "read", "arguments": {"path": "a b"}}]<|tool_call_end|>',
    });
  });
});
