import { describe, expect, test } from "vitest";
import { gemini } from "../../../adapters/providers/gemini.ts";
import type { ProviderOptions } from "../../../adapters/provider.ts";
import { decodeWith } from "./decode.ts";

function decode(
  events: readonly unknown[],
  options?: ProviderOptions,
): ReturnType<typeof decodeWith> {
  return decodeWith(gemini, events, options);
}

function chunk(parts: readonly object[], finishReason?: string): unknown {
  return { candidates: [{ content: { parts }, finishReason, index: 0 }] };
}
function piece(functionCall: object): unknown {
  return chunk([{ functionCall }]);
}

describe("Gemini", () => {
  test("a whole call gets an id, and that is said once", () => {
    const got = decode([
      piece({ name: "f", args: { x: 1 } }),
      piece({ name: "g" }),
      piece({ id: "mine", name: "h", args: {} }),
      chunk([], "STOP"),
    ]);
    expect(
      got.toolCalls.map((one) => [one.toolCallId, one.toolName, one.input]),
    )
      .toEqual([
        ["call-1", "f", { x: 1 }],
        ["call-2", "g", {}],
        ["mine", "h", {}],
      ]);
    expect(got.warnings.map((one) => one.code)).toEqual(["made-up-id"]);
    expect(got.finish).toMatchObject({
      reason: "tool-calls",
      rawReason: "STOP",
      complete: true,
    });
  });

  test("arguments streamed by path", () => {
    const got = decode([
      piece({ name: "cook", willContinue: true }),
      piece({
        partialArgs: [{
          jsonPath: "$.dish.name",
          stringValue: "Las",
          willContinue: true,
        }],
        willContinue: true,
      }),
      piece({
        partialArgs: [
          { jsonPath: "$.dish.name", stringValue: "agna" },
          { jsonPath: "$.steps[0]", stringValue: "boil" },
          { jsonPath: "$.steps[1]", numberValue: 2 },
          { jsonPath: "$['odd key'].ok", boolValue: true },
          { jsonPath: "$.none", nullValue: "NULL_VALUE" },
          { jsonPath: "$.__proto__.x", stringValue: "plain" },
        ],
        willContinue: true,
      }),
      piece({}),
      chunk([], "STOP"),
    ]);
    expect(got.toolCalls.length).toBe(1);
    expect(JSON.stringify(got.toolCalls[0]!.input)).toBe(
      '{"dish":{"name":"Lasagna"},"steps":["boil",2],"odd key":{"ok":true},' +
        '"none":null,"__proto__":{"x":"plain"}}',
    );
    expect(({} as Record<string, unknown>)["x"]).toBe(undefined);
    expect(got.parts.filter((part) => part.type === "tool-input-delta").length)
      .toBe(1);
  });

  test("streamed arguments that were cut, or make no sense, are no call", () => {
    const begin = piece({ name: "cook", willContinue: true });
    const part = piece({
      partialArgs: [{ jsonPath: "$.a", stringValue: "x" }],
      willContinue: true,
    });
    const cut = decode([begin, part]);
    expect(cut.toolCalls).toEqual([]);
    expect(cut.partialToolCalls).toMatchObject([{
      toolName: "cook",
      inputText: '{"jsonPath":"$.a","stringValue":"x"}\n',
    }]);
    for (
      const jsonPath of [
        "a",
        "$",
        "$.",
        "$.a[x]",
        "$.list[7]",
        "$.a.b",
        "$.a[0]",
        "$['a",
        `$${".a".repeat(65)}`,
      ]
    ) {
      const got = decode([
        begin,
        part,
        piece({ partialArgs: [{ jsonPath, stringValue: "y" }] }),
        chunk([], "STOP"),
      ]);
      expect(got.toolCalls, jsonPath).toEqual([]);
      expect(got.partialToolCalls.length, jsonPath).toBe(1);
      expect(got.warnings.map((one) => one.code)).toContain("malformed");
    }
  });

  test("another call before the first one was over", () => {
    const got = decode([
      piece({ name: "a", willContinue: true }),
      piece({ name: "b", willContinue: true }),
      piece({}),
      chunk([], "STOP"),
    ]);
    expect(got.partialToolCalls).toMatchObject([{ toolName: "a" }]);
    expect(got.toolCalls).toMatchObject([{ toolName: "b", input: {} }]);
  });

  test("streamed arguments have a limit", () => {
    const got = decode([
      piece({ name: "a", willContinue: true }),
      piece({
        partialArgs: [{ jsonPath: "$.a", stringValue: "x".repeat(50) }],
        willContinue: true,
      }),
      piece({}),
    ], { maxArgumentChars: 20 });
    expect(got.toolCalls).toEqual([]);
    expect(got.partialToolCalls.length).toBe(1);
    expect(got.warnings.map((one) => one.code)).toContain("limit");
  });

  test("a finish reason on every chunk does not end reading, the last one counts", () => {
    const got = decode([
      chunk([{ text: "a" }], "STOP"),
      chunk([{ text: "b" }], "MAX_TOKENS"),
    ]);
    expect(got.text).toBe("ab");
    expect(got.finish).toMatchObject({ reason: "length" });
  });

  test("a blocked prompt, a malformed call, an error", () => {
    expect(decode([{ promptFeedback: { blockReason: "SAFETY" } }]).finish)
      .toEqual({
        type: "finish",
        reason: "content-filter",
        rawReason: "SAFETY",
        complete: true,
      });
    const malformed = decode([chunk([], "MALFORMED_FUNCTION_CALL")]);
    expect(malformed.finish).toMatchObject({ reason: "error" });
    expect(malformed.warnings.map((one) => one.code)).toEqual(["malformed"]);
    expect(
      decode([{ error: { code: 503, message: "m", status: "UNAVAILABLE" } }])
        .errors[0]!.error,
    ).toEqual({ name: "UNAVAILABLE", message: "m", code: "503" });
  });

  test("thoughts, code, signatures, other candidates, the wrapped form", () => {
    const got = decode([
      chunk([{ text: "hm", thought: true }, { text: "a" }]),
      chunk([{ executableCode: { code: "1" } }]),
      chunk([{ text: "b", thoughtSignature: "s" }]),
      { candidates: [{ index: 1, content: { parts: [{ text: "x" }] } }] },
      { response: chunk([{ text: "c" }], "STOP") },
    ]);
    expect(got.reasoning).toBe("hm");
    expect(got.text).toBe("abc");
    expect(got.raws.length).toBe(3);
    expect(got.warnings.map((one) => one.code)).toEqual(["other-choice"]);
  });

  test("events in one array", () => {
    expect(
      decode([[chunk([{ text: "a" }]), chunk([{ text: "b" }], "STOP"), 1]])
        .text,
    ).toBe("ab");
  });
});
