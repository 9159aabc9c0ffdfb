import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chunksOf,
  formatOf,
  playAll,
  Player,
  providerOf,
  type Setup,
} from "../../examples/playground/player.ts";
import { samples } from "../../examples/playground/samples.ts";
import { testCase } from "../../examples/playground/test_case.ts";
import type { Part } from "../../mod.ts";
import { markupText, merged, RUNS } from "../laws.ts";
import type { CaseLine } from "../support/cases/area_runner.ts";
import { areas } from "../support/cases/mod.ts";
import { root } from "../support/public_files.ts";

const plain: Setup = {
  text: "",
  format: "auto",
  tools: [{ name: "read" }],
  directives: ["log"],
  reasoning: true,
  fences: "tolerant",
  size: 5,
  seed: 0,
};

function setups(): Setup[] {
  return samples.map((sample) => ({
    ...plain,
    text: sample.text,
    tools: sample.tools === "" ? [] : [{ name: sample.tools }],
    directives: sample.directives === "" ? [] : [sample.directives],
    reasoning: sample.reasoning,
  }));
}

describe("chunks", () => {
  test("are the text, of the size asked for", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.integer({ min: 1, max: 50 }),
        fc.nat(),
        (text, size, seed) => {
          const chunks = chunksOf(text, size, seed);
          expect(chunks.join("")).toBe(text);
          for (const chunk of chunks) {
            expect(chunk.length).toBeGreaterThan(0);
            expect(chunk.length).toBeLessThan(2 * size);
          }
          expect(chunksOf(text, size, seed)).toEqual(chunks);
        },
      ),
      { numRuns: RUNS },
    );
    const lengths = chunksOf("x".repeat(100_000), 12, 7).map((one) =>
      one.length
    );
    const mean = lengths.reduce((sum, one) => sum + one, 0) / lengths.length;
    expect(Math.abs(mean - 12)).toBeLessThan(0.5);
  });
});

describe("a run", () => {
  test("gives the same parts however it is cut", () => {
    for (const setup of setups()) {
      const whole = merged(playAll({ ...setup, size: 100_000 }));
      for (const [size, seed] of [[1, 0], [12, 7], [40, 3]] as const) {
        expect(merged(playAll({ ...setup, size, seed }))).toEqual(whole);
      }
    }
  });

  test("what is held is what has come in and not out", () => {
    fc.assert(
      fc.property(
        markupText(),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(9),
        (text, size, seed) => {
          const player = new Player({
            ...plain,
            format: "text",
            text,
            size,
            seed,
          });
          let open = false;
          for (
            let step = player.step();
            step !== undefined;
            step = player.step()
          ) {
            for (const part of step.parts) open = isOpen(open, part);
            for (const { length } of step.held) {
              expect(length).toBeGreaterThanOrEqual(0);
            }
            const total = step.held.reduce((sum, one) => sum + one.length, 0);
            expect(step.waiting.length).toBe(total);
            if (step.chunk === undefined && !open) expect(total).toBe(0);
          }
          expect(player.left).toBe(0);
        },
      ),
      { numRuns: RUNS },
    );
  }, 60_000);

  test("finds out what it is, and whose", () => {
    for (
      const [text, format] of [
        ["data: {}\n\n", "sse"],
        ['{"a":1}\n', "jsonl"],
        ["{a}", "text"],
        ["1\n", "text"],
        ["Hello", "text"],
        ["", "text"],
      ] as const
    ) expect([text, formatOf(text)]).toEqual([text, format]);
    for (
      const [file, provider] of [
        ["ollama/01-ollama-with-tools-3.jsonl", "ollama"],
        [
          "anthropic/11-anthropic-native-tool-search.sse",
          "anthropic",
        ],
      ] as const
    ) {
      const text = readFileSync(join(root, "test/real", file), "utf8");
      expect(providerOf(text)).toBe(provider);
      const parts = playAll({ ...plain, text, size: 30 });
      expect(parts.at(-1)).toMatchObject({ type: "finish", complete: true });
    }
    expect(providerOf("hello")).toBe("auto");
  });
});

function isOpen(before: boolean, part: Part): boolean {
  return part.type === "directive-start" ||
    part.type !== "directive" && before;
}

describe("a copied test case", () => {
  test("passes", async () => {
    const more: Setup[] = [
      { ...plain, tools: [], reasoning: false, text: "a <log x='1'>b</log> c" },
      {
        ...plain,
        tools: [],
        directives: [],
        text: "```js\n1\n```\n\n~~~\n2",
        fences: "commonmark",
      },
      { ...plain, directives: [], text: "<tool_call>{}</tool_call> text" },
    ];
    const seen = new Set<string>();
    for (const setup of [...setups(), ...more]) {
      const line = testCase(setup);
      seen.add(line.area);
      expect(line.id).toMatch(/^[a-z][a-z0-9-]*-[0-9]{3}$/);
      const outcome = await areas[line.area]!(
        JSON.parse(JSON.stringify(line)) as CaseLine,
      );
      expect([line.area, outcome]).toEqual([line.area, { status: "passed" }]);
    }
    expect([...seen].sort()).toEqual([
      "directive",
      "fence",
      "provider",
      "salvage",
    ]);
  });
});
