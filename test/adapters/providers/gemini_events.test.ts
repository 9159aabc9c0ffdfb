import { describe, expect, test } from "vitest";
import { gemini } from "../../../adapters/providers/gemini.ts";
import { decodeWith } from "./decode.ts";

const parts = (list: unknown[], more: object = {}): unknown => ({
  candidates: [{ index: 0, content: { role: "model", parts: list }, ...more }],
});
const call = (fields: object): unknown => parts([{ functionCall: fields }]);

describe("odd chunks of Gemini", () => {
  test("parts that are none, and why an answer was malformed", () => {
    const odd = parts(["odd"]);
    const got = decodeWith(gemini, [
      odd,
      parts([], {
        finishReason: "MALFORMED_FUNCTION_CALL",
        finishMessage: "print(f())",
      }),
    ]);
    expect(got.raws).toContainEqual(odd);
    expect(got.warnings.map(({ message }) => message)).toEqual([
      'The answer ended with "MALFORMED_FUNCTION_CALL": print(f())',
    ]);
    expect(got.finish).toMatchObject({ reason: "error", complete: true });
  });

  test("arguments piece by piece, and whole ones in between", () => {
    const got = decodeWith(gemini, [
      call({ id: "a", name: "f", willContinue: true }),
      call({
        partialArgs: [{ jsonPath: "$.x", numberValue: 1 }],
        willContinue: true,
      }),
      call({ args: { y: 2 }, willContinue: true }),
      call({}),
      parts([], { finishReason: "STOP" }),
    ]);
    expect(got.toolCalls).toMatchObject([
      { toolCallId: "a", toolName: "f", input: { x: 1, y: 2 } },
    ]);
    expect(got.finish).toMatchObject({ reason: "tool-calls" });
  });

  test("a call that another one interrupts, or that is broken, is partial", () => {
    const got = decodeWith(gemini, [
      call({ name: "f", willContinue: true }),
      call({ name: "g", partialArgs: ["odd"], willContinue: true }),
      call({}),
    ]);
    expect(got.toolCalls).toEqual([]);
    expect(got.partialToolCalls.map(({ toolName }) => toolName))
      .toEqual(["f", "g"]);
  });

  test("a call without a name, an end without a beginning, too many calls", () => {
    const got = decodeWith(gemini, [call({}), call({ args: { x: 1 } })]);
    expect(got.toolCalls).toEqual([]);
    expect(got.parts.filter(({ type }) => type.startsWith("tool-call")))
      .toHaveLength(1);
    const full = decodeWith(gemini, [
      call({ name: "f", willContinue: true }),
      {
        candidates: [{
          index: 1,
          content: {
            parts: [{ functionCall: { name: "g", willContinue: true } }],
          },
        }],
      },
      call({ args: { x: 1 } }),
    ], { maxOpenCalls: 1, mergeChoices: true });
    expect(full.warnings.length).toBeGreaterThan(0);
  });
});
