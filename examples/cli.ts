#!/usr/bin/env -S npx tsx
/**
 * The command line: a model's stream in, typed parts out.
 *
 *     npx tsx examples/cli.ts --help
 *
 * Runs unchanged with `deno run -A` and `bun`.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { type Part, readParts, standardPipeline, type Tool } from "../mod.ts";
import { openBytes, openParts, rechunk } from "./cli/input.ts";
import {
  type CliOptions,
  completionScript,
  helpText,
  parseCommandLine,
  UsageError,
} from "./cli/options.ts";
import { type Writer, writers } from "./cli/output.ts";
import { explain, Report } from "./cli/report.ts";
import { makeStyles } from "./cli/style.ts";

/** Tools as the usual APIs and a plain record write them. */
function readTools(file: string): Tool[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(
      `Cannot read the tools in "${file}": ${(error as Error).message}`,
    );
  }
  const entries = Array.isArray(value)
    ? value
    : Object.entries(value as Record<string, unknown>).map((
      [name, inputSchema],
    ) => ({ name, inputSchema }));
  return entries.map((entry, index) => {
    // OpenAI wraps the tool, Anthropic and OpenAI name the schema differently.
    const tool = entry?.function ?? entry;
    if (typeof tool?.name !== "string") {
      throw new UsageError(
        `Cannot read the tools in "${file}": entry ${index} has no name`,
      );
    }
    const inputSchema = tool.inputSchema ?? tool.input_schema ??
      tool.parameters;
    return { name: tool.name, inputSchema };
  });
}

function buildPipeline(options: CliOptions, tools: Tool[]) {
  return standardPipeline({
    tools,
    toolCalls: options.bare ? { bare: "line-start" } : {},
    directives: options.directives.split(",").map((name) => name.trim())
      .filter((name) => name !== ""),
    fences: options.fences as "tolerant" | "commonmark" | "loose",
  });
}

/** Writes and waits where the other side is slower. */
async function write(text: string): Promise<void> {
  if (text === "" || process.stdout.write(text)) return;
  await new Promise<void>((resolve) => process.stdout.once("drain", resolve));
}

async function pump(
  parts: ReadableStream<Part>,
  options: CliOptions,
  tools: Tool[],
  writer: Writer,
  report: Report,
): Promise<void> {
  for await (const part of readParts(parts, buildPipeline(options, tools))) {
    report.add(part);
    if (options.explain) process.stderr.write(explain(part));
    await write(writer.part(part));
  }
}

async function main(words: string[]): Promise<number> {
  const { options, files } = parseCommandLine(words);
  if (options.help) return await write(helpText()), 0;
  if (options.version) return await write(`${version()}\n`), 0;
  if (options.completions !== "") {
    return await write(completionScript(options.completions)), 0;
  }
  const tools = options.tools === "" ? [] : readTools(options.tools);
  const colours = process.stdout.isTTY === true &&
    process.env["NO_COLOR"] === undefined;
  const writer = writers[options.to]!(makeStyles(colours));
  const report = new Report();
  for (const file of files.length === 0 ? ["-"] : files) {
    let bytes = openBytes(file);
    if (options.chunk !== "") bytes = rechunk(bytes, Number(options.chunk));
    let parts: ReadableStream<Part>;
    try {
      parts = await openParts(bytes, options.from);
    } catch (error) {
      throw new UsageError(
        `Cannot read "${file}": ${(error as Error).message}`,
      );
    }
    await pump(parts, options, tools, writer, report);
    await write(writer.end());
  }
  if (options.stats !== "none") {
    process.stderr.write(report.stats(options.stats === "json"));
  }
  return report.exitCode(options.strict);
}

function version(): string {
  const path = new URL("../package.json", import.meta.url);
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
