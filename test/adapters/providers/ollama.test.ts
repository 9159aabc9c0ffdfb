import { describe, expect, test } from "vitest";
import { ollama } from "../../../adapters/providers/ollama.ts";
import { decodeWith } from "./decode.ts";

describe("Ollama", () => {
  test("chat, thinking, whole calls with and without ids", () => {
    const got = decodeWith(ollama, [
      { message: { thinking: "hm" }, done: false },
      { message: { content: "a" }, done: false },
      {
        message: {
          tool_calls: [
            { id: "x", function: { name: "f", arguments: { a: 1 } } },
            { function: { name: "g", arguments: '{"b":2}' } },
            { function: { name: "h" } },
          ],
        },
        done: false,
      },
      { message: {}, done: true, done_reason: "stop", eval_count: 2 },
    ]);
    expect(got.reasoning).toBe("hm");
    expect(got.toolCalls.map((one) => [one.toolCallId, one.input])).toEqual([
      ["x", { a: 1 }],
      ["call-1", { b: 2 }],
      ["call-2", {}],
    ]);
    expect(got.finish).toMatchObject({ reason: "tool-calls", complete: true });
  });

  test("a call that is no JSON does not run", () => {
    const got = decodeWith(ollama, [{
      message: { tool_calls: [{ function: { name: "f", arguments: "{" } }] },
      done: false,
    }]);
    expect(got.toolCalls).toEqual([]);
    expect(got.partialToolCalls).toMatchObject([{ inputText: "{" }]);
  });

  test("an error line, an old server's end, a load", () => {
    expect(decodeWith(ollama, [{ error: "no such model" }]).errors[0]!.error)
      .toMatchObject({ message: "no such model" });
    expect(decodeWith(ollama, [{ response: "", done: true }]).finish)
      .toMatchObject({ reason: "stop", complete: true });
    expect(
      decodeWith(ollama, [{ message: {}, done: true, done_reason: "load" }])
        .finish,
    ).toMatchObject({ reason: "stop", rawReason: "load" });
  });
});
