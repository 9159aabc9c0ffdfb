import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MachinePlan } from "../../examples/edge/answer_machine.ts";
import { configure } from "../../examples/edge/configuration.ts";
import { Problem } from "../../examples/edge/problem.ts";
import {
  type LogStorage,
  StreamLog,
  type StreamLogOptions,
} from "../../examples/edge/stream_log.ts";
import { RUNS } from "../laws.ts";
import { chat, chatEnd, message } from "./edge_upstream.ts";

const NAME = "abcdefghijklmnopqrstuv";

/** A Durable Object's storage, with the limits of the real one. */
class MapStorage implements LogStorage {
  readonly values: Map<string, unknown> = new Map();
  alarm = 0;
  written = 0;
  /** How many writes go well before one fails. */
  failAfter = Infinity;

  get(key: string): Promise<unknown> {
    return Promise.resolve(structuredClone(this.values.get(key)));
  }

  list({ prefix }: { prefix: string }): Promise<Map<string, unknown>> {
    const keys = [...this.values.keys()].filter((key) => key.startsWith(prefix))
      .sort();
    return Promise.resolve(
      new Map(keys.map((key) => [key, structuredClone(this.values.get(key))])),
    );
  }

  put(entries: Record<string, unknown>): Promise<void> {
    const list = Object.entries(entries);
    expect(list.length).toBeLessThanOrEqual(128);
    if (this.failAfter-- <= 0) return Promise.reject(new Error("no storage"));
    for (const [key, value] of list) {
      const size = value instanceof Uint8Array
        ? value.length
        : JSON.stringify(value).length;
      expect(size).toBeLessThan(128_000);
      this.written += size;
      this.values.set(key, structuredClone(value));
    }
    return Promise.resolve();
  }

  delete(keys: string[]): Promise<unknown> {
    expect(keys.length).toBeLessThanOrEqual(128);
    // Together with the write that failed.
    if (this.failAfter < 0) return Promise.resolve();
    for (const key of keys) this.values.delete(key);
    return Promise.resolve();
  }

  deleteAll(): Promise<void> {
    this.values.clear();
    return Promise.resolve();
  }

  setAlarm(time: number): Promise<void> {
    this.alarm = time;
    return Promise.resolve();
  }
}

const openai: MachinePlan = {
  client: "openai-chat",
  provider: "openai-chat",
  answer: {
    head: { id: "chatcmpl-1", model: "m", created: 1 },
    tools: [{ name: "get_tide" }],
    usage: true,
    native: true,
  },
  salvage: "on",
  reasoning: "anywhere",
};

const anthropic: MachinePlan = {
  ...openai,
  client: "anthropic",
  provider: "anthropic",
};

const configuration = configure({});

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The numbers and the events in what a reader got. */
function eventsIn(text: string): [number, string][] {
  return text.split("\n\n").slice(0, -1).map((block) => {
    const [id, ...rest] = block.split("\n");
    expect(id).toMatch(new RegExp(`^id: ${NAME}\\.\\d+$`));
    return [Number(id!.split(".")[1]), rest.join("\n")];
  });
}

async function readAll(log: StreamLog, after = 0): Promise<string> {
  let text = "";
  for await (const piece of await log.read(after)) text += piece;
  return text;
}

/** Everything in one log, without any trouble. */
async function undisturbed(
  plan: MachinePlan,
  pieces: readonly Uint8Array[],
): Promise<[number, string][]> {
  const log = new StreamLog(new MapStorage(), configuration);
  await log.open(NAME, plan);
  let offset = 0;
  for (const piece of pieces) {
    ({ offset } = await log.push(offset, piece));
  }
  await log.finish();
  return eventsIn(await readAll(log));
}

/** A reader that comes back until it has the end. */
class Reader {
  readonly got: [number, string][] = [];
  #last = 0;
  #leave: () => void = () => {};

  /** Breaks the connection. */
  drop(): void {
    this.#leave();
  }

  async run(log: () => StreamLog, isOver: () => boolean): Promise<void> {
    for (;;) {
      const dropped = new Promise<undefined>((resolve) => {
        this.#leave = () => resolve(undefined);
      });
      const events = await log().read(this.#last);
      for (;;) {
        const next = await Promise.race([events.next(), dropped]);
        if (next === undefined) {
          await events.return!();
          break;
        }
        if (next.done) {
          if (isOver()) return;
          break;
        }
        for (const event of eventsIn(next.value)) {
          this.got.push(event);
          this.#last = event[0];
        }
      }
    }
  }
}

const content = fc.array(
  fc.constantFrom(
    "Text. ",
    "é🌊",
    "\n",
    "<think>Hm.</think>",
    '<tool_call>{"name": "get_tide", "arguments": {"port": "Brest"}}</tool_call>',
    "<tool_call>no",
    "```\n<tool_call>\n```\n",
  ),
  { maxLength: 8 },
);

const disturbance = fc.constantFrom(
  "none",
  "evict",
  "fail",
  "drop",
  "again",
  "beat",
);

describe("a stream log", () => {
  test("whatever breaks, every reader gets every event once", async () => {
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.boolean(),
        fc.array(fc.record({ cut: fc.nat(), disturbance }), { maxLength: 20 }),
        fc.constantFrom(1, 200, 32_768),
        async (texts, native, cuts, journalBytes) => {
          const [plan, body] = native
            ? [
              anthropic,
              message([[
                { type: "text", text: "" },
                ...texts.map((text) => ({ type: "text_delta", text })),
              ]]),
            ]
            : [
              openai,
              texts.map((content) => chat({ content })).join("") +
              chatEnd("stop", true),
            ];
          const bytes = bytesOf(body);
          const at = [...new Set(cuts.map(({ cut }) => cut % bytes.length))]
            .sort((a, b) => a - b);
          const pieces = [0, ...at].map((from, index) =>
            bytes.slice(from, at[index] ?? bytes.length)
          ).filter((piece) => piece.length > 0);
          const expected = await undisturbed(plan, pieces);

          const storage = new MapStorage();
          const make = () =>
            new StreamLog(storage, configuration, { journalBytes });
          let log = make();
          let over = false;
          await log.open(NAME, plan);
          const readers = [new Reader(), new Reader()];
          const done = readers.map((reader) =>
            reader.run(() => log, () => over)
          );
          const evict = () => {
            log = make();
            for (const reader of readers) reader.drop();
          };
          const push = async (offset: number, piece: Uint8Array) => {
            try {
              return await log.push(offset, piece);
            } catch (error) {
              if (error instanceof Problem) throw error;
              storage.failAfter = Infinity;
              return await log.push(offset, piece);
            }
          };
          let offset = 0;
          for (const [index, piece] of pieces.entries()) {
            switch (cuts[index]?.disturbance) {
              case "evict":
                evict();
                break;
              case "fail":
                storage.failAfter = 0;
                break;
              case "drop":
                readers[index % 2]!.drop();
                break;
              case "again":
                // The receipt was lost.
                await push(offset, piece.subarray(0, piece.length >> 1));
                break;
              case "beat":
                await push(offset, new Uint8Array(0));
                break;
            }
            const receipt = await push(offset, piece);
            offset += piece.length;
            expect(receipt).toEqual({ offset, stop: false });
          }
          over = true;
          await log.finish();
          await Promise.all(done);
          if (cuts.some(({ disturbance }) => disturbance === "again")) {
            // Cut elsewhere: the same words in other pieces.
            for (const { got } of readers) {
              expect(got.map(([number]) => number)).toEqual(
                got.map((_, index) => index + 1),
              );
              expect(wordsOf(got)).toBe(wordsOf(expected));
            }
          } else {
            for (const { got } of readers) expect(got).toEqual(expected);
          }
          // One that comes late, to another machine, gets the same.
          evict();
          expect(eventsIn(await readAll(log))).toEqual(readers[0]!.got);
        },
      ),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  }, 60_000);

  test("a reader gets only what is stored", async () => {
    const storage = new MapStorage();
    const log = new StreamLog(storage, configuration);
    await log.open(NAME, openai);
    const events = await log.read(0);
    const first = events.next();
    let read = false;
    first.then(() => read = true);
    storage.failAfter = 0;
    const bytes = bytesOf(chat({ content: "Hi" }));
    expect(await log.push(0, bytes).catch((error) => error.message)).toBe(
      "no storage",
    );
    expect(read).toBe(false);
    storage.failAfter = Infinity;
    await log.push(0, bytes);
    expect((await first).value).toContain("Hi");
    await events.return!();
  });

  test("a long held call is not written again with every piece of it", async () => {
    const storage = new MapStorage();
    const log = new StreamLog(storage, configuration);
    const description = "x".repeat(300_000);
    await log.open(NAME, {
      ...openai,
      answer: {
        ...openai.answer,
        tools: [{ name: "get_tide", inputSchema: { description } }],
      },
    });
    // Nor are the tools.
    storage.written = 0;
    let offset = 0;
    const push = async (content: string) => {
      ({ offset } = await log.push(offset, bytesOf(chat({ content }))));
    };
    await push('<tool_call>{"name": "get_tide", "arguments": {"port": "');
    for (let count = 0; count < 2000; count++) await push("x".repeat(100));
    const held = 2000 * 100;
    const later = new StreamLog(storage, configuration);
    const end = bytesOf(chat({ content: '"}}</tool_call>' }));
    await later.push(offset, end);
    await later.finish();
    expect(await readAll(later)).toContain('"tool_calls"');
    // The bytes once, the snapshots at doubling lengths, the call: not 2000 ×.
    expect(storage.written).toBeLessThan(20 * held);
  });

  test("keeps the recent events, and says what is gone", async () => {
    const storage = new MapStorage();
    const options: StreamLogOptions = { maxKept: 4000 };
    const log = new StreamLog(storage, configuration, options);
    await log.open(NAME, openai);
    let offset = 0;
    for (let count = 0; count < 100; count++) {
      ({ offset } = await log.push(
        offset,
        bytesOf(chat({ content: `word ${count} ` })),
      ));
    }
    await log.finish();
    const again = new StreamLog(storage, configuration, options);
    for (const one of [log, again]) {
      const error = await one.read(0).then(() => undefined, (error) => error);
      expect(error).toMatchObject({ status: 410, code: "events_gone" });
      const oldest = Number(/to (\d+)/.exec(error.message)![1]);
      const got = eventsIn(await readAll(one, oldest));
      expect(got[0]![0]).toBe(oldest + 1);
      expect(got.length).toBeGreaterThan(3);
      const unknown = await one.read(10_000).catch((error) => error);
      expect(unknown).toMatchObject({ status: 400 });
    }
    expect([...storage.values.keys()].filter((key) => key[0] !== "e").sort())
      .toEqual(["head", "p.0000"]);
  });

  test("wants no more when nobody reads, or it cannot be read", async () => {
    const bytes = bytesOf(chat({ content: "Hi" }));
    const log = new StreamLog(
      new MapStorage(),
      configure({ RESUME_SECONDS: 0.3 }),
    );
    await log.open(NAME, openai);
    const events = await log.read(0);
    await pause(350);
    expect((await log.push(0, bytes)).stop).toBe(false);
    await events.return!();
    expect((await log.push(bytes.length, bytes)).stop).toBe(false);
    await pause(350);
    expect((await log.push(2 * bytes.length, new Uint8Array(0))).stop).toBe(
      true,
    );
    expect((await log.push(2 * bytes.length, bytes)).stop).toBe(true);
    expect(await readAll(log)).toContain('"abandoned"');

    const foreign = new StreamLog(new MapStorage(), configuration);
    await foreign.open(NAME, openai);
    await foreign.push(0, bytesOf('{"choices": []}'));
    await foreign.finish();
    expect(await readAll(foreign)).toContain("not-an-event-stream");
  });

  test("a sender that is lost ends it; in the end it is forgotten", async () => {
    const storage = new MapStorage();
    const log = new StreamLog(storage, configure({ RETAIN_SECONDS: 0.01 }), {
      leaseTime: 300,
    });
    await log.open(NAME, openai);
    const bytes = bytesOf(chat({ content: "Hi" }));
    await log.push(0, bytes);
    await log.alarm();
    expect(storage.alarm).toBeGreaterThan(Date.now());
    await pause(350);
    await log.alarm();
    const text = await readAll(log);
    expect(text).toContain("upstream_lost");
    expect(text).not.toContain("[DONE]");
    await pause(20);
    await log.alarm();
    expect(storage.values.size).toBe(0);
    expect(await log.read(0).catch((error) => error.status)).toBe(404);
    await log.alarm();
  });

  test("a gap in the bytes is refused", async () => {
    const log = new StreamLog(new MapStorage(), configuration);
    await log.open(NAME, openai);
    expect(await log.push(5, bytesOf("x")).catch((error) => error.status))
      .toBe(409);
  });

  test("a snapshot of another version is an error for the readers, not for ever", async () => {
    for (const plan of [openai, anthropic]) {
      const storage = new MapStorage();
      const log = new StreamLog(storage, configuration, { journalBytes: 1 });
      await log.open(NAME, plan);
      const bytes = bytesOf(
        plan === openai
          ? chat({ content: "Hi" })
          : message([[{ type: "text", text: "Hi" }]]).slice(0, 400),
      );
      await log.push(0, bytes);
      const key = [...storage.values.keys()].find((key) => key[0] === "s")!;
      storage.values.set(key, '{"parser": 5}');
      const later = new StreamLog(storage, configuration);
      const got = eventsIn(await readAll(later));
      expect(got.at(-1)![1]).toContain("changed in the middle");
      expect((await later.push(bytes.length, bytes)).stop).toBe(true);
    }
  });
});

/** What is said, however it is cut. */
function wordsOf(events: readonly [number, string][]): string {
  return events.map(([, event]) => {
    const data = event.slice(event.indexOf("data: ") + 6);
    if (!data.startsWith("{")) return data;
    const { choices, delta, type, index } = JSON.parse(data);
    if (choices?.[0] !== undefined) {
      const { content, tool_calls, finish_reason, reasoning_content } = {
        ...choices[0],
        ...choices[0].delta,
      };
      return content ?? JSON.stringify([
        tool_calls,
        finish_reason,
        reasoning_content,
      ]);
    }
    return delta?.text ?? delta?.thinking ?? JSON.stringify([type, index]);
  }).join("");
}
