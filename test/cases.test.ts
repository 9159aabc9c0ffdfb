import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { caseFiles, readCases, runCases } from "./run_cases.ts";

const home = fileURLToPath(new URL("./cases", import.meta.url));

/** Cases of our own, made from the same rules. */
const more = fileURLToPath(new URL("./cases_more", import.meta.url));

/** Case id → why it may fail for now. A case that is fixed must leave the list. */
const known: Record<string, string> = JSON.parse(
  readFileSync(
    fileURLToPath(new URL("./known_failures.json", import.meta.url)),
    "utf8",
  ),
);

describe("cases, in every cutting", () => {
  for (const file of caseFiles([home, more])) {
    const lines = readCases(file);
    test(file.slice(file.lastIndexOf("cases")), async () => {
      const failing: Record<string, string> = {};
      for (const report of Object.values(await runCases(lines))) {
        for (
          const { id, why } of [...report.failures, ...report.doubtFailures]
        ) {
          failing[id] = why;
        }
      }
      const surprises = Object.entries(failing).filter(([id]) =>
        !(id in known)
      );
      expect(surprises, "cases that fail and are not on the list").toEqual([]);
      const fixed = lines.map(({ id }) => id).filter((id) =>
        id in known && !(id in failing)
      );
      expect(fixed, "cases on the list that pass: take them off").toEqual([]);
    }, 300_000);
  }
});
