import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Line,
  LineSplitterStream,
  type LineSplitterStreamOptions,
} from "../../adapters/line_splitter.ts";
import { StreamError } from "../../adapters/stream_error.ts";
import type { WarningPart } from "../../mod.ts";
import { least, RUNS } from "../laws.ts";
import { pieces, randomPieces } from "../support/cases/wire_case.ts";
import { outputs, outputsResumed, piped } from "../support/wire.ts";

function lines(
  chunks: (string | Uint8Array)[],
  options: LineSplitterStreamOptions = {},
): Line[] {
  const { output, error } = outputs(
    new LineSplitterStream(options).stage,
    chunks,
  );
  if (error !== undefined) throw error;
  return output;
}

const texts = (all: Line[]): string[] => all.map(({ text }) => text);
const endings = (all: Line[]): string[] => all.map(({ ending }) => ending);

describe("LineSplitterStream", () => {
  test("ends lines with LF and CRLF", () => {
    const all = lines(["a\nb\r\n\nc"]);
    expect(texts(all)).toEqual(["a", "b", "", "c"]);
    expect(endings(all)).toEqual(["\n", "\r\n", "\n", ""]);
    expect(all.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  test("has no line behind a final line end", () => {
    expect(texts(lines(["a\n"]))).toEqual(["a"]);
    expect(lines([])).toEqual([]);
    expect(lines([""])).toEqual([]);
  });

  test("a CR alone is text, or an end", () => {
    expect(texts(lines(["a\rb\r\r\nc\r"]))).toEqual(["a\rb\r", "c\r"]);
    const all = lines(["a\rb\r\r\nc\r"], { loneCR: "end" });
    expect(texts(all)).toEqual(["a", "b", "", "c"]);
    expect(endings(all)).toEqual(["\r", "\r", "\r\n", "\r"]);
  });

  test("U+2028, U+2029, U+0085, VT and FF are text", () => {
    const text = "a\u2028b\u2029c\u0085d\ve\ff";
    expect(texts(lines([text]))).toEqual([text]);
  });

  test("cutting changes nothing, and the lines are the input", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("a", "b", "\r", "\n", "\r\n", "😀"),
        }),
        fc.integer(),
        fc.constantFrom<"end" | "text">("end", "text"),
        fc.constantFrom(1, 2, 3, 1000),
        (text, seed, loneCR, maxLineChars) => {
          const options = { loneCR, maxLineChars };
          const whole = lines([text], options);
          for (const chunks of [pieces(text, 1), randomPieces(text, seed, 4)]) {
            expect(lines(chunks, options)).toEqual(whole);
            const make = (snapshot?: unknown) =>
              new LineSplitterStream({ ...options, snapshot }).stage;
            expect(outputsResumed(make, chunks).output).toEqual(whole);
          }
          for (const line of whole) {
            expect(line.text.length).toBeLessThanOrEqual(maxLineChars);
          }
          if (maxLineChars === 1000) {
            expect(whole.map((line) => line.text + line.ending).join("")).toBe(
              text,
            );
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("a line over the limit is cut, reported, and the next is read", () => {
    const warnings: WarningPart[] = [];
    const options = {
      maxLineChars: 3,
      onWarning: (warning: WarningPart) => void warnings.push(warning),
    };
    const text = "abc\r\nabcdef\r\nab😀\nx";
    const whole = lines([text], options);
    expect(texts(whole)).toEqual(["abc", "abc", "ab", "x"]);
    expect(whole.map(({ length }) => length)).toEqual([3, 6, 4, 1]);
    expect(warnings.map(({ code }) => code)).toEqual([
      "line-too-long",
      "line-too-long",
    ]);
    expect(lines(pieces(text, 1), options)).toEqual(whole);
  });

  test("keeps no more of a line without end than the limit", () => {
    const { stage } = new LineSplitterStream({ maxLineChars: 1000 });
    for (let round = 0; round < 1000; round++) {
      stage.push("x".repeat(100), () => {});
    }
    expect(JSON.stringify(stage.snapshot()).length).toBeLessThan(2000);
  });

  test("a line of 4 M characters in small pieces takes linear time", () => {
    const time = (length: number): number => {
      const chunks = pieces("x".repeat(length), 16);
      let best = Infinity;
      for (let round = 0; round < 3; round++) {
        const { stage } = new LineSplitterStream();
        const before = performance.now();
        for (const chunk of chunks) stage.push(chunk, () => {});
        stage.end(() => {});
        best = Math.min(best, performance.now() - before);
      }
      return best / length;
    };
    time(400_000);
    expect(least(() => time(4_000_000) / time(400_000))).toBeLessThan(8);
  });

  test("takes bytes", async () => {
    const { output } = await piped(
      pieces(new TextEncoder().encode("é\n€"), 1),
      new LineSplitterStream(),
    );
    expect(texts(output)).toEqual(["é", "€"]);
  });

  test("is told apart by its errors", () => {
    expect(() => new LineSplitterStream({ maxLineChars: 0 })).toThrow(
      RangeError,
    );
    expect(() => new LineSplitterStream({ loneCR: "no" as "end" })).toThrow(
      TypeError,
    );
    expect(() => new LineSplitterStream({ snapshot: 1 })).toThrow(TypeError);
    expect(() => lines([{} as string])).toThrow(StreamError);
  });
});
