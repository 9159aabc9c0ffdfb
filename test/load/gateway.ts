/**
 * The gateway under load: so many streams at once on one process, and every
 * fifth client leaves in the middle.
 *
 *     npx tsx test/load/gateway.ts [node|deno|bun …] [--streams 1000] [--rounds 2]
 *
 * All on loopback: the upstream and the clients are in this process, the gateway
 * is in another. Every stream begins before any ends. Fails when an upstream is
 * not cancelled, an answer is not right, something was not caught, or the heap
 * does not come back.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  chat,
  chatEnd,
  Gate,
  ScriptedUpstream,
} from "../examples/edge_upstream.ts";
import { root } from "../support/public_files.ts";
import type { Report } from "./gateway_process.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    streams: { type: "string", default: "1000" },
    rounds: { type: "string", default: "2" },
  },
});
const streams = Math.min(5000, Number(values.streams));
const rounds = Math.min(20, Number(values.rounds));
const runtimes = positionals.length > 0 ? positionals : ["node", "deno", "bun"];

const wrapper = "test/load/gateway_process.ts";
const commands: Record<string, [string, ...string[]]> = {
  node: [process.execPath, "--expose-gc", "--import", "tsx", wrapper],
  deno: [
    join(root, "node_modules/.bin/deno"),
    "run",
    "-A",
    "--no-check",
    "--v8-flags=--expose-gc",
    wrapper,
  ],
  bun: [join(root, "node_modules/.bin/bun"), wrapper],
};

/** The gateway's process, and what it answers. */
class Gateway {
  readonly child: ChildProcess;
  #output = "";
  #changed: () => void = () => {};

  constructor(runtime: string, upstream: string) {
    const [program, ...words] = commands[runtime]!;
    this.child = spawn(program, [...words, runtime], {
      cwd: root,
      env: {
        ...process.env,
        PORT: "0",
        UPSTREAM_URL: upstream,
        UPSTREAM_KEY: "up-secret",
        BUN_CONFIG_MAX_HTTP_REQUESTS: "20000",
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.child.stdout!.on("data", (data) => {
      this.#output += data;
      this.#changed();
    });
  }

  /** Waits until it has said something. */
  async said(what: RegExp): Promise<string> {
    for (;;) {
      const match = what.exec(this.#output);
      if (match !== null) {
        this.#output = this.#output.slice(match.index + match[0].length);
        return match[1]!;
      }
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  async report(): Promise<Report> {
    this.child.stdin!.write("report\n");
    return JSON.parse(await this.said(/report (.*)\n/));
  }
}

const WORDS = 20;
const WARM_UPS = 2;
const bodies = ["stays", "leaves"].map((model) =>
  JSON.stringify({
    model,
    stream: true,
    messages: [{ role: "user", content: "The tide?" }],
    tools: [{ type: "function", function: { name: "get_tide" } }],
  })
);

/** What came of a round. */
interface Round {
  seconds: number;
  /** Milliseconds from the request to the first event, sorted. */
  firsts: number[];
  peak: number;
}

async function round(
  upstream: ScriptedUpstream,
  url: string,
  gateway: Gateway,
): Promise<Round> {
  const agent = new Agent({ maxSockets: Infinity, keepAlive: false });
  const all = new Gate();
  let began = 0;
  let gone = 0;
  let complete = 0;
  const cancelledBefore = upstream.cancelled;
  upstream.script = async (call) => {
    call.gone.then(() => gone++);
    call.write(chat({ content: "<think>Hm.</think>" }));
    call.write(chat({ content: "word " }));
    await all.opened;
    for (let word = 1; word < WORDS; word++) {
      // It is up to the client, and the gateway, to end it here.
      if (call.body.model === "leaves" && word === WORDS / 2) return;
      call.write(chat({ content: "word " }));
      await pause(100);
    }
    call.write(chat({ content: '\n<tool_call>{"name": "get_tide", ' }));
    call.write(chat({ content: '"arguments": {}}</tool_call>' }));
    call.write(chatEnd("stop"));
    call.response.end();
    complete++;
  };
  const start = performance.now();
  const firsts: number[] = [];
  const failures: string[] = [];
  let peak = 0;
  const one = async (leaves: boolean, index: number): Promise<void> => {
    // Not all in the same millisecond: 1,000 in a second.
    await pause(index);
    const asked = performance.now();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${url}/v1/chat/completions`, { method: "POST", agent }, resolve)
        .on("error", reject).end(bodies[Number(leaves)]);
    });
    let text = "";
    let first = true;
    for await (const chunk of response.setEncoding("utf8")) {
      text += chunk;
      if (first && text.includes("word")) {
        first = false;
        firsts.push(performance.now() - asked);
        if (++began === streams) {
          peak = (await gateway.report()).resident;
          all.open();
        }
      }
      if (leaves && text.split("word").length > WORDS / 2) return;
    }
    if (first) all.open();
    if (
      text.split("word").length !== WORDS + 1 ||
      !text.includes('"finish_reason":"tool_calls"') ||
      !text.endsWith("[DONE]\n\n")
    ) failures.push(text.slice(-200));
  };
  await Promise.all(
    Array.from({ length: streams }, (_, index) => one(index % 5 === 0, index)),
  );
  const leavers = Math.ceil(streams / 5);
  for (let wait = 0; wait < 200 && gone < leavers; wait++) await pause(50);
  agent.destroy();
  if (failures.length > 0) throw new Error(`Wrong answers: ${failures[0]}`);
  const cancelled = upstream.cancelled - cancelledBefore;
  if (cancelled !== leavers || complete !== streams - leavers) {
    throw new Error(
      `${cancelled} of ${leavers} upstreams cancelled, ${complete} complete`,
    );
  }
  return {
    seconds: (performance.now() - start) / 1000,
    firsts: firsts.sort((a, b) => a - b),
    peak,
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

for (const runtime of runtimes) {
  const upstream = await ScriptedUpstream.start();
  const gateway = new Gateway(runtime, upstream.url("/v1/chat/completions"));
  try {
    const url = await gateway.said(/Listening on (\S+)/);
    // The first rounds warm up: code is compiled, pools are filled.
    let before: Report | undefined;
    for (let number = 1 - WARM_UPS; number <= rounds; number++) {
      const { seconds, firsts, peak } = await round(upstream, url, gateway);
      let after = await gateway.report();
      // Closed connections are let go of when the process gets to it.
      const enough = number < 1 ? Infinity : before!.heap * 1.1 + 2e6;
      for (let wait = 0; wait < 20 && after.heap > enough; wait++) {
        await pause(250);
        after = await gateway.report();
      }
      if (after.failures.length > 0) throw new Error(after.failures[0]);
      console.log(
        [
          `${runtime} ${number < 1 ? "warm-up" : `round ${number}`}:`,
          `${streams} streams, ${Math.ceil(streams / 5)} left, all cancelled,`,
          `${seconds.toFixed(1)} s,`,
          `first event ${firsts[firsts.length >> 1]!.toFixed(0)} ms median,`,
          `${firsts.at(-1)!.toFixed(0)} ms at most;`,
          `heap ${megabytes(after.heap)} MB after,`,
          `resident ${megabytes(peak)} MB at most,`,
          `${megabytes(after.resident)} MB after`,
        ].join(" "),
      );
      if (number < 1) before = after;
      // What 1,000 streams leave behind for ever would be seen long before this.
      if (after.heap > enough) {
        throw new Error(
          `The heap does not come back: ${before!.heap}, then ${after.heap}`,
        );
      }
    }
  } finally {
    gateway.child.kill();
    await upstream.stop();
  }
}
