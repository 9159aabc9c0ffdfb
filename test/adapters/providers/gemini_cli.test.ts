import { describe, expect, test } from "vitest";
import { geminiCli } from "../../../adapters/providers/gemini_cli.ts";
import { decodeWith } from "./decode.ts";

describe("Gemini's command line", () => {
  test("text, calls, results, an error result", () => {
    const got = decodeWith(geminiCli, [
      { type: "init", session_id: "s", timestamp: "t" },
      { type: "message", role: "user", content: "hi", timestamp: "t" },
      { type: "message", role: "assistant", content: "a", delta: true },
      { type: "tool_use", tool_id: "t", tool_name: "f", parameters: {} },
      {
        type: "tool_result",
        tool_id: "t",
        status: "error",
        error: { type: "E", message: "m" },
      },
      {
        type: "result",
        status: "error",
        error: { type: "Fatal", message: "quota" },
      },
    ]);
    expect(got.text).toBe("a");
    expect(got.toolCalls).toMatchObject([{ toolCallId: "t" }]);
    expect(got.toolResults[0]!.output).toEqual({ type: "E", message: "m" });
    expect(got.finish).toMatchObject({ reason: "error", complete: true });
    expect(got.errors[0]!.error).toEqual({ name: "Fatal", message: "quota" });
  });
});
