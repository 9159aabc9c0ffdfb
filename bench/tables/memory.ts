import { makeCorpus } from "../corpus.ts";
import { fused } from "../subjects.ts";
import type { Run, Table } from "../table.ts";

/** What is alive while a stream runs, at one and at ten times its length. */
export async function memory({ quick, runtime }: Run): Promise<Table[]> {
  const collect = await collector();
  const table: Table = {
    id: "memory",
    title: "Heap behind ten times as long a stream",
    unit: "MiB more than behind the short one",
    about:
      `${runtime}, five stages by push, chunks of 20 characters: npm run bench -- --only memory`,
    figures: [],
  };
  if (collect === undefined) {
    return [{ ...table, skipped: ["no garbage collector to call"] }];
  }
  const length = quick ? 500_000 : 2_000_000;
  const text = makeCorpus(100_000);
  const used = (): number => process.memoryUsage().heapUsed;
  const { stage } = fused();
  const emit = (): void => {};
  const push = (count: number): void => {
    for (let at = 0; at < count; at += 20) {
      const from = at % text.length;
      stage.push(text.slice(from, from + 20), emit);
    }
  };
  const heaps: number[] = [];
  push(length);
  for (const count of [0, 9 * length]) {
    push(count);
    for (let index = 0; index < 4; index++) await collect();
    heaps.push(used());
  }
  table.figures.push({
    name: "five stages",
    value: (heaps[1]! - heaps[0]!) / 2 ** 20,
    gate: 1,
    target: 0.1,
    note: `${(heaps[1]! / 2 ** 20).toFixed(1)} MiB in all`,
  });
  return [table];
}

/** Calls the garbage collector, where there is a way to. */
async function collector(): Promise<(() => unknown) | undefined> {
  const { Bun: bun, gc } = globalThis as {
    Bun?: { gc(force: boolean): void };
    gc?: () => void;
  };
  if (bun !== undefined) return () => bun.gc(true);
  if (gc !== undefined) return gc;
  try {
    const { setFlagsFromString } = await import("node:v8");
    setFlagsFromString("--expose-gc");
    const { runInNewContext } = await import("node:vm");
    return runInNewContext("gc") as () => void;
  } catch {
    return undefined;
  }
}
