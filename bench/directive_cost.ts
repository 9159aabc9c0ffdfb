/**
 * What code awareness costs a directive extractor on messages without code: the
 * same extractor with and without, as a TransformStream in token-sized chunks
 * and by synchronous push. CPU time, medians of rounds in which all run in turn.
 *
 *     npx tsx bench/directive_cost.ts [--check]
 *
 * `--check` fails when the stream costs more than ten percent more.
 */
import process from "node:process";
import {
  DirectiveExtractorStream,
  type DirectiveExtractorStreamOptions,
  toReadableStream,
} from "../mod.ts";
import { chunked, makeCorpus } from "./corpus.ts";

const ROUNDS = 41;

/** Messages with prose, lists, quotes, tags and directives, but no code. */
const text = makeCorpus(400_000).replace(/```[\s\S]*?```/g, "").replace(
  /[`~]/g,
  "",
);

const subjects: Record<string, DirectiveExtractorStreamOptions> = {
  "codeAware: false": { directives: ["note"], codeAware: false },
  "own fences": { directives: ["note"] },
  "a tracker's marks": { directives: ["note"], trackFences: false },
};

async function stream(
  chunks: string[],
  options: DirectiveExtractorStreamOptions,
): Promise<void> {
  const reader = toReadableStream(chunks)
    .pipeThrough(new DirectiveExtractorStream(options)).getReader();
  while (!(await reader.read()).done);
}

function push(
  chunks: string[],
  options: DirectiveExtractorStreamOptions,
): void {
  const { stage } = new DirectiveExtractorStream(options);
  const ignore = (): void => {};
  for (const chunk of chunks) stage.push(chunk, ignore);
  stage.end(ignore);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

let breached = false;
for (const [how, work] of Object.entries({ stream, push })) {
  for (const size of [4, 20]) {
    const chunks = chunked(text, size);
    const times: Record<string, number[]> = {};
    for (let round = -2; round < ROUNDS; round++) {
      for (const [name, options] of Object.entries(subjects)) {
        const before = process.cpuUsage();
        await work(chunks, options);
        const { user } = process.cpuUsage(before);
        // The first rounds warm up.
        if (round >= 0) (times[name] ??= []).push(user / chunks.length);
      }
    }
    const base = median(times["codeAware: false"]!);
    console.log(`\n${how}, ${size}-character chunks`);
    for (const [name, all] of Object.entries(times)) {
      const ratio = median(all) / base;
      console.log(
        `${name.padEnd(24)}${median(all).toFixed(3).padStart(8)} µs a chunk${
          ratio.toFixed(3).padStart(8)
        }`,
      );
      if (how === "stream" && ratio > 1.1) breached = true;
    }
  }
}
if (breached && process.argv.includes("--check")) {
  console.error("Code awareness costs more than ten percent");
  process.exitCode = 1;
}
