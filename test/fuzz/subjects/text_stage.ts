/** Stages that read text: inputs, laws and smaller inputs. */
import type { Part } from "../../../mod.ts";
import {
  checkConservation,
  coverage,
  type MakeStream,
  merged,
  run,
} from "../../laws.ts";
import type { RandomSource } from "../random_source.ts";
import { shorterLists, shorterTexts } from "../shrink.ts";
import { expectSame, expectThat, type Subject } from "../subject.ts";
import { randomText, type Taste } from "../texts.ts";

/** What goes in: texts, and parts between them. */
export type TextCase = (string | Part)[];

/** Parts that come between texts. */
export const STRANGERS: readonly Part[] = [
  {
    type: "tool-call",
    toolCallId: "native",
    toolName: "native",
    input: {},
    origin: "native",
  },
  { type: "reasoning", text: "so" },
  { type: "usage", inputTokens: 1 },
  { type: "warning", code: "theirs", message: "" },
  { type: "raw", value: { a: 1 } },
  { type: "finish", reason: "stop", complete: true },
  { type: "error", error: { name: "E", message: "m" }, fatal: true },
  { type: "tool-input-start", toolCallId: "native", toolName: "native" },
  { type: "not-ours", payload: [1] } as unknown as Part,
];

/** Parts that wait in line with held text instead of releasing it. */
const WAITING: ReadonlySet<string> = new Set(["usage", "warning", "raw"]);

/** A text, cut at random, sometimes with parts between. */
export function randomTextCase(random: RandomSource, taste: Taste): TextCase {
  const text = randomText(random, taste);
  const chunks: TextCase = [];
  let from = 0;
  for (const offset of random.offsets(text.length, 7)) {
    chunks.push(text.slice(from, offset));
    from = offset;
  }
  chunks.push(text.slice(from));
  if (random.chance(0.3)) {
    for (let times = random.between(1, 3); times > 0; times--) {
      chunks.splice(random.below(chunks.length + 1), 0, random.pick(STRANGERS));
    }
  }
  return chunks;
}

/** Smaller cases: fewer chunks, chunks joined, shorter chunks. */
export function* smallerTextCases(chunks: TextCase): Generator<TextCase> {
  yield* shorterLists(chunks);
  for (let at = 1; at < chunks.length; at++) {
    const before = chunks[at - 1];
    const after = chunks[at];
    if (typeof before === "string" && typeof after === "string") {
      yield [
        ...chunks.slice(0, at - 1),
        before + after,
        ...chunks.slice(at + 1),
      ];
    }
  }
  for (const [at, chunk] of chunks.entries()) {
    if (typeof chunk !== "string") continue;
    for (const shorter of shorterTexts(chunk)) {
      yield [...chunks.slice(0, at), shorter, ...chunks.slice(at + 1)];
    }
  }
}

/** How big a case is. */
export function textCaseSize(chunks: TextCase): number {
  let size = 0;
  for (const chunk of chunks) {
    size += typeof chunk === "string" ? 1 + chunk.length : 10;
  }
  return size;
}

/** The texts between parts that release held text, joined. */
function segments(chunks: TextCase): string[] {
  const all = [""];
  for (const chunk of chunks) {
    if (typeof chunk === "string") all[all.length - 1] += chunk;
    else if (!WAITING.has(chunk.type)) all.push("");
  }
  return all;
}

/** One code unit at a time, parts where they are. */
function shredded(chunks: TextCase): TextCase {
  return chunks.flatMap((chunk): TextCase =>
    typeof chunk === "string" ? chunk.split("") : [chunk]
  );
}

/** Neighbouring texts joined. */
function joined(chunks: TextCase): TextCase {
  const all: TextCase = [];
  for (const chunk of chunks) {
    const last = all.at(-1);
    if (typeof chunk === "string" && typeof last === "string") {
      all[all.length - 1] = last + chunk;
    } else all.push(chunk);
  }
  return all;
}

/**
 * Runs with a new stage after every chunk (or every few), made from the
 * snapshot of the one before.
 */
export function runResumed(
  make: MakeStream,
  chunks: TextCase,
  every = 1,
): Part[] {
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  let stream = make();
  for (const [index, chunk] of chunks.entries()) {
    stream.stage.push(chunk, emit);
    if (index % every !== every - 1) continue;
    const snapshot = JSON.stringify(stream.snapshot());
    // The old one going on must not disturb the new one.
    stream.stage.push("x`<y", () => {});
    stream = make(JSON.parse(snapshot));
  }
  stream.stage.end(emit);
  return parts;
}

/** What is known of a stage beside the laws. */
export interface TextStageTraits {
  /** What the text is after repair. Default: itself. */
  readonly expected?: (text: string) => string;
  /** Most code units that may be held back. */
  readonly mostHeld?: number;
  /** Whether making a stage takes long, so that not all is checked with a new one. */
  readonly costly?: boolean;
  /** Takes out what may depend on how the text is cut. */
  readonly normal?: (parts: readonly Part[]) => Part[];
  /** More that has to hold of the parts of the joined text. */
  readonly also?: (text: string, parts: readonly Part[]) => void;
}

/** Checks all laws on one case. */
export function checkTextCase(
  make: MakeStream,
  chunks: TextCase,
  traits: TextStageTraits = {},
): void {
  const { expected = (text: string) => text, mostHeld, also } = traits;
  const strangers = chunks.filter((chunk) => typeof chunk !== "string");
  const text = segments(chunks).map((one) => expected(one)).join("");
  const parts = asParts(run(make(), chunks));
  const normal = (outputs: Part[]): Part[] =>
    merged(traits.normal?.(asParts(outputs)) ?? asParts(outputs));
  const whole = normal(parts);
  checkConservation(
    text,
    parts.filter((part) => !strangers.includes(part)),
  );
  expectSame(
    "Parts from elsewhere pass untouched, in order",
    parts.filter((part) => strangers.includes(part)),
    strangers,
  );
  expectSame(
    "Chunk invariance: joined",
    normal(run(make(), joined(chunks))),
    whole,
  );
  const characters = shredded(chunks);
  if (characters.length <= 600) {
    expectSame(
      "Chunk invariance: one code unit at a time",
      normal(run(make(), characters)),
      whole,
    );
  }
  expectSame(
    "Snapshot between every two chunks",
    normal(runResumed(make, chunks)),
    whole,
  );
  if (characters.length <= 80) {
    expectSame(
      "Snapshot between every two code units",
      normal(
        runResumed(
          make,
          characters,
          traits.costly === true ? 1 + (characters.length >> 3) : 1,
        ),
      ),
      whole,
    );
  }
  const finish = STRANGERS.find(({ type }) => type === "finish")!;
  expectSame(
    "Nothing comes behind a finish",
    normal(run(make(), [...chunks, finish])),
    [...whole, finish],
  );
  if (mostHeld !== undefined) checkHold(make, characters, mostHeld);
  if (strangers.length === 0) also?.(text, parts);
}

/** Strings are the text they stand for. */
function asParts(outputs: readonly (string | Part)[]): Part[] {
  let start = 0;
  return outputs.filter((output) => output !== "").map((output) => {
    const part: Part = typeof output === "string"
      ? { type: "text", text: output, start }
      : output;
    if (part.type === "text") start = part.start + part.text.length;
    return part;
  });
}

/** Checks how much is held back after each code unit. */
function checkHold(
  make: MakeStream,
  characters: TextCase,
  most: number,
): void {
  const stream = make();
  let length = 0;
  let covered = 0;
  const emit = (part: string | Part): void => {
    if (typeof part === "string") covered += part.length;
    else if (part.type === "directive-delta") covered += part.text.length;
    else covered = Math.max(covered, coverage([part]));
  };
  for (const chunk of characters) {
    if (typeof chunk !== "string") continue;
    length += chunk.length;
    stream.stage.push(chunk, emit);
    expectThat(
      length - covered <= most,
      `Boundedness: ${
        length - covered
      } code units are held at offset ${length}, more than ${most}`,
    );
  }
}

/** A subject out of a way to make a stage. */
export function textSubject(
  name: string,
  make: MakeStream,
  taste: Taste,
  traits: TextStageTraits = {},
): Subject<TextCase> {
  return {
    name,
    make: (random) => randomTextCase(random, taste),
    check: (chunks) => checkTextCase(make, chunks, traits),
    shrink: smallerTextCases,
    size: textCaseSize,
  };
}
