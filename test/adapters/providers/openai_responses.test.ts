import { describe, expect, test } from "vitest";
import { openaiResponses } from "../../../adapters/providers/openai_responses.ts";
import { decodeWith } from "./decode.ts";

function decode(events: readonly unknown[]): ReturnType<typeof decodeWith> {
  return decodeWith(openaiResponses, events);
}

function event(type: string, fields: object = {}): unknown {
  return { type: `response.${type}`, ...fields };
}
function added(output_index: number, item: object): unknown {
  return event("output_item.added", { output_index, item });
}
function done(output_index: number, item: object): unknown {
  return event("output_item.done", { output_index, item });
}
const fn = { type: "function_call", id: "f1", call_id: "c1", name: "f" };
const completed = event("completed", { response: { status: "completed" } });

describe("OpenAI's Responses", () => {
  test("items are told by their index, whatever their id is on each event", () => {
    const got = decode([
      added(0, { ...fn, id: "x1" }),
      event("function_call_arguments.delta", {
        item_id: "x2",
        output_index: 0,
        delta: '{"a"',
      }),
      event("function_call_arguments.delta", {
        item_id: "x3",
        output_index: 0,
        delta: ":1}",
      }),
      done(0, { ...fn, id: "x4", arguments: '{"a":1}' }),
      completed,
    ]);
    expect(got.toolCalls).toMatchObject([
      { toolCallId: "c1", toolName: "f", input: { a: 1 } },
    ]);
    expect(got.finish).toEqual({
      type: "finish",
      reason: "tool-calls",
      rawReason: "completed",
      complete: true,
    });
  });

  test("without an index by item id", () => {
    const got = decode([
      event("output_item.added", { item: fn }),
      event("function_call_arguments.delta", { item_id: "f1", delta: "{}" }),
      event("output_item.done", { item: fn }),
      completed,
    ]);
    expect(got.toolCalls).toMatchObject([{ toolCallId: "c1", input: {} }]);
  });

  test("whole events bring only what deltas did not", () => {
    const message = {
      type: "message",
      content: [{ type: "output_text", text: "Hello" }],
    };
    const delta = event("output_text.delta", {
      output_index: 0,
      content_index: 0,
      delta: "Hello",
    });
    const whole = event("output_text.done", {
      output_index: 0,
      content_index: 0,
      text: "Hello",
    });
    for (
      const events of [
        [delta, whole, done(0, message)],
        [delta, done(0, message)],
        [whole, done(0, message)],
        [done(0, message)],
        [whole, delta, done(0, message)],
        // Nothing but the end, from a proxy.
        [event("completed", {
          response: { status: "completed", output: [message] },
        })],
      ]
    ) {
      expect(decode([...events, completed]).text).toBe("Hello");
    }
  });

  test("summaries and raw reasoning are reasoning", () => {
    const got = decode([
      event("reasoning_summary_text.delta", { output_index: 0, delta: "a" }),
      event("reasoning_summary_text.delta", {
        output_index: 0,
        summary_index: 1,
        delta: "b",
      }),
      event("reasoning_text.delta", { output_index: 1, delta: "c" }),
      done(2, {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "d" }],
        encrypted_content: "x",
      }),
      completed,
    ]);
    expect(got.reasoning).toBe("abcd");
    expect(got.raws.length).toBe(1);
  });

  test("an incomplete item, and an incomplete response, leave a partial call", () => {
    const args = event("function_call_arguments.delta", {
      output_index: 0,
      delta: "{}",
    });
    const incomplete = event("incomplete", {
      response: {
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
      },
    });
    for (
      const events of [
        [args, done(0, { ...fn, status: "incomplete" }), incomplete],
        [args, incomplete],
        [args],
      ]
    ) {
      const got = decode([added(0, fn), ...events]);
      expect(got.toolCalls).toEqual([]);
      expect(got.partialToolCalls).toMatchObject([{ inputText: "{}" }]);
    }
    expect(decode([incomplete]).finish).toEqual({
      type: "finish",
      reason: "length",
      rawReason: "max_output_tokens",
      complete: true,
    });
  });

  test("a completed response closes calls that have arguments", () => {
    const got = decode([
      added(0, fn),
      added(1, { ...fn, id: "f2", call_id: "c2" }),
      event("function_call_arguments.done", {
        output_index: 0,
        arguments: "{}",
      }),
      completed,
    ]);
    expect(got.toolCalls.map((one) => one.toolCallId)).toEqual(["c1"]);
    expect(got.partialToolCalls.map((one) => one.toolCallId)).toEqual(["c2"]);
  });

  test("errors in both shapes, a failed and a cancelled response", () => {
    expect(
      decode([{ type: "error", code: "c", message: "m" }]).errors[0]!.error,
    ).toMatchObject({ code: "c", message: "m" });
    expect(
      decode([{ type: "error", error: { code: "c", message: "m" } }]).finish,
    ).toMatchObject({ reason: "error", complete: false });
    expect(
      decode([event("failed", { response: { error: { code: "c" } } })]).finish,
    ).toMatchObject({ reason: "error", rawReason: "failed", complete: true });
    expect(decode([event("cancelled", { response: {} })]).finish)
      .toMatchObject({ reason: "cancelled", complete: true });
  });

  test("tools of the provider, annotations and unknown events pass as raw", () => {
    const events = [
      added(0, { type: "web_search_call", id: "w" }),
      event("web_search_call.searching", { output_index: 0 }),
      done(0, { type: "web_search_call", id: "w" }),
      event("output_text.annotation.added", { annotation: {} }),
      event("brand.new"),
    ];
    const got = decode([...events, completed]);
    expect(got.raws).toEqual(events);
    expect(got.toolCalls).toEqual([]);
    expect(got.finish).toMatchObject({ reason: "stop" });
  });
});
