import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partsProvider } from "../../adapters/parts_provider.ts";
import type { ProviderInput } from "../../adapters/provider.ts";
import type { Part } from "../../mod.ts";
import { RUNS } from "../laws.ts";
import { outputs, outputsResumed } from "../support/wire.ts";

function decoded(...inputs: ProviderInput[]): Part[] {
  const { output, error } = outputs(partsProvider.create({}), inputs);
  if (error !== undefined) throw error;
  return output;
}

const of = (value: unknown): ProviderInput => ({ data: JSON.stringify(value) });
const unknown: Part = { type: "finish", reason: "unknown", complete: false };

describe("partsProvider", () => {
  test("keeps the last finish for the end", () => {
    const stop: Part = { type: "finish", reason: "stop", complete: true };
    const usage: Part = { type: "usage", inputTokens: 1 };
    expect(decoded(of(unknown), of(stop), of(usage))).toEqual([usage, stop]);
    expect(decoded()).toEqual([unknown]);
  });

  test("lets parts of unknown types pass, and known ones only whole", () => {
    const mine = { type: "mine", anything: [1] };
    expect(decoded(of(mine))).toEqual([mine, unknown]);
    for (
      const wrong of [
        { type: "text", text: 5, start: 0 },
        { type: "text", text: "no start" },
        { type: "fence-start", fence: null },
        { type: "finish", reason: "stop" },
        { notype: 1 },
        [1],
        5,
        null,
      ]
    ) {
      expect(decoded(of(wrong))).toEqual([
        { type: "raw", value: wrong },
        unknown,
      ]);
      expect(partsProvider.detect(wrong)).toBe(false);
    }
    expect(partsProvider.detect({ type: "mine" })).toBe(false);
    expect(partsProvider.detect({ type: "text", text: "a", start: 0 })).toBe(
      true,
    );
  });

  test("reports what is no JSON", () => {
    expect(decoded({ data: "[DONE" })).toMatchObject([
      { type: "warning", code: "malformed" },
      unknown,
    ]);
  });

  test("says how the transport failed", () => {
    const parts = (name: string) =>
      decoded(of({ type: "finish", reason: "stop", complete: true }), {
        data: "",
        error: { name, message: "m" },
      });
    expect(parts("TypeError")).toEqual([
      {
        type: "error",
        error: { name: "TypeError", message: "m" },
        fatal: true,
      },
      { type: "finish", reason: "error", complete: false },
    ]);
    expect(parts("AbortError").at(-1)).toEqual({
      type: "finish",
      reason: "cancelled",
      complete: false,
    });
  });

  test("takes anything, and goes on from a snapshot", () => {
    fc.assert(
      fc.property(fc.array(fc.json()), (list) => {
        const inputs = list.map((data) => ({ data }));
        const straight = outputs(partsProvider.create({}), inputs);
        expect(straight.error).toBe(undefined);
        const resumed = outputsResumed<ProviderInput, Part>(
          (snapshot) => partsProvider.create({}, snapshot),
          inputs,
        );
        expect(resumed).toEqual(straight);
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });
});
