import type {
  ErrorInfo,
  FinishPart,
  FinishReason,
  Part,
  UsagePart,
} from "../../transforms/part.ts";
import type { Emit, Stage } from "../../transforms/stage.ts";
import {
  makeSnapshot,
  openSnapshot,
} from "../../transforms/internal/snapshot.ts";
import type { ProviderInput, ProviderOptions } from "../provider.ts";
import {
  CallCollector,
  type CallCollectorOptions,
  type CallCollectorSnapshot,
  type OpenCall,
} from "./call_collector.ts";
import {
  arrayOf,
  isEmpty,
  isObject,
  type JSONObject,
  objectOf,
  toJSON,
} from "./json.ts";

/** What every decoder remembers. */
interface Core {
  /** Offset of the next code unit in the text channel. */
  offset: number;
  /** The provider's last reason in our vocabulary. */
  reason?: FinishReason;
  /** The same in the provider's word. */
  rawReason?: string;
  /** The provider's end marker was seen. */
  terminal: boolean;
  /** How the stream failed, if it did. */
  failed?: "error" | "cancelled";
  /** It was the transport that failed. */
  broken?: boolean;
  /** The last usage given out. */
  usage?: UsagePart;
  /** The key of a closed call without arguments that waits for what follows. */
  waiting?: string;
  /** Warnings that are given once only. */
  warned: string[];
}

/** The numbers of a usage part; others are left out. */
export interface UsageNumbers {
  inputTokens?: unknown;
  outputTokens?: unknown;
  totalTokens?: unknown;
  reasoningTokens?: unknown;
  cachedInputTokens?: unknown;
}

const USAGE_KEYS = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "reasoningTokens",
  "cachedInputTokens",
] as const;

/**
 * What all provider decoders have in common: JSON is parsed, noise is told from
 * events, text gets its offsets, calls are collected, and the end says honestly
 * what was seen. A subclass says what an event means.
 *
 * @typeParam Own What the subclass remembers, as plain data.
 */
export abstract class Decoder<Own> implements Stage<ProviderInput, Part> {
  readonly #name: string;
  readonly #raw: "unknown" | "all" | "none";
  readonly #core: Core;
  /** What the subclass remembers. */
  protected readonly own: Own;
  /** The calls that are open. */
  protected readonly calls: CallCollector;
  /** Where parts go, during `push` and `end`. */
  protected emit: Emit<Part> = () => {};
  /** Whether the event has content of a kind that cannot be read. */
  #unread = false;
  /** Whether the event, or what could not be read of it, has passed as `raw`. */
  #passed = false;

  /**
   * @param name The provider's name, for the snapshot.
   * @param options The options, checked here.
   * @param snapshot What an earlier decoder gave.
   * @param fresh What the subclass remembers at the beginning.
   */
  constructor(
    name: string,
    options: ProviderOptions,
    snapshot: unknown,
    fresh: Own,
  ) {
    checkDecoderOptions(options);
    this.#name = name;
    this.#raw = options.raw ?? "unknown";
    const collector: CallCollectorOptions = {
      generateId: options.generateId,
      maxOpenCalls: options.maxOpenCalls ?? 1024,
      maxArgumentChars: options.maxArgumentChars ?? 16_777_216,
    };
    const state = openSnapshot<
      { core: Core; own: Own; calls: CallCollectorSnapshot }
    >(name, snapshot);
    this.#core = state?.core ?? { offset: 0, terminal: false, warned: [] };
    this.own = state?.own ?? fresh;
    this.calls = new CallCollector(collector, state?.calls);
  }

  push(input: ProviderInput, emit: Emit<Part>): void {
    this.emit = emit;
    if (input.error !== undefined) {
      this.fail(input.error, true);
      this.#core.broken = true;
      this.#core.failed = input.error.name === "AbortError"
        ? "cancelled"
        : "error";
      return;
    }
    let value = input.value;
    if (value === undefined) {
      const data = input.data;
      // A thrown error costs more than twenty events do.
      if (data === "[DONE]") return this.done();
      try {
        value = JSON.parse(data);
      } catch {
        if (!this.#several(data, input.event)) this.#noise(data, input.event);
        return;
      }
    }
    if (this.#raw === "all") emit({ type: "raw", value });
    if (isObject(value)) this.#read(value, input.event);
    else if (Array.isArray(value)) {
      // A whole list of events in one: a log, or a body read at once.
      for (const one of value) {
        if (isObject(one)) this.#read(one, input.event);
        else this.raw(one);
      }
    } else this.raw(value);
  }

  end(emit: Emit<Part>): void {
    this.emit = emit;
    this.settle(false);
    this.over();
    for (const call of this.calls.all()) this.calls.partial(emit, call);
    const core = this.#core;
    let reason = core.failed ?? core.reason ?? "unknown";
    if (reason === "stop" && this.asksForResults()) reason = "tool-calls";
    const part: FinishPart = {
      type: "finish",
      reason,
      complete: core.failed === undefined
        ? this.isComplete()
        : core.terminal && !core.broken,
    };
    if (core.rawReason !== undefined) part.rawReason = core.rawReason;
    emit(part);
  }

  snapshot(): unknown {
    return makeSnapshot(this.#name, {
      core: this.#core,
      own: this.own,
      calls: this.calls.snapshot(),
    });
  }

  /** One event; it passes as `raw` too when something in it could not be read. */
  #read(value: JSONObject, event: string | undefined): void {
    this.#unread = this.#passed = false;
    this.event(value, event);
    if (this.#unread && !this.#passed) this.raw(value);
  }

  /** One event. */
  protected abstract event(value: JSONObject, event: string | undefined): void;

  /** `[DONE]` was seen, which some wires end with. */
  protected done(): void {
    this.terminal();
  }

  /** The stream is over; open calls are given out as partial behind this. */
  protected over(): void {}

  /** Whether the end is one. */
  protected isComplete(): boolean {
    return this.#core.terminal;
  }

  /** Whether a normal end with calls in it asks the host to run them. */
  protected asksForResults(): boolean {
    return this.calls.any;
  }

  /** What failed has been made good: a later turn went well. */
  protected recover(): void {
    if (this.#core.broken !== true) delete this.#core.failed;
  }

  /** The provider's end marker was seen. */
  protected terminal(): void {
    this.#core.terminal = true;
  }

  /** Whether the provider's end marker was seen. */
  protected get isTerminal(): boolean {
    return this.#core.terminal;
  }

  /** The last reason in our vocabulary. */
  protected get reason(): FinishReason | undefined {
    return this.#core.reason;
  }

  /** Whether an error came. */
  protected get hasFailed(): boolean {
    return this.#core.failed !== undefined;
  }

  protected text(text: string): void {
    if (text === "") return;
    const start = this.#core.offset;
    this.#core.offset = start + text.length;
    this.emit({ type: "text", text, start });
  }

  protected reasoning(text: string): void {
    if (text !== "") this.emit({ type: "reasoning", text });
  }

  /** A text of an event. One that is none is `""`, and the event passes as `raw`. */
  protected stringIn(value: unknown): string {
    if (typeof value === "string") return value;
    if (!isEmpty(value)) this.#unread = true;
    return "";
  }

  /** The same for an object. */
  protected objectIn(value: unknown): JSONObject | undefined {
    const object = objectOf(value);
    if (object === undefined && !isEmpty(value)) this.#unread = true;
    return object;
  }

  /** The same for a list. */
  protected arrayIn(value: unknown): readonly unknown[] {
    if (!Array.isArray(value) && !isEmpty(value)) this.#unread = true;
    return arrayOf(value);
  }

  /** Something in the event could not be read. */
  protected unread(): void {
    this.#unread = true;
  }

  /** An event, or a part of one, for which there is no part. */
  protected raw(value: unknown): void {
    this.#passed = true;
    if (this.#raw === "unknown") this.emit({ type: "raw", value });
  }

  protected warn(code: string, message: string): void {
    this.emit({ type: "warning", code, message });
  }

  /** A warning that is given once in a stream. */
  protected warnOnce(code: string, message: string): void {
    if (this.#core.warned.includes(code)) return;
    this.#core.warned.push(code);
    this.warn(code, message);
  }

  /** The provider's reason. The last one counts. */
  protected finish(reason: FinishReason, rawReason: string): void {
    this.#core.reason = reason;
    this.#core.rawReason = rawReason;
  }

  /** An error that came in the stream. */
  protected fail(error: ErrorInfo, fatal: boolean): void {
    this.#core.failed ??= "error";
    this.emit({ type: "error", error, fatal });
  }

  /**
   * A call's block is closed. One without any argument text waits for the next
   * event: a tool without parameters looks the same as a call that was cut before
   * its first argument, and only what follows tells.
   */
  protected closeCall(call: OpenCall): void {
    // It can be closed twice, with arguments in between.
    if (this.#core.waiting === call.key) delete this.#core.waiting;
    else this.settle(true);
    if (call.length === 0) this.#core.waiting = call.key;
    else this.calls.complete(this.emit, call);
  }

  /** What followed the waiting call, if there is one, says whether it is whole. */
  protected settle(complete: boolean): void {
    const key = this.#core.waiting;
    if (key === undefined) return;
    delete this.#core.waiting;
    const call = this.calls.find(key);
    if (call === undefined) return;
    if (complete) this.calls.complete(this.emit, call);
    else this.calls.partial(this.emit, call);
  }

  /** Token counts: those given replace the earlier ones, the others stay. */
  protected usage(numbers: UsageNumbers): void {
    const last = this.#core.usage;
    let part: UsagePart | undefined;
    for (const key of USAGE_KEYS) {
      const value = numbers[key];
      if (typeof value !== "number" || !Number.isFinite(value)) continue;
      if (last?.[key] === value) continue;
      part ??= { ...last, type: "usage" };
      part[key] = value;
    }
    if (part === undefined) return;
    this.#core.usage = part;
    this.emit({ ...part });
  }

  /**
   * Several events in one, a line each: servers that leave out the blank lines
   * between them. All of it has to be that.
   */
  #several(data: string, event: string | undefined): boolean {
    const lines = data.split("\n").filter((line) => line.trim() !== "");
    if (lines.length < 2) return false;
    const inputs: ProviderInput[] = [];
    for (const line of lines) {
      const input: ProviderInput = { data: line, event };
      if (line.trim() !== "[DONE]") {
        try {
          input.value = JSON.parse(line);
        } catch {
          return false;
        }
      }
      inputs.push(input);
    }
    this.warnOnce(
      "repaired",
      "Read several events out of one: the blank lines between them are missing",
    );
    for (const input of inputs) this.push(input, this.emit);
    return true;
  }

  /** What is not JSON: keep-alives, the end marker, and things to report. */
  #noise(data: string, event: string | undefined): void {
    const text = data.trim();
    // An empty event, or a comment that a proxy wrapped in a data line.
    if (text === "" || text.startsWith(":")) return;
    if (text === "[DONE]") return this.done();
    if (this.#raw === "all") this.emit({ type: "raw", value: data });
    if (event === "error") {
      this.fail({ name: "Error", message: text.slice(0, 1000) }, true);
      return;
    }
    this.warn(
      "invalid-line",
      `Skipped an event that is not JSON, it begins "${text.slice(0, 80)}"`,
    );
    this.raw(data);
  }
}

/**
 * Refuses options that no decoder can follow. Throws a `TypeError` or a
 * `RangeError`.
 */
export function checkDecoderOptions(options: ProviderOptions): void {
  for (const key of ["maxOpenCalls", "maxArgumentChars"] as const) {
    const value = options[key];
    if (value !== undefined && !(value >= 1)) {
      throw new RangeError(
        `Cannot decode with ${key} "${value}": it must be 1 or more`,
      );
    }
  }
  const { choice = 0, raw = "unknown", generateId } = options;
  if (!Number.isInteger(choice) || choice < 0) {
    throw new RangeError(
      `Cannot read choice "${choice}": it must be a whole number from 0`,
    );
  }
  if (raw !== "unknown" && raw !== "all" && raw !== "none") {
    throw new TypeError(
      `Cannot decode with raw "${raw}": it is "unknown", "all" or "none"`,
    );
  }
  if (generateId !== undefined && typeof generateId !== "function") {
    throw new TypeError("Cannot decode: generateId is no function");
  }
}

/** What an error says: a text, or what else stands in its place. */
function sayingOf(given: unknown): string {
  if (typeof given === "string" && given !== "") return given;
  return (isEmpty(given) ? undefined : toJSON(given)?.slice(0, 1000)) ??
    "The provider reported an error";
}

/**
 * An error object in any of the shapes providers use: `{message, type, code}`,
 * `{code, message, status}`, a string.
 */
export function errorOf(given: unknown, name = "ProviderError"): ErrorInfo {
  // Where the event itself was given, what it says is one level down.
  const error = isObject(given) && isEmpty(given.message) &&
      isObject(given.error)
    ? given.error
    : given;
  if (!isObject(error)) {
    return { name, message: sayingOf(error) };
  }
  const info: ErrorInfo = {
    name: typeof error.type === "string" && error.type !== ""
      ? error.type
      : typeof error.status === "string" && error.status !== ""
      ? error.status
      : name,
    message: sayingOf(error.message),
  };
  if (typeof error.code === "string" || typeof error.code === "number") {
    info.code = String(error.code);
  }
  return info;
}

/** A provider's word in our vocabulary; `"unknown"` when the table has it not. */
export function reasonOf(
  table: Readonly<Record<string, FinishReason>>,
  word: string,
): FinishReason {
  // The word comes from the wire: it may be the name of something every object has.
  return Object.hasOwn(table, word) ? table[word]! : "unknown";
}

/** Whether an answer that ended so was cut, so that what was last may be half. */
export function isCut(reason: FinishReason): boolean {
  return reason !== "stop" && reason !== "tool-calls";
}
