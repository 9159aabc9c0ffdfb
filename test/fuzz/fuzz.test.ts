import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { RUNS } from "../laws.ts";
import { mixed } from "./mixed.ts";
import { RandomSource } from "./random_source.ts";
import { shorterTexts, smallerValues } from "./shrink.ts";
import { subjects } from "./subjects/mod.ts";

const found = readFileSync(
  fileURLToPath(new URL("../cases/found.jsonl", import.meta.url)),
  "utf8",
).split("\n").filter((line) => line !== "").map((line) =>
  JSON.parse(line) as { subject: string; law: string; input: unknown }
);

describe("inputs that fuzzing found break no law any more", () => {
  for (const [index, { subject: name, law, input }] of found.entries()) {
    test(`${index + 1}, ${name}: ${law}`, async () => {
      const subject = subjects.find((one) => one.name === name);
      expect(subject, name).not.toBe(undefined);
      await subject!.check(input);
    });
  }
});

describe("a few random inputs break no law", () => {
  const stages = new Set(subjects.map(({ name }) => name.split("/")[0]!));
  for (const stage of stages) {
    test(stage, async () => {
      for (const subject of subjects) {
        if (!subject.name.startsWith(`${stage}/`)) continue;
        for (let count = 0; count < Math.max(4, RUNS / 100); count++) {
          const input = subject.make(new RandomSource(mixed(1, count)));
          try {
            await subject.check(input);
          } catch (error) {
            throw new Error(`${subject.name}: ${JSON.stringify(input)}`, {
              cause: error,
            });
          }
        }
      }
    }, 120_000);
  }
});

test("every subject makes inputs that are plain data, and smaller ones of them", () => {
  for (const subject of subjects) {
    const input = subject.make(new RandomSource(7));
    expect(JSON.parse(JSON.stringify(input)), subject.name).toEqual(input);
    expect(subject.make(new RandomSource(7)), subject.name).toEqual(input);
    let count = 0;
    for (const smaller of subject.shrink(input)) {
      expect(subject.size(smaller) >= 0).toBe(true);
      if (++count === 20) break;
    }
  }
});

test("shrinking leaves something out of everything", () => {
  expect([...shorterTexts("abcd")]).toEqual([
    "cd",
    "ab",
    "bcd",
    "acd",
    "abd",
    "abc",
  ]);
  expect([...smallerValues({ a: [1] })]).toEqual([
    {},
    { a: [] },
    { a: [0] },
  ]);
});
