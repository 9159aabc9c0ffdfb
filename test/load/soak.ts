/**
 * Sends millions of parts through every adapter, in one stream that does not end
 * and in many short ones, and watches what stays behind: the heap after a
 * collection, file descriptors, handles.
 *
 *     npm run soak -- [--parts 10000000] [--only fromSSE] [--list]
 *
 * Exit code 1 when the heap grows by more than 1 MiB after the first tenth, or
 * a descriptor or handle is left.
 */
import { readdirSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ClaudeCodeStream } from "../../adapters/claude_code/claude_code_stream.ts";
import { SocketEventStream } from "../../adapters/claude_code/socket_event_stream.ts";
import { fromJSONL } from "../../adapters/jsonl.ts";
import { JSONLParserStream } from "../../adapters/jsonl_parser.ts";
import { LineSplitterStream } from "../../adapters/line_splitter.ts";
import { autoProvider, type ProviderName } from "../../adapters/provider.ts";
import { resolveProvider } from "../../adapters/provider.ts";
import { SessionStream } from "../../adapters/sessions/mod.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { SSEParserStream } from "../../adapters/sse_parser.ts";
import { fromText } from "../../adapters/text.ts";
import { fromVscodeLm } from "../../adapters/vscode_lm.ts";
import {
  parse,
  type Part,
  readParts,
  standardPipeline,
  toReadableStream,
} from "../../mod.ts";
import { faultRecordings } from "../faults/recordings.ts";

const { values } = parseArgs({
  options: {
    parts: { type: "string", default: "10000000" },
    only: { type: "string" },
    list: { type: "boolean", default: false },
  },
});
const most = Number(values.parts);

/** What goes through one adapter. */
interface Soak {
  name: string;
  /** A stream that goes on as long as it is read. */
  long(): AsyncIterable<unknown>;
  /** A whole recorded stream. */
  short(): AsyncIterable<unknown>;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Characters of a chunk; what is under way is no leak. */
const CHUNK = 4_096;

/** Some text again and again, in chunks. */
async function* repeated(
  begin: string,
  text: (count: number) => string,
): AsyncGenerator<string> {
  yield begin;
  for (let chunks = 0, count = 0;; chunks++) {
    let chunk = "";
    do chunk += text(count++); while (chunk.length < CHUNK);
    yield chunk;
    // Timers and collections have their turn.
    if (chunks % 1_024 === 0) await new Promise((go) => setImmediate(go));
  }
}

function iterable(readable: ReadableStream<unknown>): AsyncIterable<unknown> {
  return readable as unknown as AsyncIterable<unknown>;
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

function soaks(): Soak[] {
  const all: Soak[] = [];
  const tools = [{ name: "read", inputSchema: { type: "object" } }];
  for (const { kind, provider, body } of faultRecordings()) {
    if (kind === "sse" || kind === "jsonl") {
      const from = kind === "sse" ? fromSSE : fromJSONL;
      const name = provider as ProviderName;
      const found = endless(name, kind === "jsonl", body);
      const options = { provider: name };
      all.push({
        name: `${from.name} ${provider}`,
        long: () =>
          iterable(
            from(
              found === undefined
                ? repeated("", () => body)
                : repeated(found.begin, () => found.event),
              options,
            ),
          ),
        short: () => iterable(from([body], options)),
      });
    } else if (kind === "text") {
      const stages = () =>
        standardPipeline({ tools, directives: ["log", "think"] });
      all.push({
        name: "fromText",
        long: () => iterable(fromText(each("ab "))),
        short: () => iterable(fromText([body])),
      }, {
        name: "standardPipeline, piped",
        long: () =>
          iterable(
            toReadableStream(repeated("", () => body)).pipeThrough(stages()),
          ),
        short: () => iterable(toReadableStream([body]).pipeThrough(stages())),
      }, {
        name: "standardPipeline, readParts",
        long: () => readParts(repeated("", () => body), stages()),
        short: () => readParts([body], stages()),
      });
    } else if (kind === "vscode-lm") {
      all.push({
        name: "fromVscodeLm",
        long: () =>
          iterable(
            fromVscodeLm({ stream: valuesOf({ value: "ab" }) }, { tools }),
          ),
        short: () =>
          iterable(
            fromVscodeLm({
              stream: toReadableStream([{ value: body }]) as never,
            }),
          ),
      });
    } else if (kind === "framing") {
      for (
        const [name, make] of Object.entries({
          SSEParserStream: () => new SSEParserStream(),
          JSONLParserStream: () => new JSONLParserStream(),
          LineSplitterStream: () => new LineSplitterStream(),
        })
      ) {
        const wire = name.startsWith("JSONL") ? '{"a":1}\n' : "data: a\n\n";
        all.push({
          name,
          long: () =>
            iterable(
              toReadableStream(repeated("", () => wire)).pipeThrough(
                make() as TransformStream<string, unknown>,
              ),
            ),
          short: () =>
            iterable(
              toReadableStream([body]).pipeThrough(
                make() as TransformStream<string, unknown>,
              ),
            ),
        });
      }
    } else if (kind === "claude-code") {
      const lines = body.split("\n").filter((line) => line !== "");
      for (
        const [name, make] of Object.entries({
          ClaudeCodeStream: () => new ClaudeCodeStream(),
          SocketEventStream: () => new SocketEventStream(),
        })
      ) {
        all.push({
          name,
          long: () =>
            iterable(
              toReadableStream(again(lines)).pipeThrough(
                make() as TransformStream<string, unknown>,
              ),
            ),
          short: () =>
            iterable(
              toReadableStream(lines).pipeThrough(
                make() as TransformStream<string, unknown>,
              ),
            ),
        });
      }
    } else if (kind === "session" && provider === "claude-session") {
      const line = (count: number): string =>
        `${
          JSON.stringify({
            type: "assistant",
            uuid: `u${count}`,
            message: {
              id: `m${count}`,
              role: "assistant",
              content: [{ type: "text", text: "ab" }],
            },
          })
        }\n`;
      all.push({
        name: "SessionStream",
        long: () => readParts(repeated("", line), new SessionStream()),
        short: () => readParts([body], new SessionStream()),
      });
    }
  }
  return all;
}

async function* again(lines: readonly string[]): AsyncGenerator<string> {
  for (let count = 0;; count++) {
    yield* lines;
    if (count % 1_024 === 0) await new Promise((go) => setImmediate(go));
  }
}

async function* each(text: string): AsyncGenerator<string> {
  for (let count = 0;; count++) {
    yield text;
    if (count % 65_536 === 0) await new Promise((go) => setImmediate(go));
  }
}

async function* valuesOf(value: unknown): AsyncGenerator<unknown> {
  for (let count = 0;; count++) {
    yield value;
    if (count % 65_536 === 0) await new Promise((go) => setImmediate(go));
  }
}

/** What a process holds. */
interface Held {
  heap: number;
  descriptors: number;
  handles: number;
}

async function held(): Promise<Held> {
  let heap = Infinity;
  for (let round = 0; round < 3; round++) {
    await new Promise((go) => setTimeout(go, 5));
    collectGarbage();
    heap = Math.min(heap, process.memoryUsage().heapUsed);
  }
  return {
    heap,
    descriptors: readdirSync("/proc/self/fd").length,
    handles: process.getActiveResourcesInfo().length,
  };
}

const SAMPLES = 10;

async function soaked({ name, long, short }: Soak): Promise<boolean> {
  const begin = performance.now();
  const samples: Held[] = [];
  let parts = 0;
  // Lists of remembered ids grow and are halved: always at the same point.
  const step = most < 1_310_720 ? 1_000 : 65_536;
  const sample = async (share: number): Promise<void> => {
    if (parts >= share * most / SAMPLES) samples.push(await held());
  };
  // Nine tenths in one stream, the rest in short ones.
  for await (const _part of long()) {
    parts++;
    if (parts % step === 0) await sample(samples.length + 1);
    if (samples.length >= SAMPLES - 1) break;
  }
  while (parts < most) {
    for await (const part of short()) {
      parts++;
      if ((part as Part).type === "finish") break;
    }
  }
  samples.push(await held());
  // The first tenth fills what has a limit, such as remembered ids; the last one
  // is without what the long stream held.
  const settled = samples.slice(1);
  const heaps = settled.map(({ heap }) => heap);
  const lowest = Math.min(...heaps.slice(0, -1));
  const growth = (Math.max(...heaps) - lowest) / 1_048_576;
  const flat = (key: "descriptors" | "handles"): boolean =>
    Math.max(...settled.map((one) => one[key])) === settled[0]![key];
  const isFlat = growth <= 1 && flat("descriptors") && flat("handles");
  const seconds = (performance.now() - begin) / 1000;
  console.log(
    `${isFlat ? "flat " : "GROWS"}  ${name}: ${parts} parts, ${
      (parts / seconds / 1000).toFixed(0)
    }k/s, heap ${(heaps[0]! / 1_048_576).toFixed(2)} to ${
      (heaps.at(-1)! / 1_048_576).toFixed(2)
    } MiB, within ${growth.toFixed(2)} MiB, ${
      samples.at(-1)!.descriptors
    } descriptors, ${samples.at(-1)!.handles} handles`,
  );
  return isFlat;
}

let areFlat = true;
for (const soak of soaks()) {
  if (values.only !== undefined && !soak.name.includes(values.only)) continue;
  if (values.list) console.log(soak.name);
  else areFlat = await soaked(soak) && areFlat;
}
process.exitCode = areFlat ? 0 : 1;
