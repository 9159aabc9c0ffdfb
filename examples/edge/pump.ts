import type { ErrorInfo } from "../../mod.ts";
import type { Configuration, Upstream } from "./configuration.ts";
import { Problem } from "./problem.ts";
import type { Receipt } from "./stream_log.ts";
import { infoOf, problemOf, problemOfAbort } from "./upstream.ts";
import { watch } from "./watch.ts";

/** A log, wherever it is. */
export interface LogClient {
  /** See {@linkcode [stream_log].StreamLog.push}. */
  push(offset: number, bytes: Uint8Array): Promise<Receipt>;
  /** See {@linkcode [stream_log].StreamLog.finish}. */
  finish(error?: ErrorInfo): Promise<void>;
}

/** More bytes than these are sent in pieces: storages have limits. */
const LONGEST = 65_536;

const NO_BYTES = new Uint8Array(0);

/**
 * Sends an upstream's answer to a log, each piece until it has arrived: the log
 * may be gone for a while, and come back on another machine. The upstream is
 * cancelled when nobody reads the log any more.
 *
 * @param asked The answer, which may still be on its way.
 * @param upstream Whose it is.
 * @param log Where it goes.
 * @param configuration The time limits.
 * @param controller Aborts the asking.
 */
export async function pump(
  asked: Promise<Response>,
  upstream: Upstream,
  log: LogClient,
  configuration: Configuration,
  controller: AbortController,
): Promise<void> {
  const { signal } = controller;
  let offset = 0;
  // So often the log hears that this is alive, and says whether it is wanted.
  const beat = Math.min(10_000, configuration.resumeTime / 2);
  const stop = watch({
    ...configuration,
    progress: () => offset,
    tickTime: configuration.idleTime,
    onLimit: (error) => controller.abort(error),
  });
  const send = async (bytes: Uint8Array): Promise<void> => {
    const receipt = await again(() => log.push(offset, bytes));
    offset += bytes.length;
    if (receipt.stop) throw new Unwanted();
  };
  const silent = () => send(NO_BYTES);
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const response = await beating(asked, beat, silent);
    if (!response.ok) {
      throw await problemOf(response, upstream, signal);
    }
    reader = response.body?.getReader();
    for (;;) {
      const next = reader === undefined
        ? { done: true as const }
        : await beating(readUnless(signal, reader), beat, silent);
      if (next.done) break;
      for (let from = 0; from < next.value.length; from += LONGEST) {
        await send(next.value.subarray(from, from + LONGEST));
      }
    }
    await again(() => log.finish());
  } catch (error) {
    controller.abort();
    reader?.cancel(error).catch(() => {});
    if (error instanceof Unwanted) return;
    await again(() => log.finish(infoOfFailure(error)));
  } finally {
    stop();
  }
}

/** The log wants no more. */
class Unwanted extends Error {}

function infoOfFailure(error: unknown): ErrorInfo {
  return error instanceof Problem ? infoOf(error) : {
    name: "api_error",
    message: "The connection to the upstream broke",
    code: "upstream_broke",
  };
}

/**
 * Reads, or fails when the signal aborts. Each read listens for itself: a race
 * with one promise for all of them would keep something of every chunk.
 */
function readUnless(
  signal: AbortSignal,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(problemOfAbort(signal.reason));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    reader.read().then(resolve, reject).finally(() =>
      signal.removeEventListener("abort", onAbort)
    );
  });
}

/** Waits for something, and says so now and then. */
async function beating<Value>(
  awaited: Promise<Value>,
  time: number,
  beat: () => Promise<void>,
): Promise<Value> {
  const nothing = Symbol();
  for (;;) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<typeof nothing>((resolve) => {
      timer = setTimeout(() => resolve(nothing), time);
    });
    const first = await Promise.race([awaited, silence]).finally(() =>
      clearTimeout(timer)
    );
    if (first !== nothing) return first as Value;
    await beat();
  }
}

/** Tries for some seconds: an object that is moved answers again soon. */
async function again<Value>(action: () => Promise<Value>): Promise<Value> {
  for (let wait = 25;; wait *= 2) {
    try {
      return await action();
    } catch (error) {
      if (error instanceof Problem || wait > 5000) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
