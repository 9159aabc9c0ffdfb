/**
 * With the AI SDK (npm `ai`): a model that leaks its tool call as text, made to
 * call the tool by one middleware.
 *
 *     npx tsx examples/ai_sdk.ts
 */
import {
  jsonSchema,
  simulateReadableStream,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";
import process from "node:process";
import { millrace } from "../adapters/ai_sdk.ts";

/** What the model says in its turns. In a real program: `openai("…")` and the like. */
const turns = [
  "<think>The user wants a file.</think>Let me read it.\n" +
  '<tool_call>{"name": "read", "arguments": {"path": "a.md"}}</tool_call>',
  "It says: hello.",
];
const leaky = new MockLanguageModelV4({
  doStream: () =>
    Promise.resolve({
      stream: simulateReadableStream({
        chunks: [
          { type: "text-start" as const, id: "1" },
          ...(turns.shift()?.match(/[^]{1,5}/g) ?? []).map((delta) => ({
            type: "text-delta" as const,
            id: "1",
            delta,
          })),
          { type: "text-end" as const, id: "1" },
          {
            type: "finish" as const,
            finishReason: { unified: "stop" as const, raw: "stop" },
            usage: {
              inputTokens: {
                total: 1,
                noCache: 1,
                cacheRead: 0,
                cacheWrite: 0,
              },
              outputTokens: { total: 1, text: 1, reasoning: 0 },
            },
          },
        ],
      }),
    }),
});

const result = streamText({
  model: wrapLanguageModel({
    model: leaky,
    middleware: millrace({ directiveOptions: { reasoning: true } }),
  }),
  prompt: "What does a.md say?",
  tools: {
    read: tool({
      description: "Reads a file",
      inputSchema: jsonSchema<{ path: string }>({
        type: "object",
        properties: { path: { type: "string" } },
        required: ["path"],
      }),
      execute: ({ path }) => `contents of ${path}: hello`,
    }),
  },
  stopWhen: stepCountIs(3),
});

for await (const part of result.fullStream) {
  switch (part.type) {
    case "text-delta":
      process.stdout.write(part.text);
      break;
    case "reasoning-start":
      process.stdout.write("(");
      break;
    case "reasoning-delta":
      process.stdout.write(part.text);
      break;
    case "reasoning-end":
      process.stdout.write(") ");
      break;
    case "tool-call":
      console.log(`[${part.toolName} ${JSON.stringify(part.input)}]`);
      break;
    case "tool-result":
      console.log(`[gave ${JSON.stringify(part.output)}]`);
  }
}
console.log();
