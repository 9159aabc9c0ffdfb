import { describe, expect, test } from "vitest";
import { AnsiStripper } from "../../../adapters/internal/ansi_stripper.ts";

/** What is left of a text in pieces of a size, each with a fresh stripper from a snapshot. */
function strip(text: string, size = text.length || 1): string {
  let stripper = new AnsiStripper();
  let out = "";
  for (let at = 0; at < text.length; at += size) {
    out += stripper.strip(text.slice(at, at + size));
    stripper = new AnsiStripper(
      JSON.parse(JSON.stringify(stripper.snapshot())),
    );
  }
  return out + stripper.end();
}

describe("AnsiStripper", () => {
  const cases: readonly [string, string][] = [
    ["plain", "plain"],
    ["", ""],
    // Control sequences end with @ to ~, and hold blank to ?.
    ["a\x1b[31mb\x1b[0mc", "abc"],
    ["a\x1b[@b\x1b[~c", "abc"],
    ["a\x1b[?25 hb", "ab"],
    ["a\x1b[3\nmb", "a\x1b[3\nmb"],
    ["a\x1b[3\x7fb", "a\x1b[3\x7fb"],
    ["a\x1b[3\x1b[4mb", "a\x1b[3b"],
    // Strings end with BEL or ESC and a back-slash, and hold no line end.
    ["a\x1b]0;title\x07b", "ab"],
    ["a\x1bPq\x1b\\b\x1bXq\x07c\x1b^q\x07d\x1b_q\x07e", "abcde"],
    ["a\x1b]8;;u\x1b\\link\x1b]8;;\x1b\\b", "alinkb"],
    ["a\x1b]no\nb\x07", "a\x1b]no\nb\x07"],
    ["a\x1b]no\rb\x07", "a\x1b]no\rb\x07"],
    ["a\x1b]0;t\x1bxb", "a\x1b]0;t\x1bxb"],
    // Short ones.
    ["a\x1b7b\x1b=c\x1b0d\x1b~e", "abcde"],
    ["a\x1b(Bb\x1b #8c\x1b//~d", "a" + "b" + "c" + "d"],
    ["a\x1b(\nb", "a\x1b(\nb"],
    ["a\x1b(\x7fb", "a\x1b(\x7fb"],
    ["a\x1b\nb", "a\x1b\nb"],
    ["a\x1b\x7fb", "a\x1b\x7fb"],
    ["a\x1b\x1b[mb", "a\x1bb"],
    // Cut off.
    ["a\x1b", "a\x1b"],
    ["a\x1b[31", "a\x1b[31"],
    ["a\x1b]0;t", "a\x1b]0;t"],
  ];

  test("sequences go, everything else stays, however it is cut", () => {
    for (const [text, expected] of cases) {
      for (const size of [text.length || 1, 1, 2, 3]) {
        expect([text, size, strip(text, size)]).toEqual([text, size, expected]);
      }
    }
  });

  test("what is longer than any sequence is text", () => {
    const at = (length: number): string => `\x1b]${"x".repeat(length)}\x07`;
    expect(strip(`a${at(4000)}b`)).toBe("ab");
    expect(strip(`a${at(5000)}b`)).toBe(`a${at(5000)}b`);
    expect(strip(`a${at(5000)}b`, 7)).toBe(`a${at(5000)}b`);
    const longest = (length: number): boolean =>
      strip(at(length)) === "" && strip(at(length), 1) === "";
    const from = Array.from({ length: 20 }, (_, index) => 4085 + index);
    const last = from.findLastIndex(longest);
    expect(last).toBeGreaterThan(0);
    expect(from.slice(0, last + 1).every(longest)).toBe(true);
  });

  test("text that nothing is in comes back as it is", () => {
    const stripper = new AnsiStripper();
    expect(stripper.strip("no sequence")).toBe("no sequence");
    expect(stripper.end()).toBe("");
  });
});
