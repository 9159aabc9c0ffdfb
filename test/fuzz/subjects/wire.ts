/** What comes over a wire: bytes or text, damaged and cut. */
import type { Stage } from "../../../mod.ts";
import type { RandomSource } from "../random_source.ts";
import { shorterLists, shorterTexts } from "../shrink.ts";
import { expectSame } from "../subject.ts";

/** A body, how it comes, and where it is cut. */
export interface WireCase {
  body: string;
  /** As bytes; then the cuts are between bytes. */
  bytes: boolean;
  /** Bytes that are replaced, by place and value. */
  damage: [number, number][];
  cuts: number[];
}

/** A chunk of a body. */
export type Chunk = string | Uint8Array;

const encoder = new TextEncoder();

/** A case out of a body, cut and perhaps damaged. */
export function randomWireCase(random: RandomSource, body: string): WireCase {
  const bytes = random.chance(0.6);
  const length = bytes ? encoder.encode(body).length : body.length;
  const count = random.chance(0.2) ? 40 : 6;
  return {
    body,
    bytes,
    damage: bytes && random.chance(0.2)
      ? random.times(
        random.between(1, 3),
        (): [number, number] => [random.below(length + 1), random.below(256)],
      )
      : [],
    cuts: random.offsets(length, count),
  };
}

/** The body, whole. */
export function wholeOf({ body, bytes, damage }: WireCase): Chunk {
  if (!bytes) return body;
  const whole = encoder.encode(body);
  for (const [at, value] of damage) {
    if (whole.length > 0) whole[at % whole.length] = value;
  }
  return whole;
}

/** Something cut at these places. */
export function cutAt(whole: Chunk, cuts: readonly number[]): Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  for (const at of [...cuts].sort((a, b) => a - b)) {
    chunks.push(whole.slice(from, Math.max(from, at)));
    from = Math.max(from, at);
  }
  chunks.push(whole.slice(from));
  return chunks;
}

/** One code unit or byte at a time. */
export function shredded(whole: Chunk): Chunk[] {
  return typeof whole === "string"
    ? whole.split("")
    : Array.from(whole, (_, at) => whole.subarray(at, at + 1));
}

/** Smaller cases. */
export function* smallerWireCases(input: WireCase): Generator<WireCase> {
  for (const damage of shorterLists(input.damage)) yield { ...input, damage };
  for (const cuts of shorterLists(input.cuts)) yield { ...input, cuts };
  if (input.bytes && input.damage.length === 0) {
    yield { ...input, bytes: false };
  }
  for (const body of shorterTexts(input.body)) {
    yield { ...input, body };
    // What was cut behind the gap is now cut before it.
    const gone = input.body.length - body.length;
    yield {
      ...input,
      body,
      cuts: input.cuts.map((at) => Math.max(0, at - gone)),
    };
  }
}

/** How big a case is. */
export function wireCaseSize(input: WireCase): number {
  return input.body.length + input.cuts.length + 5 * input.damage.length +
    (input.bytes ? 1 : 0);
}

/** Everything that was told in a run: outputs, failure, what listeners heard. */
export interface Told {
  outputs: unknown[];
  failure: string | undefined;
  heard: unknown[];
}

/** A stage that tells its listeners things, too. */
export type MakeWireStage = (
  hear: (what: unknown) => void,
  snapshot?: unknown,
) => Stage<Chunk, unknown>;

/** Runs a stage; with `resume`, a new one after every chunk. */
export function tell(
  make: MakeWireStage,
  chunks: readonly Chunk[],
  resume = false,
): Told {
  const told: Told = { outputs: [], failure: undefined, heard: [] };
  const emit = (output: unknown): void => {
    told.outputs.push(output);
  };
  const hear = (what: unknown): void => {
    told.heard.push(what);
  };
  let stage = make(hear);
  try {
    for (const chunk of chunks) {
      stage.push(chunk, emit);
      if (resume) {
        const snapshot = JSON.stringify(stage.snapshot());
        stage = make(hear, JSON.parse(snapshot));
      }
    }
    stage.end(emit);
  } catch (error) {
    const { code, name, message } = error as {
      code?: string;
      name: string;
      message: string;
    };
    // Only what the option asks for may fail.
    if (name !== "StreamError") throw error;
    told.failure = `${code}: ${message}`;
  }
  return told;
}

/** Checks that cutting changes nothing, and snapshots neither. */
export function checkWire(make: MakeWireStage, input: WireCase): Told {
  const whole = wholeOf(input);
  const chunks = cutAt(whole, input.cuts);
  const told = tell(make, [whole]);
  expectSame("Chunk invariance: cut", tell(make, chunks), told);
  if (whole.length <= 2000) {
    expectSame(
      "Chunk invariance: one at a time",
      tell(make, shredded(whole)),
      told,
    );
  }
  expectSame("Snapshot after every chunk", tell(make, chunks, true), told);
  if (whole.length <= 150) {
    expectSame(
      "Snapshot after every code unit or byte",
      tell(make, shredded(whole), true),
      told,
    );
  }
  return told;
}
