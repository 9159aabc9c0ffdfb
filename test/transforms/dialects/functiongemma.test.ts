import { describe, test } from "vitest";
import { checkMarkup } from "../salvage_support.ts";

describe("functiongemma", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "functiongemma",
      call:
        "<start_function_call>call:read{path:<escape>a b<escape>}<end_function_call>",
      empty: "<start_function_call>call:now{}<end_function_call>",
    });
  });
});
