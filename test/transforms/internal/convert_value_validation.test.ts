import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type ArgumentText,
  convertArguments,
  convertJSON,
  convertText,
  isStandardSchema,
  validateStandard,
} from "../../../transforms/internal/convert_value.ts";
import type { JSONSchema, StandardSchema } from "../../../transforms/schema.ts";

/** A Standard Schema that says what a function says, without a JSON Schema. */
function standard(validate: (value: unknown) => unknown): StandardSchema {
  return {
    "~standard": { version: 1, vendor: "test", validate },
  } as unknown as StandardSchema;
}

/** A Standard Schema without a JSON Schema of its own. */
function bare(schema: z.ZodType): StandardSchema {
  return standard((value) => schema["~standard"].validate(value));
}

const issue = (path?: unknown[], message: unknown = "no"): unknown => ({
  issues: [{ message, path }],
});

describe("asking a Standard Schema", () => {
  test("what it may answer", () => {
    const ask = (answer: () => unknown): unknown =>
      validateStandard(1, standard(answer));
    expect(ask(() => ({ value: 2 }))).toEqual({ ok: true, value: 2 });
    expect(ask(() => issue(["a", { key: "b" }, 0]))).toEqual({
      ok: false,
      reason: "no",
      issues: [{ message: "no", path: ["a", "b", 0] }],
    });
    expect(ask(() => issue(undefined, 5))).toEqual({
      ok: false,
      reason: "5",
      issues: [{ message: "5", path: [] }],
    });
    expect(ask(() => ({ issues: [] }))).toEqual({
      ok: false,
      reason: "The schema refuses the value",
      issues: [],
    });
    expect(ask(() => Promise.reject(new Error("late")))).toMatchObject({
      ok: false,
      reason: "The schema validates asynchronously, which a stage cannot",
    });
    expect(ask(() => {
      throw new Error("broken");
    })).toMatchObject({ reason: "The schema failed: broken" });
    expect(ask(() => {
      throw "a word";
    })).toMatchObject({ reason: "The schema failed: a word" });
  });

  test("what is one", () => {
    expect(isStandardSchema(z.string() as unknown as StandardSchema)).toBe(
      true,
    );
    for (
      const schema of [
        undefined,
        null,
        true,
        "text",
        {},
        { "~standard": null },
        { "~standard": {} },
        { "~standard": { validate: 1 } },
      ]
    ) expect(isStandardSchema(schema as unknown as StandardSchema)).toBe(false);
  });
});

describe("arguments, by validation alone", () => {
  const schema = bare(z.object({
    n: z.number(),
    s: z.string().optional(),
    o: z.object({ b: z.boolean(), l: z.array(z.number()) }).optional(),
    z: z.null().optional(),
  }));
  const texts = (...list: ArgumentText[]): unknown => {
    const got = convertArguments(list, schema);
    return got.ok ? [got.input, got.missing, got.repairs] : got;
  };

  test("texts are read where the schema wants no string", () => {
    expect(texts(["n", " 1 "], ["s", "2"], ["z", "None"]))
      .toEqual([{ n: 1, s: "2", z: null }, [], []]);
    expect(texts(["n", "1"], ["o", "{'b': True, 'l': [1,],}"]))
      .toEqual([
        { n: 1, o: { b: true, l: [1] } },
        [],
        ["single-quotes", "python-literal", "trailing-comma"],
      ]);
    expect(
      convertArguments(
        [["t", " (1, 'a') "]],
        bare(z.object({ t: z.tuple([z.number(), z.string()]) })),
      ),
    ).toMatchObject({ ok: true, input: { t: [1, "a"] } });
    // A null that the schema does not take is the word.
    expect(texts(["n", "1"], ["s", "null"])).toEqual([
      { n: 1, s: "null" },
      [],
      [],
    ]);
  });

  test("what the markup says of a text stands", () => {
    expect(texts(["n", "1", "json"], ["s", '"a"', "json"]))
      .toEqual([{ n: 1, s: "a" }, [], []]);
    expect(texts(["n", "1"], ["s", "null", "string"]))
      .toEqual([{ n: 1, s: "null" }, [], []]);
    expect(texts(["n", "1", "string"])).toMatchObject({
      ok: false,
      parameter: "n",
    });
    expect(texts(["n", "{broken", "json"])).toMatchObject({
      ok: false,
      parameter: "n",
    });
    expect(texts(["n", "1"], ["o", "{'b': true, 'l': []}", "json"]))
      .toMatchObject([
        { o: { b: true, l: [] } },
        [],
        [{}].map(() => expect.any(String)),
      ]);
  });

  test("what is missing is named; what does not convert refuses", () => {
    expect(texts(["s", "a"])).toEqual([{ s: "a" }, ["n"], []]);
    expect(texts(["n", "one"])).toMatchObject({ ok: false, parameter: "n" });
    expect(texts(["n", " "])).toMatchObject({ ok: false, parameter: "n" });
    expect(texts(["s", "a"], ["o", "1"])).toMatchObject({ ok: false });
  });

  test("strings deep in parsed arguments, without touching what was given", () => {
    const given = {
      n: "1",
      s: "2",
      o: { b: "true", l: [1, "2", "3"] },
    };
    const before = structuredClone(given);
    const got = convertArguments(given, schema);
    expect(got).toMatchObject({
      ok: true,
      input: { n: 1, s: "2", o: { b: true, l: [1, 2, 3] } },
      repairs: ["converted-string"],
    });
    expect(given).toEqual(before);
    for (
      const refused of [
        { n: "one" },
        { n: 1, o: "text" },
        { n: 1, o: { b: "maybe", l: [] } },
        { n: 1, o: { b: true, l: ["x"] } },
        { n: {}, o: { b: "true", l: [] } },
      ]
    ) {
      expect([refused, convertArguments(refused, schema).ok]).toEqual([
        refused,
        false,
      ]);
    }
  });

  test("an issue of no parameter refuses the whole", () => {
    expect(convertArguments({ a: 1 }, standard(() => issue())))
      .toEqual({ ok: false, reason: "no" });
    expect(convertArguments({ a: 1 }, standard(() => issue(["a"]))))
      .toEqual({ ok: false, reason: "no", parameter: "a" });
    expect(convertArguments({}, standard(() => issue(["b", "c"]))))
      .toMatchObject({ ok: true, missing: ["b"] });
    expect(convertArguments({}, standard(() => issue([0]))))
      .toEqual({ ok: false, reason: "no" });
    expect(convertArguments({}, standard(() => ({ issues: [] }))))
      .toMatchObject({ ok: false });
    expect(
      convertArguments([["a", "1"]], standard(() => issue([Symbol("a")]))),
    ).toMatchObject({ ok: false });
  });
});

describe("what a refusal says", () => {
  const reason = (value: unknown, schema: JSONSchema): unknown => {
    const got = typeof value === "string"
      ? convertText(value, schema)
      : convertJSON(value, schema);
    return got.ok ? got.value : got.reason;
  };

  test("what was expected and what came, shortened", () => {
    expect(reason("x", { type: "integer" })).toBe('Expected integer, got "x"');
    expect(reason("x", { type: ["number", "null"] }))
      .toBe('Expected number or null, got "x"');
    expect(reason("1.5", { type: "integer" })).toBe(
      'Expected integer, got "1.5"',
    );
    expect(reason("1", false)).toBe("Expected nothing, got 1");
    expect(reason({}, { type: "array" })).toBe("Expected array, got object");
    expect(reason([], { type: "boolean" })).toBe("Expected boolean, got array");
    expect(reason(null, { type: "object" })).toBe("Expected object, got null");
    expect(reason(1.5, { type: "integer" })).toBe("Expected integer, got 1.5");
    const long = "x".repeat(38);
    expect(reason(long, { type: "integer" }))
      .toBe(`Expected integer, got "${long}"`);
    expect(reason(`${long}y`, { type: "integer" }))
      .toBe(`Expected integer, got "${long}…`);
  });

  test("a schema with too many branches", () => {
    let schema: JSONSchema = { type: "integer" };
    for (let depth = 0; depth < 20; depth++) {
      schema = {
        anyOf: [
          { type: "array", items: schema },
          { type: "array", items: schema },
        ],
      };
    }
    let value: unknown = "x";
    for (let depth = 0; depth < 20; depth++) value = [value];
    expect(convertJSON(value, schema)).toMatchObject({
      ok: false,
      reason: "The schema has too many branches",
    });
  });

  test("a schema without arguments", () => {
    expect(convertArguments({}, false)).toEqual({
      ok: false,
      reason: "The tool's schema allows no arguments",
    });
  });

  test("numbers that lose nothing as numbers, and those that would", () => {
    const number: JSONSchema = { type: "number" };
    const integer: JSONSchema = { type: "integer" };
    expect(reason([..."1"].join(""), number)).toBe(1);
    for (
      const [text, schema, value] of [
        ["1e3", number, 1000],
        ["-0.5", number, -0.5],
        ["123456789012345", integer, 123456789012345],
        ["1.23456789012345", number, 1.23456789012345],
      ] as const
    ) {
      expect(convertJSON({ a: text }, {
        type: "object",
        properties: { a: schema },
      })).toMatchObject({ ok: true, value: { a: value } });
    }
    for (
      const [text, schema] of [
        ["1.2345678901234567", number],
        ["12345678901234567890", integer],
        ["1e3", integer],
        ["01", integer],
        ["", integer],
        ["1.0", integer],
      ] as const
    ) {
      expect([
        text,
        convertJSON({ a: text }, { type: "object", properties: { a: schema } })
          .ok,
      ]).toEqual([text, false]);
    }
  });

  test("unions are told apart by the only value of a property", () => {
    const branch = (kind: unknown, type: string): JSONSchema =>
      ({
        type: "object",
        properties: { kind, v: { type } },
      }) as JSONSchema;
    const schema: JSONSchema = {
      anyOf: [
        branch({ const: "a" }, "integer"),
        branch({ enum: ["b", "c"] }, "boolean"),
        { $ref: "#/$defs/d" },
        branch({ const: { deep: 1 } }, "null"),
      ],
      $defs: { d: branch({ const: "d" }, "number") },
    };
    const value = (kind: unknown, v: string): unknown => {
      const got = convertJSON({ kind, v }, schema);
      return got.ok ? (got.value as { v: unknown }).v : "refused";
    };
    expect(value("a", "1")).toBe(1);
    expect(value("a", "true")).toBe("refused");
    expect(value("c", "true")).toBe(true);
    expect(value("d", "1.5")).toBe(1.5);
    expect(value({ deep: 1 }, "null")).toBe(null);
  });
});
