import { describe, expect, test } from "vitest";
import { geminiCli } from "../../../adapters/providers/gemini_cli.ts";
import { decodeWith } from "./decode.ts";

describe("odd lines of Gemini's command line", () => {
  test("calls and results without arguments and output", () => {
    const failed = {
      type: "tool_result",
      tool_id: "b",
      status: "error",
      error: { message: "no" },
    };
    const got = decodeWith(geminiCli, [
      { type: "tool_use", tool_id: "a", tool_name: "f" },
      { type: "tool_result", tool_id: "a", status: "success" },
      failed,
    ]);
    expect(got.toolCalls).toMatchObject([{ toolName: "f", input: {} }]);
    expect(got.toolResults.map(({ output }) => output))
      .toEqual(["", { message: "no" }]);
    expect(got.raws).toEqual([failed]);
    expect(got.finish).toMatchObject({ reason: "unknown", complete: false });
  });

  test("an error is made good by a result that went well", () => {
    const error = { type: "error", severity: "warning", message: "slow" };
    const well = decodeWith(geminiCli, [error, {
      type: "result",
      status: "success",
      stats: { input_tokens: 1 },
    }]);
    expect(well.errors).toMatchObject([
      { fatal: false, error: { message: "slow" } },
    ]);
    expect(well.usage).toMatchObject({ inputTokens: 1 });
    expect(well.finish).toMatchObject({ reason: "stop", complete: true });
    const badly = decodeWith(geminiCli, [{
      type: "result",
      status: "error",
      error: { message: "gone" },
    }]);
    expect(badly.errors.map(({ error }) => error.message)).toEqual(["gone"]);
    expect(badly.finish).toMatchObject({ reason: "error", rawReason: "error" });
  });

  test("is told from others", () => {
    const message = {
      type: "message",
      role: "user",
      content: "a",
      timestamp: 1,
    };
    expect(geminiCli.detect(message)).toBe(true);
    expect(geminiCli.detect({ type: "init", session_id: "s" })).toBe(true);
    for (
      const value of [
        null,
        { type: "init" },
        { ...message, type: "other" },
        { ...message, content: [] },
        { ...message, role: 1 },
        { type: "message", role: "user", content: "a" },
      ]
    ) expect([value, geminiCli.detect(value)]).toEqual([value, false]);
  });
});
