import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readDirectiveValue } from "../../../transforms/internal/directive_value.ts";
import type { Schema } from "../../../mod.ts";

/** The value, or why there is none. */
function read(
  content: string,
  schema: unknown,
  fields?: Record<string, string>,
): unknown {
  const got = readDirectiveValue(content, fields, schema as Schema);
  return got.ok ? [got.value, ...got.repairs] : got.reason;
}

describe("the value of a content", () => {
  test("by a JSON schema", () => {
    expect(read("5", { type: "integer" })).toEqual([5]);
    expect(read("a", { type: "string" })).toEqual(["a"]);
    expect(read("a", { type: "integer" })).toMatch(/integer/);
    expect(read("a", { enum: ["a", "b"] })).toEqual(["a"]);
    expect(read("c", { enum: ["a", "b"] }))
      .toBe('"c" is not one of the values allowed');
    expect(read("b", { const: "a", enum: ["b"] }))
      .toBe('"b" is not one of the values allowed');
    expect(read("a", { const: "a" })).toEqual(["a"]);
    const long = "x".repeat(70);
    expect(read(long, { type: "string", const: "a" }))
      .toBe(`"${"x".repeat(59)}… is not one of the values allowed`);
    expect(read("x".repeat(58), { type: "string", const: "a" }))
      .toBe(`"${"x".repeat(58)}" is not one of the values allowed`);
  });

  test("deep inside: lists, properties, what is required", () => {
    const schema = {
      type: "object",
      required: ["a"],
      properties: {
        a: { type: "array", items: { type: "integer", enum: [1, 2] } },
        b: { type: "object", required: ["c"] },
        d: { type: ["object", "null"] },
      },
    };
    expect(read('{"a": [1, 2], "other": 3}', schema))
      .toEqual([{ a: [1, 2], other: 3 }]);
    expect(read('{"a": [1, 3]}', schema))
      .toBe('Property "a": 3 is not one of the values allowed');
    expect(read("{}", schema)).toBe('Property "a" is missing');
    expect(read('{"a": [], "b": {}}', schema))
      .toBe('Property "b": Property "c" is missing');
    expect(read('{"a": [], "d": null}', schema)).toEqual([{ a: [], d: null }]);
    expect(read('{"x": 1}', { type: "object" })).toEqual([{ x: 1 }]);
    expect(read('[1, "a"]', { type: "array" })).toEqual([[1, "a"]]);
  });

  test("a key of the prototype is no property of the schema", () => {
    expect(read('{"constructor": 1}', { type: "object", properties: {} }))
      .toEqual([{ constructor: 1 }]);
    expect(read("{}", { type: "object", required: ["toString"] }))
      .toBe('Property "toString" is missing');
  });

  test("levels deeper than 32 are not checked", () => {
    const at = (depth: number): unknown => {
      let schema: unknown = { const: 1 };
      for (let level = 0; level < depth; level++) {
        schema = { type: "array", items: schema };
      }
      return read(`${"[".repeat(depth)}2${"]".repeat(depth)}`, schema);
    };
    expect(at(32)).toBe("2 is not one of the values allowed");
    expect(at(33)).toBeInstanceOf(Array);
  });

  test("by a Standard Schema: the text, or what it says", () => {
    expect(read(" a ", z.string())).toEqual([" a "]);
    expect(read("a", z.string().transform((text) => text.length)))
      .toEqual([1]);
    expect(read(" 5 ", z.number())).toEqual([5]);
    expect(read('{"a": 1}', z.object({ a: z.number() }))).toEqual([{ a: 1 }]);
    const repaired = read("{'a': 1,}", z.object({ a: z.number() }));
    expect(repaired).toBeInstanceOf(Array);
    expect((repaired as unknown[])[0]).toEqual({ a: 1 });
    expect((repaired as unknown[]).length).toBeGreaterThan(1);
    // What is said of the value it wanted; of the text, when there is no other.
    expect(read('{"a": "x"}', z.object({ a: z.number() })))
      .toMatch(/expected number/);
    expect(read("no JSON", z.number())).toMatch(/string/);
    expect(read('"a"', z.number())).toMatch(/string/);
  });
});

describe("the value of fields", () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer" }, w: { enum: ["a", "b"] } },
    required: ["n"],
  };

  test("by a JSON schema", () => {
    expect(read("", schema, { n: "1", w: "a", x: "y" }))
      .toEqual([{ n: 1, w: "a", x: "y" }]);
    expect(read("", schema, { n: "one" })).toMatch(/^Field "n": /);
    expect(read("", schema, { w: "a" })).toBe('Field "n" is missing');
    expect(read("", schema, { n: "1", w: "c" }))
      .toBe('Property "w": "c" is not one of the values allowed');
  });

  test("by a Standard Schema, whose output is the value", () => {
    const sum = z.object({ a: z.number(), b: z.number() })
      .transform(({ a, b }) => a + b);
    expect(read("", sum, { a: "1", b: "2" })).toEqual([3]);
    expect(read("", sum, { a: "1" })).toMatch(/b/);
    expect(
      read("", z.object({ a: z.number().max(5) }), { a: "6" }),
    ).toMatch(/<=5/);
  });
});
