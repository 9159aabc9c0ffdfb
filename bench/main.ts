/**
 * What the stages cost, measured on the machine at hand.
 *
 *     npm run bench [-- --quick] [--check] [--only streams,growth] [--write]
 *     npx deno run -A bench/main.ts …
 *     npx bun bench/main.ts …
 *
 * `--quick` takes less than a minute. `--check` fails on a breach of a gate.
 * `--only` runs the tables named. `--write` puts the results into bench/results/,
 * as JSON by runtime and, on Node, as plots.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { plot } from "./plot.ts";
import { breaks, printed, type Run, type Table } from "./table.ts";
import { growth } from "./tables/growth.ts";
import { holdBack } from "./tables/hold_back.ts";
import { memory } from "./tables/memory.ts";
import { peersTable } from "./tables/peers.ts";
import { size } from "./tables/size.ts";
import { startUp } from "./tables/start_up.ts";
import { streams } from "./tables/streams.ts";
import { workerd } from "./tables/workerd.ts";

const benchmarks: Readonly<
  Record<string, (run: Run) => Table[] | Promise<Table[]>>
> = {
  streams,
  workerd,
  peers: peersTable,
  growth,
  hold: holdBack,
  memory,
  size,
  start: startUp,
};

const flags = process.argv.slice(2);
const at = flags.indexOf("--only");
const only = at < 0
  ? Object.keys(benchmarks)
  : (flags[at + 1] ?? "").split(",");
for (const [index, flag] of flags.entries()) {
  if (
    !["--quick", "--check", "--only", "--write"].includes(flag) &&
    (at < 0 || index !== at + 1)
  ) {
    console.error(
      `Cannot take "${flag}": there are --quick, --check, --only TABLES and --write`,
    );
    process.exit(2);
  }
}
for (const name of only) {
  if (!Object.hasOwn(benchmarks, name)) {
    console.error(
      `Cannot run benchmark "${name}": there are ${
        Object.keys(benchmarks).join(", ")
      }`,
    );
    process.exit(2);
  }
}
const runtime = "Deno" in globalThis
  ? "deno"
  : "Bun" in globalThis
  ? "bun"
  : "node";
const run: Run = { quick: flags.includes("--quick"), runtime };

let breached = false;
for (const name of only) {
  for (const table of await benchmarks[name]!(run)) {
    console.log(printed(table));
    breached ||= table.figures.some(breaks);
    if (flags.includes("--write")) write(table);
  }
}
if (flags.includes("--check") && breached) {
  console.error("A gate was breached");
  process.exitCode = 1;
}

function write(table: Table): void {
  const folder = new URL("results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    new URL(`${table.id}.${runtime}.json`, folder),
    `${JSON.stringify(table, null, 2)}\n`,
  );
  if (runtime === "node" && table.figures.length > 0) {
    writeFileSync(new URL(`${table.id}.svg`, folder), plot(table));
  }
}
