import { fromSSE } from "../../adapters/sse.ts";
import { collect, type Part } from "../../mod.ts";
import type { Upstream } from "./configuration.ts";
import { without } from "./honest_finish.ts";
import type { Fields } from "./json.ts";
import { Problem, typeOf } from "./problem.ts";

/** What of a request's headers the upstream sees; of all others, nothing. */
const TO_UPSTREAM = ["traceparent", "tracestate", "x-request-id"];

/** The same for an Anthropic client of an Anthropic upstream. */
const TO_ANTHROPIC = ["anthropic-version", "anthropic-beta"];

/** What of the upstream's headers the client sees. */
const TO_CLIENT = ["request-id", "retry-after", "x-request-id"];

/**
 * How often a request is sent that gets no answer at all. An upstream closes
 * connections that were idle for some seconds, and one that is taken from the
 * pool in that moment is of no use. The official clients try as often.
 */
const ATTEMPTS = 3;

/** The headers of the client's request that the upstream sees. */
export function passedOn(headers: Headers, native: boolean): Headers {
  return chosen(headers, [...TO_UPSTREAM, ...(native ? TO_ANTHROPIC : [])]);
}

/** The headers of the upstream's answer that the client sees. */
export function passedBack(headers: Headers): Headers {
  return chosen(headers, TO_CLIENT);
}

function chosen(headers: Headers, names: readonly string[]): Headers {
  const result = new Headers();
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) result.set(name, value);
  }
  return result;
}

/**
 * Asks the upstream. Resolves when its headers are there.
 *
 * @param upstream Where.
 * @param body What.
 * @param headers What {@linkcode passedOn} gave.
 * @param signal Aborts the asking, and after that nothing: whoever reads the
 * answer cancels it.
 * @throws {Problem} When the upstream cannot be reached.
 */
export async function ask(
  upstream: Upstream,
  body: Fields,
  headers: Headers,
  signal: AbortSignal,
): Promise<Response> {
  const sent = new Headers(headers);
  sent.set("content-type", "application/json");
  sent.set("accept", "text/event-stream");
  if (upstream.format === "anthropic" && !sent.has("anthropic-version")) {
    sent.set("anthropic-version", "2023-06-01");
  }
  const { key, keyHeader } = upstream;
  if (key !== undefined) {
    sent.set(keyHeader, keyHeader === "authorization" ? `Bearer ${key}` : key);
  }
  const asking = new AbortController();
  const abort = () => asking.abort(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  const request = {
    method: "POST",
    headers: sent,
    body: JSON.stringify(body),
    // Somewhere else is not where the key was meant for.
    redirect: "manual",
    signal: asking.signal,
  } as const;
  try {
    for (let attempt = 1;; attempt++) {
      try {
        return await fetch(upstream.url, request);
      } catch {
        if (signal.aborted) throw problemOfAbort(signal.reason);
        // The error may name hosts and addresses behind the gateway.
        if (attempt === ATTEMPTS) {
          throw new Problem(502, "The upstream cannot be reached", {
            code: "unreachable",
          });
        }
      }
    }
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Why a request was given up. */
export function problemOfAbort(reason: unknown): Problem {
  const timedOut = reason instanceof Error && reason.name === "TimeoutError";
  return timedOut
    ? new Problem(504, reason.message, { code: "timeout" })
    : new Problem(499, "The client is gone");
}

/**
 * The problem that an answer with an error status is, in the upstream's words
 * where they are about the request.
 */
export async function problemOf(
  response: Response,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<Problem> {
  const { status } = response;
  const headers = Object.fromEntries(passedBack(response.headers));
  if (status === 401 || status === 403) {
    await response.body?.cancel();
    return new Problem(
      502,
      "The upstream refuses the gateway's key: its operator has to look at UPSTREAM_KEY",
      { code: "upstream_key", headers },
    );
  }
  if (status < 400) {
    await response.body?.cancel();
    return new Problem(502, `The upstream answered ${status}`, { headers });
  }
  const { errors } = await collect(fromSSE(response, { signal }));
  const message = errors[0]?.error.message ?? `The upstream answered ${status}`;
  return new Problem(
    // What the upstream fails at is a bad gateway, unless it only asks to wait.
    status < 500 || status === 503 || status === 529 ? status : 502,
    without(message, upstream.key),
    { code: `upstream-${status}`, headers },
  );
}

/**
 * The parts of an answer that may still be on its way. Its failing is an `error`
 * part: the client's answer has begun.
 */
export async function* partsOf(
  asked: Promise<Response>,
  upstream: Upstream,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  let problem: Problem;
  try {
    const response = await asked;
    if (response.ok) {
      yield* fromSSE(response, { provider: upstream.provider, signal });
      return;
    }
    problem = await problemOf(response, upstream, signal);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    problem = error;
  }
  yield { type: "error", error: infoOf(problem), fatal: true };
  yield { type: "finish", reason: "error", complete: false };
}

/** A problem as the error of a part. */
export function infoOf(
  { message, status, code }: Problem,
): { name: string; message: string; code?: string } {
  return {
    name: typeOf(status),
    message,
    ...(code === undefined ? {} : { code }),
  };
}
