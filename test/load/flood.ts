/**
 * Sends floods through everything, as much as the argument says (in MB, 64 by
 * default), and prints how much went in and how large the heap became. It runs
 * with a small heap: what holds more than its limits does not come to the end.
 *
 *     npm run flood -- 10000
 */
import process from "node:process";
import { millrace } from "../../adapters/ai_sdk.ts";
import { ClaudeCodeStream } from "../../adapters/claude_code/claude_code_stream.ts";
import { SocketEventStream } from "../../adapters/claude_code/socket_event_stream.ts";
import { AnthropicEncoderStream } from "../../adapters/encode_anthropic.ts";
import { JSONLEncoderStream } from "../../adapters/encode_jsonl.ts";
import { OpenAIChatEncoderStream } from "../../adapters/encode_openai_chat.ts";
import { SSEEncoderStream } from "../../adapters/encode_sse.ts";
import { UIMessageEncoderStream } from "../../adapters/encode_ui_message.ts";
import { fromJSONL } from "../../adapters/jsonl.ts";
import { JSONLParserStream } from "../../adapters/jsonl_parser.ts";
import { LineSplitterStream } from "../../adapters/line_splitter.ts";
import { SessionStream } from "../../adapters/sessions/mod.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { SSEParserStream } from "../../adapters/sse_parser.ts";
import { StreamError } from "../../adapters/stream_error.ts";
import { fromText } from "../../adapters/text.ts";
import { fromVscodeLm } from "../../adapters/vscode_lm.ts";
import {
  type AnyTransform,
  FenceSplitterStream,
  type Part,
  pipeline,
  readParts,
  standardPipeline,
  ToolGateStream,
  toReadableStream,
} from "../../mod.ts";

const CHUNK = 65_536;

/** Floods of text: what never ends, in every state of every stage. */
const TEXTS: readonly string[] = [
  "`",
  "<",
  "> ",
  "- a\n",
  "~~~~\n",
  "```js\nlet a;\n",
  '"',
  "\ud83d",
  "[label]: /url\n",
  "<log>",
  '<log a="b" ',
  "<think>\n",
  "<tool_call>",
  '<function_calls><invoke name="read"><parameter name="path">',
  '<tool_call>{"name":"read","arguments":{"path":"',
  "<｜DSML｜",
  "**src/a.ts**\n\n```ts\nx\n```\n",
];

/** A beginning, and what follows without an end. */
const BODIES: readonly (readonly [begin: string, fill: string])[] = [
  ["", "data: a\n"],
  ["data: ", "a"],
  ["", 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'],
  [
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]}}]}\n\n',
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"aaaaaaaa"}}]}}]}\n\n',
  ],
  ["", '{"a":1}\n'],
  ['{"a":"', "a"],
  ["", "\n"],
];

/** What bytes and lines go through besides, with limits that fit the heap. */
const FRAMINGS: readonly (() => AnyTransform)[] = [
  () => new SSEParserStream({ maxBufferSize: 4_194_304 }),
  () => new JSONLParserStream({ maxLineChars: 4_194_304 }),
  () => new LineSplitterStream({ maxLineChars: 4_194_304 }),
  () => new ClaudeCodeStream({ raw: "none" }),
  () => new SocketEventStream(),
  ...["claude-session", "aider", "cline", "gemini-session"].map((kind) => () =>
    new SessionStream({
      kind: kind as "aider",
      maxLineChars: 1_048_576,
      maxOpenChars: 4_194_304,
    })
  ),
];

/** What makes text of parts. */
const ENCODERS: readonly (() => AnyTransform)[] = [
  () => new OpenAIChatEncoderStream(),
  () => new AnthropicEncoderStream(),
  () => new UIMessageEncoderStream(),
  () => new SSEEncoderStream(),
  () => new JSONLEncoderStream(),
  () => new FenceSplitterStream(),
  () => new ToolGateStream({ policy: () => true }),
];

const bytes = Number(process.argv[2] ?? 64) * 1_000_000;
const each = bytes /
  (TEXTS.length + (2 + FRAMINGS.length) * BODIES.length + ENCODERS.length + 3);
let sent = 0;
let parts = 0;
let largest = 0;

function* flood(begin: string, fill: string): Generator<string> {
  const chunk = fill.repeat(Math.ceil(CHUNK / fill.length));
  yield begin;
  for (let length = 0; length < each; length += chunk.length) {
    sent += chunk.length;
    largest = Math.max(largest, process.memoryUsage().heapUsed);
    yield chunk;
  }
}

async function drain(source: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _part of source) parts++;
  } catch (error) {
    // A limit of a framing.
    if (!(error instanceof StreamError)) throw error;
  }
}

async function* values(texts: Iterable<string>): AsyncGenerator<unknown> {
  for (const value of texts) yield { value };
}

function stages() {
  return standardPipeline({
    tools: [{
      name: "read",
      inputSchema: { properties: { path: { type: "string" } } },
    }],
    toolCalls: { bare: "line-start" },
    directives: ["log", "think"],
    snippets: { guess: true },
  });
}

for (const fill of TEXTS) await drain(readParts(flood("a ", fill), stages()));
const limits = { maxArgumentChars: 4_194_304, raw: "none" } as const;
for (const [begin, fill] of BODIES) {
  await drain(
    readParts(
      fromSSE(flood(begin, fill), { ...limits, maxEventChars: 4_194_304 }),
      pipeline(stages()),
    ),
  );
  await drain(
    readParts(
      fromJSONL(flood(begin, fill), { ...limits, maxLineChars: 4_194_304 }),
      stages(),
    ),
  );
}
for (const make of FRAMINGS) {
  for (const [begin, fill] of BODIES) {
    await drain(readParts(flood(begin, fill), make()));
  }
}
for (const make of ENCODERS) {
  await drain(readParts(flood("", "~~~\nab `c` <d\n"), make()));
}
await drain(
  readParts(
    fromVscodeLm({ stream: values(flood("", "é< ` ")) }) as ReadableStream<
      Part
    >,
    stages(),
  ),
);
await drain(readParts(fromText(flood("", "é< ` ")), stages()));

function* deltas(texts: Iterable<string>): Generator<object> {
  for (const delta of texts) yield { type: "text-delta", id: "1", delta };
}

const { stream } = await millrace({ tools: [{ name: "read" }] }).wrapStream({
  doStream: () =>
    Promise.resolve({ stream: toReadableStream(deltas(flood("", "é< ` "))) }),
  params: {},
});
await drain(stream as unknown as AsyncIterable<unknown>);
console.log(JSON.stringify({ sent, parts, largest }));
