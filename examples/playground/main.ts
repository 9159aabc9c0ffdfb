/// <reference lib="dom" />
/** The page: reads the settings, runs the stream, shows what comes out. */
import type { FenceMode, Tool } from "../../mod.ts";
import { HoldPlot } from "./hold_plot.ts";
import { PartsTable } from "./parts_table.ts";
import { Player, type Setup } from "./player.ts";
import { samples } from "./samples.ts";
import { testCase } from "./test_case.ts";
import { TextView } from "./text_view.ts";

/** Chunks a second, by the position of the slider. */
const SPEEDS = [1, 3, 8, 20, 60, 200, Infinity];

/** Milliseconds of work until the page gets its turn. */
const TURN = 12;

function byId<Element extends HTMLElement>(id: string): Element {
  return document.getElementById(id) as Element;
}

const sample = byId<HTMLSelectElement>("sample");
const text = byId<HTMLTextAreaElement>("text");
const format = byId<HTMLSelectElement>("format");
const tools = byId<HTMLInputElement>("tools");
const directives = byId<HTMLInputElement>("directives");
const fences = byId<HTMLSelectElement>("fences");
const reasoning = byId<HTMLInputElement>("reasoning");
const size = byId<HTMLInputElement>("size");
const seed = byId<HTMLInputElement>("seed");
const speed = byId<HTMLInputElement>("speed");
const run = byId<HTMLButtonElement>("run");
const step = byId<HTMLButtonElement>("step");
const toEnd = byId<HTMLButtonElement>("end");
const progress = byId("progress");
const message = byId("message");

const view = new TextView(byId("output"));
const table = new PartsTable(byId("parts"), (row) => view.mark(row));
const plot = new HoldPlot(byId("plot"));

let player: Player | undefined;
let running = false;
let lastStep = 0;

/** Names with commas, or JSON: a list of tools or of names, or schemas by name. */
function toolsOf(given: string): Tool[] {
  const trimmed = given.trim();
  if (!/^[[{]/.test(trimmed)) return namesOf(given).map((name) => ({ name }));
  const value: unknown = JSON.parse(trimmed);
  const entries = Array.isArray(value)
    ? value
    : Object.entries(value as object).map(([name, inputSchema]) => ({
      name,
      inputSchema,
    }));
  return entries.map((entry) => {
    const tool = typeof entry === "string"
      ? { name: entry }
      : entry?.function ?? entry;
    return {
      name: String(tool.name),
      inputSchema: tool.inputSchema ?? tool.input_schema ?? tool.parameters ??
        {},
    };
  });
}

function namesOf(given: string): string[] {
  return given.split(/[\s,]+/).filter((name) => name !== "");
}

function setup(): Setup {
  return {
    text: text.value,
    format: format.value as Setup["format"],
    tools: toolsOf(tools.value),
    directives: namesOf(directives.value),
    reasoning: reasoning.checked,
    fences: fences.value as FenceMode,
    size: Number(size.value),
    seed: Math.trunc(Number(seed.value)) || 0,
  };
}

/** Begins anew with the settings as they are; says what is wrong with them. */
function reset(): void {
  running = false;
  message.textContent = "";
  view.clear();
  table.clear();
  plot.clear();
  try {
    player = new Player(setup());
  } catch (error) {
    player = undefined;
    message.textContent = `Cannot run: ${(error as Error).message}`;
  }
  show();
}

/** Takes one chunk. Gives whether there was one. */
function advance(): boolean {
  const taken = player?.step();
  if (taken === undefined) return false;
  for (const part of taken.parts) view.add(part, table.add(part));
  plot.add(taken.held);
  view.showWaiting(taken.waiting);
  return true;
}

function show(): void {
  const chunks = player?.chunks.length ?? 0;
  const left = player?.left ?? 0;
  plot.draw(chunks + 1);
  progress.textContent = player === undefined
    ? ""
    : `${
      Math.min(chunks, chunks + 1 - left)
    } of ${chunks} chunks (${player.format}), at most ${plot.most} characters held`;
  run.textContent = running ? "Pause" : left === 0 ? "Run again" : "Run";
  step.disabled = toEnd.disabled = running || left === 0;
  byId("size-shown").textContent = `${size.value} characters${
    Number(seed.value) === 0 ? "" : " on average"
  }`;
  const rate = SPEEDS[Number(speed.value)]!;
  byId("speed-shown").textContent = rate === Infinity
    ? "as fast as it goes"
    : `${rate} ${rate === 1 ? "chunk" : "chunks"} a second`;
}

/** Goes on with as many chunks as the time allows. */
function tick(now: number): void {
  if (!running) return;
  const wait = 1000 / SPEEDS[Number(speed.value)]!;
  const until = performance.now() + TURN;
  while (now - lastStep >= wait && performance.now() < until) {
    lastStep = wait === 0 ? now : Math.max(lastStep + wait, now - 1000);
    if (!advance()) {
      running = false;
      break;
    }
  }
  show();
  if (running) requestAnimationFrame(tick);
}

function start(): void {
  if (player === undefined || player.left === 0) reset();
  if (player === undefined) return;
  running = true;
  lastStep = performance.now();
  requestAnimationFrame(tick);
  show();
}

function choose(index: number): void {
  const chosen = samples[index];
  if (chosen === undefined) return;
  text.value = chosen.text;
  tools.value = chosen.tools;
  directives.value = chosen.directives;
  reasoning.checked = chosen.reasoning;
  format.value = "auto";
  reset();
}

async function copy(): Promise<void> {
  let line: string;
  try {
    line = JSON.stringify(testCase(setup()));
  } catch (error) {
    message.textContent = `Cannot make a case: ${(error as Error).message}`;
    return;
  }
  try {
    await navigator.clipboard.writeText(line);
    message.textContent =
      "Copied: one line of a case file, to be given an id and a reason.";
  } catch {
    // Not allowed here: by hand, then.
    const area = byId<HTMLTextAreaElement>("case-text");
    area.value = line;
    byId<HTMLDialogElement>("case").showModal();
    area.select();
  }
}

for (const [index, { name }] of samples.entries()) {
  sample.append(new Option(name, `${index}`));
}
sample.append(new Option("Your own", "own"));

sample.addEventListener("change", () => choose(Number(sample.value)));
text.addEventListener("input", () => {
  sample.value = "own";
  reset();
});
for (
  const setting of [format, tools, directives, fences, reasoning, size, seed]
) setting.addEventListener("input", reset);
speed.addEventListener("input", show);
byId<HTMLFormElement>("setup").addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) {
    running = false;
    show();
  } else start();
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) start();
});
step.addEventListener("click", () => {
  advance();
  show();
});
toEnd.addEventListener("click", () => {
  while (advance());
  show();
});
byId("reset").addEventListener("click", reset);
byId("copy").addEventListener("click", () => void copy());
byId<HTMLSelectElement>("theme").addEventListener("change", (event) => {
  document.documentElement.style.colorScheme =
    (event.target as HTMLSelectElement).value;
});

choose(0);
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) start();
else toEnd.click();
