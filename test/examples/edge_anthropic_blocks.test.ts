import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveProvider } from "../../adapters/provider.ts";
import { anthropicClient } from "../../examples/edge/anthropic_client.ts";
import type { Fields } from "../../examples/edge/json.ts";
import type { Emit, Part, Stage } from "../../mod.ts";
import { RUNS } from "../laws.ts";

const head = { id: "msg_1", model: "m", created: 1 };

/** Events in any order, as no API sends them. */
const event: fc.Arbitrary<Fields> = fc.oneof(
  fc.record({
    type: fc.constant("content_block_start"),
    index: fc.nat(3),
    content_block: fc.constantFrom<Fields>(
      { type: "text", text: "" },
      { type: "text", text: "t" },
      { type: "thinking", thinking: "", signature: "" },
      { type: "redacted_thinking", data: "r" },
      { type: "tool_use", id: "a", name: "f", input: {} },
      { type: "server_tool_use", id: "b", name: "g", input: {} },
      { type: "web_search_tool_result", content: [] },
    ),
  }),
  fc.record({
    type: fc.constant("content_block_delta"),
    index: fc.nat(3),
    delta: fc.constantFrom<Fields>(
      { type: "text_delta", text: "x" },
      { type: "thinking_delta", thinking: "y" },
      { type: "signature_delta", signature: "s" },
      { type: "citations_delta", citation: { c: 1 } },
      { type: "input_json_delta", partial_json: "{}" },
      { type: "unknown_delta" },
    ),
  }),
  fc.record({ type: fc.constant("content_block_stop"), index: fc.nat(3) }),
  fc.constantFrom<Fields>(
    { type: "message_start", message: {} },
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "ping" },
    { type: "something_new", content_block: 7 },
  ),
);

/** What the client gets for these events, the encoder made anew at every cut. */
function wire(events: readonly Fields[], cut = false): string {
  const texts: string[] = [];
  const emit: Emit<string> = (text) => {
    texts.push(text);
  };
  const make = (snapshot?: unknown): Stage<string | Part, string> =>
    anthropicClient.encoder(head, true, snapshot).stage;
  let encoder = make();
  const decoder = resolveProvider("anthropic").create({});
  const push = (part: Part): void => {
    encoder.push(part, emit);
    if (cut) encoder = make(JSON.parse(JSON.stringify(encoder.snapshot())));
  };
  for (const event of events) {
    decoder.push({ data: JSON.stringify(event) }, push);
  }
  decoder.end(push);
  encoder.end(emit);
  return texts.join("");
}

describe("Anthropic's blocks", () => {
  test("are well-formed, whatever comes", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 25 }), (events) => {
        let next = 0;
        let open: number | undefined;
        let cutCall = false;
        let began = false;
        let over = false;
        const got = wire(events).split("\n\n").slice(0, -1).map((block) =>
          JSON.parse(block.slice(block.indexOf("\ndata: ") + 7))
        );
        for (const { type, index, content_block } of got) {
          if (over) expect(type).toBe("message_stop");
          switch (type) {
            case "message_start":
              expect(began).toBe(false);
              began = true;
              break;
            case "content_block_start":
              // A call that was cut is never closed.
              if (cutCall) open = undefined;
              expect([began, open, index]).toEqual([true, undefined, next++]);
              open = index;
              cutCall = content_block.type === "tool_use";
              break;
            case "content_block_delta":
              expect(index).toBe(open);
              break;
            case "content_block_stop":
              expect(index).toBe(open);
              open = undefined;
              break;
            case "message_delta":
              over = true;
          }
        }
        // Signatures and passed blocks are never lost.
        const count = (type: string, list: readonly Fields[]) =>
          list.filter((one) =>
            (one.delta as Fields | undefined)?.type === type ||
            (one.content_block as Fields | undefined)?.type === type
          ).length;
        for (
          const type of [
            "signature_delta",
            "redacted_thinking",
            "server_tool_use",
          ]
        ) expect(count(type, got)).toBe(count(type, events));
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  }, 30_000);

  test("go on from a snapshot anywhere", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 25 }), (events) => {
        expect(wire(events, true)).toBe(wire(events));
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  }, 30_000);
});
