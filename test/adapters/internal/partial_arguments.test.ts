import { describe, expect, test } from "vitest";
import {
  type ArgumentTree,
  putPiece,
  readPath,
} from "../../../adapters/internal/partial_arguments.ts";

describe("readPath", () => {
  test("names, quoted names and places", () => {
    expect(readPath("$.a.b[2].c")).toEqual(["a", "b", 2, "c"]);
    expect(readPath(`$['odd key']["other"][0]`)).toEqual([
      "odd key",
      "other",
      0,
    ]);
    expect(readPath("$.__proto__")).toEqual(["__proto__"]);
  });

  test("anything else is none", () => {
    for (
      const path of [
        "",
        "$",
        "a",
        "$a",
        "$.",
        "$..a",
        "$.a.",
        "$[",
        "$[]",
        "$[a]",
        "$[-1]",
        "$[1",
        "$[1234567890]",
        "$['a",
        "$['a'",
        "$[\"a']",
        `$.${"a".repeat(5000)}`,
        `$${".a".repeat(65)}`,
      ]
    ) {
      expect([path.slice(0, 20), readPath(path)]).toEqual([
        path.slice(0, 20),
        undefined,
      ]);
    }
    expect(readPath(`$${".a".repeat(64)}`)).toHaveLength(64);
  });
});

describe("putPiece", () => {
  /** The tree after some pieces, and which of them made sense. */
  function put(...pieces: Record<string, unknown>[]): [unknown, boolean[]] {
    const tree: ArgumentTree = { root: {}, growing: "" };
    const made = pieces.map((piece) => putPiece(tree, piece));
    return [tree.root, made];
  }

  test("values of every kind, in objects and lists that are made for them", () => {
    expect(put(
      { jsonPath: "$.a", numberValue: 1 },
      { jsonPath: "$.b.c", boolValue: false },
      { jsonPath: "$.d[0]", nullValue: "NULL_VALUE" },
      { jsonPath: "$.d[1].e", stringValue: "x" },
      { jsonPath: "$.d[1].f", stringValue: "" },
    )).toEqual([
      { a: 1, b: { c: false }, d: [null, { e: "x", f: "" }] },
      [true, true, true, true, true],
    ]);
  });

  test("a string goes on as long as its pieces say so", () => {
    expect(put(
      { jsonPath: "$.a", stringValue: "x", willContinue: true },
      { jsonPath: "$.a", stringValue: "y", willContinue: true },
      { jsonPath: "$.a", willContinue: true },
      { jsonPath: "$.a", stringValue: "z" },
      { jsonPath: "$.b", stringValue: "1" },
      { jsonPath: "$.b", stringValue: "2" },
    )).toEqual([{ a: "xyz", b: "2" }, [true, true, true, true, true, true]]);
    expect(put(
      { jsonPath: "$.l[0]", stringValue: "x", willContinue: true },
      { jsonPath: "$.l[0]", stringValue: "y" },
    )).toEqual([{ l: ["xy"] }, [true, true]]);
    // A number does not go on with a string.
    expect(put(
      { jsonPath: "$.a", stringValue: "x", willContinue: true },
      { jsonPath: "$.a", numberValue: 1 },
    )).toEqual([{ a: 1 }, [true, true]]);
    expect(put(
      { jsonPath: "$.a", numberValue: 1, willContinue: true },
      { jsonPath: "$.a", stringValue: "x" },
    )).toEqual([{ a: "x" }, [true, true]]);
  });

  test("pieces that make no sense change nothing", () => {
    const first = { jsonPath: "$.a", stringValue: "x" };
    for (
      const piece of [
        {},
        { jsonPath: 1, stringValue: "y" },
        { jsonPath: "$", stringValue: "y" },
        { jsonPath: "$.b" },
        { jsonPath: "$.b", numberValue: Infinity },
        { jsonPath: "$.a.b", stringValue: "y" },
        { jsonPath: "$[0]", stringValue: "y" },
        { jsonPath: "$[0].b", stringValue: "y" },
      ]
    ) {
      expect([piece, put(first, piece)]).toEqual([piece, [{ a: "x" }, [
        true,
        false,
      ]]]);
    }
  });

  test("lists grow one by one and have no names", () => {
    const [, made] = put(
      { jsonPath: "$.l[0]", numberValue: 0 },
      { jsonPath: "$.l[2]", numberValue: 2 },
      { jsonPath: "$.l.x", numberValue: 1 },
      { jsonPath: "$.l.x.y", numberValue: 1 },
      { jsonPath: "$.l[1]", numberValue: 1 },
    );
    expect(made).toEqual([true, false, false, false, true]);
  });

  test("no prototype is touched", () => {
    const [root, made] = put(
      { jsonPath: "$.__proto__.polluted", numberValue: 1 },
      { jsonPath: "$.constructor.x", numberValue: 1 },
    );
    expect(made).toEqual([true, true]);
    expect(JSON.stringify(root)).toBe(
      '{"__proto__":{"polluted":1},"constructor":{"x":1}}',
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
