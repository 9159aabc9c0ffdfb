/**
 * Half is not whole: whatever is cut off, damaged or quoted, no call comes out
 * with a shortened or invented value, and none where there must be none.
 */
import { describe, expect, test } from "vitest";
import {
  parse,
  type SalvagedToolCallPart,
  ToolCallSalvagerStream,
  type ToolCallSalvagerStreamOptions,
} from "../../mod.ts";
import { RUNS } from "../laws.ts";
import {
  moreSalvageCases,
  type SalvageCase,
  salvageCases,
} from "./salvage_alphabet.ts";

/** A case of one text. */
interface TextCase {
  id: string;
  text: string;
  options: ToolCallSalvagerStreamOptions;
  /** The calls it must give, as JSON. */
  calls: string[];
  /** Whether what stands behind a whole call is what makes it none. */
  behind: boolean;
}

function callsOf(
  text: string,
  options: ToolCallSalvagerStreamOptions,
): SalvagedToolCallPart[] {
  return parse(text, new ToolCallSalvagerStream(options)).filter((
    part,
  ): part is SalvagedToolCallPart =>
    part.type === "tool-call" && part.origin === "salvaged"
  );
}

function shown(call: { toolName: string; input: unknown }): string {
  return JSON.stringify([call.toolName, call.input]);
}

function textCase({ id, input, options, note }: SalvageCase): TextCase {
  const text = Array.isArray(input) ? input.join("") : input;
  return {
    id,
    text,
    options: options ?? {},
    calls: callsOf(text, options ?? {}).map(shown),
    behind: id === "salvage-228" || note === "what stands behind it decides",
  };
}

function textCases(cases: readonly SalvageCase[]): TextCase[] {
  return cases.filter(({ input }) =>
    typeof input === "string" || Array.isArray(input)
  ).map(textCase).filter(({ text }) => text.length < 3000);
}

const handed = textCases(salvageCases());
const cases = [...handed, ...textCases(moreSalvageCases())];
const positive = cases.filter(({ calls }) => calls.length > 0);
const negative = cases.filter(({ calls }) => calls.length === 0);

/** Every prefix at high counts of runs, else some of each case. */
const STRIDE = RUNS >= 5000 ? 1 : 3;

describe("prefixes", () => {
  test("of a text with calls give only calls that the whole one gives", () => {
    expect(positive.length).toBeGreaterThan(600);
    for (const [index, { id, text, options, calls }] of positive.entries()) {
      for (
        let length = index % STRIDE;
        length < text.length;
        length += STRIDE
      ) {
        const found = callsOf(text.slice(0, length), options).map(shown);
        expect(calls.slice(0, found.length), `${id}, ${length}`).toEqual(found);
      }
    }
  }, 600_000);

  test("of a text without calls give none", () => {
    expect(negative.length).toBeGreaterThan(700);
    for (const [index, { id, text, options, behind }] of negative.entries()) {
      if (behind) continue;
      for (
        let length = index % STRIDE;
        length < text.length;
        length += STRIDE
      ) {
        const found = callsOf(text.slice(0, length), options);
        expect(found, `${id}, ${length}`).toEqual([]);
      }
    }
  }, 600_000);
});

/** All strings in a JSON value, keys included. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    Array.isArray(value) ? stringsIn(one) : [key, ...stringsIn(one)]
  );
}

/** How much of a value there is. */
function sizeOf(call: string): number {
  const [, input] = JSON.parse(call) as [string, unknown];
  const strings = stringsIn(input);
  return strings.reduce((sum, one) => sum + one.length, strings.length);
}

/** One character left out, or one put in. */
function* edits(text: string): Generator<{ text: string; at: number }> {
  for (let at = 0; at < text.length; at++) {
    yield { text: text.slice(0, at) + text.slice(at + 1), at };
  }
  for (const put of [" ", "\n", "<", '"', "x", "`", "\\"]) {
    for (let at = 0; at <= text.length; at++) {
      yield { text: text.slice(0, at) + put + text.slice(at), at };
    }
  }
}

/** Markup inside a value: damaged, it is no longer seen to be nested in it. */
const MARKUP_IN_VALUE = /<\/?(?:invoke|parameter|function|tool_call)/;

/** What hides a call from a reader: damaged, it hides nothing. */
const QUOTING = /`|~|"|“|^>|<\/?think>|^ {4}/m;

describe("one character left out or put in anywhere", () => {
  test("never shortens or invents a value, and never adds a call", () => {
    // All of them at high counts of runs, else a part of each case.
    const step = RUNS >= 5000 ? 1 : 11;
    let count = 0;
    // Of our own cases, some show a call in a value in ways that are not told here.
    const edited = handed.filter(({ calls }) => calls.length > 0);
    for (const [index, { id, text, options, calls }] of edited.entries()) {
      const least = Math.min(...calls.map(sizeOf));
      const whole = new Set(calls);
      const nests = calls.some((call) => MARKUP_IN_VALUE.test(call));
      let turn = index;
      for (const edit of edits(text)) {
        if (turn++ % step !== 0) continue;
        count++;
        const found = callsOf(edit.text, options);
        const where = `${id}: ${JSON.stringify(edit.text)}`;
        if (!QUOTING.test(text)) {
          expect(found.length <= calls.length, where).toBe(true);
        }
        for (const call of found) {
          if (whole.has(shown(call))) continue;
          // The edit itself may shorten a value by what it leaves out.
          expect(nests || sizeOf(shown(call)) >= least - 2, where).toBe(true);
          for (const string of stringsIn(call.input)) {
            expect(isWritten(string, edit.text), `${where} ${string}`).toBe(
              true,
            );
          }
        }
      }
    }
    expect(count).toBeGreaterThan(5_000);
  }, 600_000);
});

/** Whether a string stands in a text, as it is or escaped. */
function isWritten(string: string, text: string): boolean {
  if (text.includes(string)) return true;
  return bare(text).includes(bare(string));
}

/** A text without anything that may be escaped. */
function bare(text: string): string {
  return text.replace(/\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[^"'\\/])/gi, "")
    .replace(/[^ -~]|["'\\/]/g, "");
}

/** Every line of a text. */
function eachLine(text: string, change: (line: string) => string): string {
  return text.split(/\r\n|\n|\r/).map(change).join("\n");
}

/** Ways to quote all of a text. */
const QUOTED: Readonly<Record<string, (text: string) => string>> = {
  "in a fence": (text) => `\`\`\`\`\`\`\n${text}\n\`\`\`\`\`\`\n`,
  "in a fence of tildes": (text) => `~~~~~~xml\n${text}\n~~~~~~`,
  "in a fence that never ends": (text) => `\`\`\`\`\`\`\n${text}`,
  "in a fence in a list": (text) =>
    `- x\n\n  \`\`\`\`\`\`\n${eachLine(text, (line) => `  ${line}`)}`,
  "in a block quote": (text) => eachLine(text, (line) => `> ${line}`),
  "in a block quote without blanks": (text) =>
    eachLine(text, (line) => `>${line}`),
  "in reasoning": (text) =>
    `<think>\n${text.replaceAll("</think>", "")}\n</think>\n`,
  "in reasoning that never ends": (text) =>
    `<think>${text.replaceAll("</think>", "")}`,
  "in a reasoning tag that is looked for late": (text) =>
    `<Thinking a="b">\n${text.replaceAll(/<\/thinking>/gi, "")}`,
  "in Harmony's analysis": (text) =>
    `<|channel|>analysis<|message|>Hm: ${
      text.replaceAll(/<\|(?:end|return|call)\|>|<\|start\|>assistant/g, "")
    }`,
  "in Harmony's analysis, its tokens stripped": (text) =>
    `analysisHm: ${text.replaceAll(/assistant(?:final|commentary)/g, "")}`,
  "in an invented result": (text) =>
    `<tool_response>\n${text.replaceAll("</tool_response>", "")}`,
  "in an invented turn": (text) =>
    `<|im_start|>user\n${
      text.replaceAll(/<\|im_end\|>|<\|im_start\|>assistant/g, "")
    }`,
};

/** Ways to quote the first line of a text. */
const QUOTED_LINE: Readonly<Record<string, [string, RegExp]>> = {
  "inline code": ["Look: `", /`/],
  "inline code of two ticks": ["Look: `` ", /`/],
  "double quotes": ['He wrote "', /"/],
  "typographic quotes": ["He wrote “", /[“”]/],
};

describe("a text in quotation gives no call", () => {
  for (const [how, quote] of Object.entries(QUOTED)) {
    test(how, () => {
      for (const { id, text, options } of cases) {
        expect(callsOf(quote(text), options), id).toEqual([]);
      }
    });
  }

  for (const [how, [opener, mark]] of Object.entries(QUOTED_LINE)) {
    test(how, () => {
      for (const { id, text, options } of cases) {
        const quoted = opener + text;
        const first = callsOf(quoted, options).filter(({ start }) =>
          !/[\r\n]/.test(quoted.slice(0, start)) &&
          // What the text quotes itself is no quotation inside another.
          !mark.test(text.slice(0, start - opener.length))
        );
        expect(first, id).toEqual([]);
      }
    });
  }
});
