import { describe, expect, test } from "vitest";
import { collect, collectParts, type Part } from "../../mod.ts";

const parts: Part[] = [
  { type: "text", text: "a", start: 0 },
  { type: "reasoning", text: "why" },
  {
    type: "tool-call",
    toolCallId: "1",
    toolName: "t",
    input: {},
    origin: "native",
  },
  { type: "tool-call-partial", toolCallId: "2", inputText: "{" },
  { type: "tool-result", toolCallId: "1", output: "ok" },
  {
    type: "directive",
    id: "d1",
    name: "log",
    attributes: {},
    content: "x",
    complete: true,
    raw: "<log>x</log>",
    start: 1,
    end: 13,
  },
  { type: "snippet", content: "x", closed: true, start: 13, end: 20 },
  { type: "warning", code: "limit", message: "m" },
  { type: "error", error: { name: "E", message: "m" }, fatal: false },
  { type: "usage", inputTokens: 1, outputTokens: 1 },
  { type: "usage", outputTokens: 5 },
  { type: "raw", value: 1 },
  { type: "text", text: "b", start: 20 },
  { type: "finish", reason: "stop", complete: true },
];

describe("collect", () => {
  test("gathers every kind of part", async () => {
    const collected = await collect(parts);
    expect(collected).toEqual({
      text: "ab",
      reasoning: "why",
      toolCalls: [parts[2]],
      partialToolCalls: [parts[3]],
      toolResults: [parts[4]],
      directives: [parts[5]],
      snippets: [parts[6]],
      warnings: [parts[7]],
      errors: [parts[8]],
      usage: { type: "usage", inputTokens: 1, outputTokens: 5 },
      finish: parts[13],
    });
    expect(collectParts(parts)).toEqual(collected);
  });

  test("strings stand for text; an empty stream is an empty result", async () => {
    expect((await collect(["a", "b"])).text).toBe("ab");
    const empty = await collect([]);
    expect([empty.text, empty.usage, empty.finish]).toEqual([
      "",
      undefined,
      undefined,
    ]);
  });

  test("rejects with the source's error", async () => {
    const source = new ReadableStream<Part>({
      pull(controller) {
        controller.error(new Error("broken"));
      },
    });
    let caught: unknown;
    await collect(source).catch((error) => caught = error);
    expect(caught).toEqual(new Error("broken"));
  });
});
