import { describe, expect, test } from "vitest";
import { opencode } from "../../../adapters/providers/opencode.ts";
import { decodeWith } from "./decode.ts";

describe("opencode", () => {
  test("the lines of its command line", () => {
    const part = (fields: object): unknown => ({
      type: "x",
      sessionID: "s",
      part: { sessionID: "s", messageID: "m", ...fields },
    });
    const got = decodeWith(opencode, [
      part({ id: "1", type: "step-start" }),
      part({ id: "2", type: "text", text: "Hi", time: { end: 1 } }),
      part({
        id: "3",
        type: "tool",
        callID: "c",
        tool: "ls",
        state: { status: "completed", input: { p: 1 }, output: "a" },
      }),
      part({
        id: "4",
        type: "step-finish",
        reason: "stop",
        tokens: { input: 1 },
      }),
    ]);
    expect(got.text).toBe("Hi");
    expect(got.toolCalls).toMatchObject([{ toolCallId: "c", input: { p: 1 } }]);
    expect(got.toolResults).toMatchObject([{ output: "a" }]);
    expect(got.finish).toMatchObject({ reason: "stop", complete: true });
  });
});
