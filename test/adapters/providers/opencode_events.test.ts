import { describe, expect, test } from "vitest";
import { opencode } from "../../../adapters/providers/opencode.ts";
import { decodeWith } from "./decode.ts";

const event = (type: string, properties: object): unknown => ({
  type,
  properties,
});
const part = (fields: object): unknown =>
  event("message.part.updated", {
    part: { sessionID: "s", messageID: "m", ...fields },
  });

describe("the events of opencode's server", () => {
  test("text grows, by whole states and by deltas", () => {
    const got = decodeWith(opencode, [
      event("server.connected", {}),
      part({ id: "1", type: "text", text: "Hel" }),
      part({ id: "1", type: "text", text: "Hello" }),
      // An older state that is overtaken brings nothing.
      part({ id: "1", type: "text", text: "Hell" }),
      event("message.part.delta", {
        partID: "1",
        field: "text",
        delta: ", you",
      }),
      part({ id: "1", type: "text", text: "Hello, you.", time: { end: 1 } }),
      part({ id: "2", type: "reasoning", text: "Hm" }),
      event("message.part.delta", { partID: "2", field: "text", delta: "m." }),
      event("server.heartbeat", {}),
      event("session.idle", { sessionID: "s" }),
    ]);
    expect(got.text).toBe("Hello, you.");
    expect(got.reasoning).toBe("Hmm.");
    expect(got.raws).toEqual([]);
    expect(got.finish).toMatchObject({ reason: "unknown", complete: true });
  });

  test("what is no answer passes as raw", () => {
    const events = [
      part({ id: "1", type: "text", text: "a hint", synthetic: true }),
      part({ id: "2", type: "text", text: "left out", ignored: true }),
      part({ id: "3", type: "snapshot" }),
      part({ id: "4", type: "text", text: "a sub-agent", sessionID: "t" }),
      event("message.part.updated", {}),
      event("message.part.delta", { partID: "9", field: "text", delta: "x" }),
      event("todo.updated", {}),
      { type: "unknown line" },
    ];
    const got = decodeWith(opencode, [
      ...events,
      // Another session's end is not this one's.
      event("session.idle", { sessionID: "t" }),
    ]);
    expect(got.text).toBe("");
    expect(got.raws).toEqual(events);
    expect(got.finish).toMatchObject({ complete: false });
  });

  test("messages of the user are no answer, however many", () => {
    const said = part({
      id: "1",
      type: "text",
      text: "please",
      messageID: "u",
    });
    const user = (id: string): unknown =>
      event("message.updated", { info: { role: "user", id } });
    const got = decodeWith(opencode, [user("u"), user("u"), said]);
    expect(got.text).toBe("");
    expect(got.raws).toEqual([said]);
    // What is remembered has a limit: the oldest goes.
    const many = Array.from({ length: 1025 }, (_, at) => user(`u${at}`));
    const late = decodeWith(opencode, [
      ...many,
      part({ id: "1", type: "text", text: "b", messageID: "u1" }),
      part({ id: "2", type: "text", text: "a", messageID: "u0" }),
    ]);
    expect(late.text).toBe("a");
  });

  test("a call is known when it runs, its result when it is over", () => {
    const tool = (state?: object): unknown =>
      part({ id: "1", type: "tool", callID: "c", tool: "ls", state });
    const got = decodeWith(opencode, [
      tool({ status: "pending" }),
      tool({ status: "running", input: { path: "." } }),
      tool({ status: "completed", input: { path: "." }, output: "a.md" }),
      part({ id: "2", type: "tool", callID: "d", tool: "pwd" }),
      part({
        id: "3",
        type: "tool",
        callID: "e",
        tool: "rm",
        state: { status: "error", error: "no" },
      }),
      part({
        id: "4",
        type: "tool",
        callID: "f",
        tool: "true",
        state: { status: "completed" },
      }),
      part({ id: "5", type: "step-finish", reason: "tool-calls" }),
    ]);
    expect(
      got.toolCalls.map(({ toolCallId, input }) => [toolCallId, input]),
    ).toEqual([["c", { path: "." }], ["d", {}], ["e", {}], ["f", {}]]);
    expect(
      got.toolResults.map(({ toolCallId, output }) => [toolCallId, output]),
    ).toEqual([["c", "a.md"], ["e", "no"], ["f", ""]]);
    // That it failed is in no part.
    expect(got.raws).toHaveLength(1);
    // The tools have run already: nobody is asked for results.
    expect(got.finish).toMatchObject({
      reason: "stop",
      rawReason: "tool-calls",
    });
    expect(got.usage).toBeUndefined();
  });

  test("errors of a message, a session and a line", () => {
    const errors = [
      event("message.updated", {
        info: { error: { name: "APIError", data: { message: "busy" } } },
      }),
      event("session.error", {
        error: { name: "", data: { message: "gone" } },
      }),
      event("session.error", { error: "plain" }),
      { type: "error", error: { message: "on the line" } },
    ];
    const got = decodeWith(opencode, [event("message.updated", {}), ...errors]);
    expect(got.errors.map(({ error }) => [error.name, error.message])).toEqual([
      ["APIError", "busy"],
      ["ProviderError", "gone"],
      ["ProviderError", "plain"],
      ["ProviderError", "on the line"],
    ]);
    expect(got.finish).toMatchObject({ reason: "error", complete: false });
  });

  test("is told from others", () => {
    for (
      const value of [
        event("session.idle", {}),
        { type: "text", sessionID: "s", part: {} },
      ]
    ) expect([value, opencode.detect(value)]).toEqual([value, true]);
    for (
      const value of [
        null,
        {},
        { type: "text" },
        { type: "text", sessionID: "s" },
        { type: "text", sessionID: 1, part: {} },
        event("response.created", {}),
      ]
    ) expect([value, opencode.detect(value)]).toEqual([value, false]);
  });
});
