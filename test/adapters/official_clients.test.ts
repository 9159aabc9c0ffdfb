/**
 * Decoders and encoders against the providers' own clients (npm `openai` and
 * `@anthropic-ai/sdk`): the clients accept what the encoders write, and decoders
 * read generated streams as the clients do.
 *
 * Known differences, left out of the generated streams, each with a test of its
 * own elsewhere: the clients join the calls of several ids under one index, fail
 * at a missing role, overwrite reasoning instead of joining it, mend cut
 * arguments, and take a stream without an end for a finished one.
 */
import Anthropic from "@anthropic-ai/sdk";
import * as fc from "fast-check";
import process from "node:process";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { AnthropicEncoderStream } from "../../adapters/encode_anthropic.ts";
import { OpenAIChatEncoderStream } from "../../adapters/encode_openai_chat.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { collect, parse, type Part } from "../../mod.ts";
import { answer } from "./encoders.ts";

const runs = Math.ceil(Number(process.env["FAST_CHECK_RUNS"] ?? 1000) / 4);

/** A server that answers every request with this body, in small pieces. */
function serve(body: string): () => Promise<Response> {
  const bytes = new TextEncoder().encode(body);
  return () =>
    Promise.resolve(
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (let at = 0; at < bytes.length; at += 97) {
              controller.enqueue(bytes.slice(at, at + 97));
            }
            controller.close();
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      ),
    );
}

function openai(body: string): OpenAI {
  return new OpenAI({ apiKey: "none", maxRetries: 0, fetch: serve(body) });
}

function anthropic(body: string): Anthropic {
  return new Anthropic({ apiKey: "none", maxRetries: 0, fetch: serve(body) });
}

function chatOf(
  body: string,
): Promise<OpenAI.Chat.Completions.ChatCompletion> {
  return openai(body).chat.completions.stream({ model: "m", messages: [] })
    .finalChatCompletion();
}

function messageOf(body: string): Promise<Anthropic.Message> {
  return anthropic(body).messages.stream({
    model: "m",
    max_tokens: 1,
    messages: [],
  }).finalMessage();
}

function responseOf(body: string): Promise<unknown> {
  return openai(body).responses.stream({ model: "m", input: "" })
    .finalResponse();
}

interface Call {
  id: string;
  name: string;
  input: unknown;
}

function callsOf(
  toolCalls: readonly {
    toolCallId: string;
    toolName: string;
    input: unknown;
  }[],
): Call[] {
  return toolCalls.map(({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    name: toolName,
    input,
  }));
}

/** Calls in the order of their index: the clients sort by it. */
function chatCalls(completion: OpenAI.Chat.Completions.ChatCompletion): Call[] {
  return (completion.choices[0]!.message.tool_calls ?? []).map((call) => {
    if (call.type !== "function") throw new Error(call.type);
    return {
      id: call.id,
      name: call.function.name,
      input: JSON.parse(call.function.arguments || "{}"),
    };
  });
}

const finished = answer.filter((parts) =>
  parts.some((part) => part.type === "finish" && part.complete)
);

describe("the official clients accept what the encoders write", () => {
  test("openai", async () => {
    await fc.assert(
      fc.asyncProperty(finished, fc.boolean(), async (parts, streamInput) => {
        const body = parse(parts, new OpenAIChatEncoderStream({ streamInput }))
          .join("");
        const completion = await chatOf(body);
        const expected = await collect(parts);
        const choice = completion.choices[0]!;
        expect(choice.message.content ?? "").toBe(expected.text);
        expect(chatCalls(completion)).toEqual(callsOf(expected.toolCalls));
        expect(choice.finish_reason).toBe(
          expected.finish!.reason.replace("-", "_"),
        );
        expect(completion.usage?.completion_tokens).toBe(
          expected.usage?.outputTokens,
        );
      }),
      { numRuns: runs },
    );
  }, 60_000);

  test("@anthropic-ai/sdk", async () => {
    await fc.assert(
      fc.asyncProperty(finished, fc.boolean(), async (parts, streamInput) => {
        const body = parse(parts, new AnthropicEncoderStream({ streamInput }))
          .join("");
        const message = await messageOf(body);
        const expected = await collect(parts);
        const blocks = message.content;
        expect(
          blocks.map((one) => one.type === "text" ? one.text : "").join(""),
        ).toBe(expected.text);
        expect(
          blocks.map((one) => one.type === "thinking" ? one.thinking : "")
            .join(""),
        ).toBe(expected.reasoning);
        expect(
          blocks.filter((one) => one.type === "tool_use").map((
            { id, name, input },
          ) => ({ id, name, input })),
        ).toEqual(callsOf(expected.toolCalls));
        expect(message.usage.output_tokens).toBe(
          expected.usage?.outputTokens ?? 0,
        );
      }),
      { numRuns: runs },
    );
  }, 60_000);

  test("and see an error, or a cut, as what it is", async () => {
    const error: Part = {
      type: "error",
      error: { name: "overloaded_error", message: "busy" },
      fatal: true,
    };
    const chat = parse(["Hi", error], new OpenAIChatEncoderStream()).join("");
    await expect(chatOf(chat)).rejects.toThrow("busy");
    const messages = parse(["Hi", error], new AnthropicEncoderStream()).join(
      "",
    );
    await expect(messageOf(messages)).rejects.toThrow("busy");
    const cut = parse(["Hi"], new OpenAIChatEncoderStream()).join("");
    await expect(chatOf(cut)).rejects.toThrow("finish_reason");
  });
});

/** An event of the Responses wire. */
type Event = { type: string } & Record<string, unknown>;

/** JSON text in pieces. */
const pieces = fc.tuple(
  fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 3,
  }),
  fc.array(fc.nat(), { maxLength: 5 }),
).map(([input, cuts]) => {
  const json = JSON.stringify(input);
  const at = [...new Set(cuts.map((cut) => cut % json.length))].sort((a, b) =>
    a - b
  );
  return [0, ...at].map((from, index) =>
    json.slice(from, at[index] ?? json.length)
  );
});

const words = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 6 });

/** How a server writes its lines. */
interface Style {
  end: "\n" | "\r\n";
  space: "" | " ";
  /** Before every event whose number is divided by this. */
  comments: number;
}

const style: fc.Arbitrary<Style> = fc.record({
  end: fc.constantFrom("\n" as const, "\r\n" as const),
  space: fc.constantFrom("" as const, " " as const),
  comments: fc.constantFrom(1000, 3, 1),
});

function sse(
  events: readonly { event?: string; data: unknown }[],
  { end, space, comments }: Style = { end: "\n", space: " ", comments: 1000 },
): string {
  return events.map(({ event, data }, index) =>
    `${(index + 1) % comments === 0 ? `: still here${end}${end}` : ""}${
      event === undefined ? "" : `event:${space}${event}${end}`
    }data:${space}${
      typeof data === "string" ? data : JSON.stringify(data)
    }${end}${end}`
  ).join("");
}

describe("decoders read generated streams as the official clients do", () => {
  test("openai-chat", async () => {
    const stream = fc.record({
      words,
      calls: fc.array(pieces, { maxLength: 4 }),
      shuffle: fc.array(fc.nat(), { maxLength: 30 }),
      usage: fc.boolean(),
      // Another choice in between, a refusal, fields that are null.
      others: words,
      refusal: words,
      nulls: fc.boolean(),
      style,
    });
    await fc.assert(
      fc.asyncProperty(stream, async (given) => {
        const { words, calls, shuffle, usage, others, refusal } = given;
        const head = {
          id: "x",
          object: "chat.completion.chunk",
          created: 1,
          model: "m",
        };
        const chunk = (
          delta: object,
          finish: string | null = null,
        ): unknown => ({
          ...head,
          choices: [{ index: 0, delta, finish_reason: finish }],
        });
        // Pieces of parallel calls mixed, each in its own order.
        const queues = calls.map((texts, index) => [
          chunk({
            tool_calls: [{
              index,
              id: `c${index}`,
              type: "function",
              function: { name: `f${index}`, arguments: "" },
            }],
          }),
          ...texts.map((text) =>
            chunk({ tool_calls: [{ index, function: { arguments: text } }] })
          ),
        ]);
        // The first of each in order: the clients sort, and so does the wire.
        const mixed = queues.map((queue) => queue.shift());
        for (const number of shuffle) {
          const queue = queues[number % Math.max(1, queues.length)];
          if (queue !== undefined && queue.length > 0) {
            mixed.push(queue.shift());
          }
        }
        mixed.push(...queues.flat());
        const other = (delta: object, finish_reason: string | null = null) => ({
          ...head,
          choices: [{ index: 1, delta, finish_reason }],
        });
        const fields = given.nulls
          ? { tool_calls: null, refusal: null, function_call: null }
          : {};
        const body = sse(
          [
            chunk({ role: "assistant", content: "", ...fields }),
            ...(others.length > 0 ? [other({ role: "assistant" })] : []),
            ...words.flatMap((content, index) => [
              chunk({ content, ...fields }),
              ...(others[index] === undefined
                ? []
                : [other({ content: others[index] })]),
            ]),
            ...refusal.map((text) => chunk({ refusal: text })),
            ...mixed,
            ...(others.length > 0 ? [other({}, "stop")] : []),
            chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
            ...(usage
              ? [{
                ...head,
                choices: [],
                usage: {
                  prompt_tokens: 3,
                  completion_tokens: 4,
                  total_tokens: 7,
                },
              }]
              : []),
            "[DONE]",
          ].map((data) => ({ data })),
          given.style,
        );
        const [got, completion] = await Promise.all([
          collect(fromSSE(body)),
          chatOf(body),
        ]);
        expect(got.text).toBe(completion.choices[0]!.message.content ?? "");
        expect(callsOf(got.toolCalls)).toEqual(chatCalls(completion));
        expect(got.finish!.rawReason).toBe(
          completion.choices[0]!.finish_reason,
        );
        expect(got.usage?.outputTokens).toBe(
          completion.usage?.completion_tokens,
        );
        if (others.length > 0) {
          const second = await collect(fromSSE(body, { choice: 1 }));
          expect(second.text).toBe(
            completion.choices[1]!.message.content ?? "",
          );
          expect(second.finish!.rawReason).toBe("stop");
        }
      }),
      { numRuns: runs },
    );
  }, 60_000);

  test("anthropic", async () => {
    const block = fc.oneof(
      words.map((texts) => ({ kind: "text" as const, texts })),
      words.map((texts) => ({ kind: "thinking" as const, texts })),
      pieces.map((texts) => ({ kind: "tool_use" as const, texts })),
      pieces.map((texts) => ({ kind: "server_tool_use" as const, texts })),
      fc.constantFrom(
        { kind: "redacted_thinking" as const, texts: [] as string[] },
        { kind: "web_search_tool_result" as const, texts: [] as string[] },
      ),
    );
    const contentOf = (kind: string, index: number): object => {
      switch (kind) {
        case "text":
          return { type: kind, text: "", citations: [] };
        case "thinking":
          return { type: kind, thinking: "", signature: "" };
        case "redacted_thinking":
          return { type: kind, data: "AAAA" };
        case "web_search_tool_result":
          return { type: kind, tool_use_id: "s", content: [] };
        default:
          return { type: kind, id: `c${index}`, name: "f", input: {} };
      }
    };
    const deltaOf = (kind: string, text: string): object =>
      kind === "text"
        ? { type: "text_delta", text }
        : kind === "thinking"
        ? { type: "thinking_delta", thinking: text }
        : { type: "input_json_delta", partial_json: text };
    /** What comes behind the deltas of a block. */
    const lastOf = (kind: string): object[] =>
      kind === "text"
        ? [{
          type: "citations_delta",
          citation: { type: "char_location", cited_text: "x" },
        }]
        : kind === "thinking"
        ? [{ type: "signature_delta", signature: "EqQB" }]
        : [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(block, { maxLength: 6 }),
        fc.constantFrom("end_turn", "tool_use", "stop_sequence", "pause_turn"),
        style,
        async (blocks, stop_reason, lines) => {
          const events = [
            {
              type: "message_start",
              message: {
                id: "m",
                type: "message",
                role: "assistant",
                model: "m",
                content: [],
                stop_reason: null,
                stop_sequence: null,
                usage: { input_tokens: 5, output_tokens: 1 },
              },
            },
            ...blocks.flatMap(({ kind, texts }, index) => [
              {
                type: "content_block_start",
                index,
                content_block: contentOf(kind, index),
              },
              { type: "ping" },
              ...[
                ...texts.map((text) => deltaOf(kind, text)),
                ...lastOf(kind),
              ].map((delta) => ({ type: "content_block_delta", index, delta })),
              { type: "content_block_stop", index },
            ]),
            {
              type: "message_delta",
              delta: { stop_reason, stop_sequence: null },
              usage: { output_tokens: 9 },
            },
            { type: "message_stop" },
          ];
          const body = sse(
            events.map((data) => ({ event: data.type, data })),
            lines,
          );
          const [got, message] = await Promise.all([
            collect(fromSSE(body)),
            messageOf(body),
          ]);
          const content = message.content;
          expect(got.text).toBe(
            content.map((one) => one.type === "text" ? one.text : "").join(""),
          );
          expect(got.reasoning).toBe(
            content.map((one) => one.type === "thinking" ? one.thinking : "")
              .join(""),
          );
          expect(callsOf(got.toolCalls)).toEqual(
            content.filter((one) => one.type === "tool_use").map((
              { id, name, input },
            ) => ({ id, name, input })),
          );
          expect(got.finish!.rawReason).toBe(message.stop_reason);
          expect(got.usage).toMatchObject({
            inputTokens: message.usage.input_tokens,
            outputTokens: message.usage.output_tokens,
          });
        },
      ),
      { numRuns: runs },
    );
  }, 60_000);

  test("openai-responses", async () => {
    const item = fc.oneof(
      words.map((texts) => ({ kind: "message" as const, texts })),
      pieces.map((texts) => ({ kind: "function_call" as const, texts })),
      words.map((texts) => ({ kind: "custom_tool_call" as const, texts })),
      words.map((texts) => ({ kind: "reasoning" as const, texts })),
    );
    const callEvents: Readonly<Record<string, string>> = {
      function_call: "response.function_call_arguments",
      custom_tool_call: "response.custom_tool_call_input",
    };
    const itemOf = (
      { kind, texts }: { kind: string; texts: string[] },
      index: number,
    ): Record<string, unknown> => {
      const whole = texts.join("");
      const head = { id: `i${index}`, type: kind, status: "completed" };
      const call = { ...head, call_id: `c${index}`, name: "f" };
      switch (kind) {
        case "message":
          return {
            ...head,
            role: "assistant",
            content: [{ type: "output_text", text: whole, annotations: [] }],
          };
        case "reasoning":
          return {
            ...head,
            summary: texts.map((text) => ({ type: "summary_text", text })),
          };
        case "function_call":
          return { ...call, arguments: whole };
        default:
          return { ...call, input: whole };
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 5 }), style, async (
        items,
        lines,
      ) => {
        const base = {
          id: "r",
          object: "response",
          created_at: 1,
          model: "m",
          tools: [],
          output: [] as unknown[],
        };
        const whole = items.map(itemOf);
        const events = [
          {
            type: "response.created",
            response: { ...base, status: "in_progress" },
          },
          ...items.flatMap(({ kind, texts }, output_index): Event[] => {
            const item_id = `i${output_index}`;
            const place = { item_id, output_index };
            if (kind === "reasoning") {
              return [
                {
                  type: "response.output_item.added",
                  output_index,
                  item: { ...whole[output_index], summary: [] },
                },
                ...texts.flatMap((text, summary_index): Event[] => [
                  {
                    type: "response.reasoning_summary_part.added",
                    ...place,
                    summary_index,
                    part: { type: "summary_text", text: "" },
                  },
                  {
                    type: "response.reasoning_summary_text.delta",
                    ...place,
                    summary_index,
                    delta: text,
                  },
                  {
                    type: "response.reasoning_summary_text.done",
                    ...place,
                    summary_index,
                    text,
                  },
                ]),
                {
                  type: "response.output_item.done",
                  output_index,
                  item: whole[output_index],
                },
              ];
            }
            return kind === "message"
              ? [
                {
                  type: "response.output_item.added",
                  output_index,
                  item: { ...whole[output_index], content: [] },
                },
                {
                  type: "response.content_part.added",
                  ...place,
                  content_index: 0,
                  part: { type: "output_text", text: "", annotations: [] },
                },
                ...texts.map((delta) => ({
                  type: "response.output_text.delta",
                  ...place,
                  content_index: 0,
                  delta,
                })),
                {
                  type: "response.output_text.done",
                  ...place,
                  content_index: 0,
                  text: texts.join(""),
                },
                {
                  type: "response.output_item.done",
                  output_index,
                  item: whole[output_index],
                },
              ]
              : [
                {
                  type: "response.output_item.added",
                  output_index,
                  item: {
                    ...whole[output_index],
                    [kind === "function_call" ? "arguments" : "input"]: "",
                  },
                },
                ...texts.map((delta) => ({
                  type: `${callEvents[kind]}.delta`,
                  ...place,
                  delta,
                })),
                {
                  type: `${callEvents[kind]}.done`,
                  ...place,
                  [kind === "function_call" ? "arguments" : "input"]: texts
                    .join(""),
                },
                {
                  type: "response.output_item.done",
                  output_index,
                  item: whole[output_index],
                },
              ];
          }),
          {
            type: "response.completed",
            response: {
              ...base,
              status: "completed",
              output: whole,
              usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
            },
          },
        ].map((data, sequence_number) => ({ ...data, sequence_number }));
        const body = sse(
          events.map((data) => ({ event: data.type, data })),
          lines,
        );
        const [got, response] = await Promise.all([
          collect(fromSSE(body)),
          responseOf(body) as Promise<
            {
              output_text: string;
              output: {
                type: string;
                call_id: string;
                name: string;
                arguments: string;
                summary: { text: string }[];
              }[];
            }
          >,
        ]);
        expect(got.text).toBe(response.output_text);
        expect(callsOf(got.toolCalls)).toEqual(
          response.output.filter((one) => one.type.endsWith("_call")).map((
            one,
          ) => ({
            id: one.call_id,
            name: one.name,
            // The client keeps a custom tool's input in the whole item only.
            input: one.type === "function_call"
              ? JSON.parse(one.arguments)
              : whole[Number(one.call_id.slice(1))]!["input"],
          })),
        );
        expect(got.reasoning).toBe(
          response.output.flatMap((one) => one.summary ?? []).map((one) =>
            one.text
          ).join(""),
        );
        expect(got.finish).toMatchObject({ complete: true });
      }),
      { numRuns: runs },
    );
  }, 60_000);
});
