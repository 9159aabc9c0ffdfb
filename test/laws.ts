/**
 * The laws as a kit: give it a way to make a stage and some inputs, and it
 * checks conservation, chunk invariance, order, snapshots and barriers.
 * Throws an `Error` that shows the input and what differed.
 */
import fc from "fast-check";
import type { Part, PartOf, StageStream, TextPart } from "../mod.ts";

/** Makes a fresh stage, or one that goes on from a snapshot. */
export type MakeStream = (snapshot?: unknown) => StageStream<
  // deno-lint-ignore no-explicit-any
  any,
  Part
>;

/** How many random inputs a property is tried with. */
export const RUNS: number = Number(
  (globalThis as { process?: { env: Record<string, string | undefined> } })
    .process?.env["FAST_CHECK_RUNS"] ?? 500,
);

/** Everything that comes out for these inputs. */
export function run(
  stream: ReturnType<MakeStream>,
  inputs: Iterable<string | Part>,
): Part[] {
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  for (const input of inputs) stream.stage.push(input, emit);
  stream.stage.end(emit);
  return parts;
}

/** Merges what is one thing cut in two: neighbouring text of a kind, deltas of an id, reasoning. */
export function merged(parts: Iterable<Part>): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (
      part.type === "text" && last?.type === "text" &&
      part.code === last.code && part.start === last.start + last.text.length
    ) {
      result[result.length - 1] = { ...last, text: last.text + part.text };
    } else if (part.type === "reasoning" && last?.type === "reasoning") {
      result[result.length - 1] = { ...last, text: last.text + part.text };
    } else if (
      part.type === "directive-delta" && last?.type === "directive-delta" &&
      part.id === last.id
    ) {
      // What is told of the whole so far is newer in the later one.
      result[result.length - 1] = { ...part, text: last.text + part.text };
    } else if (
      part.type === "tool-input-delta" && last?.type === "tool-input-delta" &&
      part.toolCallId === last.toolCallId
    ) {
      result[result.length - 1] = { ...last, delta: last.delta + part.delta };
    } else result.push(part);
  }
  return result;
}

/** A text cut at these offsets. */
export function cut(text: string, offsets: Iterable<number>): string[] {
  const chunks: string[] = [];
  let from = 0;
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    chunks.push(text.slice(from, offset));
    from = offset;
  }
  chunks.push(text.slice(from));
  return chunks;
}

/** A small deterministic source of random numbers in [0, 1). */
export function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * The ways to cut a text: every two-way split (sampled above 400 code units),
 * one code unit at a time, random cuts, and with empty chunks between.
 */
export function* cuttings(text: string): Generator<string[]> {
  const step = Math.max(1, Math.ceil(text.length / 400));
  for (let at = 1; at < text.length; at += step) yield cut(text, [at]);
  yield text.split("");
  for (const seed of [1, 2, 3]) {
    const next = random(seed);
    const offsets = new Set<number>();
    for (let at = 0; at < text.length; at += 1 + Math.floor(next() * 12)) {
      offsets.add(at);
    }
    yield cut(text, offsets);
  }
  const half = text.length >> 1;
  yield ["", text.slice(0, half), "", "", text.slice(half), ""];
}

function fail(law: string, input: unknown, detail: string): never {
  throw new Error(`${law} is broken by ${JSON.stringify(input)}\n${detail}`);
}

function same(
  law: string,
  input: unknown,
  got: Part[],
  expected: Part[],
): void {
  const a = JSON.stringify(merged(got));
  const b = JSON.stringify(merged(expected));
  if (a !== b) fail(law, input, `expected ${b}\ngot      ${a}`);
}

/** A part that stands for a stretch of the input. */
interface Stretch {
  text: string;
  start: number;
  end: number;
}

function stretches(parts: readonly Part[]): Stretch[] {
  const all: Stretch[] = [];
  for (const part of parts) {
    if (part.type === "text") {
      const { text, start } = part;
      all.push({ text, start, end: start + text.length });
    } else if (
      "raw" in part && typeof part.raw === "string" && "start" in part
    ) {
      const start = part.start!;
      const end = part.end ?? start + part.raw.length;
      // Parts of nested markup lie inside the one around it, which comes last.
      // Parts behind it may have come before it, when only the end of the
      // stream ended it.
      let from = all.length;
      while (from > 0 && all[from - 1]!.start >= start) from--;
      let to = from;
      while (to < all.length && all[to]!.end <= end) to++;
      const inside = all.slice(from, to);
      all.splice(from, to - from, {
        text: filled(part.raw, start, end, inside),
        start,
        end,
      });
    }
  }
  return all;
}

/** A raw text with what an earlier stage took out of it put back. */
function filled(
  raw: string,
  start: number,
  end: number,
  inside: readonly Stretch[],
): string {
  if (raw.length === end - start) return raw;
  let text = "";
  let at = 0;
  for (const hole of inside) {
    const upTo = at + hole.start - start - text.length;
    text += raw.slice(at, upTo) + hole.text;
    at = upTo;
  }
  return text + raw.slice(at);
}

/** Parts are plain data: they survive JSON, with no key that has no value. */
export function checkPlain(parts: readonly unknown[]): void {
  const holes = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) {
      if (
        value === undefined || typeof value === "function" ||
        typeof value === "symbol" || typeof value === "bigint" ||
        typeof value === "number" && !Number.isFinite(value)
      ) fail("Plain data", parts, `${path} is ${String(value)}`);
      return;
    }
    if (
      !Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype
    ) fail("Plain data", parts, `${path} is no plain object`);
    for (const [key, one] of Object.entries(value)) {
      holes(one, `${path}.${key}`);
    }
  };
  for (const [index, part] of parts.entries()) holes(part, String(index));
}

/** Law 1: text and raw, in order, are the input. Law 4: nothing overtakes. */
export function checkConservation(
  input: string,
  parts: readonly Part[],
  expected: string = input,
): void {
  let at = 0;
  for (const { text, start } of stretches(parts)) {
    if (start !== at) {
      fail(
        "Conservation",
        input,
        `offset ${at} is followed by offset ${start}\n${JSON.stringify(parts)}`,
      );
    }
    if (expected.slice(start, start + text.length) !== text) {
      fail(
        "Conservation",
        input,
        `at ${start} came ${JSON.stringify(text)}\n${JSON.stringify(parts)}`,
      );
    }
    at = start + text.length;
  }
  if (at !== expected.length) {
    fail(
      "Conservation",
      input,
      `${expected.length - at} code units are missing at the end\n${
        JSON.stringify(parts)
      }`,
    );
  }
}

/** Law 2: every cutting gives the same parts. */
export function checkChunkInvariance(
  make: MakeStream,
  input: string,
  ways: Iterable<string[]> = cuttings(input),
): void {
  const whole = run(make(), [input]);
  for (const chunks of ways) {
    same("Chunk invariance", chunks, run(make(), chunks), whole);
  }
}

/** A snapshot taken between any two chunks, through JSON, goes on the same. */
export function checkSnapshots(
  make: MakeStream,
  chunks: readonly string[],
): void {
  const expected = run(make(), chunks);
  for (let at = 0; at <= chunks.length; at++) {
    const first = make();
    const parts: Part[] = [];
    const emit = (part: Part): void => {
      parts.push(part);
    };
    for (const chunk of chunks.slice(0, at)) first.stage.push(chunk, emit);
    const second = make(JSON.parse(JSON.stringify(first.snapshot())));
    // The first one going on must not disturb the second.
    first.stage.push("x`<y", () => {});
    for (const chunk of chunks.slice(at)) second.stage.push(chunk, emit);
    second.stage.end(emit);
    same(`Snapshot at chunk ${at}`, chunks, parts, expected);
  }
}

/** Law 4: a native call between two chunks keeps its place, and nothing is lost. */
export function checkBarrier(
  make: MakeStream,
  before: string,
  after: string,
  expected: (input: string) => string = (input) => input,
): void {
  const call: Part = {
    type: "tool-call",
    toolCallId: "native",
    toolName: "native",
    input: {},
    origin: "native",
  };
  const stream = make();
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  stream.stage.push(before, emit);
  stream.stage.push(call, emit);
  const at = parts.findIndex((part) => part === call);
  if (at < 0) fail("Order", [before, after], "the native call was held back");
  const covered = coverage(parts.slice(0, at));
  if (covered < before.length && !openDirective(parts)) {
    fail(
      "Order",
      [before, after],
      `the native call overtook text behind offset ${covered}\n${
        JSON.stringify(parts)
      }`,
    );
  }
  stream.stage.push(after, emit);
  stream.stage.end(emit);
  // A surrogate pair that a part comes between is a pair no more.
  checkConservation(
    before + after,
    parts.filter((part) => part !== call),
    expected(before) + expected(after),
  );
}

function openDirective(parts: readonly Part[]): boolean {
  const open = new Set<string>();
  for (const part of parts) {
    if (part.type === "directive-start") open.add(part.id);
    if (part.type === "directive") open.delete(part.id);
  }
  return open.size > 0;
}

/** Offset up to which the parts account for the input; an open directive's opener is not counted. */
export function coverage(parts: readonly Part[]): number {
  let covered = 0;
  for (const part of parts) {
    if (part.type === "text") {
      covered = Math.max(covered, part.start + part.text.length);
    } else if ("raw" in part && "end" in part && typeof part.end === "number") {
      covered = Math.max(covered, part.end);
    } else if (part.type === "directive-start") {
      covered = Math.max(covered, part.start);
    } else if (part.type === "directive-delta") covered += part.text.length;
  }
  return covered;
}

/** Parts of types no stage knows, and those that only tell something, pass untouched and in order. */
export function checkForeignParts(
  make: MakeStream,
  chunks: readonly string[],
): void {
  const foreign = {
    type: "not-ours",
    payload: { deep: [1] },
  } as unknown as Part;
  const usage: PartOf<"usage"> = { type: "usage", inputTokens: 1 };
  const inputs: (string | Part)[] = [];
  for (const chunk of chunks) inputs.push(chunk, usage);
  inputs.push(foreign);
  const parts = run(make(), inputs);
  if (parts.filter((part) => part === foreign).length !== 1) {
    fail("Foreign parts", chunks, "the unknown part did not pass untouched");
  }
  if (parts.filter((part) => part.type === "usage").length !== chunks.length) {
    fail("Foreign parts", chunks, "a usage part was lost or doubled");
  }
  // Parts that only tell something must not change what is found.
  same(
    "Foreign parts",
    chunks,
    run(make(), [...chunks, foreign]).filter((part) => part.type !== "usage"),
    parts.filter((part) => part.type !== "usage"),
  );
}

/**
 * Law 4: nothing comes behind a `finish`, and what comes before it is what the
 * end gives. Another text may follow, and nothing of it is lost.
 */
export function checkFinish(
  make: MakeStream,
  chunks: readonly string[],
  expected: (input: string) => string = (input) => input,
): void {
  const finish: Part = { type: "finish", reason: "unknown", complete: false };
  same(
    "Finish is last",
    chunks,
    run(make(), [...chunks, finish]),
    [...run(make(), chunks), finish],
  );
  const input = chunks.join("");
  checkConservation(
    input + input,
    run(make(), [...chunks, finish, ...chunks]).filter((part) =>
      part !== finish
    ),
    expected(input) + expected(input),
  );
}

/** What is held back, in code units, after each chunk of `size`. */
export function measureHold(
  make: MakeStream,
  text: string,
  size: number,
): { mean: number; max: number } {
  const stream = make();
  const parts: Part[] = [];
  let sum = 0;
  let max = 0;
  let chunks = 0;
  for (let from = 0; from < text.length; from += size) {
    const to = Math.min(from + size, text.length);
    stream.stage.push(text.slice(from, to), (part: Part) => parts.push(part));
    const held = to - coverage(parts);
    sum += held;
    max = Math.max(max, held);
    chunks++;
  }
  return { mean: sum / Math.max(1, chunks), max };
}

/** Law 5: time per code unit at ten times the length, over that at the shorter one. Medians of `rounds`. */
export function measureGrowth(
  make: MakeStream,
  text: (length: number) => string,
  length: number,
  rounds = 5,
): number {
  const time = (input: string): number => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const stream = make();
      const before = performance.now();
      for (let from = 0; from < input.length; from += 20) {
        stream.stage.push(input.slice(from, from + 20), () => {});
      }
      stream.stage.end(() => {});
      times.push((performance.now() - before) / input.length);
    }
    return times.sort((a, b) => a - b)[rounds >> 1]!;
  };
  const short = text(length);
  time(short);
  return time(text(length * 10)) / time(short);
}

/** The pieces that markup is made of, and what confuses it. */
export const MARKUP: readonly string[] = [
  "`",
  "``",
  "```",
  "````",
  "~~~",
  "~",
  "<",
  ">",
  "</",
  "/>",
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  " ",
  "  ",
  "    ",
  "\t",
  "- ",
  "1. ",
  "> ",
  "#",
  "=",
  '"',
  "'",
  "\\",
  "a",
  "b",
  "word ",
  "js",
  "md",
  ":::",
  ":",
  "{",
  "}",
  "[",
  "]",
  "(",
  ")",
  ",",
  ";",
  "é",
  "\u{1f600}",
  "\ud83d",
  "\ude00",
  "\u0000",
  "\ufeff",
  "<!--",
  "-->",
  "<think>",
  "</think>",
  "<log>",
  "</log>",
  "<log a=",
  "<function_calls>",
  "</function_calls>",
  '<invoke name="read">',
  "</invoke>",
  '<parameter name="path">',
  "</parameter>",
  "<tool_call>",
  "</tool_call>",
  '{"name":"read","arguments":{"path":"a"}}',
  "<function=read>",
  "</function>",
  "<parameter=path>",
  "|",
  "｜",
];

/** Random texts over {@linkcode MARKUP} and, rarely, anything else. */
export function markupText(
  pieces: readonly string[] = MARKUP,
): fc.Arbitrary<string> {
  return fc.array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...pieces) },
      { weight: 1, arbitrary: fc.string({ maxLength: 5, unit: "binary" }) },
    ),
    { maxLength: 40 },
  ).map((all) => all.join(""));
}

/** Options of {@linkcode checkLaws}. */
export interface LawsOptions {
  /** Makes the stage. */
  make: MakeStream;
  /** Random inputs. Default: {@linkcode markupText}. */
  inputs?: fc.Arbitrary<string>;
  /** Inputs to check besides, each in every cutting. */
  examples?: Iterable<string>;
  /** How many random inputs. Default: {@linkcode RUNS}. */
  runs?: number;
  /** What the input is after repair. Default: the input. */
  expected?: (input: string) => string;
}

/** Checks all laws that hold for every stage, with random inputs and given ones. */
export function checkLaws(options: LawsOptions): void {
  const {
    make,
    inputs = markupText(),
    runs = RUNS,
    expected = (input) => input,
  } = options;
  for (const example of options.examples ?? []) {
    checkPlain(run(make(), [example]));
    checkConservation(example, run(make(), [example]), expected(example));
    checkChunkInvariance(make, example);
    checkSnapshots(
      make,
      example.length <= 200
        ? example.split("")
        : cut(example, [7, 50, 120, 199]),
    );
    checkFinish(make, [example], expected);
  }
  fc.assert(
    fc.property(
      inputs,
      fc.array(fc.nat(), { maxLength: 8 }),
      (input, places) => {
        const offsets = places.map((place) => place % (input.length + 1));
        const whole = run(make(), [input]);
        checkConservation(input, whole, expected(input));
        checkPlain(whole);
        const chunks = cut(input, offsets);
        same("Chunk invariance", chunks, run(make(), chunks), whole);
        same("Chunk invariance", input, run(make(), input.split("")), whole);
        checkSnapshots(
          make,
          chunks.slice(0, 4).concat(chunks.slice(4).join("")),
        );
        checkForeignParts(make, chunks);
        checkFinish(make, chunks, expected);
        const at = offsets[0] ?? input.length >> 1;
        checkBarrier(make, input.slice(0, at), input.slice(at), expected);
      },
    ),
    { numRuns: runs },
  );
}

/** The text of text parts, joined. */
export function textOf(parts: Iterable<Part>): string {
  let text = "";
  for (const part of parts) {
    if (part.type === "text") text += (part as TextPart).text;
  }
  return text;
}

/**
 * The least of a few measurements. A busy machine makes some of them too long,
 * while what is quadratic is so every time.
 */
export function least(
  measure: () => number,
  times = 4,
  enough = 4,
): number {
  let result = Infinity;
  for (let time = 0; time < times && result >= enough; time++) {
    result = Math.min(result, measure());
  }
  return result;
}

/**
 * How many times as long a unit takes when there are eight times as many: about
 * 1 when time is linear, 8 when it is quadratic.
 */
export function growthOf(run: (count: number) => void, count: number): number {
  const time = (times: number): number => {
    let best = Infinity;
    for (let round = 0; round < 3; round++) {
      const before = performance.now();
      run(times);
      best = Math.min(best, performance.now() - before);
    }
    return best;
  };
  run(count);
  return least(() => time(count * 8) / time(count) / 8);
}
