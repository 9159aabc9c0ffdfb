/** Everything that goes on from a snapshot, and what is done to snapshots. */
import { decodeText } from "../../../adapters/decode_text.ts";
import { AnthropicEncoderStream } from "../../../adapters/encode_anthropic.ts";
import { JSONLEncoderStream } from "../../../adapters/encode_jsonl.ts";
import { OpenAIChatEncoderStream } from "../../../adapters/encode_openai_chat.ts";
import { SSEEncoderStream } from "../../../adapters/encode_sse.ts";
import { encodeText } from "../../../adapters/encode_text.ts";
import { UIMessageEncoderStream } from "../../../adapters/encode_ui_message.ts";
import { LineSplitterStream } from "../../../adapters/line_splitter.ts";
import { partsProvider } from "../../../adapters/parts_provider.ts";
import { resolveProvider } from "../../../adapters/provider.ts";
import { providers } from "../../../adapters/providers/mod.ts";
import { SessionStream } from "../../../adapters/sessions/mod.ts";
import {
  DirectiveExtractorStream,
  FenceSplitterStream,
  FenceTrackerStream,
  type Stage,
} from "../../../mod.ts";
import { cut } from "../../laws.ts";
import { makeStage } from "../../snapshots/subjects.ts";
import type { RandomSource } from "../random_source.ts";
import { mutated } from "../texts.ts";
import { mutatedInputs, seedsOf } from "./providers.ts";
import { BODIES } from "./sessions.ts";
import { randomTextCase } from "./text_stage.ts";

/** A stage, new or from a snapshot. */
export type Resumable = (snapshot?: unknown) => Stage<unknown, unknown>;

const TOOLS = [{ name: "read", inputSchema: { type: "object" } }];

/** What takes texts, and what takes parts too. */
export const STAGES: Readonly<Record<string, Resumable>> = Object.fromEntries(
  ([
    ["salvage", { tools: TOOLS, bare: "line-start" }],
    ["fence", { inline: "hold" }],
    ["directive", { directives: ["log", "think"] }],
    ["snippet", { guess: true, live: true }],
    ["surrogate", {}],
    ["pipeline", { tools: TOOLS }],
    ["sse", {}],
    ["jsonl", {}],
  ] as const).map(([area, options]): [string, Resumable] => [
    area,
    (snapshot) => makeStage(area, options, snapshot),
  ]),
);

const STREAMS: Readonly<
  Record<string, (snapshot?: unknown) => { stage: unknown }>
> = {
  "fence-own": (snapshot) =>
    new FenceTrackerStream({ mode: "loose", nested: true, snapshot }),
  "directive-container": (snapshot) =>
    new DirectiveExtractorStream({
      directives: { note: { nesting: "balanced" } },
      dialect: "container",
      snapshot,
    }),
  "directive-text": (snapshot) =>
    new DirectiveExtractorStream({
      directives: { log: { fields: ["level"] } },
      unclosed: "text",
      snapshot,
    }),
  splitter: (snapshot) => new FenceSplitterStream({ maxLength: 64, snapshot }),
  "line-splitter": (snapshot) => new LineSplitterStream({ snapshot }),
  "decode-text": (snapshot) => decodeText({ snapshot }),
  "encode-text": (snapshot) => encodeText({ snapshot }),
  "encode-sse": (snapshot) => new SSEEncoderStream({ snapshot }),
  "encode-jsonl": (snapshot) => new JSONLEncoderStream({ snapshot }),
  "encode-openai-chat": (snapshot) => new OpenAIChatEncoderStream({ snapshot }),
  "encode-anthropic": (snapshot) => new AnthropicEncoderStream({ snapshot }),
  "encode-ui-message": (snapshot) => new UIMessageEncoderStream({ snapshot }),
  ...Object.fromEntries(
    ([
      "claude-session",
      "codex-session",
      "cline",
      "gemini-session",
      "aider",
      "continue",
      "opencode",
      "specstory",
      "cursor",
    ] as const).map((kind) => [
      `session-${kind}`,
      (snapshot: unknown) => new SessionStream({ kind, snapshot }),
    ]),
  ),
  session: (snapshot) => new SessionStream({ snapshot }),
};

/** Decoders of a provider's events. */
export const DECODERS: Readonly<Record<string, Resumable>> = Object.fromEntries(
  [...providers, partsProvider, resolveProvider("auto")].map((
    provider,
  ): [string, Resumable] => [
    provider.name,
    (snapshot) => provider.create({}, snapshot) as Stage<unknown, unknown>,
  ]),
);

/** All of them. */
export const RESUMABLE: Readonly<Record<string, Resumable>> = {
  ...STAGES,
  ...Object.fromEntries(
    Object.entries(STREAMS).map(([name, make]): [string, Resumable] => [
      name,
      (snapshot) => make(snapshot).stage as Stage<unknown, unknown>,
    ]),
  ),
  ...DECODERS,
};

/** What goes over the wires. */
const WIRES: Readonly<Record<string, readonly string[]>> = {
  sse: ["id: 1\nevent: a\ndata: b\ndata: c\n\n: d\nretry: 5\n\ndata\n\n"],
  jsonl: ['{"a":[1,"b"]}\n\n{"c":{}}\r\nnot\n', '[{"a":1},\n{"b":[2]}]'],
  "line-splitter": ["a\r\nb\rc\n\nd"],
};

/** What goes into one of them: texts and parts, lines, or events. */
export function randomInputs(random: RandomSource, name: string): unknown[] {
  if (name in DECODERS) {
    return mutatedInputs(random, seedsOf(name)).slice(0, 40);
  }
  if (name.startsWith("session")) {
    const body = mutated(random, random.pick(BODIES)).slice(0, 2_000);
    return cut(body, random.offsets(body.length, 6));
  }
  if (name === "decode-text") {
    // Bytes are no plain data: a text stands for them.
    return randomTextCase(random, "all").filter((one) =>
      typeof one === "string"
    );
  }
  if (name in WIRES) {
    const body = mutated(random, random.pick(WIRES[name]!)).slice(0, 1_000);
    return cut(body, random.offsets(body.length, 6));
  }
  return randomTextCase(random, "all").map((one) =>
    name === "encode-text" && typeof one !== "string" ? "" : one
  );
}
