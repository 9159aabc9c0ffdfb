import { describe, expect, test } from "vitest";
import {
  NO_OPENER,
  OpenerTable,
  PART_OF_OPENER,
} from "../../../transforms/internal/opener_table.ts";
import { flagsOf } from "../../../transforms/internal/text_flags.ts";
import { random } from "../../laws.ts";

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

  test("skipping to the next place leaves no opener out", () => {
    const tables = [
      ["<a>", "<bc", "[x]", "fun[", "fur"],
      ["word", "wow<", "ｘ｜"],
      ["<"],
      [],
    ].map((openers) =>
      [
        openers,
        new OpenerTable(openers.map((one, index) => [one, index])),
      ] as const
    );
    const next = random(7);
    const letters = ["<", "a", ">", "b", "c", "[", "x", "]", "f", "u", "n", "r"]
      .concat("w", "o", "d", "ｘ", "｜", " ");
    for (let run = 0; run < 3_000; run++) {
      let text = "";
      for (let count = next() * 12; count > 0; count--) {
        text += letters[Math.floor(next() * letters.length)];
      }
      for (const [openers, table] of tables) {
        const places: number[] = [];
        for (let at = 0; at < text.length; at++) {
          if (table.find(text, at) !== NO_OPENER) places.push(at);
        }
        expect(table.isFree(text, flagsOf(text)), text).toBe(
          places.length === 0,
        );
        const found: number[] = [];
        const from = Math.floor(next() * 3);
        for (
          let at = table.next(text, from);
          at < text.length;
          at = table.next(text, at + 1)
        ) if (table.find(text, at) !== NO_OPENER) found.push(at);
        expect(found, JSON.stringify([text, openers])).toEqual(
          places.filter((at) => at >= from),
        );
      }
    }
  });
});
