import { describe, expect, test } from "vitest";
import { CallSurroundings } from "../../../transforms/internal/call_surroundings.ts";

/** What quotes the end of a text, given in chunks of a length. */
function quoting(text: string, length: number): string | undefined {
  const surroundings = new CallSurroundings();
  for (let from = 0; from < text.length; from += length) {
    surroundings.pass(text.slice(from, from + length), -1);
  }
  return surroundings.quoting("<");
}

describe("CallSurroundings", () => {
  test("what quotes a place, however the text comes", () => {
    const long = 'A line of text, with `code` and "quotes".\n\n'.repeat(200);
    const cases: [string, string | undefined][] = [
      ["", undefined],
      ["a ", undefined],
      ["> a ", "block"],
      ["a `", "code"],
      ['a "', "quotes"],
      ["```\n", "fence"],
      ["```\na\n\nb\n", "fence"],
      ["```\na\n```\n", undefined],
      ["`a\n\n", undefined],
      ["> a\n\n", undefined],
      ["a\r\n\n> ", "block"],
    ];
    for (const [text, expected] of cases) {
      for (const length of [1, 3, 10_000]) {
        expect(quoting(text, length), JSON.stringify(text)).toBe(expected);
        expect(quoting(long + text, length)).toBe(expected);
      }
    }
  });

  test("what is open in the paragraph", () => {
    const surroundings = new CallSurroundings();
    surroundings.pass("a `b\n", -1);
    expect(surroundings.blank).toBe(true);
    expect(surroundings.closers).toBe("`");
    surroundings.pass(" \n", -1);
    expect(surroundings.closers).toBe("");
    surroundings.pass("c", -1);
    expect(surroundings.blank).toBe(false);
  });

  test("marks of a stage before go before what it reads itself", () => {
    const surroundings = new CallSurroundings();
    surroundings.pass("```\n", -1);
    expect(surroundings.quoting("<")).toBe("fence");
    surroundings.passCode("a `\n");
    expect(surroundings.quoting("<")).toBe(undefined);
    surroundings.mark();
    surroundings.pass("~~~\n", -1);
    expect(surroundings.quoting("<")).toBe(undefined);
  });

  test("a snapshot goes on", () => {
    const text = '- a\n  ```\n  b `c\n\n> d "e';
    for (let at = 0; at <= text.length; at++) {
      const first = new CallSurroundings();
      first.pass(text.slice(0, at), -1);
      const second = new CallSurroundings(
        JSON.parse(JSON.stringify(first.snapshot())),
      );
      second.pass(text.slice(at), -1);
      expect(second.quoting("<"), `at ${at}`).toBe(quoting(text, 100));
    }
  });
});
