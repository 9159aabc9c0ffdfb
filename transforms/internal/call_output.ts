import type { WarningCode } from "../part.ts";
import type {
  CallCandidate,
  CallProgress,
  FoundCall,
  Reading,
} from "./call_candidate.ts";
import type { TextWindow } from "./text_window.ts";

/** The state of a {@linkcode CallOutput} as plain data. */
export interface CallOutputSnapshot {
  ids: number;
  told: number;
}

/** Gives out what there is to say about calls: the calls, warnings, and their progress. */
export class CallOutput {
  readonly #window: TextWindow;
  readonly #generateId: (index: number) => string;
  readonly #progress: boolean;
  /** How many ids were given. */
  #ids: number;
  /** Calls that begin before this offset were told of once. */
  #told: number;

  constructor(
    window: TextWindow,
    generateId: (index: number) => string,
    progress: boolean,
    snapshot: CallOutputSnapshot = { ids: 0, told: 0 },
  ) {
    this.#window = window;
    this.#generateId = generateId;
    this.#progress = progress;
    this.#ids = snapshot.ids;
    this.#told = snapshot.told;
  }

  snapshot(): CallOutputSnapshot {
    return { ids: this.#ids, told: this.#told };
  }

  warn(code: WarningCode, message: string, start: number, end: number): void {
    this.#window.give(start);
    this.#window.emit({ type: "warning", code, message, start, end });
  }

  /** Takes a call out of the text: from what was given out to `end`. */
  call(dialect: string, call: FoundCall, end: number): void {
    const window = this.#window;
    const start = window.out;
    const { text: raw, waiting } = window.cut(end);
    const { name, input, repairs, missing } = call;
    if (repairs.length > 0) {
      this.warn(
        "repaired",
        `A tool call was repaired: ${repairs.join(", ")}`,
        start,
        end,
      );
    }
    if (missing.length > 0) {
      const names = missing.map((one) => `"${shown(one)}"`).join(", ");
      this.warn(
        "missing-parameter",
        `A tool call lacks what its schema requires: ${names}`,
        start,
        end,
      );
    }
    window.emit({
      type: "tool-call",
      toolCallId: call.id ?? this.#newId(),
      toolName: name,
      input,
      origin: "salvaged",
      dialect,
      raw,
      start,
      end,
      repairs,
    });
    for (const part of waiting) window.emit(part);
  }

  /** A call's name is known: its progress is told from here on. */
  begin(candidate: CallCandidate, { reader }: Reading, name: string): void {
    const start = candidate.start + reader.call!.start;
    if (
      !this.#progress || candidate.readings.length > 1 || start < this.#told
    ) return;
    const from = candidate.start + reader.at;
    this.#told = from;
    const id = this.#newId();
    candidate.progress = { id, name, from, to: from };
    this.#window.give(candidate.from);
    this.#window.emit({
      type: "tool-input-start",
      toolCallId: id,
      toolName: name,
    });
  }

  /** Tells what came of the call, up to an offset. */
  more(
    candidate: CallCandidate,
    to: number = candidate.start + candidate.readings[0]!.reader.safeAt,
  ): void {
    const { progress } = candidate;
    if (progress === null || progress.to >= to) return;
    const delta = candidate.textOf(this.#window, progress.to, to);
    progress.to = to;
    this.#window.emit({
      type: "tool-input-delta",
      toolCallId: progress.id,
      delta,
    });
  }

  /** The call at hand is complete. Gives what was told of it, if that was anything. */
  complete(candidate: CallCandidate, end: number): CallProgress | null {
    this.more(candidate, end);
    const { progress } = candidate;
    candidate.progress = null;
    return progress;
  }

  /** The call at hand comes to nothing. */
  abandon(candidate: CallCandidate): void {
    const { progress } = candidate;
    if (progress === null) return;
    this.more(candidate);
    candidate.progress = null;
    const { id, name, from, to } = progress;
    this.#partial(id, name, candidate.textOf(this.#window, from, to));
  }

  /** Calls that were complete come to nothing after all. */
  abandonCalls(candidate: CallCandidate, calls: readonly FoundCall[]): void {
    for (const { id, name, told, end } of calls) {
      if (id !== null) {
        this.#partial(id, name, candidate.textOf(this.#window, told, end));
      }
    }
  }

  #partial(toolCallId: string, toolName: string, inputText: string): void {
    this.#window.emit({
      type: "tool-call-partial",
      toolCallId,
      toolName,
      inputText,
    });
  }

  #newId(): string {
    return this.#generateId(++this.#ids);
  }
}

/** A name from hostile text, fit for a message. */
export function shown(name: string): string {
  return name.length <= 64 ? name : `${name.slice(0, 63)}…`;
}
