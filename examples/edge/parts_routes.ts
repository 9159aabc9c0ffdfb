import { SSEEncoderStream } from "../../adapters/encode_sse.ts";
import { fromSSE } from "../../adapters/sse.ts";
import {
  type Part,
  pipeline,
  readParts,
  standardPipeline,
  type Tool,
} from "../../mod.ts";
import { streamHeaders } from "./complete.ts";
import type { Configuration } from "./configuration.ts";
import { eventStream } from "./event_stream.ts";
import type { Fields } from "./json.ts";
import { openAIClient } from "./openai_client.ts";
import { planFor } from "./plan.ts";
import { Problem } from "./problem.ts";
import { ask, passedOn, problemOf } from "./upstream.ts";

/** Directives that this site uses. */
const DIRECTIVES = ["note"];

/**
 * A provider's stream in, its parts out, one `data: {part}` an event.
 *
 * @param request The request; `?tool=` names a tool that was offered.
 */
export function clean(
  request: Request,
  configuration: Configuration,
): Response {
  if (request.body === null) {
    throw new Problem(400, "The request has no body");
  }
  const names = new URL(request.url).searchParams.getAll("tool");
  const tools = (names.length > 0 ? names : ["read_file"]).map((name) => ({
    name,
  }));
  const controller = new AbortController();
  return respond(
    request.signal,
    fromSSE(request.body, { signal: controller.signal }),
    tools,
    controller,
    configuration,
  );
}

/**
 * A chat completions request in, the parts of the upstream's answer out.
 *
 * @throws {Problem} When there is no answer.
 */
export async function chat(
  request: Request,
  body: Fields,
  configuration: Configuration,
): Promise<Response> {
  const { upstream, body: asked, answer } = planFor(
    openAIClient,
    { ...body, stream: true },
    configuration,
  );
  const controller = new AbortController();
  const { signal } = controller;
  const leave = () => controller.abort(request.signal.reason);
  request.signal.addEventListener("abort", leave, { once: true });
  const headers = passedOn(request.headers, answer.native);
  const response = await ask(upstream, asked, headers, signal);
  if (!response.ok) throw await problemOf(response, upstream, signal);
  return respond(
    request.signal,
    fromSSE(response, { provider: upstream.provider, signal }),
    answer.tools,
    controller,
    configuration,
  );
}

function respond(
  client: AbortSignal,
  source: ReadableStream<Part>,
  tools: readonly Tool[],
  controller: AbortController,
  { keepAliveTime, idleTime, streamTime }: Configuration,
): Response {
  let received = 0;
  const events = readParts(
    source,
    pipeline(
      standardPipeline({
        tools,
        directives: DIRECTIVES,
        directiveOptions: { reasoning: true },
      }),
      new SSEEncoderStream(),
    ),
  );
  const body = eventStream({
    async next() {
      const result = await events.next();
      received++;
      return result;
    },
    return: () => events.return!(),
  }, {
    keepAliveTime,
    stallTime: idleTime,
    idleTime,
    streamTime,
    signal: client,
    progress: () => received,
    onLimit: (error) => controller.abort(error),
    onEnd(cancelled) {
      if (cancelled) controller.abort();
    },
  });
  return new Response(body, { headers: streamHeaders(new Headers()) });
}
