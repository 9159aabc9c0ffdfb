/** The gateway on Bun: `UPSTREAM_URL=… bun examples/edge/bun.ts`. */
import { handle } from "../edge.ts";
import { listening, type ServerEnvironment } from "./listening.ts";

declare const Bun: {
  readonly env: Record<string, string | undefined>;
  serve(options: {
    hostname: string;
    port: number;
    idleTimeout: number;
    fetch(request: Request): Promise<Response>;
  }): { readonly hostname: string; readonly port: number };
};

const environment: ServerEnvironment = Bun.env;

const { hostname, port } = Bun.serve({
  ...listening(environment),
  // Keep-alive comments and the limits see to that.
  idleTimeout: 0,
  fetch: (request) => handle(request, environment),
});
console.log(`Listening on http://${hostname}:${port}`);
