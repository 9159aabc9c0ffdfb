/**
 * millrace in an edge function: a model's stream in, a cleaned stream out.
 *
 * - `POST /v1/clean`: the body is a provider's SSE stream; the answer is the
 *   parts as SSE, one `data: {part}` an event, while the body still comes in.
 * - `POST /v1/chat`: the body is an OpenAI-like chat request. It goes to the
 *   upstream that the operator configured, and the answer comes back as parts,
 *   calls of the request's own tools salvaged from the text.
 *
 * Where the upstream is and its key are configuration (`UPSTREAM_URL`,
 * `UPSTREAM_KEY`), never part of a request: this is no open proxy. A salvaged
 * call is a suggestion: keep your approval step.
 *
 * The default export is what workerd, `deno serve` and Bun want. On workerd the
 * compatibility date has to be 2022-11-30 or later: before, custom transform
 * streams pass everything through unchanged.
 */
import { standardPipeline, type Tool } from "../mod.ts";
import { SSEEncoderStream } from "../adapters/encode_sse.ts";
import { encodeText } from "../adapters/encode_text.ts";
import { fromSSE } from "../adapters/sse.ts";

/** What the operator configures. */
export interface Environment {
  /** URL of the chat completions endpoint behind this function. */
  UPSTREAM_URL?: string;
  /** Bearer token for it. */
  UPSTREAM_KEY?: string;
}

/** Names whose content is reasoning, and directives that this site uses. */
const directives = ["note"];

/** The parts of an upstream's answer, cleaned, as an SSE response. */
function respond(
  upstream: Response | ReadableStream<Uint8Array>,
  tools: Tool[],
  signal: AbortSignal,
): Response {
  const body = fromSSE(upstream, { signal })
    .pipeThrough(standardPipeline({
      tools,
      directives,
      directiveOptions: { reasoning: true },
    }))
    .pipeThrough(new SSEEncoderStream())
    .pipeThrough(encodeText());
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
    },
  });
}

function problem(status: number, message: string): Response {
  return Response.json({ error: { message } }, { status });
}

/** The tools of an OpenAI-like request. */
function toolsOf(request: unknown): Tool[] {
  const { tools } = request as { tools?: unknown };
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) =>
    typeof tool?.function?.name === "string"
      ? [{ name: tool.function.name, inputSchema: tool.function.parameters }]
      : []
  );
}

async function chat(
  request: Request,
  environment: Environment,
): Promise<Response> {
  if (environment.UPSTREAM_URL === undefined) {
    return problem(503, "No upstream is configured: set UPSTREAM_URL");
  }
  let body: unknown;
  try {
    body = await request.json();
  } catch {
    return problem(400, "The request body is not JSON");
  }
  if (typeof body !== "object" || body === null) {
    return problem(400, "The request body is not an object");
  }
  let upstream: Response;
  try {
    upstream = await fetch(environment.UPSTREAM_URL, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(environment.UPSTREAM_KEY === undefined
          ? {}
          : { authorization: `Bearer ${environment.UPSTREAM_KEY}` }),
      },
      body: JSON.stringify({ ...body, stream: true }),
      signal: request.signal,
    });
  } catch {
    return problem(502, "The upstream cannot be reached");
  }
  return respond(upstream, toolsOf(body), request.signal);
}

/** The handler, for any server that speaks `Request` and `Response`. */
export async function handle(
  request: Request,
  environment: Environment = {},
): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method !== "POST") return problem(405, "Use POST");
  if (pathname === "/v1/chat") return await chat(request, environment);
  if (pathname === "/v1/clean") {
    if (request.body === null) return problem(400, "The request has no body");
    return respond(request.body, [{ name: "read_file" }], request.signal);
  }
  return problem(404, "There is POST /v1/clean and POST /v1/chat");
}

const server: { fetch: typeof handle } = { fetch: handle };

export default server;
