import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Mutant } from "./mutants.ts";

/**
 * The mistakes that nobody can make unnoticed: with one of them its source does
 * not pass the type check. In each round one mistake a file is made, and an
 * error counts for the file it is in.
 *
 * @param folder A copy of the project's `transforms/`, `package.json` and
 * `tsconfig.json`, anywhere below its `node_modules`. It is left as it was.
 * @param given Mutants of files in `transforms/`; others are never refused.
 */
export function refusedMutants<One extends Mutant>(
  folder: string,
  given: readonly One[],
): Set<One> {
  const sources = new Map<string, string>();
  for (const { file } of given) {
    if (!file.startsWith("transforms/") || sources.has(file)) continue;
    sources.set(file, readFileSync(join(folder, file), "utf8"));
  }
  writeFileSync(
    join(folder, "tsconfig.transforms.json"),
    JSON.stringify({
      extends: "./tsconfig.json",
      include: ["transforms"],
      exclude: [],
      compilerOptions: { types: [] },
    }),
  );

  /** The files with errors when these mistakes are made. */
  const wrongFiles = (round: ReadonlyMap<string, One>): Set<string> => {
    for (const [file, { start, end, replacement }] of round) {
      const source = sources.get(file)!;
      writeFileSync(
        join(folder, file),
        source.slice(0, start) + replacement + source.slice(end),
      );
    }
    const { stdout } = spawnSync(
      process.execPath,
      [
        join(folder, "../node_modules/typescript/bin/tsc"),
        "-p",
        "tsconfig.transforms.json",
        "--pretty",
        "false",
      ],
      { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 },
    );
    for (const file of round.keys()) {
      writeFileSync(join(folder, file), sources.get(file)!);
    }
    return new Set(
      stdout.split("\n").flatMap((line) =>
        /^([^(]+)\(\d+,\d+\): error TS/.exec(line)?.[1] ?? []
      ),
    );
  };
  const refused = new Set<One>();
  if (wrongFiles(new Map()).size > 0) return refused;
  let left = given.filter(({ file }) => sources.has(file));
  while (left.length > 0) {
    const round = new Map<string, One>();
    for (const one of left) {
      if (!round.has(one.file)) round.set(one.file, one);
    }
    const wrong = wrongFiles(round);
    for (const [file, one] of round) if (wrong.has(file)) refused.add(one);
    left = left.filter((one) => round.get(one.file) !== one);
  }
  return refused;
}
