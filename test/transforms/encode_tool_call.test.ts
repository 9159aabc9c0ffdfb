import { describe, expect, test } from "vitest";
import { type EncodedToolCalls, encodeToolCall } from "../../mod.ts";
import { NOW_CALL } from "./salvage_support.ts";

describe("encodeToolCall", () => {
  const call = { toolCallId: "c1", toolName: "read", input: { path: "a" } };

  test("every API's own shape", () => {
    expect(encodeToolCall(call)).toEqual({
      type: "tool_use",
      id: "c1",
      name: "read",
      input: { path: "a" },
    });
    expect(encodeToolCall(call, "openai-chat")).toEqual({
      id: "c1",
      type: "function",
      function: { name: "read", arguments: '{"path":"a"}' },
    });
    expect(encodeToolCall(call, "openai-responses")).toEqual({
      type: "function_call",
      call_id: "c1",
      name: "read",
      arguments: '{"path":"a"}',
    });
    expect(encodeToolCall(call, "gemini")).toEqual({
      functionCall: { id: "c1", name: "read", args: { path: "a" } },
    });
    expect(encodeToolCall(call, "ollama")).toEqual({
      function: { name: "read", arguments: { path: "a" } },
    });
    expect(encodeToolCall(call, "ai-sdk")).toEqual({
      type: "tool-call",
      toolCallId: "c1",
      toolName: "read",
      input: { path: "a" },
    });
  });

  test("what it makes of a recovered call", () => {
    expect(encodeToolCall(NOW_CALL)).toMatchObject({ name: "now", input: {} });
  });

  test("a shape it does not know", () => {
    for (const shape of ["nope", "toString"]) {
      expect(() => encodeToolCall(call, shape as keyof EncodedToolCalls))
        .toThrow(RangeError);
    }
  });
});
