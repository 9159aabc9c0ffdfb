import type { ErrorInfo } from "../../mod.ts";
import type { MachinePlan } from "./answer_machine.ts";
import { clients } from "./clients.ts";
import { early, headersOf, streamHeaders } from "./complete.ts";
import {
  configure,
  type Environment,
  type RequestFormat,
} from "./configuration.ts";
import { eventStream } from "./event_stream.ts";
import type { Fields } from "./json.ts";
import { planFor } from "./plan.ts";
import { Problem } from "./problem.ts";
import { type LogClient, pump } from "./pump.ts";
import { type LogStorage, type Receipt, StreamLog } from "./stream_log.ts";
import { ask, problemOf } from "./upstream.ts";

/** What of a Durable Object namespace is needed. */
export interface StreamNamespace {
  /** The id that a name stands for. */
  idFromName(name: string): unknown;
  /** The object of an id. */
  get(id: unknown): StreamStub;
}

/** A Durable Object from outside. */
export interface StreamStub {
  /** Asks it. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

/** What of a Durable Object's state is needed. */
export interface StreamState {
  /** Its storage. */
  readonly storage: LogStorage;
  /** Keeps it alive until then. */
  waitUntil(promise: Promise<unknown>): void;
}

/** What the gateway asks a source for. */
export interface StartRequest {
  /** The name of the stream. */
  readonly name: string;
  /** The client's API. */
  readonly client: RequestFormat;
  /** The client's request. */
  readonly body: Fields;
  /** The headers that the upstream sees. */
  readonly headers: readonly (readonly [string, string])[];
}

/** Set on answers that are problems, so that no other answer is taken for one. */
export const PROBLEM_HEADER = "x-gateway-problem";

/**
 * A Durable Object of a resumable stream. There are two for each: the source
 * holds the connection to the upstream and sends its bytes to the log, which
 * makes events of them, keeps these and its state, and serves the readers.
 *
 * ```txt
 *   client ◀── gateway ──▶ source ◀── upstream
 *     ▲                      │ bytes
 *     └────── events ─────  log ── storage: snapshot, journal, events
 * ```
 *
 * A client that drops reads on from the log. A log that is evicted is made anew
 * from its storage, and the source, which waits for it, sends what it has missed.
 * Only when the source itself is lost the answer is: its readers get an error,
 * since no API goes on with an answer.
 */
export class StreamObject {
  readonly #state: StreamState;
  readonly #environment: Environment;
  #log: StreamLog | undefined;

  /**
   * What the platform makes.
   *
   * @param state Its storage.
   * @param environment The gateway's.
   */
  constructor(state: StreamState, environment: Environment) {
    this.#state = state;
    this.#environment = environment;
  }

  /** What the gateway, and the other object, ask. */
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    try {
      switch (pathname) {
        case "/start":
          return await this.#start(await request.json() as StartRequest);
        case "/open": {
          const { name, plan } = await request.json() as {
            name: string;
            plan: MachinePlan;
          };
          await this.#theLog().open(name, plan);
          return new Response(null, { status: 204 });
        }
        case "/push": {
          const receipt = await this.#theLog().push(
            Number(searchParams.get("offset")),
            new Uint8Array(await request.arrayBuffer()),
          );
          return Response.json(receipt);
        }
        case "/finish": {
          const { error } = await request.json() as { error?: ErrorInfo };
          await this.#theLog().finish(error);
          return new Response(null, { status: 204 });
        }
        case "/read":
          return await this.#read(
            Number(searchParams.get("after")),
            request.signal,
          );
      }
      throw new Problem(404, "There is no such route");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { status, message, code, headers } = error;
      return Response.json({ status, message, code, headers }, {
        status,
        headers: { [PROBLEM_HEADER]: "1" },
      });
    }
  }

  /** What the platform calls at the time that was set. */
  alarm(): Promise<void> {
    return this.#theLog().alarm();
  }

  #theLog(): StreamLog {
    return this.#log ??= new StreamLog(
      this.#state.storage,
      configure(this.#environment),
    );
  }

  async #start(
    { name, client, body, headers }: StartRequest,
  ): Promise<Response> {
    const configuration = configure(this.#environment);
    const plan = planFor(clients[client], body, configuration);
    const { upstream, answer } = plan;
    const controller = new AbortController();
    const asked = ask(
      upstream,
      plan.body,
      new Headers(
        headers.map(([name, value]): [string, string] => [name, value]),
      ),
      controller.signal,
    );
    asked.catch(() => {});
    const first = await early(asked, configuration.keepAliveTime);
    if (first?.ok === false) {
      throw await problemOf(first, upstream, controller.signal);
    }
    const log = logOf(this.#environment.STREAMS!, name);
    const { salvage, reasoning } = configuration;
    const { provider } = upstream;
    const machine: MachinePlan = {
      client,
      provider,
      answer,
      salvage,
      reasoning,
    };
    try {
      await log.open(name, machine);
    } catch (error) {
      controller.abort();
      first?.body?.cancel().catch(() => {});
      throw error;
    }
    this.#state.waitUntil(
      pump(asked, upstream, log, configuration, controller),
    );
    const response = await log.read(0);
    const result = headersOf(plan, first?.headers);
    result.set("x-stream", name);
    return new Response(response.body, { headers: streamHeaders(result) });
  }

  async #read(after: number, signal: AbortSignal): Promise<Response> {
    const { keepAliveTime, resumeTime } = configure(this.#environment);
    const events = await this.#theLog().read(after);
    const body = eventStream(events, {
      keepAliveTime,
      stallTime: resumeTime,
      signal,
      // These are the source's.
      idleTime: Infinity,
      streamTime: Infinity,
      progress: () => 0,
      onLimit: () => {},
      onEnd: () => {},
    });
    const headers = new Headers({ "cache-control": "no-store" });
    return new Response(body, { headers: streamHeaders(headers) });
  }
}

/** The log of a stream, from anywhere. */
export interface RemoteLog extends LogClient {
  /** Begins it. */
  open(name: string, plan: MachinePlan): Promise<void>;
  /** Its events behind one. */
  read(after: number): Promise<Response>;
}

/** The log of a stream, from anywhere. */
export function logOf(streams: StreamNamespace, name: string): RemoteLog {
  const ask = async (path: string, init?: RequestInit): Promise<Response> => {
    // After an object was reset its stub is of no use any more.
    const stub = streams.get(streams.idFromName(name));
    return await checked(await stub.fetch(`https://stream${path}`, init));
  };
  const post = (path: string, body: BodyInit): Promise<Response> =>
    ask(path, { method: "POST", body });
  return {
    async open(name, plan) {
      await post("/open", JSON.stringify({ name, plan }));
    },
    async push(offset, bytes) {
      const response = await post(
        `/push?offset=${offset}`,
        bytes as Uint8Array<ArrayBuffer>,
      );
      return await response.json() as Receipt;
    },
    async finish(error) {
      await post("/finish", JSON.stringify({ error }));
    },
    read: (after) => ask(`/read?after=${after}`),
  };
}

/** An object's answer. Throws the {@linkcode Problem} that it is. */
export async function checked(response: Response): Promise<Response> {
  if (response.headers.has(PROBLEM_HEADER)) {
    const { status, message, code, headers } = await response.json() as {
      status: number;
      message: string;
      code?: string;
      headers: Record<string, string>;
    };
    throw new Problem(status, message, {
      ...(code === undefined ? {} : { code }),
      headers,
    });
  }
  if (!response.ok) throw new Error(`The object answered ${response.status}`);
  return response;
}
