import { expect, test } from "vitest";
import {
  JSONScanner,
  type Notation,
} from "../../../transforms/internal/json_scanner.ts";

/** Index behind the value, or what it failed at as a negative number. */
function scan(text: string, notation: Notation): number {
  const scanner = new JSONScanner(undefined, notation);
  const end = scanner.push(text, 0);
  return end >= 0 ? end : scanner.failed ? -1 - scanner.failedAt : NaN;
}

test("white space may stand between all tokens, and nothing else may", () => {
  for (const notation of ["json", "python"] as const) {
    const tokens = [
      "{",
      '"a"',
      ":",
      "[",
      "1",
      ",",
      '"b"',
      "]",
      ",",
      '"c"',
      ":",
      "{",
      "}",
      "}",
    ];
    for (let place = 1; place < tokens.length; place++) {
      for (const space of [" ", "\n", "\r", "\t", "\r\n", " \t\n\r "]) {
        const text = tokens.slice(0, place).join("") + space +
          tokens.slice(place).join("");
        expect([notation, text, scan(text, notation)])
          .toEqual([notation, text, text.length]);
      }
      for (
        const other of ["\0", "\v", "\f", "\u00a0", "\u2028", "\ufeff", "@"]
      ) {
        const before = tokens.slice(0, place).join("");
        const text = before + other + tokens.slice(place).join("");
        expect([notation, text, scan(text, notation) < 0])
          .toEqual([notation, text, true]);
      }
    }
  }
});
