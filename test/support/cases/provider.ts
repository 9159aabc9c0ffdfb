import { collectParts, type Part } from "../../../mod.ts";
import {
  ClaudeCodeAdapter,
  type SocketEvent,
} from "../../../adapters/claude_code/mod.ts";
import { fromJSONL } from "../../../adapters/jsonl.ts";
import {
  type ProviderName,
  resolveProvider,
} from "../../../adapters/provider.ts";
import { fromSSE } from "../../../adapters/sse.ts";
import { random } from "../../laws.ts";
import type { AreaRunner, CaseLine } from "./area_runner.ts";
import { behind } from "./behind.ts";
import { difference, equal } from "./text_case.ts";

type Chunk = string | Uint8Array;

/** The chunks as given, and all of it as bytes. */
function chunksOf(input: unknown): { given: Chunk[]; bytes: Uint8Array } {
  const encoder = new TextEncoder();
  const given: Chunk[] = typeof input === "string"
    ? [input]
    : Array.isArray(input)
    ? input.map((chunk) =>
      typeof chunk === "string" ? chunk : Uint8Array.from(
        (chunk.hex as string).match(/../g) ?? [],
        (pair) => parseInt(pair, 16),
      )
    )
    : (input as { bytesBase64: string[] }).bytesBase64.map((one) =>
      Uint8Array.from(atob(one), (character) => character.charCodeAt(0))
    );
  return {
    given,
    bytes: joined(
      given.map((chunk) =>
        typeof chunk === "string" ? encoder.encode(chunk) : chunk
      ),
    ),
  };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(
    chunks.reduce((length, chunk) => length + chunk.length, 0),
  );
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** The ways to cut bytes: as the README says, at bytes instead of characters. */
export function* byteCuttings(bytes: Uint8Array): Generator<Uint8Array[]> {
  const step = Math.max(1, Math.ceil(bytes.length / 400));
  for (let at = 1; at < bytes.length; at += step) {
    yield [bytes.subarray(0, at), bytes.subarray(at)];
  }
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  for (const seed of [1, 2, 3]) {
    const next = random(seed);
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const size = 1 + Math.floor(next() * 40);
      chunks.push(bytes.subarray(at, at + size));
      at += size;
    }
    yield chunks;
  }
  const half = bytes.length >> 1;
  const none = new Uint8Array(0);
  yield [none, bytes.subarray(0, half), none, none, bytes.subarray(half), none];
}

async function decode(
  chunks: readonly Chunk[],
  options: Record<string, unknown>,
): Promise<Part[]> {
  const { mergeChoices } = options as { mergeChoices?: boolean };
  const provider = options["provider"] as ProviderName;
  const from = resolveProvider(provider).transport === "jsonl"
    ? fromJSONL
    : fromSSE;
  const parts: Part[] = [];
  for await (
    const part of behind(from(chunks, { provider, mergeChoices }), options)
  ) parts.push(part);
  return parts;
}

/** Why the parts are not what is expected, or `undefined`. */
function check(
  parts: Part[],
  expected: Record<string, unknown>,
): string | undefined {
  const got = collectParts(parts);
  const { finish } = got;
  const error = got.errors[0]?.error;
  const calls = got.toolCalls.map(({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    name: toolName,
    input,
  }));
  const partial = got.partialToolCalls.map((part) => ({
    id: part.toolCallId,
    name: part.toolName,
    inputText: part.inputText,
  }));
  const seen: Record<string, unknown> = {
    text: got.text,
    reasoning: got.reasoning,
    calls,
    partialCalls: partial,
    incompleteCalls: partial.length,
    finish: finish?.reason,
    finishRaw: finish?.rawReason,
    complete: finish?.complete,
    usage: got.usage,
    error: error === undefined
      ? undefined
      : { code: error.code ?? error.name, message: error.message },
  };
  if (parts.filter((part) => part.type === "finish").length !== 1) {
    return "not exactly one finish part";
  }
  for (const [key, wanted] of Object.entries(expected)) {
    if (key === "finishAny") {
      if (!(wanted as string[]).includes(finish?.reason ?? "")) {
        return difference("finish, one of", finish, wanted);
      }
      continue;
    }
    // The rest is about the adapter of the command line.
    if (!(key in seen)) continue;
    const found = seen[key];
    const same = Array.isArray(wanted)
      ? Array.isArray(found) && found.length === wanted.length &&
        wanted.every((one, index) => equal(picked(found[index], one), one))
      : equal(picked(found, wanted), wanted);
    if (!same) return difference(key, found, wanted);
  }
  return undefined;
}

/** Of an object only the keys that are asked for. */
function picked(found: unknown, wanted: unknown): unknown {
  if (
    typeof wanted !== "object" || wanted === null || Array.isArray(wanted) ||
    typeof found !== "object" || found === null
  ) return found;
  return Object.fromEntries(
    Object.keys(wanted).map((key) => [
      key,
      (found as Record<string, unknown>)[key],
    ]),
  );
}

/** The keys about Claude Code's adapter. */
function checkAdapter(line: CaseLine): string | undefined {
  const { expect } = line;
  const adapter = new ClaudeCodeAdapter();
  const events: SocketEvent[] = [];
  let errors = 0;
  let skipped = 0;
  let finalResult: unknown;
  const text = new TextDecoder().decode(chunksOf(line.input).bytes);
  for (const one of text.replace(/\n$/, "").split("\n")) {
    const result = adapter.parseLine(one);
    if (result.status === "skip") skipped++;
    else if (result.status === "error") errors++;
    else {
      const event = result.status === "ok" ? result.event : result.raw;
      if (event.type === "result") finalResult = event["result"];
      events.push(...adapter.transform(event).events);
    }
  }
  const names = events.map((event) => event.name);
  if (expect["names"] !== undefined && !equal(names, expect["names"])) {
    return difference("names", names, expect["names"]);
  }
  for (const name of (expect["namesInclude"] ?? []) as string[]) {
    if (!names.includes(name)) return difference("names include", names, name);
  }
  for (const [key, found] of Object.entries({ errors, skipped, finalResult })) {
    if (expect[key] !== undefined && !equal(found, expect[key])) {
      return difference(key, found, expect[key]);
    }
  }
  for (const wanted of (expect["control"] ?? []) as object[]) {
    if (!events.some(({ payload }) => equal(picked(payload, wanted), wanted))) {
      return difference("control", events, wanted);
    }
  }
  return undefined;
}

/** Parts with neighbouring texts merged, as JSON. */
function shown(parts: readonly Part[]): string {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (
      part.type === "text" && last?.type === "text" && part.code === last.code
    ) merged[merged.length - 1] = { ...last, text: last.text + part.text };
    else if (part.type === "reasoning" && last?.type === "reasoning") {
      merged[merged.length - 1] = { ...last, text: last.text + part.text };
    } else merged.push(part);
  }
  return JSON.stringify(merged);
}

export const run: AreaRunner = async (line) => {
  const { given, bytes } = chunksOf(line.input);
  try {
    const parts = await decode(given, line.options);
    const why = check(parts, line.expect) ??
      (line.options["provider"] === "claude-code"
        ? checkAdapter(line)
        : undefined);
    if (why !== undefined) return { status: "failed", why };
    const expected = shown(parts);
    for (const chunks of byteCuttings(bytes)) {
      const got = shown(await decode(chunks, line.options));
      if (got !== expected) {
        return {
          status: "failed",
          why: difference(
            `cut into ${chunks.length}, first ${chunks[0]!.length} bytes`,
            got,
            expected,
          ),
        };
      }
    }
    return { status: "passed" };
  } catch (error) {
    return { status: "failed", why: String(error) };
  }
};
