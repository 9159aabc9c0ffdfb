/** Does a job on a runtime. */
import { Miniflare } from "miniflare";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import type { Readable } from "node:stream";
import { bundle } from "../support/bundle.ts";
import { root } from "../support/public_files.ts";
import type { Cell } from "./faults.ts";
import type { Job } from "./run.ts";

const require = createRequire(import.meta.url);

/** The program of a package. */
function program(name: string): string {
  const path = require.resolve(`${name}/package.json`);
  const { bin } = require(path) as { bin: string | Record<string, string> };
  return join(dirname(path), typeof bin === "string" ? bin : bin[name]!);
}

/** How a script is run, by the name of the runtime. */
const COMMANDS: Readonly<Record<string, () => [string, ...string[]]>> = {
  Node: () => [process.execPath, "--import", "tsx"],
  Deno: () => [process.execPath, program("deno"), "run", "-A", "--no-check"],
  Bun: () => [program("bun")],
};

/** The runtimes. */
export const RUNTIMES: readonly string[] = [
  ...Object.keys(COMMANDS),
  "workerd",
];

/** Runs a script with a text as its input; gives what it printed. */
export function runScript(
  runtime: string,
  script: string,
  input: string,
): Promise<string> {
  const [command, ...words] = COMMANDS[runtime]!();
  const child = spawn(command, [...words, join(root, script)], {
    cwd: root,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  let problems = "";
  child.stdout.on("data", (data) => output += data);
  child.stderr.on("data", (data) => problems += data);
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(output);
      else {
        reject(
          new Error(`${runtime} ended with ${code}: ${problems.slice(-2_000)}`),
        );
      }
    });
  });
}

/** Sends requests to a script on workerd, one after another; gives the answers. */
export async function askWorkerd(
  script: string,
  requests: readonly string[],
): Promise<string[]> {
  const problems: string[] = [];
  const worker = new Miniflare({
    modules: true,
    script: await bundle(script, "neutral"),
    compatibilityDate: "2026-07-01",
    cf: false,
    telemetry: { enabled: false },
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      stdout.resume();
      stderr.on("data", (data) => problems.push(String(data)));
    },
  });
  try {
    const url = await worker.ready;
    const answers: string[] = [];
    for (const body of requests) {
      const response = await fetch(url, { method: "POST", body });
      const answer = await response.text();
      if (!response.ok) {
        throw new Error(
          `workerd answered ${response.status}: ${answer} ${
            problems.join("").slice(-2_000)
          }`,
        );
      }
      answers.push(answer);
    }
    return answers;
  } finally {
    await worker.dispose();
  }
}

async function onWorkerd(job: Job): Promise<Cell[]> {
  // A request each: a worker has so much memory.
  const answers = await askWorkerd(
    "test/faults/worker.ts",
    job.recordings.map((recording) =>
      JSON.stringify({ ...job, recordings: [recording] })
    ),
  );
  return answers.flatMap((answer, index) => {
    const cells = JSON.parse(answer) as Cell[];
    return index === 0 ? cells : cells.slice(1);
  });
}

/** Does a job on a runtime of {@linkcode RUNTIMES}. */
export async function runOn(runtime: string, job: Job): Promise<Cell[]> {
  if (runtime === "workerd") return onWorkerd(job);
  return JSON.parse(
    await runScript(runtime, "test/faults/process.ts", JSON.stringify(job)),
  ) as Cell[];
}
