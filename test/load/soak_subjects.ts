/** What is soaked: every adapter as a stream without end, and as many short ones. */
import { millrace } from "../../adapters/ai_sdk.ts";
import { ClaudeCodeStream } from "../../adapters/claude_code/claude_code_stream.ts";
import { SocketEventStream } from "../../adapters/claude_code/socket_event_stream.ts";
import { decodeText } from "../../adapters/decode_text.ts";
import { AnthropicEncoderStream } from "../../adapters/encode_anthropic.ts";
import { JSONLEncoderStream } from "../../adapters/encode_jsonl.ts";
import { OpenAIChatEncoderStream } from "../../adapters/encode_openai_chat.ts";
import { SSEEncoderStream } from "../../adapters/encode_sse.ts";
import { encodeText } from "../../adapters/encode_text.ts";
import { UIMessageEncoderStream } from "../../adapters/encode_ui_message.ts";
import { fromJSONL } from "../../adapters/jsonl.ts";
import { JSONLParserStream } from "../../adapters/jsonl_parser.ts";
import { LineSplitterStream } from "../../adapters/line_splitter.ts";
import {
  autoProvider,
  type ProviderName,
  resolveProvider,
} from "../../adapters/provider.ts";
import {
  cursorSession,
  type SessionKind,
  SessionStream,
} from "../../adapters/sessions/mod.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { SSEParserStream } from "../../adapters/sse_parser.ts";
import { fromText } from "../../adapters/text.ts";
import { fromVscodeLm } from "../../adapters/vscode_lm.ts";
import {
  type AnyTransform,
  FenceSplitterStream,
  parse,
  type Part,
  readParts,
  standardPipeline,
  ToolGateStream,
  toReadableStream,
} from "../../mod.ts";
import { faultRecordings } from "../faults/recordings.ts";

/** Something that gives parts. */
export type Output = ReadableStream<unknown> | AsyncIterator<unknown>;

/** What goes through one adapter. */
export interface SoakSubject {
  readonly name: string;
  /** A stream that goes on as long as it is read. */
  long(): Output;
  /** A whole recorded stream. */
  short(): Output;
}

/** Characters of a chunk; what is under way is no leak. */
const CHUNK = 16_384;

/** The same things again and again. Not asynchronous: that costs more than the parts. */
function* repeated<Item>(...items: Item[]): Generator<Item> {
  for (;;) yield* items;
}

/** What an editor gives: an iterable that is asynchronous. */
async function* values(value: unknown): AsyncGenerator<unknown> {
  for (;;) yield value;
}

/** Some text repeated until it fills a chunk. */
function chunkOf(text: string): string {
  return text.repeat(Math.ceil(CHUNK / text.length));
}

/** A beginning, then the same text without end; as bytes, made once. */
function* endlessWire(begin: string, text: string): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  if (begin !== "") yield encoder.encode(begin);
  yield* repeated(encoder.encode(chunkOf(text)));
}

/** The events of a body, as they are written. */
function eventsOf(body: string, isLines: boolean): string[] {
  return isLines
    ? body.split("\n").filter((line) => line !== "").map((line) => `${line}\n`)
    : body.split(/(?<=\n\n)/);
}

/** A stream's beginning up to an event that gives text however often it comes. */
function endless(
  provider: ProviderName,
  isLines: boolean,
  body: string,
): { begin: string; event: string } | undefined {
  const events = eventsOf(body, isLines);
  const decoder = provider === "auto"
    ? autoProvider()
    : resolveProvider(provider).create({});
  for (const [index, event] of events.entries()) {
    const inputs = isLines
      ? [{ data: event.trim() }]
      : parse([event], new SSEParserStream({ flushAtEnd: true }));
    const gives = (): boolean => {
      let found = false;
      for (const input of inputs) {
        decoder.push(input, (part) => {
          if (part.type === "text" || part.type === "reasoning") found = true;
        });
      }
      return found;
    };
    if (gives() && gives() && gives()) {
      return { begin: events.slice(0, index).join(""), event };
    }
  }
  return undefined;
}

/** A stream's parts through a transform, by a pipe. */
function piped(
  source: Parameters<typeof toReadableStream>[0],
  stream: AnyTransform,
): ReadableStream<unknown> {
  return toReadableStream(source).pipeThrough(stream);
}

/** The same without a pipe. */
function read(source: unknown, stream: AnyTransform): Output {
  return (readParts as (source: unknown, stream: AnyTransform) => Output)(
    source,
    stream,
  );
}

const TOOLS = [{ name: "read", inputSchema: { type: "object" } }];

/** What encoders are given. */
const PARTS: readonly Part[] = [
  { type: "text", text: "ab ", start: 0 },
  { type: "reasoning", text: "so" },
  { type: "usage", inputTokens: 1 },
];

const FINISH: Part = { type: "finish", reason: "stop", complete: true };

/** A transform from parts. */
function ofParts(name: string, make: () => AnyTransform): SoakSubject {
  return {
    name,
    long: () => read(repeated(...PARTS), make()),
    short: () => read([...PARTS, FINISH], make()),
  };
}

/** A transform from bytes, piped. */
function ofBytes(
  name: string,
  wire: string,
  body: string,
  make: () => AnyTransform,
): SoakSubject {
  return {
    name,
    long: () => piped(endlessWire("", wire), make()),
    short: () => piped([new TextEncoder().encode(body)], make()),
  };
}

function call(toolName: string): Part {
  return {
    type: "tool-call",
    toolCallId: "c",
    toolName,
    input: {},
    origin: "native",
  };
}

function gate(): AnyTransform {
  return new ToolGateStream({ policy: (one) => one.toolName === "read" });
}

/** A model of the AI SDK, wrapped. */
function middleware(source: Iterable<unknown>): ReadableStream<unknown> {
  const through = new TransformStream<unknown, unknown>(
    {},
    { highWaterMark: 1 },
    { highWaterMark: 0 },
  );
  millrace({ tools: TOOLS }).wrapStream({
    doStream: () => Promise.resolve({ stream: toReadableStream(source) }),
    params: {},
  }).then(({ stream }) => stream.pipeTo(through.writable)).catch(() => {});
  return through.readable;
}

/** A database of Cursor with so many conversations, all alike. */
function cursor(conversations: number): Output {
  const composer = JSON.stringify({
    fullConversationHeadersOnly: Array.from(
      { length: 256 },
      (_, index) => ({ bubbleId: `b${index}`, type: 1 + index % 2 }),
    ),
  });
  const bubble = JSON.stringify({ text: "ab" });
  return cursorSession({
    *keys() {
      for (let count = 0; count < conversations; count++) {
        yield `composerData:c${count}`;
      }
    },
    value: (_table, key) =>
      key.startsWith("composerData:")
        ? composer
        : key.startsWith("bubbleId:")
        ? bubble
        : undefined,
  });
}

/** Where the number of the chunk stands. */
const NUMBER = "\u0001";

/** A beginning, then a chunk in which {@linkcode NUMBER} is how often it came. */
function* numbered(begin: string, chunk: string): Generator<string> {
  yield begin;
  for (let count = 0;; count++) yield chunk.replaceAll(NUMBER, String(count));
}

/** A chunk of JSON values, each with an end. */
function records(make: (index: number, id: string) => object, end = "\n") {
  let chunk = "";
  for (let index = 0; chunk.length < CHUNK; index++) {
    chunk += JSON.stringify(make(index, `${NUMBER}-${index}`))
      .replaceAll("\\u0001", NUMBER) + end;
  }
  return chunk;
}

/** Whose turn it is. */
const roleOf = (index: number): string =>
  index % 2 === 0 ? "user" : "assistant";

/** What a text block is. */
const said = (text: string): object[] => [{ type: "text", text }];

/** Sessions without an end: how they begin, and messages, each with an id of its own. */
const SESSIONS: Readonly<
  Partial<Record<string, readonly [begin: string, chunk: string]>>
> = {
  "claude-session": [
    "",
    records((_, id) => ({
      type: "assistant",
      uuid: `u${id}`,
      message: { id: `m${id}`, role: "assistant", content: said("ab") },
    })),
  ],
  "codex-session": [
    "",
    records((index, id) => ({ role: roleOf(index), content: said(id) })),
  ],
  "cline": [
    "[",
    records((index, id) => ({ role: roleOf(index), content: said(id) }), ","),
  ],
  "gemini-session": [
    '{"sessionId":"s","projectHash":"p","messages":[',
    records((index, id) => ({
      id,
      type: index % 2 === 0 ? "user" : "gemini",
      content: "ab",
    }), ","),
  ],
  "continue": [
    '{"sessionId":"s","title":"t","workspaceDirectory":"/w","history":[',
    records((index, id) => ({
      message: { role: roleOf(index), content: said(id) },
      contextItems: [],
    }), ","),
  ],
  "cursor": [
    "",
    records((index, id) => ({
      role: roleOf(index),
      message: { content: said(id) },
    })),
  ],
  "aider": [
    "# aider chat started at 2025-01-02 03:04:05\n\n",
    chunkOf("#### hi  \n\nHello.\n\n~~~ts\nx\n~~~\n\n"),
  ],
  "specstory": [
    "<!-- Generated by SpecStory -->\n\n# t (2025-03-07 22:26:08)\n\n",
    chunkOf("_**User**_\n\nab\n\n---\n\n_**Assistant**_\n\ncd\n\n---\n\n"),
  ],
};

/** One stream after the other, as if they were one. */
async function* again(make: () => Output): AsyncGenerator<unknown> {
  for (;;) {
    const one = make() as AsyncIterable<unknown>;
    for await (const part of one) yield part;
  }
}

/** All of them. */
export function soakSubjects(): SoakSubject[] {
  const all: SoakSubject[] = [];
  for (const { kind, provider, body } of faultRecordings()) {
    switch (kind) {
      case "sse":
      case "jsonl": {
        const from = kind === "sse" ? fromSSE : fromJSONL;
        const name = provider as ProviderName;
        const { begin, event } = endless(name, kind === "jsonl", body) ??
          { begin: "", event: body };
        const options = { provider: name };
        all.push({
          name: `${from.name} ${provider}`,
          long: () => from(endlessWire(begin, event), options),
          short: () => from([body], options),
        });
        break;
      }
      case "text": {
        const bytes = new TextEncoder().encode("ab ");
        all.push({
          name: "fromText",
          long: () => fromText(repeated(bytes)),
          short: () => fromText([body]),
        });
        break;
      }
      case "vscode-lm":
        all.push({
          name: "fromVscodeLm",
          long: () =>
            fromVscodeLm(
              { stream: values({ value: "ab" }) },
              { tools: TOOLS },
            ),
          short: () =>
            fromVscodeLm({
              stream: toReadableStream([{ value: body }]) as never,
            }),
        });
        break;
      case "ai-sdk":
        all.push({
          name: "AI SDK middleware",
          long: () =>
            middleware(
              repeated({ type: "text-delta", id: "1", delta: "ab " }),
            ),
          short: () =>
            middleware([
              { type: "text-start", id: "1" },
              { type: "text-delta", id: "1", delta: body },
              { type: "text-end", id: "1" },
              { type: "finish", finishReason: "stop", usage: {} },
            ]),
        });
        break;
      case "pipeline": {
        const stages = () =>
          standardPipeline({ tools: TOOLS, directives: ["log", "think"] });
        all.push({
          name: "standardPipeline, piped",
          long: () => piped(repeated(chunkOf(body)), stages()),
          short: () => piped([body], stages()),
        }, {
          name: "standardPipeline, readParts",
          long: () => read(repeated(chunkOf(body)), stages()),
          short: () => read([body], stages()),
        });
        break;
      }
      case "framing": {
        const rows: Record<string, [wire: string, make: () => AnyTransform]> = {
          SSEParserStream: ["data: a\n\n", () => new SSEParserStream()],
          JSONLParserStream: ['{"a":1}\n', () => new JSONLParserStream()],
          LineSplitterStream: ["data: a\n\n", () => new LineSplitterStream()],
        };
        for (const [name, [wire, make]] of Object.entries(rows)) {
          all.push(ofBytes(name, wire, body, make));
        }
        const bytes = new TextEncoder().encode("é 🌊 ");
        all.push({
          // Every chunk ends within a character.
          name: "decodeText",
          long: () =>
            read(
              repeated(bytes.subarray(0, 5), bytes.subarray(5)),
              decodeText(),
            ),
          short: () => read([bytes], decodeText()),
        });
        break;
      }
      case "claude-code": {
        const lines = body.split("\n").filter((line) => line !== "");
        const text = endless("claude-code", true, body)!.event.trim();
        all.push({
          name: "ClaudeCodeStream",
          long: () => read(repeated(text), new ClaudeCodeStream()),
          short: () => read(lines, new ClaudeCodeStream()),
        }, {
          name: "SocketEventStream",
          long: () => read(repeated(text), new SocketEventStream()),
          short: () => read(lines, new SocketEventStream()),
        });
        break;
      }
      case "encoder":
        all.push(
          ofParts("SSEEncoderStream", () => new SSEEncoderStream()),
          ofParts("JSONLEncoderStream", () => new JSONLEncoderStream()),
          ofParts(
            "OpenAIChatEncoderStream",
            () => new OpenAIChatEncoderStream(),
          ),
          ofParts("AnthropicEncoderStream", () => new AnthropicEncoderStream()),
          ofParts("UIMessageEncoderStream", () => new UIMessageEncoderStream()),
          {
            name: "encodeText",
            long: () => read(repeated("data: a\n\n"), encodeText()),
            short: () => read(["data: a\n\n"], encodeText()),
          },
          {
            name: "ToolGateStream",
            long: () =>
              piped(
                repeated(...PARTS, call("read"), call("write")),
                gate(),
              ),
            short: () => piped([call("read"), call("write"), FINISH], gate()),
          },
          {
            name: "FenceSplitterStream",
            long: () =>
              piped(
                repeated(chunkOf("ab `c`\n~~~ts\nx\n~~~\n\n")),
                new FenceSplitterStream({ maxLength: 64 }),
              ),
            short: () =>
              piped(["ab\n~~~ts\nx\n~~~\n"], new FenceSplitterStream()),
          },
        );
        break;
      case "session": {
        const options = { kind: provider as SessionKind };
        const found = SESSIONS[provider!];
        const short = () => read([body], new SessionStream(options));
        all.push({
          name: `SessionStream ${provider}`,
          long: () =>
            found === undefined
              // Its messages and their parts come in any order, and are put
              // together when the document is over: there is no long one.
              ? again(short)
              : read(numbered(...found), new SessionStream(options)),
          short,
        });
        break;
      }
      case "cursor":
        all.push({
          name: "cursorSession",
          long: () => cursor(Infinity),
          short: () => cursor(1),
        });
        break;
    }
  }
  return all;
}
