import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  JSONScanner,
  type Notation,
} from "../../../transforms/internal/json_scanner.ts";
import { parseLenientJSON } from "../../../transforms/internal/lenient_json.ts";
import { cut, growthOf, RUNS } from "../../laws.ts";

/** Index behind the value when the text is scanned in these pieces, or -1. */
function scan(chunks: string[], notation: Notation = "json"): number {
  let scanner = new JSONScanner(undefined, notation);
  let before = 0;
  for (const chunk of chunks) {
    const end = scanner.push(chunk, 0);
    if (end >= 0) return before + end;
    if (scanner.failed) return -1;
    before += chunk.length;
    // Every pause is one where a snapshot may be taken.
    scanner = new JSONScanner(JSON.parse(JSON.stringify(scanner.snapshot())));
  }
  return -1;
}

/** Where the scanner fails when the text comes at once, or -1. */
function failsAt(text: string, notation: Notation = "json"): number {
  const scanner = new JSONScanner(undefined, notation);
  scanner.push(text, 0);
  return scanner.failedAt;
}

/** Texts over what confuses a scanner. */
const messy = fc.array(
  fc.constantFrom(
    ..."{}[](),:=\"'\\/#<|>\n \ta1-.e_".split(""),
    '<|"|>',
    '"""',
    "'''",
    "true",
    "None",
    "//",
    '\\"',
    '"k":',
    "f(",
    "é",
  ),
  { maxLength: 30 },
).map((all) => all.join(""));

const NOTATIONS: Notation[] = ["json", "python", { delimiter: '<|"|>' }, {
  delimiter: "<escape>",
}];

describe("JSONScanner", () => {
  test("finds the end of every object and array that JSON.stringify makes", () => {
    fc.assert(
      fc.property(
        fc.jsonValue().filter((value) =>
          typeof value === "object" && value !== null
        ),
        fc.constantFrom("", "}", "</tool_call>", "\n[1]", '"'),
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 6 }),
        (value, suffix, wide, places) => {
          const json = JSON.stringify(value, null, wide ? 2 : 0);
          const text = json + suffix;
          const offsets = places.map((place) => place % (text.length + 1));
          expect(scan([text])).toBe(json.length);
          expect(scan(cut(text, offsets))).toBe(json.length);
          expect(scan(text.split(""))).toBe(json.length);
          for (let to = 0; to < json.length; to++) {
            expect(scan([json.slice(0, to)])).toBe(-1);
          }
        },
      ),
      { numRuns: Math.min(RUNS, 2_000) },
    );
  });

  test("gives the same end and failure however the text is cut", () => {
    fc.assert(
      fc.property(messy, fc.nat(3), (text, which) => {
        const notation = NOTATIONS[which]!;
        const end = scan([text], notation);
        expect(scan(text.split(""), notation)).toBe(end);
        const scanner = new JSONScanner(undefined, notation);
        let failedAt = -1;
        for (let at = 0; at < text.length; at++) {
          if (scanner.push(text[at]!, 0) >= 0) break;
          if (scanner.failed) {
            failedAt = at;
            expect(scanner.failedAt).toBe(0);
            break;
          }
        }
        expect(failedAt).toBe(failsAt(text, notation));
      }),
      { numRuns: RUNS },
    );
  });

  test("whatever the parser takes, the scanner finds the end of", () => {
    fc.assert(
      fc.property(messy, (body) => {
        const text = `{${body}}`;
        const parsed = parseLenientJSON(text);
        if (!parsed.ok) return;
        // Behind the value there may be comments and surplus closers.
        const end = scan([text]);
        expect(end).toBeGreaterThan(1);
        expect(parseLenientJSON(text.slice(0, end)))
          .toMatchObject({ ok: true, value: parsed.value });
      }),
      { numRuns: RUNS * 4 },
    );
  });

  test("fails at the first impossible code unit", () => {
    expect(failsAt("hello")).toBe(0);
    expect(failsAt(" {this is")).toBe(7);
    expect(failsAt('{"a": [1}')).toBe(8);
    expect(failsAt('{"a":1,,')).toBe(7);
    expect(failsAt('{"a":maybe')).toBe(5);
    expect(failsAt('{"a":trux')).toBe(8);
    expect(failsAt('{"a":1</tool_call>')).toBe(6);
    expect(failsAt('{"name":"x","arguments":{}</tool_call>')).toBe(26);
    expect(failsAt("[" + "[".repeat(300))).toBe(256);
    expect(failsAt("[".repeat(256))).toBe(-1);
    expect(failsAt('{"a":'.repeat(300))).toBe(5 * 256);
  });

  test("a single quote opens a string only where one may begin", () => {
    expect(scan([`{'a': 'it is }'} it's`])).toBe(16);
    expect(failsAt(`{"a": 1'`)).toBe(7);
  });

  test("tells strings from the rest", () => {
    const scanner = new JSONScanner();
    scanner.push('{"a', 0);
    expect(scanner.inString).toBe(true);
    scanner.push('\\"b', 0);
    expect(scanner.inString).toBe(true);
    scanner.push('":', 0);
    expect(scanner.inString).toBe(false);
    expect(scanner.depth).toBe(1);
  });

  test("says when a failure may be a quote that was not escaped", () => {
    const scanner = new JSONScanner();
    scanner.push('{"a": "say "<tool_call>', 0);
    expect([scanner.failed, scanner.failedAt, scanner.behindString])
      .toEqual([true, 12, true]);
    const other = new JSONScanner();
    other.push('{"a": 1 <', 0);
    expect([other.failed, other.behindString]).toEqual([true, false]);
  });

  test("comments hide brackets and quotes", () => {
    const text = '{"a": 1, // don\'t }\n "b": 2}';
    expect(scan([text])).toBe(text.length);
    expect(scan(text.split(""))).toBe(text.length);
  });

  test("Python: triple quotes, prefixes, calls, parentheses", () => {
    for (
      const text of [
        `[f(a="x", b=-1), g()]`,
        `(a="""x")"y""", b=r"\\d")`,
        `(a='', b="")`,
        `[run(command='grep -F "]" a\\'s', n=(1, 2), d={'k': [None]},)]`,
        `[f(a=1, # not the end )]\n b=2)]`,
      ]
    ) {
      expect(scan([text + ")]"], "python")).toBe(text.length);
      expect(scan((text + ")]").split(""), "python")).toBe(text.length);
    }
    expect(failsAt("[link text]", "python")).toBe(6);
    expect(failsAt("[f(a='x'b", "python")).toBe(8);
  });

  test("delimited strings hold brackets and parts of the delimiter", () => {
    for (
      const text of [
        '{location:<|"|>London, {UK}<|"|>,days:3}',
        '{a:<|"|><|<|"<|"|x<|"|>,b:[1,<|"|>]<|"|>]}',
        '{a:London<|"|>}',
        "{}",
      ]
    ) {
      const notation = { delimiter: '<|"|>' };
      expect(scan([text + "<"], notation)).toBe(text.length);
      expect(scan((text + "<").split(""), notation)).toBe(text.length);
    }
    expect(scan(["{a:<escape>}<esc{<escape>}x"], { delimiter: "<escape>" }))
      .toBe(26);
    expect(failsAt("{a:1<tool_call|>", { delimiter: '<|"|>' })).toBe(5);
  });

  test("takes linear time, also one code unit at a time", () => {
    const growth = growthOf((count) => {
      const long = JSON.stringify({ a: '\\"{'.repeat(count) });
      const scanner = new JSONScanner();
      let end = -1;
      for (let at = 0; at < long.length && end < 0; at++) {
        end = scanner.push(long[at]!, 0);
      }
      expect(end).toBe(1);
    }, 5_000);
    expect(growth).toBeLessThan(4);
  });
});
