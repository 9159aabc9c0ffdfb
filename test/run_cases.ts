/**
 * Replays case files against the product, each case in all its cuttings.
 *
 *     npm run cases -- [FILE|DIR …] [--json]
 *
 * Without a path: test/cases. Exit code 1 when a case fails that must not.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { CaseLine } from "./support/cases/area_runner.ts";
import { areas } from "./support/cases/mod.ts";

/** How the cases of one area went. */
export interface AreaReport {
  passed: number;
  failed: number;
  skipped: number;
  /** Failing cases whose answer is arguable. */
  doubtFailed: number;
  failures: { id: string; why: string }[];
  doubtFailures: { id: string; why: string }[];
}

/** Inputs that fuzzing found, which are no cases; see test/fuzz. */
const FOUND = "found.jsonl";

/** The case files at these paths; a folder stands for the `.jsonl` files in it. */
export function caseFiles(paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path).filter((name) =>
        name.endsWith(".jsonl") && name !== FOUND
      ).sort()
        .map((name) => join(path, name))
      : [path]
  );
}

/** The cases in a file. */
export function readCases(path: string): CaseLine[] {
  return readFileSync(path, "utf8").split("\n").filter((line) =>
    line.trim() !== ""
  ).map((line, index) => {
    try {
      return JSON.parse(line);
    } catch (error) {
      throw new Error(`Case ${index + 1} of "${path}" is not JSON`, {
        cause: error,
      });
    }
  });
}

/** Runs cases and counts, per area. */
export async function runCases(
  lines: Iterable<CaseLine>,
): Promise<Record<string, AreaReport>> {
  const reports: Record<string, AreaReport> = {};
  for (const line of lines) {
    const report = reports[line.area] ??= {
      passed: 0,
      failed: 0,
      skipped: 0,
      doubtFailed: 0,
      failures: [],
      doubtFailures: [],
    };
    const runner = areas[line.area];
    const outcome = runner === undefined
      ? { status: "skipped" as const, why: `no runner for "${line.area}"` }
      : await runner(line);
    if (outcome.status === "passed") report.passed++;
    else if (outcome.status === "skipped") report.skipped++;
    else if (line.doubt === true || line.level === "opinion") {
      report.doubtFailed++;
      report.doubtFailures.push({ id: line.id, why: outcome.why });
    } else {
      report.failed++;
      report.failures.push({ id: line.id, why: outcome.why });
    }
  }
  return reports;
}

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const json = given.includes("--json");
  const paths = given.filter((word) => word !== "--json");
  const unknown = paths.find((word) => word.startsWith("-"));
  if (unknown !== undefined) {
    console.error(`Cannot run cases: there is no option "${unknown}"`);
    process.exit(2);
  }
  const home = fileURLToPath(new URL("./cases", import.meta.url));
  let lines: CaseLine[];
  try {
    lines = caseFiles(paths.length > 0 ? paths : [home]).flatMap(readCases);
  } catch (error) {
    // A file that is not there, or that holds no cases.
    console.error(`Cannot run cases: ${(error as Error).message}`);
    process.exit(2);
  }
  const reports = await runCases(lines);
  if (json) console.log(JSON.stringify(reports));
  else {
    for (const [area, report] of Object.entries(reports)) {
      console.log(
        `${area}: ${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped, ${report.doubtFailed} doubtful`,
      );
      for (const { id, why } of report.failures) console.log(`  ${id}: ${why}`);
      for (const { id, why } of report.doubtFailures) {
        console.log(`  ${id} (doubtful): ${why}`);
      }
    }
  }
  const failed = Object.values(reports).some((report) => report.failed > 0);
  process.exitCode = failed ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
