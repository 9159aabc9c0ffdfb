import Anthropic from "@anthropic-ai/sdk";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Miniflare } from "miniflare";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import OpenAI from "openai";
import {
  chat,
  chatAnswer,
  chatEnd,
  eventsOf,
  Gate,
  ScriptedUpstream,
} from "../examples/edge_upstream.ts";
import { bundle } from "../support/bundle.ts";
import { root } from "../support/public_files.ts";

// miniflare drives workerd from Node; the other runtimes have their own tests.
const onNode = !("Deno" in globalThis) && !("Bun" in globalThis);

/** As it is deployed. */
const wrangler = JSON.parse(
  readFileSync(join(root, "examples/edge/wrangler.jsonc"), "utf8"),
);

const bundles = new Map<string, Promise<string>>();

/** A worker's code; the same one is built once. */
function script(path: string): Promise<string> {
  const built = bundles.get(path) ?? bundle(path, "neutral");
  bundles.set(path, built);
  return built;
}

const demo = readFileSync(join(root, "examples/data/demo.sse"));

/** Server-sent parts as they arrive. */
async function* partsIn(response: Response) {
  for await (const { data } of eventsOf(response)) {
    if (data !== undefined) yield JSON.parse(data);
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
        script: await script("examples/edge.ts"),
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
      // The rest is sent when something of the beginning has come back.
      const gate = new Gate();
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(demo.subarray(0, 3000));
          await gate.opened;
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
      for await (const part of partsIn(response)) {
        gate.open();
        types.add(part.type);
      }
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
        for await (const part of partsIn(response)) {
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
      expect(await ask("/v1/chat")).toBe(405);
      // Nothing is there, whatever the method is.
      expect(await ask("/")).toBe(404);
      expect(await ask("/", { method: "POST", body: "x" })).toBe(404);
      expect(await ask("/v1/chat", { method: "POST", body: "no" })).toBe(400);
    }, 30_000);
  });

  describe("the gateway in workerd", () => {
    let worker: Miniflare;
    let upstream: ScriptedUpstream;
    let url: URL;
    const ask = {
      model: "m",
      messages: [{ role: "user" as const, content: "The tide?" }],
      tools: [{
        type: "function" as const,
        function: {
          name: "get_tide",
          parameters: {
            type: "object",
            properties: { port: { type: "string" } },
          },
        },
      }],
    };

    const start = async (
      bindings: Record<string, string>,
      streams = false,
      flags: string[] = wrangler.compatibility_flags,
    ) => {
      upstream = await ScriptedUpstream.start();
      worker = new Miniflare({
        modules: true,
        script: await script(
          streams ? "test/examples/edge_evictable.ts" : "examples/edge.ts",
        ),
        compatibilityDate: wrangler.compatibility_date,
        compatibilityFlags: flags,
        cf: false,
        telemetry: { enabled: false },
        bindings: {
          UPSTREAM_URL: upstream.url("/v1/chat/completions"),
          UPSTREAM_KEY: "up-secret",
          ...bindings,
        },
        // An object that is thrown out is reported there.
        handleRuntimeStdio(stdout: Readable, stderr: Readable) {
          stdout.resume();
          stderr.resume();
        },
        ...(streams
          ? {
            durableObjects: {
              STREAMS: { className: "EvictableObject", useSQLite: true },
            },
          }
          : {}),
      });
      url = await worker.ready;
    };

    const post = (
      path: string,
      body: unknown,
      init: RequestInit = {},
    ): Promise<Response> =>
      fetch(new URL(path, url), {
        method: "POST",
        body: JSON.stringify(body),
        ...init,
      });

    const client = () =>
      new OpenAI({
        apiKey: "mine",
        baseURL: new URL("/v1", url).href,
        maxRetries: 0,
      });

    const stop = async () => {
      await worker.dispose();
      await upstream.stop();
    };

    afterEach(stop);

    const leak = [
      "Let me look.\n<tool_",
      'call>{"name": "get_tide", "arguments": {"port": "Brest"}}</tool_call>',
    ];

    test("salvages, streams, and cancels the upstream", async () => {
      await start({ KEEP_ALIVE_SECONDS: "0.05" });
      upstream.script = chatAnswer(leak);
      const { choices } = await client().chat.completions.stream(ask)
        .finalChatCompletion();
      expect(choices[0]).toMatchObject({
        finish_reason: "tool_calls",
        message: {
          content: "Let me look.\n",
          tool_calls: [{ function: { arguments: '{"port":"Brest"}' } }],
        },
      });

      const gate = new Gate();
      upstream.script = async ({ write, gone }) => {
        write(chat({ content: "first" }));
        await gone;
        gate.open();
      };
      const controller = new AbortController();
      const response = await post("/v1/chat/completions", {
        ...ask,
        stream: true,
      }, { signal: controller.signal });
      let comments = 0;
      let text = "";
      for await (const { comment, data } of eventsOf(response)) {
        text += data ?? "";
        // The upstream sends no more until this one leaves.
        if (comment !== undefined && ++comments === 2) break;
      }
      expect(text).toContain("first");
      controller.abort();
      await gate.opened;
      expect(upstream.cancelled).toBe(1);
    }, 30_000);

    test(
      "an evicted object goes on: nothing is missed, nothing comes twice",
      async () => {
        await start({ KEEP_ALIVE_SECONDS: "0.5" }, true);
        const gates = Array.from({ length: 3 }, () => new Gate());
        upstream.script = async ({ write, response }) => {
          write(chat({ content: "Let me " }));
          await gates[0]!.opened;
          // Cut in a call, in an event, in a character.
          const bytes = new TextEncoder().encode(
            chat({ content: 'look 🌊.\n<tool_call>{"name": "get_' }),
          );
          const cut = bytes.indexOf(0xf0) + 2;
          response.write(bytes.subarray(0, cut));
          await gates[1]!.opened;
          response.write(bytes.subarray(cut));
          write(chat({ content: 'tide", "arguments": {"port": "Br' }));
          await gates[2]!.opened;
          write(
            chat({ content: 'est"}}</tool_call>' }) + chatEnd("stop"),
          );
          response.end();
        };
        const first = await post("/v1/chat/completions", {
          ...ask,
          stream: true,
        });
        const name = first.headers.get("x-stream")!;
        expect(name).toMatch(/^[\w-]{22}$/);

        const ids: string[] = [];
        const data: string[] = [];
        /** Reads until something is there, or the connection breaks. */
        const read = async (response: Response, until: string) => {
          try {
            for await (const event of eventsOf(response)) {
              if (event.data === undefined) continue;
              ids.push(event.id!);
              data.push(event.data);
              if (event.data.includes(until)) return;
            }
          } catch {
            // It broke.
          }
        };
        const evict = async () => {
          const answer = await fetch(new URL(`/evict/${name}`, url));
          expect(await answer.text()).toBe("evicted");
        };
        await read(first, "Let me");
        await evict();
        gates[0]!.open();
        await pause(100);
        await evict();
        gates[1]!.open();
        // As an EventSource does it, and by repeating the request.
        await read(
          await fetch(new URL(`/v1/streams/${name}`, url), {
            headers: { "last-event-id": ids.at(-1)! },
          }),
          "look",
        );
        await evict();
        gates[2]!.open();
        const last = await post("/v1/chat/completions", {
          ...ask,
          stream: true,
        }, { headers: { "last-event-id": ids.at(-1)! } });
        await read(last, "[DONE]");

        expect(upstream.calls.length).toBe(1);
        expect(upstream.cancelled).toBe(0);
        expect(ids).toEqual(ids.map((_, index) => `${name}.${index + 1}`));
        expect(data.at(-1)).toBe("[DONE]");
        const deltas = data.slice(0, -1).map((one) =>
          JSON.parse(one).choices[0]
        );
        expect(deltas.map(({ delta }) => delta.content ?? "").join("")).toBe(
          "Let me look 🌊.\n",
        );
        expect(
          deltas.map(({ delta }) =>
            delta.tool_calls?.[0].function.arguments ?? ""
          ).join(""),
        ).toBe('{"port":"Brest"}');
        expect(deltas.at(-1).finish_reason).toBe("tool_calls");
        // And all of it once more, for one who comes late.
        const again = await fetch(new URL(`/v1/streams/${name}`, url));
        const events = [];
        for await (const event of eventsOf(again)) events.push(event.id);
        expect(events).toEqual(ids);
      },
      30_000,
    );

    test("a stream that nobody reads any more is cancelled", async () => {
      // By the request's signal; without it, when nothing is taken any more.
      for (const flags of [wrangler.compatibility_flags, []]) {
        await start(
          { RESUME_SECONDS: "0.2", KEEP_ALIVE_SECONDS: "0.05" },
          true,
          flags,
        );
        const gate = new Gate();
        upstream.script = async ({ write, gone }) => {
          write(chat({ content: "first" }));
          await gone;
          gate.open();
        };
        const controller = new AbortController();
        const response = await post("/v1/chat/completions", {
          ...ask,
          stream: true,
        }, { signal: controller.signal });
        await response.body!.getReader().read();
        controller.abort();
        await gate.opened;
        expect(upstream.cancelled).toBe(1);
        if (flags.length > 0) await stop();
      }
    }, 30_000);

    test("what cannot be gone on with is told", async () => {
      await start({}, true);
      upstream.script = ({ response }) => {
        response.writeHead(400).end('{"error": {"message": "bad tool"}}');
      };
      const refused = await post("/v1/chat/completions", {
        ...ask,
        stream: true,
      });
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain("bad tool");
      const name = "A".repeat(22);
      for (
        const [path, id, status] of [
          [name, `${name}.3`, 404],
          [name, `${"B".repeat(22)}.3`, 400],
          [name, "x", 400],
          [`${name}%2Fsource`, "", 400],
        ] as const
      ) {
        const answer = await fetch(new URL(`/v1/streams/${path}`, url), {
          headers: { "last-event-id": id },
        });
        expect([path, id, answer.status]).toEqual([path, id, status]);
        await answer.body?.cancel();
      }
    }, 30_000);

    test("the official clients do not mind the ids", async () => {
      await start({}, true);
      upstream.script = chatAnswer(leak);
      const { choices } = await client().chat.completions.stream(ask)
        .finalChatCompletion();
      expect(choices[0]!.message.tool_calls!.length).toBe(1);
      const whole = await client().chat.completions.create(ask);
      expect(whole.choices[0]!.finish_reason).toBe("tool_calls");
      const { content, stop_reason } = await new Anthropic({
        apiKey: "mine",
        baseURL: url.href,
        maxRetries: 0,
      }).messages.stream({
        model: "m",
        messages: ask.messages,
        max_tokens: 10,
        tools: [{
          name: "get_tide",
          input_schema: {
            type: "object",
            properties: { port: { type: "string" } },
          },
        }],
      }).finalMessage();
      expect(content[1]).toMatchObject({ input: { port: "Brest" } });
      expect(stop_reason).toBe("tool_use");
    }, 30_000);
  });
} else {
  test("workerd is tested on Node", () => {
    expect(onNode).toBe(false);
  });
}
