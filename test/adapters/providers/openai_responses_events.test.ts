import { describe, expect, test } from "vitest";
import { openaiResponses } from "../../../adapters/providers/openai_responses.ts";
import { decodeWith } from "./decode.ts";

const item = (type: "added" | "done", fields: object, at = 0): unknown => ({
  type: `response.output_item.${type}`,
  output_index: at,
  item: fields,
});
const over = (status: string, response?: object): unknown => ({
  type: `response.${status}`,
  response,
});

describe("odd events of OpenAI's Responses", () => {
  test("a refusal is told once and kept", () => {
    const event = { type: "response.refusal.delta", delta: "No." };
    const got = decodeWith(openaiResponses, [event, event, over("completed")]);
    expect(got.text).toBe("");
    expect(got.raws).toEqual([event, event]);
    expect(got.warnings.map(({ code }) => code)).toEqual(["refusal"]);
  });

  test("errors, also without a type", () => {
    for (
      const event of [
        { error: { message: "m" } },
        { type: "error", message: "m", sequence_number: 1 },
        { type: "error", error: { message: "m" } },
        over("failed", { error: { message: "m" } }),
      ]
    ) {
      const got = decodeWith(openaiResponses, [event]);
      expect(got.errors.map(({ error }) => error.message)).toEqual(["m"]);
      expect(got.finish).toMatchObject({ reason: "error" });
    }
  });

  test("an event without a type or an error is raw", () => {
    const got = decodeWith(openaiResponses, [{ odd: 1 }, { type: "odd" }]);
    expect(got.raws).toEqual([{ odd: 1 }, { type: "odd" }]);
  });

  test("a call whose name, id and arguments come with its end", () => {
    const got = decodeWith(openaiResponses, [
      item("added", { type: "function_call" }),
      item("done", {
        type: "function_call",
        id: "i",
        name: "f",
        arguments: '{"a":1}',
      }),
      // Here only the item has an id.
      item("done", {
        type: "function_call",
        id: "j",
        name: "g",
        arguments: "{}",
      }, 1),
      item("done", {
        type: "function_call",
        call_id: "k",
        name: "h",
        arguments: '{"b',
        status: "incomplete",
      }, 2),
      over("completed", {}),
    ]);
    expect(got.toolCalls.map(({ toolName, input }) => [toolName, input]))
      .toEqual([["f", { a: 1 }], ["g", {}]]);
    expect(got.toolCalls[1]!.toolCallId).toBe("j");
    expect(got.parts).toContainEqual({
      type: "tool-call-partial",
      toolCallId: "k",
      toolName: "h",
      inputText: '{"b',
    });
  });

  test("more open calls than may be are dropped with a warning", () => {
    const got = decodeWith(openaiResponses, [
      item("added", { type: "function_call", call_id: "a", name: "f" }),
      item("done", { type: "function_call", call_id: "b", name: "g" }, 1),
    ], { maxOpenCalls: 1 });
    expect(got.toolCalls).toEqual([]);
    expect(got.warnings).toHaveLength(1);
  });

  test("an answer cut for a reason of its own, or none", () => {
    expect(
      decodeWith(openaiResponses, [
        over("incomplete", {
          incomplete_details: { reason: "max_output_tokens" },
        }),
      ]).finish,
    ).toMatchObject({ reason: "length", rawReason: "max_output_tokens" });
    expect(decodeWith(openaiResponses, [over("incomplete")]).finish)
      .toMatchObject({ rawReason: "incomplete", complete: true });
    expect(decodeWith(openaiResponses, [over("cancelled")]).finish)
      .toMatchObject({ reason: "cancelled" });
  });

  test("many texts at once: the oldest is forgotten, none is lost", () => {
    const count = 2_000;
    const got = decodeWith(
      openaiResponses,
      Array.from({ length: count }, (_, at) => ({
        type: "response.output_text.delta",
        output_index: at,
        content_index: 0,
        delta: "x",
      })),
    );
    expect(got.text).toBe("x".repeat(count));
  });

  test("is told from others", () => {
    expect(openaiResponses.detect({ type: "error", sequence_number: 1 }))
      .toBe(true);
    for (const value of [null, {}, { type: "error" }, { type: "other" }]) {
      expect(openaiResponses.detect(value)).toBe(false);
    }
  });
});
