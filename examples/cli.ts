#!/usr/bin/env node
/**
 * The command line: a model's stream or a stored session in, typed parts,
 * messages and snippets out.
 *
 *     npx tsx examples/cli.ts --help
 *
 * Runs unchanged with `deno run -A`, `bun`, and built (`npx millrace`) with plain
 * Node.
 */
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { parseCommandLine, UsageError } from "./cli/options.ts";

// What is not needed for an answer is not loaded for it.
async function main(words: string[]): Promise<number> {
  const { options, files } = parseCommandLine(words);
  if (options.version) return print(`${version()}\n`);
  if (options.help || options.completions !== "") {
    const { completionScript, helpText } = await import("./cli/help.ts");
    return print(
      options.help ? helpText() : completionScript(options.completions),
    );
  }
  const { run } = await import("./cli/run.ts");
  return await run(options, files);
}

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

/** The package's version. Built, this file is one folder deeper. */
function version(): string {
  const path = ["../package.json", "../../package.json"].map((one) =>
    new URL(one, import.meta.url)
  ).find((one) => existsSync(one))!;
  return JSON.parse(readFileSync(path, "utf8")).version;
}

// A reader that has enough, such as `head`, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`millrace: ${error.message}\nTry --help\n`);
  process.exitCode = 2;
}
