import { describe, expect, test } from "vitest";
import { LastLines } from "../../../transforms/internal/last_lines.ts";
import { RandomSource } from "../../fuzz/random_source.ts";

/** What the line before is, looked for in all of the text that is kept. */
function reference(all: string, limit: number): string | undefined {
  const kept = all.slice(-limit);
  const lines = kept.split(/\r\n|[\r\n]/);
  // The last one belongs to who asks; the first one is whole only with its beginning.
  lines.pop();
  for (let blank = 0; blank < 2 && lines.length > 0; blank++) {
    const line = lines.pop()!.trim();
    if (lines.length === 0 && all.length > limit) return undefined;
    if (/[^>\s]/.test(line)) return line;
  }
  return undefined;
}

describe("LastLines", () => {
  test("keeps the end, however the text comes, and finds the line before", () => {
    const random = new RandomSource(11);
    for (let time = 0; time < 600; time++) {
      const limit = random.pick([1, 2, 5, 16, 64]);
      let lines = new LastLines(limit);
      let all = "";
      for (let piece = random.between(1, 30); piece > 0; piece--) {
        const text = random.times(
          random.pick([0, 1, 3, 20, 90]),
          () => random.pick(["a", "b", " ", ">", "\n", "\n", "\r\n", "\r"]),
        ).join("");
        if (random.chance(0.05)) {
          lines.reset(text);
          all = text;
        } else {
          lines.add(text);
          all += text;
        }
        if (random.chance(0.2)) {
          lines = new LastLines(
            limit,
            JSON.parse(JSON.stringify(lines.snapshot())),
          );
        }
        if (random.chance(0.3)) {
          expect([all, limit, lines.text]).toEqual([
            all,
            limit,
            all.slice(-limit),
          ]);
        }
        if (random.chance(0.3)) {
          expect([all, limit, lines.lineBefore()])
            .toEqual([all, limit, reference(all, limit)]);
        }
      }
    }
  });

  test("many tiny pieces, empty ones, and one that is very long", () => {
    for (const count of [500, 1_023, 1_024, 1_025, 5_000]) {
      for (const piece of ["", "a", "a\n"]) {
        const lines = new LastLines(100);
        lines.add("x\n");
        for (let at = 0; at < count; at++) lines.add(piece);
        const all = `x\n${piece.repeat(count)}`;
        expect([count, piece, lines.text])
          .toEqual([count, piece, all.slice(-100)]);
        expect([count, piece, lines.lineBefore()])
          .toEqual([count, piece, reference(all, 100)]);
      }
    }
    const lines = new LastLines(4);
    lines.add("x".repeat(100));
    lines.add("\na\n");
    expect([lines.text, lines.lineBefore()]).toEqual(["x\na\n", "a"]);
  });
});
