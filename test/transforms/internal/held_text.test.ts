import { describe, expect, test } from "vitest";
import type { Part } from "../../../mod.ts";
import { HeldText, textPart } from "../../../transforms/internal/held_text.ts";

const usage: Part = { type: "usage", inputTokens: 1 };

/** Two pieces with a part between, and one behind. */
function filled(): HeldText {
  const held = new HeldText();
  held.add("abc", 10);
  held.wait(usage);
  held.add("", 13);
  held.add("de", 13, "fence");
  held.wait(usage);
  return held;
}

function given(held: HeldText, count?: number): Part[] {
  const parts: Part[] = [];
  held.give((part) => {
    parts.push(part);
  }, count);
  return parts;
}

describe("HeldText", () => {
  test("counts code units and what waits", () => {
    const held = filled();
    expect([held.length, held.waiting, held.join()]).toEqual([5, 2, "abcde"]);
    expect(held.snapshot()).toEqual([
      textPart("abc", 10),
      usage,
      textPart("de", 13, "fence"),
      usage,
    ]);
    const empty = new HeldText();
    expect([empty.length, empty.waiting, empty.join()]).toEqual([0, 0, ""]);
    expect(given(empty)).toEqual([]);
  });

  test("gives out as much as is asked for, with what waits before the rest", () => {
    const abc = textPart("abc", 10);
    const de = textPart("de", 13, "fence");
    const outcomes: [count: number | undefined, out: Part[]][] = [
      [0, []],
      [1, [textPart("a", 10)]],
      [3, [abc, usage]],
      [4, [abc, usage, textPart("d", 13, "fence")]],
      [5, [abc, usage, de, usage]],
      [undefined, [abc, usage, de, usage]],
    ];
    for (const [count, out] of outcomes) {
      const held = filled();
      expect(given(held, count)).toEqual(out);
      const left = 5 - (count ?? 5);
      expect(held.length).toBe(left);
      expect(held.join()).toBe("abcde".slice(5 - left));
      expect(held.waiting).toBe(
        2 - out.filter((part) => part === usage).length,
      );
      // What is left goes on as if nothing had been before it.
      const rest = new HeldText(held.snapshot());
      expect([rest.length, rest.waiting]).toEqual([held.length, held.waiting]);
      expect([...out, ...given(rest)].filter((part) => part === usage).length)
        .toBe(2);
      expect(given(rest)).toEqual([]);
    }
  });

  test("another kind of text where one is asked for, else the same objects", () => {
    const held = filled();
    const parts: Part[] = [];
    held.give((part) => parts.push(part), 5, "fence");
    expect(parts).toEqual([
      textPart("abc", 10, "fence"),
      usage,
      textPart("de", 13, "fence"),
      usage,
    ]);
    const [first] = held.snapshot();
    expect(first).toBe(undefined);
  });

  test("cuts out text with its offset, and what had waited in it", () => {
    expect(filled().cut(2)).toEqual({ text: "ab", start: 10, waiting: [] });
    expect(filled().cut(4)).toEqual({
      text: "abcd",
      start: 10,
      waiting: [usage],
    });
    const held = filled();
    held.cut(3);
    expect(held.cut()).toEqual({ text: "de", start: 13, waiting: [usage] });
    expect(held.cut()).toEqual({ text: "", start: -1, waiting: [] });
  });

  test("many pieces, taken out a little at a time", () => {
    for (const count of [1_023, 1_024, 1_025, 1_026, 3_000]) {
      const held = new HeldText();
      let expected = "";
      for (let at = 0; at < count; at++) {
        const piece = String(at % 10).repeat(1 + at % 2);
        held.add(piece, expected.length);
        expected += piece;
      }
      let out = "";
      let start = 0;
      while (held.length > 7) {
        const cut = held.cut(3);
        expect(cut.start).toBe(start);
        start += 3;
        out += cut.text;
        held.add("x", expected.length);
        expected += "x";
        if (start > 6 * count) break;
      }
      expect(out + held.join()).toBe(expected);
    }
  });
});
