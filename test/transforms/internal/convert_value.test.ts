import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JSONSchema, StandardSchema } from "../../../transforms/schema.ts";
import {
  type ArgumentText,
  convertArguments,
  convertJSON,
  convertText,
} from "../../../transforms/internal/convert_value.ts";
import { growthOf, RUNS } from "../../laws.ts";

/** Stands for a refusal where values are compared. */
const NO = "refused" as unknown;

function textAs(text: string, schema?: JSONSchema, root?: JSONSchema): unknown {
  const converted = convertText(text, schema, root);
  return converted.ok ? converted.value : NO;
}

function jsonAs(value: unknown, schema?: JSONSchema): unknown {
  const converted = convertJSON(value, schema);
  return converted.ok ? converted.value : NO;
}

function inputOf(
  given: Parameters<typeof convertArguments>[0],
  schema?: Parameters<typeof convertArguments>[1],
): unknown {
  const converted = convertArguments(given, schema);
  return converted.ok ? converted.input : NO;
}

const nullableString = { type: ["string", "null"] };

/** A Standard Schema without a JSON Schema of its own. */
function bare(schema: z.ZodType): StandardSchema {
  const { version, vendor, validate } = schema["~standard"];
  return { "~standard": { version, vendor, validate } } as StandardSchema;
}

describe("convertText", () => {
  test("a string stays as it is", () => {
    const schemas: (JSONSchema | undefined)[] = [
      undefined,
      true,
      {},
      { description: "anything" },
      { type: "string" },
      { type: ["string", "number"] },
      { anyOf: [{ type: "integer" }, { type: "string" }] },
      { enum: ["a", "b"] },
      { const: "a" },
      { allOf: [{ type: ["string", "null"] }, { type: "string" }] },
      { $ref: "#/$defs/text", $defs: { text: { type: "string" } } },
      { $ref: "#/$defs/nowhere" },
      { $ref: "other.json#/a" },
    ];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.constantFrom(
            "42",
            "00042",
            "true",
            "null",
            '"x"',
            " \n",
            "{}",
            "",
          ),
        ),
        fc.constantFrom(...schemas),
        (text, schema) => {
          expect(convertText(text, schema))
            .toEqual({ ok: true, value: text, repairs: [] });
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("a text that is null, where null is named", () => {
    for (
      const schema of [
        nullableString,
        { type: "string", nullable: true },
        { anyOf: [{ type: "string" }, { type: "null" }] },
        { oneOf: [{ const: null }, { type: "string" }] },
        { enum: ["a", null] },
      ]
    ) {
      expect(textAs("null", schema)).toBe(null);
      expect(textAs("None", schema)).toBe(null);
      expect(textAs("null ", schema)).toBe("null ");
      expect(textAs("a", schema)).toBe("a");
    }
    expect(textAs("null", { ...nullableString, enum: ["null", null] }))
      .toBe("null");
    expect(textAs("null", { type: "string" })).toBe("null");
  });

  test("numbers", () => {
    const integer = { type: "integer" };
    const number = { type: "number" };
    for (const schema of [integer, number]) {
      expect(textAs("42", schema)).toBe(42);
      expect(textAs(" -7\n", schema)).toBe(-7);
      for (
        const text of [
          "",
          "a few",
          "00042",
          "+1",
          "1_000",
          "1,5",
          "0x10",
          "true",
          "null",
          "NaN",
          "1 2",
          "12345678901234567890",
          "9007199254740992",
          "1e400",
          "[1]",
          "{}",
        ]
      ) {
        expect([text, textAs(text, schema)]).toEqual([text, NO]);
      }
    }
    expect(textAs("5.0", integer)).toBe(NO);
    expect(textAs("1e3", integer)).toBe(NO);
    expect(textAs("5.0", number)).toBe(5);
    expect(textAs("1e3", number)).toBe(1000);
    expect(textAs("-0.5", number)).toBe(-0.5);
    expect(textAs("9007199254740991", integer)).toBe(9007199254740991);
    expect(textAs("2", { enum: [1, 2] })).toBe(2);
    expect(textAs("null", { type: ["integer", "null"] })).toBe(null);
  });

  test("booleans: never a silent false", () => {
    const schema = { type: "boolean" };
    expect(textAs("true", schema)).toBe(true);
    expect(textAs("False", schema)).toBe(false);
    for (const text of ["maybe", "yes", "0", "1", "", "FALSE", "null", "{}"]) {
      expect([text, textAs(text, schema)]).toEqual([text, NO]);
    }
  });

  test("objects and arrays: JSON, Python's notation, never a silent {}", () => {
    const object = { type: "object" };
    const array = { type: "array", items: { type: "integer" } };
    expect(textAs('{"a":[1]}', object)).toEqual({ a: [1] });
    expect(convertText("{'k': 'v', 'n': [1, None]}", object)).toEqual({
      ok: true,
      value: { k: "v", n: [1, null] },
      repairs: ["single-quotes", "python-literal"],
    });
    expect(textAs("(1, 2)", array)).toEqual([1, 2]);
    expect(textAs('["1", 2]', array)).toEqual([1, 2]);
    expect(textAs('["x"]', array)).toBe(NO);
    expect(textAs("[1.5]", array)).toBe(NO);
    expect(textAs("1", array)).toBe(NO);
    for (const text of ["", "[]", "{", '{"a":', "text", "null", '"{}"']) {
      expect([text, textAs(text, object)]).toEqual([text, NO]);
    }
    expect(textAs("null", { anyOf: [object, { type: "null" }] })).toBe(null);
    // Keywords that only an object or array has tell the type, too.
    expect(textAs("{}", { properties: { a: {} } })).toEqual({});
    expect(textAs("x", { items: { type: "string" } })).toBe(NO);
  });

  test("false allows nothing", () => {
    expect(textAs("x", false)).toBe(NO);
    expect(textAs("1", { allOf: [{ type: "string" }, { type: "integer" }] }))
      .toBe(NO);
  });

  test("says what was expected and what came", () => {
    const converted = convertText("a few", { type: ["integer", "null"] });
    expect(converted).toEqual({
      ok: false,
      reason: 'Expected integer or null, got "a few"',
    });
  });
});

describe("convertJSON", () => {
  test("a value that fits comes back as the same object", () => {
    const value = { a: [1, { b: "x" }], c: null };
    const schema = {
      type: "object",
      properties: {
        a: { type: "array", items: { type: ["integer", "object"] } },
        c: { type: "null" },
      },
    };
    expect(jsonAs(value, schema)).toBe(value);
    expect(jsonAs(value, undefined)).toBe(value);
    expect(jsonAs(value, true)).toBe(value);
  });

  test("strings convert only where a string is excluded and nothing is lost", () => {
    const cases: [unknown, JSONSchema, unknown][] = [
      ["5", { type: "integer" }, 5],
      ["5", { type: "number" }, 5],
      ["0.25", { type: "number" }, 0.25],
      ["5", { type: ["integer", "string"] }, "5"],
      ["false", { type: "boolean" }, false],
      ["null", { type: ["integer", "null"] }, null],
      ["5.0", { type: "integer" }, NO],
      ["05", { type: "integer" }, NO],
      ["", { type: "integer" }, NO],
      [" 5", { type: "integer" }, NO],
      ["3.14159265358979323846", { type: "number" }, NO],
      ["9007199254740993", { type: "number" }, NO],
      ["yes", { type: "boolean" }, NO],
      ["{}", { type: "object" }, NO],
      ["[]", { type: "array" }, NO],
      [5, { type: "string" }, NO],
      [true, { type: "string" }, NO],
      [1, { type: "boolean" }, NO],
      [1.5, { type: "integer" }, NO],
      [2 ** 53, { type: "integer" }, NO],
      [null, { type: "string" }, NO],
      [[], { type: "object" }, NO],
      [{}, { type: "array" }, NO],
      ["anything", {}, "anything"],
    ];
    for (const [value, schema, expected] of cases) {
      expect([value, schema, jsonAs(value, schema)])
        .toEqual([value, schema, expected]);
    }
    expect(convertJSON("5", { type: "integer" }))
      .toEqual({ ok: true, value: 5, repairs: ["converted-string"] });
  });

  test("deep inside, by references, and without touching what was given", () => {
    const schema = {
      $defs: {
        "no/de": {
          type: "object",
          properties: {
            value: { type: "integer" },
            next: { anyOf: [{ $ref: "#/$defs/no~1de" }, { type: "null" }] },
          },
        },
      },
      $ref: "#/$defs/no~1de",
    };
    const value = {
      value: "1",
      next: { value: 2, next: { value: "3", next: null } },
    };
    const before = JSON.stringify(value);
    expect(jsonAs(value, schema)).toEqual({
      value: 1,
      next: { value: 2, next: { value: 3, next: null } },
    });
    expect(JSON.stringify(value)).toBe(before);
    expect(jsonAs({ value: 1, next: { value: "x" } }, schema)).toBe(NO);
  });

  test("the branch of a union is the one that takes the value as it is", () => {
    const schema = {
      anyOf: [
        {
          type: "object",
          properties: { kind: { const: "a" }, n: { type: "integer" } },
        },
        {
          type: "object",
          properties: { kind: { const: "b" }, n: { type: "string" } },
        },
      ],
    };
    expect(jsonAs({ kind: "b", n: "5" }, schema)).toEqual({
      kind: "b",
      n: "5",
    });
    expect(jsonAs({ kind: "a", n: "5" }, schema)).toEqual({ kind: "a", n: 5 });
    expect(jsonAs({ kind: "a", n: [] }, schema)).toBe(NO);
    expect(jsonAs({ n: "5" }, schema)).toEqual({ n: "5" });
  });

  test("tuples and additional properties", () => {
    const tuple = {
      prefixItems: [{ type: "integer" }, { type: "boolean" }],
      items: { type: "integer" },
    };
    expect(jsonAs(["1", "true", "2"], tuple)).toEqual([1, true, 2]);
    const old = {
      items: [{ type: "integer" }],
      additionalItems: { type: "boolean" },
    };
    expect(jsonAs(["1", "true"], { type: "array", ...old })).toEqual([1, true]);
    const map = {
      type: "object",
      properties: { s: { type: "string" } },
      additionalProperties: { type: "integer" },
    };
    expect(jsonAs({ s: "1", n: "1" }, map)).toEqual({ s: "1", n: 1 });
  });

  test("schemas that run in circles end", () => {
    const circles: JSONSchema[] = [
      { $ref: "#" },
      { anyOf: [{ $ref: "#" }, { $ref: "#" }] },
      { allOf: [{ $ref: "#" }, { type: "object" }] },
      {
        $ref: "#/$defs/a",
        $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
      },
    ];
    for (const schema of circles) {
      convertText("{}", schema);
      convertJSON({ a: { b: [] } }, schema);
      convertArguments([["a", "b"]], schema);
    }
  });

  test("takes linear time", () => {
    const schema = {
      type: "array",
      items: {
        anyOf: [
          { type: "object", properties: { n: { type: "integer" } } },
          { type: "null" },
        ],
      },
    };
    const growth = growthOf((length) => {
      const value = Array.from({ length }, (_, at) => ({ n: String(at) }));
      expect((jsonAs(value, schema) as unknown[]).length).toBe(length);
    }, 10_000);
    expect(growth).toBeLessThan(4);
  });
});

const search = {
  type: "object",
  properties: {
    query: { type: "string" },
    max_results: { type: "integer" },
    cursor: nullableString,
    filters: { type: "object" },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["query", "max_results"],
};

describe("convertArguments", () => {
  test("texts, by JSON Schema", () => {
    expect(convertArguments([
      ["query", "12"],
      ["max_results", "3"],
      ["cursor", "None"],
      ["tags", '["x"]'],
      ["filters", "{'k': 'v'}"],
      ["other", "5"],
    ], search)).toEqual({
      ok: true,
      input: {
        query: "12",
        max_results: 3,
        cursor: null,
        tags: ["x"],
        filters: { k: "v" },
        other: "5",
      },
      missing: [],
      repairs: ["single-quotes"],
    });
    expect(convertArguments([["max_results", "a few"]], search)).toEqual({
      ok: false,
      reason: 'Expected integer, got "a few"',
      parameter: "max_results",
    });
  });

  test("the last of equal names wins, missing ones are named", () => {
    expect(convertArguments([["query", "a"], ["query", "b"]], search)).toEqual({
      ok: true,
      input: { query: "b" },
      missing: ["max_results"],
      repairs: [],
    });
    // Only the last one has to convert.
    expect(inputOf([["max_results", "x"], ["max_results", "1"]], search))
      .toEqual({ max_results: 1 });
  });

  test("what the markup says of a value wins", () => {
    const given: ArgumentText[] = [
      ["query", "12", "string"],
      ["other", '["a"]', "json"],
      ["cursor", "null", "string"],
    ];
    expect(inputOf(given, search))
      .toEqual({ query: "12", other: ["a"], cursor: "null" });
    expect(inputOf([["other", "[", "json"]], search)).toBe(NO);
    expect(inputOf([["max_results", "3", "string"]], search))
      .toEqual({ max_results: 3 });
    expect(inputOf([["query", "3", "json"]], search)).toBe(NO);
  });

  test("a parsed object, by JSON Schema", () => {
    expect(inputOf({ query: "x", max_results: "5", extra: [1] }, search))
      .toEqual({ query: "x", max_results: 5, extra: [1] });
    expect(inputOf({ query: 5 }, search)).toBe(NO);
    expect(inputOf([] as never, search)).toEqual({});
    expect(inputOf([1] as never, search)).toBe(NO);
    expect(inputOf("x" as never, search)).toBe(NO);
    expect(inputOf(null as never, search)).toBe(NO);
  });

  test("no schema: raw strings, or what was parsed", () => {
    for (const schema of [undefined, true] as const) {
      expect(inputOf([["a", "1"], ["b", "null"]], schema))
        .toEqual({ a: "1", b: "null" });
      expect(inputOf({ a: 1 }, schema)).toEqual({ a: 1 });
    }
    expect(inputOf([], false)).toBe(NO);
  });

  test("parameters from references, allOf, anyOf and additionalProperties", () => {
    const schema = {
      $ref: "#/$defs/base",
      $defs: {
        base: { properties: { a: { type: "integer" } }, required: ["a"] },
      },
      allOf: [{ properties: { b: { type: "boolean" } }, required: ["b"] }],
      anyOf: [
        { properties: { c: { type: "integer" } } },
        { properties: { c: { type: "null" } } },
      ],
      additionalProperties: { type: "array" },
    };
    expect(convertArguments([["a", "1"], ["c", "null"], ["d", "[]"]], {
      ...schema,
      additionalProperties: undefined,
    })).toEqual({
      ok: true,
      input: { a: 1, c: null, d: "[]" },
      missing: ["b"],
      repairs: [],
    });
    expect(inputOf([["d", "[]"]], schema)).toEqual({ d: [] });
    expect(inputOf([["d", "x"]], schema)).toBe(NO);
  });

  test("names of Object.prototype are names as any other", () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    for (const schema of [search, undefined]) {
      const input = inputOf(names.map((name) => [name, "x"] as const), schema);
      expect(Object.keys(input as object)).toEqual(names);
      expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
    }
    const parsed = JSON.parse('{"__proto__":{"polluted":true},"query":"q"}');
    const input = inputOf(parsed, search) as object;
    expect(Object.keys(input)).toEqual(["__proto__", "query"]);
    expect(({} as { polluted?: boolean }).polluted).toBe(undefined);
  });

  test("never throws, whatever the schema is", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 4 }),
        fc.jsonValue(),
        fc.jsonValue(),
        (texts, schema, value) => {
          convertArguments(texts, schema as never);
          convertArguments(
            texts,
            { type: "object", properties: schema } as never,
          );
          convertArguments(value as never, { properties: schema } as never);
          convertText("1", schema as never);
          convertJSON(value, schema as never);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe("convertArguments with Standard Schema", () => {
  const tool = z.object({
    path: z.string(),
    line: z.number().int().optional(),
    all: z.boolean().optional(),
    note: z.string().nullable().optional(),
    opts: z.object({ depth: z.number() }).optional(),
  });

  for (
    const [how, schema] of [["view", tool], ["asked", bare(tool)]] as const
  ) {
    test(`zod, ${how}`, () => {
      const texts: ArgumentText[] = [
        ["path", "12"],
        ["line", "5"],
        ["all", "True"],
        ["note", "null"],
        ["opts", '{"depth": 2,}'],
      ];
      expect(convertArguments(texts, schema as never)).toEqual({
        ok: true,
        input: {
          path: "12",
          line: 5,
          all: true,
          note: null,
          opts: { depth: 2 },
        },
        missing: [],
        repairs: ["python-literal", "trailing-comma"],
      });
      expect(inputOf([["path", "x"], ["line", "many"]], schema as never)).toBe(
        NO,
      );
      expect(convertArguments([["line", "1"]], schema as never)).toMatchObject({
        ok: true,
        input: { line: 1 },
        missing: ["path"],
      });
      const given = { path: "x", opts: { depth: "3" }, all: "false" };
      expect(convertArguments(given, schema as never)).toEqual({
        ok: true,
        input: { path: "x", opts: { depth: 3 }, all: false },
        missing: [],
        repairs: ["converted-string"],
      });
      expect(given.opts.depth).toBe("3");
      expect(inputOf({ path: 1 }, schema as never)).toBe(NO);
      expect(inputOf([["path", "null"]], schema as never))
        .toEqual({ path: "null" });
    });
  }

  test("input stays what the schema takes in", () => {
    const schema = z.object({
      day: z.string().transform((text) => new Date(text)),
      n: z.coerce.number(),
    });
    const given: ArgumentText[] = [["day", "2024-01-01"], ["n", "5"]];
    expect(inputOf(given, schema as never))
      .toEqual({ day: "2024-01-01", n: 5 });
    expect(inputOf(given, bare(schema)))
      .toEqual({ day: "2024-01-01", n: "5" });
  });

  test("the whole schema refuses: unions are read as values", () => {
    const schema = z.union([
      z.object({ n: z.number() }),
      z.object({ b: z.boolean() }),
    ]);
    expect(inputOf([["n", "5"]], bare(schema))).toEqual({ n: 5 });
  });

  test("a promise or an exception refuses", () => {
    const make = (validate: () => unknown): StandardSchema => ({
      "~standard": { version: 1, vendor: "x", validate: validate as never },
    });
    const late = convertArguments([["a", "1"]], make(() => Promise.reject(1)));
    expect(late).toMatchObject({ ok: false });
    expect((late as { reason: string }).reason).toContain("asynchronous");
    expect(convertArguments(
      [],
      make(() => {
        throw new Error("broken");
      }),
    )).toEqual({ ok: false, reason: "The schema failed: broken" });
    expect(inputOf([["a", "1"]], make(() => ({ issues: [] })))).toBe(NO);
  });

  test("schemas that are functions count, too", () => {
    const schema = Object.assign(() => {}, {
      "~standard": {
        version: 1 as const,
        vendor: "f",
        validate: (value: unknown) => ({ value }),
      },
    });
    expect(inputOf([["a", "1"]], schema as never)).toEqual({ a: "1" });
  });
});
