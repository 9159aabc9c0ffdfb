/**
 * Every option that is a limit, at every value that makes a difference. One
 * table instead of a test exactly at, one below and one above each limit.
 *
 * A line of every_limit.jsonl: `stage`, `options`, `input`, `option`, and
 * `outcomes`: from which value on, in short, what comes out. A text is
 * `offset+length`, a warning `!code@start-end`, any other part its type with
 * where it is, and `?` behind it when it is not whole.
 *
 *     npx tsx test/transforms/every_limit.ts
 *
 * writes the outcomes anew. Read what changes before you keep it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Part } from "../../mod.ts";
import { merged } from "../laws.ts";
import { makeExact } from "./exact_parts.ts";

/** A text, an option, and what its values lead to. */
export interface EveryLimit {
  stage: string;
  options: Record<string, unknown>;
  input: string;
  option: string;
  outcomes: [from: number, outcome: string][];
}

const PATH: string = fileURLToPath(
  new URL("every_limit.jsonl", import.meta.url),
);

/** All of them. */
export function everyLimit(): EveryLimit[] {
  return readFileSync(PATH, "utf8").split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function short(part: Part): string {
  switch (part.type) {
    case "text":
      return `${part.start}+${part.text.length}${part.code?.[0] ?? ""}`;
    case "warning":
      return `!${part.code}@${part.start}-${part.end}`;
    case "directive-delta":
      return `${part.type}+${part.text.length}`;
    default: {
      const { start, end, fence, complete, closed, content }: {
        [key: string]: unknown;
      } = { ...part };
      const from = start ?? (fence as { start: number } | undefined)?.start;
      const size = typeof content === "string" ? `:${content.length}` : "";
      const path = "filePath" in part ? `=${part.filePath}` : "";
      const half = complete === false || closed === false ? "?" : "";
      return `${part.type}@${from ?? ""}-${end ?? ""}${size}${path}${half}`;
    }
  }
}

/** What comes out with the option at a value, the text in pieces of a size. */
export function outcomeAt(
  { stage, options, input, option }: EveryLimit,
  value: number,
  size: number = input.length,
): string {
  let machine;
  try {
    machine = makeExact(stage, { ...options, [option]: value }).stage;
  } catch (error) {
    return (error as Error).name;
  }
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  for (let at = 0; at < input.length; at += size) {
    machine.push(input.slice(at, at + size), emit);
  }
  machine.end(emit);
  return merged(parts).map(short).join(" ");
}

/** From which value on which outcome. */
export function outcomesOf(one: EveryLimit): EveryLimit["outcomes"] {
  const outcomes: EveryLimit["outcomes"] = [];
  for (let value = 0; value <= one.input.length + 4; value++) {
    const outcome = outcomeAt(one, value);
    if (outcome !== outcomes.at(-1)?.[1]) outcomes.push([value, outcome]);
  }
  return outcomes;
}

function update(): void {
  const lines = everyLimit().map((one) =>
    JSON.stringify({ ...one, outcomes: outcomesOf(one) })
  );
  writeFileSync(PATH, lines.map((line) => `${line}\n`).join(""));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) update();
