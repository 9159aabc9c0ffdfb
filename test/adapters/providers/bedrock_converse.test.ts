import { describe, expect, test } from "vitest";
import { bedrockConverse } from "../../../adapters/providers/bedrock_converse.ts";
import { decodeWith } from "./decode.ts";

describe("Bedrock Converse", () => {
  const start = {
    contentBlockStart: {
      contentBlockIndex: 0,
      start: { toolUse: { toolUseId: "t", name: "f" } },
    },
  };
  const stop = { contentBlockStop: { contentBlockIndex: 0 } };

  test("a call without arguments under a normal end and under a cut", () => {
    expect(
      decodeWith(bedrockConverse, [start, stop, {
        messageStop: { stopReason: "tool_use" },
      }]).toolCalls,
    ).toMatchObject([{ toolCallId: "t", input: {} }]);
    expect(
      decodeWith(bedrockConverse, [start, stop, {
        messageStop: { stopReason: "max_tokens" },
      }]).partialToolCalls.length,
    ).toBe(1);
  });

  test("exceptions in the stream", () => {
    const got = decodeWith(bedrockConverse, [
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "a" } } },
      { throttlingException: { message: "slow down" } },
    ]);
    expect(got.text).toBe("a");
    expect(got.errors[0]!.error).toEqual({
      name: "throttlingException",
      message: "slow down",
    });
    expect(got.finish).toMatchObject({ reason: "error", complete: false });
  });
});
