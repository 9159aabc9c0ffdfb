/**
 * Texts with everything that has to come out of them. The cases compare only
 * what their area is about; these compare offsets, ids, attributes, warnings
 * and repairs too, and how much is held back. Most are inputs at which a small
 * mistake in the sources shows that nothing else had noticed.
 *
 * A line of exact_parts.jsonl: `stage`, `options`, `input` (the whole text, or a
 * list of texts and parts), `parts` (what comes out, neighbouring pieces merged),
 * of a text `waited` (how many code units may be held back when one more has
 * come, all together), and perhaps `held` (the same for each of them).
 *
 *     npx tsx test/transforms/exact_parts.ts
 *
 * writes the expected parts anew. Read what it changes before you keep it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  DirectiveExtractorStream,
  FenceTrackerStream,
  type Part,
  SnippetExtractorStream,
  type StageStream,
  standardPipeline,
  SurrogateSanitizerStream,
  type TextPart,
  ToolCallSalvagerStream,
  type ToolCallSalvagerStreamOptions,
} from "../../mod.ts";
import { coverage, merged } from "../laws.ts";

/** A text and what comes out. */
export interface ExactParts {
  stage: string;
  options: Record<string, unknown>;
  input: string | (string | Part)[];
  parts: unknown[];
  waited?: number;
  held?: number[];
}

type Options = Record<string, unknown> & { snapshot?: unknown };

type Stream = StageStream<string | Part, Part>;

const STREAMS: Readonly<Record<string, (options: Options) => unknown>> = {
  sanitizer: (options: Options) => new SurrogateSanitizerStream(options),
  salvager: (options: Options) =>
    new ToolCallSalvagerStream(
      options as unknown as ToolCallSalvagerStreamOptions,
    ),
  fence: (options: Options) => new FenceTrackerStream(options),
  directive: (options: Options) =>
    new DirectiveExtractorStream(
      options as unknown as ConstructorParameters<
        typeof DirectiveExtractorStream
      >[0],
    ),
  snippet: (options: Options) => new SnippetExtractorStream(options),
  standard: (options: Options) => standardPipeline(options),
};

const PATH: string = fileURLToPath(
  new URL("exact_parts.jsonl", import.meta.url),
);

/** All of them. */
export function exactParts(): ExactParts[] {
  return readFileSync(PATH, "utf8").split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** A stream of this stage. */
export function makeExact(
  stage: string,
  options: Record<string, unknown>,
): Stream {
  const makeStream = STREAMS[stage];
  if (makeStream === undefined) throw new Error(`there is no "${stage}"`);
  return makeStream(options) as Stream;
}

function make(
  { stage, options }: ExactParts,
  snapshot?: unknown,
): Stream {
  return makeExact(
    stage,
    snapshot === undefined ? options : { ...options, snapshot },
  );
}

/** Neighbours merged. The sanitizer gives strings back for strings. */
function joined(outputs: readonly Part[]): unknown[] {
  const all: unknown[] = [];
  for (const one of merged(outputs) as unknown[]) {
    const last = all.at(-1);
    if (typeof one === "string" && typeof last === "string") {
      all[all.length - 1] = last + one;
    } else all.push(one);
  }
  return all;
}

/** Up to where the text has come out. */
function covered(outputs: readonly Part[]): number {
  return outputs.some((output) => typeof output === "string")
    ? Infinity
    : coverage(outputs);
}

/** What comes out of the input as it is. */
export function partsOf(one: ExactParts): unknown[] {
  return runWith(one, typeof one.input === "string" ? [one.input] : one.input)
    .parts;
}

/** The input with each text cut into pieces of this size. */
export function cutUp(
  { input }: ExactParts,
  size: number = 1,
): (string | Part)[] {
  const chunks: (string | Part)[] = [];
  for (const one of typeof input === "string" ? [input] : input) {
    const text = typeof one === "string"
      ? one
      : one.type === "text"
      ? one.text
      : "";
    if (text === "") chunks.push(one);
    for (let at = 0; at < text.length; at += size) {
      const piece = text.slice(at, at + size);
      chunks.push(
        typeof one === "string" ? piece : {
          ...one as TextPart,
          text: piece,
          start: (one as TextPart).start + at,
        },
      );
    }
  }
  return chunks;
}

/** The same of these pieces, and how much is held back behind each. */
export function runWith(
  one: ExactParts,
  chunks: Iterable<string | Part>,
): { parts: unknown[]; held: number[] } {
  const parts: Part[] = [];
  const held: number[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  const { stage } = make(one);
  let length = 0;
  for (const chunk of chunks) {
    stage.push(chunk, emit);
    if (typeof chunk === "string") length += chunk.length;
    held.push(length - covered(parts));
  }
  stage.end(emit);
  return { parts: joined(parts), held };
}

/** The same with a new stream behind every piece, out of the last one's snapshot. */
export function resumedWith(
  one: ExactParts,
  chunks: Iterable<string | Part>,
): unknown[] {
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  let stream = make(one);
  for (const chunk of chunks) {
    stream.stage.push(chunk, emit);
    stream = make(one, JSON.parse(JSON.stringify(stream.snapshot())));
  }
  stream.stage.end(emit);
  return joined(parts);
}

function update(): void {
  const lines = exactParts().map((one) => {
    const { held } = runWith(one, cutUp(one));
    const { held: _held, waited: _waited, ...rest } = one;
    const all: ExactParts = { ...rest, parts: partsOf(one) };
    const waited = held.reduce((sum, one) => sum + one, 0);
    if (typeof one.input === "string" && Number.isFinite(waited)) {
      all.waited = waited;
    }
    if (one.held !== undefined) all.held = held;
    return JSON.stringify(all);
  });
  writeFileSync(PATH, lines.map((line) => `${line}\n`).join(""));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) update();
