/**
 * The gateway on Deno:
 * `UPSTREAM_URL=… deno run --allow-net --allow-env examples/edge/deno.ts`.
 */
import { handle } from "../edge.ts";
import { listening, type ServerEnvironment, stop } from "./listening.ts";

declare const Deno: {
  readonly env: { toObject(): Record<string, string> };
  serve(
    options: {
      hostname: string;
      port: number;
      tcpBacklog: number;
      onListen(address: { hostname: string; port: number }): void;
    },
    handler: (request: Request) => Promise<Response>,
  ): unknown;
};

const environment: ServerEnvironment = Deno.env.toObject();

try {
  Deno.serve({
    ...listening(environment),
    // Many may come at once.
    tcpBacklog: 4096,
    onListen: ({ hostname, port }) =>
      console.log(`Listening on http://${hostname}:${port}`),
  }, (request) => handle(request, environment));
} catch (error) {
  stop(error as Error);
}
