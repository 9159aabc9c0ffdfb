/** Content of a kind that is no text, no list, no object where one belongs: it is not lost without a word. */
import { describe, expect, test } from "vitest";
import type { ProviderName } from "../../../adapters/provider.ts";
import { resolveProvider } from "../../../adapters/provider.ts";
import { decodeWith } from "./decode.ts";

/** Something that stands where a text belongs. */
const odd = { x: 1 };

/** Events whose content has another kind than the format says. */
const events: readonly (readonly [ProviderName, object])[] = [
  ["anthropic", { type: "content_block_delta", delta: odd }],
  [
    "anthropic",
    { type: "content_block_delta", delta: { type: "text_delta", text: odd } },
  ],
  [
    "anthropic",
    {
      type: "content_block_delta",
      delta: { type: "thinking_delta", thinking: [odd] },
    },
  ],
  [
    "anthropic",
    { type: "content_block_start", content_block: { type: "text", text: odd } },
  ],
  ["anthropic", { type: "content_block_start", content_block: [odd] }],
  [
    // Some gateways send it at once, and it has to go back.
    "anthropic",
    {
      type: "content_block_start",
      content_block: { type: "thinking", thinking: "", signature: "s" },
    },
  ],
  ["anthropic", { type: "completion", completion: odd }],
  ["bedrock-converse", { contentBlockDelta: { delta: [odd] } }],
  ["claude-code", { type: "assistant", message: "odd" }],
  ["claude-code", { type: "assistant", message: odd }],
  ["claude-code", { type: "assistant", message: { content: odd } }],
  [
    "claude-code",
    { type: "assistant", message: { content: [{ type: "text", text: odd }] } },
  ],
  [
    "claude-code",
    {
      type: "stream_event",
      event: {
        type: "content_block_delta",
        delta: { type: "text_delta", text: odd },
      },
    },
  ],
  [
    "codex",
    { type: "item.completed", item: { type: "agent_message", text: [odd] } },
  ],
  ["cohere", { type: "content-delta", delta: { message: { content: odd } } }],
  [
    "cohere",
    { type: "content-delta", delta: { message: { content: { text: odd } } } },
  ],
  ["cohere", { type: "tool-plan-delta", delta: { message: "odd" } }],
  ["cohere", { event_type: "text-generation", text: odd }],
  ["cohere", { event_type: "tool-calls-generation", tool_calls: [odd] }],
  ["gemini", { candidates: odd }],
  ["gemini", { candidates: [{ content: "odd" }] }],
  ["gemini", { candidates: [{ content: odd }] }],
  ["gemini", { candidates: [{ content: { parts: odd } }] }],
  ["gemini", { candidates: [{ content: { parts: [{ text: [odd] }] } }] }],
  [
    "gemini",
    { candidates: [{ content: { parts: [{ functionCall: "odd" }] } }] },
  ],
  [
    "gemini",
    {
      candidates: [{
        content: { parts: [{ functionCall: { name: "f", odd } }] },
      }],
    },
  ],
  ["gemini-cli", { type: "message", role: "assistant", content: [odd] }],
  [
    "google-interactions",
    { event_type: "step.delta", delta: { type: "text", text: odd } },
  ],
  ["google-interactions", { event_type: "step.start", step: [odd] }],
  ["ollama", { message: "odd", done: false }],
  ["ollama", { message: { content: [odd] }, done: false }],
  ["ollama", { message: { content: "", tool_calls: odd }, done: false }],
  ["ollama", { message: { content: "", tool_calls: [odd] }, done: false }],
  ["ollama", { response: odd, done: false }],
  ["openai-chat", { choices: [{ index: 0, delta: [odd] }] }],
  ["openai-chat", { choices: [{ index: 1, delta: "odd" }] }],
  ["openai-chat", { choices: [{ index: 0, text: odd }] }],
  ["openai-chat", { choices: [{ index: 0, delta: { reasoning: odd } }] }],
  ["openai-chat", { choices: [{ index: 0, delta: { tool_calls: odd } }] }],
  [
    "openai-chat",
    { choices: [{ index: 0, delta: { tool_calls: [{ function: "odd" }] } }] },
  ],
  [
    "openai-chat",
    {
      choices: [{
        index: 0,
        delta: { content: [{ type: "text", text: odd }] },
      }],
    },
  ],
  [
    "openai-chat",
    { choices: [{ index: 0, delta: { tool_calls: [{ function: odd }] } }] },
  ],
  [
    "ollama",
    { message: { content: "", tool_calls: [{ function: odd }] }, done: false },
  ],
  ["openai-responses", { type: "response.output_text.delta", delta: odd }],
  ["openai-responses", { type: "response.output_text.done", text: [odd] }],
  ["openai-responses", { type: "response.completed", response: "odd" }],
  [
    "opencode",
    {
      type: "message.part.updated",
      properties: { part: { type: "text", text: odd } },
    },
  ],
];

describe("content of another kind than the format says", () => {
  for (const [provider, event] of events) {
    test(`${provider}: ${JSON.stringify(event)}`, () => {
      const got = decodeWith(resolveProvider(provider), [event]);
      expect(got.text + got.reasoning).toBe("");
      expect(got.raws).toEqual([event]);
    });
  }

  test("it passes once, behind what could be read of it", () => {
    const event = {
      choices: [{ index: 0, new: 1, delta: { content: "a", reasoning: odd } }],
    };
    const got = decodeWith(resolveProvider("openai-chat"), [event]);
    expect(got.text).toBe("a");
    expect(got.raws).toEqual([event]);
  });
});

/** A call whose arguments are an object where their text belongs. */
const calls: readonly (readonly [ProviderName, readonly object[]])[] = [
  ["anthropic", [
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "a", name: "f", input: {} },
    },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: odd },
    },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" } },
    { type: "message_stop" },
  ]],
  ["bedrock-converse", [
    {
      contentBlockStart: { start: { toolUse: { toolUseId: "a", name: "f" } } },
    },
    { contentBlockDelta: { delta: { toolUse: { input: odd } } } },
    { contentBlockStop: {} },
    { messageStop: { stopReason: "tool_use" } },
  ]],
  ["cohere", [
    {
      type: "tool-call-start",
      delta: { message: { tool_calls: { id: "a", function: { name: "f" } } } },
    },
    {
      type: "tool-call-delta",
      delta: { message: { tool_calls: { function: { arguments: odd } } } },
    },
    { type: "tool-call-end" },
    { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
  ]],
  ["openai-chat", [
    { choices: [{ delta: { function_call: { name: "f", arguments: odd } } }] },
    { choices: [{ delta: {}, finish_reason: "function_call" }] },
  ]],
  ["openai-responses", [
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "function_call", call_id: "a", name: "f" },
    },
    {
      type: "response.function_call_arguments.done",
      output_index: 0,
      arguments: odd,
    },
    { type: "response.completed", response: {} },
  ]],
  ["openai-responses", [
    {
      type: "response.output_item.done",
      output_index: 0,
      item: {
        type: "function_call",
        call_id: "a",
        name: "f",
        arguments: odd,
      },
    },
    { type: "response.completed", response: {} },
  ]],
];

describe("arguments as an object in place of their text", () => {
  for (const [index, [provider, events]] of calls.entries()) {
    test(`${provider}, ${index}`, () => {
      const got = decodeWith(resolveProvider(provider), events);
      expect(got.toolCalls).toMatchObject([{ toolName: "f", input: odd }]);
    });
  }
});

test("an error one level down in its event", () => {
  const error = { type: "overloaded_error", message: "busy", code: 5 };
  for (const provider of ["codex", "gemini-cli", "cohere"] as const) {
    const got = decodeWith(resolveProvider(provider), [{
      type: "error",
      error,
    }]);
    expect(got.errors[0]?.error).toEqual({
      name: "overloaded_error",
      message: "busy",
      code: "5",
    });
  }
});

test("an error whose message is no text says what stands there", () => {
  for (
    const error of [{ message: { detail: "busy" } }, ["busy"]]
  ) {
    const got = decodeWith(resolveProvider("openai-chat"), [{ error }]);
    expect(got.errors[0]?.error.message).toContain('"busy"');
  }
});
