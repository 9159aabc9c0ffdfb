import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Provider, ProviderInput } from "../../../adapters/provider.ts";
import { providers } from "../../../adapters/providers/mod.ts";
import { collectParts, parse, type Part } from "../../../mod.ts";
import { SSEParserStream } from "../../../adapters/sse_parser.ts";

const runs = Number(process.env["FAST_CHECK_RUNS"] ?? 1000);

function read(path: string): string {
  return readFileSync(
    fileURLToPath(new URL(`../../real/${path}`, import.meta.url)),
    "utf8",
  );
}

/** The events of a recording. */
function inputsOf(file: string): ProviderInput[] {
  const body = read(file);
  if (file.endsWith(".jsonl")) {
    return body.split("\n").filter((line) => line !== "").map((data) => ({
      data,
    }));
  }
  return parse([body], new SSEParserStream({ flushAtEnd: true })).map((
    { data, event },
  ) => event === "message" ? { data } : { data, event });
}

/** A recording or two of each provider, the shorter the better. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  anthropic: [
    "anthropic/06-anthropic-fixed-version-tool-chain-with-thinking-display-r.sse",
    "anthropic/11-anthropic-native-tool-search.sse",
    "bedrock-invoke/01-bedrock-invoke-model-with-response-no-content-tool-call-an.jsonl",
  ],
  "bedrock-converse": [
    "bedrock/02-bedrock-web-search-with-bedrock-amazon-nova-2-lite-v1-0-s.jsonl",
    "bedrock/04-bedrock-converse-tool-call-parsing-errors.jsonl",
  ],
  "claude-code": [
    "claude-code/02-claude-code-general-purpose-compute.jsonl",
  ],
  codex: ["codex/02-codex-file-change.jsonl"],
  cohere: [
    "cohere/03-cohere-v2-chat-with-tool-calls-and.sse",
    "cohere/02-cohere-citations-with-cohere-command-a-plus-05-2026-s-cita.sse",
  ],
  gemini: [
    "gemini/09-google-policy-headless-shell-denied.sse",
    "gemini/04-google-vertex-tool-call-arguments-nested-1.sse",
  ],
  "gemini-cli": [],
  "google-interactions": ["google-interactions/01-google-search.sse"],
  ollama: [
    "ollama/01-ollama-with-tools-3.jsonl",
    "ollama/03-ollama-tools-no-params.jsonl",
  ],
  "openai-chat": [
    "openai-chat/16-copilot-tools.sse",
    "openai-chat/05-openrouter-error.sse",
    "openai-chat/18-cerebras-cererebras-structured-output-tools-1.sse",
  ],
  "openai-responses": [
    "openai-responses/08-lmstudio-tool-call-2.sse",
    "openai-responses/10-grok-xai-grok-4-1-fast-non-reasoning-can-use-tools-without.sse",
  ],
  opencode: ["opencode/01-opencode-event.jsonl"],
};

/** Lines of Gemini's command line; no recording of it is to be had. */
const GEMINI_CLI: ProviderInput[] = [
  { type: "init", session_id: "s", model: "m", timestamp: "t" },
  { type: "message", role: "user", content: "hi", timestamp: "t" },
  {
    type: "message",
    role: "assistant",
    content: "Let me ",
    delta: true,
    timestamp: "t",
  },
  {
    type: "tool_use",
    tool_name: "ls",
    tool_id: "t1",
    parameters: { path: "." },
  },
  { type: "tool_result", tool_id: "t1", status: "success", output: "a" },
  { type: "error", severity: "warning", message: "slow" },
  { type: "message", role: "assistant", content: "look.", delta: true },
  {
    type: "result",
    status: "success",
    stats: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
  },
].map((value) => ({ data: JSON.stringify(value) }));

function seedsOf(provider: Provider): ProviderInput[][] {
  return provider.name === "gemini-cli"
    ? [GEMINI_CLI]
    : FILES[provider.name]!.map(inputsOf);
}

function decode(
  provider: Provider,
  inputs: readonly ProviderInput[],
): Part[] {
  const stage = provider.create({});
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  for (const input of inputs) stage.push(input, emit);
  stage.end(emit);
  return parts;
}

/** What has to hold for every sequence of events, however mad. */
function checkParts(parts: readonly Part[]): void {
  expect(parts.filter((part) => part.type === "finish").length).toBe(1);
  expect(parts.at(-1)!.type).toBe("finish");
  let offset = 0;
  const started = new Set<string>();
  const ended = new Set<string>();
  for (const part of parts) {
    switch (part.type) {
      case "text":
        expect(part.start).toBe(offset);
        expect(part.text).not.toBe("");
        offset += part.text.length;
        break;
      case "tool-input-start":
        expect(part.toolName).not.toBe("");
        expect(started.has(part.toolCallId)).toBe(false);
        started.add(part.toolCallId);
        break;
      case "tool-input-delta":
        expect(started.has(part.toolCallId)).toBe(true);
        expect(ended.has(part.toolCallId)).toBe(false);
        break;
      case "tool-call":
      case "tool-call-partial":
        expect(ended.has(part.toolCallId)).toBe(false);
        ended.add(part.toolCallId);
        break;
    }
  }
  for (const id of started) expect(ended.has(id)).toBe(true);
  // Plain data, all of it.
  expect(JSON.parse(JSON.stringify(parts))).toEqual(parts);
}

/** Changes a JSON value somewhere. */
function damaged(
  value: unknown,
  path: readonly number[],
  put: unknown,
): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== "object" || value === null) {
    return put;
  }
  const keys = Object.keys(value);
  if (keys.length === 0) return put;
  const key = keys[first % keys.length]!;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...value };
  (copy as Record<string, unknown>)[key] = damaged(
    (value as Record<string, unknown>)[key],
    rest,
    put,
  );
  return copy;
}

type Mutation =
  | { kind: "drop" | "repeat" | "swap" | "cut"; at: number; to: number }
  | { kind: "put"; at: number; data: string; event: string | undefined }
  | { kind: "damage"; at: number; path: number[]; put: unknown };

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    "__proto__",
    "constructor",
    "toString",
    "",
    null,
    -1,
    1e308,
    0.5,
    [],
    {},
    [null],
    { __proto__: null },
    "tool_use",
    "text",
    "stop",
    "\ud800",
  ),
);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("drop" as const, "repeat", "swap", "cut"),
    at: fc.nat(),
    to: fc.nat(),
  }),
  fc.record({
    kind: fc.constant("put" as const),
    at: fc.nat(),
    data: fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.constantFrom("[DONE]", "", ": ping", "{", "null", "[]", "[1,{}]"),
    ),
    event: fc.option(fc.constantFrom("error", "ping", "message_stop"), {
      nil: undefined,
    }),
  }),
  fc.record({
    kind: fc.constant("damage" as const),
    at: fc.nat(),
    path: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 6 }),
    put: oddValue,
  }),
);

function mutated(
  seed: readonly ProviderInput[],
  mutations: readonly Mutation[],
): ProviderInput[] {
  const inputs = [...seed];
  for (const one of mutations) {
    if (inputs.length === 0) break;
    const at = one.at % inputs.length;
    const input = inputs[at]!;
    switch (one.kind) {
      case "drop":
        inputs.splice(at, 1 + one.to % 3);
        break;
      case "repeat":
        inputs.splice(one.to % inputs.length, 0, input);
        break;
      case "swap": {
        const to = one.to % inputs.length;
        inputs[at] = inputs[to]!;
        inputs[to] = input;
        break;
      }
      case "cut":
        inputs[at] = {
          ...input,
          data: input.data.slice(0, one.to % (input.data.length + 1)),
        };
        break;
      case "put":
        inputs.splice(at, 0, { data: one.data, event: one.event });
        break;
      case "damage":
        try {
          const value = damaged(JSON.parse(input.data), one.path, one.put);
          inputs[at] = { ...input, data: JSON.stringify(value) };
        } catch {
          // It was no JSON: damaged already.
        }
    }
  }
  return inputs;
}

/** What a wire's text deltas are, found in the plainest way. */
const TEXT: Readonly<
  // deno-lint-ignore no-explicit-any
  Record<string, (value: any) => string | undefined>
> = {
  anthropic: (value) => value.delta?.text,
  "bedrock-converse": (value) => value.contentBlockDelta?.delta?.text,
  cohere: (value) => value.delta?.message?.content?.text,
  gemini: (value) =>
    value.candidates?.flatMap((one: { content?: { parts?: unknown[] } }) =>
      one.content?.parts ?? []
    ).map((part: { text?: string; thought?: boolean }) =>
      part.thought === true ? "" : part.text ?? ""
    ).join(""),
  ollama: (value) => value.message?.content,
  "openai-chat": (value) => value.choices?.[0]?.delta?.content,
};

// Parts as JSON are what somebody else made of a stream, so their offsets and
// their order are not the decoder's; they have a test of their own.
for (const provider of providers.filter(({ name }) => name !== "parts")) {
  describe(`provider ${provider.name}`, () => {
    const seeds = seedsOf(provider);

    test(
      "takes any sequence of events: no throw, one finish, every call ends",
      () => {
        fc.assert(
          fc.property(
            fc.constantFrom(...seeds),
            fc.array(mutation, { maxLength: 12 }),
            (seed, mutations) => {
              checkParts(decode(provider, mutated(seed, mutations)));
            },
          ),
          { numRuns: runs },
        );
      },
      60_000,
    );

    test("takes any JSON at all", () => {
      fc.assert(
        fc.property(
          fc.array(fc.record({ data: fc.json(), event: fc.string() })),
          (inputs) => checkParts(decode(provider, inputs)),
        ),
        { numRuns: Math.ceil(runs / 5) },
      );
    });

    test("goes on from a snapshot between any two events", () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...seeds),
          fc.array(mutation, { maxLength: 6 }),
          fc.nat(),
          (seed, mutations, where) => {
            const inputs = mutated(seed, mutations);
            const at = where % (inputs.length + 1);
            const parts: Part[] = [];
            const emit = (part: Part): void => {
              parts.push(part);
            };
            const first = provider.create({});
            for (const input of inputs.slice(0, at)) first.push(input, emit);
            const second = provider.create(
              {},
              JSON.parse(JSON.stringify(first.snapshot())),
            );
            for (const input of inputs.slice(at)) second.push(input, emit);
            second.end(emit);
            expect(parts).toEqual(decode(provider, inputs));
          },
        ),
        { numRuns: Math.ceil(runs / 5) },
      );
    }, 60_000);

    test("a parsed value counts like its text", () => {
      for (const seed of seeds) {
        const values = seed.map((input) => {
          try {
            return { ...input, data: "", value: JSON.parse(input.data) };
          } catch {
            return input;
          }
        });
        expect(decode(provider, values)).toEqual(decode(provider, seed));
      }
    });

    test("a failing transport ends calls and stream honestly", () => {
      for (
        const [name, reason] of [["TypeError", "error"], [
          "AbortError",
          "cancelled",
        ]]
      ) {
        for (const seed of seeds) {
          for (let at = 0; at <= seed.length; at += 7) {
            const parts = decode(provider, [
              ...seed.slice(0, at),
              { data: "", error: { name: name!, message: "gone" } },
            ]);
            checkParts(parts);
            const { finish, errors } = collectParts(parts);
            expect(finish).toMatchObject({ reason, complete: false });
            expect(errors.at(-1)).toMatchObject({ fatal: true });
          }
        }
      }
    });

    test("is recognised by its first event, and by no other provider before", () => {
      for (const seed of seeds) {
        const value = JSON.parse(seed[0]!.data);
        const found = providers.find((one) =>
          one.detect(value, seed[0]!.event)
        );
        expect(found?.name).toBe(provider.name);
      }
    });

    test('raw "all" gives every event, "none" gives none', () => {
      for (const seed of seeds) {
        for (const raw of ["all", "none"] as const) {
          const stage = provider.create({ raw });
          let count = 0;
          for (const input of seed) {
            stage.push(input, (part) => {
              if (part.type === "raw") count++;
            });
          }
          const events = seed.filter(({ data }) => data.startsWith("{")).length;
          expect(count).toBe(raw === "all" ? events : 0);
        }
      }
    });

    const textOf = TEXT[provider.name];
    if (textOf !== undefined) {
      test("conserves text under dropped, repeated and moved events", () => {
        const order = fc.array(
          fc.record({
            kind: fc.constantFrom("drop" as const, "repeat", "swap"),
            at: fc.nat(),
            to: fc.nat(),
          }),
          { maxLength: 10 },
        );
        fc.assert(
          fc.property(fc.constantFrom(...seeds), order, (seed, mutations) => {
            const inputs = mutated(seed, mutations);
            const expected = inputs.map(({ data }) => {
              try {
                return textOf(JSON.parse(data)) ?? "";
              } catch {
                return "";
              }
            }).join("");
            expect(collectParts(decode(provider, inputs)).text).toBe(expected);
          }),
          { numRuns: Math.ceil(runs / 2) },
        );
      }, 60_000);
    }
  });
}
