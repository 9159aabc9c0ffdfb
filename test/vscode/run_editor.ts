import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { chromium } from "playwright-core";
import { buildExtensions } from "./build_extensions.ts";
import type { InstalledEditor } from "./install_editor.ts";
import type { Report } from "./report.ts";
import { FILE, LAST_WORDS } from "./scenarios.ts";

/** How long the editor may take from its start to the report, in milliseconds. */
const PATIENCE = 240_000;

const settings = {
  "telemetry.telemetryLevel": "off",
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "update.mode": "none",
};

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Waits until something is so. */
async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  milliseconds: number,
): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!await isSo()) {
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Starts the server, on this machine's loopback only, with nothing of the user's. */
function startServer(
  editor: InstalledEditor,
  folder: string,
  port: number,
  report: string,
): ChildProcess {
  return spawn(editor.node, [
    editor.script,
    ...["--bind-addr", `127.0.0.1:${port}`],
    ...["--auth", "none"],
    ...["--config", join(folder, "config.yaml")],
    ...["--user-data-dir", join(folder, "data")],
    ...["--extensions-dir", join(folder, "extensions")],
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-workspace-trust",
    "--disable-getting-started-override",
    join(folder, "workspace"),
  ], {
    env: {
      ...process.env,
      // No shop for extensions: nothing is looked for outside.
      EXTENSIONS_GALLERY: "{}",
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_DATA_HOME: join(folder, "share"),
      XDG_CACHE_HOME: join(folder, "cache"),
      MILLRACE_REPORT: report,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // Its extension host goes with it.
    detached: true,
  });
}

/** What the editor's run left. */
export interface EditorRun {
  readonly report: Report;
  /** What the chat shows of the answer while it asks whether the tool may run. */
  readonly asked: string;
  /** What it shows at the end. */
  readonly answer: string;
}

/** Runs the extensions in an editor that has its files in a folder. */
export async function runEditor(
  editor: InstalledEditor,
  folder: string,
): Promise<EditorRun> {
  const report = join(folder, "report.json");
  const user = join(folder, "data/User");
  mkdirSync(user, { recursive: true });
  mkdirSync(join(folder, "workspace"), { recursive: true });
  writeFileSync(join(folder, "workspace", FILE.name), FILE.content);
  writeFileSync(join(user, "settings.json"), JSON.stringify(settings));
  writeFileSync(join(folder, "config.yaml"), "");
  await buildExtensions(join(folder, "extensions"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = startServer(editor, folder, port, report);
  const stop = (): void => {
    try {
      process.kill(-server.pid!);
    } catch {
      // It has ended already.
    }
  };
  process.once("exit", stop);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => process.exit(1));
  }
  const output: string[] = [];
  for (const stream of [server.stdout, server.stderr]) {
    stream?.on("data", (chunk) => output.push(String(chunk)));
  }
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  });
  const page = await browser.newPage();
  page.on("console", (message) => output.push(`${message.text()}\n`));
  try {
    await until("the server", async () => {
      const response = await fetch(`${url}/healthz`).catch(() => undefined);
      return response?.ok === true;
    }, 60_000);
    // The extension host starts when somebody opens the workbench.
    await page.goto(`${url}/?folder=${join(folder, "workspace")}`);
    const response = page.locator(".interactive-response").last();
    // The chat asks before the example's tool runs.
    const allow = page.getByRole("button", { name: /^Allow/ }).first();
    await until(
      "the chat's question",
      async () => existsSync(report) || await allow.isVisible(),
      PATIENCE,
    );
    if (existsSync(report)) throw new Error(readFileSync(report, "utf8"));
    const asked = await response.innerText();
    await allow.click();
    await until("the report", () => existsSync(report), PATIENCE);
    let answer = "";
    await until("the answer in the chat", async () => {
      answer = await response.innerText();
      return answer.includes(LAST_WORDS);
    }, 30_000);
    return {
      report: JSON.parse(readFileSync(report, "utf8")) as Report,
      asked,
      answer,
    };
  } catch (error) {
    writeFileSync(join(folder, "output.txt"), output.join(""));
    await page.screenshot({ path: join(folder, "editor.png") })
      .catch(() => {});
    throw error;
  } finally {
    await browser.close();
    stop();
  }
}
