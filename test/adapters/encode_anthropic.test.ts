import process from "node:process";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  AnthropicEncoderStream,
  type AnthropicEncoderStreamOptions,
} from "../../adapters/encode_anthropic.ts";
import { OpenAIChatEncoderStream } from "../../adapters/encode_openai_chat.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { collect, parse, type Part } from "../../mod.ts";
import { answer, carried } from "./encoders.ts";

const runs = Number(process.env["FAST_CHECK_RUNS"] ?? 1000);

function encode(
  parts: readonly (string | Part)[],
  options?: AnthropicEncoderStreamOptions,
): string {
  return parse(parts, new AnthropicEncoderStream(options)).join("");
}

/** The events; the name always is the type. */
function eventsOf(wire: string): Record<string, unknown>[] {
  return wire.split("\n\n").filter((one) => one !== "").map((one) => {
    const [name, data] = one.split("\n");
    const event = JSON.parse(data!.slice("data: ".length));
    expect(name).toBe(`event: ${event.type}`);
    return event;
  });
}

const call: Part = {
  type: "tool-call",
  toolCallId: "c1",
  toolName: "f",
  input: { a: 1 },
  origin: "native",
};

describe("parts as Anthropic's messages", () => {
  test("an answer in blocks", () => {
    expect(eventsOf(encode([
      { type: "reasoning", text: "hm" },
      "Hi",
      " you",
      call,
      { type: "usage", inputTokens: 1, outputTokens: 2 },
      { type: "finish", reason: "tool-calls", complete: true },
    ], { id: "x", model: "m" }))).toEqual([
      {
        type: "message_start",
        message: {
          id: "x",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 0, output_tokens: 0 },
        },
      },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "thinking", thinking: "", signature: "" },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "thinking_delta", thinking: "hm" },
      },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "text", text: "" },
      },
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "text_delta", text: "Hi" },
      },
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "text_delta", text: " you" },
      },
      { type: "content_block_stop", index: 1 },
      {
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: "c1", name: "f", input: {} },
      },
      {
        type: "content_block_delta",
        index: 2,
        delta: { type: "input_json_delta", partial_json: '{"a":1}' },
      },
      { type: "content_block_stop", index: 2 },
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { input_tokens: 1, output_tokens: 2 },
      },
      { type: "message_stop" },
    ]);
  });

  test("decoding what was encoded gives the parts back", async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.boolean(), async (parts, streamInput) => {
        const wire = encode(parts, { streamInput });
        const got = await collect(fromSSE(wire, { provider: "anthropic" }));
        const expected = await collect(parts);
        expect(carried(got)).toEqual(carried(expected));
        expect(got.warnings).toEqual([]);
      }),
      { numRuns: runs },
    );
  }, 60_000);

  test("and goes on from a snapshot anywhere", () => {
    fc.assert(
      fc.property(
        answer,
        fc.nat(),
        fc.boolean(),
        (parts, where, streamInput) => {
          const at = where % (parts.length + 1);
          const first = new AnthropicEncoderStream({ streamInput });
          let wire = "";
          const emit = (text: string): void => {
            wire += text;
          };
          for (const part of parts.slice(0, at)) first.stage.push(part, emit);
          const second = new AnthropicEncoderStream({
            streamInput,
            snapshot: JSON.parse(JSON.stringify(first.snapshot())),
          });
          for (const part of parts.slice(at)) second.stage.push(part, emit);
          second.stage.end(emit);
          expect(wire).toBe(encode(parts, { streamInput }));
        },
      ),
      { numRuns: Math.ceil(runs / 5) },
    );
  });

  test(
    "a gateway: OpenAI in, Anthropic out, and the other way round",
    async () => {
      await fc.assert(
        fc.asyncProperty(answer, async (parts) => {
          const chat = parse(parts, new OpenAIChatEncoderStream()).join("");
          const messages = await collectText(
            fromSSE(chat).pipeThrough(new AnthropicEncoderStream()),
          );
          const back = await collectText(
            fromSSE(messages).pipeThrough(new OpenAIChatEncoderStream()),
          );
          const expected = await collect(parts);
          expect(carried(await collect(fromSSE(back)))).toEqual(
            carried(expected),
          );
        }),
        { numRuns: Math.ceil(runs / 5) },
      );
    },
    60_000,
  );

  test("a cut call never looks whole, whatever the end says", async () => {
    for (const inputText of ['{"a":1}', '{"a":', ""]) {
      for (const reason of ["stop", "tool-calls", "length", "error"] as const) {
        for (const before of [[], [call]]) {
          const got = await collect(fromSSE(encode([
            ...before,
            {
              type: "tool-call-partial",
              toolCallId: "p",
              toolName: "f",
              inputText,
            },
            { type: "finish", reason, complete: true },
          ])));
          expect(got.toolCalls.some((one) => one.toolCallId === "p")).toBe(
            false,
          );
        }
      }
    }
  });

  test("a cut stream has no message_stop", () => {
    expect(encode(["Hi"])).not.toContain("message_stop");
    expect(
      encode(["Hi", { type: "finish", reason: "stop", complete: false }]),
    ).not.toContain("message_stop");
  });

  test("a fatal error goes out, one that the stream outlives does not", () => {
    const error = { name: "overloaded_error", message: "m" };
    expect(eventsOf(encode([{ type: "error", error, fatal: true }]))).toEqual([
      { type: "error", error: { type: "overloaded_error", message: "m" } },
    ]);
    expect(encode([{ type: "error", error, fatal: false }])).toBe("");
  });
});

async function collectText(stream: ReadableStream<string>): Promise<string> {
  let text = "";
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
  }
}
