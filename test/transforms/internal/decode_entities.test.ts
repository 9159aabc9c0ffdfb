import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decodeEntities,
  halfEntity,
} from "../../../transforms/internal/decode_entities.ts";
import { RUNS } from "../../laws.ts";

describe("character references", () => {
  test("are decoded once; what is none stays", () => {
    expect(decodeEntities("&lt;a&gt; &amp;lt; &#65;&#x42; &quot;&apos;"))
      .toBe("<a> &lt; AB \"'");
    for (const text of ["&", "&;", "&x;", "& lt;", "&lt", "&#;", "&#x;"]) {
      expect(decodeEntities(text)).toBe(text);
    }
  });

  test("decoded in pieces, they are the same", () => {
    const pieces = ["&", "&am", "p;", "#", "x4", "1;", "lt;", "a", "&lt;"];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { maxLength: 12 }),
        (all) => {
          let half = "";
          let decoded = "";
          for (const piece of all) {
            const text = half + piece;
            const end = text.length - halfEntity(text);
            decoded += decodeEntities(text.slice(0, end));
            half = text.slice(end);
            expect(half.length).toBeLessThan(34);
          }
          expect(decoded + half).toBe(decodeEntities(all.join("")));
        },
      ),
      { numRuns: RUNS },
    );
  });
});
