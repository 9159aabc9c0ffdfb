import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { truncateMiddle } from "../../mod.ts";
import { RUNS } from "../laws.ts";

const texts = fc.array(
  fc.constantFrom("a", "word ", "\n", "\u{1f98a}", "é", "\r\n", "x".repeat(50)),
  { maxLength: 60 },
).map((all) => all.join(""));

describe("truncateMiddle", () => {
  test("fits, keeps the ends, and is well-formed", () => {
    fc.assert(
      fc.property(
        texts,
        fc.nat(400),
        fc.constantFrom("head", "tail", "both"),
        fc.option(fc.constantFrom("", "…", "[cut]"), { nil: undefined }),
        (text, max, keep, marker) => {
          const options = marker === undefined ? { keep } : { keep, marker };
          const short = truncateMiddle(text, max, options as never);
          if (text.length <= max) {
            expect(short).toBe(text);
            return;
          }
          expect(short.length).toBeLessThanOrEqual(max);
          expect(short.isWellFormed()).toBe(true);
          expect(truncateMiddle(short, max, options as never)).toBe(short);
          if (marker !== "") return;
          // Without a marker the two ends of the text are left.
          let head = 0;
          while (head < short.length && short[head] === text[head]) head++;
          let tail = 0;
          while (
            tail < short.length && short.at(-1 - tail) === text.at(-1 - tail)
          ) {
            tail++;
          }
          if (keep === "head") expect(head).toBe(short.length);
          if (keep === "tail") expect(tail).toBe(short.length);
          expect(head + tail).toBeGreaterThanOrEqual(short.length);
          // Near the limit: a pair at each cut is all that may be missing.
          expect(
            truncateMiddle(text, max, { keep, marker, minChars: max } as never)
              .length,
          ).toBeGreaterThanOrEqual(max - 1);
        },
      ),
      { numRuns: RUNS * 2 },
    );
  });

  test("never inside a pair", () => {
    const foxes = "\u{1f98a}".repeat(20);
    for (let max = 0; max <= 40; max++) {
      for (const keep of ["head", "tail", "both"] as const) {
        const short = truncateMiddle(foxes, max, { keep, marker: "" });
        expect(short.isWellFormed()).toBe(true);
        expect(short.length).toBe(max - max % 2);
      }
    }
  });

  test("cuts at line ends that are near", () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`).join(
      "\n",
    );
    const short = truncateMiddle(lines, 400);
    const [head, tail] = short.split(/\[… \d+ characters left out …\]/);
    expect(lines.startsWith(head!.slice(0, -1))).toBe(true);
    expect(head!.endsWith("\n\n")).toBe(true);
    expect(lines.endsWith(tail!.slice(1))).toBe(true);
    expect(tail!.startsWith("\nline ")).toBe(true);
    // Not where that would cost too much.
    expect(truncateMiddle("a\n" + "b".repeat(500), 100, { marker: "" }).length)
      .toBe(100);
  });

  test("the marker tells how much is gone", () => {
    const short = truncateMiddle("x".repeat(10_000), 1_000);
    const told = Number(/(\d+) characters/.exec(short)![1]);
    const kept = short.replace(/\n\[.*\]\n/, "").length;
    expect(told).toBe(10_000 - kept);
    expect(truncateMiddle("abcdefgh", 5, { marker: "~" })).toBe("ab~gh");
    expect(truncateMiddle("abcdefgh", 5, { marker: "[gone]" })).toBe("abcgh");
    expect(truncateMiddle("abcdefgh", 7, { marker: (n) => `<${n}>` }))
      .toBe("ab<4>gh");
  });

  test("edges", () => {
    expect(truncateMiddle("", 0)).toBe("");
    expect(truncateMiddle("abc", 0)).toBe("");
    expect(truncateMiddle("abc", 3)).toBe("abc");
    expect(truncateMiddle("abc", 1)).toBe("a");
    expect(truncateMiddle("abc", Infinity)).toBe("abc");
    expect(() => truncateMiddle("abc", -1)).toThrow(RangeError);
    expect(() => truncateMiddle("abc", NaN)).toThrow(RangeError);
  });
});
