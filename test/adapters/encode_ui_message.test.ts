import * as ai6 from "ai-6";
import * as ai7 from "ai";
import process from "node:process";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  UIMessageEncoderStream,
  type UIMessageEncoderStreamOptions,
  uiMessageHeaders,
} from "../../adapters/encode_ui_message.ts";
import { collect, parse, type Part } from "../../mod.ts";
import { answer } from "./encoders.ts";

const runs = Number(process.env["FAST_CHECK_RUNS"] ?? 1000);

function encode(
  parts: readonly (string | Part)[],
  options?: UIMessageEncoderStreamOptions,
): string {
  return parse(parts, new UIMessageEncoderStream(options)).join("");
}

function chunksOf(wire: string): Record<string, unknown>[] {
  return wire.split("\n\n").filter((one) =>
    one !== "" && one !== "data: [DONE]"
  ).map((one) => JSON.parse(one.slice("data: ".length)));
}

/** A part of the message a client builds. */
interface UIPart {
  type: string;
  text?: string;
  toolCallId?: string;
  state?: string;
  input?: unknown;
  output?: unknown;
  errorText?: string;
}

/** What the SDK's own client makes of it. */
async function read(
  wire: string,
  sdk: typeof ai7 | typeof ai6,
): Promise<{ parts: UIPart[]; errors: unknown[] }> {
  const errors: unknown[] = [];
  let parts: UIPart[] = [];
  const bytes = new TextEncoder().encode(wire);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  // The two have different types for the same thing.
  // deno-lint-ignore no-explicit-any
  const any = sdk as any;
  const chunks = any.parseJsonEventStream({
    stream,
    schema: any.uiMessageChunkSchema,
  }).pipeThrough(
    new TransformStream<
      { success: boolean; value: unknown; error?: unknown },
      unknown
    >({
      transform(result, controller) {
        if (result.success) controller.enqueue(result.value);
        else errors.push(result.error);
      },
    }),
  );
  for await (
    const message of any.readUIMessageStream({
      stream: chunks,
      onError: (error: unknown) => errors.push(error),
    })
  ) parts = message.parts;
  return {
    parts: parts.filter((part) => part.type !== "step-start"),
    errors,
  };
}

const finish: Part = { type: "finish", reason: "stop", complete: true };

for (const [name, sdk] of [["ai 7", ai7], ["ai 6", ai6]] as const) {
  describe(`parts as a UI message, read by ${name}`, () => {
    test("text, reasoning and calls arrive as they are", async () => {
      await fc.assert(
        fc.asyncProperty(
          answer.filter((parts) => parts.some((part) => part.type !== "usage")),
          fc.boolean(),
          async (parts, streamInput) => {
            const got = await read(encode(parts, { streamInput }), sdk);
            const expected = await collect(parts);
            const join = (type: string): string =>
              got.parts.filter((part) => part.type === type).map((part) =>
                part.text
              ).join("");
            expect(join("text")).toBe(expected.text);
            expect(join("reasoning")).toBe(expected.reasoning);
            expect(
              got.parts.filter((part) => part.toolCallId !== undefined).map((
                part,
              ) => [part.type, part.toolCallId, part.state, part.input]),
            ).toEqual(
              expected.toolCalls.map((call) => [
                `tool-${call.toolName}`,
                call.toolCallId,
                "input-available",
                call.input,
              ]),
            );
            expect(got.errors.map(String)).toEqual(
              expected.errors.map(({ error }) => `Error: ${error.message}`),
            );
          },
        ),
        { numRuns: Math.ceil(runs / 4) },
      );
    }, 60_000);

    test("results, blocked and cut calls have their states", async () => {
      const got = await read(
        encode([
          {
            type: "tool-call",
            toolCallId: "a",
            toolName: "f",
            input: {},
            origin: "native",
          },
          { type: "tool-result", toolCallId: "a", output: { ok: 1 } },
          { type: "tool-result", toolCallId: "nobody", output: 1 },
          { type: "tool-input-start", toolCallId: "b", toolName: "f" },
          { type: "tool-input-delta", toolCallId: "b", delta: "{}" },
          {
            type: "tool-blocked",
            toolCallId: "b",
            toolName: "f",
            reason: "Not allowed",
          },
          {
            type: "tool-call-partial",
            toolCallId: "c",
            toolName: "f",
            inputText: "{",
          },
          finish,
        ]),
        sdk,
      );
      expect(got.errors).toEqual([]);
      expect(
        got.parts.map((part) => [part.toolCallId, part.state, part.errorText]),
      ).toEqual([
        ["a", "output-available", undefined],
        ["b", "output-error", "Not allowed"],
        ["c", "output-error", "The call was cut"],
      ]);
      expect(got.parts[0]!.output).toEqual({ ok: 1 });
    });

    test("named parts go out as data", async () => {
      const warning: Part = { type: "warning", code: "x", message: "y" };
      const got = await read(
        encode(["a", warning, finish], { dataParts: ["warning"] }),
        sdk,
      );
      expect(got.parts).toMatchObject([
        { type: "text", text: "a" },
        { type: "data-warning", data: warning },
      ]);
    });
  });
}

describe("the UI message stream", () => {
  test("chunk by chunk", () => {
    const wire = encode([
      { type: "reasoning", text: "hm" },
      "a",
      "b",
      finish,
      "late",
    ], { messageId: "m" });
    expect(chunksOf(wire)).toEqual([
      { type: "start", messageId: "m" },
      { type: "start-step" },
      { type: "reasoning-start", id: "reasoning-0" },
      { type: "reasoning-delta", id: "reasoning-0", delta: "hm" },
      { type: "reasoning-end", id: "reasoning-0" },
      { type: "text-start", id: "text-1" },
      { type: "text-delta", id: "text-1", delta: "a" },
      { type: "text-delta", id: "text-1", delta: "b" },
      { type: "text-end", id: "text-1" },
      { type: "finish-step" },
      { type: "finish", finishReason: "stop" },
    ]);
    expect(wire.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("a cut stream does not look finished", () => {
    for (
      const parts of [["a"], [
        "a",
        { type: "finish", reason: "stop", complete: false } as const,
      ]]
    ) {
      expect(encode(parts)).not.toContain("finish");
      expect(encode(parts)).not.toContain("DONE");
    }
  });

  test("the headers are the SDK's", () => {
    expect(ai7.UI_MESSAGE_STREAM_HEADERS).toMatchObject(uiMessageHeaders);
  });

  test("goes on from a snapshot anywhere", () => {
    fc.assert(
      fc.property(answer, fc.nat(), (parts, where) => {
        const at = where % (parts.length + 1);
        const first = new UIMessageEncoderStream();
        let wire = "";
        const emit = (text: string): void => {
          wire += text;
        };
        for (const part of parts.slice(0, at)) first.stage.push(part, emit);
        const second = new UIMessageEncoderStream({
          snapshot: JSON.parse(JSON.stringify(first.snapshot())),
        });
        for (const part of parts.slice(at)) second.stage.push(part, emit);
        expect(wire).toBe(encode(parts));
      }),
      { numRuns: Math.ceil(runs / 5) },
    );
  });
});
