import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

/** Every TypeScript file below a folder of the project, as a path from its root. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (statSync(join(root, path)).isDirectory()) return sourceFiles(path);
    return name.endsWith(".ts") ? [path] : [];
  }).sort();
}

/**
 * The public files: those right in transforms/ and adapters/, and the `mod.ts`
 * of every folder in them that is not internal.
 */
export function publicFiles(): string[] {
  return ["transforms", "adapters"].flatMap(sourceFiles).filter((path) =>
    !path.includes("/internal/") &&
    (path.split("/").length === 2 || path.endsWith("/mod.ts"))
  );
}

/** The subpath a public file is exported as. */
export function subpathOf(path: string): string {
  return path === "mod.ts" ? "." : `./${path.replace(/(\/mod)?\.ts$/, "")}`;
}

/** What deno.json's `exports` has to be. */
export function denoExports(): Record<string, string> {
  return Object.fromEntries(
    ["mod.ts", ...publicFiles()].map((path) => [subpathOf(path), `./${path}`]),
  );
}

/** What package.json's `exports` has to be. */
export function packageExports(): Record<string, unknown> {
  const entries = ["mod.ts", ...publicFiles()].map((path) => {
    const built = `./dist/${path.replace(/\.ts$/, "")}`;
    return [subpathOf(path), {
      types: `${built}.d.ts`,
      default: `${built}.js`,
    }];
  });
  return {
    ...Object.fromEntries(entries),
    "./package.json": "./package.json",
  };
}
