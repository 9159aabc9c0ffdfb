import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sanitizeSurrogates } from "../../mod.ts";
import { RUNS } from "../laws.ts";

/** Strings where halves are as common as letters. */
const halves = fc.array(
  fc.constantFrom("a", "\ud83d", "\ude80", "\u{1f680}", "é", "\n"),
  { maxLength: 12 },
).map((all) => all.join(""));

describe("sanitizeSurrogates", () => {
  test("agrees with toWellFormed and keeps identity", () => {
    fc.assert(
      fc.property(halves, (text) => {
        expect(sanitizeSurrogates(text)).toBe(text.toWellFormed());
        expect(sanitizeSurrogates(text, "?")).toBe(
          text.toWellFormed().split("").map((unit, at) =>
            unit === "\ufffd" && text[at] !== "\ufffd" ? "?" : unit
          ).join(""),
        );
      }),
      { numRuns: RUNS },
    );
  });
});
