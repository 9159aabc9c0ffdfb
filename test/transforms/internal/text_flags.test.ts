import { describe, expect, test } from "vitest";
import {
  ANYTHING,
  BRACKET,
  flagsOf,
  hasLineEnd,
  knownFlagsOf,
  LESS_THAN,
  LINE_END,
  NOT_ASCII,
  QUOTE,
  TICK,
  TILDE,
} from "../../../transforms/internal/text_flags.ts";

describe("flagsOf", () => {
  test("tells the characters that markup is made of", () => {
    const cases: [string, number][] = [
      ["", 0],
      ["plain text, as it comes (mostly)", 0],
      ["a\nb", LINE_END],
      ["a\rb", LINE_END],
      ["`", TICK],
      ["a < b", LESS_THAN],
      ['"', QUOTE],
      ["~", TILDE],
      ["[", BRACKET],
      ["]", BRACKET],
      ["\x7f", 0],
      ["\x80", NOT_ASCII],
      ["\ud83d", NOT_ASCII],
      ["<a>`\n", LESS_THAN | TICK | LINE_END],
    ];
    for (const [text, flags] of cases) {
      expect(flagsOf(text), JSON.stringify(text)).toBe(flags);
      // From memory.
      expect(flagsOf(text)).toBe(flags);
    }
    for (const [text, flags] of cases) expect(flagsOf(text)).toBe(flags);
  });

  test("the last text is known", () => {
    flagsOf("a<b");
    expect(knownFlagsOf("a<b")).toBe(LESS_THAN);
    expect(knownFlagsOf("b<a")).toBe(ANYTHING);
    expect(hasLineEnd("a<b")).toBe(false);
    expect(hasLineEnd("b<a")).toBe(false);
    expect(hasLineEnd("a\nb")).toBe(true);
    expect(hasLineEnd("a\rb")).toBe(true);
    flagsOf("a\rb");
    expect(hasLineEnd("a\rb")).toBe(true);
  });

  test("does not look at long texts", () => {
    expect(flagsOf("a".repeat(257))).toBe(ANYTHING);
    expect(flagsOf("a".repeat(256))).toBe(0);
    for (let bit = 1; bit <= NOT_ASCII; bit *= 2) {
      expect(ANYTHING & bit).toBe(bit);
    }
  });
});
