import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { RUNS } from "../laws.ts";
import { publicFiles, root, sourceFiles } from "../support/public_files.ts";
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

/** What is not fuzzed by name, and why. */
const REASONS: Readonly<Record<string, string>> = {
  AiderSessionStream: "is SessionStream with a kind",
  ClaudeCodeSessionStream: "is SessionStream with a kind",
  ClineSessionStream: "is SessionStream with a kind",
  CodexSessionStream: "is SessionStream with a kind",
  GeminiSessionStream: "is SessionStream with a kind",
  ClaudeCodeStream: "is the provider claude-code, a line an event",
  SocketEventStream: "is ClaudeCodeAdapter, a line at a time",
  parseLine: "is what ClaudeCodeAdapter calls",
  claudeCodeTable: "is data that ClaudeCodeAdapter reads",
  signalFromToken: "takes no data",
  tokenFromSignal: "takes no data",
  sqliteDatabase: "wraps a package's database; openSqliteFile reads bytes",
  uiMessageHeaders: "is data",
};

test("every public function and stream has a subject, or a reason", async () => {
  const sources = [
    ...sourceFiles("test/fuzz/subjects"),
    "test/snapshots/subjects.ts",
  ].map((path) => readFileSync(join(root, path), "utf8")).join("\n");
  const imported = sources.matchAll(/^import (?:type )?\{([^}]*)\}/gm);
  const words = new Set(
    [...imported].flatMap(([, names]) => names!.split(/[\s,]+/)),
  );
  const without: string[] = [];
  for (const path of ["mod.ts", ...publicFiles()]) {
    const url = pathToFileURL(join(root, path)).href;
    for (const name of Object.keys(await import(url))) {
      if (words.has(name) === name in REASONS) without.push(name);
    }
  }
  // Neither a subject nor a reason; or both, and the reason is an old one.
  expect([...new Set(without)].sort()).toEqual([]);
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
