import { describe, expect, test } from "vitest";
import { googleInteractions } from "../../../adapters/providers/google_interactions.ts";
import { decodeWith } from "./decode.ts";

describe("Google's Interactions", () => {
  test("a call whose arguments come as text", () => {
    const got = decodeWith(googleInteractions, [
      {
        event_type: "step.start",
        index: 0,
        step: { type: "function_call", id: "c", name: "f" },
      },
      {
        event_type: "step.delta",
        index: 0,
        delta: { type: "arguments_delta", arguments: '{"a":1}' },
      },
      { event_type: "step.stop", index: 0 },
      {
        event_type: "interaction.completed",
        interaction: { status: "requires_action" },
      },
    ]);
    expect(got.toolCalls).toMatchObject([{ toolCallId: "c", input: { a: 1 } }]);
    expect(got.finish).toMatchObject({ reason: "tool-calls", complete: true });
  });
});
