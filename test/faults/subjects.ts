/** Every adapter as something that faults are put into. */
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
import type { ProviderName } from "../../adapters/provider.ts";
import {
  AiderSessionStream,
  ClaudeCodeSessionStream,
  ClineSessionStream,
  CodexSessionStream,
  cursorSession,
  GeminiSessionStream,
  type SessionKind,
  SessionStream,
} from "../../adapters/sessions/mod.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { SSEParserStream } from "../../adapters/sse_parser.ts";
import { fromText } from "../../adapters/text.ts";
import {
  type CancellationTokenLike,
  fromVscodeLm,
} from "../../adapters/vscode_lm.ts";
import {
  type AnyTransform,
  DirectiveExtractorStream,
  FenceSplitterStream,
  FenceTrackerStream,
  type Part,
  pipeline,
  readParts,
  SnippetExtractorStream,
  StageStream,
  standardPipeline,
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
  ToolGateStream,
  toReadableStream,
} from "../../mod.ts";
import type { FaultSource } from "./fault_source.ts";
import {
  type FaultSubject,
  IS_WORKERD,
  type OpenOptions,
} from "./fault_subject.ts";

/** A recorded stream; plain data, so that it can be sent to another runtime. */
export interface Recording {
  kind:
    | "sse"
    | "jsonl"
    | "text"
    | "vscode-lm"
    | "ai-sdk"
    | "pipeline"
    | "stages"
    | "framing"
    | "claude-code"
    | "encoder"
    | "session"
    | "cursor";
  provider?: string;
  body: string;
}

const TOOLS = [{
  name: "read",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" } },
  },
}] as const;

/** Bytes cut into about so many pieces, characters too. */
function cutBytes(body: string, pieces: number): Uint8Array[] {
  const bytes = new TextEncoder().encode(body);
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    chunks.push(bytes.slice(at, at + size));
  }
  return chunks;
}

function cutText(body: string, pieces: number): string[] {
  const size = Math.max(1, Math.ceil(body.length / pieces));
  const chunks: string[] = [];
  for (let at = 0; at < body.length; at += size) {
    chunks.push(body.slice(at, at + size));
  }
  return chunks;
}

/** So many lines of a body, spread over all of it. */
function someLines(body: string): string[] {
  return body.split("\n").filter((line) => line !== "");
}

type Kind = "readable" | "iterable" | "database";

/** A source in the form that is asked for. */
function given(source: FaultSource, kind: Kind): ReadableStream<Uint8Array> {
  return (kind === "readable"
    ? source.readable
    : source.iterable) as ReadableStream<Uint8Array>;
}

const PARTS: Pick<
  FaultSubject,
  "ending" | "signal" | "sources" | "readsAhead"
> = {
  ending: "parts",
  signal: true,
  sources: ["readable", "iterable"],
  readsAhead: 0,
};

/** A chain of streams behind the source. */
function chain(
  name: string,
  chunks: readonly unknown[],
  make: () => AnyTransform[],
): FaultSubject {
  return {
    name,
    chunks,
    ending: "pipe",
    signal: !IS_WORKERD,
    sources: ["readable"],
    // Two places in each stream: one before it, one behind it.
    readsAhead: 2,
    open: (source, _kind, { signal }) =>
      make().reduce(
        (upstream, stream) =>
          upstream.pipeThrough(stream, signal === undefined ? {} : { signal }),
        source.readable,
      ),
  };
}

/** The same streams, read without a pipe. */
function read(
  name: string,
  chunks: readonly unknown[],
  make: () => AnyTransform[],
): FaultSubject {
  return {
    name,
    chunks,
    ending: "fails",
    signal: false,
    sources: ["readable", "iterable"],
    readsAhead: 0,
    open: (source, kind) =>
      (readParts as (
        source: unknown,
        ...streams: AnyTransform[]
      ) => AsyncIterableIterator<unknown>)(given(source, kind), ...make()),
  };
}

/** A token of the editor that is cancelled by a signal, and counts on it. */
function tokenOf(signal: AbortSignal): CancellationTokenLike {
  return {
    get isCancellationRequested(): boolean {
      return signal.aborted;
    },
    onCancellationRequested(listener) {
      const listen = (): void => void listener(undefined);
      signal.addEventListener("abort", listen);
      return { dispose: () => signal.removeEventListener("abort", listen) };
    },
  };
}

function vscode(
  name: string,
  chunks: readonly unknown[],
  texts: readonly string[],
  more: (options: OpenOptions) => object,
): FaultSubject {
  return {
    name,
    chunks,
    ...PARTS,
    sources: ["iterable"],
    returns: true,
    endIsMarker: true,
    texts,
    open: (source, _kind, options) =>
      fromVscodeLm({ stream: source.iterable }, {
        ...(options.onError === undefined ? {} : { onError: options.onError }),
        ...more(options),
      }),
  };
}

/** Occurrences of a text in what an encoder wrote. */
function count(
  output: readonly unknown[],
  texts: readonly string[],
): number {
  const decoder = new TextDecoder();
  const written = output.map((piece) =>
    typeof piece === "string" ? piece : decoder.decode(piece as Uint8Array)
  ).join("");
  return texts.reduce(
    (sum, text) => sum + written.split(text).length - 1,
    0,
  );
}

function encoder(
  name: string,
  body: string,
  pieces: number,
  make: () => AnyTransform,
  terminals: readonly string[],
): FaultSubject {
  return {
    name,
    chunks: cutBytes(body, pieces),
    ending: "encoded",
    signal: true,
    sources: ["readable", "iterable"],
    readsAhead: 2,
    terminals: (output) => count(output, terminals),
    // Where only a success has a marker, a failure is an error.
    mayEndBare: terminals.length > 1,
    open: (source, kind, options) =>
      fromSSE(given(source, kind), { provider: "openai-chat", ...options })
        .pipeThrough(make()),
  };
}

/** The parts of the editor that a text comes in. */
function editorParts(body: string, pieces: number): unknown[] {
  return [
    { value: ["thinking"], id: "1" },
    ...cutText(body, pieces).map((value) => ({ value })),
    { callId: "n", name: "native", input: { a: 1 } },
    { mimeType: "image/png", data: new Uint8Array([1]) },
  ];
}

/** Texts with calls between, some of which are not let through. */
function gated(texts: readonly string[]): unknown[] {
  return texts.flatMap((text, index) => [
    text,
    {
      type: "tool-call",
      toolCallId: `c${index}`,
      toolName: index % 2 === 0 ? "read" : "write",
      input: {},
      origin: "native",
    },
  ]);
}

/** The streams of one kind of session each. */
const SESSIONS: Readonly<Record<string, () => AnyTransform>> = {
  "claude-session": () => new ClaudeCodeSessionStream(),
  "codex-session": () => new CodexSessionStream(),
  "cline": () => new ClineSessionStream(),
  "gemini-session": () => new GeminiSessionStream(),
  "aider": () => new AiderSessionStream(),
};

/**
 * The subjects that a recording makes.
 *
 * @param pieces Into about how many pieces a body is cut.
 */
export function subjectsOf(
  { kind, provider, body }: Recording,
  pieces: number,
): FaultSubject[] {
  switch (kind) {
    case "sse":
    case "jsonl": {
      const from = kind === "sse" ? fromSSE : fromJSONL;
      return [{
        name: `${from.name} ${provider}`,
        chunks: cutBytes(body, pieces),
        ...PARTS,
        open: (source, form, options) =>
          from(given(source, form), {
            provider: provider as ProviderName,
            ...options,
          }),
      }];
    }
    case "text":
      return [{
        name: "fromText",
        chunks: cutBytes(body, pieces),
        ...PARTS,
        open: (source, form, options) =>
          fromText(given(source, form), { ...options }),
      }];
    case "vscode-lm": {
      const chunks = editorParts(body, pieces);
      const texts = ["", ...cutText(body, pieces), "", ""];
      return [
        vscode(
          "fromVscodeLm, signal",
          chunks,
          texts,
          ({ signal }) => ({ signal, tools: TOOLS }),
        ),
        vscode(
          "fromVscodeLm, token",
          chunks,
          texts,
          ({ signal }) =>
            signal === undefined ? {} : { token: tokenOf(signal) },
        ),
      ];
    }
    case "ai-sdk":
      return [{
        name: "AI SDK middleware",
        chunks: [
          { type: "stream-start", warnings: [] },
          { type: "text-start", id: "1" },
          ...cutText(body, pieces).map((delta) => ({
            type: "text-delta",
            id: "1",
            delta,
          })),
          { type: "text-end", id: "1" },
          { type: "finish", finishReason: "stop", usage: {} },
        ],
        ending: "pipe",
        signal: false,
        sources: ["readable"],
        readsAhead: 4,
        open(source) {
          const middleware = millrace({ tools: TOOLS, generateId: () => "id" });
          const through = new TransformStream<unknown, unknown>();
          middleware.wrapStream({
            doStream: () => Promise.resolve({ stream: source.readable }),
            params: {},
          }).then(({ stream }) => stream.pipeTo(through.writable)).catch(
            () => {},
          );
          return through.readable;
        },
      }];
    case "pipeline": {
      const stages = (): AnyTransform =>
        standardPipeline({ tools: TOOLS, directives: ["log", "think"] });
      const chunks = cutText(body, pieces);
      return [
        chain("standardPipeline, piped", chunks, () => [stages()]),
        {
          ...chain("standardPipeline in pipeline, piped", chunks, () => [
            pipeline(new TransformStream<string, string>(), stages()),
          ]),
          readsAhead: 4,
        },
        {
          ...read("standardPipeline, readParts", chunks, () => [stages()]),
          texts: chunks,
        },
        {
          name: "fromText, standardPipeline, piped",
          chunks,
          texts: chunks,
          ...PARTS,
          readsAhead: 2,
          open: (source, form, options) =>
            fromText(given(source, form), options).pipeThrough(
              stages() as TransformStream<Part, Part>,
            ),
        },
        {
          name: "fromText, standardPipeline, readParts",
          chunks,
          texts: chunks,
          ...PARTS,
          open: (source, form, options) =>
            readParts(
              fromText(given(source, form), options),
              stages() as TransformStream<Part, Part>,
            ) as AsyncIterableIterator<unknown>,
        },
      ];
    }
    case "stages": {
      const chunks = cutText(body, pieces);
      const makers: Record<string, () => AnyTransform> = {
        ToolCallSalvagerStream: () =>
          new ToolCallSalvagerStream({ tools: TOOLS }),
        FenceTrackerStream: () => new FenceTrackerStream(),
        DirectiveExtractorStream: () =>
          new DirectiveExtractorStream({ directives: ["log", "think"] }),
        SnippetExtractorStream: () => new SnippetExtractorStream(),
      };
      const others: Record<string, () => AnyTransform> = {
        SurrogateSanitizerStream: () => new SurrogateSanitizerStream(),
        FenceSplitterStream: () => new FenceSplitterStream({ maxLength: 64 }),
        StageStream: () =>
          new StageStream<string, string>({
            push: (text, emit) => emit(text),
            end: (emit) => emit("."),
            snapshot: () => null,
          }),
      };
      return [
        ...Object.entries({ ...makers, ...others }).flatMap(([name, make]) => [
          chain(`${name}, piped`, chunks, () => [make()]),
          {
            ...read(`${name}, readParts`, chunks, () => [make()]),
            ...(name in makers ? { texts: chunks } : {}),
          },
        ]),
        chain("ToolGateStream, piped", gated(chunks), () => [
          new ToolGateStream({
            policy: ({ toolName }) => Promise.resolve(toolName === "read"),
          }),
        ]),
        {
          ...read("toReadableStream", chunks, () => []),
          open: (source) => toReadableStream(source.iterable),
          sources: ["iterable"],
        },
      ];
    }
    case "framing": {
      const bytes = cutBytes(body, pieces);
      const makers: Record<string, () => AnyTransform> = {
        SSEParserStream: () => new SSEParserStream(),
        JSONLParserStream: () => new JSONLParserStream(),
        LineSplitterStream: () => new LineSplitterStream(),
        decodeText: () => decodeText(),
      };
      return Object.entries(makers).flatMap(([name, make]) => [
        chain(`${name}, piped`, bytes, () => [make()]),
        read(`${name}, readParts`, bytes, () => [make()]),
      ]);
    }
    case "claude-code": {
      const lines = someLines(body);
      return [
        chain("ClaudeCodeStream, piped", lines, () => [new ClaudeCodeStream()]),
        read(
          "ClaudeCodeStream, readParts",
          lines,
          () => [new ClaudeCodeStream()],
        ),
        chain(
          "SocketEventStream, piped",
          lines,
          () => [new SocketEventStream()],
        ),
      ];
    }
    case "encoder":
      return [
        encoder(
          "SSEEncoderStream",
          body,
          pieces,
          () => new SSEEncoderStream(),
          ['"type":"finish"'],
        ),
        encoder(
          "JSONLEncoderStream",
          body,
          pieces,
          () => new JSONLEncoderStream(),
          ['"type":"finish"'],
        ),
        encoder(
          "OpenAIChatEncoderStream",
          body,
          pieces,
          () => new OpenAIChatEncoderStream(),
          ["data: [DONE]", 'data: {"error":'],
        ),
        encoder(
          "AnthropicEncoderStream",
          body,
          pieces,
          () => new AnthropicEncoderStream(),
          ['"type":"message_stop"', 'data: {"type":"error"'],
        ),
        encoder(
          "UIMessageEncoderStream",
          body,
          pieces,
          () => new UIMessageEncoderStream(),
          ["data: [DONE]", 'data: {"type":"error"'],
        ),
        encoder(
          "SSEEncoderStream, encodeText",
          body,
          pieces,
          () => pipeline(new SSEEncoderStream(), encodeText()),
          ['"type":"finish"'],
        ),
      ];
    case "session": {
      const chunks = cutBytes(body, pieces);
      const make = (): AnyTransform =>
        new SessionStream({ kind: provider as SessionKind });
      const own = SESSIONS[provider!];
      const rows = [
        chain(`SessionStream ${provider}, piped`, chunks, () => [make()]),
        read(`SessionStream ${provider}, readParts`, chunks, () => [make()]),
      ];
      if (own === undefined) return rows;
      const { name } = own().constructor;
      return [
        ...rows,
        chain(`${name}, piped`, chunks, () => [own()]),
        read(`${name}, readParts`, chunks, () => [own()]),
      ];
    }
    case "cursor": {
      const rows = JSON.parse(body) as [string, string][];
      const values = new Map(rows);
      return [{
        name: "cursorSession",
        // Two of the old form, the list of keys, then one a row.
        chunks: Array.from({ length: rows.length + 3 }, (_, index) => index),
        ending: "fails",
        signal: false,
        sources: ["database"],
        readsAhead: Infinity,
        open: (source) =>
          cursorSession({
            async keys(_table, prefix) {
              await source.next();
              return [...values.keys()].filter((key) => key.startsWith(prefix));
            },
            async value(_table, key) {
              await source.next();
              return values.get(key);
            },
          }),
      }];
    }
  }
}
