import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JSONScanner } from "../../../transforms/internal/json_scanner.ts";
import {
  parsePythonCalls,
  parsePythonLiteral,
} from "../../../transforms/internal/python_literal.ts";
import { RUNS } from "../../laws.ts";

/** Python source of a value. */
function python(value: unknown, quote: string): string {
  switch (typeof value) {
    case "string": {
      const escaped = value.replaceAll("\\", "\\\\").replaceAll(
        quote,
        `\\${quote}`,
      ).replaceAll("\n", "\\n").replaceAll("\r", "\\r");
      return quote + escaped + quote;
    }
    case "boolean":
      return value ? "True" : "False";
    case "number":
      return String(value);
  }
  if (value === null) return "None";
  if (Array.isArray(value)) {
    const items = value.map((item) => python(item, quote));
    return quote === "'"
      ? `[${items.join(", ")}]`
      : `(${items.map((item) => `${item},`).join("")})`;
  }
  return `{${
    Object.entries(value as object).map(([key, item]) =>
      `${python(key, quote)}: ${python(item, quote)}`
    ).join(", ")
  }}`;
}

const numbers = fc.oneof(
  fc.maxSafeInteger().filter((number) => !Object.is(number, -0)),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
    .filter((number) => !Object.is(number, -0)),
);

const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.string({ unit: "binary" }),
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 3 }),
  ),
}));

const names = fc.stringMatching(/^[a-z_][a-z0-9_]{0,6}$/)
  .filter((name) => name !== "__proto__");

function refused(text: string): boolean {
  return !parsePythonLiteral(text).ok;
}

describe("parsePythonLiteral", () => {
  test("reads what Python would print", () => {
    fc.assert(
      fc.property(values, fc.constantFrom('"', "'"), (value, quote) => {
        const parsed = parsePythonLiteral(python(value, quote));
        expect(JSON.stringify(parsed))
          .toBe(JSON.stringify({ ok: true, value, repairs: [] }));
      }),
      { numRuns: RUNS },
    );
  });

  test("literals", () => {
    const cases: [string, unknown][] = [
      ["(1, 2)", [1, 2]],
      ["(1)", 1],
      ["()", []],
      ["[1, 2,]", [1, 2]],
      ["-2", -2],
      ["+2", 2],
      ["1_000", 1000],
      ["0x1F", 31],
      ["1.", 1],
      [".5e-1", 0.05],
      ["true", true],
      ["null", null],
      [`'it\\'s "x"'`, `it's "x"`],
      [`"""a "quoted" 'b'\nc"""`, `a "quoted" 'b'\nc`],
      [`r"\\d+\\""`, `\\d+\\"`],
      [`u'x'`, "x"],
      [`"\\x41\\u00e9\\U0001f600\\101\\\nend"`, "Aé\u{1f600}Aend"],
      [`"\\d+\\."`, "\\d+\\."],
      ["# first\n1 # last", 1],
    ];
    for (const [text, value] of cases) {
      expect([text, parsePythonLiteral(text)])
        .toEqual([text, { ok: true, value, repairs: [] }]);
    }
    expect(parsePythonLiteral("'a\nb'")).toEqual({
      ok: true,
      value: "a\nb",
      repairs: ["raw-control-character"],
    });
  });

  test("refuses what is no literal", () => {
    for (
      const text of [
        "",
        "name",
        "f()",
        "1 + 2",
        "007",
        "2j",
        "1__0",
        "1e400",
        "12345678901234567890",
        "'a' 'b'",
        "f'{x}'",
        "b'x'",
        "{1: 2}",
        "{'a'}",
        "[1,,2]",
        "[1 2]",
        "'cut",
        `"""cut"`,
        `"\\N{DASH}"`,
        `"\\x4"`,
        `"C:\\Work\\new"`,
        "Truee",
      ]
    ) {
      expect([text, refused(text)]).toEqual([text, true]);
    }
    expect(refused("[".repeat(100_000))).toBe(true);
  });
});

describe("parsePythonCalls", () => {
  test("reads lists and lines of calls, and no prefix of them as something shorter", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(names, fc.dictionary(names, values, { maxKeys: 3 })),
          { minLength: 1, maxLength: 3 },
        ),
        fc.constantFrom('"', "'"),
        fc.constantFrom("list", "\n", ";"),
        (calls, quote, separator) => {
          const sources = calls.map(([name, input]) =>
            `${name}(${
              Object.entries(input).map(([key, value]) =>
                `${key}=${python(value, quote)}`
              ).join(", ")
            })`
          );
          const text = separator === "list"
            ? `[${sources.join(", ")}]`
            : sources.join(separator);
          const expected = calls.map(([name, input]) => ({
            name,
            arguments: input,
          }));
          expect(JSON.stringify(parsePythonCalls(text))).toBe(
            JSON.stringify({ ok: true, value: expected, repairs: [] }),
          );
          if (separator === "list") {
            const scanner = new JSONScanner(undefined, "python");
            expect(scanner.push(`${text})]`, 0)).toBe(text.length);
          }
          for (let to = 0; to < text.length; to++) {
            const parsed = parsePythonCalls(text.slice(0, to));
            if (!parsed.ok) continue;
            expect(separator).not.toBe("list");
            // Whole calls are found, and none that is not among them.
            expect(JSON.stringify(expected.slice(0, parsed.value.length)))
              .toBe(JSON.stringify(parsed.value));
          }
        },
      ),
      { numRuns: Math.min(RUNS, 2_000) },
    );
  });

  test("names with dots and hyphens, the last of equal arguments", () => {
    expect(parsePythonCalls("a.b-c(x=1, x=2, __proto__={'y': 1})")).toEqual({
      ok: true,
      value: [{
        name: "a.b-c",
        arguments: JSON.parse('{"x":2,"__proto__":{"y":1}}'),
      }],
      repairs: [],
    });
    expect(({} as { y?: number }).y).toBe(undefined);
  });

  test("refuses everything but keyword arguments with literals", () => {
    for (
      const text of [
        "f(1)",
        "f(a=x)",
        "f(a=g())",
        "f(**a)",
        "f(a=1 b=2)",
        "f(a=1",
        "[f(a=1)",
        "f() g()",
        "print(f())",
        "[link(s)](x)",
        "[f(), 1]",
        "[]",
        "f",
      ]
    ) {
      expect([text, parsePythonCalls(text).ok]).toEqual([text, false]);
    }
  });

  test("256 levels and no more", () => {
    const deep = (open: string, close: string, count: number): boolean =>
      parsePythonLiteral(`${open.repeat(count)}1${close.repeat(count)}`).ok;
    expect([deep("[", "]", 256), deep("[", "]", 257)]).toEqual([true, false]);
    expect([deep("(", ",)", 256), deep("(", ",)", 257)])
      .toEqual([true, false]);
    expect([deep('{"a":', "}", 256), deep('{"a":', "}", 257)])
      .toEqual([true, false]);
    // Beside one another there may be any number.
    expect(parsePythonLiteral(`[${"[],(),{},".repeat(300)}1]`).ok).toBe(true);
    expect(parsePythonCalls("f(a=[(1,), {}])\n".repeat(300)).ok).toBe(true);
  });

  test("throws nothing", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            ..."()[]{}=,:;#\"'\\\n a1-._exur".split(""),
            "f(",
            "k=",
            '"""',
            "None",
            "\\x4",
            "é",
          ),
          { maxLength: 25 },
        ).map((all) => all.join("")),
        (text) => {
          refused(text);
          parsePythonCalls(text);
        },
      ),
      { numRuns: RUNS * 2 },
    );
  });
});
