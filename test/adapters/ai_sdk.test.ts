import * as ai7 from "ai";
import * as mocks7 from "ai/test";
import * as ai6 from "ai-6";
import * as mocks6 from "ai-6/test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AISDKPart,
  millrace,
  type MillraceOptions,
  toTextStreamPart,
} from "../../adapters/ai_sdk.ts";
import type { Part } from "../../mod.ts";

const LEAK =
  'Reading. <tool_call>{"name": "read", "arguments": {"path": "a.md"}}' +
  "</tool_call> Then.";

/** The chunks of a model's stream: this text in pieces of this size. */
function chunks(
  text: string,
  size: number,
  finishReason: unknown,
): AISDKPart[] {
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  return [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    ...pieces.map((delta) => ({ type: "text-delta", id: "1", delta })),
    { type: "text-end", id: "1" },
    {
      type: "finish",
      finishReason,
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
    },
  ];
}

const stop = { unified: "stop", raw: "stop" };

/** What a conversation with a model that says these texts comes to. */
interface Outcome {
  text: string;
  reasoning: string;
  calls: unknown[];
  executed: unknown[];
  steps: number;
  finishReasons: string[];
  content: string[];
}

/** The two majors of the SDK, asked the same way. */
const versions = [
  { name: "ai 7", version: "v4" as const, ai: ai7, mocks: mocks7 },
  { name: "ai 6", version: "v3" as const, ai: ai6, mocks: mocks6 },
];

async function ask(
  major: typeof versions[number],
  texts: readonly string[],
  how: "stream" | "generate",
  options: MillraceOptions<"v3" | "v4"> = {},
): Promise<Outcome> {
  // The two are the same here at run time; their types are not.
  // deno-lint-ignore no-explicit-any
  const sdk = major.ai as any;
  // deno-lint-ignore no-explicit-any
  const mocks = major.mocks as any;
  const queue = [...texts];
  const Model = major.version === "v4"
    ? mocks.MockLanguageModelV4
    : mocks.MockLanguageModelV3;
  const model = sdk.wrapLanguageModel({
    model: new Model({
      doStream: () =>
        Promise.resolve({
          stream: new ReadableStream({
            start(controller) {
              for (const one of chunks(queue.shift() ?? "", 3, stop)) {
                controller.enqueue(one);
              }
              controller.close();
            },
          }),
        }),
      doGenerate: () =>
        Promise.resolve({
          content: [{ type: "text", text: queue.shift() ?? "" }],
          finishReason: stop,
          usage: chunks("", 1, stop).at(-1)!["usage"],
          warnings: [],
        }),
    }),
    middleware: millrace({ ...options, specificationVersion: major.version }),
  });
  const executed: unknown[] = [];
  const request = {
    model,
    prompt: "x",
    stopWhen: sdk.stepCountIs(3),
    tools: {
      read: sdk.tool({
        inputSchema: z.object({ path: z.string() }),
        execute: (input: unknown) => {
          executed.push(input);
          return "content";
        },
      }),
    },
  };
  const result = how === "stream"
    ? sdk.streamText(request)
    : await sdk.generateText(request);
  if (how === "stream") await result.consumeStream();
  // deno-lint-ignore no-explicit-any
  const steps: any[] = await result.steps;
  return {
    text: steps.map((step) => step.text).join("|"),
    reasoning: steps.map((step) => step.reasoningText ?? "").join(""),
    calls: steps.flatMap((step) => step.toolCalls).map((call) => call.input),
    executed,
    steps: steps.length,
    finishReasons: steps.map((step) => step.finishReason),
    content: steps[0].content.map((part: AISDKPart) => part.type),
  };
}

for (const major of versions) {
  for (const how of ["stream", "generate"] as const) {
    describe(`${major.name}, ${how}Text`, () => {
      test("a leaked call becomes one, and the SDK runs it", async () => {
        const got = await ask(major, [LEAK, "Done."], how);
        expect(got.executed).toEqual([{ path: "a.md" }]);
        expect(got.calls).toEqual([{ path: "a.md" }]);
        expect(got.steps).toBe(2);
        expect(got.finishReasons).toEqual(["tool-calls", "stop"]);
        expect(got.text).toBe("Reading.  Then.|Done.");
        expect(got.content).toEqual([
          "text",
          "tool-call",
          "text",
          "tool-result",
        ]);
      });

      test("not in a fence, not in reasoning, not when no such tool was offered", async () => {
        for (
          const text of [
            `Look:\n\`\`\`\n${LEAK}\n\`\`\`\n`,
            `<think>${LEAK}</think>`,
            LEAK.replace('"read"', '"write"'),
          ]
        ) {
          const got = await ask(major, [text], how);
          expect(got.executed).toEqual([]);
          expect(got.steps).toBe(1);
          expect(got.text).toBe(text);
        }
      });

      test("reasoning tags become reasoning when asked", async () => {
        const got = await ask(major, ["<think>hm</think>Yes."], how, {
          directiveOptions: { reasoning: true },
        });
        expect(got.reasoning).toBe("hm");
        expect(got.text).toBe("Yes.");
        expect(got.content).toEqual(["reasoning", "text"]);
      });

      test("a call and nothing else: no empty text beside it", async () => {
        const got = await ask(major, [
          '<tool_call>{"name": "read", "arguments": {"path": "b"}}</tool_call>',
        ], how);
        expect(got.executed).toEqual([{ path: "b" }]);
        expect(got.content).toEqual(["tool-call", "tool-result"]);
      });

      test("plain text stays as it is", async () => {
        const got = await ask(major, ["Plain **text** with `code`."], how);
        expect(got.text).toBe("Plain **text** with `code`.");
        expect(got.content).toEqual(["text"]);
      });

      test("directives and warnings go to onPart", async () => {
        const parts: Part[] = [];
        const got = await ask(major, ["a<note>b</note>c"], how, {
          directives: ["note"],
          onPart: (part) => parts.push(part),
        });
        expect(got.text).toBe("ac");
        expect(
          parts.some((part) =>
            part.type === "directive" && part.content === "b"
          ),
        ).toBe(true);
      });
    });
  }
}

/** A stream through the middleware alone. */
async function through(
  parts: readonly AISDKPart[],
  options: MillraceOptions = {},
): Promise<AISDKPart[]> {
  const { stream } = await millrace({ generateId: () => "id", ...options })
    .wrapStream({
      doStream: () =>
        Promise.resolve({
          stream: new ReadableStream<AISDKPart>({
            start(controller) {
              for (const part of parts) controller.enqueue(part);
              controller.close();
            },
          }),
        }),
      params: {
        tools: [
          { type: "function", name: "read", inputSchema: {} },
          { type: "provider", name: "search" },
        ],
      },
    });
  const got: AISDKPart[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return got;
    got.push(value);
  }
}

describe("the SDK's own types", () => {
  test("fit without a cast, in both majors", () => {
    expect(
      ai7.wrapLanguageModel({
        model: new mocks7.MockLanguageModelV4(),
        middleware: millrace(),
      }).specificationVersion,
    ).toBe("v4");
    expect(
      ai6.wrapLanguageModel({
        model: new mocks6.MockLanguageModelV3(),
        middleware: millrace({ specificationVersion: "v3" }),
      }).specificationVersion,
    ).toBe("v3");
  });
});

describe("the stream itself", () => {
  test("elements of the model pass as they are, in their places", async () => {
    const parts: AISDKPart[] = [
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "r" },
      { type: "reasoning-start", id: "r1" },
      { type: "reasoning-delta", id: "r1", delta: "hm" },
      { type: "reasoning-end", id: "r1", providerMetadata: { a: {} } },
      { type: "text-start", id: "t", providerMetadata: { a: { item: 1 } } },
      { type: "text-delta", id: "t", delta: "a" },
      { type: "raw", rawValue: 1 },
      { type: "text-delta", id: "t", delta: "b", providerMetadata: { a: {} } },
      { type: "text-end", id: "t", providerMetadata: { a: { end: 1 } } },
      { type: "tool-input-start", id: "c", toolName: "read" },
      { type: "tool-input-delta", id: "c", delta: "{}" },
      { type: "tool-input-end", id: "c" },
      { type: "tool-call", toolCallId: "c", toolName: "read", input: "{}" },
      { type: "source", sourceType: "url", id: "s", url: "u" },
      { type: "error", error: new Error("x") },
      { type: "brand-new", n: 1 },
      { type: "finish", finishReason: "stop", usage: {} },
    ];
    expect(await through(parts)).toEqual(parts);
  });

  test("a recovered call splits its text block in two", async () => {
    expect(await through(chunks(LEAK, 5, "stop"))).toMatchObject([
      { type: "stream-start" },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1" },
      { type: "text-delta", id: "1" },
      { type: "text-end", id: "1" },
      {
        type: "tool-call",
        toolCallId: "id",
        toolName: "read",
        input: '{"path":"a.md"}',
      },
      { type: "text-start", id: "1-1" },
      { type: "text-delta", id: "1-1" },
      { type: "text-delta", id: "1-1" },
      { type: "text-end", id: "1-1" },
      { type: "finish", finishReason: "tool-calls" },
    ]);
  });

  test("text without a start, or under another id, gets its own block", async () => {
    expect(
      await through([
        { type: "text-delta", id: "a", delta: "x" },
        { type: "text-delta", id: "b", delta: "y" },
      ]),
    ).toEqual([
      { type: "text-start", id: "a" },
      { type: "text-delta", id: "a", delta: "x" },
      { type: "text-end", id: "a" },
      { type: "text-start", id: "b" },
      { type: "text-delta", id: "b", delta: "y" },
      { type: "text-end", id: "b" },
    ]);
  });

  test("a cut or failed end stays what it is", async () => {
    for (const reason of ["length", "error", { unified: "interrupted" }]) {
      expect((await through(chunks(LEAK, 5, reason))).at(-1)).toMatchObject({
        finishReason: reason,
      });
    }
  });

  test("cancelling reaches the model", async () => {
    let cancelled = false;
    const { stream } = await millrace().wrapStream({
      doStream: () =>
        Promise.resolve({
          stream: new ReadableStream<AISDKPart>({
            pull(controller) {
              controller.enqueue({ type: "text-delta", id: "1", delta: "x" });
            },
            cancel() {
              cancelled = true;
            },
          }),
        }),
      params: {},
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    await new Promise((resolve) => setTimeout(resolve));
    expect(cancelled).toBe(true);
  });
});

describe("toTextStreamPart", () => {
  test("every part has an element", () => {
    const parts: [Part, AISDKPart][] = [
      [{ type: "text", text: "a", start: 0 }, {
        type: "text-delta",
        id: "text",
        text: "a",
      }],
      [{ type: "reasoning", text: "a" }, {
        type: "reasoning-delta",
        id: "reasoning",
        text: "a",
      }],
      [{ type: "tool-input-start", toolCallId: "c", toolName: "f" }, {
        type: "tool-input-start",
        id: "c",
        toolName: "f",
      }],
      [{ type: "tool-input-delta", toolCallId: "c", delta: "{" }, {
        type: "tool-input-delta",
        id: "c",
        delta: "{",
      }],
      [{
        type: "tool-call",
        toolCallId: "c",
        toolName: "f",
        input: 1,
        origin: "native",
      }, {
        type: "tool-call",
        toolCallId: "c",
        toolName: "f",
        input: 1,
        dynamic: true,
      }],
      [{ type: "raw", value: 1 }, { type: "raw", rawValue: 1 }],
      [{ type: "warning", code: "x", message: "y" }, {
        type: "raw",
        rawValue: { type: "warning", code: "x", message: "y" },
      }],
    ];
    for (const [part, element] of parts) {
      expect(toTextStreamPart(part)).toEqual(element);
    }
    const { type, error } = toTextStreamPart({
      type: "error",
      error: { name: "E", message: "m" },
      fatal: true,
    });
    expect(type).toBe("error");
    expect(String(error)).toBe("E: m");
  });
});
