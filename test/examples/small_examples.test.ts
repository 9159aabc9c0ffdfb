import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { root } from "../support/public_files.ts";
import { exampleCommand } from "../support/spawn_cli.ts";

function outputOf(name: string): string {
  const [program, ...words] = exampleCommand(name);
  const { stdout, stderr, status } = spawnSync(program, words, {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

describe("examples that run by themselves", () => {
  test("script.ts", () => {
    const output = outputOf("script.ts");
    for (
      const piece of [
        "The build fails because",
        "The stream ended inside an event",
        "[typescript for src/parser.ts]",
        '[read_file {"path":"src/main.ts","max_lines":80}]',
        "[stop, whole]",
      ]
    ) expect(output).toContain(piece);
  }, 30_000);

  test("ai_sdk.ts", () => {
    expect(outputOf("ai_sdk.ts")).toBe(
      "(The user wants a file.) Let me read it.\n" +
        '[read {"path":"a.md"}]\n' +
        '[gave "contents of a.md: hello"]\n' +
        "It says: hello.\n",
    );
  }, 30_000);
});
