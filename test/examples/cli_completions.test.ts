import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { completionScript, helpText } from "../../examples/cli/help.ts";
import { optionTable } from "../../examples/cli/options.ts";
import { root } from "../support/public_files.ts";
import { cliCommand } from "../support/spawn_cli.ts";

const has = (program: string) =>
  spawnSync(program, ["-c", "true"]).status === 0;

/** A folder with a script and files to complete. */
function folderWith(shell: string): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-"));
  writeFileSync(join(folder, "script"), completionScript(shell));
  writeFileSync(join(folder, "zz one.sse"), "");
  mkdirSync(join(folder, "zz two"));
  return folder;
}

function run(program: string, script: string, cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, ["-c", script], {
    cwd,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

/** What stands on the command line, the last word unfinished, and what it may become. */
const OPTIONS = [
  [["--fr"], ["--from"]],
  [["--st"], ["--stats", "--stats=", "--strict"]],
  [["--from", "openai-"], ["openai-chat", "openai-responses"]],
  [["--to", "s"], ["sse", "snippets", "sessions"]],
  [["--chunk", ""], []],
  [["--directives", "z"], []],
] as const;

describe("completions", () => {
  test("bash", () => {
    if (!has("bash")) return;
    const folder = folderWith("bash");
    const complete = (words: readonly string[]) => {
      const line = ["millrace", ...words].map((word) => `'${word}'`);
      return run(
        "bash",
        `set -u; source ./script; COMP_WORDS=(${line.join(" ")})
COMP_CWORD=${words.length}; _millrace
for word in \${COMPREPLY[@]+"\${COMPREPLY[@]}"}; do echo "$word"; done`,
        folder,
      ).split("\n").filter((word) => word !== "");
    };
    for (const [words, expected] of OPTIONS) {
      expect([words, complete(words)]).toEqual([words, expected]);
    }
    // Bash takes words apart at an equals sign.
    expect(complete(["--from", "=", "openai-"]).length).toBe(2);
    expect(complete(["--fences", "="]).length).toBe(3);
    expect(complete(["--stats", "="])).toEqual(["json"]);
    expect(complete(["--from=openai-r"])).toEqual(["--from=openai-responses"]);
    expect(complete(["--stats", "zz"]).sort()).toEqual([
      "zz one.sse",
      "zz two",
    ]);
    expect(complete(["--tools", "zz"]).length).toBe(2);
    expect(complete(["--extract", "zz"])).toEqual(["zz two"]);
  }, 120_000);

  test("zsh reads the script", () => {
    if (!has("zsh")) return;
    const folder = folderWith("zsh");
    const found = run(
      "zsh",
      "autoload -Uz compinit; compinit -D; source ./script; print ${_comps[millrace]}",
      folder,
    );
    expect(found).toContain("_millrace");
  }, 120_000);

  test("fish", () => {
    if (!has("fish")) return;
    const folder = folderWith("fish");
    const complete = (line: string) =>
      run(
        "fish",
        `source ./script; complete -C "millrace ${line}"`,
        folder,
      ).split("\n").map((one) => one.split("\t")[0]).filter((one) =>
        one !== ""
      );
    expect(complete("--fr")).toEqual(["--from"]);
    expect(complete("--from openai-").sort()).toEqual([
      "openai-chat",
      "openai-responses",
    ]);
    expect(complete("--stats=")).toEqual(["--stats=json"]);
    expect(complete("--chunk z")).toEqual([]);
    expect(complete("--extract z").length).toBe(1);
    expect(complete("zz").length).toBe(2);
    expect(complete("--stats zz").length).toBe(2);
  }, 120_000);

  test("the help's examples run", () => {
    if (!has("bash")) return;
    // Inside the project: what runs TypeScript is found from there.
    mkdirSync(join(root, "dist"), { recursive: true });
    const folder = mkdtempSync(join(root, "dist/help-"));
    writeFileSync(join(folder, "README.md"), "~~~js a.js\nrun();\n~~~\n");
    const [, examples] = helpText().split("Examples:\n");
    // Sessions are not on every machine.
    const lines = examples!.split("\n").filter((line) => !line.includes("~/"));
    expect(lines.length).toBe(5);
    const [program, ...words] = cliCommand();
    const { status, stdout } = spawnSync("bash", [
      "-c",
      `set -e -o pipefail\nmillrace() { ${
        [program, ...words].map((word) => `'${word}'`).join(" ")
      } "$@"; }\n${lines.join("\n")}`,
    ], { cwd: folder, encoding: "utf8" });
    rmSync(folder, { recursive: true });
    expect(status).toBe(0);
    expect(stdout).toContain('"lineRange":[3,4]');
    expect(stdout).toContain("look {} salvaged from the text");
    expect(stdout.trim().endsWith("a.js")).toBe(true);
  }, 120_000);

  test("all of them and the help have every option", () => {
    for (const { name } of optionTable) {
      for (const shell of ["bash", "zsh"]) {
        expect(completionScript(shell)).toContain(`--${name}`);
      }
      expect(completionScript("fish")).toContain(` -l ${name} `);
      expect(helpText()).toContain(`  --${name}`);
    }
    // On a terminal of the usual width.
    const lines = helpText().split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});
