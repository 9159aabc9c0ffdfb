/** The cases of test/cases.test.ts, each a test of its own. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { caseFiles, readCases, runCases } from "../run_cases.ts";
import { test } from "./harness.ts";

const path = (name: string): string =>
  fileURLToPath(new URL(`../${name}`, import.meta.url));
const known: Record<string, string> = JSON.parse(
  readFileSync(path("known_failures.json"), "utf8"),
);

for (const file of caseFiles([path("cases"), path("cases_more")])) {
  for (const line of readCases(file)) {
    if (line.id in known) continue;
    test(line.id, async () => {
      for (const report of Object.values(await runCases([line]))) {
        for (const { why } of [...report.failures, ...report.doubtFailures]) {
          throw new Error(why);
        }
      }
    });
  }
}
