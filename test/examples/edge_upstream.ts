import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** One request that reached the upstream, and the means to answer it. */
export interface UpstreamCall {
  /** The path that was asked for. */
  path: string;
  headers: IncomingHttpHeaders;
  // deno-lint-ignore no-explicit-any
  body: any;
  response: ServerResponse;
  /** Resolves when the connection is closed before the answer was over. */
  gone: Promise<void>;
  /** Sends a piece of the answer; the first one sends the headers. */
  write(text: string): void;
}

/** How the upstream answers. It ends the response itself, or leaves it open. */
export type Script = (call: UpstreamCall) => Promise<void> | void;

/** A model's API on loopback that does what a test says. */
export class ScriptedUpstream {
  readonly calls: UpstreamCall[] = [];
  /** How many connections were closed by the other side. */
  cancelled = 0;
  script: Script = ({ response }) => void response.end();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ScriptedUpstream> {
    const server = createServer();
    const upstream = new ScriptedUpstream(server);
    server.on("request", async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const gone = new Promise<void>((resolve) => {
        response.once("close", () => {
          if (response.writableFinished) return;
          upstream.cancelled++;
          resolve();
        });
      });
      const call: UpstreamCall = {
        path: request.url ?? "",
        headers: request.headers,
        body: JSON.parse(text),
        response,
        gone,
        write(piece) {
          if (!response.headersSent) {
            response.writeHead(200, { "content-type": "text/event-stream" });
          }
          response.write(piece);
        },
      };
      upstream.calls.push(call);
      await upstream.script(call);
    });
    server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 });
    await new Promise((resolve) => server.once("listening", resolve));
    return upstream;
  }

  url(path: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${path}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** A chat completion chunk as an event. */
export function chat(
  delta: Record<string, unknown>,
  finish_reason: string | null = null,
): string {
  return `data: ${
    JSON.stringify({
      id: "up",
      object: "chat.completion.chunk",
      created: 1,
      model: "up-1",
      choices: [{ index: 0, delta, finish_reason }],
    })
  }\n\n`;
}

/** The end of a chat completion. */
export function chatEnd(finish: string, usage = false): string {
  return chat({}, finish) +
    (usage
      ? `data: ${
        JSON.stringify({
          object: "chat.completion.chunk",
          choices: [],
          usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
        })
      }\n\n`
      : "") +
    "data: [DONE]\n\n";
}

/** A whole chat completion, its text in these pieces. */
export function chatAnswer(pieces: readonly string[], finish = "stop"): Script {
  return ({ write, response, body }) => {
    for (const content of pieces) write(chat({ content }));
    write(chatEnd(finish, body.stream_options?.include_usage === true));
    response.end();
  };
}

/** Anthropic's events. */
export function messages(
  events: readonly ({ type: string } & Record<string, unknown>)[],
): string {
  return events.map((event) =>
    `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
  ).join("");
}

/** A message of these blocks, each given as its start and its deltas. */
export function message(
  blocks: readonly [
    start: Record<string, unknown>,
    ...deltas: Record<string, unknown>[],
  ][],
  stop_reason = "end_turn",
): string {
  return messages([
    {
      type: "message_start",
      message: {
        id: "up",
        type: "message",
        role: "assistant",
        model: "up-1",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 7, output_tokens: 1 },
      },
    },
    ...blocks.flatMap(([content_block, ...deltas], index) => [
      { type: "content_block_start", index, content_block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 5 },
    },
    { type: "message_stop" },
  ]);
}

/** Something that a test lets happen. */
export class Gate {
  open: () => void = () => {};
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.open = resolve;
  });
}

/** Events as they arrive: their fields, comments under "comment". */
export async function* eventsOf(
  response: Response,
): AsyncGenerator<Record<string, string>> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body!) {
    rest += decoder.decode(bytes, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      yield Object.fromEntries(
        block.split("\n").map((line) => {
          const at = line.indexOf(":");
          const name = at === 0 ? "comment" : line.slice(0, at);
          return [name, line.slice(at + 1).replace(/^ /, "")];
        }),
      );
    }
  }
}
