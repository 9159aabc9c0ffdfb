import type { ErrorInfo } from "../../mod.ts";
import { AnswerMachine, type MachinePlan } from "./answer_machine.ts";
import type { Configuration } from "./configuration.ts";
import { Problem } from "./problem.ts";
import { logAnswer } from "./tally.ts";

/**
 * What is needed of a Durable Object's storage. What is written without waiting
 * in between is written together or not at all.
 */
export interface LogStorage {
  /** One value. */
  get(key: string): Promise<unknown>;
  /** All values whose keys begin so, in the order of the keys. */
  list(options: { prefix: string }): Promise<Map<string, unknown>>;
  /** Writes. */
  put(entries: Record<string, unknown>): Promise<void>;
  /** Forgets. */
  delete(keys: string[]): Promise<unknown>;
  /** Forgets all. */
  deleteAll(): Promise<void>;
  /** Has `alarm` called then. */
  setAlarm(time: number): Promise<void>;
}

/** What the log says to whoever sends bytes. */
export interface Receipt {
  /** How many bytes it has of the stream. */
  readonly offset: number;
  /** Whether it wants no more. */
  readonly stop: boolean;
}

/** How a log behaves. Times in milliseconds, lengths in characters. */
export interface StreamLogOptions {
  /**
   * How much of the events is kept for readers that come back.
   *
   * @default {4194304}
   */
  readonly maxKept?: number;
  /**
   * How long the sender may be silent before it is taken for dead.
   *
   * @default {30000}
   */
  readonly leaseTime?: number;
  /**
   * How many bytes are kept beside a snapshot before a new one is taken.
   *
   * @default {32768}
   */
  readonly journalBytes?: number;
}

/** What is stored under "head". */
interface Head {
  /** The stream's name, the beginning of its events' ids. */
  name: string;
  /** How many bytes of the upstream's answer have been taken. */
  offset: number;
  /** The number of the oldest event that is kept. */
  first: number;
  /** The number of the next event; the first one is 1. */
  next: number;
  /** When it began. */
  begun: number;
  /** When the answer was over, or 0. */
  over: number;
  /** The number of the next journal entry. */
  journal: number;
  /** How many bytes the journal has. */
  journalBytes: number;
  /** How long the snapshot is. */
  snapshot: number;
}

/** Events that were stored together. */
interface Batch {
  first: number;
  events: string[];
  length: number;
  keys: string[];
}

interface Loaded {
  head: Head;
  plan: MachinePlan;
  batches: Batch[];
  /** How long all events together are. */
  kept: number;
  /** `undefined` when the answer is over. */
  machine: AnswerMachine | undefined;
  journalKeys: string[];
  snapshotKeys: string[];
}

/** Longer values are stored in pieces: storages have limits. */
const PIECE = 32_768;

/**
 * One answer on its way, in a storage that outlives the machine: the bytes of the
 * upstream go in, events with ids come out, to any number of readers, from any
 * event on. Another log over the same storage goes on where this one stopped.
 *
 * ```txt
 *   push(offset, bytes) ──▶ AnswerMachine ──▶ events ──┐
 *        │                        ▲                    ▼
 *        │          snapshot + journal (storage)   events (storage) ──▶ readers
 *        └── bytes that are there already are skipped
 * ```
 *
 * A snapshot of the machine is not written with every push, since a long call is
 * held in it whole and would be written again and again: the bytes are, and now
 * and then a snapshot instead of them. An event is stored before it is read.
 */
export class StreamLog {
  readonly #storage: LogStorage;
  readonly #configuration: Configuration;
  readonly #maxKept: number;
  readonly #leaseTime: number;
  readonly #journalBytes: number;
  #loaded: Loaded | undefined;
  /** Calls that write wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();
  #readers = 0;
  /** When the last reader left, or this log began. */
  #left: number = Date.now();
  /** When the sender was last heard of, or this log began. */
  #heard: number = Date.now();
  /** Resolved when there is something new. */
  #news: Promise<void>;
  #tell: () => void = () => {};

  /**
   * @param storage Where it is kept.
   * @param configuration The operator's.
   * @param options See {@linkcode StreamLogOptions}.
   */
  constructor(
    storage: LogStorage,
    configuration: Configuration,
    options: StreamLogOptions = {},
  ) {
    this.#storage = storage;
    this.#configuration = configuration;
    this.#maxKept = options.maxKept ?? 4_194_304;
    this.#leaseTime = options.leaseTime ?? 30_000;
    this.#journalBytes = options.journalBytes ?? 32_768;
    this.#news = this.#nextNews();
  }

  /** Begins the log of a stream. */
  open(name: string, plan: MachinePlan): Promise<void> {
    return this.#inTurn(async () => {
      const head: Head = {
        name,
        offset: 0,
        first: 1,
        next: 1,
        begun: Date.now(),
        over: 0,
        journal: 0,
        journalBytes: 0,
        snapshot: 0,
      };
      // The tools' schemas may be long, and do not change.
      const entries = new Map<string, unknown>([["head", head]]);
      piecesInto(entries, "p", JSON.stringify(plan));
      await Promise.all([
        this.#write(entries, [], head),
        this.#storage.setAlarm(Date.now() + this.#leaseTime),
      ]);
      this.#loaded = {
        head,
        plan,
        batches: [],
        kept: 0,
        machine: new AnswerMachine(plan, this.#configuration),
        journalKeys: [],
        snapshotKeys: [],
      };
    });
  }

  /**
   * Takes bytes of the upstream's answer; none at all say that the sender lives.
   *
   * @param offset How many came before them. Those that are known are skipped.
   * @param bytes The bytes.
   */
  push(offset: number, bytes: Uint8Array): Promise<Receipt> {
    return this.#inTurn(async () => {
      const loaded = await this.#load();
      this.#heard = Date.now();
      const { head, machine } = loaded;
      if (machine === undefined) return { offset: head.offset, stop: true };
      if (this.#isAbandoned()) {
        await this.#fail(loaded, {
          name: "api_error",
          message: "Nobody read the stream any more",
          code: "abandoned",
        });
        return { offset: head.offset, stop: true };
      }
      if (offset > head.offset) {
        throw new Problem(
          409,
          `Bytes ${head.offset} to ${offset} of the answer are missing`,
        );
      }
      const fresh = bytes.subarray(head.offset - offset);
      if (fresh.length === 0) return { offset: head.offset, stop: false };
      const events: string[] = [];
      const error = machine.push(fresh, (event) => events.push(event));
      if (error !== undefined) {
        await this.#fail(loaded, error, events);
      } else {
        await this.#commit(loaded, events, {
          ...head,
          offset: head.offset + fresh.length,
        }, fresh);
      }
      return { offset: loaded.head.offset, stop: error !== undefined };
    });
  }

  /** The upstream's answer is over, or has failed. */
  finish(error?: ErrorInfo): Promise<void> {
    return this.#inTurn(async () => {
      const loaded = await this.#load();
      const { machine } = loaded;
      if (machine === undefined) return;
      if (error !== undefined) return await this.#fail(loaded, error);
      const events: string[] = [];
      machine.end((event) => events.push(event));
      await this.#commit(loaded, events, {
        ...loaded.head,
        over: Date.now(),
      });
    });
  }

  /**
   * The events behind one, as they come.
   *
   * @param after The number of the last event that is known; 0: none.
   * @throws {Problem} When there is no such stream or event (any more).
   */
  async read(after: number): Promise<AsyncIterableIterator<string>> {
    const { head } = await this.#inTurn(() => this.#load());
    if (!(after >= 0 && after < head.next)) {
      throw new Problem(400, `The stream has no event ${after} yet`, {
        code: "unknown_event",
      });
    }
    this.#check(head, after);
    return this.#reader(after + 1);
  }

  /** Looks after a stream whose sender is gone, and forgets one that is over. */
  alarm(): Promise<void> {
    return this.#inTurn(async () => {
      if (await this.#storage.get("head") === undefined) return;
      const loaded = await this.#load();
      const { retainTime } = this.#configuration;
      const now = Date.now();
      if (
        loaded.machine !== undefined && now >= this.#heard + this.#leaseTime
      ) {
        await this.#fail(loaded, {
          name: "api_error",
          message: "The connection to the upstream is lost",
          code: "upstream_lost",
        });
        return;
      }
      const { over } = loaded.head;
      if (over > 0 && now >= over + retainTime && this.#readers === 0) {
        this.#loaded = undefined;
        await this.#storage.deleteAll();
        return;
      }
      await this.#storage.setAlarm(
        over > 0
          ? Math.max(over + retainTime, now + 1000)
          : this.#heard + this.#leaseTime,
      );
    });
  }

  #isAbandoned(): boolean {
    return this.#readers === 0 &&
      Date.now() >= this.#left + this.#configuration.resumeTime;
  }

  /** No generator: one that waits could not be left. */
  #reader(from: number): AsyncIterableIterator<string> {
    let next = from;
    let left = false;
    const leave = (): IteratorResult<string> => {
      if (!left) {
        left = true;
        this.#readers--;
        this.#left = Date.now();
      }
      return { done: true, value: undefined };
    };
    this.#readers++;
    const reader: AsyncIterableIterator<string> = {
      [Symbol.asyncIterator]: () => reader,
      next: async () => {
        while (!left) {
          const news = this.#news;
          const loaded = this.#loaded ??
            await this.#inTurn(() => this.#load());
          this.#check(loaded.head, next - 1);
          const text = textFrom(loaded, next);
          if (text !== undefined) {
            next = text.next;
            return { done: false, value: text.text };
          }
          if (loaded.machine === undefined) break;
          await news;
        }
        return leave();
      },
      return: () => Promise.resolve(leave()),
    };
    return reader;
  }

  #check(head: Head, after: number): void {
    if (after + 1 >= head.first) return;
    throw new Problem(
      410,
      `Events ${after + 1} to ${
        head.first - 1
      } of the stream are not kept any more`,
      { code: "events_gone" },
    );
  }

  #nextNews(): Promise<void> {
    return new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  #inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(action);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** The end of a stream that failed, told to its readers. */
  async #fail(
    loaded: Loaded,
    error: ErrorInfo,
    events: string[] = [],
  ): Promise<void> {
    loaded.machine!.fail(error, (event) => events.push(event));
    await this.#commit(loaded, events, { ...loaded.head, over: Date.now() });
  }

  /**
   * Stores what happened, then shows it to the readers.
   *
   * @param journal The bytes it came from; none at the end.
   */
  async #commit(
    loaded: Loaded,
    events: string[],
    head: Head,
    journal?: Uint8Array,
  ): Promise<void> {
    const entries = new Map<string, unknown>();
    const gone: string[] = [];
    const batches = [...loaded.batches];
    let { journalKeys, snapshotKeys, kept } = loaded;
    if (events.length > 0) {
      const text = JSON.stringify(events);
      const keys = piecesInto(entries, `e${padded(head.next)}`, text);
      batches.push({ first: head.next, events, length: text.length, keys });
      head.next += events.length;
      kept += text.length;
      // Half of it at once, so that a long stream is not cut at every event.
      if (kept > this.#maxKept) {
        while (kept > this.#maxKept / 2 && batches.length > 1) {
          const oldest = batches.shift()!;
          gone.push(...oldest.keys);
          kept -= oldest.length;
        }
        head.first = batches[0]!.first;
      }
    }
    if (journal === undefined) {
      gone.push(...journalKeys, ...snapshotKeys);
      journalKeys = snapshotKeys = [];
    } else {
      head.journalBytes += journal.length;
      if (head.journalBytes > Math.max(this.#journalBytes, head.snapshot)) {
        const text = JSON.stringify(loaded.machine!.snapshot());
        gone.push(...journalKeys, ...snapshotKeys);
        snapshotKeys = piecesInto(entries, `s${padded(head.journal++)}`, text);
        journalKeys = [];
        head.snapshot = text.length;
        head.journalBytes = 0;
      } else {
        const key = `j${padded(head.journal++)}`;
        entries.set(key, journal);
        journalKeys = [...journalKeys, key];
      }
    }
    entries.set("head", head);
    try {
      await this.#write(entries, gone, head);
    } catch (error) {
      // The machine is ahead of the storage: begin again from there.
      this.#loaded = undefined;
      throw error;
    }
    if (head.over > 0 && this.#configuration.log) {
      logAnswer(
        { streaming: true, answer: loaded.plan.answer, dropped: [] },
        loaded.machine!.tally,
        head.begun,
        false,
      );
    }
    this.#loaded = Object.assign(loaded, {
      head,
      batches,
      kept,
      machine: head.over > 0 ? undefined : loaded.machine,
      journalKeys,
      snapshotKeys,
    });
    this.#tell();
    this.#news = this.#nextNews();
  }

  /** All of it, or nothing. */
  async #write(
    entries: ReadonlyMap<string, unknown>,
    gone: readonly string[],
    head: Head,
  ): Promise<void> {
    const list = [...entries];
    const writes: Promise<unknown>[] = [];
    // A storage takes so many keys at once.
    for (let from = 0; from < list.length; from += 128) {
      writes.push(
        this.#storage.put(Object.fromEntries(list.slice(from, from + 128))),
      );
    }
    for (let from = 0; from < gone.length; from += 128) {
      writes.push(this.#storage.delete(gone.slice(from, from + 128)));
    }
    if (head.over > 0) {
      writes.push(
        this.#storage.setAlarm(head.over + this.#configuration.retainTime),
      );
    }
    await Promise.all(writes);
  }

  async #load(): Promise<Loaded> {
    if (this.#loaded !== undefined) return this.#loaded;
    const head = await this.#storage.get("head") as Head | undefined;
    if (head === undefined) {
      throw new Problem(
        404,
        "There is no such stream, or it is over for long",
        {
          code: "unknown_stream",
        },
      );
    }
    const [planned, stored, saved, journal] = await Promise.all([
      this.#storage.list({ prefix: "p" }),
      this.#storage.list({ prefix: "e" }),
      this.#storage.list({ prefix: "s" }),
      this.#storage.list({ prefix: "j" }),
    ]);
    const batches = batchesOf(stored);
    const loaded: Loaded = {
      head,
      plan: JSON.parse([...planned.values()].join("")) as MachinePlan,
      batches,
      kept: batches.reduce((sum, { length }) => sum + length, 0),
      machine: undefined,
      journalKeys: [...journal.keys()],
      snapshotKeys: [...saved.keys()],
    };
    this.#loaded = loaded;
    if (head.over === 0) {
      try {
        loaded.machine = this.#restored(loaded.plan, saved, journal);
      } catch {
        await this.#abandon(loaded);
      }
    }
    return loaded;
  }

  #restored(
    plan: MachinePlan,
    saved: ReadonlyMap<string, unknown>,
    journal: ReadonlyMap<string, unknown>,
  ): AnswerMachine {
    const text = [...saved.values()].join("");
    const machine = new AnswerMachine(
      plan,
      this.#configuration,
      text === "" ? undefined : JSON.parse(text),
    );
    // What comes out was stored with the bytes.
    for (const bytes of journal.values()) {
      machine.push(bytes as Uint8Array, () => {});
    }
    return machine;
  }

  /** A snapshot of another version cannot be gone on from: the readers are told. */
  async #abandon(loaded: Loaded): Promise<void> {
    loaded.machine = new AnswerMachine(loaded.plan, this.#configuration);
    const events: string[] = [];
    loaded.machine.fail({
      name: "api_error",
      message: "The gateway was changed in the middle of the stream",
      code: "snapshot",
    }, (event) => events.push(event));
    // The error; what follows it would begin the answer once more.
    await this.#commit(loaded, events.slice(0, 1), {
      ...loaded.head,
      over: Date.now(),
    });
  }
}

/** The events from a number on, in one text, or as many as are enough. */
function textFrom(
  { head, batches }: Loaded,
  from: number,
): { text: string; next: number } | undefined {
  let index = batches.length;
  while (index > 0 && endOf(batches[index - 1]!) > from) index--;
  if (index === batches.length) return undefined;
  const pieces: string[] = [];
  let next = from;
  let length = 0;
  for (; index < batches.length && length < PIECE; index++) {
    const { first, events } = batches[index]!;
    for (const event of events.slice(next - first)) {
      pieces.push(`id: ${head.name}.${next++}\n${event}`);
      length += event.length;
    }
  }
  return { text: pieces.join(""), next };
}

/** The number of the event behind a batch. */
function endOf({ first, events }: Batch): number {
  return first + events.length;
}

/** Numbers as keys are ordered as text. */
function padded(number: number): string {
  return String(number).padStart(12, "0");
}

/** A text as values of a storage. Returns their keys. */
function piecesInto(
  entries: Map<string, unknown>,
  prefix: string,
  text: string,
): string[] {
  const keys: string[] = [];
  for (let from = 0; from < text.length; from += PIECE) {
    const key = `${prefix}.${String(keys.length).padStart(4, "0")}`;
    entries.set(key, text.slice(from, from + PIECE));
    keys.push(key);
  }
  return keys;
}

function batchesOf(stored: ReadonlyMap<string, unknown>): Batch[] {
  const pieces = new Map<number, { keys: string[]; texts: string[] }>();
  for (const [key, text] of stored) {
    const first = Number(key.slice(1, key.indexOf(".")));
    const batch = pieces.get(first) ?? { keys: [], texts: [] };
    batch.keys.push(key);
    batch.texts.push(text as string);
    pieces.set(first, batch);
  }
  return [...pieces].map(([first, { keys, texts }]) => {
    const text = texts.join("");
    return {
      first,
      events: JSON.parse(text) as string[],
      length: text.length,
      keys,
    };
  });
}
