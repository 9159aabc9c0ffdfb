/**
 * Follows CONTRIBUTING.md to the letter, in a copy of the project.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { parse, type PartOf, SnippetExtractorStream } from "../mod.ts";
import { root } from "./support/public_files.ts";

const COPIED = [
  "mod.ts",
  "transforms",
  "adapters",
  "examples",
  "test",
  "package.json",
  "deno.json",
  "tsconfig.json",
  "vitest.config.ts",
];

/** The files and changes of a page, in order. */
function snippetsOf(
  page: string,
): (PartOf<"snippet"> & { filePath: string })[] {
  return parse(page, new SnippetExtractorStream()).flatMap((part) =>
    part.type === "snippet" && part.filePath !== undefined
      ? [{ ...part, filePath: part.filePath }]
      : []
  );
}

/** Puts the added lines of a change behind the lines they follow. */
function changed(text: string, change: string): string {
  const lines = text.split("\n");
  let at = 0;
  for (const line of change.trimEnd().split("\n")) {
    const rest = line.slice(1);
    if (line.startsWith("+")) lines.splice(at++, 0, rest);
    else {
      const found = lines.indexOf(rest, at);
      if (found < 0) throw new Error(`There is no line "${rest}" to change`);
      at = found + 1;
    }
  }
  return lines.join("\n");
}

function run(folder: string, words: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", FAST_CHECK_RUNS: "50" },
  });
  if (status !== 0) {
    throw new Error(`${words.join(" ")}\n${stdout}\n${stderr}`);
  }
}

// The tools it starts are Node's; what it shows is the same everywhere.
const onNode = !("Deno" in globalThis) && !("Bun" in globalThis);

describe("CONTRIBUTING.md", () => {
  const snippets = snippetsOf(
    readFileSync(join(root, "CONTRIBUTING.md"), "utf8"),
  );

  test("has what it takes to add one of each", () => {
    const paths = snippets.map(({ filePath }) => filePath);
    for (
      const path of [
        "transforms/reasoning_dropper.ts",
        "transforms/dialects/at_call.ts",
        "adapters/providers/tiny.ts",
      ]
    ) expect(paths).toContain(path);
    // Nothing of it is in the project already.
    for (const { filePath, languageId } of snippets) {
      expect([filePath, existsSync(join(root, filePath))]).toEqual([
        filePath,
        languageId === "diff",
      ]);
    }
  });

  test("works when followed", () => {
    if (!onNode) return;
    const folder = mkdtempSync(join(tmpdir(), "millrace-"));
    try {
      for (const path of COPIED) {
        cpSync(join(root, path), join(folder, path), { recursive: true });
      }
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      for (const { filePath, languageId, content } of snippets) {
        const path = join(folder, filePath);
        mkdirSync(dirname(path), { recursive: true });
        const text = languageId === "diff"
          ? changed(readFileSync(path, "utf8"), content)
          : content;
        writeFileSync(path, text);
      }
      const added = snippets.flatMap(({ filePath, languageId }) =>
        languageId === "diff" || !filePath.endsWith(".ts") ? [] : [filePath]
      );
      run(folder, [
        "--import",
        "tsx",
        "test/support/update_exports.ts",
      ]);
      writeFileSync(
        join(folder, "tsconfig.added.json"),
        JSON.stringify({
          extends: "./tsconfig.json",
          include: ["mod.ts", "examples/cli.ts", ...added],
        }),
      );
      run(folder, [
        "node_modules/typescript/bin/tsc",
        "-p",
        "tsconfig.added.json",
      ]);
      run(folder, [
        "node_modules/vitest/vitest.mjs",
        "run",
        "--root",
        folder,
        ...added.filter((path) => path.startsWith("test/")),
        "test/exports.test.ts",
        "test/adapters/providers/mod.test.ts",
        "-t",
        "ReasoningDropperStream|at-call|tiny|list every public file|re-exports|direction of imports",
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});
