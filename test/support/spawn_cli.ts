import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { root } from "./public_files.ts";

/** What a run of the CLI gave. */
export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** How this runtime runs a TypeScript file. */
function runner(): string[] {
  if ("Deno" in globalThis) return ["run", "-A"];
  if ("Bun" in globalThis) return [];
  return ["--import", "tsx"];
}

/** The program and its arguments that run an example on the runtime that runs the tests. */
export function exampleCommand(name: string): [string, ...string[]] {
  return [process.execPath, ...runner(), join(root, "examples", name)];
}

/** The same for the CLI: its own arguments follow. */
export function cliCommand(): [string, ...string[]] {
  return exampleCommand("cli.ts");
}

/** Runs examples/cli.ts on the runtime that runs the tests. */
export function spawnCli(
  words: string[],
  input: string | Uint8Array = "",
  stopAfter: number = Infinity,
): Promise<CliResult> {
  const [program, ...first] = cliCommand();
  const child = spawn(program, [...first, ...words], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1" },
  });
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  let length = 0;
  child.stdout.on("data", (chunk: Uint8Array) => {
    stdout.push(chunk);
    length += chunk.length;
    if (length >= stopAfter) child.stdout.destroy();
  });
  child.stderr.on("data", (chunk: Uint8Array) => stderr.push(chunk));
  // A child that ends early does not read all of its input.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const decode = (chunks: Uint8Array[]) =>
    new TextDecoder().decode(
      Uint8Array.from(chunks.flatMap((chunk) => [...chunk])),
    );
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({
        code,
        stdout: decode(stdout),
        stderr: decode(stderr),
      }));
  });
}
