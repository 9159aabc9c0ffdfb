import { describe, expect, test } from "vitest";
import {
  NO_OPENER,
  OpenerTable,
  PART_OF_OPENER,
} from "../../../transforms/internal/opener_table.ts";

describe("OpenerTable", () => {
  const table = new OpenerTable([
    ["<tool>", 1],
    ["<tool>", 3],
    ["<tools>", 2],
    ["<tool_call>", 4],
    ["<", 9],
    ["<x", 8],
    ["[CALL]", 5],
    ["｜", 6],
  ].filter(([, value]) => (value as number) < 8) as [string, number][]);

  test("finds openers, and what may become one", () => {
    expect(table.find("a<tool>", 1)).toEqual({ values: [1, 3], length: 6 });
    expect(table.find("<tools>", 0)).toEqual({ values: [2], length: 7 });
    expect(table.find("<tool", 0)).toBe(PART_OF_OPENER);
    expect(table.find("<", 0)).toBe(PART_OF_OPENER);
    expect(table.find("<toolx", 0)).toBe(NO_OPENER);
    expect(table.find("<div>", 0)).toBe(NO_OPENER);
    expect(table.find("x", 0)).toBe(NO_OPENER);
    expect(table.find("｜", 0)).toEqual({ values: [6], length: 1 });
    expect(table.find("[CALL]", 0)).toEqual({ values: [5], length: 6 });
  });

  test("an opener that begins others brings them along", () => {
    const nested = new OpenerTable([["<a", 1], ["<ab>", 2], ["<ac>", 3], [
      "<b",
      4,
    ]]);
    expect(nested.find("<ab>", 0)).toEqual({ values: [1, 2, 3], length: 2 });
    const single = new OpenerTable([["<", 1], ["<a", 2], ["[", 3]]);
    expect(single.find("<x", 0)).toEqual({ values: [1, 2], length: 1 });
  });

  test("first code units", () => {
    expect(table.begins(0x3c)).toBe(true);
    expect(table.begins(0xff5c)).toBe(true);
    expect(table.begins(0x61)).toBe(false);
    expect(table.begins(0x4e00)).toBe(false);
    expect(table.firstUnits().sort((a, b) => a - b)).toEqual([
      0x3c,
      0x5b,
      0xff5c,
    ]);
    expect(new OpenerTable([]).find("<", 0)).toBe(NO_OPENER);
  });

  test("agrees with a search one by one", () => {
    const openers = [
      "<aa",
      "<ab",
      "<abc",
      "<b",
      "<bcd",
      "<bce",
      "<c",
      "[",
      "[a",
    ];
    const random = new OpenerTable(
      openers.map((opener, index) => [opener, index]),
    );
    const letters = "<[abcde";
    for (let number = 0; number < letters.length ** 4; number++) {
      let text = "";
      for (let rest = number; rest > 0; rest = Math.floor(rest / 7)) {
        text += letters[rest % 7];
      }
      const found = openers.filter((opener) => text.startsWith(opener));
      const shortest = found.sort((a, b) => a.length - b.length)[0];
      const part = openers.some((opener) =>
        text !== "" && opener.length > text.length && opener.startsWith(text)
      );
      const expected = shortest !== undefined
        ? {
          values: openers.flatMap((opener, index) =>
            opener.startsWith(shortest) ? [index] : []
          ),
          length: shortest.length,
        }
        : part
        ? PART_OF_OPENER
        : NO_OPENER;
      if (text !== "") expect(random.find(text, 0), text).toEqual(expected);
    }
  });
});
