import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../adapters/providers/openai_chat.ts";
import { decodeWith } from "./decode.ts";

const chunk = (delta: object | undefined, more: object = {}): unknown => ({
  choices: [{ index: 0, delta, ...more }],
});
const calls = (...tool_calls: unknown[]): unknown => chunk({ tool_calls });
const call = (
  id: string | null,
  name?: string,
  args?: string,
  index?: number,
) => ({
  id,
  index,
  function: { name, arguments: args },
});
const stop = chunk({}, { finish_reason: "tool_calls" });

function inputsOf(events: readonly unknown[]): unknown[] {
  return decodeWith(openaiChat, events).toolCalls.map((
    { toolName, input },
  ) => [toolName, input]);
}

describe("odd chunks of chat completions", () => {
  test("an error in a choice", () => {
    const got = decodeWith(openaiChat, [
      chunk({ content: "a" }, { error: { message: "busy", code: 503 } }),
    ]);
    expect(got.text).toBe("a");
    expect(got.errors.map(({ error }) => error.message)).toEqual(["busy"]);
    expect(got.finish).toMatchObject({ reason: "error" });
  });

  test("a name that comes late, or with the arguments' end", () => {
    expect(inputsOf([
      calls(call("a", "", '{"x"', 0)),
      calls(call("a", "f", ":1}", 0)),
      stop,
    ])).toEqual([["f", { x: 1 }]]);
  });

  test("no index: the id or the name says which call goes on", () => {
    expect(inputsOf([
      calls(call("a", "f", '{"x"')),
      calls(call("a", undefined, ":1}")),
      calls(call("b", "g", "{}")),
      stop,
    ])).toEqual([["f", { x: 1 }], ["g", {}]]);
    // A name that is repeated in every delta, and one that begins a new call.
    expect(inputsOf([
      calls(call(null, "f", '{"x"')),
      calls(call(null, "f", ":1}")),
      calls(call(null, "f", '{"x":2}')),
      calls(call(null, "g", "{}")),
      stop,
    ])).toEqual([["f", { x: 1 }], ["f", { x: 2 }], ["g", {}]]);
  });

  test("an id that comes late, and alone", () => {
    const got = decodeWith(openaiChat, [
      calls(call(null, "f", "{")),
      calls(call("late", undefined, "}")),
      stop,
    ]);
    // The same call; the id it has left with stays.
    expect(got.toolCalls).toMatchObject([{ toolCallId: "call-1", input: {} }]);
    const unnamed = decodeWith(openaiChat, [
      calls(call(null, undefined, "{")),
      calls(call("late", undefined, "}")),
      calls(call("late", "f", "")),
      stop,
    ]);
    expect(unnamed.toolCalls).toMatchObject([{ toolCallId: "late" }]);
  });

  test("an index that was never opened, with a name, is a new call", () => {
    expect(inputsOf([
      calls(call(null, "f", "{}", 0)),
      calls(call(null, "g", "{}", 1)),
      // Neither id nor name: the active one goes on.
      calls(call(null, undefined, " ", 7)),
      stop,
    ])).toEqual([["f", {}], ["g", {}]]);
    // One index for calls that only their names tell apart.
    expect(inputsOf([
      calls(call(null, "f", "{}", 0)),
      calls(call(null, "g", "{}", 0)),
      stop,
    ])).toEqual([["f", {}], ["g", {}]]);
  });

  test("arguments as an object; a call that describes nothing", () => {
    expect(inputsOf([
      calls({
        index: 0,
        id: "a",
        function: { name: "f", arguments: { x: 1 } },
      }),
      stop,
    ])).toEqual([["f", { x: 1 }]]);
    const got = decodeWith(openaiChat, [calls({ index: 0 }, "odd"), stop]);
    expect(got.toolCalls).toEqual([]);
    expect(got.raws).toHaveLength(1);
  });

  test("the call of the older form, its name late", () => {
    const got = decodeWith(openaiChat, [
      chunk({ function_call: { arguments: '{"x"' } }),
      chunk({ function_call: { name: "f", arguments: ":1}" } }),
      chunk({}, { finish_reason: "function_call" }),
    ]);
    expect(got.toolCalls).toMatchObject([{ toolName: "f", input: { x: 1 } }]);
    const full = decodeWith(openaiChat, [
      calls(call("a", "f", "{", 0)),
      chunk({ function_call: { name: "g", arguments: "{}" } }),
    ], { maxOpenCalls: 1 });
    expect(full.warnings).toHaveLength(1);
  });

  test("content in parts: text, thoughts, and what is neither", () => {
    const odd = chunk({ content: ["b", 1, { type: "image" }] });
    // The thought that is none is not dropped without a word.
    const half = chunk({
      content: [{ type: "thinking", thinking: [{ text: ", so" }, "odd"] }],
    });
    const got = decodeWith(openaiChat, [
      chunk({ content: [{ type: "text", text: "a" }] }),
      chunk({ content: [{ type: "thinking", thinking: "hm" }] }),
      half,
      odd,
    ]);
    expect(got.text).toBe("ab");
    expect(got.reasoning).toBe("hm, so");
    expect(got.raws).toEqual([half, odd]);
  });

  test("two choices in one: each ends its own calls", () => {
    const at = (index: number, fields: object): object => ({
      index,
      ...fields,
    });
    const got = decodeWith(openaiChat, [
      {
        choices: [
          at(0, { delta: { tool_calls: [call("a", "f", "{}", 0)] } }),
          at(1, { message: { tool_calls: [call("b", "g", '{"x', 0)] } }),
        ],
      },
      { choices: [at(0, { finish_reason: "tool_calls" })] },
      { choices: [at(1, { finish_reason: "length" })] },
    ], { mergeChoices: true });
    expect(got.toolCalls).toMatchObject([{ toolCallId: "a" }]);
    expect(got.partialToolCalls).toMatchObject([{ toolCallId: "b" }]);
  });

  test("another choice is left out with one warning", () => {
    const got = decodeWith(openaiChat, [
      { choices: [{ index: 1, message: { content: "b" } }] },
      { choices: [{ index: 1, text: "b" }] },
      { choices: [{ index: 1 }] },
      chunk({ content: "a" }),
    ]);
    expect(got.text).toBe("a");
    expect(got.warnings.map(({ code }) => code)).toEqual(["other-choice"]);
    expect(got.raws).toHaveLength(2);
  });
});
