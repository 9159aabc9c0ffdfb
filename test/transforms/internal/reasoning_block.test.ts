import { describe, expect, test } from "vitest";
import { ReasoningBlock } from "../../../transforms/internal/reasoning_block.ts";

/** The index behind the block, also when it is read in pieces. */
function endOf(text: string): number {
  const whole = new ReasoningBlock("</think>").read(text, 0);
  let block = new ReasoningBlock("</think>");
  for (let at = 0; at < text.length; at++) {
    const end = block.read(text.slice(0, at + 1), at);
    if (end >= 0) {
      expect(end, text).toBe(whole);
      return end;
    }
    block = new ReasoningBlock(JSON.parse(JSON.stringify(block.snapshot())));
  }
  expect(whole, text).toBe(-1);
  return -1;
}

describe("ReasoningBlock", () => {
  test("ends behind its closer", () => {
    expect(endOf("a</think>b")).toBe(9);
    expect(endOf("<</think>")).toBe(9);
    expect(endOf("</thin</think>")).toBe(14);
    expect(endOf("</think")).toBe(-1);
    expect(endOf("</thinking>")).toBe(-1);
    expect(endOf("a < b </ c")).toBe(-1);
  });

  test("a closer in a code span does not count", () => {
    expect(endOf("the `</think>` tag")).toBe(-1);
    expect(endOf("the `</think>` tag</think>")).toBe(26);
    expect(endOf("the ``</think>` `` tag\n")).toBe(-1);
  });

  test("but one behind a tick that stays open does", () => {
    expect(endOf("a ` b</think>\nc")).toBe(14);
    expect(endOf("a ` b\n</think>")).toBe(14);
    expect(endOf("a `` b</think>`\nc")).toBe(16);
    // Not before the line is over.
    expect(endOf("a ` b</think>")).toBe(-1);
  });
});
