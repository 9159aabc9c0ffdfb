import { ClaudeCodeAdapter } from "../../../adapters/claude_code/mod.ts";
import { fromJSONL } from "../../../adapters/jsonl.ts";
import { partsProvider } from "../../../adapters/parts_provider.ts";
import {
  autoProvider,
  type Provider,
  type ProviderInput,
} from "../../../adapters/provider.ts";
import { providers } from "../../../adapters/providers/mod.ts";
import { fromSSE } from "../../../adapters/sse.ts";
import { SSEParserStream } from "../../../adapters/sse_parser.ts";
import { fromText } from "../../../adapters/text.ts";
import { parse, type Part } from "../../../mod.ts";
import { type Recording, recordings } from "../corpus.ts";
import type { RandomSource } from "../random_source.ts";
import { shorterLists, smallerValues } from "../shrink.ts";
import { expectSame, expectThat, type Subject } from "../subject.ts";
import { mutated } from "../texts.ts";
import {
  type Chunk,
  cutAt,
  randomWireCase,
  shredded,
  smallerWireCases,
  wholeOf,
  type WireCase,
  wireCaseSize,
} from "./wire.ts";

/** Folders whose name is not the provider's. */
const FOLDERS: Readonly<Record<string, string>> = {
  bedrock: "bedrock-converse",
  "bedrock-invoke": "anthropic",
  "openai-completions": "openai-chat",
};

/** Lines of Gemini's command line; no recording of it is to be had. */
const GEMINI_CLI: readonly unknown[] = [
  { type: "init", session_id: "s", model: "m", timestamp: "t" },
  { type: "message", role: "user", content: "hi", timestamp: "t" },
  { type: "message", role: "assistant", content: "Let me ", delta: true },
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
];

/** Parts as they travel between servers. */
const PARTS: readonly unknown[] = [
  { type: "text", text: "a", start: 0 },
  { type: "reasoning", text: "b" },
  {
    type: "tool-call",
    toolCallId: "1",
    toolName: "t",
    input: {},
    origin: "native",
  },
  { type: "usage", inputTokens: 1 },
  { type: "not-ours" },
  { type: "finish", reason: "stop", complete: true },
];

const RECORDINGS = recordings().filter(({ body }) => body.length < 20_000);

/** The events of a recording. */
function inputsOf({ isLines, body }: Recording): ProviderInput[] {
  if (isLines) {
    return body.split("\n").filter((line) => line !== "").map((data) => ({
      data,
    }));
  }
  return parse([body], new SSEParserStream({ flushAtEnd: true })).map((
    { data, event },
  ) => event === "message" ? { data } : { data, event });
}

export function seedsOf(name: string): ProviderInput[][] {
  if (name === "gemini-cli" || name === "parts") {
    return [
      (name === "parts" ? PARTS : GEMINI_CLI).map((value) => ({
        data: JSON.stringify(value),
      })),
    ];
  }
  const own = RECORDINGS.filter(({ folder }) =>
    (FOLDERS[folder] ?? folder) === name
  );
  return (own.length > 0 ? own : RECORDINGS).map(inputsOf);
}

/** Values that break readers. */
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  0.5,
  2 ** 53,
  "",
  "a",
  "\ud800",
  "__proto__",
  "constructor",
  "{}",
  "{",
  '{"a":1}',
  "null",
  "stop",
  "tool_use",
  "tool_calls",
  "text",
  "error",
  [],
  {},
  [null],
  [[]],
  [{}],
  { type: "text", text: "x" },
  JSON.parse('{"__proto__":{"type":"text"}}'),
  { toString: 1, length: -1 },
];

/** Changes a JSON value at one place. */
export function damaged(
  random: RandomSource,
  value: unknown,
  pool: unknown[],
): unknown {
  if (
    typeof value !== "object" || value === null || random.chance(0.12)
  ) {
    if (typeof value === "string" && random.chance(0.5)) {
      return mutated(random, value);
    }
    return random.chance(0.3) ? random.pick(pool) : random.pick(ODD_VALUES);
  }
  if (Array.isArray(value)) {
    const copy = [...value];
    const at = random.below(copy.length + 1);
    random.choose([
      [1, () => void copy.splice(at, 1)],
      [1, () => void copy.splice(at, 0, random.pick(ODD_VALUES))],
      [1, () => void copy.splice(at, 0, copy[at])],
      [
        6,
        () =>
          void (copy.length > 0 &&
            (copy[at % copy.length] = damaged(
              random,
              copy[at % copy.length],
              pool,
            ))),
      ],
    ]);
    return copy;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return random.pick(ODD_VALUES);
  const at = random.below(entries.length);
  random.choose([
    [1, () => void entries.splice(at, 1)],
    [
      1,
      () =>
        void (entries[at]![0] = random.pick([
          "type",
          "index",
          "id",
          "__proto__",
          "error",
        ])),
    ],
    [8, () => void (entries[at]![1] = damaged(random, entries[at]![1], pool))],
  ]);
  return Object.fromEntries(entries);
}

/** Events of a recording, some of them damaged, lost, doubled or moved. */
export function mutatedInputs(
  random: RandomSource,
  seeds: readonly ProviderInput[][],
): ProviderInput[] {
  const seed = random.pick(seeds);
  const from = random.chance(0.3) ? random.below(seed.length) : 0;
  const inputs = seed.slice(from, from + random.between(1, 40));
  const pool: unknown[] = [];
  for (const { data } of inputs.slice(0, 5)) {
    try {
      pool.push(...Object.values(JSON.parse(data)));
    } catch {
      pool.push(data);
    }
  }
  if (pool.length === 0) pool.push(null);
  for (let times = random.below(8); times > 0 && inputs.length > 0; times--) {
    const at = random.below(inputs.length);
    const input = inputs[at]!;
    random.choose([
      [1, () => void inputs.splice(at, random.between(1, 3))],
      [1, () => void inputs.splice(random.below(inputs.length), 0, input)],
      [1, () => {
        const to = random.below(inputs.length);
        inputs[at] = inputs[to]!;
        inputs[to] = input;
      }],
      [
        1,
        () =>
          void (inputs[at] = { ...input, data: mutated(random, input.data) }),
      ],
      [1, () =>
        void inputs.splice(at, 0, {
          data: random.pick([
            "[DONE]",
            "",
            ": ping",
            "{",
            "null",
            "[]",
            "[1,{}]",
          ]),
        })],
      [0.3, () =>
        void inputs.splice(at, 0, {
          data: "",
          error: { name: random.pick(["Error", "AbortError"]), message: "m" },
        })],
      [
        0.5,
        () =>
          void (inputs[at] = {
            ...input,
            event: random.pick(["error", "ping", ""]),
          }),
      ],
      [8, () => {
        try {
          const value = damaged(random, JSON.parse(input.data), pool);
          inputs[at] = { ...input, data: JSON.stringify(value) ?? "" };
        } catch {
          // It is no JSON: damaged already.
        }
      }],
    ]);
  }
  return inputs;
}

function decode(provider: Provider, inputs: readonly ProviderInput[]): Part[] {
  const stage = provider.create({});
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  for (const input of inputs) stage.push(input, emit);
  stage.end(emit);
  return parts;
}

/** What holds of every decoder's parts, whatever came in. */
export function checkDecoded(parts: readonly Part[]): void {
  expectThat(
    parts.at(-1)?.type === "finish",
    "The last part is no finish part",
  );
  let offset = 0;
  let finishes = 0;
  const inputs = new Map<string, string>();
  const ended = new Set<string>();
  for (const part of parts) {
    switch (part.type) {
      case "text":
        expectThat(part.text !== "", "A text part is empty");
        expectThat(part.start === offset, "A text part's offset is wrong");
        offset += part.text.length;
        break;
      case "tool-input-start":
        expectThat(!inputs.has(part.toolCallId), "A call begins twice");
        inputs.set(part.toolCallId, "");
        break;
      case "tool-input-delta":
        expectThat(
          inputs.has(part.toolCallId) && !ended.has(part.toolCallId),
          "A delta of a call that is not open",
        );
        inputs.set(
          part.toolCallId,
          inputs.get(part.toolCallId)! + part.delta,
        );
        break;
      case "tool-call":
      case "tool-call-partial":
        expectThat(!ended.has(part.toolCallId), "A call ends twice");
        ended.add(part.toolCallId);
        break;
      case "finish":
        finishes++;
        break;
    }
  }
  expectThat(finishes === 1, "There is not exactly one finish part");
  for (const id of inputs.keys()) {
    expectThat(ended.has(id), "A call begins and never ends");
  }
  expectThat(
    ({} as Record<string, unknown>)["type"] === undefined,
    "Object.prototype was changed",
  );
  expectSame("Parts are plain data", JSON.parse(JSON.stringify(parts)), parts);
}

function* smallerInputs(inputs: ProviderInput[]): Generator<ProviderInput[]> {
  yield* shorterLists(inputs);
  for (const [at, input] of inputs.entries()) {
    const put = (one: ProviderInput): ProviderInput[] => [
      ...inputs.slice(0, at),
      one,
      ...inputs.slice(at + 1),
    ];
    try {
      for (const value of smallerValues(JSON.parse(input.data))) {
        yield put({ ...input, data: JSON.stringify(value) });
      }
    } catch {
      // No JSON: it goes as a whole or stays.
    }
  }
}

function sizeOfInputs(inputs: ProviderInput[]): number {
  return JSON.stringify(inputs).length;
}

/** A decoder, with events of its wire. */
function decoderSubject(provider: Provider): Subject<ProviderInput[]> {
  const seeds = seedsOf(provider.name);
  return {
    name: `provider/${provider.name}`,
    make: (random) => mutatedInputs(random, seeds),
    check(inputs) {
      const parts = decode(provider, inputs);
      // Parts of a server's own making may be anything.
      if (provider !== partsProvider) checkDecoded(parts);
      const resumed: Part[] = [];
      const emit = (part: Part): void => {
        resumed.push(part);
      };
      let stage = provider.create({});
      for (const input of inputs) {
        stage.push(input, emit);
        stage = provider.create(
          {},
          JSON.parse(JSON.stringify(stage.snapshot())),
        );
      }
      stage.end(emit);
      expectSame("Snapshot between every two events", resumed, parts);
    },
    shrink: smallerInputs,
    size: sizeOfInputs,
  };
}

/** How many events of which recording came before the wire broke. */
interface CutCase {
  recording: number;
  events: number;
}

/** A recording that is cut: no call that the whole one has not, none half. */
function cutSubject(): Subject<CutCase> {
  const seeds = [
    ...RECORDINGS.map((recording) => ({
      provider: FOLDERS[recording.folder] ?? recording.folder,
      inputs: inputsOf(recording),
    })),
    { provider: "gemini-cli", inputs: seedsOf("gemini-cli")[0]! },
  ].map(({ provider, inputs }) => ({
    provider: providers.find(({ name }) => name === provider)!,
    inputs,
  }));
  const callsOf = (parts: readonly Part[]): string[] =>
    parts.filter((part) => part.type === "tool-call").map((part) =>
      JSON.stringify([part.toolName, part.input])
    );
  return {
    name: "provider/cut",
    make(random) {
      const recording = random.below(seeds.length);
      return {
        recording,
        events: random.below(seeds[recording]!.inputs.length),
      };
    },
    check({ recording, events }) {
      const { provider, inputs } = seeds[recording]!;
      const whole = decode(provider, inputs);
      for (const isBroken of [false, true]) {
        const cut = inputs.slice(0, events);
        if (isBroken) {
          cut.push({ data: "", error: { name: "TypeError", message: "m" } });
        }
        const parts = decode(provider, cut);
        checkDecoded(parts);
        const calls = callsOf(parts);
        expectSame(
          "A cut stream has a beginning of the whole one's calls",
          calls,
          callsOf(whole).slice(0, calls.length),
        );
        const finish = parts.at(-1);
        expectThat(
          !isBroken || finish?.type !== "finish" ||
            (finish.reason === "error" && !finish.complete),
          "A broken stream looks finished",
        );
      }
    },
    *shrink(input) {
      for (let events = 0; events < input.events; events++) {
        yield { ...input, events };
      }
    },
    size: ({ events }) => events,
  };
}

/** A source: bytes in, parts out, as a stream. */
function sourceSubject(
  name: string,
  isLines: boolean,
  from: (chunks: Chunk[]) => ReadableStream<Part>,
): Subject<WireCase> {
  const seeds = RECORDINGS.filter((one) =>
    one.isLines === isLines && one.body.length < 5000
  );
  return {
    name: `source/${name}`,
    make(random) {
      let body = random.pick(seeds).body;
      if (random.chance(0.5)) body = body.slice(random.below(body.length));
      body = body.slice(0, 1500);
      if (random.chance(0.7)) body = mutated(random, body);
      return randomWireCase(random, body);
    },
    async check(input) {
      const whole = wholeOf(input);
      const parts = await drained(from([whole]));
      if (name !== "text") checkDecoded(parts);
      const expected = joinedTexts(parts);
      expectSame(
        "Chunk invariance: cut",
        joinedTexts(await drained(from(cutAt(whole, input.cuts)))),
        expected,
      );
      if (whole.length < 300) {
        expectSame(
          "Chunk invariance: one at a time",
          joinedTexts(await drained(from(shredded(whole)))),
          expected,
        );
      }
    },
    shrink: smallerWireCases,
    size: wireCaseSize,
  };
}

async function drained(readable: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  const reader = readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    parts.push(value);
  }
}

/** Neighbouring texts as one. */
function joinedTexts(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.type === "text" && last?.type === "text") {
      all[all.length - 1] = { ...last, text: last.text + part.text };
    } else all.push(part);
  }
  return all;
}

const STATUSES = ["ok", "skip", "unknown", "error"];

/** The adapter of Claude Code's command line: it takes any line. */
function claudeCodeSubject(): Subject<ProviderInput[]> {
  const seeds = seedsOf("claude-code");
  return {
    name: "claude-code/adapter",
    make: (random) => mutatedInputs(random, seeds),
    check(inputs) {
      const adapter = new ClaudeCodeAdapter();
      for (const { data } of inputs) {
        const result = adapter.parseLine(data);
        expectThat(STATUSES.includes(result.status), "An unknown status");
        if (result.status === "skip") continue;
        const event = result.status === "ok" ? result.event : result.raw;
        const output = adapter.transform(event);
        for (
          const list of [
            output.events,
            output.autoResponses,
            output.controlResponses,
            output.serverActions,
          ]
        ) expectThat(Array.isArray(list), "An output is missing");
        for (const line of output.autoResponses) JSON.parse(line);
      }
      expectThat(
        ({} as Record<string, unknown>)["type"] === undefined,
        "Object.prototype was changed",
      );
    },
    shrink: smallerInputs,
    size: sizeOfInputs,
  };
}

/** Decoders, sources, and the adapter of a command line. */
export function providerSubjects(): Subject[] {
  const auto: Provider = {
    name: "auto",
    transport: "any",
    detect: () => true,
    create: autoProvider,
  };
  return [
    ...[...providers, auto, partsProvider].map(decoderSubject),
    cutSubject(),
    sourceSubject("sse", false, (chunks) => fromSSE(chunks)),
    sourceSubject("jsonl", true, (chunks) => fromJSONL(chunks)),
    sourceSubject("text", false, (chunks) => fromText(chunks)),
    claudeCodeSubject(),
  ] as unknown as Subject[];
}
