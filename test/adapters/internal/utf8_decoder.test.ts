import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Utf8Decoder } from "../../../adapters/internal/utf8_decoder.ts";
import { RUNS } from "../../laws.ts";
import { pieces, randomPieces } from "../../support/cases/wire_case.ts";

/** Bytes that are leads, continuations and borders of UTF-8, more often than not. */
const bytes = fc.array(
  fc.oneof(
    fc.constantFrom(
      0x41,
      0x7f,
      0x80,
      0x8f,
      0x90,
      0x9f,
      0xa0,
      0xbf,
      0xc0,
      0xc1,
      0xc2,
      0xdf,
      0xe0,
      0xe2,
      0xed,
      0xef,
      0xf0,
      0xf1,
      0xf4,
      0xf5,
      0xff,
      0xbb,
    ),
    fc.integer({ min: 0, max: 255 }),
  ),
  { maxLength: 40 },
).map((list) => Uint8Array.from(list));

function decoded(
  chunks: readonly Uint8Array[],
  fatal = false,
  resume = false,
): { text: string; reported: [number, string][]; malformed: number } {
  let text = "";
  const reported: [number, string][] = [];
  const make = (snapshot?: ReturnType<Utf8Decoder["snapshot"]>) =>
    new Utf8Decoder(
      fatal,
      (offset) => reported.push([offset, text]),
      snapshot,
    );
  const emit = (piece: string): void => {
    text += piece;
  };
  let decoder = make();
  for (const chunk of chunks) {
    decoder.push(chunk, emit);
    if (resume) decoder = make(JSON.parse(JSON.stringify(decoder.snapshot())));
  }
  decoder.end(emit);
  return { text, reported, malformed: decoder.malformed };
}

describe("Utf8Decoder", () => {
  test("decodes as the platform does, however the bytes are cut", () => {
    fc.assert(
      fc.property(bytes, fc.integer(), (input, seed) => {
        const expected = new TextDecoder("utf-8", { ignoreBOM: true })
          .decode(input);
        const whole = decoded([input]);
        expect(whole.text).toBe(expected);
        for (
          const chunks of [pieces(input, 1), randomPieces(input, seed, 4)]
        ) {
          expect(decoded(chunks)).toEqual(whole);
          expect(decoded(chunks, false, true)).toEqual(whole);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test("reports the first malformed byte, after the text before it", () => {
    fc.assert(
      fc.property(bytes, (input) => {
        let valid = input.length;
        for (; valid > 0; valid--) {
          try {
            new TextDecoder("utf-8", { fatal: true }).decode(
              input.subarray(0, valid),
            );
            break;
          } catch {
            // Shorter, then.
          }
        }
        const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
          input.subarray(0, valid),
        );
        const { reported } = decoded(pieces(input, 1));
        if (valid === input.length) expect(reported).toEqual([]);
        else expect(reported).toEqual([[valid, before]]);
      }),
      { numRuns: RUNS },
    );
  });

  test("decodes nothing behind a malformed byte when that is fatal", () => {
    const input = Uint8Array.from([0x61, 0xff, 0x62]);
    for (const chunks of [[input], pieces(input, 1)]) {
      const { text, reported } = decoded(chunks, true);
      expect(text).toBe("a");
      expect(reported).toEqual([[1, "a"]]);
    }
  });

  test("counts malformed sequences as U+FFFD are counted", () => {
    // A stray continuation, two leads without any, an overlong form, a surrogate, a cut end.
    const input = Uint8Array.from(
      [0x80, 0xe2, 0x82, 0xe2, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x98],
    );
    const { text, malformed } = decoded(pieces(input, 1));
    expect(text).toBe("\ufffd".repeat(malformed));
    expect(text).toBe(new TextDecoder().decode(input));
  });
});
