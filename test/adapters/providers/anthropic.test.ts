import { describe, expect, test } from "vitest";
import { anthropic } from "../../../adapters/providers/anthropic.ts";
import { collectParts, type Part } from "../../../mod.ts";
import { decodeWith } from "./decode.ts";

function decode(events: readonly unknown[]): ReturnType<typeof decodeWith> {
  return decodeWith(anthropic, events);
}

function start(index: number, block: unknown): unknown {
  return { type: "content_block_start", index, content_block: block };
}
function tool(index: number, id: string, input: unknown = {}): unknown {
  return start(index, { type: "tool_use", id, name: "f", input });
}
function json(index: number, partial_json: string): unknown {
  return {
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json },
  };
}
function text(index: number, text: string): unknown {
  return {
    type: "content_block_delta",
    index,
    delta: { type: "text_delta", text },
  };
}
function stop(index: number): unknown {
  return { type: "content_block_stop", index };
}
function end(reason: string): unknown[] {
  return [
    { type: "message_delta", delta: { stop_reason: reason } },
    { type: "message_stop" },
  ];
}

describe("Anthropic's messages", () => {
  test("a call without arguments is whole only under a normal end", () => {
    const call = [tool(0, "a"), stop(0)];
    expect(decode([...call, ...end("tool_use")]).toolCalls).toMatchObject([
      { toolCallId: "a", input: {} },
    ]);
    for (const reason of ["max_tokens", "refusal"]) {
      const got = decode([...call, ...end(reason)]);
      expect(got.toolCalls).toEqual([]);
      expect(got.partialToolCalls.length).toBe(1);
    }
    // Cut before any reason.
    expect(decode(call).partialToolCalls.length).toBe(1);
    // Another block follows: the model was done with this one.
    const { parts } = decode([
      ...call,
      start(1, { type: "text", text: "" }),
      text(1, "x"),
      ...end("max_tokens"),
    ]);
    expect(parts.map((part) => part.type)).toEqual([
      "tool-input-start",
      "tool-call",
      "text",
      "finish",
    ]);
  });

  test("an input that comes with the block counts when no delta does", () => {
    for (const deltas of [[], [json(0, '{"x":1}')]]) {
      const got = decode([
        tool(0, "a", { x: 1 }),
        ...deltas,
        stop(0),
        ...end("tool_use"),
      ]);
      expect(got.toolCalls).toMatchObject([{ input: { x: 1 } }]);
      expect(
        got.parts.filter((part) => part.type === "tool-input-delta")
          .length,
      ).toBe(1);
    }
  });

  test("a block that never stopped is no call", () => {
    const got = decode([tool(0, "a"), json(0, "{}"), ...end("tool_use")]);
    expect(got.toolCalls).toEqual([]);
    expect(got.partialToolCalls).toMatchObject([{ inputText: "{}" }]);
  });

  test("blocks may overlap", () => {
    const got = decode([
      tool(0, "a"),
      tool(1, "b"),
      json(1, "[1]"),
      json(0, "[0]"),
      stop(1),
      stop(0),
      ...end("tool_use"),
    ]);
    expect(got.toolCalls.map((one) => [one.toolCallId, one.input])).toEqual([
      ["b", [1]],
      ["a", [0]],
    ]);
  });

  test("thinking is reasoning, signatures and unknown blocks pass as raw", () => {
    const signature = {
      type: "content_block_delta",
      index: 0,
      delta: { type: "signature_delta", signature: "s" },
    };
    const odd = start(1, { type: "hologram" });
    const got = decode([
      start(0, { type: "thinking", thinking: "" }),
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "thinking_delta", thinking: "hm" },
      },
      signature,
      stop(0),
      odd,
      stop(1),
      ...end("end_turn"),
    ]);
    expect(got.reasoning).toBe("hm");
    expect(got.parts.filter((part) => part.type === "raw")).toEqual([
      { type: "raw", value: signature },
      { type: "raw", value: odd },
    ]);
  });

  test("usage is cumulative: later numbers replace earlier ones", () => {
    const got = decode([
      {
        type: "message_start",
        message: {
          usage: {
            input_tokens: 5,
            output_tokens: 1,
            cache_read_input_tokens: 3,
          },
        },
      },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { output_tokens: 9 },
      },
      { type: "message_stop" },
    ]);
    expect(got.usage).toEqual({
      type: "usage",
      inputTokens: 5,
      outputTokens: 9,
      cachedInputTokens: 3,
    });
  });

  test("all stop reasons", () => {
    const reasons = {
      end_turn: "stop",
      stop_sequence: "stop",
      pause_turn: "stop",
      tool_use: "tool-calls",
      max_tokens: "length",
      model_context_window_exceeded: "length",
      refusal: "content-filter",
      compaction: "unknown",
      constructor: "unknown",
    };
    for (const [word, reason] of Object.entries(reasons)) {
      expect(decode(end(word)).finish).toEqual({
        type: "finish",
        reason,
        rawReason: word,
        complete: true,
      });
    }
  });

  test("without message_stop it is not complete, whatever the reason", () => {
    expect(decode(end("end_turn").slice(0, 1)).finish).toEqual({
      type: "finish",
      reason: "stop",
      rawReason: "end_turn",
      complete: false,
    });
  });

  test("the type counts when the event line is missing, and the other way round", () => {
    const stage = anthropic.create({});
    const parts: Part[] = [];
    stage.push(
      {
        data: '{"index":0,"delta":{"type":"text_delta","text":"a"}}',
        event: "content_block_delta",
      },
      (part) => parts.push(part),
    );
    expect(collectParts(parts).text).toBe("a");
  });
});
