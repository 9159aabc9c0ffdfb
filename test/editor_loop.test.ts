import { describe, expect, test } from "vitest";
import {
  type AnyTransform,
  fitToolResults,
  intentContext,
  IntentPolicy,
  type Part,
  pipeline,
  sanitizeMessages,
  SurrogateSanitizerStream,
  type ToolBlockedPart,
  ToolCallSalvagerStream,
  ToolGateStream,
} from "../mod.ts";
import { cut } from "./laws.ts";

const tools = [
  {
    name: "select_active_intent",
    inputSchema: {
      type: "object",
      properties: { intent_id: { type: "string" } },
    },
  },
  {
    name: "write_to_file",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, content: { type: "string" } },
    },
  },
  {
    name: "read_file",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
];

function leak(name: string, input: Record<string, string>): string {
  const parameters = Object.entries(input).map(([key, value]) =>
    `<parameter name="${key}">${value}</parameter>\n`
  ).join("");
  return `<function_calls>\n<invoke name="${name}">\n${parameters}</invoke>\n</function_calls>`;
}

const write = leak("write_to_file", {
  path: "src/a.ts",
  content: "export {};\n",
});

/** What the model says in each turn. */
const turns = [
  "A call looks like this:\n```xml\n" + write +
  "\n```\nNow for real \ud83d\ude80:\n" + write,
  "I have to select an intent first.\n" +
  leak("select_active_intent", { intent_id: "INT-1" }),
  write + "\n" +
  leak("write_to_file", { path: "../other/a.ts", content: "x" }) +
  "\n" + leak("read_file", { path: "big.log" }),
  "Done.",
];

/** A model that sends its turn in small pieces, halves of pairs among them. */
function model(turn: number, size: number): ReadableStream<string> {
  const text = turns[turn]!;
  const offsets: number[] = [];
  for (let at = size; at < text.length; at += size) offsets.push(at);
  const chunks = cut(text, offsets);
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

type Block = Record<string, unknown>;
type Message = { role: string; content: string | Block[] };

describe("the loop of an editor's agent", () => {
  for (const size of [1, 7, 64, 10_000]) {
    test(`leak, gate, handshake, run, trace, fit; chunks of ${size}`, async () => {
      const files = new Map<string, string>();
      const lines: string[] = [];
      const intents = new IntentPolicy({
        load: () =>
          Promise.resolve({
            active_intents: [
              { id: "INT-1", status: "IN_PROGRESS", owned_scope: ["src/**"] },
            ],
          }),
        trace: (line) => lines.push(line),
        now: () => new Date(0),
      });
      const run = async (
        call: Part & { type: "tool-call" },
      ): Promise<string> => {
        const input = call.input as Record<string, string>;
        switch (call.toolName) {
          case "select_active_intent":
            return intentContext(intents.active!);
          case "write_to_file":
            files.set(input["path"]!, input["content"]!);
            await intents.recordWrite(call);
            return "written";
          default:
            return `first line\n${"noise \ud83d\n".repeat(5_000)}last line`;
        }
      };
      let messages: readonly Message[] = [{
        role: "user",
        content: "Write src/a.ts",
      }];
      const shown: string[] = [];
      const blocked: ToolBlockedPart[] = [];
      for (let turn = 0; turn < turns.length; turn++) {
        const fitted = await fitToolResults(sanitizeMessages(messages), {
          budget: 1_500,
          reserve: { answer: 200 },
          minChars: 200,
        });
        messages = fitted.messages;
        expect(JSON.stringify(messages)).not.toMatch(/\\ud[89a-f]/);
        expect([fitted.missingResults, fitted.orphans]).toEqual([[], []]);
        const stream = model(turn, size).pipeThrough(pipeline(
          new SurrogateSanitizerStream() as AnyTransform,
          new ToolCallSalvagerStream({ tools, idPrefix: `t${turn}_` }),
          new ToolGateStream({ policy: intents.policy }),
        )) as ReadableStream<Part>;
        let text = "";
        const calls: Block[] = [];
        const results: Block[] = [];
        for await (const part of stream) {
          if (part.type === "text") text += part.text;
          if (part.type !== "tool-call" && part.type !== "tool-blocked") {
            continue;
          }
          if (part.type === "tool-blocked") blocked.push(part);
          calls.push({
            type: "tool_use",
            id: part.toolCallId,
            name: part.toolName,
            input: part.type === "tool-call" ? part.input : {},
          });
          results.push({
            type: "tool_result",
            tool_use_id: part.toolCallId,
            content: part.type === "tool-blocked"
              ? part.reason
              : await run(part),
            is_error: part.type === "tool-blocked",
          });
        }
        shown.push(text);
        const content: Block[] = text.trim() === ""
          ? calls
          : [{ type: "text", text }, ...calls];
        messages = [...messages, { role: "assistant", content }];
        if (results.length > 0) {
          messages = [...messages, { role: "user", content: results }];
        }
      }
      // What was quoted stayed text, what leaked did not.
      expect(shown[0]!.trimEnd()).toBe(
        "A call looks like this:\n```xml\n" + write +
          "\n```\nNow for real \ud83d\ude80:",
      );
      expect(shown[1]!.trim()).toBe("I have to select an intent first.");
      expect(shown[2]!.trim()).toBe("");
      expect(shown[3]).toBe("Done.");
      expect(blocked.map((part) => part.reason)).toEqual([
        "You must cite a valid active Intent ID",
        '"../other/a.ts" is outside the scope of intent "INT-1"',
      ]);
      expect([...files]).toEqual([["src/a.ts", "export {};\n"]]);
      expect(lines.map((line) => JSON.parse(line))).toEqual([{
        time: "1970-01-01T00:00:00.000Z",
        intentId: "INT-1",
        tool: "write_to_file",
        path: "src/a.ts",
        sha256:
          "8e609bb71c20b858c77f0e9f90bb1319db8477b13f9f965f1a1e18524bf50881",
      }]);
      // The log was shortened for the last request, with its ends kept.
      const last = messages.at(-2)!.content as Block[];
      const log = last[2]!["content"] as string;
      expect(log.length).toBeLessThan(5_000);
      expect(log.startsWith("first line\n")).toBe(true);
      expect(log.endsWith("\nlast line")).toBe(true);
      expect(last[0]!["content"] as string).toBe("written");
    });
  }
});
