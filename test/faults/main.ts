/**
 * Puts faults before every chunk of recorded streams, for every adapter, on every
 * runtime, and prints a table.
 *
 *     npm run test:faults -- [--runtimes Node,Deno] [--pieces 24] [--only anthropic] [--write]
 *
 * `--write` writes the table into docs/guarantees.md. Exit code 1 when something
 * does not hold.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { root } from "../support/public_files.ts";
import { type Cell, FAULTS } from "./faults.ts";
import { faultRecordings } from "./recordings.ts";
import { runOn, RUNTIMES } from "./runtimes.ts";
import { SITUATIONS } from "./situations.ts";

const { values } = parseArgs({
  options: {
    runtimes: { type: "string", default: RUNTIMES.join(",") },
    pieces: { type: "string", default: "24" },
    only: { type: "string" },
    write: { type: "boolean", default: false },
  },
});

const runtimes = values.runtimes.split(",");
const pieces = Number(values.pieces);
const recordings = faultRecordings().filter(({ kind, provider = "" }) =>
  values.only === undefined || `${kind} ${provider}`.includes(values.only)
);

const all = new Map<string, readonly Cell[]>();
let isGreen = true;
for (const runtime of runtimes) {
  const begin = performance.now();
  const cells = await runOn(runtime, { recordings, pieces });
  all.set(runtime, cells);
  const runs = cells.reduce((sum, cell) => sum + cell.runs, 0);
  const seconds = ((performance.now() - begin) / 1000).toFixed(0);
  console.log(`${runtime}: ${runs} runs, ${seconds} s`);
  for (const { subject, fault, failures } of cells) {
    if (failures.length === 0) continue;
    isGreen = false;
    console.log(`  ${subject}, ${fault}: ${failures.length} failed`);
    for (const failure of failures.slice(0, 3)) console.log(`    ${failure}`);
  }
}

/** A cell of the table: how many places, and where it does not hold. */
function shown(subject: string, fault: string): string {
  const found = runtimes.map((runtime) => ({
    runtime,
    cell: all.get(runtime)!.find((one) =>
      one.subject === subject && one.fault === fault
    ),
  }));
  const { runs = 0 } = found[0]?.cell ?? {};
  if (runs === 0) return "";
  const bad = found.filter(({ cell }) => cell?.failures.length !== 0);
  return bad.length === 0
    ? String(runs)
    : `**${bad.map(({ runtime }) => runtime).join(", ")}**`;
}

const subjects = [
  ...new Set(
    [...all.values()].flatMap((cells) => cells.map(({ subject }) => subject)),
  ),
].filter((subject) => subject !== "web streams");
const faults = Object.keys(FAULTS);
const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const table = [
  row(["adapter", ...faults]),
  row(["---", ...faults.map(() => "---:")]),
  ...subjects.map((subject) =>
    row([
      `\`${subject}\``,
      ...faults.map((fault) => shown(subject, fault)),
    ])
  ),
].join("\n");
const situations = [
  row(["what happens", "what holds"]),
  row(["---", "---"]),
  ...SITUATIONS.map(({ name, holds }) => row([name, holds])),
].join("\n");
console.log(`\n${table}\n\n${situations}`);

if (values.write) {
  const path = join(root, "docs/guarantees.md");
  const page = readFileSync(path, "utf8");
  const put = (text: string, name: string, content: string): string =>
    text.replace(
      new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end of ${name} -->)`),
      (_, begin, end) => `${begin}\n${content}\n\n${end}`,
    );
  writeFileSync(
    path,
    put(put(page, "faults", table), "situations", situations),
  );
}
process.exitCode = isGreen ? 0 : 1;
