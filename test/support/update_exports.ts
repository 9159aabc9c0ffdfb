/** Writes the `exports` of package.json and deno.json anew: `npm run exports`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { denoExports, packageExports, root } from "./public_files.ts";

for (
  const [name, exports] of [
    ["package.json", packageExports()],
    ["deno.json", denoExports()],
  ] as const
) {
  const path = join(root, name);
  const config = JSON.parse(readFileSync(path, "utf8"));
  config.exports = exports;
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
}
