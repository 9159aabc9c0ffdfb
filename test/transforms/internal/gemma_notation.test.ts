import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseGemmaArguments } from "../../../transforms/internal/gemma_notation.ts";
import { JSONScanner } from "../../../transforms/internal/json_scanner.ts";
import { RUNS } from "../../laws.ts";

const QUOTE = '<|"|>';

function gemma(value: unknown, delimiter: string): string {
  if (typeof value === "string") return delimiter + value + delimiter;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => gemma(item, delimiter)).join(",")}]`;
  }
  return `{${
    Object.entries(value).map(([key, item]) =>
      `${key}:${gemma(item, delimiter)}`
    ).join(",")
  }}`;
}

const keys = fc.stringMatching(/^[a-z_][a-z0-9_]{0,5}$/)
  .filter((key) => key !== "__proto__");

const strings = fc.oneof(
  fc.string(),
  fc.array(fc.constantFrom(...'<|"|>,:{}[]\\ \nab'.split("")), {
    maxLength: 8,
  }).map((all) => all.join("")),
).filter((text) => !(text + QUOTE).slice(0, -1).includes(QUOTE));

const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    strings,
    fc.maxSafeInteger().filter((number) => !Object.is(number, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 3 }),
  ),
}));

const inputs = fc.dictionary(keys, values, { maxKeys: 4 });

function read(text: string, delimiter: string = QUOTE): unknown {
  const parsed = parseGemmaArguments(text, delimiter);
  return parsed.ok ? parsed.value : parsed.reason;
}

describe("parseGemmaArguments", () => {
  test("reads what is written, and no prefix of it", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const text = gemma(input, QUOTE);
        expect(JSON.stringify(parseGemmaArguments(text, QUOTE)))
          .toBe(JSON.stringify({ ok: true, value: input, repairs: [] }));
        const scanner = new JSONScanner(undefined, { delimiter: QUOTE });
        expect(scanner.push(`${text}}<tool_call|>`, 0)).toBe(text.length);
        for (let to = 0; to < text.length; to++) {
          expect(parseGemmaArguments(text.slice(0, to), QUOTE).ok).toBe(false);
        }
      }),
      { numRuns: Math.min(RUNS, 3_000) },
    );
  });

  test("a missing delimiter gives the whole value or nothing", () => {
    fc.assert(
      fc.property(inputs, fc.nat(), (input, which) => {
        // A string like "0,b:x" as an argument: its schema says that 0 is wrong.
        fc.pre(
          !Object.values(input).some((value) =>
            typeof value === "string" && /,\s*[\w.-]+\s*:/.test(value)
          ),
        );
        const text = gemma(input, QUOTE);
        const places: number[] = [];
        for (
          let at = text.indexOf(QUOTE);
          at >= 0;
          at = text.indexOf(QUOTE, at + 5)
        ) {
          places.push(at);
        }
        if (places.length === 0) return;
        const at = places[which % places.length]!;
        const parsed = parseGemmaArguments(
          text.slice(0, at) + text.slice(at + 5),
          QUOTE,
        );
        if (!parsed.ok) return;
        // White space behind a missing delimiter is not kept; nothing else may differ.
        const trimmed = (value: unknown): string =>
          JSON.stringify(
            value,
            (_, item) => typeof item === "string" ? item.trimStart() : item,
          );
        expect(trimmed(parsed.value)).toBe(trimmed(input));
      }),
      { numRuns: RUNS },
    );
  });

  test("a delimiter of which only the end is left is refused", () => {
    for (const left of ['|"|>', '"|>', "|>", ">"]) {
      expect(parseGemmaArguments(`{city:${left}Ulm<|"|>}`, QUOTE).ok).toBe(
        false,
      );
    }
    expect(parseGemmaArguments("{city:escape>Ulm<escape>}", "<escape>").ok)
      .toBe(false);
  });

  test("typed bare values, nested things, strings with everything in them", () => {
    expect(read('{location:<|"|>London, {UK}<|"|>,days:3}'))
      .toEqual({ location: "London, {UK}", days: 3 });
    expect(read('{ a : true , b:[null,-1.5,{c:<|"|><|"<|"|>}] }'))
      .toEqual({ a: true, b: [null, -1.5, { c: '<|"' }] });
    expect(read("{city:<escape>St. Pölten<escape>,n:2}", "<escape>"))
      .toEqual({ city: "St. Pölten", n: 2 });
    expect(read("{}")).toEqual({});
    const value = read("{__proto__:{x:1}}") as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("repairs", () => {
    expect(parseGemmaArguments('{city:New York<|"|>,n:1}', QUOTE)).toEqual({
      ok: true,
      value: { city: "New York", n: 1 },
      repairs: ["missing-delimiter"],
    });
    expect(parseGemmaArguments('{n:1,unit:celsius,x:"a, b}",}]', QUOTE))
      .toEqual({
        ok: true,
        value: { n: 1, unit: "celsius", x: "a, b}" },
        repairs: [
          "bare-string",
          "json-string",
          "trailing-comma",
          "surplus-closer",
        ],
      });
  });

  test("refuses what has two readings or none", () => {
    for (
      const text of [
        "",
        "[]",
        "{a}",
        "{a:}",
        "{a:New York}",
        "{a:New York, NY}",
        '{a:rm x,b:c<|"|>}',
        '{a:rm,b:c<|"|>}',
        '{a:<|"|>x,b:<|"|>y<|"|>}',
        '{a:<|"|>cut}',
        '{a:[<|"|>,<|"|>,-<|"|>]}',
        '{a:[0,x<|"|>]}',
        "{a:12345678901234567890}",
        "{a:007}",
        "{a:1]",
        "{a:1}{b:2}",
        "{a:1 b:2}",
        "{a:<b>}",
        `${"{a:".repeat(300)}1${"}".repeat(300)}`,
      ]
    ) {
      expect([text, parseGemmaArguments(text, QUOTE).ok]).toEqual([
        text,
        false,
      ]);
    }
  });

  test("256 levels and no more", () => {
    // The object around them is one of the levels.
    const lists = (count: number): boolean =>
      parseGemmaArguments(
        `{a:${"[".repeat(count)}${"]".repeat(count)}}`,
        QUOTE,
      ).ok;
    expect([lists(255), lists(256)]).toEqual([true, false]);
    const objects = (count: number): boolean =>
      parseGemmaArguments(
        `${"{a:".repeat(count)}1${"}".repeat(count)}`,
        QUOTE,
      ).ok;
    expect([objects(256), objects(257)]).toEqual([true, false]);
    // Beside one another there may be any number.
    expect(parseGemmaArguments(`{a:[${"[],{},".repeat(300)}1]}`, QUOTE).ok)
      .toBe(true);
  });

  test("throws nothing", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(...'{}[],:<|"> \\a1-'.split(""), QUOTE, "k:"),
          { maxLength: 25 },
        ),
        (all) => {
          const text = `{${all.join("")}`;
          const parsed = parseGemmaArguments(text, QUOTE);
          if (!parsed.ok) return;
          // Whatever is read has its end found, in one piece and in many.
          const whole = new JSONScanner(undefined, { delimiter: QUOTE });
          const end = whole.push(text, 0);
          expect(end).toBeGreaterThan(0);
          expect(JSON.stringify(read(text.slice(0, end))))
            .toBe(JSON.stringify(parsed.value));
        },
      ),
      { numRuns: RUNS * 4 },
    );
  });
});
