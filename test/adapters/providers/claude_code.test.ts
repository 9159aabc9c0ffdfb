import { describe, expect, test } from "vitest";
import { claudeCode } from "../../../adapters/providers/claude_code.ts";
import { decodeWith } from "./decode.ts";

function decode(events: readonly unknown[]): ReturnType<typeof decodeWith> {
  return decodeWith(claudeCode, events);
}

function assistant(content: unknown, more: object = {}): unknown {
  return { type: "assistant", message: { id: "m1", content }, ...more };
}
function stream(event: object): unknown {
  return { type: "stream_event", event, parent_tool_use_id: null };
}
const success = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "x",
  usage: { input_tokens: 5, output_tokens: 6, cache_read_input_tokens: 1 },
};

/** A message as partial messages bring it: each block in deltas, then whole. */
const partial = [
  stream({ type: "message_start", message: { id: "m1" } }),
  stream({
    type: "content_block_start",
    index: 0,
    content_block: { type: "thinking", thinking: "" },
  }),
  stream({
    type: "content_block_delta",
    index: 0,
    delta: { type: "thinking_delta", thinking: "hm" },
  }),
  assistant([{ type: "thinking", thinking: "hm" }]),
  stream({ type: "content_block_stop", index: 0 }),
  stream({
    type: "content_block_start",
    index: 1,
    content_block: { type: "text", text: "" },
  }),
  stream({
    type: "content_block_delta",
    index: 1,
    delta: { type: "text_delta", text: "Hel" },
  }),
  stream({
    type: "content_block_delta",
    index: 1,
    delta: { type: "text_delta", text: "lo" },
  }),
  assistant([{ type: "text", text: "Hello" }]),
  stream({ type: "content_block_stop", index: 1 }),
  stream({
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "t1", name: "Read", input: {} },
  }),
  stream({
    type: "content_block_delta",
    index: 2,
    delta: { type: "input_json_delta", partial_json: '{"p":1}' },
  }),
  assistant([{ type: "tool_use", id: "t1", name: "Read", input: { p: 1 } }]),
  stream({ type: "content_block_stop", index: 2 }),
  stream({ type: "message_delta", delta: { stop_reason: "tool_use" } }),
  stream({ type: "message_stop" }),
];

describe("Claude Code's lines", () => {
  test("what came in deltas does not come again", () => {
    const got = decode([...partial, success]);
    expect(got.text).toBe("Hello");
    expect(got.reasoning).toBe("hm");
    expect(got.toolCalls).toMatchObject([
      { toolCallId: "t1", toolName: "Read", input: { p: 1 } },
    ]);
    expect(got.finish).toEqual({
      type: "finish",
      reason: "stop",
      rawReason: "success",
      complete: true,
    });
    expect(got.warnings).toEqual([]);
  });

  test("nor when the whole message comes after all its deltas", () => {
    const deltas = partial.filter((one) =>
      (one as { type: string }).type === "stream_event"
    );
    const got = decode([
      ...deltas,
      assistant([
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "Hello" },
        { type: "tool_use", id: "t1", name: "Read", input: { p: 1 } },
      ]),
      success,
    ]);
    expect(got.text).toBe("Hello");
    expect(got.reasoning).toBe("hm");
    expect(got.toolCalls.length).toBe(1);
  });

  test("the whole message fills in what deltas did not bring", () => {
    const got = decode([
      ...partial.slice(0, 7),
      assistant([{ type: "text", text: "Hello" }]),
      success,
    ]);
    expect(got.text).toBe("Hello");
  });

  test("the end of one message is not the end of the session", () => {
    expect(decode(partial).finish).toMatchObject({ complete: false });
  });

  test("sub-agents pass as raw, in every kind of line", () => {
    const parent = { parent_tool_use_id: "t1" };
    const lines = [
      assistant([{ type: "text", text: "sub" }], parent),
      assistant([{ type: "tool_use", id: "s", name: "f", input: {} }], parent),
      {
        ...stream({ type: "message_start", message: {} }) as object,
        ...parent,
      },
      { type: "user", message: { content: [] }, ...parent },
    ];
    const got = decode(lines);
    expect(got.raws).toEqual(lines);
    expect(got.text).toBe("");
    expect(got.toolCalls).toEqual([]);
  });

  test("results of tools, with what goes beside them", () => {
    const plain = {
      type: "user",
      message: {
        content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }],
      },
    };
    const failed = {
      type: "user",
      message: {
        content: [{ type: "tool_result", tool_use_id: "t2", is_error: true }],
      },
      tool_use_result: { stderr: "no" },
    };
    const got = decode([plain, failed]);
    expect(got.toolResults).toEqual([
      { type: "tool-result", toolCallId: "t1", output: "ok" },
      { type: "tool-result", toolCallId: "t2", output: "" },
    ]);
    expect(got.raws).toEqual([failed]);
  });

  test("an error of a message is no end, the result judges", () => {
    const error = assistant([{ type: "text", text: "API Error" }], {
      error: "overloaded",
    });
    expect(decode([error, success]).finish).toMatchObject({ reason: "stop" });
    const failed = decode([error, {
      ...success,
      is_error: true,
      api_error_status: 529,
    }]);
    expect(failed.finish).toMatchObject({ reason: "error", complete: true });
    expect(failed.errors.map((one) => [one.error.code, one.fatal])).toEqual([
      ["overloaded", false],
      ["529", true],
    ]);
  });

  test("error results: code, message, and a later good turn", () => {
    const failed = {
      type: "result",
      subtype: "error_max_turns",
      is_error: true,
      errors: ["a", "b"],
    };
    const got = decode([failed]);
    expect(got.errors[0]!.error).toEqual({
      name: "ResultError",
      message: "a\nb",
      code: "error_max_turns",
    });
    expect(decode([failed, success]).finish).toMatchObject({ reason: "stop" });
  });

  test("stop reasons of the result", () => {
    for (
      const [word, reason] of [
        ["max_tokens", "length"],
        ["refusal", "content-filter"],
        ["end_turn", "stop"],
        ["odd", "stop"],
      ]
    ) {
      expect(decode([{ ...success, stop_reason: word }]).finish?.reason).toBe(
        reason,
      );
    }
  });

  test("withdrawn messages are reported; control lines and news pass as raw", () => {
    const lines = [
      {
        type: "system",
        subtype: "model_refusal_fallback",
        retracted_message_uuids: ["u"],
      },
      { type: "control_request", request_id: "r", request: { subtype: "x" } },
      { type: "rate_limit_event", rate_limit_info: {} },
      { type: "brand_new" },
    ];
    const got = decode([...lines, { type: "keep_alive" }]);
    expect(got.raws).toEqual(lines);
    expect(got.warnings.map((one) => one.code)).toEqual(["retracted"]);
  });

  test("content as one string", () => {
    expect(decode([assistant("plain"), success]).text).toBe("plain");
  });
});
