/**
 * millrace in an edge function: a gateway in front of any model's API.
 *
 * - `POST /v1/chat/completions`: for OpenAI's clients.
 * - `POST /v1/messages`: for Anthropic's.
 * - `POST /v1/chat`: a chat completions request; the answer comes as parts.
 * - `POST /v1/clean`: the body is a provider's SSE stream; the answer is its
 *   parts as SSE, one `data: {part}` an event, while the body still comes in.
 * - `GET /v1/streams/<id>`: goes on with a stream that broke (workerd with
 *   Durable Objects).
 * - `GET /health`.
 *
 * On the way, calls of the request's own tools are salvaged from the text,
 * reasoning is split off, unpaired surrogates are mended, and the finish reason
 * says what came. A salvaged call is a suggestion: keep your approval step.
 *
 * Where the upstream is, and its key, is configuration, never part of a request:
 * this is no open proxy. All of it: `edge/configuration.ts`; how to run and
 * deploy it: `edge/README.md`.
 *
 * The default export is what workerd, `deno serve` and Bun want. On workerd the
 * compatibility date has to be 2022-11-30 or later: before, custom transform
 * streams pass everything through unchanged.
 */
import { checkAccess } from "./edge/access.ts";
import type { Client } from "./edge/client.ts";
import { clients } from "./edge/clients.ts";
import { complete } from "./edge/complete.ts";
import { configure, type Environment } from "./edge/configuration.ts";
import { chat, clean } from "./edge/parts_routes.ts";
import { Problem } from "./edge/problem.ts";
import { readRequest } from "./edge/request_body.ts";
import { resume, startResumable } from "./edge/resumable.ts";

export type { Environment };

/** The endpoints that answer as an API does. */
const completions: Readonly<Record<string, Client>> = {
  "/v1/chat/completions": clients["openai-chat"],
  "/v1/messages": clients.anthropic,
};

async function answer(
  request: Request,
  client: Client,
  environment: Environment,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method === "GET" && pathname === "/health") {
    return new Response("ok\n");
  }
  const configuration = configure(environment);
  const { STREAMS: streams } = environment;
  if (request.method === "GET" && pathname.startsWith("/v1/streams/")) {
    await checkAccess(request, configuration);
    return await resume(request, pathname.slice(12), streams);
  }
  const isCompletion = Object.hasOwn(completions, pathname);
  if (!isCompletion && pathname !== "/v1/chat" && pathname !== "/v1/clean") {
    throw new Problem(
      404,
      "There is POST /v1/chat/completions, /v1/messages, /v1/chat and /v1/clean",
    );
  }
  if (request.method !== "POST") throw new Problem(405, "Use POST");
  await checkAccess(request, configuration);
  if (pathname === "/v1/clean") return clean(request, configuration);
  const body = await readRequest(request, configuration.maxRequestBytes);
  if (!isCompletion) return await chat(request, body, configuration);
  if (streams !== undefined && body.stream === true) {
    return await startResumable(request, body, client, streams);
  }
  return await complete(request, body, client, configuration);
}

/** The handler, for any server that speaks `Request` and `Response`. */
export async function handle(
  request: Request,
  environment: Environment = {},
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const client = Object.hasOwn(completions, pathname)
    ? completions[pathname]!
    : clients["openai-chat"];
  try {
    return await answer(request, client, environment);
  } catch (error) {
    // What is not foreseen may say anything, and is not told.
    const problem = error instanceof Problem
      ? error
      : new Problem(500, "The gateway failed");
    return Response.json(client.problem(problem), {
      status: problem.status,
      headers: problem.headers,
    });
  }
}

const server: { fetch: typeof handle } = { fetch: handle };

export default server;
