import process from "node:process";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  OpenAIChatEncoderStream,
  type OpenAIChatEncoderStreamOptions,
} from "../../adapters/encode_openai_chat.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { collect, parse, type Part } from "../../mod.ts";
import { answer, carried } from "./encoders.ts";

const runs = Number(process.env["FAST_CHECK_RUNS"] ?? 1000);

function encode(
  parts: readonly (string | Part)[],
  options?: OpenAIChatEncoderStreamOptions,
): string {
  return parse(parts, new OpenAIChatEncoderStream(options)).join("");
}

/** The data of the events. */
function eventsOf(wire: string): unknown[] {
  return wire.split("\n\n").filter((one) => one !== "").map((one) => {
    expect(one.startsWith("data: ")).toBe(true);
    const data = one.slice("data: ".length);
    return data === "[DONE]" ? data : JSON.parse(data);
  });
}

const finish: Part = { type: "finish", reason: "stop", complete: true };
const call: Part = {
  type: "tool-call",
  toolCallId: "c1",
  toolName: "f",
  input: { a: 1 },
  origin: "native",
};
const start: Part = {
  type: "tool-input-start",
  toolCallId: "c1",
  toolName: "f",
};
const delta = (text: string): Part => ({
  type: "tool-input-delta",
  toolCallId: "c1",
  delta: text,
});

describe("parts as OpenAI's chat completions", () => {
  test("an answer: role first, text, finish reason, usage, end", () => {
    const events = eventsOf(encode([
      "Hi",
      { type: "usage", inputTokens: 1, outputTokens: 2 },
      finish,
    ], { id: "x", model: "m", created: 7 }));
    const head = {
      id: "x",
      object: "chat.completion.chunk",
      created: 7,
      model: "m",
    };
    const chunk = (delta: object, finish_reason: string | null): unknown => ({
      ...head,
      choices: [{ index: 0, delta, finish_reason }],
    });
    expect(events).toEqual([
      chunk({ role: "assistant", content: "" }, null),
      chunk({ content: "Hi" }, null),
      chunk({}, "stop"),
      {
        ...head,
        choices: [],
        usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      },
      "[DONE]",
    ]);
  });

  test("decoding what was encoded gives the parts back", async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.boolean(), async (parts, streamInput) => {
        const wire = encode(parts, { streamInput });
        const got = await collect(fromSSE(wire, { provider: "openai-chat" }));
        const expected = await collect(parts);
        expect(carried(got)).toEqual(carried(expected));
        expect(got.warnings).toEqual([]);
      }),
      { numRuns: runs },
    );
  }, 60_000);

  test("and goes on from a snapshot anywhere", () => {
    fc.assert(
      fc.property(
        answer,
        fc.nat(),
        fc.boolean(),
        (parts, where, streamInput) => {
          const at = where % (parts.length + 1);
          const first = new OpenAIChatEncoderStream({ streamInput });
          let wire = "";
          const emit = (text: string): void => {
            wire += text;
          };
          for (const part of parts.slice(0, at)) first.stage.push(part, emit);
          const second = new OpenAIChatEncoderStream({
            streamInput,
            snapshot: JSON.parse(JSON.stringify(first.snapshot())),
          });
          for (const part of parts.slice(at)) second.stage.push(part, emit);
          second.stage.end(emit);
          expect(wire).toBe(encode(parts, { streamInput }));
        },
      ),
      { numRuns: Math.ceil(runs / 5) },
    );
  });

  test("calls go whole unless asked to stream", () => {
    const parts: Part[] = [start, delta('{"a"'), delta(":1}"), call];
    const pieces = (wire: string): unknown[] =>
      eventsOf(wire).map((event) =>
        (event as { choices: { delta: { tool_calls?: object[] } }[] })
          .choices[0]!.delta.tool_calls?.[0]
      ).filter((one) => one !== undefined);
    expect(pieces(encode(parts))).toEqual([
      {
        index: 0,
        id: "c1",
        type: "function",
        function: { name: "f", arguments: "" },
      },
      { index: 0, function: { arguments: '{"a":1}' } },
    ]);
    expect(pieces(encode(parts, { streamInput: true })).slice(1)).toEqual([
      { index: 0, function: { arguments: '{"a"' } },
      { index: 0, function: { arguments: ":1}" } },
    ]);
  });

  test("a call that was blocked is not there, or does not look finished", async () => {
    const parts: Part[] = [
      start,
      delta('{"a":1}'),
      { type: "tool-blocked", toolCallId: "c1", toolName: "f", reason: "no" },
      { ...finish, reason: "tool-calls" } as Part,
    ];
    expect(encode(parts)).not.toContain('"c1"');
    const got = await collect(
      fromSSE(encode(parts, { streamInput: true })),
    );
    expect(got.toolCalls).toEqual([]);
    expect(got.partialToolCalls.length).toBe(1);
    expect(got.finish).toMatchObject({ reason: "length" });
  });

  test("a cut call never looks whole, whatever the end says", async () => {
    const partial = (inputText: string): Part => ({
      type: "tool-call-partial",
      toolCallId: "p",
      toolName: "f",
      inputText,
    });
    for (const inputText of ['{"a":1}', '{"a":', ""]) {
      for (const reason of ["stop", "tool-calls", "length", "error"] as const) {
        for (const before of [[], [call]]) {
          const got = await collect(fromSSE(encode([
            ...before,
            partial(inputText),
            { type: "finish", reason, complete: true },
          ])));
          expect(got.toolCalls.some((one) => one.toolCallId === "p")).toBe(
            false,
          );
        }
      }
    }
  });

  test("a cut stream does not look finished", async () => {
    expect(encode(["Hi"])).not.toContain("DONE");
    const wire = encode([
      "Hi",
      { type: "finish", reason: "stop", complete: false },
    ]);
    expect(wire).not.toContain("DONE");
    expect((await collect(fromSSE(wire))).finish).toMatchObject({
      complete: false,
    });
  });

  test("a fatal error goes out, one that the stream outlives does not", () => {
    const error = { name: "E", message: "m", code: "c" };
    expect(
      eventsOf(encode([{ type: "error", error, fatal: true }])),
    ).toEqual([{ error: { message: "m", type: "E", code: "c" } }]);
    expect(encode([{ type: "error", error, fatal: false }])).toBe("");
  });

  test("reasoning under the name that is asked for", () => {
    const parts: Part[] = [{ type: "reasoning", text: "hm" }];
    expect(encode(parts)).toContain('"reasoning_content":"hm"');
    expect(encode(parts, { reasoningField: "reasoning" })).toContain(
      '"reasoning":"hm"',
    );
  });

  test("parts without a place are left out, and so is what follows the end", () => {
    expect(encode([
      { type: "warning", code: "x", message: "y" },
      { type: "raw", value: 1 },
      { type: "tool-result", toolCallId: "c", output: 1 },
    ])).toBe("");
    expect(encode([finish, "late", finish])).toBe(encode([finish]));
  });

  test("lone surrogates and line ends stay inside their event", async () => {
    const text = "a\ud800\n\ndata: [DONE]\u2028";
    expect(eventsOf(encode([text])).length).toBe(2);
    expect((await collect(fromSSE(encode([text])))).text).toBe(text);
  });
});
