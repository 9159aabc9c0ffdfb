/**
 * Long things that come in single characters: pieces are joined, moved and
 * forgotten at certain counts, and nothing of that may show.
 */
import { describe, expect, test } from "vitest";
import type { Part } from "../../mod.ts";
import { merged } from "../laws.ts";
import { makeExact } from "./exact_parts.ts";
import { TOOLS } from "./salvage_alphabet.ts";

/** So many characters, of which no two places have the same neighbours for long. */
function long(length: number): string {
  let text = "";
  for (let at = 0; text.length < length; at++) text += `${at} `;
  return text.slice(0, length - 1) + "z";
}

function run(
  stage: string,
  options: Record<string, unknown>,
  chunks: Iterable<string>,
  resumeAt = -1,
): Part[] {
  let stream = makeExact(stage, options);
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  let at = 0;
  for (const chunk of chunks) {
    stream.stage.push(chunk, emit);
    if (++at === resumeAt) {
      const snapshot = JSON.parse(JSON.stringify(stream.snapshot()));
      stream = makeExact(stage, { ...options, snapshot });
    }
  }
  stream.stage.end(emit);
  return merged(parts);
}

const SETUPS: readonly [
  name: string,
  stage: string,
  options: Record<string, unknown>,
  text: (content: string) => string,
  found: (parts: Part[]) => unknown,
][] = [
  [
    "a directive's content",
    "directive",
    { directives: ["log"] },
    (content) => `a<log>${content}</log>b`,
    (parts) =>
      parts.flatMap((part) => part.type === "directive" ? part.content : []),
  ],
  [
    "a directive's content, which is held",
    "directive",
    { directives: ["log"], unclosed: "text" },
    (content) => `a<log>${content}</log>b`,
    (parts) =>
      parts.flatMap((part) => part.type === "directive" ? part.content : []),
  ],
  [
    "a directive's field, with what is known so far",
    "directive",
    { directives: { log: { fields: ["level"] } }, partials: true },
    (content) => `<log><level>${content}</level></log>`,
    (parts) =>
      parts.flatMap((part) =>
        part.type === "directive" ? part.fields?.["level"] : []
      ),
  ],
  [
    "a snippet",
    "snippet",
    {},
    (content) => `\`\`\`js\n${content}\n\`\`\`\n`,
    (parts) =>
      parts.flatMap((part) =>
        part.type === "snippet" ? part.content.replace(/\n$/, "") : []
      ),
  ],
  [
    "a snippet that is told of as it comes",
    "snippet",
    { live: true },
    (content) => `\`\`\`js\n${content}\n\`\`\`\n`,
    (parts) => [
      parts.flatMap((part) => part.type === "snippet-delta" ? part.text : [])
        .join("").replace(/\n$/, ""),
    ],
  ],
  [
    "a value of a call",
    "salvager",
    { tools: TOOLS },
    (content) =>
      `<function_calls>\n<invoke name="read">\n<parameter name="path">${content}</parameter>\n</invoke>\n</function_calls>`,
    (parts) =>
      parts.flatMap((part) =>
        part.type === "tool-call" ? (part.input as { path: string }).path : []
      ),
  ],
  [
    "a string in a call's JSON",
    "salvager",
    { tools: TOOLS },
    (content) =>
      `<tool_call>{"name":"read","arguments":{"path":"${content}"}}</tool_call>`,
    (parts) =>
      parts.flatMap((part) =>
        part.type === "tool-call" ? (part.input as { path: string }).path : []
      ),
  ],
  [
    "a line in front of a call",
    "salvager",
    { tools: TOOLS },
    (content) =>
      `${content} <tool_call>{"name":"now","arguments":{}}</tool_call>`,
    (parts) =>
      parts.slice(0, 1).flatMap((part) =>
        part.type === "text" ? part.text.trimEnd() : []
      ),
  ],
  [
    "a paragraph with an open run of ticks",
    "fence",
    { inline: "hold" },
    (content) => `\`${content}\``,
    (parts) =>
      parts.flatMap((part) =>
        part.type === "text" && part.code === "inline"
          ? part.text.replaceAll("`", "")
          : []
      ),
  ],
];

describe("one character at a time, over every count at which pieces are joined", () => {
  for (const [name, stage, options, text, found] of SETUPS) {
    test(name, () => {
      for (const length of [511, 512, 513, 1_023, 1_024, 1_025, 2_600]) {
        const content = long(length);
        const whole = text(content);
        const expected = run(stage, options, [whole]);
        expect(found(expected)).toEqual([content]);
        const single = whole.split("");
        const live = options["live"] === true || options["partials"] === true;
        const given = run(stage, options, single);
        if (live) expect(found(given)).toEqual([content]);
        else expect(given).toEqual(expected);
        const resumed = run(stage, options, single, length - 1);
        if (live) expect(found(resumed)).toEqual([content]);
        else expect(resumed).toEqual(expected);
      }
    });
  }
});
