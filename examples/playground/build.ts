/**
 * Makes the playground, one page that needs no server and sends no request:
 *
 *     npm run playground
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const build = await rolldown({
  input: fileURLToPath(new URL("main.ts", import.meta.url)),
  platform: "browser",
  logLevel: "warn",
});
const { output } = await build.generate({ format: "esm", minify: true });
await build.close();

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}

// What ends a script element must not stand in one.
const script = output[0].code.replaceAll(/<(\/script|!--)/gi, "\\x3c$1");
const page = read("index.html").replace(
  "/* style */",
  () => read("style.css").trim(),
).replace("/* script */", () => script.trim());

const folder = new URL("../../dist/playground/", import.meta.url);
mkdirSync(folder, { recursive: true });
const path = fileURLToPath(new URL("index.html", folder));
writeFileSync(path, page);
console.log(`${path}, ${Math.round(page.length / 1000)} kB`);
