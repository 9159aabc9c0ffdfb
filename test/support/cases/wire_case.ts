import { cuttings, random } from "../../laws.ts";

/** A chunk of a wire case. */
export type WireChunk = string | Uint8Array;

function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(
    hex.match(/../g) ?? [],
    (pair) => Number.parseInt(pair, 16),
  );
}

function joinedBytes(chunks: readonly WireChunk[]): Uint8Array {
  const encoder = new TextEncoder();
  return Uint8Array.from(
    chunks.flatMap((chunk) =>
      Array.from(typeof chunk === "string" ? encoder.encode(chunk) : chunk)
    ),
  );
}

/** The chunks of a case as given, and every other cut of them. */
export function wireCuttings(
  input: unknown,
): { given: WireChunk[]; all: WireChunk[][] } {
  const given = chunksOf(input);
  const all: WireChunk[][] = [given];
  const texts = given.every((chunk) => typeof chunk === "string");
  if (texts) {
    const text = given.join("");
    all.push([text]);
    if (text.length > 5000) {
      for (const size of [1, 7, 256, 4096]) {
        all.push(pieces(text, size) as string[]);
      }
    } else all.push(...cuttings(text));
  }
  // The same as bytes; half a surrogate pair has none.
  if (!texts || given.join("").isWellFormed()) {
    const bytes = joinedBytes(given);
    all.push([bytes], pieces(bytes, 1) as Uint8Array[]);
    const step = Math.max(1, Math.ceil(bytes.length / 200));
    for (let at = 1; at < bytes.length; at += step) {
      all.push([bytes.subarray(0, at), bytes.subarray(at)]);
    }
    for (const seed of [1, 2, 3]) all.push(randomPieces(bytes, seed));
  }
  return { given, all };
}

function chunksOf(input: unknown): WireChunk[] {
  if (typeof input === "string") return [input];
  if (Array.isArray(input)) {
    return input.map((chunk: string | { hex: string }) =>
      typeof chunk === "string" ? chunk : bytesOfHex(chunk.hex)
    );
  }
  if (typeof input === "object" && input !== null) {
    if ("bytesBase64" in input) {
      return (input.bytesBase64 as string[]).map((one) =>
        Uint8Array.from(atob(one), (char) => char.charCodeAt(0))
      );
    }
    if ("generate" in input) {
      const { prefix, fill, fillCount, suffix, chunk } = input.generate as {
        prefix: string;
        fill: string;
        fillCount: number;
        suffix: string;
        chunk: number;
      };
      return pieces(prefix + fill.repeat(fillCount) + suffix, chunk);
    }
  }
  throw new Error(`unknown form of input: ${JSON.stringify(input)}`);
}

/** An expected value, with `{length, fill}` written out for generated inputs. */
export function written(value: unknown, input: unknown): unknown {
  const generated = typeof input === "object" && input !== null &&
    "generate" in input;
  if (!generated || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => written(one, input));
  if ("length" in value && "fill" in value) {
    return String(value.fill).repeat(Number(value.length));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, written(one, input)]),
  );
}

/** Something cut into pieces of one size. */
export function pieces<Chunk extends WireChunk>(
  whole: Chunk,
  size: number,
): Chunk[] {
  const all: Chunk[] = [];
  for (let at = 0; at < whole.length; at += size) {
    all.push(whole.slice(at, at + size) as Chunk);
  }
  return all;
}

/** Something cut at random, with empty pieces among them. */
export function randomPieces<Chunk extends WireChunk>(
  whole: Chunk,
  seed: number,
  longest = 12,
): Chunk[] {
  const next = random(seed);
  const all: Chunk[] = [];
  for (let at = 0; at < whole.length;) {
    const size = Math.floor(next() * (longest + 1));
    all.push(whole.slice(at, at + size) as Chunk);
    at += size;
  }
  return all;
}
