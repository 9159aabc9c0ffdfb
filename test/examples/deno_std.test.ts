/**
 * Runs examples/deno_std.ts where a copy of `@std/streams` is at hand: in Deno's
 * cache, or a checkout of denoland/std that the variable STD_FOLDER names.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { root } from "../support/public_files.ts";

const example = join(root, "examples/deno_std.ts");

/** The import map for a checkout: its packages by the names of their modules. */
function importMap(std: string): string {
  const { imports } = JSON.parse(
    readFileSync(join(root, "deno.json"), "utf8"),
  );
  for (const name of ["streams", "bytes"]) {
    const folder = join(std, name);
    const { exports } = JSON.parse(
      readFileSync(join(folder, "deno.json"), "utf8"),
    ) as { exports: Record<string, string> };
    for (const [path, file] of Object.entries(exports)) {
      imports[`@std/${name}${path.slice(1)}`] =
        pathToFileURL(join(folder, file)).href;
    }
  }
  // Other entries are relative to the project.
  for (const [name, target] of Object.entries(imports as object)) {
    if (target.startsWith("./")) {
      imports[name] = pathToFileURL(join(root, target)).href;
    }
  }
  const path = join(
    mkdtempSync(join(tmpdir(), "millrace-")),
    "import_map.json",
  );
  writeFileSync(path, JSON.stringify({ imports }));
  return path;
}

function run(words: string[]): { status: number | null; stdout: string } {
  return spawnSync(
    join(root, "node_modules/.bin/deno"),
    ["run", "-A", ...words, example],
    { cwd: root, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } },
  );
}

const std = process.env["STD_FOLDER"];
const words = std !== undefined && existsSync(join(std, "streams"))
  ? ["--import-map", importMap(std)]
  : ["--cached-only"];
const atHand = std !== undefined || run(words).status === 0;

(atHand ? describe : describe.skip)("@std/streams", () => {
  test("merges, collects and splits lines of our streams", () => {
    const { stdout } = run(words);
    expect(stdout.trim().split("\n")).toEqual([
      "first: short",
      "second: js",
      "Yes: ",
      "| No:",
      "| ```js",
      "| run();",
      "| ```",
    ]);
  }, 60_000);
});
