import { describe, expect, test } from "vitest";
import {
  CALL_CLOSE,
  CALL_OPEN,
  expand,
  openings,
  PARAMETER_OPEN,
  TokenProgram,
} from "../../../transforms/internal/token_program.ts";

const space = { match: "space" } as const;
const name = { match: "name" } as const;
const attributes = { match: "attributes" } as const;

/** Walks over a text; gives the pattern that accepts its last code unit, or -1. */
function walk(program: TokenProgram, text: string, kinds = ~0): number {
  let at: readonly number[] = [0];
  let accepted: readonly number[] = [];
  for (let index = 0; index < text.length; index++) {
    ({ nodes: at, accepted } = program.step(
      at,
      text.charCodeAt(index),
      kinds,
    ));
  }
  return accepted[0] ?? -1;
}

describe("TokenProgram", () => {
  test("literal texts, elements, options", () => {
    const program = new TokenProgram([
      [CALL_OPEN, [[
        "<call ",
        name,
        { optional: [":", { match: "digits" }] },
        space,
        ">",
      ]]],
      [CALL_CLOSE, ["</call>", "</end>"]],
    ]);
    for (const text of ["<call a>", "<call a.b-c >", "<call a:12\n>"]) {
      const pattern = walk(program, text);
      expect(program.kindOf(pattern), text).toBe(CALL_OPEN);
      expect(program.captures(pattern, text).name, text).toBe(
        text.slice(6).replace(/(:12)?\s*>/, ""),
      );
    }
    for (
      const text of ["<call >", "<call a", "<call a b>", "<coll a>", "call"]
    ) {
      expect(walk(program, text), text).toBe(-1);
    }
    expect(program.kindOf(walk(program, "</end>"))).toBe(CALL_CLOSE);
    expect(walk(program, "</end>", CALL_OPEN)).toBe(-1);
    expect(program.beginsWith(0x3c)).toBe(CALL_OPEN | CALL_CLOSE);
    expect(program.beginsWith(0x61)).toBe(0);
    expect(program.firstUnits(CALL_CLOSE)).toEqual([0x3c]);
  });

  test("attributes", () => {
    const program = new TokenProgram([
      [PARAMETER_OPEN, [["<p", attributes, ">"]]],
    ]);
    for (
      const [text, given] of [
        ["<p >", {}],
        ['<p name="a">', { name: "a" }],
        ["<p  name = 'a' >", { name: "a" }],
        ['<p\nx="1" name="a>b" y=\'"\'>', { x: "1", name: "a>b", y: '"' }],
      ] as const
    ) {
      const pattern = walk(program, text);
      expect(pattern, text).toBe(0);
      const { attributes } = program.captures(pattern, text);
      expect(Object.fromEntries(attributes ?? []), text).toEqual(given);
    }
    for (
      const text of [
        "<pname>",
        "<p name>",
        "<p name=a>",
        '<p name="a"x="b">',
        '<p name="a\n">',
        '<p name="<">',
        "<p =>",
      ]
    ) expect(walk(program, text), text).toBe(-1);
  });

  test("a token that ends before what shows its end", () => {
    const program = new TokenProgram([[CALL_OPEN, [["@", name, space]], "{"]]);
    const pattern = walk(program, "@a {");
    expect(program.endsBefore(pattern)).toBe(true);
    expect(program.captures(pattern, "@a ").name).toBe("a");
    expect(walk(program, "@a ")).toBe(-1);
  });

  test("patterns with options as sequences, and what they begin with", () => {
    const pattern = [
      { either: ["<a", ["<b", { optional: "c" }]] },
      attributes,
      ">",
    ];
    expect(expand(pattern)).toEqual([
      ["<a", attributes, ">"],
      ["<b", "c", attributes, ">"],
      ["<b", attributes, ">"],
    ]);
    expect(openings(pattern, [])).toContain("<bc\n");
    expect(openings(["<", { match: "tool" }, ">"], ["x", "y"])).toEqual([
      "<x>",
      "<y>",
    ]);
    expect(openings(["<call", space, "x"], [])).toEqual(["<call"]);
    expect(openings([name, "("], [])).toEqual([""]);
    const many = Array.from({ length: 20 }, () => ({ optional: "a" }));
    expect(() => expand(many)).toThrow(RangeError);
  });
});
