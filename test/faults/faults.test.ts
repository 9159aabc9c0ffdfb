/**
 * A shorter version of `npm run test:faults`: every fault, every adapter, fewer
 * places; on the runtime that runs the tests, and on workerd.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { publicFiles, root } from "../support/public_files.ts";
import type { Cell } from "./faults.ts";
import { faultRecordings } from "./recordings.ts";
import { runJob } from "./run.ts";
import { subjectsOf } from "./subjects.ts";

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

/** What gives a stream and is no `…Stream` and no `from…`. */
const OTHERS: readonly string[] = [
  "cursorSession",
  "decodeText",
  "encodeText",
  "readParts",
  "standardPipeline",
  "toReadableStream",
];

test("every public stream and source has a row", async () => {
  const names = new Set<string>(OTHERS);
  for (const path of ["mod.ts", ...publicFiles()]) {
    const url = pathToFileURL(join(root, path)).href;
    for (const name of Object.keys(await import(url))) {
      if (/Stream$|^from[A-Z]/.test(name)) names.add(name);
    }
  }
  const rows = job.recordings.flatMap((recording) =>
    subjectsOf(recording, 2).map(({ name }) => name)
  );
  const without = [...names].filter((name) =>
    !rows.some((row) => row.split(/[ ,]+/).includes(name))
  );
  expect(names.size).toBeGreaterThan(25);
  expect(without).toEqual([]);
});

test("and in workerd", async () => {
  // miniflare drives workerd from Node.
  if ("Deno" in globalThis || "Bun" in globalThis) return;
  const { runOn } = await import("./runtimes.ts");
  expect(failuresOf(await runOn("workerd", { ...job, pieces: 2 }))).toEqual([]);
}, 180_000);
