/**
 * A smoke test in real Chromium: mod.ts and the SSE adapter, bundled, run on a
 * stream that is still being sent. Needs /usr/bin/chromium.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { chromium } from "playwright-core";
import { bundle } from "../support/bundle.ts";
import { root } from "../support/public_files.ts";

const entry = "dist/browser_entry.ts";
writeFileSync(
  join(root, entry),
  'export * from "../mod.ts";\nexport * from "../adapters/sse.ts";\n',
);
const library = await bundle(entry, "browser", true);
const demo = readFileSync(join(root, "examples/data/demo.sse"));

const server = createServer((request, response) => {
  if (request.url === "/library.js") {
    response.setHeader("content-type", "text/javascript");
    response.end(library);
  } else if (request.url === "/stream") {
    response.setHeader("content-type", "text/event-stream");
    let at = 0;
    const timer = setInterval(() => {
      response.write(demo.subarray(at, at += 1500));
      if (at >= demo.length) {
        clearInterval(timer);
        response.end();
      }
    }, 20);
  } else {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>millrace</title>");
  }
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address() as AddressInfo;

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const page = await browser.newPage();
page.on("pageerror", (error) => console.log("page error:", error.message));
await page.goto(`http://127.0.0.1:${port}/`);
const result = await page.evaluate(`(async () => {
  const millrace = await import("/library.js");
  const response = await fetch("/stream");
  const reader = millrace.fromSSE(response).pipeThrough(
    millrace.standardPipeline({
      tools: [{ name: "read_file" }],
      directives: ["note"],
    }),
  ).getReader();
  const counts = {};
  const started = performance.now();
  let first;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    first ??= performance.now() - started;
    counts[value.type] = (counts[value.type] ?? 0) + 1;
  }
  return { counts, first, last: performance.now() - started };
})()`) as {
  counts: Record<string, number>;
  first: number;
  last: number;
};
const version = browser.version();
await browser.close();
server.close();

console.log(`Chromium ${version}: ${JSON.stringify(result)}`);
const { counts, first, last } = result;
const whole = ["directive", "snippet", "tool-call", "finish"].every((type) =>
  counts[type] === 1
);
if (!whole || !(counts["text"]! > 5) || !(first < last / 2)) {
  console.log("The browser did not give the parts, or not while they came in");
  process.exitCode = 1;
}
