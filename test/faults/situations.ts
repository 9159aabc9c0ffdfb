/**
 * What can happen to a web stream, in what order, and what then holds. Web APIs
 * only: the same file runs on every runtime.
 */
import { fromText } from "../../adapters/text.ts";
import {
  FenceTrackerStream,
  type Part,
  pipeline,
  readParts,
  StageStream,
  toReadableStream,
} from "../../mod.ts";
import { Consumer } from "./consumer.ts";
import { BROKEN, FaultSource, Gate } from "./fault_source.ts";
import type { Watch } from "./watch.ts";

/** A row of the table. */
export interface Situation {
  /** What happens. */
  name: string;
  /** What holds then. */
  holds: string;
  run(turn: () => Promise<void>): Promise<void>;
}

function equal(got: unknown, wanted: unknown, what: string): void {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: ${a}, not ${b}`);
}

function same(got: unknown, wanted: unknown, what: string): void {
  if (got !== wanted) throw new Error(`${what}: ${got}, not ${wanted}`);
}

/** What a promise rejects with. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not reject");
}

function typesOf(parts: readonly unknown[]): string[] {
  return (parts as Part[]).map((part) =>
    part.type === "text" ? part.text : part.type
  );
}

const CHUNKS = ["a", "b", "c"];

/** A source of text, and its stream of parts. */
function opened(
  stopAt: number = Infinity,
  options: { hangs?: boolean; signal?: AbortSignal } = {},
): { source: FaultSource; parts: ReadableStream<Part> } {
  const source = new FaultSource(CHUNKS, stopAt, options.hangs ?? false);
  const { signal } = options;
  return {
    source,
    parts: fromText(
      source.readable as ReadableStream<string>,
      signal === undefined ? {} : { signal },
    ),
  };
}

/** A stage that repeats, and writes down what is done to it. */
class Logged extends StageStream<string, string> {
  readonly log: string[];

  constructor(fault?: { at: string; error: unknown }) {
    const log: string[] = [];
    super({
      push(input, emit) {
        log.push(input);
        if (input === fault?.at) throw fault.error;
        emit(input);
      },
      end: (emit) => {
        log.push("end");
        emit("end");
      },
      snapshot: () => null,
    });
    this.log = log;
  }
}

/** The table. */
export const SITUATIONS: readonly Situation[] = [
  {
    name: "a source is cancelled before the first read",
    holds: "nothing is read; the source is cancelled with the reason",
    async run() {
      const { source, parts } = opened();
      await parts.cancel("enough");
      equal([source.pulls, source.cancels], [0, ["enough"]], "pulls, cancels");
      same(source.locked, false, "locked");
    },
  },
  {
    name: "a source is cancelled while a read waits",
    holds: "the read is done; the source is cancelled once",
    async run(turn) {
      const { source, parts } = opened(1);
      const reader = parts.getReader();
      await reader.read();
      const waiting = reader.read();
      await turn();
      await reader.cancel("enough");
      equal(await waiting, { done: true }, "the read");
      equal(source.cancels, ["enough"], "cancels");
      source.answer("go");
      await turn();
      equal(source.cancels, ["enough"], "cancels, later");
    },
  },
  {
    name: "a source is cancelled twice",
    holds: "the second time nothing happens",
    async run() {
      const { source, parts } = opened();
      await parts.cancel("one");
      await parts.cancel("two");
      equal(source.cancels, ["one"], "cancels");
    },
  },
  {
    name: "a source is cancelled after it closed",
    holds: "nothing happens",
    async run() {
      const { source, parts } = opened();
      const reader = parts.getReader();
      while (!(await reader.read()).done);
      await reader.cancel("late");
      equal(source.cancels, [], "cancels");
    },
  },
  {
    name: "a source is cancelled after it failed",
    holds: "the cancelling rejects with the error of the stream",
    async run() {
      const source = new FaultSource(CHUNKS, 0);
      const parts = fromText(source.readable as ReadableStream<string>, {
        onError: "throw",
      });
      const reader = parts.getReader();
      source.answer("error");
      same(await rejection(reader.read()), BROKEN, "the read");
      same(await rejection(reader.cancel("late")), BROKEN, "the cancelling");
      equal(source.cancels, [], "cancels");
    },
  },
  {
    name: "the reader is released while a read waits",
    holds: "the read rejects with a TypeError; no part is lost",
    async run(turn) {
      const { source, parts } = opened(1);
      const reader = parts.getReader();
      await reader.read();
      const waiting = rejection(reader.read());
      await turn();
      reader.releaseLock();
      same(await waiting instanceof TypeError, true, "a TypeError");
      source.answer("go");
      const consumer = new Consumer(parts);
      await consumer.read();
      equal(typesOf(consumer.output), ["b", "c", "finish"], "the rest");
    },
  },
  {
    name: "a source is teed",
    holds:
      "both get everything; one cancelling changes nothing, both cancel once",
    async run() {
      const { source, parts } = opened();
      const [left, right] = parts.tee();
      const one = new Consumer(left);
      const two = new Consumer(right);
      await Promise.all([one.read(2), two.read(1)]);
      const first = one.cancel("left");
      equal(source.cancels, [], "cancels after one");
      await two.read(2);
      await Promise.all([first, two.cancel("right")]);
      // The reason is both of theirs; in workerd it is the last one's.
      equal(source.cancels.length, 1, "cancels after both");
    },
  },
  {
    name: "a source whose cancelling fails is cancelled",
    holds: "who cancels is told",
    async run() {
      const error = new Error("no");
      const parts = fromText(
        new ReadableStream<string>({ cancel: () => Promise.reject(error) }),
      );
      same(await rejection(parts.cancel()), error, "the cancelling");
    },
  },
  {
    name: "a source whose cancelling fails is aborted",
    holds: "finish, cancelled; nobody is told of the other error",
    async run(turn) {
      const abort = new AbortController();
      const parts = fromText(
        new ReadableStream<string>({
          pull: () => new Promise(() => {}),
          cancel: () => Promise.reject(new Error("no")),
        }),
        { signal: abort.signal },
      );
      const consumer = new Consumer(parts);
      const reading = consumer.read();
      await turn();
      abort.abort();
      await reading;
      equal(typesOf(consumer.output), ["error", "finish"], "parts");
    },
  },
  {
    name: "a source whose cancelling hangs is aborted",
    holds: "the stream ends all the same",
    async run(turn) {
      const abort = new AbortController();
      const { source, parts } = opened(1, {
        hangs: true,
        signal: abort.signal,
      });
      const consumer = new Consumer(parts);
      const reading = consumer.read();
      await source.reached.opened;
      await turn();
      abort.abort();
      await reading;
      equal(typesOf(consumer.output), ["a", "error", "finish"], "parts");
      same(source.locked, false, "locked");
    },
  },
  {
    name: "a signal is aborted before anything is opened",
    holds: "nothing is read; error, finish",
    async run() {
      const { source, parts } = opened(Infinity, {
        signal: AbortSignal.abort("early"),
      });
      const consumer = new Consumer(parts);
      await consumer.read();
      equal(typesOf(consumer.output), ["error", "finish"], "parts");
      equal([source.pulls, source.cancels], [0, ["early"]], "pulls, cancels");
    },
  },
  {
    name: "a signal is aborted after the end",
    holds: "nothing happens",
    async run(turn) {
      const abort = new AbortController();
      const { source, parts } = opened(Infinity, { signal: abort.signal });
      const consumer = new Consumer(parts);
      await consumer.read();
      abort.abort();
      await turn();
      equal(source.cancels, [], "cancels");
      equal(typesOf(consumer.output).at(-1), "finish", "the last part");
    },
  },
  {
    name: "a source fails while parts of it wait to be read",
    holds: "they are read first, then error, finish",
    async run(turn) {
      let fail = () => {};
      let given = false;
      const source = new ReadableStream<string>({
        start: (controller) => {
          fail = () => controller.error(BROKEN);
        },
        pull(controller) {
          if (given) return new Promise(() => {});
          given = true;
          controller.enqueue("x".repeat(100_000));
        },
      }, { highWaterMark: 0 });
      const consumer = new Consumer(fromText(source));
      await consumer.step();
      fail();
      await turn();
      await consumer.read();
      const texts = (consumer.output as Part[]).filter(({ type }) =>
        type === "text"
      ) as { text: string }[];
      equal(
        texts.reduce((sum, { text }) => sum + text.length, 0),
        100_000,
        "characters",
      );
      equal(typesOf(consumer.output).slice(-2), ["error", "finish"], "the end");
    },
  },
  {
    name: "a source that is locked is opened",
    holds: "a TypeError, at once",
    async run() {
      const source = new FaultSource(CHUNKS);
      source.readable.getReader();
      const error = await rejection(
        (async () => {
          fromText(source.readable as ReadableStream<string>);
          await Promise.resolve();
        })(),
      );
      same(error instanceof TypeError, true, "a TypeError");
    },
  },
  {
    name: "a byte stream is the source",
    holds: "its bytes come, and it is closed",
    async run() {
      let at = 0;
      const source = new ReadableStream({
        type: "bytes",
        pull(controller: ReadableByteStreamController) {
          if (at === CHUNKS.length) controller.close();
          else {
            controller.enqueue(
              new TextEncoder().encode(CHUNKS[at++]) as Uint8Array<ArrayBuffer>,
            );
          }
        },
      });
      const consumer = new Consumer(fromText(source));
      await consumer.read();
      equal(typesOf(consumer.output), ["a", "b", "c", "finish"], "parts");
      same(source.locked, false, "locked");
    },
  },
  {
    name: "a loop over a source is left",
    holds: "the source is cancelled once, by break and by an exception",
    async run() {
      for (const thrown of [undefined, new Error("mine")]) {
        const { source, parts } = opened();
        try {
          for await (
            const _part of parts as unknown as AsyncIterable<Part>
          ) {
            if (thrown !== undefined) throw thrown;
            break;
          }
        } catch (error) {
          same(error, thrown, "the exception");
        }
        equal(source.cancels.length, 1, "cancels");
      }
    },
  },
  {
    name: "a loop over readParts is left",
    holds: "the same; the source is not locked any more",
    async run() {
      for (const kind of ["readable", "iterable"] as const) {
        const source = new FaultSource(CHUNKS);
        const parts = readParts(
          source[kind] as AsyncIterable<string>,
          new FenceTrackerStream(),
        );
        for await (const _part of parts) break;
        equal([source.pulls, source.cancels.length], [1, 1], "pulls, cancels");
        same(source.locked, false, "locked");
      }
    },
  },
  {
    name: "next of readParts is called many times at once",
    holds: "each gets its part, in order",
    async run() {
      const parts = readParts(CHUNKS, new FenceTrackerStream());
      const results = await Promise.all(
        [1, 2, 3, 4, 5].map(() => parts.next()),
      );
      equal(
        results.map(({ done, value }) =>
          done ? "done" : (value as { text: string }).text
        ),
        ["a", "b", "c", "done", "done"],
        "results",
      );
    },
  },
  {
    name: "return of readParts is called while next waits",
    holds: "next is done; the source is cancelled once",
    async run(turn) {
      const source = new FaultSource(CHUNKS, 1);
      const parts = readParts(
        source.readable as ReadableStream<string>,
        new FenceTrackerStream(),
      );
      await parts.next();
      const waiting = parts.next();
      await turn();
      await parts.return!();
      source.answer("go");
      equal((await waiting).done, true, "next");
      equal(source.cancels.length, 1, "cancels");
      equal((await parts.next()).done, true, "next, later");
    },
  },
  {
    name: "a stage's writable is closed while its readable is full",
    holds: "end comes after all that was written, once",
    async run(turn) {
      const stream = new Logged();
      const writer = stream.writable.getWriter();
      const writes = CHUNKS.map((chunk) => writer.write(chunk));
      const closing = writer.close();
      await turn();
      const consumer = new Consumer(stream.readable);
      await consumer.read();
      await Promise.all([...writes, closing]);
      equal(consumer.output, ["a", "b", "c", "end"], "output");
      equal(stream.log, ["a", "b", "c", "end"], "calls");
    },
  },
  {
    name: "a stage's writable is written to after it was closed",
    holds: "the write rejects, the output stands",
    async run() {
      const stream = new Logged();
      const writer = stream.writable.getWriter();
      const consumer = new Consumer(stream.readable);
      const reading = consumer.read();
      await writer.write("a");
      await writer.close();
      // Node 20 throws it.
      await rejection((async () => await writer.write("b"))());
      await reading;
      equal(consumer.output, ["a", "end"], "output");
    },
  },
  {
    name: "a stage's writable is aborted",
    holds: "the readable fails with the reason; the stage is not called again",
    async run() {
      const stream = new Logged();
      const writer = stream.writable.getWriter();
      const consumer = new Consumer(stream.readable);
      const reading = consumer.read();
      await writer.write("a");
      const reason = new Error("because");
      writer.closed.catch(() => {});
      writer.ready.catch(() => {});
      await writer.abort(reason);
      await reading;
      same(consumer.error, reason, "the error");
      equal(stream.log, ["a"], "calls");
    },
  },
  {
    name: "a stage's readable is cancelled while writes wait",
    holds: "the writes reject with the reason; the stage is not called again",
    async run(turn) {
      const stream = new Logged();
      const writer = stream.writable.getWriter();
      writer.closed.catch(() => {});
      writer.ready.catch(() => {});
      const writes = CHUNKS.map((chunk) => writer.write(chunk));
      const settled = Promise.allSettled(writes);
      await turn();
      const { length } = stream.log;
      await stream.readable.cancel("enough");
      const failed = (await settled).filter(({ status }) =>
        status === "rejected"
      );
      same(failed.length > 0, true, "some reject");
      equal(stream.log.length, length, "calls");
    },
  },
  {
    name: "a stage throws",
    holds: "both sides fail with it; the source is cancelled once",
    async run(turn) {
      const error = new Error("mine");
      const source = new FaultSource(CHUNKS);
      const stream = new Logged({ at: "b", error });
      const consumer = new Consumer(
        (source.readable as ReadableStream<string>).pipeThrough(stream),
      );
      await consumer.read();
      await turn();
      same(consumer.error, error, "the error");
      equal(source.cancels.length, 1, "cancels");
      same(source.locked, false, "locked");
    },
  },
  {
    name:
      "a source fails that is piped through a pipeline with a foreign stream",
    holds: "the end fails with the error; all locks are released",
    async run(turn) {
      const source = new FaultSource(CHUNKS, 2);
      const consumer = new Consumer(
        (source.readable as ReadableStream<string>).pipeThrough(
          pipeline(
            new Logged(),
            new TransformStream<string, string>(),
            new Logged(),
          ),
        ),
      );
      const reading = consumer.read();
      await source.reached.opened;
      await turn();
      source.answer("error");
      await reading;
      await turn();
      same(consumer.error, BROKEN, "the error");
      equal(consumer.output, ["a", "b"], "output");
      same(source.locked, false, "locked");
    },
  },
  {
    name: "the end of a pipeline with a foreign stream is cancelled",
    holds: "the source is cancelled once, with the reason",
    async run(turn) {
      const source = new FaultSource(CHUNKS, 2);
      const consumer = new Consumer(
        (source.readable as ReadableStream<string>).pipeThrough(
          pipeline(
            new Logged(),
            new TransformStream<string, string>(),
            new Logged(),
          ),
        ),
      );
      const reading = consumer.read();
      await source.reached.opened;
      await turn();
      await consumer.cancel("enough");
      source.answer("go");
      await reading;
      await turn();
      equal(source.cancels, ["enough"], "cancels");
    },
  },
  {
    name: "a pipe from a source is told to prevent cancelling",
    holds: "a destination that fails does not cancel the source",
    async run() {
      const { source, parts } = opened();
      const error = new Error("full");
      const piping = parts.pipeTo(
        new WritableStream<Part>({
          write: () => Promise.reject(error),
        }),
        { preventCancel: true },
      );
      same(await rejection(piping), error, "the pipe");
      equal(source.cancels, [], "cancels");
      const consumer = new Consumer(parts);
      await consumer.read();
      equal(typesOf(consumer.output).at(-1), "finish", "the last part");
    },
  },
  {
    name: "a destination fails that a source is piped to",
    holds: "the source is cancelled once, with the error",
    async run(turn) {
      const { source, parts } = opened();
      const error = new Error("full");
      const piping = parts.pipeTo(
        new WritableStream<Part>({ write: () => Promise.reject(error) }),
      );
      same(await rejection(piping), error, "the pipe");
      await turn();
      equal(source.cancels.length, 1, "cancels");
      same(source.cancels[0], error, "the reason");
    },
  },
  {
    name: "a destination takes one part at a time",
    holds: "no chunk is read before there is a place for it",
    async run(turn) {
      const source = new FaultSource(["a", "b", "c", "d", "e", "f"]);
      const gates: Gate[] = [];
      const piping = fromText(source.readable as ReadableStream<string>)
        .pipeTo(
          new WritableStream<Part>({
            write() {
              const gate = new Gate();
              gates.push(gate);
              return gate.opened;
            },
          }),
        );
      for (let written = 1; written <= 6; written++) {
        await turn();
        same(source.pulls <= written + 1, true, "chunks read");
        gates.at(-1)!.open();
      }
      await turn();
      gates.at(-1)!.open();
      await piping;
    },
  },
  {
    name: "an iterable that is read as a stream is cancelled",
    holds: "its return is called once, and not when it is over",
    async run() {
      for (const [reads, returns] of [[1, 1], [9, 0]] as const) {
        const source = new FaultSource(CHUNKS);
        const consumer = new Consumer(
          toReadableStream(source.iterable as AsyncIterable<string>),
        );
        await consumer.read(reads);
        await consumer.cancel("enough");
        equal(source.cancels.length, returns, "returns");
      }
    },
  },
  {
    name: "an iterable that is read as a stream throws",
    holds: "the stream fails with it; return is not called",
    async run() {
      const source = new FaultSource(CHUNKS, 1);
      const consumer = new Consumer(
        toReadableStream(source.iterable as AsyncIterable<string>),
      );
      source.answer("error");
      await consumer.read();
      same(consumer.error, BROKEN, "the error");
      equal(source.cancels, [], "returns");
    },
  },
];

/** How the situations went: names of those that do not hold, and why. */
export async function runSituations(
  watch: Watch,
): Promise<{ runs: number; failures: string[] }> {
  const failures: string[] = [];
  for (const { name, run } of SITUATIONS) {
    watch.take();
    try {
      await run(watch.turn);
    } catch (error) {
      failures.push(`${name}: ${error}`);
    }
    await watch.turn();
    failures.push(...watch.take().map((what) => `${name}: ${what}`));
  }
  return { runs: SITUATIONS.length, failures };
}
