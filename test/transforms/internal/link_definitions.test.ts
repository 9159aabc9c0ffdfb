import fc from "fast-check";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import {
  areComplete,
  readDefinitions,
  startDefinitions,
} from "../../../transforms/internal/link_definitions.ts";
import { RUNS } from "../../laws.ts";

const { Parser } = createRequire(import.meta.url)("commonmark");

/** Whether a paragraph is nothing but definitions, as read here. */
function ours(paragraph: string): boolean {
  const definitions = startDefinitions();
  for (let at = 0; at < paragraph.length; at++) {
    if (!readDefinitions(definitions, paragraph.charCodeAt(at))) {
      // What is impossible once stays so.
      expect(readDefinitions(definitions, 0x5b)).toBe(false);
      expect(areComplete(definitions)).toBe(false);
      return false;
    }
  }
  return readDefinitions(definitions, 0x0a) && areComplete(definitions);
}

/** The same as commonmark.js has it: nothing is left of the document. */
function theirs(paragraph: string): boolean {
  return new Parser().parse(paragraph).firstChild === null;
}

describe("a paragraph of link reference definitions", () => {
  test("what is one, and what is not", () => {
    const label = (length: number): string => `[${"x".repeat(length)}]: u`;
    for (
      const text of [
        "[a]: b",
        "[a]: b\n[c]: d",
        "[a]:b",
        "[a]:\nb",
        "[a]: \n b",
        "[a]: <b c>",
        "[a]: <b\\>c>",
        "[a]: <b\\\\>",
        "[a]: <b\\\nc>",
        "[a]: <b<c>",
        "[a]: <b\nc>",
        "[a]: <>",
        "[a]: <b>c",
        '[a]: <b>"c"',
        '[a]: <b> "c"',
        '[a]: b "c"',
        "[a]: b 'c'",
        "[a]: b (c)",
        "[a]: b (c(d)",
        "[a]: b (c\\(d)",
        "[a]: b (c\\)d)",
        '[a]: b "c\\"d"',
        '[a]: b "c\nd"',
        '[a]: b\n"c"',
        "[a]: b\n'c'",
        "[a]: b\n(c)",
        '[a]: b\n"c" d',
        '[a]: b "c" d',
        '[a]: b "c"  ',
        '[a]: b "c"\n[d]: e',
        '[a]: b "c',
        "[a]: b c",
        "[a]: b  ",
        "[a]: b\nc",
        "[a]: b(c)",
        "[a]: b((c)(d))",
        "[a]: b(c",
        "[a]: b)c",
        "[a]: b\\)c",
        "[a]: b\\(c",
        "[a]: b\\x(c)",
        "[a]: b\\\\(c",
        "[a]",
        "[a] : b",
        "[a]x",
        "[a",
        "[]: b",
        "[ ]: b",
        "[\u00a0]: b",
        "[\n]: b",
        "[ a ]: b",
        "[a\nb]: c",
        "[a[b]: c",
        "[a\\[b]: c",
        "[a\\]b]: c",
        "[a\\\\]: c",
        "[\\]: c",
        "[a]:",
        "a",
        label(998),
        label(999),
        label(1000),
      ]
    ) expect([text, ours(text)]).toEqual([text, theirs(text)]);
  });

  test("a back-slash before every character of ASCII, in every place", () => {
    for (let code = 0x21; code < 0x7f; code++) {
      const sign = String.fromCharCode(code);
      for (
        const text of [
          `[a\\${sign}b]: c`,
          `[a]: b\\${sign}c`,
          `[a]: b(\\${sign}c)`,
          `[a]: <b\\${sign}c>`,
          `[a]: b "\\${sign}c"`,
          `[a]: b (\\${sign}c)`,
          `[a]: ${sign}`,
          `[a]: b ${sign}c${sign}`,
          `[a]: b\n${sign}c`,
        ]
      ) {
        // Where the line is another block, the paragraph is over before it.
        if (/\n[-#+*>=<`~_\d]/.test(text)) continue;
        expect([text, ours(text)]).toEqual([text, theirs(text)]);
      }
    }
  });

  test("anything, as commonmark.js", () => {
    const pieces = fc.array(
      fc.constantFrom(
        "[a]: b",
        "[a]:",
        "[",
        "]",
        ":",
        "<",
        ">",
        "(",
        ")",
        '"',
        "'",
        "\\",
        " ",
        "\n",
        "x",
        "\u00a0",
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(pieces, (list) => {
        const text = `[a${list.join("")}`.replace(/[ \n]*\n[ \n]*/g, "\n")
          .trimEnd();
        if (/\n[><]/.test(text)) return;
        expect([text, ours(text)]).toEqual([text, theirs(text)]);
      }),
      { numRuns: RUNS * 4 },
    );
  });
});
