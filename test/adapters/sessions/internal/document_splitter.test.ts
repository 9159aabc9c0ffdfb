import { describe, expect, test } from "vitest";
import { DocumentSplitter } from "../../../../adapters/sessions/internal/document_splitter.ts";

/** What a splitter tells of a document, cut into pieces of a size. */
function split(
  text: string,
  { lists = [], most = 1e6, size = text.length, resume = false }: {
    lists?: string[];
    most?: number;
    size?: number;
    resume?: boolean;
  } = {},
): unknown[] {
  const told: unknown[] = [];
  const events = {
    element: (text: string, index: number, key?: string) =>
      told.push(key === undefined ? [index, text] : [key, index, text]),
    field: (text: string, key: string) => told.push({ [key]: text }),
    fault: (code: string, message: string) => told.push(`${code}: ${message}`),
  };
  let splitter = new DocumentSplitter(lists, most, events);
  for (let at = 0; at < text.length; at += size) {
    splitter.push(text.slice(at, at + size));
    if (resume) {
      const snapshot = JSON.parse(JSON.stringify(splitter.snapshot()));
      splitter = new DocumentSplitter(lists, most, events, snapshot);
    }
  }
  splitter.end();
  return told;
}

describe("DocumentSplitter", () => {
  test("elements of an array, fields of an object, elements of its lists", () => {
    expect(split('\ufeff [1, "a,]", {"b": [2]}]\n trailing')).toEqual([
      [0, "1"],
      [1, '"a,]"'],
      [2, '{"b": [2]}'],
    ]);
    expect(
      split('{"a": 1, "l": ["x", {}], "b\\"": "}", "m": [3]}', {
        lists: ["l"],
      }),
    ).toEqual([
      { a: "1" },
      ["l", 0, '"x"'],
      ["l", 1, "{}"],
      { 'b"': '"}"' },
      { m: "[3]" },
    ]);
    expect(split("")).toEqual([]);
    expect(split("no document")).toEqual([]);
  });

  test("elements, fields and keys that are too long are reported and skipped", () => {
    const long = `"${"x".repeat(50)}"`;
    const told = split(`[${long}, 1]`, { most: 20 });
    expect(told).toEqual([
      "line-too-long: Skipped element 0: it has 52 characters, the limit is 20",
      [1, "1"],
    ]);
    expect(split(`{"a": ${long}, "b": 1}`, { most: 20 })).toEqual([
      'line-too-long: Skipped field "a": it has 52 characters, the limit is 20',
      { b: "1" },
    ]);
    expect(
      split(`{"l": [${long}, 2], ${long}: 1, "b": 1}`, {
        most: 20,
        lists: ["l"],
      }),
    ).toEqual([
      "line-too-long: Skipped element 0: it has 52 characters, the limit is 20",
      ["l", 1, "2"],
      "line-too-long: Skipped a key: it has 52 characters, the limit is 20",
      { "": "1" },
      { b: "1" },
    ]);
  });

  test("a cut document says so, and where", () => {
    expect(split('[1, {"a"')).toEqual([
      [0, "1"],
      "truncated: The document is cut inside element 1: what came before is complete",
    ]);
    expect(split('{"a": 1, ')).toEqual([
      { a: "1" },
      "truncated: The document is cut: what came before is complete",
    ]);
  });

  test("stray brackets are passed over and reported once", () => {
    expect(split("[1, }, }, 2]")).toEqual([
      [0, "1"],
      "invalid-line: The document is no JSON: a bracket closes nothing",
      [1, "2"],
    ]);
    expect(split('{"a": 1, ], ], "b": 2}')).toEqual([
      { a: "1" },
      "invalid-line: The document is no JSON: a bracket closes nothing",
      { b: "2" },
    ]);
  });

  test("any cutting and a snapshot anywhere give the same", () => {
    for (
      const [text, most] of [
        [
          '{"a": {"b": [1, "\\"]"]}, "l": [{"c": "\\\\"}, "d", 3], "e": null}',
          99,
        ],
        [`["${"x".repeat(60)}", "short", "${"y".repeat(60)}", {"z": 1}]`, 20],
        ["[1, }, 2, [3, ", 99],
      ] as const
    ) {
      const whole = split(text, { lists: ["l"], most });
      for (const size of [1, 2, 3, 7]) {
        for (const resume of [false, true]) {
          expect(split(text, { lists: ["l"], most, size, resume }))
            .toEqual(whole);
        }
      }
    }
  });
});
