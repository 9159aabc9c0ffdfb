import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";

/** The editor: `code-server` is VS Code with its own extension host, in a browser. */
const EDITOR = "code-server@4.139.1";

/** What the editor runs on. */
const NODE = "node@24";

/** What its native modules are built with and a browser, in Debian's names. */
const PACKAGES: readonly string[] = [
  "chromium",
  "g++",
  "make",
  "python3",
  "libkrb5-dev",
  "libx11-dev",
  "libxkbfile-dev",
  "libsecret-1-dev",
  "pkg-config",
];

/** The commands that start the editor. */
export interface InstalledEditor {
  readonly node: string;
  readonly script: string;
}

/** The variables without what `npm run` tells of itself: npm would take it for a setting. */
function ownVariables(): NodeJS.ProcessEnv {
  const told = /^npm_(?!config_)|^npm_config_(?:user_agent|local_prefix)$/;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !told.test(name)),
  );
}

function run(
  command: string,
  parameters: readonly string[],
  folder: string,
  path: string = process.env["PATH"] ?? "",
): void {
  const { status, error, stdout, stderr } = spawnSync(command, parameters, {
    cwd: folder,
    env: { ...ownVariables(), PATH: path },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status === 0) return;
  throw new Error(
    `Cannot install the editor: "${command} ${parameters.join(" ")}" failed: ${
      error?.message ?? (stdout + stderr).slice(-2_000)
    }`,
  );
}

/**
 * Installs the editor in a folder, unless it is there already. The first time
 * takes minutes, since its native modules are built. The folder is the
 * variable `MILLRACE_EDITOR`, or one of the system's temporary ones.
 */
export function installEditor(): InstalledEditor {
  const folder = process.env["MILLRACE_EDITOR"] ??
    join(tmpdir(), `millrace-${EDITOR.replace("@", "-")}`);
  const bin = join(folder, "node_modules/.bin");
  const installed = {
    node: join(bin, "node"),
    script: join(folder, "node_modules/code-server/out/node/entry.js"),
  };
  const done = join(folder, "installed");
  if (existsSync(done)) return installed;
  mkdirSync(folder, { recursive: true });
  // What an installation left that failed is in the way of the next.
  for (const name of ["node_modules", "package-lock.json"]) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
  if (
    !existsSync("/usr/bin/chromium") ||
    spawnSync("pkg-config", ["--exists", "krb5", "libsecret-1"]).status !== 0
  ) {
    run("apt-get", ["update"], folder);
    run(
      "apt-get",
      ["install", "-y", "--no-install-recommends", ...PACKAGES],
      folder,
    );
  }
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const npm = ["install", "--no-audit", "--no-fund"];
  run("npm", [...npm, NODE], folder);
  console.log(`Installing ${EDITOR}: this takes minutes`);
  // Its parts have to be built by, and for, the Node they will run on.
  run(
    "nice",
    ["-n", "10", "npm", ...npm, EDITOR],
    folder,
    bin + delimiter + process.env["PATH"],
  );
  writeFileSync(done, "");
  return installed;
}
