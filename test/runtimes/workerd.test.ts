import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bundle } from "../support/bundle.ts";
import { root } from "../support/public_files.ts";

// miniflare drives workerd from Node; the other runtimes have their own tests.
const onNode = !("Deno" in globalThis) && !("Bun" in globalThis);

const demo = readFileSync(join(root, "examples/data/demo.sse"));

/** Server-sent parts as they arrive, with the time of arrival. */
async function* arriving(response: Response) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body!) {
    rest += decoder.decode(bytes, { stream: true });
    const events = rest.split("\n\n");
    rest = events.pop()!;
    for (const event of events) {
      yield { time: performance.now(), part: JSON.parse(event.slice(6)) };
    }
  }
}

/** Waits until an event loop turn has passed some milliseconds. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

if (onNode) {
  describe("examples/edge.ts in workerd", () => {
    let worker: Miniflare;
    let upstream: Server;
    let url: URL;
    const seen: { key: string | undefined; body: string }[] = [];

    beforeEach(async () => {
      upstream = createServer(async (request, response) => {
        let body = "";
        for await (const chunk of request) body += chunk;
        seen.push({ key: request.headers.authorization, body });
        response.setHeader("content-type", "text/event-stream");
        response.write(demo.subarray(0, 2000));
        await pause(150);
        response.end(demo.subarray(2000));
      }).listen(0, "127.0.0.1");
      await new Promise((resolve) => upstream.once("listening", resolve));
      const { port } = upstream.address() as AddressInfo;
      worker = new Miniflare({
        modules: true,
        script: await bundle("examples/edge.ts", "neutral"),
        compatibilityDate: "2026-07-01",
        cf: false,
        telemetry: { enabled: false },
        bindings: {
          UPSTREAM_URL: `http://127.0.0.1:${port}/v1/chat/completions`,
          UPSTREAM_KEY: "secret",
        },
      });
      url = await worker.ready;
    }, 30_000);

    afterEach(async () => {
      await worker.dispose();
      upstream.close();
    });

    test("cleans a stream while it still comes in", async () => {
      let finished = 0;
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(demo.subarray(0, 3000));
          await pause(200);
          finished = performance.now();
          controller.enqueue(demo.subarray(3000));
          controller.close();
        },
      });
      const response = await fetch(new URL("/v1/clean", url), {
        method: "POST",
        body,
        duplex: "half",
      } as RequestInit);
      expect(response.status).toBe(200);
      const types = new Set<string>();
      let first = Infinity;
      for await (const { time, part } of arriving(response)) {
        first = Math.min(first, time);
        types.add(part.type);
      }
      expect(first).toBeLessThan(finished);
      expect([...types]).toEqual(
        expect.arrayContaining([
          "text",
          "directive",
          "fence-start",
          "snippet",
          "tool-call",
          "finish",
        ]),
      );
    }, 30_000);

    test(
      "asks the configured upstream and salvages the request's tools",
      async () => {
        const response = await fetch(new URL("/v1/chat", url), {
          method: "POST",
          body: JSON.stringify({
            model: "demo-1",
            messages: [],
            tools: [{
              type: "function",
              function: {
                name: "read_file",
                parameters: {
                  type: "object",
                  properties: { max_lines: { type: "integer" } },
                },
              },
            }],
          }),
        });
        const calls: unknown[] = [];
        for await (const { part } of arriving(response)) {
          if (part.type === "tool-call") calls.push(part.input);
        }
        expect(calls).toEqual([{ path: "src/main.ts", max_lines: 80 }]);
        expect(seen.at(-1)!.key).toBe("Bearer secret");
        expect(JSON.parse(seen.at(-1)!.body).stream).toBe(true);
      },
      30_000,
    );

    test("says what is wrong", async () => {
      const ask = async (path: string, init?: RequestInit) => {
        const response = await fetch(new URL(path, url), init);
        await response.body?.cancel();
        return response.status;
      };
      expect(await ask("/")).toBe(405);
      expect(await ask("/", { method: "POST", body: "x" })).toBe(404);
      expect(await ask("/v1/chat", { method: "POST", body: "no" })).toBe(400);
    }, 30_000);
  });
} else {
  test("workerd is tested on Node", () => {
    expect(onNode).toBe(false);
  });
}
