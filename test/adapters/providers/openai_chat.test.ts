import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../adapters/providers/openai_chat.ts";
import type { ProviderOptions } from "../../../adapters/provider.ts";
import type { Part } from "../../../mod.ts";
import { least } from "../../laws.ts";
import { decodeWith } from "./decode.ts";

function decode(
  chunks: readonly unknown[],
  options: ProviderOptions = {},
): ReturnType<typeof decodeWith> {
  return decodeWith(openaiChat, chunks, options);
}

function delta(delta: unknown, finish: string | null = null): unknown {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

/** A delta of one call. */
function call(
  fields: { index?: number | null; id?: string | null; name?: string | null },
  text?: string | null,
): unknown {
  const { name, ...rest } = fields;
  return delta({
    tool_calls: [{ ...rest, function: { name, arguments: text } }],
  });
}

const over = delta({}, "tool_calls");

function callsOf(
  chunks: readonly unknown[],
  options?: ProviderOptions,
): unknown[] {
  return decode(chunks, options).toolCalls.map((one) => [
    one.toolCallId,
    one.toolName,
    one.input,
  ]);
}

describe("tool calls of the chat wire", () => {
  test("stream as start, deltas and one whole call at the finish reason", () => {
    const { parts } = decode([
      call({ index: 0, id: "a", name: "ls" }, ""),
      call({ index: 0 }, '{"d"'),
      call({ index: 0 }, ":1}"),
      over,
      "[DONE]",
    ]);
    expect(parts).toEqual([
      { type: "tool-input-start", toolCallId: "a", toolName: "ls" },
      { type: "tool-input-delta", toolCallId: "a", delta: '{"d"' },
      { type: "tool-input-delta", toolCallId: "a", delta: ":1}" },
      {
        type: "tool-call",
        toolCallId: "a",
        toolName: "ls",
        input: { d: 1 },
        origin: "native",
      },
      {
        type: "finish",
        reason: "tool-calls",
        rawReason: "tool_calls",
        complete: true,
      },
    ]);
  });

  test("interleaved by index", () => {
    expect(callsOf([
      call({ index: 0, id: "a", name: "f" }, "{"),
      call({ index: 1, id: "b", name: "g" }, "["),
      call({ index: 0 }, "}"),
      call({ index: 1 }, "]"),
      over,
    ])).toEqual([["a", "f", {}], ["b", "g", []]]);
  });

  test("interleaved under one index, told apart by id", () => {
    expect(callsOf([
      call({ index: 0, id: "a", name: "f" }, "{"),
      call({ index: 0, id: "b", name: "g" }, "["),
      call({ index: 0, id: "a" }, "}"),
      call({ index: 0, id: "b" }, "]"),
      over,
    ])).toEqual([["a", "f", {}], ["b", "g", []]]);
  });

  test("id repeated on every delta, with a drifting index", () => {
    expect(callsOf([
      call({ index: 0, id: "a", name: "f" }, '{"x":'),
      call({ index: 1, id: "a" }, "1"),
      call({ index: 2, id: "a", name: "f" }, "}"),
      over,
    ])).toEqual([["a", "f", { x: 1 }]]);
  });

  test("name and id repeated on every delta", () => {
    expect(callsOf([
      call({ index: 0, id: "a", name: "f" }, '{"x":'),
      call({ index: 0, id: "a", name: "f" }, "1}"),
      over,
    ])).toEqual([["a", "f", { x: 1 }]]);
  });

  test("neither index nor id: a name begins the next call once the arguments are whole", () => {
    const got = decode([
      call({ name: "f" }, '{"x":'),
      call({ name: "f" }, "1}"),
      call({ name: "f" }, "{}"),
      call({ name: "g" }, "[]"),
      over,
    ]);
    expect(got.toolCalls.map((one) => [one.toolName, one.input])).toEqual([
      ["f", { x: 1 }],
      ["f", {}],
      ["g", []],
    ]);
    expect(got.warnings.map((one) => one.code)).toEqual(["made-up-id"]);
    expect(new Set(got.toolCalls.map((one) => one.toolCallId)).size).toBe(3);
  });

  test("null and empty fields continue", () => {
    expect(callsOf([
      call({ index: 0, id: "a", name: "f" }, '{"x":'),
      call({ index: 0, id: "", name: "" }, "1"),
      call({ index: 0, id: null, name: null }, "}"),
      call({ index: 0 }, null),
      over,
    ])).toEqual([["a", "f", { x: 1 }]]);
  });

  test("an id used twice is replaced, and that is said", () => {
    const got = decode([
      call({ index: 0, id: "a", name: "f" }, "{}"),
      call({ index: 1, id: "a", name: "g" }, "{}"),
      over,
    ]);
    expect(got.toolCalls.map((one) => [one.toolCallId, one.toolName])).toEqual([
      ["a", "f"],
      ["call-1", "g"],
    ]);
    expect(got.warnings.map((one) => one.code)).toEqual(["repaired"]);
  });

  test("ids can be made by the host", () => {
    expect(callsOf([call({ name: "f" }, "{}"), over], {
      generateId: () => "mine",
    })).toEqual([["mine", "f", {}]]);
  });

  test("arguments as an object instead of text", () => {
    expect(callsOf([
      delta({
        tool_calls: [{ id: "a", function: { name: "f", arguments: { x: 1 } } }],
      }),
      over,
    ])).toEqual([["a", "f", { x: 1 }]]);
  });

  test("legacy function_call", () => {
    const got = decode([
      delta({ function_call: { name: "f", arguments: "{" } }),
      delta({ function_call: { arguments: "}" } }),
      delta({}, "function_call"),
    ]);
    expect(got.toolCalls).toMatchObject([{ toolName: "f", input: {} }]);
    expect(got.finish).toMatchObject({ reason: "tool-calls" });
  });

  test("stop with calls counts as tool-calls, the word is kept", () => {
    const got = decode([
      call({ index: 0, id: "a", name: "f" }, "{}"),
      delta({}, "stop"),
    ]);
    expect(got.finish).toEqual({
      type: "finish",
      reason: "tool-calls",
      rawReason: "stop",
      complete: true,
    });
  });

  test("length, error, content filter and a lost end leave a partial call", () => {
    for (
      const end of [
        [delta({}, "length")],
        [delta({}, "content_filter")],
        [delta({}, "error"), "[DONE]"],
        [{ error: { message: "no" } }, "[DONE]"],
        [],
      ]
    ) {
      // The arguments are whole, yet nobody said that the call is over.
      const got = decode([
        call({ index: 0, id: "a", name: "f" }, '{"x":1}'),
        ...end,
      ]);
      expect(got.toolCalls).toEqual([]);
      expect(got.partialToolCalls).toEqual([{
        type: "tool-call-partial",
        toolCallId: "a",
        toolName: "f",
        inputText: '{"x":1}',
      }]);
    }
  });

  test("[DONE] without a reason closes a call that has arguments only", () => {
    const got = decode([
      call({ index: 0, id: "a", name: "f" }, "{}"),
      call({ index: 1, id: "b", name: "g" }, ""),
      "[DONE]",
    ]);
    expect(got.toolCalls.map((one) => one.toolCallId)).toEqual(["a"]);
    expect(got.partialToolCalls.map((one) => one.toolCallId)).toEqual(["b"]);
    expect(got.finish).toMatchObject({ reason: "unknown", complete: true });
  });

  test("arguments that are no JSON make no call, under a normal end too", () => {
    const got = decode([
      call({ index: 0, id: "a", name: "f" }, '{"x":1'),
      over,
    ]);
    expect(got.toolCalls).toEqual([]);
    expect(got.partialToolCalls.length).toBe(1);
    expect(got.warnings.map((one) => one.code)).toEqual(["malformed"]);
  });

  test("two answers in one body: the same index serves twice", () => {
    expect(callsOf([
      call({ index: 0, id: "a", name: "f" }, "{}"),
      over,
      call({ index: 0, id: "b", name: "f" }, "{}"),
      over,
    ])).toEqual([["a", "f", {}], ["b", "f", {}]]);
  });

  test("too many open calls and too long arguments are dropped and reported", () => {
    const many = decode([
      call({ index: 0, id: "a", name: "f" }, "{}"),
      call({ index: 1, id: "b", name: "f" }, "{}"),
      over,
    ], { maxOpenCalls: 1 });
    expect(many.toolCalls.length).toBe(1);
    expect(many.warnings.map((one) => one.code)).toEqual(["limit"]);
    const long = decode([
      call({ index: 0, id: "a", name: "f" }, "123"),
      call({ index: 0 }, "456"),
      over,
    ], { maxArgumentChars: 5 });
    expect(long.toolCalls).toEqual([]);
    expect(long.partialToolCalls).toMatchObject([{ inputText: "123" }]);
    expect(long.warnings.map((one) => one.code)).toEqual(["limit"]);
  });

  test("__proto__ as index key, id, name and argument is plain data", () => {
    const got = decode([
      call(
        { index: 0, id: "__proto__", name: "__proto__" },
        '{"__proto__":{"x":1}}',
      ),
      delta({}, "__proto__"),
      "[DONE]",
    ]);
    expect(got.finish).toMatchObject({
      reason: "unknown",
      rawReason: "__proto__",
    });
    expect(got.partialToolCalls).toMatchObject([{ toolCallId: "__proto__" }]);
    expect(({} as Record<string, unknown>)["x"]).toBe(undefined);
  });

  test("100,000 deltas of one character take linear time", () => {
    const time = (count: number): number => {
      const chunks = Array.from(
        { length: count },
        () => JSON.stringify(call({ index: 0 }, "1")),
      );
      const stage = openaiChat.create({});
      const parts: Part[] = [];
      const emit = (part: Part): void => {
        parts.push(part);
      };
      const from = performance.now();
      stage.push({
        data: JSON.stringify(call({ index: 0, id: "a", name: "f" }, "1")),
      }, emit);
      for (const data of chunks) stage.push({ data }, emit);
      stage.push({ data: JSON.stringify(over) }, emit);
      stage.end(emit);
      expect(parts.length).toBe(count + 4);
      return performance.now() - from;
    };
    time(1000);
    const small = time(10_000);
    const large = time(100_000);
    // Ten times the work; quadratic would be a hundred times.
    expect(large).toBeLessThan(Math.max(small, 10) * 40);
  });
});

describe("text and reasoning of the chat wire", () => {
  test("content as text, null or parts", () => {
    const got = decode([
      delta({ role: "assistant", content: null }),
      delta({ content: "a" }),
      delta({ content: [{ type: "text", text: "b" }, "c"] }),
      delta({
        content: [{
          type: "thinking",
          thinking: [{ type: "text", text: "hm" }],
        }],
      }),
      delta({ content: [{ type: "image_url", image_url: "x" }] }),
      delta({}, "stop"),
    ]);
    expect(got.text).toBe("abc");
    expect(got.reasoning).toBe("hm");
    expect(got.parts.filter((part) => part.type === "raw").length).toBe(1);
  });

  test("reasoning under either name, not doubled under both", () => {
    const got = decode([
      delta({ reasoning_content: "a" }),
      delta({ reasoning: "b" }),
      delta({ reasoning: "c", reasoning_content: "c" }),
      delta({}, "stop"),
    ]);
    expect(got.reasoning).toBe("abc");
  });

  test("other choices pass as raw, with one warning", () => {
    const chunk = (index: number, content: string): unknown => ({
      choices: [{ index, delta: { content }, finish_reason: null }],
    });
    const chunks = [chunk(0, "a"), chunk(1, "x"), chunk(1, "y"), chunk(0, "b")];
    const got = decode(chunks);
    expect(got.text).toBe("ab");
    expect(got.warnings.map((one) => one.code)).toEqual(["other-choice"]);
    expect(got.parts.filter((part) => part.type === "raw").length).toBe(2);
    expect(decode(chunks, { choice: 1 }).text).toBe("xy");
    expect(decode(chunks, { mergeChoices: true }).text).toBe("axyb");
  });

  test("what there is no part for passes as raw", () => {
    const annotated = delta({ content: "a", annotations: [{ url: "u" }] });
    expect(decode([annotated]).parts).toEqual([
      { type: "text", text: "a", start: 0 },
      { type: "raw", value: annotated },
      { type: "finish", reason: "unknown", complete: false },
    ]);
    expect(decode([annotated], { raw: "none" }).parts.length).toBe(2);
  });

  test("a refusal is no answer", () => {
    const got = decode([delta({ refusal: "No." }), delta({}, "stop")]);
    expect(got.text).toBe("");
    expect(got.warnings.map((one) => one.code)).toEqual(["refusal"]);
    expect(got.parts.filter((part) => part.type === "raw").length).toBe(1);
  });

  test("usage comes once unless it changes", () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const got = decode([
      { ...delta({ content: "a" }) as object, usage },
      { ...delta({ content: "b" }) as object, usage },
      {
        choices: [],
        usage: {
          ...usage,
          completion_tokens: 4,
          completion_tokens_details: { reasoning_tokens: 1 },
          prompt_tokens_details: { cached_tokens: 1 },
        },
      },
    ]);
    expect(got.parts.filter((part) => part.type === "usage")).toEqual([
      { type: "usage", inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      {
        type: "usage",
        inputTokens: 1,
        outputTokens: 4,
        totalTokens: 3,
        reasoningTokens: 1,
        cachedInputTokens: 1,
      },
    ]);
  });

  test("noise: keep-alives are no news, the rest is reported", () => {
    const got = decode(["", "  ", ": ping", "what?", delta({}, "stop")]);
    expect(got.warnings.map((one) => one.code)).toEqual(["invalid-line"]);
    expect(got.parts.filter((part) => part.type === "raw")).toEqual([
      { type: "raw", value: "what?" },
    ]);
  });

  test("errors keep what came before and end the stream so", () => {
    for (
      const error of [
        { message: "busy", type: "server_error", code: 503 },
        "busy",
      ]
    ) {
      const got = decode([delta({ content: "a" }), { error }, "[DONE]"]);
      expect(got.text).toBe("a");
      expect(got.errors).toMatchObject([{
        error: { message: "busy" },
        fatal: true,
      }]);
      expect(got.finish).toMatchObject({ reason: "error", complete: true });
    }
  });

  test("choice has to be a whole number", () => {
    expect(() => decode([], { choice: -1 })).toThrow(RangeError);
    expect(() => decode([], { choice: 0.5 })).toThrow(RangeError);
    expect(() => decode([], { maxOpenCalls: 0 })).toThrow(RangeError);
    expect(() => decode([], { maxArgumentChars: Number.NaN })).toThrow(
      RangeError,
    );
  });
});

test("a name on every delta, or an id of its own, takes linear time too", () => {
  const run = (count: number, name: boolean): number => {
    const stage = openaiChat.create({});
    const calls: Part[] = [];
    const push = (piece: string, at: number): void =>
      stage.push({
        data: "",
        value: {
          choices: [{
            index: 0,
            delta: {
              tool_calls: [{
                index: 0,
                ...(name ? {} : { id: `b${at}` }),
                function: { ...(name ? { name: "f" } : {}), arguments: piece },
              }],
            },
          }],
        },
      }, (part) => {
        if (part.type === "tool-call") calls.push(part);
      });
    const before = performance.now();
    stage.push({
      data:
        '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\\"x\\":\\""}}]}}]}',
    }, () => {});
    for (let at = 0; at < count; at++) push("x", at);
    push('"}', count);
    stage.push({
      data: '{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
    }, (part) => {
      if (part.type === "tool-call") calls.push(part);
    });
    expect(calls).toMatchObject([{
      toolCallId: "a",
      input: { x: "x".repeat(count) },
    }]);
    return performance.now() - before;
  };
  for (const name of [true, false]) {
    run(1000, name);
    expect(least(() => run(100_000, name) / run(10_000, name)))
      .toBeLessThan(40);
  }
});
