import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { measure } from "../measure.ts";
import type { Run, Table } from "../table.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** How long it takes until the command line tool has said its version. */
export async function startUp({ quick, runtime }: Run): Promise<Table[]> {
  const table: Table = {
    id: "start-up",
    title: "Start of the command line tool",
    unit: "time ÷ that of an empty script",
    about: `${runtime}: npm run bench -- --only start`,
    figures: [],
    skipped: [],
  };
  if (runtime !== "node") {
    return [{ ...table, skipped: ["measured on Node only"] }];
  }
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  try {
    const empty = join(folder, "empty.ts");
    writeFileSync(empty, "");
    const emptyBuilt = join(folder, "empty.js");
    writeFileSync(emptyBuilt, "");
    const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
    const built = join(root, "dist/examples/cli.js");
    const subjects: Record<string, string[]> = {
      "empty script, tsx": [tsx, empty],
      "cli.ts --version, tsx": [
        tsx,
        join(root, "examples/cli.ts"),
        "--version",
      ],
    };
    if (existsSync(built)) {
      subjects["empty script"] = [emptyBuilt];
      subjects["built cli.js --version"] = [built, "--version"];
    } else table.skipped!.push("the built tool: run npm run build first");
    const times = await measure(
      Object.fromEntries(
        Object.entries(subjects).map(([name, args]) => [name, () => {
          const { status } = spawnSync(process.execPath, args);
          if (status !== 0) throw new Error(`"${name}" failed`);
        }]),
      ),
      { units: 1, rounds: quick ? 3 : 15, warmUp: 1, clock: true },
    );
    for (const name of times.names) {
      const base = name.endsWith("tsx") ? "empty script, tsx" : "empty script";
      const { median, lower, upper } = times.ratio(name, base);
      table.figures.push({
        name,
        value: median,
        note: `${lower.toFixed(2)}–${upper.toFixed(2)}  ${
          (times.of(name).median / 1_000_000).toFixed(0)
        } ms`,
        ...(name === base ? {} : { target: 1.5 }),
      });
    }
    return [table];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
