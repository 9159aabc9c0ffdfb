/** The gateway for workerd, and a way to throw a Durable Object out of memory. */
import server, { type Environment } from "../../examples/edge.ts";
import {
  type StreamNamespace,
  StreamObject,
  type StreamState,
} from "../../examples/edge/stream_object.ts";

/** Forgets all but its storage when asked to, as when an isolate is evicted. */
export class EvictableObject extends StreamObject {
  readonly #abort: (reason: string) => void;

  constructor(
    state: StreamState & { abort(reason: string): void },
    environment: Environment,
  ) {
    super(state, environment);
    this.#abort = (reason) => state.abort(reason);
  }

  override fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === "/evict") this.#abort("evicted");
    return super.fetch(request);
  }
}

interface TestServer {
  fetch(
    request: Request,
    environment: Environment & { STREAMS: StreamNamespace },
  ): Promise<Response>;
}

const evictable: TestServer = {
  async fetch(request, environment) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/evict/")) {
      return await server.fetch(request, environment);
    }
    const { STREAMS: streams } = environment;
    const object = streams.get(streams.idFromName(pathname.slice(7)));
    return await object.fetch("https://stream/evict").then(
      () => new Response("still there", { status: 500 }),
      () => new Response("evicted"),
    );
  },
};

export default evictable;
