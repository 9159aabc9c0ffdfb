/**
 * The gateway on Bun: `UPSTREAM_URL=… bun examples/edge/bun.ts`.
 *
 * Bun has at most 256 requests of its own open at once, here: streams. More
 * with `BUN_CONFIG_MAX_HTTP_REQUESTS`, which has to be set before Bun starts.
 */
import { handle } from "../edge.ts";
import { listening, type ServerEnvironment, stop } from "./listening.ts";

declare const Bun: {
  readonly env: Record<string, string | undefined>;
  serve(options: {
    hostname: string;
    port: number;
    idleTimeout: number;
    fetch(request: Request): Promise<Response>;
  }): { hostname: string; port: number };
};

const environment: ServerEnvironment = Bun.env;

function serve(): { hostname: string; port: number } {
  try {
    return Bun.serve({
      ...listening(environment),
      // Keep-alive comments and the limits see to that.
      idleTimeout: 0,
      fetch: (request) => handle(request, environment),
    });
  } catch (error) {
    stop(error as Error);
  }
}

const { hostname, port } = serve();
if (Bun.env.BUN_CONFIG_MAX_HTTP_REQUESTS === undefined) {
  console.log("At most 256 streams: set BUN_CONFIG_MAX_HTTP_REQUESTS for more");
}
console.log(`Listening on http://${hostname}:${port}`);
