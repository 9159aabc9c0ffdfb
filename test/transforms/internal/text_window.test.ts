import { describe, expect, test } from "vitest";
import type { Part } from "../../../mod.ts";
import { TextWindow } from "../../../transforms/internal/text_window.ts";

describe("TextWindow", () => {
  test("gives out, holds, cuts, and looks again", () => {
    let window = new TextWindow();
    const parts: Part[] = [];
    const open = (text: string, start: number): void =>
      window.open(text, start, undefined, undefined, (part) => {
        parts.push(part);
      });
    open("abcdef", 0);
    window.at = 4;
    window.close(2, false);
    expect(parts).toEqual([{ type: "text", text: "ab", start: 0 }]);
    window = new TextWindow(JSON.parse(JSON.stringify(window.snapshot())));
    // What was not looked at comes again.
    open("gh", 6);
    expect([window.text, window.start, window.end]).toEqual(["efgh", 4, 8]);
    window.rewind();
    expect([window.text, window.start, window.out]).toEqual(["cdefgh", 2, 2]);
    window.give(3);
    expect(window.cut(7)).toEqual({ text: "defg", waiting: [] });
    window.at = 8;
    window.close(8, false);
    expect(parts.slice(1)).toEqual([
      { type: "text", text: "c", start: 2 },
      { type: "text", text: "h", start: 7 },
    ]);
    expect(window.held.length).toBe(0);
    // Nothing held: the next piece may begin anywhere.
    open("x", 20);
    expect([window.at, window.out, window.start]).toEqual([20, 20, 20]);
  });

  test("a part that is given out whole is the same object", () => {
    const window = new TextWindow();
    const whole: Part = { type: "text", text: "ab", start: 0 };
    const parts: Part[] = [];
    window.open("ab", 0, undefined, whole, (part) => parts.push(part));
    window.at = 2;
    window.close(2, false);
    expect(parts[0]).toBe(whole);
  });

  test("parts that wait in what is cut come with it", () => {
    const window = new TextWindow();
    window.open("ab", 0, undefined, undefined, () => {});
    window.close(0, true);
    const usage: Part = { type: "usage", inputTokens: 1 };
    window.held.wait(usage);
    window.open("cd", 2, undefined, undefined, () => {});
    expect(window.cut(3)).toEqual({ text: "abc", waiting: [usage] });
    expect(window.out).toBe(3);
  });
});
