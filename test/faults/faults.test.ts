/**
 * A shorter version of `npm run test:faults`: every fault, every adapter, fewer
 * places; on the runtime that runs the tests, and on workerd.
 */
import { expect, test } from "vitest";
import type { Cell } from "./faults.ts";
import { faultRecordings } from "./recordings.ts";
import { runJob } from "./run.ts";

const job = { recordings: faultRecordings(), pieces: 3 };

function failuresOf(cells: readonly Cell[]): string[] {
  return cells.flatMap(({ subject, fault, failures }) =>
    failures.map((failure) => `${subject}, ${fault}, ${failure}`)
  );
}

test(
  "faults before every chunk leave what was received and one end",
  async () => {
    const cells = await runJob(job);
    expect(cells.length).toBeGreaterThan(300);
    expect(failuresOf(cells)).toEqual([]);
  },
  180_000,
);

test("and in workerd", async () => {
  // miniflare drives workerd from Node.
  if ("Deno" in globalThis || "Bun" in globalThis) return;
  const { runOn } = await import("./runtimes.ts");
  expect(failuresOf(await runOn("workerd", { ...job, pieces: 2 }))).toEqual([]);
}, 180_000);
