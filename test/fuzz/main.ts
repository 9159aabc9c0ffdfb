/**
 * Throws random inputs at stages, pipelines, adapters and decoders, and checks
 * the laws.
 *
 *     npm run fuzz -- --seconds N [--stage S] [--seed X] [--keep] [--coverage]
 *
 * `--stage` takes names of subjects or beginnings of them, with commas between:
 * `salvager`, `fence/inline,provider`. The same seed gives the same inputs in
 * the same order. An input that breaks a law is made as small as can be and
 * printed as a line for test/cases/found.jsonl, where `--keep` writes it.
 * `--coverage` tells which files have blocks of code that no input reached. Exit
 * code 1 when a law was broken.
 */
import { appendFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Coverage } from "./coverage.ts";
import { type Finding, fuzzOnce } from "./fuzzer.ts";
import { mixed } from "./mixed.ts";
import type { Subject } from "./subject.ts";
import { subjects } from "./subjects/mod.ts";

const FOUND = fileURLToPath(new URL("../cases/found.jsonl", import.meta.url));

/** So many different failures of one subject are enough. */
const MOST_FINDINGS = 5;

/** How long one subject runs before the next one has its turn. */
const LONGEST_TURN = 250;

interface Tally {
  subject: Subject;
  inputs: number;
  milliseconds: number;
  findings: Finding[];
}

function usage(message: string): never {
  console.error(
    `${message}\nUsage: npm run fuzz -- --seconds N [--stage S] [--seed X] [--keep] [--coverage]`,
  );
  process.exit(2);
}

function chosen(names: string | undefined): Subject[] {
  if (names === undefined) return [...subjects];
  return names.split(",").flatMap((name) => {
    const found = subjects.filter((subject) =>
      subject.name === name || subject.name.startsWith(`${name}/`)
    );
    if (found.length === 0) {
      const stages = new Set(subjects.map(({ name }) => name.split("/")[0]));
      usage(
        `Cannot fuzz "${name}": there are ${[...stages].join(", ")}`,
      );
    }
    return found;
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      stage: { type: "string" },
      seed: { type: "string" },
      keep: { type: "boolean", default: false },
      coverage: { type: "boolean", default: false },
    },
  });
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) usage(`Cannot fuzz for "${values.seconds}" seconds`);
  const seed = values.seed === undefined
    ? Date.now() | 0
    : Number(values.seed) | 0;
  const tallies: Tally[] = chosen(values.stage).map((subject) => ({
    subject,
    inputs: 0,
    milliseconds: 0,
    findings: [],
  }));
  const coverage = values.coverage ? new Coverage() : undefined;
  // Every subject has a few turns, however short the time is.
  const turnLength = Math.min(LONGEST_TURN, seconds * 200 / tallies.length);
  console.log(`seed ${seed}, ${tallies.length} subjects, ${seconds} s`);
  const end = performance.now() + seconds * 1000;
  let isOver = false;
  while (!isOver) {
    let worked = false;
    for (const tally of tallies) {
      if (tally.findings.length >= MOST_FINDINGS) continue;
      worked = true;
      await turn(
        tally,
        seed,
        Math.min(end, performance.now() + turnLength),
        values.keep,
      );
      if (performance.now() >= end) break;
    }
    isOver = !worked || performance.now() >= end;
  }
  report(tallies);
  if (coverage !== undefined) {
    console.log("\nblocks  missed  file");
    for (const { file, blocks, missed } of await coverage.take()) {
      if (missed === 0) continue;
      console.log(
        `${String(blocks).padStart(6)}  ${String(missed).padStart(6)}  ${file}`,
      );
    }
  }
  process.exitCode = tallies.some(({ findings }) => findings.length > 0)
    ? 1
    : 0;
}

async function turn(
  tally: Tally,
  seed: number,
  stop: number,
  keep: boolean,
): Promise<void> {
  const begin = performance.now();
  let lost = 0;
  do {
    const before = performance.now();
    const finding = await fuzzOnce(tally.subject, mixed(seed, tally.inputs++));
    if (finding === undefined) continue;
    lost += performance.now() - before;
    if (
      tally.findings.some(({ message }) =>
        message.split("\n")[0] === finding.message.split("\n")[0]
      )
    ) continue;
    tally.findings.push(finding);
    const { subject, input, message } = finding;
    const line = JSON.stringify({
      subject,
      law: message.split("\n")[0],
      input,
    });
    console.log(`\n${subject}: ${message}\n${line}`);
    if (keep) appendFileSync(FOUND, `${line}\n`);
  } while (performance.now() < stop && tally.findings.length < MOST_FINDINGS);
  tally.milliseconds += performance.now() - begin - lost;
}

function report(tallies: readonly Tally[]): void {
  console.log("\ninputs  inputs/s  found  subject");
  let inputs = 0;
  let milliseconds = 0;
  let found = 0;
  const line = (count: number, time: number, failures: number, name: string) =>
    console.log(
      `${String(count).padStart(6)}  ${
        (count / Math.max(1, time) * 1000).toFixed(0).padStart(8)
      }  ${String(failures).padStart(5)}  ${name}`,
    );
  for (const tally of tallies) {
    line(
      tally.inputs,
      tally.milliseconds,
      tally.findings.length,
      tally.subject.name,
    );
    inputs += tally.inputs;
    milliseconds += tally.milliseconds;
    found += tally.findings.length;
  }
  line(inputs, milliseconds, found, "all");
}

await main();
