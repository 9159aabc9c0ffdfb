/**
 * Sends millions of parts through every adapter, in one stream that does not end
 * and in many short ones, and watches what stays behind: the heap after a
 * collection, file descriptors, handles.
 *
 *     npm run soak -- [--parts 10000000] [--only fromSSE,cursor] [--list] [--write]
 *
 * `--write` writes each figure into docs/guarantees.md as soon as it is there.
 * Exit code 1 when the heap grows by more than 1 MiB after the first tenth, or
 * a descriptor or handle is left.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Part } from "../../mod.ts";
import { root } from "../support/public_files.ts";
import {
  type Output,
  type SoakSubject,
  soakSubjects,
} from "./soak_subjects.ts";

const { values } = parseArgs({
  options: {
    parts: { type: "string", default: "10000000" },
    only: { type: "string" },
    list: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const most = Number(values.parts);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What a process holds. */
interface Held {
  heap: number;
  descriptors: number;
  handles: number;
}

async function held(): Promise<Held> {
  let heap = Infinity;
  for (let round = 0; round < 3; round++) {
    await new Promise((go) => setTimeout(go, 5));
    collectGarbage();
    heap = Math.min(heap, process.memoryUsage().heapUsed);
  }
  return {
    heap,
    descriptors: readdirSync("/proc/self/fd").length,
    handles: process.getActiveResourcesInfo().length,
  };
}

/** One way of reading, the one with the least work for each part. */
interface Pull {
  next(): Promise<{ done?: boolean; value?: unknown }>;
  stop(): unknown;
}

function pullOf(output: Output): Pull {
  if ("getReader" in output) {
    const reader = output.getReader();
    return { next: () => reader.read(), stop: () => reader.cancel() };
  }
  return { next: () => output.next(), stop: () => output.return?.() };
}

const SAMPLES = 10;

/** Figures of one adapter. */
interface Figures {
  parts: number;
  growth: number;
  seconds: number;
  isFlat: boolean;
}

async function soaked({ name, long, short }: SoakSubject): Promise<Figures> {
  const begin = performance.now();
  const samples: Held[] = [];
  let parts = 0;
  // Lists of remembered ids grow and are halved: always at the same point.
  const step = most < 1_310_720 ? 1_000 : 65_536;
  const manyShort = async (until: number): Promise<void> => {
    while (parts < until) {
      const one = pullOf(short());
      for (;;) {
        const { done, value } = await one.next();
        if (done) break;
        parts++;
        if ((value as Part).type === "finish") {
          await one.stop();
          break;
        }
      }
    }
  };
  // Short ones first: what they run through is compiled before anything is
  // measured. Then eight tenths in one stream, and the rest in short ones again.
  await manyShort(most / 100);
  const one = pullOf(long());
  while (samples.length < SAMPLES - 1) {
    if ((await one.next()).done) throw new Error(`${name} ended by itself`);
    if (++parts % step !== 0) continue;
    // Timers and collections have their turn.
    await new Promise((go) => setImmediate(go));
    if (parts >= (samples.length + 1) * most / SAMPLES) {
      samples.push(await held());
    }
  }
  await one.stop();
  // What the first of the short streams leave is there once: code, and lists as
  // large as these want them. A leak goes on.
  for (const share of [0.94, 0.97, 1]) {
    await manyShort(most * share);
    samples.push(await held());
  }
  // The first tenth fills what has a limit, such as remembered ids.
  const settled = samples.slice(1);
  const heaps = settled.map(({ heap }) => heap);
  const spread = (some: number[]): number =>
    (Math.max(...some) - Math.min(...some)) / 1_048_576;
  const growth = Math.max(
    spread(heaps.slice(0, SAMPLES - 2)),
    spread(heaps.slice(SAMPLES - 2)),
  );
  const flat = (key: "descriptors" | "handles"): boolean =>
    Math.max(...settled.map((one) => one[key])) === settled[0]![key];
  const isFlat = growth <= 1 && flat("descriptors") && flat("handles");
  const seconds = (performance.now() - begin) / 1000;
  console.log(
    `${isFlat ? "flat " : "GROWS"}  ${name}: ${parts} parts, ${
      (parts / seconds / 1000).toFixed(0)
    }k/s, heap ${(heaps[0]! / 1_048_576).toFixed(2)} to ${
      (heaps.at(-1)! / 1_048_576).toFixed(2)
    } MiB, within ${growth.toFixed(2)} MiB, ${
      samples.at(-1)!.descriptors
    } descriptors, ${samples.at(-1)!.handles} handles`,
  );
  if (!isFlat) {
    console.log(samples.map(({ heap }) => (heap / 1_048_576).toFixed(2)));
  }
  return { parts, growth, seconds, isFlat };
}

/** Puts a row into the page, in place of the one that was there. */
function write(name: string, { parts, growth }: Figures): void {
  const path = join(root, "docs/guarantees.md");
  const page = readFileSync(path, "utf8");
  const [, before, table, after] =
    /^([^]*<!-- soak -->\n)([^]*)(<!-- end of soak -->[^]*)$/.exec(page)!;
  const rows = table!.split("\n").filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  const row = [
    `\`${name}\``,
    parts.toLocaleString("en"),
    `${growth.toFixed(2)} MiB`,
    new Date().toISOString().slice(0, 10),
  ];
  const at = rows.findIndex(([first]) => first === row[0]);
  if (at < 0) rows.push(row);
  else rows[at] = row;
  const lines = [
    ["adapter", "parts", "heap within", "measured"],
    ["---", "---:", "---:", "---"],
    ...rows,
  ].map((cells) => `| ${cells.join(" | ")} |\n`);
  writeFileSync(path, `${before}\n${lines.join("")}\n${after}`);
}

const wanted = values.only?.split(",");
let areFlat = true;
for (const subject of soakSubjects()) {
  const { name } = subject;
  if (!(wanted?.some((one) => name.includes(one)) ?? true)) continue;
  if (values.list) {
    console.log(name);
    continue;
  }
  const figures = await soaked(subject);
  areFlat &&= figures.isFlat;
  if (values.write) write(name, figures);
}
process.exitCode = areFlat ? 0 : 1;
