import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** How much goes through, in MB; more by hand. */
const MEGABYTES = Number(process.env["HOSTILE_MEGABYTES"] ?? 6);

/** The script runs in Node alone: other runtimes have other options. */
const isNode = !("Deno" in globalThis) && !("Bun" in globalThis);

test("hostile input without an end goes through a heap of 64 MB", async () => {
  if (!isNode) return;
  const script = fileURLToPath(
    new URL("./load/flood.ts", import.meta.url),
  );
  const child = spawn(process.execPath, [
    "--max-old-space-size=64",
    "--import",
    "tsx",
    script,
    String(MEGABYTES),
  ], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let problems = "";
  child.stdout.on("data", (data) => output += data);
  child.stderr.on("data", (data) => problems += data);
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code, problems.slice(-2_000)).toBe(0);
  const { sent } = JSON.parse(output) as { sent: number };
  expect(sent).toBeGreaterThan(MEGABYTES * 900_000);
}, 7_200_000);
