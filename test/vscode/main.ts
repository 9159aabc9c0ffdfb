/**
 * millrace in a real editor: `npm run test:vscode`. VS Code runs as code-server, in
 * headless Chromium, with a language model that is made for the test; the
 * example extension answers in its chat. Everything is in temporary folders.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { checksOf } from "./check_run.ts";
import { installEditor } from "./install_editor.ts";
import { runEditor } from "./run_editor.ts";

const editor = installEditor();
const folder = mkdtempSync(join(tmpdir(), "millrace-vscode-"));
console.log(`The editor's files are in ${folder}`);
const run = await runEditor(editor, folder);
const { failure, version, node } = run.report;
if (failure !== undefined) throw new Error(`The checker failed: ${failure}`);
console.log(`VS Code ${version} on Node ${node}`);
let failed = 0;
const checks = Object.entries(checksOf(run));
for (const [name, check] of checks) {
  try {
    check();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`not ok  ${name}\n${(error as Error).message}`);
  }
}
console.log(`${checks.length - failed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
else rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
