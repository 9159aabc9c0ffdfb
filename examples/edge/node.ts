/**
 * The gateway on Node: `UPSTREAM_URL=… npx tsx examples/edge/node.ts`. Node 24
 * and later need no `tsx`.
 */
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import process from "node:process";
import { Readable } from "node:stream";
import { handle } from "../edge.ts";
import { listening, type ServerEnvironment, stop } from "./listening.ts";

const environment: ServerEnvironment = process.env;
const { hostname, port } = listening(environment);

/** Node's request as the web's. */
function requestOf(message: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", headers } = message;
  const list = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one])
  );
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, `http://${headers.host ?? "localhost"}`), {
    method,
    headers: list,
    signal,
    ...(hasBody
      ? { body: Readable.toWeb(message), duplex: "half" } as RequestInit
      : {}),
  });
}

/** Sends a response, no faster than the client takes it. */
async function send(
  { status, headers, body }: Response,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(status, [...headers].flat());
  const reader = body?.getReader();
  // Reaches the upstream.
  response.once("close", () => reader?.cancel().catch(() => {}));
  response.flushHeaders();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!response.write(value)) {
      await new Promise<void>((resolve) => {
        const go = () => {
          response.off("drain", go).off("close", go);
          resolve();
        };
        response.once("drain", go).once("close", go);
      });
    }
  }
  response.end();
}

const server = createServer((message, response) => {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  let request: Request;
  try {
    request = requestOf(message, controller.signal);
  } catch {
    // A request line or a Host header that is none.
    response.writeHead(400).end();
    return;
  }
  handle(request, environment)
    .then((answer) => send(answer, response))
    .catch(() => response.destroy());
});

server.once("error", stop);
// Many may come at once: who finds no place in the queue waits for seconds, or is
// turned away.
server.listen({ port, host: hostname, backlog: 4096 }, () => {
  const address = server.address() as { address: string; port: number };
  console.log(`Listening on http://${address.address}:${address.port}`);
});
