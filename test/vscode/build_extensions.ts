import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { root } from "../support/public_files.ts";
import { TOOL, TOOL_SCHEMA, VENDOR } from "./scenarios.ts";

/** The manifests of the extensions that are only for the test. */
const manifests: Readonly<Record<string, object>> = {
  provider: {
    contributes: {
      languageModelChatProviders: [{ vendor: VENDOR, displayName: "Scripted" }],
    },
  },
  checker: {
    extensionDependencies: ["millrace.test-provider"],
    contributes: {
      languageModelTools: [{
        name: TOOL,
        displayName: "Read",
        modelDescription: "Reads a file",
        inputSchema: TOOL_SCHEMA,
      }],
    },
  },
};

/** An extension's code in one file; the editor brings `vscode`. */
async function bundle(entry: string, file: string): Promise<void> {
  const build = await rolldown({
    input: join(root, entry),
    platform: "node",
    external: ["vscode"],
    logLevel: "warn",
  });
  await build.write({ file, format: "esm" });
  await build.close();
}

/** Puts the example and the test's own extensions into a folder, as they are installed. */
export async function buildExtensions(folder: string): Promise<void> {
  const example = join(folder, "millrace.example");
  mkdirSync(example, { recursive: true });
  copyFileSync(
    join(root, "examples/vscode/package.json"),
    join(example, "package.json"),
  );
  await bundle(
    "examples/vscode/extension.ts",
    join(example, "dist/extension.js"),
  );
  for (const [name, manifest] of Object.entries(manifests)) {
    const target = join(folder, `millrace.test-${name}`);
    mkdirSync(target, { recursive: true });
    writeFileSync(
      join(target, "package.json"),
      JSON.stringify({
        name: `test-${name}`,
        publisher: "millrace",
        version: "1.0.0",
        type: "module",
        main: "./extension.js",
        engines: { vscode: "^1.104.0" },
        activationEvents: ["*"],
        ...manifest,
      }),
    );
    await bundle(`test/vscode/${name}.ts`, join(target, "extension.js"));
  }
}
