import { describe, expect, test } from "vitest";
import { type Part, ToolCallSalvagerStream } from "../../../mod.ts";

const tools = [{
  name: "read",
  inputSchema: {
    type: "object" as const,
    properties: { path: { type: "string" as const } },
  },
}];

/** What has come out after each of these pieces, and after the end: text as its length. */
function after(dialect: string, ...pieces: string[]): unknown[] {
  const { stage } = new ToolCallSalvagerStream({
    tools,
    dialects: [dialect as "hermes"],
  });
  let out: unknown[] = [];
  const emit = (part: Part): void => {
    out.push(part.type === "text" ? part.text.length : part.type);
  };
  const all: unknown[] = [];
  for (const piece of pieces) {
    stage.push(piece, emit);
    all.push(out);
    out = [];
  }
  stage.end(emit);
  return [...all, out];
}

describe("white space behind a call whose closer may be missing", () => {
  const calls: readonly [string, string][] = [
    [
      "harmony",
      '<|channel|>commentary to=functions.read <|message|>{"path":"a"}',
    ],
    ["llama3-json", '<|python_tag|>{"name":"read","parameters":{"path":"a"}}'],
    ["granite", '<|tool_call|>[{"name":"read","arguments":{"path":"a"}}]'],
    ["phi4", '<|tool_call|>[{"name":"read","arguments":{"path":"a"}}]'],
  ];

  test("is waited for, but not for more than 256 characters", () => {
    for (const [dialect, call] of calls) {
      expect([dialect, after(dialect, call, " ".repeat(256), "x")]).toEqual([
        dialect,
        [[], [], ["tool-call", 256, 1], []],
      ]);
      expect([dialect, after(dialect, call, " ".repeat(257), "x")]).toEqual([
        dialect,
        [[], ["tool-call", 257], [1], []],
      ]);
      // One by one it is the same.
      const [, ...rest] = after(dialect, call, ...Array(257).fill(" "), "x");
      expect([dialect, rest.findIndex((parts) => (parts as []).length > 0)])
        .toEqual([dialect, 256]);
    }
  });

  test("the end of the stream is the end of the waiting", () => {
    for (const [dialect, call] of calls) {
      expect([dialect, after(dialect, call)]).toEqual([
        dialect,
        [[], ["tool-call"]],
      ]);
    }
  });

  test("half a call with white space behind it is none", () => {
    for (const [dialect, call] of calls) {
      const half = call.slice(0, call.lastIndexOf('"}'));
      const all = after(dialect, half, " ".repeat(300)).flat();
      expect([dialect, all.includes("tool-call")]).toEqual([dialect, false]);
    }
  });
});
