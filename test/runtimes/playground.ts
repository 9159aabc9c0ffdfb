/// <reference lib="dom" />
/**
 * The playground in real Chromium, opened as a file: parts arrive while the
 * stream runs, every control works by keyboard, nothing is requested, the copied
 * case passes, light and dark, wide and narrow. Needs /usr/bin/chromium.
 *
 *     npm run test:playground [-- --screenshots FOLDER]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { chromium, type Page } from "playwright-core";
import { samples } from "../../examples/playground/samples.ts";
import { root } from "../support/public_files.ts";
import type { CaseLine } from "../support/cases/area_runner.ts";
import { areas } from "../support/cases/mod.ts";

const at = process.argv.indexOf("--screenshots");
const folder = at < 0 ? undefined : process.argv[at + 1];
if (folder !== undefined) mkdirSync(folder, { recursive: true });

execFileSync(process.execPath, [
  "--import",
  "tsx",
  "examples/playground/build.ts",
], { cwd: root });
const address = pathToFileURL(join(root, "dist/playground/index.html")).href;

const failures: string[] = [];
function check(what: string, holds: boolean, shown: unknown = ""): void {
  console.log(`${holds ? "ok  " : "FAIL"} ${what} ${holds ? "" : shown}`);
  if (!holds) failures.push(what);
}

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
console.log(`Chromium ${browser.version()}`);

async function open(
  options: {
    width: number;
    height: number;
    scheme: "light" | "dark";
    motion?: "reduce";
  },
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: options.width, height: options.height },
    colorScheme: options.scheme,
    reducedMotion: options.motion ?? "no-preference",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => check("no error on the page", false, error));
  page.on("console", (line) => {
    if (line.type() === "error") check("no error said", false, line.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    check("no request", url === address || url.startsWith("data:"), url);
  });
  await page.goto(address);
  return page;
}

async function shot(page: Page, name: string): Promise<void> {
  if (folder === undefined) return;
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

const rows = (page: Page) => page.locator("#parts tr").count();
const shownText = (page: Page) => page.locator("#output").innerText();
const kinds = (page: Page) =>
  page.locator("#parts td:first-child").allInnerTexts();

// Parts arrive while it runs.
let page = await open({ width: 1280, height: 900, scheme: "light" });
await page.locator("#parts tr:nth-child(3)").waitFor();
const early = await rows(page);
const chunks = await page.locator("#progress").innerText();
check("runs by itself, and is not done at once", /^\d+ of \d+/.test(chunks));
check(
  "the run button pauses",
  await page.locator("#run").innerText() === "Pause",
);
await shot(page, "running-light");
await page.locator("#run", { hasText: "Run again" }).waitFor({
  timeout: 60_000,
});
check("parts arrived while it ran", early < await rows(page), early);
check(
  "the text stays what it was",
  await page.locator("#output").textContent() === samples[0]!.text,
  await page.locator("#output").textContent(),
);
for (const kind of ["directive", "tool-call", "snippet", "fence-start"]) {
  check(`a row for ${kind}`, (await kinds(page)).includes(kind));
}
for (const colour of ["fence", "marker", "directive", "call"]) {
  check(
    `${colour} is coloured`,
    await page.locator(`#output .${colour}`).count() > 0,
  );
}
check(
  "something was held back, and nothing is in the end",
  await page.locator("#plot path").count() >= 4 &&
    await page.locator("#output .waiting").innerText() === "",
);
await shot(page, "done-light");

// A row shows where it is.
const row = page.locator("#parts tr", { hasText: "tool-call" }).first();
await row.focus();
check(
  "the row with the focus is shown in the text",
  (await page.locator("#output .here").innerText()).includes("<invoke"),
);

// By keyboard alone: from the sample on with Tab, everything is reached.
await page.locator("#theme").focus();
const reached: string[] = [];
for (let count = 0; count < 20; count++) {
  await page.keyboard.press("Tab");
  const id = await page.evaluate(() => document.activeElement?.id ?? "");
  reached.push(id);
  if (id === "copy") break;
}
check(
  "Tab reaches every control",
  [
    "sample",
    "format",
    "text",
    "tools",
    "directives",
    "fences",
    "reasoning",
    "size",
    "seed",
    "speed",
    "run",
    "step",
    "end",
    "reset",
    "output",
    "copy",
  ].every((id) => reached.includes(id) || id === "step" || id === "end"),
  reached.join(),
);
await page.locator("#reset").focus();
await page.keyboard.press("Enter");
check("reset empties the table", await rows(page) === 0);
await page.locator("#step").focus();
await page.keyboard.press("Enter");
await page.keyboard.press("Enter");
check(
  "step takes one chunk",
  (await page.locator("#progress").innerText()).startsWith("2 of "),
);

// Every sample, both as cut by a seed and evenly; the copied case passes.
for (const [index, sample] of samples.entries()) {
  await page.locator("#sample").selectOption(`${index}`);
  const answers: string[] = [];
  for (const [size, seed] of [[1, 0], [12, 7], [100, 3]] as const) {
    await page.locator("#size").fill(`${size}`);
    await page.locator("#seed").fill(`${seed}`);
    await page.locator("#end").click();
    answers.push(
      await page.locator("#parts").innerText() + await shownText(page),
    );
  }
  check(
    `"${sample.name}": however it is cut`,
    new Set(answers).size === 1,
    answers.join("\n---\n"),
  );
  // However much was taken out, the page shows all of the text channel.
  check(
    `"${sample.name}": all of the text is shown`,
    await page.locator("#output").textContent() ===
      (sample.text.startsWith("data:") ? samples[0]!.text : sample.text),
    await page.locator("#output").textContent(),
  );
  await page.locator("#copy").click();
  await page.locator("#message", { hasText: "Copied" }).waitFor();
  const line = JSON.parse(
    await page.evaluate(() => navigator.clipboard.readText()),
  ) as CaseLine;
  const outcome = await areas[line.area]!(line);
  check(
    `"${sample.name}": the copied case (${line.area}) passes`,
    outcome.status === "passed",
    JSON.stringify(outcome),
  );
  await shot(page, `sample-${index}`);
}

// What a stream says is not obeyed.
await page.locator("#text").fill(
  '<img src=x onerror="document.title=1"><script>document.title=2</script>',
);
await page.locator("#end").click();
check("markup is text", await page.title() === "millrace playground");
check(
  "own text is called so",
  await page.locator("#sample").inputValue() === "own",
);
await page.locator("#tools").fill("{");
check(
  "wrong settings are told",
  (await page.locator("#message").innerText()).startsWith("Cannot run"),
);
await page.close();

// Dark, and on a phone.
page = await open({
  width: 1280,
  height: 900,
  scheme: "dark",
  motion: "reduce",
});
check(
  "reduced motion: done at once",
  await page.locator("#run").innerText() === "Run again",
);
await shot(page, "done-dark");
await page.locator("#theme").selectOption("light");
check(
  "the theme can be chosen",
  await page.evaluate(() => getComputedStyle(document.body).backgroundColor) ===
    "rgb(246, 246, 244)",
);
await page.close();
for (const width of [320, 390]) {
  page = await open({ width, height: 844, scheme: "light", motion: "reduce" });
  const wide = await page.evaluate(() =>
    document.documentElement.scrollWidth - innerWidth
  );
  check(`nothing is wider than a phone of ${width}`, wide <= 0, wide);
  await shot(page, `phone-${width}`);
  await page.close();
}

await browser.close();
console.log(`${failures.length} failed`);
if (failures.length > 0) process.exitCode = 1;
