/**
 * The language model API of VS Code (`vscode.lm`) as a source of parts.
 *
 * Nothing is imported from `vscode`: parts are known by their fields, so parts
 * from another realm, of a proposed API and of forks are known too, and all of
 * it can be tested outside an editor.
 *
 * @module
 */

import type { ErrorInfo, FinishReason, Part } from "../transforms/part.ts";
import { pipeline } from "../transforms/pipeline.ts";
import type { Tool } from "../transforms/schema.ts";
import type { Emit, Stage } from "../transforms/stage.ts";
import { SurrogateSanitizerStream } from "../transforms/surrogate_sanitizer.ts";
import { ToolCallSalvagerStream } from "../transforms/tool_call_salvager.ts";
import { CallCollector } from "./internal/call_collector.ts";
import { isEmpty, isObject, type JSONObject } from "./internal/json.ts";

/** What is needed of a `vscode.CancellationToken`. */
export interface CancellationTokenLike {
  /** Whether cancellation has been requested. */
  readonly isCancellationRequested: boolean;
  /** Calls a listener when it is; gives something to stop listening with. */
  readonly onCancellationRequested: (
    listener: (event: unknown) => unknown,
  ) => { dispose(): unknown };
}

/** What is needed of a `vscode.LanguageModelChatResponse`. */
export interface LanguageModelResponseLike {
  /** The parts. */
  readonly stream: AsyncIterable<unknown>;
}

/** A constructor of parts, for `instanceof`. */
// deno-lint-ignore no-explicit-any
export type PartClass = abstract new (...values: any[]) => object;

/** The part classes of the editor at hand. */
export interface LanguageModelPartClasses {
  /** `vscode.LanguageModelTextPart`. */
  text?: PartClass | undefined;
  /** `vscode.LanguageModelToolCallPart`. */
  toolCall?: PartClass | undefined;
  /** `vscode.LanguageModelToolResultPart`. */
  toolResult?: PartClass | undefined;
  /** `vscode.LanguageModelDataPart`. */
  data?: PartClass | undefined;
  /** `vscode.LanguageModelThinkingPart`, which is proposed: it may be missing. */
  thinking?: PartClass | undefined;
}

/** Options of {@linkcode fromVscodeLm}. */
export interface FromVscodeLmOptions {
  /** Ends the stream with `finish` `"cancelled"` when it is cancelled. */
  token?: CancellationTokenLike | undefined;
  /** The same, as a web signal. */
  signal?: AbortSignal | undefined;
  /**
   * The editor's part classes. An instance of one is that kind of part, whatever
   * its fields look like; everything else is known by its fields.
   */
  classes?: LanguageModelPartClasses | undefined;
  /**
   * The tools that were offered with the request. When there are any, halves of
   * surrogate pairs are repaired, and calls of these tools that the model wrote
   * as text become `tool-call` parts, as
   * {@linkcode [tool_call_salvager].ToolCallSalvagerStream} does by default; the
   * `finish` then says `"tool-calls"`. Put
   * the stages behind the source yourself to set their options.
   */
  tools?: readonly Tool[] | undefined;
  /**
   * What a failure of the response becomes: a fatal `error` part and a `finish`
   * (`"part"`), or an error of the stream (`"throw"`).
   *
   * @default {"part"}
   */
  onError?: "part" | "throw" | undefined;
  /** Makes ids for calls without one, or with one used before. The default counts. */
  generateId?: (() => string) | undefined;
}

/**
 * Failures that Copilot reports by nothing but a message. Compared in lower
 * case, and only when no code says more.
 */
const MESSAGES: readonly (readonly [string, FinishReason, string])[] = [
  ["response got filtered", "content-filter", "content-filter"],
  ["response too long", "length", "response-too-long"],
  ["message exceeds token limit", "error", "message-exceeds-token-limit"],
  ["prompt is too long", "error", "message-exceeds-token-limit"],
  ["canceled", "cancelled", "cancelled"],
  ["cancelled", "cancelled", "cancelled"],
];

/** Names that errors of a cancellation go by. */
const CANCELLED = new Set(["Canceled", "CancellationError", "AbortError"]);

/**
 * The response of `model.sendRequest(…)` as a stream of parts.
 *
 * Text, reasoning (thinking parts), tool calls and results become their parts.
 * Data parts and unknown parts pass as `raw`: internal data reaches third
 * parties here, and must not be printed. The end is one `finish`: `"stop"` or
 * `"tool-calls"` when the response ended by itself.
 *
 * - Cancelling the token, aborting the signal, or cancelling the returned stream
 *   stops the response at once: its iterator's `return()` is called, once. A
 *   pending step is not waited for.
 * - A failure keeps what came before and becomes an `error` part, its `code` one
 *   of `LanguageModelError` (`"NoPermissions"`, `"Blocked"`, `"NotFound"`), or
 *   `"content-filter"`, `"response-too-long"`, `"message-exceeds-token-limit"` for
 *   failures that Copilot reports by message only; an error that only wraps
 *   another one gives way to its `cause`.
 *
 * Nothing is read ahead. Throws a `TypeError` for something that is no response.
 *
 * @param response The response, its `stream`, or the promise of either that
 * `sendRequest` gives: then a refused request becomes an `error` part too.
 * @param options See {@linkcode FromVscodeLmOptions}.
 * @returns The parts.
 *
 * @example
 * ```ts
 * import { collect } from "@millrace/millrace";
 * import { fromVscodeLm } from "@millrace/millrace/adapters/vscode_lm";
 *
 * // What an extension gets from `await model.sendRequest(messages, {}, token)`.
 * const response = {
 *   stream: (async function* () {
 *     yield { value: "It is " };
 *     yield { value: "windy." };
 *     yield { callId: "c1", name: "close_window", input: {} };
 *   })(),
 * };
 * const { text, toolCalls, finish } = await collect(fromVscodeLm(response));
 * if (text !== "It is windy." || toolCalls.length !== 1) throw new Error();
 * if (finish?.reason !== "tool-calls") throw new Error();
 * ```
 */
export function fromVscodeLm(
  response:
    | LanguageModelResponseLike
    | AsyncIterable<unknown>
    | PromiseLike<LanguageModelResponseLike | AsyncIterable<unknown>>,
  options: FromVscodeLmOptions = {},
): ReadableStream<Part> {
  const source = new ResponseSource(response, options);
  return new ReadableStream<Part>({
    pull: (controller) => source.pull(controller),
    cancel: () => source.stop(),
  }, { highWaterMark: 0 });
}

/**
 * An `AbortSignal` that aborts when a token is cancelled, for code that knows
 * only signals.
 *
 * @param token The token.
 * @returns The signal.
 *
 * @example
 * ```ts
 * import { signalFromToken } from "@millrace/millrace/adapters/vscode_lm";
 *
 * const signal = signalFromToken({
 *   isCancellationRequested: true,
 *   onCancellationRequested: () => ({ dispose() {} }),
 * });
 * if (!signal.aborted) throw new Error();
 * ```
 */
export function signalFromToken(token: CancellationTokenLike): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else {
    const listening = token.onCancellationRequested(() => {
      controller.abort();
      listening?.dispose();
    });
  }
  return controller.signal;
}

/**
 * A token that is cancelled when a signal aborts, for `sendRequest`, which knows
 * only tokens.
 *
 * @param signal The signal.
 * @returns The token.
 *
 * @example
 * ```ts
 * import { tokenFromSignal } from "@millrace/millrace/adapters/vscode_lm";
 *
 * const controller = new AbortController();
 * const token = tokenFromSignal(controller.signal);
 * controller.abort();
 * if (!token.isCancellationRequested) throw new Error();
 * ```
 */
export function tokenFromSignal(signal: AbortSignal): CancellationTokenLike {
  return {
    get isCancellationRequested(): boolean {
      return signal.aborted;
    },
    onCancellationRequested(listener: (event: unknown) => unknown) {
      const listen = (): void => {
        listener(signal.reason);
      };
      if (signal.aborted) queueMicrotask(listen);
      else signal.addEventListener("abort", listen, { once: true });
      return { dispose: () => signal.removeEventListener("abort", listen) };
    },
  };
}

/** What a step of the response gave, or that there is none any more. */
type Step = IteratorResult<unknown> | "cancelled";

/**
 * Pulls the response and tells how it went.
 *
 * ```txt
 *   next() gives a part ──▶ its parts
 *   next() is done ───────▶ finish stop, tool-calls
 *   next() rejects ───────▶ error, finish          return() is called
 *   token, signal ────────▶ finish cancelled       return() is called
 *   consumer cancels ─────▶ nothing                return() is called
 * ```
 */
class ResponseSource {
  readonly #decoder: PartDecoder;
  /** The stages behind the decoder, when tools were offered. */
  readonly #stage: Stage<string | Part, Part> | undefined;
  readonly #onError: "part" | "throw";
  /** The iterator, once there is a response. */
  readonly #iterator: Promise<AsyncIterator<unknown>>;
  /** Ends the step that is waited for, when the token or the signal says so. */
  #interrupt: () => void = () => {};
  readonly #release: () => void;
  #wasCancelled = false;
  /** What the stream has to fail with. */
  #failure: { error: unknown } | undefined;
  #over = false;
  #returned = false;
  /** Whether there was a call. */
  #called = false;

  constructor(response: unknown, options: FromVscodeLmOptions) {
    this.#decoder = new PartDecoder(options);
    const { tools } = options;
    if (tools !== undefined && tools.length > 0) {
      this.#stage = pipeline(
        new SurrogateSanitizerStream(),
        new ToolCallSalvagerStream({ tools }),
      ).stage;
    }
    this.#onError = options.onError ?? "part";
    this.#iterator = isThenable(response)
      ? Promise.resolve(response).then(iteratorOf)
      : Promise.resolve(iteratorOf(response));
    // Its failure is told by the first pull; until then it is no news.
    this.#iterator.catch(() => {});
    const onCancel = (): void => {
      if (this.#over) return;
      this.#wasCancelled = true;
      this.#interrupt();
      this.#return();
    };
    const { token, signal } = options;
    const listening = token?.onCancellationRequested(onCancel);
    signal?.addEventListener("abort", onCancel, { once: true });
    this.#release = () => {
      listening?.dispose();
      signal?.removeEventListener("abort", onCancel);
    };
    if (token?.isCancellationRequested || signal?.aborted) onCancel();
  }

  async pull(controller: ReadableStreamDefaultController<Part>): Promise<void> {
    let emitted = false;
    const enqueue: Emit<Part> = (part) => {
      emitted = true;
      // The editor knows nothing of the calls that were recovered.
      if (part.type === "tool-call") this.#called = true;
      if (part.type === "finish" && part.reason === "stop" && this.#called) {
        part.reason = "tool-calls";
      }
      controller.enqueue(part);
    };
    const emit: Emit<Part> = this.#stage === undefined
      ? enqueue
      : (part) => this.#stage!.push(part, enqueue);
    while (!emitted && !this.#over) {
      let step: Step;
      try {
        step = this.#wasCancelled ? "cancelled" : await this.#next();
        if (this.#wasCancelled) step = "cancelled";
      } catch (error) {
        if (this.#over) return;
        this.#end();
        this.#return();
        if (this.#wasCancelled) this.#decoder.finish("cancelled", emit);
        else if (this.#onError === "part") this.#decoder.fail(error, emit);
        this.#stage?.end(enqueue);
        if (this.#onError === "throw" && !this.#wasCancelled) {
          this.#failure = { error };
        }
        break;
      }
      // The consumer cancelled meanwhile.
      if (this.#over) return;
      if (step !== "cancelled" && step.done !== true) {
        this.#decoder.push(step.value, emit);
        continue;
      }
      this.#end();
      this.#decoder.finish(
        step === "cancelled" ? "cancelled" : undefined,
        emit,
      );
      this.#stage?.end(enqueue);
      break;
    }
    if (!this.#over) return;
    if (this.#failure === undefined) controller.close();
    // An error throws away what is queued: it waits until that has been read.
    else if (!emitted) controller.error(this.#failure.error);
  }

  /** The consumer wants no more. */
  stop(): void {
    this.#end();
    this.#return();
  }

  /**
   * The next step, or that the response was cancelled meanwhile. Not a race with
   * one promise for all steps: that would keep something of every step.
   */
  #next(): Promise<Step> {
    return new Promise((resolve, reject) => {
      this.#interrupt = () => resolve("cancelled");
      this.#iterator.then((iterator) => iterator.next()).then(resolve, reject);
    });
  }

  #end(): void {
    this.#over = true;
    this.#release();
  }

  /** Tells the response to stop. Not waited for: a pending step can hang for ever. */
  #return(): void {
    if (this.#returned) return;
    this.#returned = true;
    this.#iterator.then((iterator) => iterator.return?.()).catch(() => {});
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value &&
    typeof value.then === "function";
}

function iteratorOf(response: unknown): AsyncIterator<unknown> {
  const given = response as
    | { stream?: AsyncIterable<unknown> }
    | null
    | undefined;
  const stream = given?.stream ??
    (response as AsyncIterable<unknown> | null | undefined);
  if (typeof stream?.[Symbol.asyncIterator] !== "function") {
    throw new TypeError(
      "Cannot read the response: give what sendRequest returns, or its stream",
    );
  }
  return stream[Symbol.asyncIterator]();
}

/** Parts of the editor to parts. */
class PartDecoder {
  readonly #classes: LanguageModelPartClasses;
  readonly #calls: CallCollector;
  #offset = 0;

  constructor(options: FromVscodeLmOptions) {
    this.#classes = options.classes ?? {};
    this.#calls = new CallCollector({
      generateId: options.generateId,
      maxOpenCalls: 1,
      maxArgumentChars: 1,
    });
  }

  push(part: unknown, emit: Emit<Part>): void {
    if (!isObject(part)) {
      // Some forks give plain strings.
      if (typeof part === "string") this.#text(part, emit);
      else emit({ type: "raw", value: part });
      return;
    }
    let known: KnownPart;
    try {
      known = readPart(part, this.#classes);
    } catch {
      // Fields of objects from elsewhere can be functions, and those can throw.
      emit({ type: "raw", value: part });
      return;
    }
    switch (known.kind) {
      case "text":
        return this.#text(known.text, emit);
      case "thinking":
        if (known.text !== "") emit({ type: "reasoning", text: known.text });
        // Signatures have to go back to the model with the next request.
        if (known.signed) emit({ type: "raw", value: part });
        return;
      case "toolCall":
        return this.#call(known, emit);
      case "toolResult":
        emit({
          type: "tool-result",
          toolCallId: known.callId,
          output: known.content,
        });
        return;
      default:
        emit({ type: "raw", value: part });
    }
  }

  /** The response is over; by itself when no reason is given. */
  finish(reason: FinishReason | undefined, emit: Emit<Part>): void {
    emit({
      type: "finish",
      reason: reason ?? (this.#calls.any ? "tool-calls" : "stop"),
      complete: reason === undefined,
    });
  }

  /** The response failed. */
  fail(error: unknown, emit: Emit<Part>): void {
    const { info, reason } = readErrorSafely(error);
    if (reason !== "cancelled") {
      emit({ type: "error", error: info, fatal: true });
    }
    this.finish(reason, emit);
  }

  #text(text: string, emit: Emit<Part>): void {
    if (text === "") return;
    emit({ type: "text", text, start: this.#offset });
    this.#offset += text.length;
  }

  #call({ callId, name, given }: KnownCall, emit: Emit<Part>): void {
    let input = given;
    if (typeof input === "string") {
      // The API says object; some providers hand the arguments on as they came.
      try {
        const parsed: unknown = JSON.parse(input);
        if (isObject(parsed)) {
          input = parsed;
          emit({
            type: "warning",
            code: "repaired",
            message: `Read the input of a call of "${name}" from JSON text`,
          });
        }
      } catch {
        // Whoever runs the tool has to judge it.
      }
    }
    this.#calls.whole(emit, callId, name, input);
  }
}

interface KnownCall {
  kind: "toolCall";
  callId: string;
  name: string;
  given: unknown;
}

/** What is used of a part. */
type KnownPart =
  | KnownCall
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string; signed: boolean }
  | { kind: "toolResult"; callId: string; content: unknown }
  | { kind: "data" | undefined };

/** Reads all that is used of a part, which may throw: its fields are somebody else's code. */
function readPart(
  part: JSONObject,
  classes: LanguageModelPartClasses,
): KnownPart {
  const kind = kindOf(part, classes);
  switch (kind) {
    case "text":
      return { kind, text: String(part["value"]) };
    case "thinking": {
      const { value } = part;
      const text = Array.isArray(value)
        ? value.filter((piece) => typeof piece === "string").join("")
        : String(value ?? "");
      return { kind, text, signed: !isEmpty(part["metadata"]) };
    }
    case "toolCall":
      return {
        kind,
        callId: String(part["callId"] ?? ""),
        name: String(part["name"] ?? ""),
        // Before version 1.95 it was called "parameters".
        given: part["input"] ?? part["parameters"] ?? {},
      };
    case "toolResult":
      return {
        kind,
        callId: String(part["callId"]),
        content: part["content"],
      };
    default:
      return { kind };
  }
}

/** What kind of part it is. `undefined`: data, or something nobody knows. */
function kindOf(
  part: JSONObject,
  classes: LanguageModelPartClasses,
): keyof LanguageModelPartClasses | undefined {
  for (
    const kind of [
      "thinking",
      "text",
      "toolCall",
      "toolResult",
      "data",
    ] as const
  ) {
    const one = classes[kind];
    if (one !== undefined && part instanceof one) return kind;
  }
  if (typeof part["callId"] === "string") {
    if (typeof part["name"] === "string") return "toolCall";
    return Array.isArray(part["content"]) ? "toolResult" : undefined;
  }
  if ("mimeType" in part) return "data";
  const { value } = part;
  if (Array.isArray(value)) {
    return value.every((piece) => typeof piece === "string")
      ? "thinking"
      : undefined;
  }
  if (typeof value !== "string") return undefined;
  return "id" in part || "metadata" in part ? "thinking" : "text";
}

/** As `readError`; what throws when it is looked at is an error without words. */
function readErrorSafely(error: unknown): ReturnType<typeof readError> {
  try {
    return readError(error);
  } catch {
    return {
      info: { name: "Error", message: "The language model failed" },
      reason: "error",
    };
  }
}

/** What a failure means: code first, the message only when no code says more. */
function readError(error: unknown): { info: ErrorInfo; reason: FinishReason } {
  let inner = error;
  // An error of the editor that only wraps the provider's own.
  for (let depth = 0; depth < 4; depth++) {
    const cause = isError(inner) ? inner["cause"] : undefined;
    if (!isError(cause) || codeOf(inner) !== undefined) break;
    inner = cause;
  }
  const given = isError(inner) ? inner : { message: String(inner) };
  const name = typeof given["name"] === "string" && given["name"] !== ""
    ? given["name"]
    : "Error";
  const message = typeof given["message"] === "string" ? given["message"] : "";
  const code = codeOf(inner);
  const info: ErrorInfo = {
    name,
    message: message === "" ? "The language model failed" : message,
  };
  if (code !== undefined) {
    info.code = code;
    return { info, reason: "error" };
  }
  if (CANCELLED.has(name)) return { info, reason: "cancelled" };
  const said = message.trim().toLowerCase();
  for (const [start, reason, hint] of MESSAGES) {
    if (said.startsWith(start)) {
      info.code = hint;
      return { info, reason };
    }
  }
  return { info, reason: "error" };
}

function isError(value: unknown): value is JSONObject {
  return typeof value === "object" && value !== null;
}

/** The code of an error, if it says anything. */
function codeOf(error: unknown): string | undefined {
  const code = isError(error) ? error["code"] : undefined;
  return typeof code === "string" && code !== "" && code !== "Unknown"
    ? code
    : undefined;
}
