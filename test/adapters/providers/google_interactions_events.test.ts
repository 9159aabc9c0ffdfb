import { describe, expect, test } from "vitest";
import { googleInteractions } from "../../../adapters/providers/google_interactions.ts";
import { decodeWith } from "./decode.ts";

const start = (step: object, index = 0): unknown => ({
  event_type: "step.start",
  index,
  step,
});
const delta = (given: object, index = 0): unknown => ({
  event_type: "step.delta",
  index,
  delta: given,
});
const over = (interaction?: object): unknown => ({
  event_type: "interaction.completed",
  interaction,
});

describe("the events of Google's Interactions", () => {
  test("text and thoughts, at once and in pieces", () => {
    const got = decodeWith(googleInteractions, [
      { event_type: "interaction.created" },
      start({
        type: "thought",
        content: [{ type: "text", text: "Let" }],
      }),
      delta({ type: "thought", thought: " me" }),
      delta({
        type: "thought_summary",
        content: { type: "text", text: " see." },
      }),
      { event_type: "step.stop", index: 0 },
      start({
        type: "model_output",
        content: [{ type: "text", text: "It" }],
      }, 1),
      delta({ type: "text", text: " is." }, 1),
      over({ status: "completed", usage: { total_input_tokens: 3 } }),
    ]);
    expect(got.reasoning).toBe("Let me see.");
    expect(got.text).toBe("It is.");
    expect(got.raws).toEqual([]);
    expect(got.usage).toMatchObject({ inputTokens: 3 });
    expect(got.finish).toMatchObject({ reason: "stop", complete: true });
  });

  test("what there is no part for passes as raw", () => {
    const image = start({
      type: "model_output",
      content: ["odd", { type: "image", data: "AA==" }],
    });
    const events = [
      image,
      start({ type: "google_search_call" }),
      delta({ type: "image" }),
      delta({ type: "arguments_delta", arguments: "{" }),
      { event_type: "step.delta" },
      { event_type: "step.start" },
      { event_type: "new.thing" },
      // Content that is no content is not dropped without a word either.
      delta({ type: "thought_summary", content: "odd" }),
    ];
    const got = decodeWith(googleInteractions, events);
    expect(got.raws).toEqual(events);
    expect(got.finish).toMatchObject({ reason: "unknown", complete: false });
  });

  test("arguments as an object, whole or none", () => {
    const got = decodeWith(googleInteractions, [
      start({ type: "function_call", id: "a", name: "f", arguments: { x: 1 } }),
      { event_type: "step.stop", index: 0 },
      // Without an index it is the first one.
      { event_type: "step.start", step: { type: "function_call", name: "g" } },
      { event_type: "step.delta", delta: { type: "function_call" } },
      { event_type: "step.stop" },
      start({ type: "function_call", id: "c", name: "h" }, 2),
      over({ status: "requires_action" }),
    ]);
    expect(got.toolCalls.map(({ toolName, input }) => [toolName, input]))
      .toEqual([["f", { x: 1 }], ["g", {}]]);
    // It was never closed.
    expect(got.partialToolCalls).toHaveLength(1);
    expect(got.finish).toMatchObject({ reason: "tool-calls" });
  });

  test("a call without id and name is opened and not lost", () => {
    const got = decodeWith(googleInteractions, [
      start({ type: "function_call" }),
      delta({ type: "arguments_delta", arguments: "{}" }),
      { event_type: "step.stop", index: 0 },
      over(),
    ]);
    expect(
      got.parts.filter(({ type }) => type.startsWith("tool-call")),
    ).toHaveLength(1);
  });

  test("more open calls than may be: the rest is dropped with a warning", () => {
    const got = decodeWith(googleInteractions, [
      start({ type: "function_call", id: "a", name: "f" }),
      start({ type: "function_call", id: "b", name: "f", arguments: {} }, 1),
    ], { maxOpenCalls: 1 });
    expect(got.warnings).toHaveLength(1);
  });

  test("errors in every shape", () => {
    for (
      const [event, message] of [
        [{ event_type: "error", error: { message: "a" } }, "a"],
        [{ event_type: "error", message: "b" }, "b"],
        [{ event_type: "odd", error: { message: "c" } }, "c"],
        [over({ status: "failed", error: { message: "d" } }), "d"],
      ] as const
    ) {
      const got = decodeWith(googleInteractions, [event]);
      expect(got.errors.map(({ error }) => error.message)).toEqual([message]);
      expect(got.finish).toMatchObject({ reason: "error" });
    }
  });

  test("ends for other reasons", () => {
    for (
      const [status, reason] of [
        ["incomplete", "length"],
        ["cancelled", "cancelled"],
        ["elsewhere", "unknown"],
      ]
    ) {
      const got = decodeWith(googleInteractions, [over({ status })]);
      expect(got.finish).toMatchObject({ reason, complete: true });
    }
  });

  test("is told from others", () => {
    expect(googleInteractions.detect(over())).toBe(true);
    for (const value of [null, {}, { event_type: 1 }, { event_type: "x.y" }]) {
      expect(googleInteractions.detect(value)).toBe(false);
    }
  });
});
