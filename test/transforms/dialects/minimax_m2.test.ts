import { describe, expect, test } from "vitest";
import { checkMarkup, invoke, salvage } from "../salvage_support.ts";

describe("minimax-m2", () => {
  test("what holds for every markup", () => {
    const block = (call: string) =>
      `<minimax:tool_call>\n${call}\n</minimax:tool_call>`;
    checkMarkup({
      dialect: "minimax-m2",
      call: block(invoke("read", { path: "a b" })),
      empty: block(invoke("now")),
    });
    expect(salvage(block(`${invoke("now")}\n${invoke("now")}`)).calls)
      .toHaveLength(2);
    const text = `x ${invoke("now")}`;
    expect(salvage(text, { dialects: ["minimax-m2"] }).text).toBe(text);
  });
});
