import { createReadStream } from "node:fs";
import process from "node:process";
import { type Part, StageStream } from "../../mod.ts";
import { fromJSONL } from "../../adapters/jsonl.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { fromText } from "../../adapters/text.ts";
import type { ProviderName } from "../../adapters/provider.ts";
import { resolveProvider } from "../../adapters/provider.ts";

/** How many bytes are looked at to tell what comes in. */
const PEEK = 4_096;

/** The bytes of a file, or of standard input for "-". */
export function openBytes(file: string): AsyncIterable<Uint8Array> {
  return file === "-" ? process.stdin : createReadStream(file);
}

/** Pieces of `size` characters of UTF-8, whatever pieces come in. */
export async function* rechunk(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array(0);
  let characters = 0;
  for await (const chunk of source) {
    let from = 0;
    const bytes = concat(held, chunk);
    for (let at = held.length; at < bytes.length; at++) {
      // Every byte but a continuation byte begins a character.
      if ((bytes[at]! & 0xc0) === 0x80) continue;
      if (characters === size) {
        yield bytes.subarray(from, at);
        from = at;
        characters = 0;
      }
      characters++;
    }
    held = bytes.slice(from);
  }
  if (held.length > 0) yield held;
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

/** What the first bytes look like. */
export function detectFormat(head: string): "sse" | "jsonl" | "text" {
  const start = head.replace(/^\ufeff/, "").trimStart();
  if (/^(data|event|id|retry)?:/.test(start)) return "sse";
  if (start.startsWith("{") || start.startsWith("[")) {
    const line = start.split("\n", 1)[0]!.trim();
    // A whole JSON object on the first line, or one that is longer than the look.
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "object" ? "jsonl" : "text";
    } catch {
      return /^(\{\s*"|\[\s*\{)/.test(line) && start.length >= PEEK
        ? "jsonl"
        : line === "[" || line === "[{"
        ? "jsonl"
        : "text";
    }
  }
  return "text";
}

/** The source with its first bytes read already, and what they are as text. */
async function peek(
  source: AsyncIterable<Uint8Array>,
): Promise<{ head: string; whole: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  let newline = false;
  while (length < PEEK && !newline) {
    const { done, value } = await iterator.next();
    if (done) break;
    first.push(value);
    length += value.length;
    // One line with something on it is enough, and an interactive stream
    // should not have to wait for more.
    newline = /\S[^\n]*\n/.test(
      new TextDecoder().decode(first.reduce(concat, new Uint8Array(0))),
    );
  }
  const head = new TextDecoder().decode(
    first.reduce(concat, new Uint8Array(0)),
  );
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      yield* first;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  }
  return { head, whole: whole() };
}

/** The parts of a byte source in the format that `--from` names. */
export async function openParts(
  source: AsyncIterable<Uint8Array>,
  from: string,
): Promise<ReadableStream<Part>> {
  let format = from;
  let bytes = source;
  if (from === "auto") {
    const { head, whole } = await peek(source);
    format = head.trim() === "" ? "sse" : detectFormat(head);
    bytes = whole;
  }
  switch (format) {
    case "text":
      return fromText(bytes).pipeThrough(withoutUnknownFinish());
    case "sse":
      return fromSSE(bytes);
    case "jsonl":
      return fromJSONL(bytes);
  }
  const { transport, name } = resolveProvider(format as ProviderName);
  const provider = name as ProviderName;
  return transport === "jsonl"
    ? fromJSONL(bytes, { provider })
    : fromSSE(bytes, { provider });
}

/** A plain text has no end mark, so there is nothing to say about its end. */
function withoutUnknownFinish(): StageStream<Part, Part> {
  return new StageStream({
    push(part, emit) {
      if (part.type !== "finish" || part.reason !== "unknown") emit(part);
    },
    end() {},
    snapshot: () => null,
  });
}
