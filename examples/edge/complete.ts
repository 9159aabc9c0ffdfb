import { fromSSE } from "../../adapters/sse.ts";
import { readParts } from "../../mod.ts";
import { type AnswerStages, answerStages } from "./answer.ts";
import type { Client } from "./client.ts";
import type { Configuration } from "./configuration.ts";
import { eventStream } from "./event_stream.ts";
import type { Fields } from "./json.ts";
import { type Plan, planFor } from "./plan.ts";
import { Problem } from "./problem.ts";
import { logAnswer, Tally } from "./tally.ts";
import {
  ask,
  partsOf,
  passedBack,
  passedOn,
  problemOf,
  problemOfAbort,
} from "./upstream.ts";
import { watch } from "./watch.ts";

/** One answer on its way to one client. */
interface Exchange {
  /** Says that the client is gone. */
  readonly signal: AbortSignal;
  readonly plan: Plan;
  readonly client: Client;
  readonly configuration: Configuration;
  readonly stages: AnswerStages;
  readonly tally: Tally;
  /** Ends it: the client is gone, or a limit is reached. */
  readonly controller: AbortController;
  readonly asked: Promise<Response>;
}

/**
 * Answers a request for a completion.
 *
 * @param request The client's request.
 * @param body What it says.
 * @param client The kind of client.
 * @param configuration Where to ask, and the limits.
 * @throws {Problem} When there is no answer.
 */
export async function complete(
  request: Request,
  body: Fields,
  client: Client,
  configuration: Configuration,
): Promise<Response> {
  const plan = planFor(client, body, configuration);
  const controller = new AbortController();
  const leave = () => controller.abort(request.signal.reason);
  request.signal.addEventListener("abort", leave, { once: true });
  if (request.signal.aborted) leave();
  const tally = new Tally();
  const asked = ask(
    plan.upstream,
    plan.body,
    passedOn(request.headers, plan.answer.native),
    controller.signal,
  );
  // Who waits for it learns of its failing.
  asked.catch(() => {});
  const exchange: Exchange = {
    signal: request.signal,
    plan,
    client,
    configuration,
    stages: answerStages(plan.answer, client, configuration, tally),
    tally,
    controller,
    asked,
  };
  return await (plan.streaming ? streamed(exchange) : collected(exchange));
}

/** The headers of every answer. */
export function headersOf(plan: Plan, upstream?: Headers): Headers {
  const headers = upstream === undefined ? new Headers() : passedBack(upstream);
  headers.set("cache-control", "no-store");
  if (plan.dropped.length > 0) {
    headers.set("x-gateway-dropped", plan.dropped.join(", "));
  }
  return headers;
}

/** Headers of an event stream, on top of others. */
export function streamHeaders(headers: Headers): Headers {
  headers.set("content-type", "text/event-stream; charset=utf-8");
  // Proxies would collect it.
  headers.set("x-accel-buffering", "no");
  return headers;
}

/**
 * Waits for the upstream's headers, so that its refusals keep their status, but
 * not longer than a client may hear nothing.
 */
export async function early(
  asked: Promise<Response>,
  time: number,
): Promise<Response | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), time);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function streamed(exchange: Exchange): Promise<Response> {
  const { plan, configuration, stages, tally, controller, asked } = exchange;
  const { signal } = controller;
  const begun = Date.now();
  const first = await early(asked, configuration.keepAliveTime);
  if (first?.ok === false) throw await problemOf(first, plan.upstream, signal);
  const events = readParts(
    first === undefined
      ? partsOf(asked, plan.upstream, signal)
      : fromSSE(first, { provider: plan.upstream.provider, signal }),
    stages.stream,
  );
  const body = eventStream(events, {
    keepAliveTime: configuration.keepAliveTime,
    stallTime: configuration.idleTime,
    idleTime: configuration.idleTime,
    streamTime: configuration.streamTime,
    signal: exchange.signal,
    progress: () => tally.received,
    onLimit: (error) => controller.abort(error),
    onEnd(cancelled) {
      if (cancelled) controller.abort();
      if (configuration.log) logAnswer(plan, tally, begun, cancelled);
    },
  });
  return new Response(body, {
    headers: streamHeaders(headersOf(plan, first?.headers)),
  });
}

async function collected(exchange: Exchange): Promise<Response> {
  const { plan, client, configuration, stages, tally, controller, asked } =
    exchange;
  const { signal } = controller;
  const begun = Date.now();
  const stop = watch({
    progress: () => tally.received,
    idleTime: configuration.idleTime,
    streamTime: configuration.streamTime,
    tickTime: configuration.idleTime,
    onLimit: (error) => controller.abort(error),
  });
  try {
    const response = await asked;
    if (!response.ok) throw await problemOf(response, plan.upstream, signal);
    const parts = fromSSE(response, {
      provider: plan.upstream.provider,
      signal,
    });
    const events: Fields[] = [];
    let length = 0;
    for await (const event of readParts(parts, stages.stream)) {
      length += event.length;
      if (length > configuration.maxAnswerChars) {
        throw new Problem(
          502,
          `The answer is longer than ${configuration.maxAnswerChars} characters: ask for a stream`,
          { code: "answer_too_long" },
        );
      }
      const data = event.slice(event.indexOf("data: ") + 6);
      if (data.startsWith("{")) events.push(JSON.parse(data) as Fields);
    }
    if (signal.aborted) throw problemOfAbort(signal.reason);
    const { error } = tally;
    if (error !== undefined) {
      throw new Problem(
        502,
        error.message,
        error.code === undefined ? {} : { code: error.code },
      );
    }
    return Response.json(client.whole(events), {
      headers: headersOf(plan, response.headers),
    });
  } finally {
    stop();
    if (configuration.log) logAnswer(plan, tally, begun, signal.aborted);
  }
}
