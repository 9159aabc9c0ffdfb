import { describe, expect, test } from "vitest";
import { claudeCode } from "../../../adapters/providers/claude_code.ts";
import { decodeWith } from "./decode.ts";

const assistant = (content: unknown, more: object = {}): unknown => ({
  type: "assistant",
  message: { id: "m", content },
  ...more,
});
const stream = (event: unknown): unknown => ({ type: "stream_event", event });
const use = (fields: object): object => ({ type: "tool_use", ...fields });

describe("odd lines of the Claude command line", () => {
  test("a message as a string, and blocks there is no part for", () => {
    const odd = assistant(["odd", { type: "image" }]);
    const got = decodeWith(claudeCode, [assistant("Hello."), odd, {
      type: "assistant",
    }]);
    expect(got.text).toBe("Hello.");
    expect(got.raws).toEqual([odd]);
  });

  test("a withdrawn message, by the line that replaces it", () => {
    const got = decodeWith(claudeCode, [
      assistant("No."),
      assistant("Yes.", { supersedes: ["m0"] }),
    ]);
    expect(got.text).toBe("No.Yes.");
    expect(got.warnings.map(({ code }) => code)).toEqual(["retracted"]);
  });

  test("a whole message that overtakes its deltas is not told twice", () => {
    const got = decodeWith(claudeCode, [
      assistant([use({ id: "t", name: "Read", input: { a: 1 } })]),
      stream({ type: "message_start", message: { id: "m" } }),
      stream({
        type: "content_block_start",
        index: 0,
        content_block: use({ id: "t", name: "Read" }),
      }),
    ]);
    expect(got.toolCalls).toHaveLength(1);
    expect(got.partialToolCalls).toEqual([]);
  });

  test("a whole message fills what its deltas did not bring", () => {
    for (const [input, expected] of [[{ a: 1 }, { a: 1 }], [{}, {}]]) {
      const got = decodeWith(claudeCode, [
        stream({ type: "message_start", message: { id: "m" } }),
        stream({
          type: "content_block_start",
          index: 0,
          content_block: use({ id: "t", name: "Read" }),
        }),
        assistant([use({ id: "t", name: "Read", input })]),
        // Of this one no block has begun: it is all new.
        assistant([{ type: "text", text: "New." }]),
      ]);
      expect(got.toolCalls.map(({ input }) => input)).toEqual([expected]);
      expect(got.text).toBe("New.");
    }
  });

  test("blocks without content, a delta of no block, calls without an id", () => {
    const got = decodeWith(claudeCode, [
      stream({ type: "message_start" }),
      stream({ type: "content_block_start", index: 0 }),
      stream({ type: "content_block_delta", index: 9 }),
      stream("odd"),
      assistant([use({ name: "Read" }), use({ name: "Read" })]),
    ]);
    expect(got.toolCalls.map(({ input }) => input)).toEqual([{}, {}]);
    const ids = got.toolCalls.map(({ toolCallId }) => toolCallId);
    expect(new Set(ids).size).toBe(2);
    expect(got.raws).toContainEqual(stream("odd"));
  });

  test("very many blocks and calls: what is remembered has a limit", () => {
    const events: unknown[] = [
      stream({ type: "message_start", message: { id: "m" } }),
    ];
    for (let index = 0; index < 5_000; index++) {
      events.push(
        stream({
          type: "content_block_start",
          index,
          content_block: { type: "text", text: "a" },
        }),
        assistant([use({ id: `t${index}`, name: "Read", input: {} })]),
      );
    }
    const got = decodeWith(claudeCode, events);
    expect(got.toolCalls).toHaveLength(5_000);
    expect(got.text).toBe("a".repeat(5_000));
    const stage = claudeCode.create({});
    for (const event of events) {
      stage.push({ data: JSON.stringify(event) }, () => {});
    }
    expect(JSON.stringify(stage.snapshot()).length).toBeLessThan(200_000);
  });

  test("why a message ends is not why the session ends", () => {
    for (const stop_reason of ["end_turn", "tool_use", "max_tokens"]) {
      const cut = [
        stream({ type: "message_start", message: { id: "m" } }),
        stream({
          type: "content_block_start",
          index: 0,
          content_block: use({ id: "a", name: "f", input: {} }),
        }),
        stream({ type: "content_block_stop", index: 0 }),
        stream({ type: "message_delta", delta: { stop_reason } }),
        stream({ type: "message_stop" }),
      ];
      const got = decodeWith(claudeCode, cut);
      expect(got.toolCalls).toHaveLength(stop_reason === "max_tokens" ? 0 : 1);
      // The command line runs the call itself, and nobody knows how it went on.
      expect(got.finish).toEqual({
        type: "finish",
        reason: "unknown",
        complete: false,
      });
    }
  });

  test("how a session may end badly", () => {
    for (
      const [line, code, message] of [
        [{ subtype: "error_max_turns" }, "error_max_turns", "error_max_turns"],
        [
          { subtype: "success", is_error: true, result: "busy" },
          "error",
          "busy",
        ],
        [
          { subtype: "success", is_error: true, api_error_status: 529 },
          "529",
          "success",
        ],
        [
          { subtype: "error", errors: ["a", 1, "b"] },
          "error",
          "a\nb",
        ],
      ] as const
    ) {
      const got = decodeWith(claudeCode, [{ type: "result", ...line }]);
      expect(got.errors.map(({ error }) => error.code)).toEqual([code]);
      expect(got.errors[0]!.error.message).toContain(message);
      expect(got.finish).toMatchObject({ reason: "error", complete: true });
    }
  });
});
