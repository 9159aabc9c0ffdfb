import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { fromJSONL } from "../../adapters/jsonl.ts";
import type { ProviderName } from "../../adapters/provider.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { collect, type Collected } from "../../mod.ts";
import { random } from "../laws.ts";

/** A line of answers.jsonl, as far as it is compared. */
interface Answer {
  file: string;
  text: string;
  reasoning: string;
  calls: { id: string | null; name: string; input: unknown }[];
  finish: string | null;
  usage: Record<string, unknown> | null;
  terminal: boolean;
  errors?: unknown[];
}

/** Folders whose name is not the provider's. */
const PROVIDERS: Readonly<Record<string, ProviderName>> = {
  bedrock: "bedrock-converse",
  "bedrock-invoke": "anthropic",
  "openai-completions": "openai-chat",
};

function read(path: string): Uint8Array {
  return readFileSync(
    fileURLToPath(new URL(`../real/${path}`, import.meta.url)),
  );
}

function providerOf(file: string): ProviderName {
  const folder = file.slice(0, file.indexOf("/"));
  return PROVIDERS[folder] ?? folder as ProviderName;
}

function decode(
  file: string,
  chunks: Iterable<Uint8Array>,
  provider: ProviderName = providerOf(file),
): Promise<Collected> {
  const from = file.endsWith(".jsonl") ? fromJSONL : fromSSE;
  return collect(from(chunks, { provider }));
}

function* randomCuts(bytes: Uint8Array, seed: number): Generator<Uint8Array> {
  const next = random(seed);
  for (let at = 0; at < bytes.length;) {
    // Mostly small pieces, so that characters and line ends are cut too.
    const size = 1 + Math.floor(next() * (next() < 0.9 ? 30 : 3000));
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** The input and output tokens, by whatever names the wire has for them. */
function tokensOf(usage: Record<string, unknown>): unknown[] {
  const inner = (usage["tokens"] ?? usage) as Record<string, unknown>;
  const find = (...names: string[]): unknown =>
    names.map((name) => inner[name]).find((value) => value !== undefined);
  return [
    find(
      "input_tokens",
      "prompt_tokens",
      "inputTokens",
      "promptTokenCount",
      "prompt_eval_count",
      "total_input_tokens",
      "input",
    ),
    find(
      "output_tokens",
      "completion_tokens",
      "outputTokens",
      "candidatesTokenCount",
      "eval_count",
      "total_output_tokens",
      "output",
    ),
  ];
}

function check(answer: Answer, got: Collected): void {
  const where = answer.file;
  expect(got.text, where).toBe(answer.text);
  expect(got.reasoning, where).toBe(answer.reasoning);
  expect(
    got.toolCalls.map(({ toolCallId, toolName, input }, index) => ({
      // A wire without ids gets made-up ones.
      id: answer.calls[index]?.id === null ? null : toolCallId,
      name: toolName,
      input,
    })),
    where,
  ).toEqual(answer.calls.map(({ id, name, input }) => ({ id, name, input })));
  expect(got.partialToolCalls, where).toEqual([]);
  expect(got.finish?.rawReason ?? null, where).toBe(answer.finish);
  // On the chat wire a finish reason is end enough.
  const complete = where.startsWith("openai-chat/")
    ? answer.terminal || answer.finish !== null
    : answer.terminal;
  expect(got.finish?.complete, where).toBe(complete);
  expect(got.errors.length, where).toBe(answer.errors?.length ?? 0);
  expect(got.finish?.reason === "error", where).toBe(
    answer.errors !== undefined || answer.finish === "MALFORMED_FUNCTION_CALL",
  );
  if (answer.usage !== null) {
    expect(
      [got.usage?.inputTokens, got.usage?.outputTokens],
      where,
    ).toEqual(tokensOf(answer.usage));
  }
}

const answers: Answer[] = new TextDecoder().decode(read("answers.jsonl")).trim()
  .split("\n").map((line) => JSON.parse(line));

describe("real recorded streams decode to their answers", () => {
  test("there are 62 of them", () => {
    expect(answers.length).toBe(62);
  });

  for (const answer of answers) {
    test(`${answer.file}, in random byte cuts`, async () => {
      const bytes = read(answer.file);
      const whole = await decode(answer.file, [bytes]);
      check(answer, whole);
      for (const seed of [1, 2, 3]) {
        const cut = await decode(answer.file, randomCuts(bytes, seed));
        expect(cut, answer.file).toEqual(whole);
      }
    });
  }

  test("and are recognised by their first event", async () => {
    for (const answer of answers) {
      check(answer, await decode(answer.file, [read(answer.file)], "auto"));
    }
  });

  test("and cut anywhere never look finished", async () => {
    const next = random(7);
    for (const answer of answers) {
      const bytes = read(answer.file);
      for (let times = 0; times < 5; times++) {
        const at = Math.floor(next() * bytes.length * 0.8);
        const got = await decode(answer.file, [bytes.subarray(0, at)]);
        expect(answer.text.startsWith(got.text), answer.file).toBe(true);
        expect(answer.reasoning.startsWith(got.reasoning), answer.file).toBe(
          true,
        );
        if (got.finish!.complete) {
          // Gemini's recordings with a reason on every chunk, joined bodies,
          // and tails of usage and bookkeeping behind the marker.
          expect(got.finish!.rawReason, answer.file).toBe(answer.finish);
        }
        expect(got.toolCalls.length <= answer.calls.length).toBe(true);
      }
    }
  });
});
