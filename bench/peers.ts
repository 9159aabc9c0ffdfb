/**
 * What others make of the same messages. The packages are dependencies of the
 * benchmarks alone (bench/package.json); what is not installed is skipped.
 */
import { drain } from "./subjects.ts";
import { toReadableStream } from "../mod.ts";

/** Does all of a message, given in chunks. */
export type Peer = (chunks: readonly string[]) => unknown;

/** How to get at a peer; fails where it is not installed. */
export interface PeerEntry {
  name: string;
  load(): Promise<Peer>;
  /** Does not take part with chunks as long as these. */
  shorterThan?: number;
}

// What is imported so is not looked for when types are checked.
// deno-lint-ignore no-explicit-any
const load = (name: string): Promise<any> => import(name);

function ignore(): void {}

/** Text as the AI SDK streams it. */
function* textParts(chunks: readonly string[], field: "delta" | "text") {
  yield { type: "text-start", id: "1" };
  for (const chunk of chunks) {
    yield { type: "text-delta", id: "1", [field]: chunk };
  }
  yield { type: "text-end", id: "1" };
  yield { type: "finish", finishReason: "stop", usage: {} };
}

const tool = {
  type: "function",
  name: "read_file",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
};

/** All peers that read text as it streams. */
export const peers: readonly PeerEntry[] = [
  {
    name: "htmlparser2, write",
    async load() {
      const { Parser } = await load("htmlparser2");
      return (chunks) => {
        const parser = new Parser({
          onopentag: ignore,
          ontext: ignore,
          onclosetag: ignore,
        });
        for (const chunk of chunks) parser.write(chunk);
        parser.end();
      };
    },
  },
  {
    name: "sax, write",
    async load() {
      const { default: sax } = await load("sax");
      return (chunks) => {
        const parser = sax.parser(false);
        parser.ontext = parser.onopentag = parser.onclosetag = ignore;
        parser.onerror = () => {
          parser.error = null;
        };
        for (const chunk of chunks) parser.write(chunk);
        parser.close();
      };
    },
  },
  {
    name: "saxes, write",
    async load() {
      const { SaxesParser } = await load("saxes");
      return (chunks) => {
        const parser = new SaxesParser({ fragment: true });
        parser.on("text", ignore);
        parser.on("opentag", ignore);
        parser.on("closetag", ignore);
        parser.on("error", ignore);
        for (const chunk of chunks) parser.write(chunk);
        parser.close();
      };
    },
  },
  {
    name: "streaming-markdown, parser_write",
    async load() {
      const { parser, parser_end, parser_write } = await load(
        "streaming-markdown",
      );
      const renderer = {
        data: null,
        add_token: ignore,
        end_token: ignore,
        add_text: ignore,
        set_attr: ignore,
      };
      return (chunks) => {
        const state = parser(renderer);
        for (const chunk of chunks) parser_write(state, chunk);
        parser_end(state);
      };
    },
  },
  {
    name: "split2, a stream",
    async load() {
      const { default: split2 } = await load("split2");
      return async (chunks) => {
        const stream = split2();
        stream.on("data", ignore);
        const over = new Promise((resolve) => stream.on("end", resolve));
        for (const chunk of chunks) stream.write(chunk);
        stream.end();
        await over;
      };
    },
  },
  {
    name: "@ai-sdk-tool/parser hermes, a stream",
    async load() {
      const { hermesProtocol } = await load("@ai-sdk-tool/parser");
      return (chunks) =>
        drain(
          toReadableStream(textParts(chunks, "delta")).pipeThrough(
            hermesProtocol().createStreamParser({ tools: [tool] }),
          ),
        );
    },
  },
  {
    name: "ai extractReasoningMiddleware, a stream",
    async load() {
      const { extractReasoningMiddleware } = await load("ai-6");
      const { wrapStream } = extractReasoningMiddleware({ tagName: "think" });
      return async (chunks) => {
        const { stream } = await wrapStream({
          doStream: () => ({
            stream: toReadableStream(textParts(chunks, "delta")),
          }),
        });
        await drain(stream);
      };
    },
  },
  {
    name: "ai smoothStream, a stream",
    async load() {
      const { smoothStream } = await load("ai-6");
      return (chunks) =>
        drain(
          toReadableStream(textParts(chunks, "text")).pipeThrough(
            smoothStream({ delayInMs: null })({ tools: {} }),
          ),
        );
    },
  },
  {
    name: "micromark, whole message at once",
    async load() {
      const { micromark } = await load("micromark");
      return (chunks) => micromark(chunks.join(""));
    },
  },
];
