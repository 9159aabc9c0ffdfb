/**
 * Makes small mistakes in the sources, one at a time, and looks whether a test
 * fails.
 *
 *     npm run mutate -- [FILE[:LINE[-LINE]] …] [--sample N] [--seed S]
 *       [--at-least PERCENT] [--tests FILE,…] [--json FILE] [--again FILE]
 *       [--list] [--limit SECONDS] [--minutes N]
 *
 * Without a file: all of transforms/. `--sample` takes so many mutants, evenly
 * over the files, chosen by the seed. Only tests that come by the place of a
 * mistake are run, the quickest first, and no more than `--limit` seconds of
 * them a mutant. `--tests` names the files with tests, else it is those of
 * transforms/ and all cases. Survivors are printed; those that the type check
 * refuses (it is part of `npm run check`) count as dead in the end. `--json`
 * writes what became of every mutant, `--again` tries those of such a file that
 * lived. Exit code 1 when fewer than `--at-least` percent of the mutants die.
 * After `--minutes`, or when interrupted, it ends with what is done; the order is
 * random, so that this is a sample as well.
 *
 * Some can only live, since nothing that anyone can see changes: a limit that only
 * saves time, a branch that only saves work. Those that were looked at are in
 * equivalent.jsonl, each with the reason. They count as survivors like all
 * others; the score without them is told besides.
 *
 * Everything happens in a copy of the project, the checkout is not touched. Not
 * part of it are tests about time and some slow ones, and properties are tried
 * with few inputs: the whole suite finds more, never less.
 */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { random } from "../laws.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { RunnerProcess } from "./process.ts";
import { refusedMutants } from "./refused.ts";
import { switchedSource } from "./switched_source.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const COPIED = [
  "mod.ts",
  "transforms",
  "adapters",
  "examples",
  "test",
  "docs",
  "README.md",
  "package.json",
  "deno.json",
  "tsconfig.json",
];

/** Tests that take seconds. They have their turn when `--tests` names their file. */
const SLOW =
  /linear|megabyte|million|every prefix of a case|one character left out|two-way cut|real documents|in every cutting|snapshot anywhere in the handed|the five stages|of a text with/;

/** A mutant and what became of it. */
interface Tried extends Mutant {
  id: number;
  status: "killed" | "timeout" | "refused" | "survived" | "uncovered";
  /** The test that failed. */
  killer?: string;
  why?: string;
}

interface Test {
  id: number;
  file: string;
  name: string;
  milliseconds: number;
}

function usage(message: string): never {
  console.error(
    `${message}\nUsage: npm run mutate -- [FILE[:LINE[-LINE]] …] [--sample N] [--seed S] [--at-least PERCENT] [--tests FILE,…] [--json FILE] [--again FILE] [--list] [--limit SECONDS] [--minutes N]`,
  );
  process.exit(2);
}

function filesUnder(folder: string, end: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(end)).sort();
}

/** All mutants of what was asked for. */
function mutantsIn(words: readonly string[]): Mutant[] {
  const targets = words.length > 0 ? words : filesUnder("transforms", ".ts");
  return targets.flatMap((word) => {
    const [, name = "", first, last] =
      /^(.*?)(?::(\d+)(?:-(\d+))?)?$/.exec(word) ?? [];
    const file = relative(root, join(process.cwd(), name)).replaceAll(
      "\\",
      "/",
    );
    let source: string;
    try {
      source = readFileSync(join(root, file), "utf8");
    } catch {
      usage(`Cannot mutate "${word}": there is no such file`);
    }
    const from = Number(first ?? 1);
    const to = Number(last ?? first ?? Infinity);
    return mutantsOf(file, source).filter(({ line }) =>
      line >= from && line <= to
    );
  });
}

/** One of every so many: in every file as many as its share. */
function sampleOf(all: Mutant[], count: number, seed: number): Mutant[] {
  if (count >= all.length) return all;
  const next = random(seed);
  const chosen: Mutant[] = [];
  for (let number = 0; number < count; number++) {
    const from = Math.floor(number * all.length / count);
    const to = Math.floor((number + 1) * all.length / count);
    chosen.push(all[from + Math.floor(next() * (to - from))]!);
  }
  return chosen;
}

/** The sources as they are, in the copy: others may go on with the checkout. */
const UNCHANGED = "unchanged";

/** A copy of the project with the mutants built in. */
function copyWith(mutants: readonly Tried[]): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-mutants-"));
  for (const name of COPIED) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const name of ["transforms", "package.json", "tsconfig.json"]) {
    cpSync(join(root, name), join(folder, UNCHANGED, name), {
      recursive: true,
    });
  }
  for (const file of new Set(mutants.map(({ file }) => file))) {
    const path = join(folder, file);
    const source = readFileSync(path, "utf8");
    writeFileSync(
      path,
      switchedSource(source, mutants.filter((one) => one.file === file)),
    );
  }
  const harness = join(folder, "test/mutation/harness.ts");
  for (const file of filesUnder("test", ".ts")) {
    if (file.startsWith("test/support/vitest")) continue;
    const path = join(folder, file);
    const source = readFileSync(path, "utf8");
    const changed = source.replace('from "vitest"', `from "${harness}"`)
      // A slow machine is no dead mutant.
      .replace(
        /(export function least\([^{]*\{)/,
        "$1\n  if (times) return 0;",
      );
    if (changed !== source) writeFileSync(path, changed);
  }
  return folder;
}

const given = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    "at-least": { type: "string" },
    json: { type: "string" },
    again: { type: "string" },
    tests: { type: "string" },
    list: { type: "boolean", default: false },
    limit: { type: "string", default: "5" },
    minutes: { type: "string", default: "Infinity" },
    keep: { type: "boolean", default: false },
  },
});
const seed = Number(given.values.seed);
const limit = Number(given.values.limit) * 1000;
const minutes = Number(given.values.minutes);

/** Those that lived, found again by what they are: lines may have moved. */
function survivorsIn(path: string): Mutant[] {
  const before = (JSON.parse(readFileSync(path, "utf8")) as Tried[]).filter(
    ({ status }) => status === "survived" || status === "uncovered",
  );
  const now = new Map<string, Mutant[]>();
  return before.flatMap((one) => {
    if (!now.has(one.file)) now.set(one.file, mutantsIn([one.file]));
    const same = now.get(one.file)!.filter((other) =>
      other.original === one.original &&
      other.replacement === one.replacement &&
      other.operator === one.operator
    );
    const distance = (other: Mutant): number =>
      Math.abs(other.start - one.start);
    return same.sort((a, b) => distance(a) - distance(b)).slice(0, 1);
  });
}

const all = given.values.again === undefined
  ? mutantsIn(given.positionals)
  : survivorsIn(given.values.again);
const chosen = given.values.sample === undefined
  ? all
  : sampleOf(all, Number(given.values.sample), seed);
if (given.values.list) {
  for (const { file, line, operator, original, replacement } of chosen) {
    console.log(
      JSON.stringify({
        place: `${file}:${line}`,
        operator,
        original,
        replacement,
      }),
    );
  }
  process.exit(0);
}

const mutants = chosen.map((mutant, id): Tried => ({
  ...mutant,
  id,
  status: "uncovered",
}));
const folder = copyWith(mutants);
process.on("exit", () => {
  if (!given.values.keep) rmSync(folder, { recursive: true, force: true });
});
let stopped = false;
process.on("SIGINT", () => {
  if (stopped) process.exit(130);
  stopped = true;
});
process.on("SIGTERM", () => process.exit(143));

const testFiles = (given.values.tests?.split(",") ?? [
  ...filesUnder("test/transforms", ".test.ts"),
  "test/mutation/cases.ts",
  "test/hostile.test.ts",
  "test/limits.test.ts",
]).map((name) => join(folder, name));

/** Starts a runner and waits until it has imported the tests; it may fail to. */
async function started(
  mutant: number,
  files: readonly string[] = testFiles,
): Promise<RunnerProcess> {
  const runner = new RunnerProcess(folder, seed, mutant, files);
  await runner.next(120_000);
  return runner;
}

const begin = performance.now();
let runner = await started(-1);
if (!runner.alive) {
  console.error("Cannot mutate: the tests cannot be imported");
  process.exit(1);
}
runner.ask({ kind: "list" });
const told = await runner.next(20_000);
if (told?.kind !== "list") throw new Error("The runner does not answer");
const list = told;
/** Mutants in code that runs when it is imported. */
const early = new Set(list.hits);
const coveredBy = new Map<number, Test[]>();
const tests = new Map<number, Test>();
let failing = 0;

let left = list.tests.flatMap(({ name }, id) =>
  given.values.tests === undefined && SLOW.test(name) ? [] : [id]
);
while (left.length > 0) {
  if (!runner.alive) runner = await started(-1);
  runner.ask({ kind: "record", tests: left });
  for (;;) {
    const answer = await runner.next(120_000);
    if (answer === undefined || answer.kind === "done") break;
    if (answer.kind === "begun") left = left.slice(1);
    if (answer.kind !== "recorded") continue;
    if (answer.failed) {
      failing++;
      const { file, name } = list.tests[answer.test]!;
      console.error(
        `Left out, fails without a mutant: ${basename(file)} ${name}`,
      );
      continue;
    }
    const test = {
      id: answer.test,
      ...list.tests[answer.test]!,
      milliseconds: answer.milliseconds,
    };
    tests.set(test.id, test);
    for (const id of answer.hits) {
      const others = coveredBy.get(id);
      if (others === undefined) coveredBy.set(id, [test]);
      else others.push(test);
    }
  }
}
const seconds = (): string => ((performance.now() - begin) / 1000).toFixed(0);
console.error(
  `${mutants.length} of ${all.length} mutants, ${tests.size} tests, ${failing} left out (${seconds()} s)`,
);

/** How many mutants of a file a test has killed. */
const kills = new Map<string, number>();

/** The tests in the order in which they are likely to fail soon. */
function inOrder(file: string, some: Iterable<Test>): number[] {
  const cost = (test: Test): number =>
    (test.milliseconds + 0.5) * (isOwn(file, test) ? 0.2 : 1) /
    (1 + 5 * (kills.get(`${file} ${test.id}`) ?? 0));
  const order = [...some].sort((a, b) => cost(a) - cost(b));
  let spent = 0;
  return order.filter(({ milliseconds }) => (spent += milliseconds) <= limit)
    .map(({ id }) => id);
}

/** Files with tests of a source: named like it, or importing it. */
const ownFiles = new Map<string, Set<string>>();

function isOwn(file: string, { file: path }: Test): boolean {
  let own = ownFiles.get(file);
  if (own === undefined) {
    own = new Set(
      testFiles.filter((name) =>
        basename(name) === `${basename(file, ".ts")}.test.ts` ||
        readFileSync(name, "utf8").includes(`/${file}"`)
      ),
    );
    ownFiles.set(file, own);
  }
  return own.has(path);
}

/** Tests of a file whose code runs when it is imported, or only once. */
function related(file: string): Test[] {
  return [...tests.values()].filter((test) =>
    isOwn(file, test) || test.file.endsWith("cases.ts")
  );
}

async function tryWith(
  runner: RunnerProcess,
  mutant: Tried,
  order: number[],
  imported?: number[],
): Promise<{ status: Tried["status"]; reached: boolean; spoiled: boolean }> {
  // A test's number is its place among those imported.
  const testOf = (place: number): Test =>
    tests.get(imported?.[place] ?? place)!;
  runner.ask({
    kind: "try",
    mutant: mutant.id,
    tests: imported === undefined
      ? order
      : order.map((id) => imported.indexOf(id)),
    budget: 5e6,
  });
  let patience = 20_000;
  let last = -1;
  for (;;) {
    const answer = await runner.next(patience);
    if (answer === undefined) {
      mutant.killer = last < 0 ? "import" : testOf(last).name;
      return { status: "timeout", reached: true, spoiled: true };
    }
    if (answer.kind === "begun") {
      last = answer.test;
      patience = 20_000 + 20 * testOf(last).milliseconds;
    } else if (answer.kind === "tried") {
      if (answer.killer === undefined) return { status: "survived", ...answer };
      const test = testOf(answer.killer);
      mutant.killer = `${relative(folder, test.file)} ${test.name}`;
      if (answer.why !== undefined) mutant.why = answer.why;
      const key = `${mutant.file} ${test.id}`;
      kills.set(key, (kills.get(key) ?? 0) + 1);
      return { status: "killed", ...answer };
    }
  }
}

/** In a process in which the mutant is on from the start, with few tests. */
async function inFresh(
  mutant: Tried,
  order: number[],
): Promise<Tried["status"]> {
  const files = new Set(order.map((id) => tests.get(id)!.file));
  const fresh = await started(mutant.id, [...files]);
  if (!fresh.alive) {
    mutant.killer = "import";
    return "killed";
  }
  const imported = [...files].flatMap((file) =>
    list.tests.flatMap((test, id) => test.file === file ? [id] : [])
  );
  const { status } = await tryWith(fresh, mutant, order, imported);
  fresh.end();
  return status;
}

async function tryOne(mutant: Tried): Promise<void> {
  const some = coveredBy.get(mutant.id) ?? [];
  const isEarly = early.has(mutant.id);
  if (some.length === 0 && !isEarly) return;
  let reached = false;
  if (!isEarly) {
    for (let time = 0; time < 2; time++) {
      if (!runner.alive) runner = await started(-1);
      const tried = await tryWith(runner, mutant, inOrder(mutant.file, some));
      mutant.status = tried.status;
      reached = tried.reached;
      if (!tried.spoiled) break;
      runner.end();
      // What an earlier mutant left behind may have made the test fail.
      if (tried.status === "timeout") break;
    }
    if (mutant.status === "killed" || mutant.status === "timeout") return;
  }
  if (isEarly || !reached || some.length < 3) {
    mutant.status = await inFresh(
      mutant,
      inOrder(mutant.file, new Set([...some, ...related(mutant.file)])),
    );
  }
}

/** In a random order, so that what is done when it ends early is a sample, too. */
function shuffled(some: readonly Tried[]): Tried[] {
  const next = random(seed);
  return some.map((one) => ({ one, key: next() }))
    .sort((a, b) => a.key - b.key).map(({ one }) => one);
}

const done: Tried[] = [];
for (const mutant of shuffled(mutants)) {
  if (stopped || performance.now() - begin > minutes * 60_000) break;
  await tryOne(mutant);
  done.push(mutant);
  if (isAlive(mutant)) {
    console.log(
      `${mutant.status} ${mutant.file}:${mutant.line} ${mutant.operator}\n${
        shown("-", mutant.original)
      }${shown("+", mutant.replacement)}`,
    );
  }
  if (done.length % 25 === 0) {
    console.error(
      `${done.length}: ${percent(done).toFixed(1)} % (${seconds()} s)`,
    );
  }
}
runner.end();
for (
  const mutant of refusedMutants(join(folder, UNCHANGED), done.filter(isAlive))
) {
  mutant.status = "refused";
}

function isAlive({ status }: Tried): boolean {
  return status === "survived" || status === "uncovered";
}

function shown(sign: string, text: string): string {
  const lines = text.trim().split("\n");
  const few = lines.length > 6
    ? [...lines.slice(0, 4), `… (${lines.length - 4} more lines)`]
    : lines;
  return few.map((line) => `  ${sign} ${line}\n`).join("");
}

function percent(some: readonly Tried[]): number {
  const dead = some.filter((one) => !isAlive(one));
  return some.length === 0 ? 100 : 100 * dead.length / some.length;
}

for (const file of [...new Set(done.map(({ file }) => file))].sort()) {
  const some = done.filter((one) => one.file === file);
  console.log(
    `${percent(some).toFixed(0).padStart(4)} % of ${
      String(some.length).padStart(4)
    }  ${file}`,
  );
}
/** Survivors that were looked at and cannot die. */
function equivalents(): Tried[] {
  const known = new Set(
    readFileSync(join(root, "test/mutation/equivalent.jsonl"), "utf8")
      .split("\n").filter((line) => line !== "").map((line) => {
        const { file, original, replacement } = JSON.parse(line) as Mutant;
        return JSON.stringify([file, original, replacement]);
      }),
  );
  return done.filter(({ status, file, original, replacement }) =>
    status === "survived" &&
    known.has(JSON.stringify([file, original, replacement]))
  );
}

const count = (status: Tried["status"]): number =>
  done.filter((one) => one.status === status).length;
const score = percent(done);
const share = score / 100;
const rest = all.length > 1 ? (all.length - done.length) / (all.length - 1) : 0;
const error = 196 * Math.sqrt(share * (1 - share) * rest / done.length);
console.log(
  `${done.length} of ${all.length} mutants: ${count("killed")} killed, ${
    count("timeout")
  } without end, ${count("refused")} refused by the type check, ${
    count("survived")
  } survived, ${count("uncovered")} in code no test runs. Score ${
    score.toFixed(1)
  } % ± ${error.toFixed(1)} (95 % confidence), ${seconds()} s`,
);
const same = equivalents();
if (same.length > 0) {
  console.log(
    `${same.length} of the survivors are known to change nothing that can be seen. Without them: ${
      percent(done.filter((one) => !same.includes(one))).toFixed(1)
    } %`,
  );
}
if (given.values.json !== undefined) {
  writeFileSync(given.values.json, JSON.stringify(done, null, 1));
}
process.exit(score < Number(given.values["at-least"] ?? 0) ? 1 : 0);
