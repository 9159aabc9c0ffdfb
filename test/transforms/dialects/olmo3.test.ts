import { describe, expect, test } from "vitest";
import { checkMarkup, invoke, salvage, wrapped } from "../salvage_support.ts";

describe("olmo3", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "olmo3",
      call: '<function_calls>\nread(path="a b")\n</function_calls>',
      empty: "<function_calls>now()</function_calls>",
      named: true,
    });
  });

  test("beside its namesake", () => {
    const both = { dialects: ["anthropic", "olmo3"] };
    const text = `<function_calls>now()\nnow()</function_calls>${
      wrapped(invoke("now"))
    }`;
    expect(salvage(text, both)).toMatchObject({ text: "" });
    expect(salvage(text, both).calls).toHaveLength(3);
  });
});
