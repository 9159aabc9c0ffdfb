/**
 * The faults, each put in before every chunk of a recorded stream, and what has
 * to hold then. Web APIs only: the same file runs on every runtime.
 */
import { type Part, sanitizeSurrogates } from "../../mod.ts";
import { Consumer } from "./consumer.ts";
import { type Answer, BROKEN, FaultSource } from "./fault_source.ts";
import {
  type FaultSubject,
  IS_WORKERD,
  type OpenOptions,
} from "./fault_subject.ts";
import type { Watch } from "./watch.ts";

/** How one fault went with one adapter. */
export interface Cell {
  subject: string;
  fault: string;
  runs: number;
  failures: string[];
}

/** Whether the runtime's own pipe is in it. */
function isPiped({ ending, name }: FaultSubject): boolean {
  return ending === "pipe" || ending === "encoded" || name.endsWith("piped") ||
    name.startsWith("AI SDK");
}

type Kind = FaultSubject["sources"][number];

/** Fails a run. */
function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** As JSON; bytes as their numbers. */
function json(value: unknown): string {
  return JSON.stringify(value);
}

/** Lets everything happen that can. */
export type Turn = () => Promise<void>;

/** A signal that counts who listens. */
class CountedAbort {
  readonly controller: AbortController = new AbortController();
  listeners = 0;

  constructor() {
    const { signal } = this.controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    const listening = new Set<unknown>();
    signal.addEventListener = (
      type: string,
      listener: EventListenerOrEventListenerObject,
      options?: AddEventListenerOptions | boolean,
    ) => {
      listening.add(listener);
      this.listeners = listening.size;
      add(type, listener, options);
    };
    signal.removeEventListener = (
      type: string,
      listener: EventListenerOrEventListenerObject,
      options?: EventListenerOptions | boolean,
    ) => {
      listening.delete(listener);
      this.listeners = listening.size;
      remove(type, listener, options);
    };
  }
}

/** One run: a source, an adapter on it, who reads it. */
class Run {
  readonly subject: FaultSubject;
  readonly source: FaultSource;
  readonly abort: CountedAbort = new CountedAbort();
  readonly consumer: Consumer;
  readonly #signalled: boolean;

  constructor(
    subject: FaultSubject,
    kind: Kind,
    stopAt: number,
    options: { hangs?: boolean; onError?: "part" | "throw" } = {},
  ) {
    this.subject = subject;
    this.source = new FaultSource(
      subject.chunks,
      stopAt,
      options.hangs ?? false,
    );
    const given: OpenOptions = {};
    this.#signalled = subject.signal;
    if (subject.signal) given.signal = this.abort.controller.signal;
    if (options.onError !== undefined) given.onError = options.onError;
    this.consumer = new Consumer(subject.open(this.source, kind, given));
  }

  get output(): readonly unknown[] {
    return this.consumer.output;
  }

  /** Everything is let go of, and the source was cancelled so often. */
  checkReleased(cancels: number, locked = false): void {
    check(
      this.source.cancels.length === cancels,
      `the source was cancelled ${this.source.cancels.length} times, not ${cancels}`,
    );
    check(locked || !this.source.locked, "the source is still locked");
    // The runtime's own pipes listen in their own way.
    if (this.#signalled && this.subject.ending !== "pipe") {
      check(
        this.abort.listeners === 0,
        `${this.abort.listeners} still listen to the signal`,
      );
    }
  }
}

/** What a subject gives when nothing goes wrong. */
interface Known {
  whole: readonly unknown[];
  /** What has come out when the source stops before a chunk. */
  received: readonly (readonly unknown[])[];
}

function partsOf(output: readonly unknown[], type: string): Part[] {
  return (output as Part[]).filter((part) => part.type === type);
}

function textOf(output: readonly unknown[], type: "text" | "reasoning") {
  return partsOf(output, type).map((part) => (part as { text: string }).text)
    .join("");
}

function callsOf(output: readonly unknown[]): string[] {
  return partsOf(output, "tool-call").map((part) =>
    json((part as { input: unknown }).input)
  );
}

/** What was received comes out, first of all and as it was. */
function checkReceived(
  received: readonly unknown[],
  output: readonly unknown[],
): void {
  check(
    json(output.slice(0, received.length)) === json(received),
    `received ${json(received).slice(-400)}, came out ${
      json(output).slice(-400)
    }`,
  );
}

/** The text of the text parts, and of what was cut out, in order. */
function conserved(output: readonly unknown[]): string {
  return (output as Part[]).map((part) =>
    part.type === "text"
      ? part.text
      : "raw" in part && typeof part.raw === "string"
      ? part.raw
      : ""
  ).join("");
}

/** All of the text that the source gave has come out. */
function checkConserved({ subject }: Place, run: Run): void {
  if (subject.texts === undefined) return;
  const { output, source: { given } } = run;
  // Half a surrogate pair becomes a sign for that.
  const expected = sanitizeSurrogates(subject.texts.slice(0, given).join(""));
  check(
    sanitizeSurrogates(conserved(output)) === expected,
    `given ${json(expected)}, came out ${json(conserved(output))}`,
  );
}

/** Nothing is in it that is not in the whole answer. */
function checkInvented(
  subject: FaultSubject,
  known: Known,
  output: readonly unknown[],
): void {
  if (subject.texts !== undefined) {
    check(
      subject.texts.join("").startsWith(
        conserved(output).replace(/\ufffd$/, ""),
      ),
      `invented ${json(conserved(output)).slice(-200)}`,
    );
    return checkCalls(known, output);
  }
  for (const type of ["text", "reasoning"] as const) {
    check(
      // Half a character becomes a sign for that.
      textOf(known.whole, type).startsWith(
        textOf(output, type).replace(/\ufffd$/, ""),
      ),
      `invented ${type} ${json(textOf(output, type)).slice(-200)}`,
    );
  }
  checkCalls(known, output);
}

/** Half a call is none. */
function checkCalls(known: Known, output: readonly unknown[]): void {
  const calls = callsOf(known.whole);
  for (const call of callsOf(output)) {
    check(calls.includes(call), `invented a call of ${call}`);
  }
}

/** Exactly one terminal part, the last one. */
function checkTerminal(
  subject: FaultSubject,
  known: Known,
  output: readonly unknown[],
  reasons: readonly string[],
): void {
  if (subject.ending === "encoded") {
    const terminals = subject.terminals!(output);
    check(
      terminals === 1 ||
        (terminals === 0 && subject.mayEndBare === true &&
          reasons.includes("any")),
      `${terminals} terminal elements`,
    );
    return;
  }
  if (subject.ending !== "parts") return;
  checkInvented(subject, known, output);
  const finishes = partsOf(output, "finish");
  check(finishes.length === 1, `${finishes.length} finish parts`);
  check(output.at(-1) === finishes[0], "finish is not the last part");
  const [finish] = finishes as Extract<Part, { type: "finish" }>[];
  check(
    reasons.includes("any") || reasons.includes(finish!.reason),
    `the reason is ${finish!.reason}`,
  );
  const errors = partsOf(output, "error").filter((part) =>
    (part as { fatal: boolean }).fatal
  );
  check(errors.length <= 1, `${errors.length} fatal errors`);
  if (finish!.reason === "error") {
    check(errors.length === 1, "an error without an error part");
  }
  if (finish!.complete && subject.endIsMarker !== true) {
    check(
      textOf(output, "text") === textOf(known.whole, "text"),
      "half an answer looks complete",
    );
  }
}

/** What the surroundings of a fault know. */
interface Place {
  subject: FaultSubject;
  known: Known;
  kind: Kind;
  at: number;
  turn: Turn;
}

/** Reads to where the source stops, and what was received has come out. */
async function stopped(place: Place, options = {}): Promise<
  { run: Run; reading: Promise<void> }
> {
  const run = new Run(place.subject, place.kind, place.at, options);
  const reading = run.consumer.read();
  await run.source.reached.opened;
  await place.turn();
  return { run, reading };
}

/** Reads what was received and no more: nobody waits for anything. */
async function idle(place: Place, options = {}): Promise<Run> {
  const run = new Run(place.subject, place.kind, place.at, options);
  await run.consumer.read(place.known.received[place.at]!.length);
  // A pipe may be about to be given one more: until it has it, it was not given.
  await place.turn();
  return run;
}

type Fault = (place: Place) => Promise<void>;

/** Checks the end of a run whose source failed. */
function checkFailed(place: Place, run: Run, thrown: boolean): void {
  const { subject, known, at } = place;
  checkReceived(known.received[at]!, run.output);
  if (thrown || subject.ending === "fails" || subject.ending === "pipe") {
    check(run.consumer.ended === "failed", "it did not fail");
    check(run.consumer.error === BROKEN, "it failed with something else");
    if (subject.ending === "parts") {
      check(partsOf(run.output, "finish").length === 0, "failed and finished");
      checkInvented(subject, known, run.output);
    }
  } else {
    check(run.consumer.ended === "closed", "it was not closed");
    checkTerminal(subject, known, run.output, ["error"]);
  }
  // A pipe that fails throws away what a stage behind it holds.
  if (!thrown || !subject.name.endsWith("piped")) {
    checkConserved(place, run);
  }
}

const error: Fault = async (place) => {
  const modes = place.subject.ending === "parts"
    ? ["part", "throw"] as const
    : ["part"] as const;
  for (const onError of modes) {
    const { run, reading } = await stopped(place, { onError });
    run.source.answer("error");
    await reading;
    await place.turn();
    checkFailed(place, run, onError === "throw");
    run.checkReleased(place.subject.returns === true ? 1 : 0);
  }
};

/** The connection breaks while nobody waits for it; then somebody reads. */
const errorUnread: Fault = async (place) => {
  if (place.kind !== "readable") return;
  const run = await idle(place);
  run.source.fail();
  await place.turn();
  await run.consumer.read();
  await place.turn();
  const { ending } = place.subject;
  // A pipe has read ahead: what it failed with is all that is sure.
  if (ending === "pipe") {
    check(run.consumer.error === BROKEN, "it failed with something else");
  } else if (ending !== "encoded") checkFailed(place, run, false);
  run.checkReleased(0);
};

const close: Fault = async (place) => {
  const { subject, known, at } = place;
  if (place.kind === "database") return;
  const { run, reading } = await stopped(place);
  run.source.answer("close");
  await reading;
  await place.turn();
  check(run.consumer.ended === "closed", "it was not closed");
  checkReceived(known.received[at]!, run.output);
  checkTerminal(subject, known, run.output, ["any"]);
  checkConserved(place, run);
  run.checkReleased(0);
};

const abort: Fault = async (place) => {
  const { subject, known, at } = place;
  if (!subject.signal) return;
  const reason = new Error("because");
  const isPipe = subject.ending === "pipe";
  // While a read waits, of a source that never answers and hangs when it is
  // cancelled; and while nobody reads.
  for (const waiting of [true, false]) {
    const options = { hangs: waiting && !isPipe };
    let run: Run;
    if (waiting) {
      const begun = await stopped(place, options);
      run = begun.run;
      run.abort.controller.abort(reason);
      run.abort.controller.abort("again");
      await begun.reading;
    } else {
      run = await idle(place, options);
      run.abort.controller.abort(reason);
      await place.turn();
      await run.consumer.read();
    }
    await place.turn();
    if (!isPipe || waiting) checkReceived(known.received[at]!, run.output);
    if (isPipe) {
      check(run.consumer.ended === "failed", "it did not fail");
      check(run.consumer.error === reason, "it failed with something else");
    } else {
      check(run.consumer.ended === "closed", "it was not closed");
      checkTerminal(subject, known, run.output, ["cancelled"]);
      checkConserved(place, run);
    }
    // A pipe may have read to the end already.
    if (isPipe && !waiting && run.source.cancels.length === 0) {
      run.checkReleased(0);
    } else run.checkReleased(1);
  }
};

const cancel: Fault = async (place) => {
  const { known, at } = place;
  for (const waiting of [true, false]) {
    let run: Run;
    if (waiting) {
      const begun = await stopped(place);
      run = begun.run;
      const cancelling = run.consumer.cancel("enough");
      if (place.kind === "database" || place.subject.ending === "fails") {
        // An iterator that waits hears of it when it need not wait any more.
        run.source.answer("go");
      }
      await cancelling;
      await begun.reading;
    } else {
      run = await idle(place);
      await run.consumer.cancel("enough");
    }
    await run.consumer.cancel("again");
    await place.turn();
    checkReceived(known.received[at]!, run.output);
    check(run.consumer.error === undefined, "it failed");
    await run.consumer.step();
    check(run.consumer.ended === "closed", "there is more to read");
    if (place.kind === "database") continue;
    const seen = run.source.cancels.length;
    const over = run.source.pulls > place.subject.chunks.length;
    // It may have come to its end before.
    run.checkReleased(!waiting && over ? Math.min(1, seen) : 1);
  }
};

const stall: Fault = async (place) => {
  const { run, reading } = await stopped(place);
  await place.turn();
  checkReceived(place.known.received[place.at]!, run.output);
  check(
    run.output.length === place.known.received[place.at]!.length,
    "more came than was received",
  );
  run.source.answer("go");
  await reading;
  await place.turn();
  check(json(run.output) === json(place.known.whole), "it is not the whole");
  run.checkReleased(0);
};

/** Rests before each element from a chunk on. */
const slow: Fault = async (place) => {
  const { subject, known, at } = place;
  const run = new Run(subject, place.kind, Infinity);
  await run.consumer.read(known.received[at]!.length);
  for (let rests = 0; rests < 3 && run.consumer.ended === undefined; rests++) {
    const has = run.output.length;
    // So many chunks were needed for what has come out, and for the next in
    // the queues of a pipe.
    const queued = has + subject.readsAhead;
    let needed = known.received.findIndex(({ length }) =>
      length >= queued + Math.sign(subject.readsAhead)
    );
    if (needed < 0) needed = subject.chunks.length + 1;
    await place.turn();
    check(
      run.source.pulls <= needed + subject.readsAhead,
      `${run.source.pulls} chunks were read for ${needed}`,
    );
    await run.consumer.step();
  }
  await run.consumer.read();
  await place.turn();
  check(json(run.output) === json(known.whole), "it is not the whole");
  run.checkReleased(0);
};

type Deed = Answer | "abort" | "cancel" | "fail";

/** What may happen in the same turn, in this order. */
const RACES: readonly (readonly Deed[])[] = [
  ["error", "abort"],
  ["abort", "error"],
  ["error", "cancel"],
  ["cancel", "error"],
  ["close", "abort"],
  ["abort", "close"],
  ["close", "cancel"],
  ["cancel", "close"],
  ["go", "abort"],
  ["abort", "go"],
  ["go", "cancel"],
  ["cancel", "go"],
  ["abort", "cancel"],
  ["cancel", "abort"],
  ["abort", "abort"],
  ["cancel", "cancel"],
  ["fail", "abort"],
  ["abort", "fail"],
  ["fail", "cancel"],
  ["cancel", "fail"],
  ["abort", "cancel", "error"],
];

const races: Fault = async (place) => {
  const { subject, known } = place;
  for (const deeds of RACES) {
    if (!subject.signal && deeds.includes("abort")) continue;
    if (place.kind !== "readable" && deeds.includes("fail")) continue;
    if (place.kind === "database" && deeds.includes("close")) continue;
    const what = `${deeds.join(", ")}: `;
    const { run, reading } = await stopped(place);
    const cancelling: Promise<unknown>[] = [];
    for (const deed of deeds) {
      if (deed === "abort") run.abort.controller.abort(new Error("because"));
      else if (deed === "cancel") {
        cancelling.push(run.consumer.cancel("enough").catch(() => {}));
      } else if (deed === "fail") run.source.fail();
      else run.source.answer(deed);
    }
    if (subject.ending === "fails") run.source.answer("go");
    await reading;
    await Promise.all(cancelling);
    await place.turn();
    if (place.kind === "database") run.source.answer("go");
    try {
      const cancelled = deeds.includes("cancel");
      if (!cancelled && subject.ending !== "pipe") {
        checkReceived(known.received[place.at]!, run.output);
      }
      if (subject.ending === "parts") {
        checkInvented(subject, known, run.output);
        const finishes = partsOf(run.output, "finish").length;
        check(
          cancelled ? finishes <= 1 : finishes === 1,
          `${finishes} finish parts`,
        );
        if (finishes === 1) {
          check(
            (run.output.at(-1) as Part).type === "finish",
            "finish is not the last part",
          );
        }
        check(run.consumer.ended === "closed", "it failed");
      }
      const { length } = run.source.cancels;
      check(length <= 1, `the source was cancelled ${length} times`);
      if (place.kind !== "database") run.checkReleased(length);
    } catch (thrown) {
      throw new Error(what + (thrown as Error).message);
    }
  }
};

/** All faults, by the heads of the table's columns. */
export const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  "error": [error, errorUnread],
  "early end": [close],
  "abort": [abort],
  "cancel": [cancel],
  "stall": [stall],
  "slow consumer": [slow],
  "races": [races],
};

/** Before how many chunks there is a fault: the end counts, where it is asked for. */
function placesOf({ chunks, sources }: FaultSubject): number {
  return sources[0] === "database" ? chunks.length : chunks.length + 1;
}

/** Finds out what comes out when nothing goes wrong, and before each chunk. */
async function knownOf(subject: FaultSubject, turn: Turn): Promise<Known> {
  const kind = subject.sources[0]!;
  const run = new Run(subject, kind, Infinity);
  await run.consumer.read();
  if (run.consumer.ended !== "closed") throw run.consumer.error;
  const whole = run.output;
  const received = await Promise.all(
    Array.from({ length: placesOf(subject) }, async (_, at) => {
      const one = new Run(subject, kind, at);
      const reading = one.consumer.read();
      await one.source.reached.opened;
      await turn();
      const output = [...one.output];
      one.source.answer("go");
      await reading;
      return output;
    }),
  );
  return { whole, received };
}

/**
 * Puts every fault before every chunk of a subject.
 *
 * @param watch Hears of rejections that nobody handles, and of timers.
 * @param faults The names of the faults, of {@linkcode FAULTS}.
 */
export async function runFaults(
  subject: FaultSubject,
  watch: Watch,
  faults: readonly string[] = Object.keys(FAULTS),
): Promise<Cell[]> {
  const { turn } = watch;
  let known: Known;
  try {
    known = await knownOf(subject, turn);
  } catch (thrown) {
    return faults.map((fault) => ({
      subject: subject.name,
      fault,
      runs: 1,
      failures: [`without a fault: ${thrown}`],
    }));
  }
  const cells: Cell[] = [];
  for (const name of faults) {
    const cell: Cell = {
      subject: subject.name,
      fault: name,
      runs: 0,
      failures: [],
    };
    watch.take();
    const work: Promise<void>[] = [];
    for (const fault of FAULTS[name]!) {
      for (const kind of subject.sources) {
        for (let at = 0; at < placesOf(subject); at++) {
          // What a fault does not apply to is not counted.
          if (name === "abort" && !subject.signal) continue;
          if (name === "early end" && kind === "database") continue;
          if (fault === errorUnread && kind !== "readable") continue;
          cell.runs++;
          work.push(
            limited(fault({ subject, known, kind, at, turn }), watch).catch(
              (thrown) => {
                cell.failures.push(`${kind}, before chunk ${at}: ${thrown}`);
              },
            ),
          );
        }
      }
    }
    await Promise.all(work);
    await turn();
    await turn();
    cell.failures.push(
      ...watch.take().filter((what) =>
        !(IS_WORKERD && isPiped(subject) && what.endsWith(String(BROKEN)))
      ),
    );
    cells.push(cell);
  }
  return cells;
}

/** What takes longer than this hangs. */
const LONGEST = 15_000;

async function limited(work: Promise<void>, watch: Watch): Promise<void> {
  let stop: () => void;
  const late = new Promise<never>((_, reject) => {
    stop = watch.after(LONGEST, () => reject(new Error("it hangs")));
  });
  try {
    await Promise.race([work, late]);
  } finally {
    stop!();
  }
}
