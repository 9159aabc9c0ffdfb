/**
 * The gateway as a server: on Node, Deno and Bun, each in a process of its own.
 */
import Anthropic from "@anthropic-ai/sdk";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bundle } from "../support/bundle.ts";
import { root } from "../support/public_files.ts";
import {
  chat,
  chatAnswer,
  chatEnd,
  eventsOf,
  Gate,
  ScriptedUpstream,
} from "./edge_upstream.ts";

// Node starts them all; the other runtimes have the handler's own tests.
const onNode = !("Deno" in globalThis) && !("Bun" in globalThis);

const entries: readonly [name: string, program: string, ...words: string[]][] =
  [
    ["Node", process.execPath, "--import", "tsx", "examples/edge/node.ts"],
    [
      "Deno",
      join(root, "node_modules/.bin/deno"),
      "run",
      "-A",
      "--no-check",
      "examples/edge/deno.ts",
    ],
    ["Bun", join(root, "node_modules/.bin/bun"), "examples/edge/bun.ts"],
  ];

/** A gateway that runs, and what it said. */
interface Running {
  child: ChildProcess;
  url: string;
  output(): string;
  exited: Promise<number | null>;
}

async function run(
  [, program, ...words]: (typeof entries)[number],
  environment: Record<string, string>,
): Promise<Running> {
  const child = spawn(program, words, {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const exited = new Promise<number | null>((resolve) =>
    child.once("exit", resolve)
  );
  const listening = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data) => {
        output += data;
        const url = /http:\/\/[^\s]+/.exec(output);
        if (url !== null) resolve(url[0]);
      });
    }
    exited.then(() => resolve(""));
  });
  return { child, url: await listening, output: () => output, exited };
}

const ask = {
  model: "m",
  messages: [{ role: "user" as const, content: "The tide?" }],
};
const parameters = {
  type: "object" as const,
  properties: { port: { type: "string" } },
};
const leak = [
  "Let me look.\n<tool_",
  'call>{"name": "get_tide", "arguments": {"port": "Brest"}}</tool_call>',
];

if (onNode) {
  for (const entry of entries) {
    describe(`the gateway on ${entry[0]}`, () => {
      let upstream: ScriptedUpstream;
      let gateway: Running;

      beforeEach(async () => {
        upstream = await ScriptedUpstream.start();
        gateway = await run(entry, {
          UPSTREAM_URL: upstream.url("/v1/chat/completions"),
          UPSTREAM_KEY: "up-secret",
          CLIENT_KEYS: "client-secret",
          KEEP_ALIVE_SECONDS: "0.05",
          LOG: "on",
        });
      }, 120_000);

      afterEach(async () => {
        gateway.child.kill();
        await gateway.exited;
        await upstream.stop();
      });

      test("serves the official clients, streams, and cancels", async () => {
        upstream.script = chatAnswer(leak);
        const openai = new OpenAI({
          apiKey: "client-secret",
          baseURL: `${gateway.url}/v1`,
          maxRetries: 0,
        });
        const { choices: [choice] } = await openai.chat.completions.stream({
          ...ask,
          tools: [{
            type: "function",
            function: { name: "get_tide", parameters },
          }],
        }).finalChatCompletion();
        expect(choice).toMatchObject({
          finish_reason: "tool_calls",
          message: { content: "Let me look.\n" },
        });
        const anthropic = new Anthropic({
          apiKey: "client-secret",
          baseURL: gateway.url,
          maxRetries: 0,
        });
        const { content } = await anthropic.messages.create({
          ...ask,
          max_tokens: 10,
          tools: [{ name: "get_tide", input_schema: parameters }],
        });
        expect(content[1]).toMatchObject({
          type: "tool_use",
          input: { port: "Brest" },
        });
        const stranger = new OpenAI({
          apiKey: "other",
          baseURL: `${gateway.url}/v1`,
          maxRetries: 0,
        });
        const refused = await stranger.chat.completions.create(ask).catch((
          error,
        ) => error);
        expect(refused.status).toBe(401);

        // Each piece is sent when the one before it has arrived.
        const pieces = [new Gate(), new Gate()];
        const left = new Gate();
        upstream.script = async ({ write, gone, body }) => {
          write(chat({ content: "zero" }));
          for (const [index, piece] of pieces.entries()) {
            await piece.opened;
            write(chat({ content: ["one", "two"][index]! }));
          }
          if (body.model === "endless") {
            await gone;
            left.open();
          } else write(chatEnd("stop"));
        };
        const controller = new AbortController();
        const response = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: "Bearer client-secret" },
          body: JSON.stringify({ ...ask, model: "endless", stream: true }),
          signal: controller.signal,
        });
        let comments = 0;
        let text = "";
        for await (const { comment, data } of eventsOf(response)) {
          text += data ?? "";
          if (text.includes("zero")) pieces[0]!.open();
          if (text.includes("one")) pieces[1]!.open();
          if (comment !== undefined && text.includes("two") && ++comments > 1) {
            break;
          }
        }
        controller.abort();
        await left.opened;
        expect(upstream.cancelled).toBe(1);

        // Before the first byte, too.
        const came = new Gate();
        const gone = new Gate();
        upstream.script = async (call) => {
          came.open();
          await call.gone;
          gone.open();
        };
        const early = new AbortController();
        const pending = fetch(`${gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: "Bearer client-secret" },
          body: JSON.stringify(ask),
          signal: early.signal,
        }).catch(() => {});
        await came.opened;
        early.abort();
        await gone.opened;
        await pending;
        expect(upstream.cancelled).toBe(2);

        // In the middle of its own request: nothing has happened.
        const { hostname, port } = new URL(gateway.url);
        const socket = connect(Number(port), hostname);
        socket.write(
          "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\n" +
            "x-api-key: client-secret\r\ncontent-length: 1000\r\n\r\n{",
        );
        await new Promise((resolve) => setTimeout(resolve, 50));
        socket.destroy();
        await new Promise((resolve) => setTimeout(resolve, 50));
        const health = await fetch(`${gateway.url}/health`);
        expect(await health.text()).toBe("ok\n");
        expect(gateway.child.exitCode).toBe(null);
        expect(gateway.output()).not.toMatch(/\n {4}at /);

        expect(gateway.output()).toContain('"salvaged":1');
        expect(gateway.output()).not.toMatch(/secret|Brest|tide/);
      }, 120_000);
    });
  }

  test("the README has every variable, and its commands the entries", () => {
    const read = (path: string) =>
      readFileSync(join(root, "examples/edge", path), "utf8");
    const declared = ["configuration.ts", "listening.ts"].flatMap((path) =>
      [...read(path).matchAll(/^ {2}([A-Z_]+)\?:/gm)].map((match) => match[1]!)
    );
    const readme = read("README.md");
    const documented = readme.split("\n").filter((line) =>
      line.startsWith("| `")
    ).flatMap((line) =>
      [...line.split("|")[1]!.matchAll(/`([A-Z_]+)`/g)].map((match) =>
        match[1]!
      )
    );
    expect(documented.sort()).toEqual(declared.sort());
    for (const [, , ...words] of entries) {
      expect(readme).toContain(words.at(-1));
    }
  });

  test("the configuration for wrangler names what there is", async () => {
    const { main, durable_objects: { bindings }, migrations } = JSON.parse(
      readFileSync(join(root, "examples/edge/wrangler.jsonc"), "utf8"),
    );
    const entry = await bundle(`examples/edge/${main}`, "neutral");
    expect(entry).toMatch(/export \{[^}]*StreamObject[^}]*default/);
    expect(bindings).toEqual([
      { name: "STREAMS", class_name: "StreamObject" },
    ]);
    expect(migrations[0].new_sqlite_classes).toEqual(["StreamObject"]);
  });

  test("without keys, no entry listens to other machines", async () => {
    for (const entry of entries) {
      const { exited, output } = await run(entry, {
        HOST: "0.0.0.0",
        UPSTREAM_URL: "http://127.0.0.1:9/v1/chat/completions",
        UPSTREAM_KEY: "up-secret",
        CLIENT_KEYS: "",
      });
      expect(await exited).toBe(1);
      expect(output()).toContain("CLIENT_KEYS");
      expect(output()).not.toContain("secret");
      // For people, not for those who wrote it.
      expect(output()).not.toMatch(/\n\s+at /);
    }
  }, 120_000);

  test("a port that is taken is told", async () => {
    for (const entry of entries) {
      const first = await run(entries[0]!, { UPSTREAM_URL: "" });
      expect(first.output()).toContain("there is only POST /v1/clean");
      const { exited, output } = await run(entry, {
        PORT: new URL(first.url).port,
      });
      expect(await exited).toBe(1);
      expect(output()).toMatch(/in use/);
      expect(output()).not.toMatch(/\n\s+at /);
      first.child.kill();
      await first.exited;
    }
  }, 120_000);
} else {
  test("the entries are tested on Node", () => {
    expect(onNode).toBe(false);
  });
}
