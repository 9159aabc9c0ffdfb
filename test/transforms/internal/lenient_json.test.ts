import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Parsed,
  parseLenientJSON,
} from "../../../transforms/internal/lenient_json.ts";
import { growthOf, RUNS } from "../../laws.ts";

const envelope = { envelope: true };

function repairsOf(text: string, options = {}): string[] | undefined {
  const parsed = parseLenientJSON(text, options);
  return parsed.ok ? parsed.repairs : undefined;
}

function valueOf(text: string, options = {}): unknown {
  const parsed = parseLenientJSON(text, options);
  return parsed.ok ? parsed.value : undefined;
}

/** Texts that are nearly JSON. */
const nearly = fc.array(
  fc.constantFrom(
    ..."{}[],:\"'\\/\n\tu0dn1-.e ".split(""),
    "true",
    "None",
    '"a":',
    "b:",
    "//x\n",
    '\\"',
    "\\u00e9",
    "__proto__",
    "1234567890",
  ),
  { maxLength: 25 },
).map((all) => all.join(""));

describe("parseLenientJSON", () => {
  test("agrees with JSON.parse on everything that is JSON", () => {
    const agrees = (text: string): void => {
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        return;
      }
      const parsed = parseLenientJSON(text);
      if (!parsed.ok && parsed.reason.startsWith("A number is too large")) {
        return;
      }
      expect(parsed).toEqual({ ok: true, value: expected, repairs: [] });
      // The same by the reader, which a wide number in a comment brings in.
      const read = parseLenientJSON(text + "//1234567890123456") as
        & Parsed
        & { value: unknown };
      expect(JSON.stringify(read.value)).toBe(JSON.stringify(expected));
      expect((read as { repairs: string[] }).repairs).toEqual(["comment"]);
    };
    fc.assert(fc.property(fc.json(), agrees), { numRuns: RUNS });
    fc.assert(fc.property(nearly, agrees), { numRuns: RUNS * 4 });
  });

  test("throws nothing and pollutes nothing", () => {
    fc.assert(
      fc.property(
        fc.oneof(nearly, fc.string({ unit: "binary" })),
        fc.boolean(),
        (text, isEnvelope) => {
          const parsed = parseLenientJSON(text, { envelope: isEnvelope });
          if (parsed.ok) JSON.stringify(parsed.value);
          else expect(parsed.reason).not.toBe("");
        },
      ),
      { numRuns: RUNS * 2 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test("no prefix of an object or array gives a value", () => {
    fc.assert(
      fc.property(
        fc.jsonValue().filter((value) =>
          typeof value === "object" && value !== null
        ),
        fc.boolean(),
        (value, wide) => {
          const json = JSON.stringify(value, null, wide ? 1 : 0);
          for (let to = 0; to < json.length; to++) {
            expect(parseLenientJSON(json.slice(0, to)).ok).toBe(false);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("an envelope's prefix gives its whole arguments or nothing", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
        fc.constantFrom("arguments", "parameters"),
        fc.boolean(),
        fc.boolean(),
        (input, key, first, list) => {
          const call = first
            ? { [key]: input, name: "x" }
            : { name: "x", [key]: input };
          const json = JSON.stringify(list ? [call] : call);
          for (let to = 0; to < json.length; to++) {
            const parsed = parseLenientJSON(json.slice(0, to), envelope);
            if (!parsed.ok) continue;
            expect(parsed.repairs).toEqual(["missing-closer"]);
            const found =
              (list ? (parsed.value as unknown[])[0] : parsed.value)!;
            expect(JSON.stringify((found as never)[key]))
              .toBe(JSON.stringify(input));
          }
        },
      ),
      { numRuns: Math.min(RUNS, 2_000) },
    );
  });

  test("repairs what leaves no doubt, and names it", () => {
    const cases: [string, unknown, string[]][] = [
      ['{"a":[1,2,],}', { a: [1, 2] }, ["trailing-comma"]],
      ['{"a":True,"b":False,"c":None}', { a: true, b: false, c: null }, [
        "python-literal",
      ]],
      [`{'k': 'v "x"', "n": 'it\\'s'}`, { k: 'v "x"', n: "it's" }, [
        "single-quotes",
      ]],
      ['{"a":"x\n\ty"}', { a: "x\n\ty" }, ["raw-control-character"]],
      ['{"a":"\\d+\\.tmp$"}', { a: "\\d+\\.tmp$" }, ["invalid-escape"]],
      ['{"a":"C:\\Users\\me"}', { a: "C:\\Users\\me" }, ["invalid-escape"]],
      ["{a_1: 1, $b: 2}", { a_1: 1, $b: 2 }, ["unquoted-key"]],
      ['{"a":1, // one }\n"b":2} // end', { a: 1, b: 2 }, ["comment"]],
      ['{"a":1}}]}\n', { a: 1 }, ["surplus-closer"]],
    ];
    for (const [text, value, repairs] of cases) {
      expect(parseLenientJSON(text)).toEqual({ ok: true, value, repairs });
    }
  });

  test("refuses what has two readings or none", () => {
    for (
      const text of [
        "",
        " \n",
        '{"a":"C:\\Work\\new"}',
        '{"a":"\\x1b\\n"}',
        `{'a':'\\x1b'}`,
        '{"a":"echo "a", "b": 3"}',
        '{"a":1,,}',
        "[,]",
        "{,}",
        '{"a" 1}',
        '{"a":1 "b":2}',
        '{"a":1}{"b":2}',
        '{"a":1} trailing',
        "1}",
        '{"a":tru',
        '{"a":"cut',
        '{"a":01}',
        '{"a":+1}',
        '{"a":.5}',
        '{"a":NaN}',
        '{"a":undefined}',
        "{a b: 1}",
        '{"a": /* x */ 1}',
        '{"a":12345678901234567890}',
        '{"a":9007199254740992}',
        '{"a":1e400}',
        "{\u00a0}",
      ]
    ) {
      expect([text, parseLenientJSON(text).ok]).toEqual([text, false]);
    }
    expect(valueOf('{"a":9007199254740991,"b":"12345678901234567890"}'))
      .toEqual({ a: 9007199254740991, b: "12345678901234567890" });
  });

  test("one missing bracket of an envelope, with the arguments whole", () => {
    const text = '{"name":"x","arguments":{"a":1}';
    expect(repairsOf(text)).toBe(undefined);
    expect(repairsOf(text, envelope)).toEqual(["missing-closer"]);
    expect(valueOf(`[${text}}`, envelope))
      .toEqual([{ name: "x", arguments: { a: 1 } }]);
    expect(repairsOf('{"name":"x","arguments":{"a":1},"id":12', envelope))
      .toBe(undefined);
    expect(repairsOf('{"name":"x"', envelope)).toBe(undefined);
    expect(repairsOf('{"name":"x","arguments":{"a":{"b":1}', envelope))
      .toBe(undefined);
    expect(repairsOf(`[${text}`, envelope)).toBe(undefined);
    expect(repairsOf(`${text},`, envelope)).toBe(undefined);
  });

  test("__proto__ is a key as any other, and the last of equal keys wins", () => {
    for (const end of ["}", ",}"]) {
      const value = valueOf(`{"__proto__":{"polluted":true},"a":1,"a":2${end}`);
      expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect((value as { polluted?: boolean }).polluted).toBe(undefined);
      expect((value as { a: number }).a).toBe(2);
    }
  });

  test("too many levels are refused, wide values are not", () => {
    expect(parseLenientJSON("[".repeat(256) + "]".repeat(256)).ok).toBe(true);
    for (const depth of [257, 200_000]) {
      expect(parseLenientJSON("[".repeat(depth) + "]".repeat(depth)).ok)
        .toBe(false);
      expect(parseLenientJSON('{"a":'.repeat(depth)).ok).toBe(false);
    }
    expect(repairsOf(`[${"[1],".repeat(1000)}]`)).toEqual(["trailing-comma"]);
  });

  test("takes linear time", () => {
    const mended = growthOf(
      (count) =>
        expect(repairsOf(`[${'{"a":"\\d\n"},'.repeat(count)}]`)).toEqual([
          "invalid-escape",
          "raw-control-character",
          "trailing-comma",
        ]),
      5_000,
    );
    expect(mended).toBeLessThan(4);
    const refused = growthOf(
      (count) => expect(repairsOf(`[${"'\\".repeat(count)}`)).toBe(undefined),
      30_000,
    );
    expect(refused).toBeLessThan(4);
  });
});
