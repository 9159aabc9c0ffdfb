import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  JSONLParserStream,
  type JSONLParserStreamOptions,
  type JSONLRecord,
} from "../../adapters/jsonl_parser.ts";
import { StreamError } from "../../adapters/stream_error.ts";
import { parse, type WarningPart } from "../../mod.ts";
import { least, RUNS } from "../laws.ts";
import type { CaseLine } from "../support/cases/area_runner.ts";
import { run } from "../support/cases/jsonl.ts";
import { pieces, randomPieces } from "../support/cases/wire_case.ts";
import {
  ChunkSource,
  drained,
  outputs,
  outputsResumed,
} from "../support/wire.ts";

type Chunk = string | Uint8Array;

function records(
  chunks: readonly Chunk[],
  options: JSONLParserStreamOptions = {},
  resume = false,
): JSONLRecord[] {
  const make = (snapshot?: unknown) =>
    new JSONLParserStream({ ...options, snapshot }).stage;
  const { output, error } = resume
    ? outputsResumed(make, chunks)
    : outputs(make(), chunks);
  if (error !== undefined) throw error;
  return output;
}

/** Values as they are, faults as their kind and text. */
function brief(all: JSONLRecord[]): unknown[] {
  return all.map((one) =>
    one.ok ? one.value : `${one.kind} ${one.line}: ${one.text}`
  );
}

function same(got: unknown, expected: unknown): void {
  const a = JSON.stringify(got);
  const b = JSON.stringify(expected);
  if (a !== b) throw new Error(`expected ${b}\ngot      ${a}`);
}

function* waysToCut(text: string, seed: number): Generator<Chunk[]> {
  yield pieces(text, 1);
  yield randomPieces(text, seed, 6);
  const bytes = new TextEncoder().encode(text);
  yield pieces(bytes, 1);
  yield randomPieces(bytes, seed, 6);
}

const texts = fc.array(
  fc.constantFrom(
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    '{"a":1}',
    '{"b":"x\\"}{\\n"}',
    "[1,[2]]",
    "null",
    "true",
    "-1.5e3",
    "12",
    '"s"',
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    ",",
    ":",
    "noise",
    "\x1e",
    "\ufeff",
    "\u2028",
    "é😀",
    "\x1b[0m",
    "\x1b",
    "\0",
  ),
  { maxLength: 20 },
).map((list) => list.join(""));

describe("JSONLParserStream: the cases", () => {
  const lines = readFileSync("test/cases/jsonl.jsonl", "utf8").trim().split(
    "\n",
  );
  for (const line of lines) {
    const one = JSON.parse(line) as CaseLine;
    test(one.id, async () => {
      expect(await run(one)).toEqual({ status: "passed" });
    });
  }
});

/** Whether a line begins a value that no beginning of the line ends. */
function isCut(line: string): boolean {
  if (!/^[ \t]*[{["]/.test(line)) return false;
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < line.length; index++) {
    const character = line[index]!;
    if (quoted) {
      if (character === "\\") index++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else continue;
    if (!quoted && depth <= 0) return false;
  }
  return true;
}

describe("JSONLParserStream: lines", () => {
  test("reads what splitting at line ends and JSON.parse read", () => {
    fc.assert(
      fc.property(texts, fc.integer(), (text, seed) => {
        const expected: unknown[] = [];
        const all = text.replace(/^\ufeff/, "").split("\n");
        for (const [index, line] of all.entries()) {
          const trimmed = index === all.length - 1
            ? line
            : line.replace(/\r$/, "");
          if (/^[ \t\r]*$/.test(line)) continue;
          try {
            expected.push(JSON.parse(trimmed));
          } catch {
            const cut = index === all.length - 1 && isCut(line);
            expected.push(
              `${cut ? "truncated" : "invalid-line"} ${index + 1}: ${trimmed}`,
            );
          }
        }
        const whole = records([text]);
        same(brief(whole), expected);
        for (const chunks of waysToCut(text, seed)) {
          same(records(chunks), whole);
        }
        same(records(randomPieces(text, seed, 6), {}, true), whole);
      }),
      { numRuns: RUNS, examples: [['[é😀"]', 0], ['{"s""}', 0]] },
    );
  });

  test("every way of reading is the same however the input is cut", () => {
    fc.assert(
      fc.property(
        texts,
        fc.integer(),
        fc.record({
          concatenated: fc.boolean(),
          recordSeparator: fc.boolean(),
          stripAnsi: fc.boolean(),
          maxLineChars: fc.constantFrom(1, 5, 12, 1000),
        }),
        (text, seed, options) => {
          const whole = records([text], options);
          for (const chunks of waysToCut(text, seed)) {
            same(records(chunks, options), whole);
          }
          same(records(randomPieces(text, seed, 6), options, true), whole);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("tells where a value stands", () => {
    expect(records(['\n{"a":1}\r\n\nnull'])).toEqual([
      { ok: true, value: { a: 1 }, line: 2 },
      { ok: true, value: null, line: 4 },
    ]);
  });

  test("drops one byte order mark at the beginning", () => {
    expect(brief(records(["\ufeff1\n2"]))).toEqual([1, 2]);
    expect(brief(records(["\ufeff\ufeff1\n2"]))).toEqual([
      "invalid-line 1: \ufeff1",
      2,
    ]);
  });

  test("reports noise, damage and several values on a line, and goes on", () => {
    const text = 'npm warn\n{"a":{"b":1}{"c":2}\n{"a":1}{"a":2}\n1 2\n' +
      '{"raw":"a\tb"}\n{"ok":true}\n';
    expect(brief(records([text]))).toEqual([
      "invalid-line 1: npm warn",
      'invalid-line 2: {"a":{"b":1}{"c":2}',
      'invalid-line 3: {"a":1}{"a":2}',
      "invalid-line 4: 1 2",
      'invalid-line 5: {"raw":"a\tb"}',
      { ok: true },
    ]);
  });

  test("a last line that has an end, and something behind it, was not cut", () => {
    for (
      const [text, kind] of [
        ['{"a":1}{"b":2}', "invalid-line"],
        ['{"b":2}]', "invalid-line"],
        ['"a" b', "invalid-line"],
        ['{"a":1}\r{"b":2}\r', "invalid-line"],
        ['{"a":"}', "truncated"],
        ['{"a":"\\"}', "truncated"],
        ['[{"a":1}', "truncated"],
        ['"a', "truncated"],
        ["{", "truncated"],
        ["nul", "invalid-line"],
      ] as const
    ) {
      expect(records([text]), text).toMatchObject([{ ok: false, kind }]);
    }
  });

  test("a last line that was cut is told from noise", () => {
    expect(brief(records(['1\n{"a":']))).toEqual([1, 'truncated 2: {"a":']);
    expect(brief(records(["1\nbye"]))).toEqual([1, "invalid-line 2: bye"]);
    expect(brief(records(['1\n{"a":\n']))).toEqual([
      1,
      'invalid-line 2: {"a":',
    ]);
  });

  test("says what to do about terminal escapes", () => {
    const [one] = records(["\x1b[1m{}\n"]);
    expect(one?.ok === false && one.message).toContain('set "stripAnsi"');
  });

  test("a line over the limit is counted and skipped, not kept", () => {
    const text = `{"a":"${"x".repeat(500)}"}\n{"b":1}\n`;
    for (const chunks of [[text], pieces(text, 7)]) {
      expect(records(chunks, { maxLineChars: 128 })).toEqual([
        {
          ok: false,
          kind: "line-too-long",
          text: text.slice(0, 200),
          line: 1,
          length: 508,
          message:
            `Skipped line 1: it has 508 characters, the limit is 128. It begins ${
              JSON.stringify(text.slice(0, 200))
            }`,
        },
        { ok: true, value: { b: 1 }, line: 2 },
      ]);
    }
    const { stage } = new JSONLParserStream({ maxLineChars: 100 });
    for (let round = 0; round < 1000; round++) {
      stage.push("x".repeat(100), () => {});
    }
    expect(JSON.stringify(stage.snapshot()).length).toBeLessThan(1000);
  });

  test("a line of exactly the limit passes, CRLF or not", () => {
    for (const text of ["12345\r\n6\n", "12345\n6"]) {
      for (const chunks of [[text], pieces(text, 1)]) {
        expect(brief(records(chunks, { maxLineChars: 5 }))).toEqual([12345, 6]);
      }
    }
  });

  test("the limit is 16 Mi characters when none is given", () => {
    const line = (length: number) => `"${"x".repeat(length - 2)}"\n`;
    expect(records(pieces(line(16_777_216), 65_536))[0]?.ok).toBe(true);
    expect(records(pieces(line(16_777_217), 65_536))[0]?.ok).toBe(false);
    expect(records([line(16_777_217)])[0]?.ok).toBe(false);
  });

  test("a key __proto__ is an own property", () => {
    const [one] = records(['{"__proto__":{"admin":true},"a":1}']);
    const value = one?.ok ? one.value as Record<string, unknown> : {};
    expect(Object.keys(value)).toEqual(["__proto__", "a"]);
    expect(value["admin"]).toBe(undefined);
    expect(({} as Record<string, unknown>)["admin"]).toBe(undefined);
  });

  test("malformed bytes are reported, or fatal", () => {
    const bytes = Uint8Array.of(0x31, 0x0a, 0x22, 0xff, 0x22, 0x0a);
    const warnings: WarningPart[] = [];
    const onWarning = (warning: WarningPart) => void warnings.push(warning);
    expect(brief(records([bytes], { onWarning }))).toEqual([1, "\ufffd"]);
    expect(warnings.map(({ code }) => code)).toEqual(["invalid-utf8"]);
    expect(() => records([bytes], { fatalUtf8: true })).toThrow(StreamError);
  });
});

describe("JSONLParserStream: concatenated", () => {
  const read = (text: string): unknown[] => {
    const whole = records([text], { concatenated: true });
    expect(records(pieces(text, 1), { concatenated: true })).toEqual(whole);
    return brief(whole);
  };

  test("values follow one another with and without white space", () => {
    expect(read('{"a":1}{"b":2}[3] "x""y"4\n5 true null')).toEqual(
      [{ a: 1 }, { b: 2 }, [3], "x", "y", 4, 5, true, null],
    );
  });

  test("a value may have line ends in it, and is numbered by its first line", () => {
    const all = records(['\n{\n  "a": [\n1\n]\n}\n2'], { concatenated: true });
    expect(all).toEqual([
      { ok: true, value: { a: [1] }, line: 2 },
      { ok: true, value: 2, line: 7 },
    ]);
  });

  test("brackets in strings do not count, nor do escaped quotes", () => {
    expect(read('{"a":"}{\\""}{"b":"\\\\"}')).toEqual([
      { a: '}{"' },
      { b: "\\" },
    ]);
  });

  test("a value comes out at its last character", () => {
    const { stage } = new JSONLParserStream({ concatenated: true });
    const got: unknown[] = [];
    stage.push('{"a":1}', (one) => got.push(one));
    expect(got.length).toBe(1);
  });

  test("a word that is no value makes the rest of its line noise", () => {
    expect(read('npm warn {"x":1}\n{"a":1}\n}{\n2')).toEqual([
      'invalid-line 1: npm warn {"x":1}',
      { a: 1 },
      "invalid-line 3: }{",
      2,
    ]);
  });

  test("a line end inside a string ends the damage", () => {
    expect(read('{"a":"cut\n{"b":1}')).toEqual([
      'invalid-line 1: {"a":"cut',
      { b: 1 },
    ]);
  });

  test("brackets that do not match are a fault of their own", () => {
    expect(read('{"a":[1}}{"b":1}\n]2\n3')).toEqual([
      'invalid-line 1: {"a":[1}}',
      { b: 1 },
      "invalid-line 2: ]2",
      3,
    ]);
  });

  test("what the end cuts is reported", () => {
    expect(read('1 {"a":[')).toEqual([1, 'truncated 1: {"a":[']);
    expect(read('1 "a')).toEqual([1, 'truncated 1: "a']);
    expect(read("1 tru")).toEqual([1, "invalid-line 1: tru"]);
  });

  test("a value over the limit is skipped to its end", () => {
    const text = `{"a":[${"1,".repeat(200)}\n1]}{"b":2}`;
    for (const chunks of [[text], pieces(text, 3)]) {
      const all = records(chunks, { concatenated: true, maxLineChars: 100 });
      expect(all.map((one) => one.ok ? one.value : one.kind)).toEqual([
        "line-too-long",
        { b: 2 },
      ]);
    }
  });
});

describe("JSONLParserStream: text sequences", () => {
  const read = (text: string): unknown[] => {
    const whole = records([text], { recordSeparator: true });
    expect(records(pieces(text, 1), { recordSeparator: true })).toEqual(whole);
    return brief(whole);
  };

  test("a separator begins a value", () => {
    expect(read('\x1e{"a":1}\n\x1e{"b":\n2}\n\x1e[3]\x1e"x"\n')).toEqual([
      { a: 1 },
      { b: 2 },
      [3],
      "x",
    ]);
  });

  test("a separator ends what was cut, and reading goes on", () => {
    expect(read('\x1e{"a":"\x1e{"b":1}\n')).toEqual([
      'truncated 1: {"a":"',
      { b: 1 },
    ]);
  });

  test("a word without white space behind it may be half a number", () => {
    expect(read("\x1e12\n\x1e34\x1e56")).toEqual([
      12,
      "truncated 1: 34".replace("1:", "2:"),
      "truncated 2: 56",
    ]);
  });

  test("without the option, a separator is noise", () => {
    expect(brief(records(["\x1e1\n2\n"]))).toEqual([
      "invalid-line 1: \x1e1",
      2,
    ]);
  });
});

describe("JSONLParserStream: terminal escapes", () => {
  test("sequences go, wherever they are", () => {
    const text =
      '\x1b[?2004h{"a"\x1b[32m:1}\x1b[0m\n\x1b]0;ti{tle\x07{"a":2}\n' +
      '\x1b]8;;http://x\x1b\\{"a":3}\n\x1b(B{"a":4}\x1bM\n\x1bPq#0\x1b\\{"a":5}';
    for (const chunks of [[text], pieces(text, 1)]) {
      expect(brief(records(chunks, { stripAnsi: true }))).toEqual(
        [{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }, { a: 5 }],
      );
    }
  });

  test("what is no sequence stays, and spoils its own line only", () => {
    const text = '\x1b]0;no end{"a":1}\n{"a":2}\n\x1b\x01{"a":3}\n{"a":4}\x1b';
    for (const chunks of [[text], pieces(text, 1)]) {
      expect(brief(records(chunks, { stripAnsi: true }))).toEqual([
        'invalid-line 1: \x1b]0;no end{"a":1}',
        { a: 2 },
        'invalid-line 3: \x1b\x01{"a":3}',
        // Its JSON has an end: the sequence was cut, not the value.
        'invalid-line 4: {"a":4}\x1b',
      ]);
    }
  });

  test("a string that never ends is not kept", () => {
    const { stage } = new JSONLParserStream({
      stripAnsi: true,
      maxLineChars: 100,
    });
    stage.push("\x1b]", () => {});
    for (let round = 0; round < 1000; round++) {
      stage.push("x".repeat(100), () => {});
    }
    expect(JSON.stringify(stage.snapshot()).length).toBeLessThan(6000);
  });
});

describe('JSONLParserStream: onInvalid "throw"', () => {
  test("the stream fails behind the values before, and the source is cancelled", async () => {
    for (
      const chunks of [
        ['{"a":1}\n{"a":2}\nnoise\n{"a":3}\n', "more", "more"],
        pieces('{"a":1}\n{"a":2}\nnoise\n{"a":3}\n', 1),
        ['{"a":1}\n{"a":2}\nnoise'],
      ]
    ) {
      const source = new ChunkSource<Chunk>(chunks);
      const { output, error } = await drained(
        source.readable.pipeThrough(
          new JSONLParserStream({ onInvalid: "throw" }),
        ),
      );
      expect(brief(output)).toEqual([{ a: 1 }, { a: 2 }]);
      expect(error).toBeInstanceOf(StreamError);
      expect((error as StreamError).code).toBe("invalid-line");
      expect((error as StreamError).line).toBe(3);
      expect((error as StreamError).excerpt).toBe("noise");
    }
  });

  test("a failure survives a snapshot", () => {
    const stream = new JSONLParserStream({ onInvalid: "throw" });
    stream.stage.push("noise\n", () => {});
    const resumed = new JSONLParserStream({
      onInvalid: "throw",
      snapshot: JSON.parse(JSON.stringify(stream.snapshot())),
    });
    let error: unknown;
    try {
      parse("1", resumed);
    } catch (reason) {
      error = reason;
    }
    expect((error as StreamError).code).toBe("invalid-line");
    expect((error as StreamError).line).toBe(1);
  });
});

describe("JSONLParserStream: time and errors", () => {
  const inputs: Record<string, (length: number) => string> = {
    "one line": (length) => `"${"x".repeat(length)}"`,
    "short lines": (length) => "[1]\n".repeat(length / 4),
    "noise": (length) => "noise\n".repeat(length / 6),
    // Not "[": JSON.parse itself takes long for those, and its own time.
    "objects": (length) => '{"a":"b"} '.repeat(length / 10),
    "quotes": (length) => '"a" '.repeat(length / 4),
    "escapes": (length) => "\x1b[".repeat(length / 2),
  };
  const time = (
    text: (length: number) => string,
    length: number,
    concatenated: boolean,
  ): number => {
    const chunks = pieces(text(length), 20);
    let best = Infinity;
    for (let round = 0; round < 3; round++) {
      const { stage } = new JSONLParserStream({
        stripAnsi: true,
        concatenated,
      });
      const before = performance.now();
      for (const chunk of chunks) stage.push(chunk, () => {});
      stage.end(() => {});
      best = Math.min(best, performance.now() - before);
    }
    return best / length;
  };
  for (const [name, text] of Object.entries(inputs)) {
    test(`is linear for ${name}`, () => {
      for (const concatenated of [false, true]) {
        time(text, 20_000, concatenated);
        const growth = least(() =>
          time(text, 200_000, concatenated) / time(text, 20_000, concatenated)
        );
        expect(growth).toBeLessThan(8);
      }
    });
  }

  test("refuses options that are none", () => {
    expect(() => new JSONLParserStream({ maxLineChars: -1 })).toThrow(
      RangeError,
    );
    expect(() => new JSONLParserStream({ onInvalid: "skip" as "throw" }))
      .toThrow(TypeError);
    expect(() => new JSONLParserStream({ snapshot: "x" })).toThrow(TypeError);
  });
});
