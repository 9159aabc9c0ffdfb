import { describe, expect, test } from "vitest";
import { CodeSpans } from "../../../transforms/internal/code_spans.ts";
import { cut, random } from "../../laws.ts";

interface Found {
  spans: string[];
  expired: number[];
}

/** The spans of one paragraph, and the runs that hit the limit. */
function find(chunks: Iterable<string>, limit?: number): Found {
  const code = new CodeSpans(limit);
  const spans: [number, number][] = [];
  const expired: number[] = [];
  let text = "";
  const collect = (): void => {
    for (const [start, end] of code.spans) spans.push([start, end]);
    expired.push(...code.expired);
  };
  for (const chunk of chunks) {
    text += chunk;
    code.text(chunk);
    expect(code.position).toBe(text.length);
    collect();
  }
  code.end();
  expect(code.settled).toBe(text.length);
  collect();
  return {
    spans: spans.map(([start, end]) => text.slice(start, end)),
    expired,
  };
}

describe("which runs belong together", () => {
  const cases: Record<string, string[]> = {
    "a `b` c": ["`b`"],
    "a `b\nc` d `e`": ["`b\nc`", "`e`"],
    "``a`b`` c": ["``a`b``"],
    "`a``b``": ["``b``"],
    "``a`b`c": ["`b`"],
    "```a``b`c``d": ["``b`c``"],
    "\\`a` b`": ["` b`"],
    "\\``a`": ["`a`"],
    "\\\\`a`": ["`a`"],
    "`a\\` b`": ["`a\\`"],
    "`a``": [],
    "": [],
  };
  for (const [text, spans] of Object.entries(cases)) {
    test(JSON.stringify(text), () => {
      const whole = find([text]);
      expect(whole.spans).toEqual(spans);
      for (let at = 1; at < text.length; at++) {
        expect(find(cut(text, [at]))).toEqual(whole);
      }
      expect(find(text)).toEqual(whole);
    });
  }
});

test("what is open and settled while text comes", () => {
  const code = new CodeSpans();
  code.text("ab `");
  // The run may go on.
  expect([code.open, code.settled]).toEqual([undefined, 3]);
  code.text("c");
  expect([code.open, code.settled]).toEqual([3, 3]);
  code.text(" ``d`");
  expect(code.spans).toEqual([]);
  code.text("e");
  expect([...code.spans]).toEqual([[3, 10]]);
  expect([code.open, code.settled]).toEqual([undefined, 11]);
  code.text("``f`g");
  code.end();
  expect(code.spans).toEqual([]);
  expect([code.open, code.settled]).toEqual([undefined, code.position]);
});

test("a limit makes the open run literal, and the later ones are looked at again", () => {
  // Of the three ticks nothing is left within 12 code units.
  const text = "```a `b` ``c d e f";
  expect(find([text], 12)).toEqual({ spans: ["`b`"], expired: [0] });
  expect(find(text, 12)).toEqual({ spans: ["`b`"], expired: [0] });
  // A span may be as long as the limit.
  expect(find(["`234567890`"], 11).spans).toEqual(["`234567890`"]);
  expect(find(["`2345678901`"], 11)).toEqual({ spans: [], expired: [0] });
});

test("skip ends a run, reset forgets what was read since", () => {
  const code = new CodeSpans();
  code.text("``");
  code.skip(5);
  code.text("`a``");
  code.end();
  expect([...code.spans]).toEqual([[0, 11]]);
  code.text("`b ");
  code.reset(12);
  code.text("c` d`");
  code.end();
  expect([...code.spans]).toEqual([[13, 17]]);
});

test("snapshots, and every cutting with a small limit", () => {
  const pieces = ["`", "``", "```", "a", " ", "\\", "\\\\", "b\nc"];
  for (let seed = 0; seed < 1_000; seed++) {
    const next = random(seed);
    let text = "";
    for (let count = 1 + next() * 16; count > 0; count--) {
      text += pieces[Math.floor(next() * pieces.length)];
    }
    const whole = find([text], 9);
    expect(find(text, 9), JSON.stringify(text)).toEqual(whole);
    const at = Math.floor(next() * text.length);
    expect(find(cut(text, [at]), 9), JSON.stringify(text)).toEqual(whole);
    const first = new CodeSpans(9);
    first.text(text.slice(0, at));
    const snapshot = JSON.parse(JSON.stringify(first.snapshot()));
    const second = new CodeSpans(9, snapshot);
    first.text(text.slice(at));
    second.text(text.slice(at));
    expect([...second.spans]).toEqual([...first.spans]);
    expect(second.settled).toBe(first.settled);
  }
});

test("linear in many runs", () => {
  const time = (length: number): number => {
    let text = "";
    for (let run = 1; text.length < length; run = run % 90 + 1) {
      text += `${"`".repeat(run)} `;
    }
    const before = performance.now();
    const code = new CodeSpans();
    for (let at = 0; at < length; at += 20) code.text(text.slice(at, at + 20));
    code.end();
    return (performance.now() - before) / length;
  };
  // Quadratic would be 10 and more.
  let growth = Infinity;
  for (let tries = 0; growth > 5 && tries < 4; tries++) {
    growth = time(1_000_000) / time(100_000);
  }
  expect(growth).toBeLessThan(5);
});
