/**
 * The process in which the tests run, with the mutants built in:
 *
 *     runner.ts SEED MUTANT FILE …
 *
 * MUTANT is the one that is on from the start, -1 for none. Told by messages
 * which tests to run; each answer is one message.
 */
import { Buffer } from "node:buffer";
import process from "node:process";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { beginFile, collected } from "./harness.ts";
import { SWITCH } from "./switched_source.ts";

/** What the runner is asked. */
export type Ask =
  | { kind: "list" }
  | { kind: "record"; tests: number[] }
  | { kind: "try"; mutant: number; tests: number[]; budget: number };

/** What it answers, and `begun` before each test. */
export type Answer =
  | { kind: "ready" }
  | { kind: "list"; tests: { file: string; name: string }[]; hits: number[] }
  | { kind: "begun"; test: number }
  | {
    kind: "recorded";
    test: number;
    failed: boolean;
    milliseconds: number;
    hits: number[];
  }
  | { kind: "done" }
  | {
    kind: "tried";
    /** The test that failed. */
    killer?: number;
    why?: string;
    /** The mistake was made at all. */
    reached: boolean;
    /** The killer fails without the mutant too: something is left over. */
    spoiled: boolean;
  };

const [seed = "1", given = "-1", ...files] = process.argv.slice(2);
fc.configureGlobal({ seed: Number(seed) });

let active = Number(given);
let budget = Infinity;
let reached = false;
const hits = new Uint8Array(1 << 20);
let touched: number[] = [];

// deno-lint-ignore no-explicit-any
(globalThis as any)[SWITCH] = (id: number): boolean => {
  if (hits[id] === 0) {
    hits[id] = 1;
    touched.push(id);
  }
  if (id !== active) return false;
  reached = true;
  if (--budget < 0) throw new Error("The mutant runs without end");
  return true;
};

function takeHits(): number[] {
  const taken = touched;
  for (const id of taken) hits[id] = 0;
  touched = [];
  return taken;
}

const say = (answer: Answer): void => {
  process.send!(answer);
};

/** Waits until what was said has left: the test may never give the turn back. */
const settled = (): Promise<void> =>
  new Promise((resolve) => setImmediate(resolve));

async function failure(test: number): Promise<string | undefined> {
  try {
    await collected[test]!.run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

process.on("unhandledRejection", () => {});
process.on("uncaughtException", (error) => {
  process.stderr.write(`${error.stack}\n`);
});
// What tests print is not of interest here.
console.log =
  console.info =
  console.warn =
  console.error =
    () => {};

async function answer(ask: Ask): Promise<void> {
  if (ask.kind === "list") {
    say({
      kind: "list",
      tests: collected.map(({ file, name }) => ({ file, name })),
      hits: takeHits(),
    });
  } else if (ask.kind === "record") {
    for (const test of ask.tests) {
      say({ kind: "begun", test });
      await settled();
      takeHits();
      // Time of the processor: others may be using the machine.
      const start = process.cpuUsage();
      const failed = await failure(test) !== undefined;
      const { user, system } = process.cpuUsage(start);
      const milliseconds = (user + system) / 1000;
      say({ kind: "recorded", test, failed, milliseconds, hits: takeHits() });
      await settled();
    }
    say({ kind: "done" });
  } else {
    active = ask.mutant;
    reached = false;
    for (const test of ask.tests) {
      say({ kind: "begun", test });
      await settled();
      budget = ask.budget;
      const why = await failure(test);
      if (why === undefined) continue;
      active = -1;
      const spoiled = await failure(test) !== undefined;
      say({
        kind: "tried",
        killer: test,
        why: Buffer.from(why).toString("utf8").slice(0, 300),
        reached,
        spoiled,
      });
      return;
    }
    active = -1;
    say({ kind: "tried", reached, spoiled: false });
  }
}

for (const file of files) {
  beginFile(file);
  await import(pathToFileURL(file).href);
}
process.on("message", (ask) => {
  void answer(ask as Ask);
});
// Nobody asks any more.
process.on("disconnect", () => process.exit());
say({ kind: "ready" });
