import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeText } from "../../adapters/encode_text.ts";
import { RUNS } from "../laws.ts";
import { pieces, randomPieces } from "../support/cases/wire_case.ts";
import { outputs, outputsResumed } from "../support/wire.ts";

function joined(chunks: Uint8Array[]): number[] {
  return chunks.flatMap((chunk) => Array.from(chunk));
}

describe("encodeText", () => {
  test("gives the bytes of the whole text, however it is cut", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "é", "\ud83d", "\ude00", "€") }),
        fc.integer(),
        (text, seed) => {
          const expected = Array.from(new TextEncoder().encode(text));
          for (
            const chunks of [[text], pieces(text, 1), randomPieces(text, seed)]
          ) {
            const make = (snapshot?: unknown) => encodeText({ snapshot }).stage;
            expect(joined(outputs(make(), chunks).output)).toEqual(expected);
            expect(joined(outputsResumed(make, chunks).output)).toEqual(
              expected,
            );
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("gives out everything but half a pair at once", () => {
    const { stage } = encodeText();
    const output: Uint8Array[] = [];
    stage.push("a\ud83d", (bytes) => output.push(bytes));
    expect(joined(output)).toEqual([0x61]);
    stage.push("\ude00", (bytes) => output.push(bytes));
    expect(joined(output)).toEqual([0x61, 0xf0, 0x9f, 0x98, 0x80]);
  });

  test("refuses a foreign snapshot", () => {
    expect(() => encodeText({ snapshot: null })).toThrow(TypeError);
  });
});
