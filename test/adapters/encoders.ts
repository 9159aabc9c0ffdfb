import * as fc from "fast-check";
import type { Collected, Part } from "../../mod.ts";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const input = fc.dictionary(
  fc.string({ maxLength: 8 }),
  // Without -0, which JSON cannot write.
  fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text) as unknown),
  { maxKeys: 3 },
);

/** Parts of an answer as a decoder gives them, ids still to be given. */
const piece: fc.Arbitrary<Part[]> = fc.oneof(
  text.map((text): Part[] => [{ type: "text", text, start: 0 }]),
  text.map((text): Part[] => [{ type: "reasoning", text }]),
  fc.record({
    toolName: fc.string({ minLength: 1, maxLength: 10 }),
    input,
    cut: fc.nat(),
    streamed: fc.boolean(),
  }).map(({ toolName, input, cut, streamed }): Part[] => {
    const json = JSON.stringify(input);
    const at = cut % (json.length + 1);
    const deltas = [json.slice(0, at), json.slice(at)].filter((one) =>
      one !== ""
    );
    const call: Part = {
      type: "tool-call",
      toolCallId: "",
      toolName,
      input,
      origin: "native",
    };
    return streamed
      ? [
        { type: "tool-input-start", toolCallId: "", toolName },
        ...deltas.map((delta): Part => ({
          type: "tool-input-delta",
          toolCallId: "",
          delta,
        })),
        call,
      ]
      : [call];
  }),
);

const ends: fc.Arbitrary<Part[]> = fc.constantFrom<Part[]>(
  [{ type: "finish", reason: "stop", complete: true }],
  [{ type: "finish", reason: "content-filter", complete: true }],
  [{ type: "finish", reason: "unknown", complete: false }],
  [
    {
      type: "error",
      error: { name: "overloaded", message: "busy" },
      fatal: true,
    },
    { type: "finish", reason: "error", complete: false },
  ],
);

/**
 * An answer: text, reasoning and calls in any order, usage, an end. Calls only
 * under a normal end, since under another they would not be calls.
 */
export const answer: fc.Arbitrary<Part[]> = fc.record({
  pieces: fc.array(piece, { maxLength: 8 }),
  end: ends,
  usage: fc.option(
    fc.record({
      type: fc.constant("usage" as const),
      inputTokens: fc.nat(),
      outputTokens: fc.nat(),
    }),
    { nil: undefined },
  ),
}).map(({ pieces, end, usage }) => {
  const finish = end.at(-1) as { reason: string };
  const normal = finish.reason === "stop";
  let offset = 0;
  const parts = pieces.flatMap((one, index): Part[] => {
    if (one[0]!.type.startsWith("tool-") && !normal) return [];
    return one.map((part): Part => {
      if (part.type === "text") {
        const start = offset;
        offset += part.text.length;
        return { ...part, start };
      }
      return "toolCallId" in part
        ? { ...part, toolCallId: `call_${index}` }
        : part;
    });
  });
  const called = parts.some((part) => part.type === "tool-call");
  return [
    ...parts,
    ...(usage === undefined ? [] : [usage]),
    ...end.map((part): Part =>
      called && part.type === "finish"
        ? { ...part, reason: "tool-calls" }
        : part
    ),
  ];
});

/** What a wire can carry of an answer. */
export function carried(
  { text, reasoning, toolCalls, partialToolCalls, errors, usage, finish }:
    Collected,
): unknown {
  return {
    text,
    reasoning,
    toolCalls,
    partialToolCalls,
    errors,
    usage: usage === undefined
      ? [0, 0]
      : [usage.inputTokens, usage.outputTokens],
    // The wire has words of its own.
    finish: { ...finish, rawReason: undefined },
  };
}
