import type { FinishReason, Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import type { OpenCall } from "../internal/call_collector.ts";
import { Decoder, errorOf, isCut, reasonOf } from "../internal/decoder.ts";
import {
  arrayOf,
  isEmpty,
  isObject,
  type JSONObject,
  KnownKeys,
  objectOf,
  stringOf,
  toJSON,
  wordOf,
} from "../internal/json.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/** What this decoder remembers. */
interface State {
  /** Choices that finished, and how. */
  finished: Record<string, FinishReason>;
  /** Choices of which deltas have come: a whole message behind them repeats them. */
  streamed: Record<string, true>;
}

const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  eos: "stop",
  eos_token: "stop",
  stop_sequence: "stop",
  end_turn: "stop",
  length: "length",
  max_tokens: "length",
  max_length: "length",
  model_length: "length",
  tool_calls: "tool-calls",
  tool_call: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  safety: "content-filter",
  sensitive: "content-filter",
  refusal: "content-filter",
  error: "error",
  network_error: "error",
  insufficient_system_resource: "error",
  abort: "cancelled",
  cancelled: "cancelled",
};

/** No server gives more choices. */
const MOST_CHOICES = 1024;

/** Keys of a chunk that are read, or tell only about the request. */
const CHUNK_KEYS = new KnownKeys([
  "choices",
  "created",
  "error",
  "id",
  "kind",
  "model",
  "object",
  "obfuscation",
  "p",
  "prompt_filter_results",
  "provider",
  "service_tier",
  "system_fingerprint",
  "time_info",
  "usage",
  "x_groq",
]);

const CHOICE_KEYS = new KnownKeys([
  "content_filter_results",
  "delta",
  "error",
  "finish_reason",
  "index",
  "message",
  "native_finish_reason",
  "text",
  "usage",
]);

const DELTA_KEYS = new KnownKeys([
  "channel",
  "content",
  "cot_summary",
  "function_call",
  "reasoning",
  "reasoning_content",
  "reasoning_text",
  "refusal",
  "role",
  "tool_calls",
]);

const CALL_KEYS = new KnownKeys([
  "custom",
  "function",
  "id",
  "index",
  "type",
]);

const FUNCTION_KEYS = new KnownKeys(["arguments", "input", "name"]);

/**
 * Chat completions, and what else speaks that wire: DeepSeek, OpenRouter,
 * Mistral, vLLM, Groq, Azure, Copilot, the older text completions.
 *
 * A call belongs to the call with the same index, else the same id, else to the
 * only active one. No delta tells that a call is over, so calls are given out at
 * the choice's finish reason, or at `[DONE]`.
 *
 * ```txt
 *   delta ──▶ open ──── finish_reason stop, tool_calls ──▶ tool-call
 *               ├────── finish_reason length, error … ───▶ tool-call-partial
 *               └────── end of stream ───────────────────▶ tool-call-partial
 * ```
 */
class OpenAIChatDecoder extends Decoder<State> {
  readonly #choice: number;
  readonly #merge: boolean;

  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("openai-chat", options, snapshot, {
      finished: {},
      streamed: {},
    });
    this.#choice = options.choice ?? 0;
    this.#merge = options.mergeChoices ?? false;
  }

  protected override event(value: JSONObject, event: string | undefined): void {
    const choices = value.choices;
    if (Array.isArray(choices)) {
      let unknown = CHUNK_KEYS.hasOther(value);
      for (const choice of choices) {
        if (!isObject(choice)) {
          unknown = true;
          continue;
        }
        const index = indexOf(choice.index);
        if (this.#merge || index === this.#choice) {
          if (this.#read(choice, index)) unknown = true;
        } else if (this.#other(choice, index)) unknown = true;
      }
      if (unknown) this.raw(value);
    } else if (
      isEmpty(value.error) && event !== "error" && isEmpty(value.usage) &&
      !isError(value)
    ) {
      // A ping, or something of another wire.
      if (value.type !== "ping") this.raw(value);
    }
    this.#usage(value);
    if (!isEmpty(value.error)) this.fail(errorOf(value.error), true);
    else if (event === "error" || isError(value)) {
      this.fail(errorOf(value), true);
    }
  }

  protected override done(): void {
    super.done();
    const reason = this.reason;
    for (const call of this.calls.all()) {
      const finished = this.own.finished[choiceOf(call)];
      // A choice that has finished once, and went on; or no choice ever said.
      // Nothing at all in the arguments may be a cut, and no reason vouches.
      const normal = !this.hasFailed &&
        !isCut(finished ?? reason ?? "stop") &&
        (finished !== undefined || call.length > 0);
      if (normal) this.calls.complete(this.emit, call);
      else this.calls.partial(this.emit, call);
    }
  }

  protected override isComplete(): boolean {
    return this.isTerminal || this.reason !== undefined;
  }

  /** One choice of a chunk. Says whether there is anything unknown in it. */
  #read(choice: JSONObject, index: number): boolean {
    let unknown = CHOICE_KEYS.hasOther(choice);
    const delta = this.objectIn(choice.delta);
    const { streamed } = this.own;
    if (delta !== undefined) {
      if (streamed[index] !== true && index < MOST_CHOICES) {
        streamed[index] = true;
      }
      // Some servers send text completions beside the deltas.
      if (choice.text !== undefined && isEmpty(delta.content)) {
        this.text(this.stringIn(choice.text));
      }
      if (isPlain(delta)) this.text(delta.content);
      else if (this.#delta(delta, index)) unknown = true;
    } else {
      // The older completions.
      this.text(this.stringIn(choice.text));
      if (isObject(choice.message)) {
        // A whole answer instead of deltas; behind them it brings nothing new.
        if (streamed[index] === true) unknown = true;
        else if (this.#delta(choice.message, index)) unknown = true;
      }
    }
    if (!isEmpty(choice.error)) this.fail(errorOf(choice.error), true);
    const reason = wordOf(choice.finish_reason);
    if (reason !== undefined) this.#finished(reason, index);
    return unknown;
  }

  /** What a choice brings. Says whether there is anything unknown in it. */
  #delta(delta: JSONObject, index: number): boolean {
    let unknown = DELTA_KEYS.hasOther(delta);
    // Servers that send several of these send the same text under each.
    this.reasoning(
      this.stringIn(delta.reasoning_content) ||
        this.stringIn(delta.reasoning) ||
        this.stringIn(delta.reasoning_text) ||
        this.stringIn(delta.cot_summary) ||
        detailsOf(delta.reasoning_details),
    );
    if (typeof delta.content === "string") this.text(delta.content);
    else if (delta.content !== null && delta.content !== undefined) {
      if (this.#content(delta.content)) unknown = true;
    }
    if (!isEmpty(delta.refusal)) {
      this.warnOnce(
        "refusal",
        'The model refused; what it says is in "raw" parts, since it is no answer',
      );
      unknown = true;
    }
    const calls = delta.tool_calls;
    if (Array.isArray(calls)) {
      for (const call of calls) {
        if (isObject(call)) {
          this.#call(call, index);
          // Signatures of thoughts, which have to go back.
          if (CALL_KEYS.hasOther(call)) unknown = true;
        } else unknown = true;
      }
    } else {
      const call = this.objectIn(calls);
      if (call !== undefined) {
        this.#call(call, index);
        if (CALL_KEYS.hasOther(call)) unknown = true;
      }
    }
    const legacy = this.objectIn(delta.function_call);
    if (legacy !== undefined) this.#legacy(legacy, index);
    return unknown;
  }

  /** Another choice than the one that is read. Says whether there is anything in it. */
  #other(choice: JSONObject, index: number): boolean {
    const delta = this.objectIn(choice.delta) ??
      this.objectIn(choice.message) ?? {};
    if (
      isEmpty(choice.text) && isEmpty(delta.content) &&
      isEmpty(delta.tool_calls) && isEmpty(delta.reasoning) &&
      isEmpty(delta.reasoning_content) && isEmpty(delta.reasoning_text) &&
      isEmpty(delta.function_call)
    ) return false;
    this.warnOnce(
      "other-choice",
      `Left out choice ${index}: choice ${this.#choice} is read. Use "choice" or "mergeChoices" to read others`,
    );
    return true;
  }

  /** Content in parts, as Mistral sends it. Says whether there is anything unknown in it. */
  #content(content: unknown): boolean {
    let unknown = !Array.isArray(content);
    for (const part of arrayOf(content)) {
      if (typeof part === "string") this.text(part);
      else if (!isObject(part)) unknown = true;
      else if (part.type === "text") this.text(this.stringIn(part.text));
      else if (part.type === "thinking") {
        const thinking = part.thinking;
        if (typeof thinking === "string") this.reasoning(thinking);
        else this.#pieces(thinking);
      } else if (part.type === "reasoning") {
        this.reasoning(this.stringIn(part.text));
        this.#pieces(part.summary);
      } else unknown = true;
    }
    return unknown;
  }

  /** Reasoning in a list of texts. */
  #pieces(pieces: unknown): void {
    for (const piece of this.arrayIn(pieces)) {
      this.reasoning(this.stringIn(this.objectIn(piece)?.text));
    }
  }

  #call(delta: JSONObject, choice: number): void {
    const described = this.objectIn(delta.function) ??
      this.objectIn(delta.custom) ?? {};
    if (FUNCTION_KEYS.hasOther(described)) this.unread();
    const name = this.stringIn(described.name);
    const given = described.arguments ?? described.input;
    const isValue = typeof given !== "string" && !isEmpty(given);
    const piece = isValue ? toJSON(given) : stringOf(given);
    const id = wordOf(delta.id) ?? "";
    const call = this.#find(delta.index, id, name, piece ?? "", choice) ??
      this.calls.open(
        this.emit,
        keyOf(choice, delta.index),
        id,
        name,
        isObject(delta.custom),
      );
    if (call === undefined) return;
    if (id !== "" && call.wireId === "") {
      this.calls.setWireId(this.emit, call, id);
    }
    if (name !== "" && call.name === "") {
      this.calls.setName(this.emit, call, name);
    }
    if (piece === undefined) this.calls.refuse(this.emit, call);
    else this.calls.append(this.emit, call, piece);
  }

  /** The open call a delta goes on with, if it does not begin one. */
  #find(
    index: unknown,
    id: string,
    name: string,
    piece: string,
    choice: number,
  ): OpenCall | undefined {
    const { calls } = this;
    const byId = id === "" ? undefined : calls.findId(id);
    if (typeof index === "number") {
      const call = calls.find(keyOf(choice, index));
      if (call !== undefined) {
        // Parallel calls under one index: the id tells them apart.
        if (id !== "" && call.wireId !== "" && id !== call.wireId) {
          if (byId !== undefined || name !== "") return byId;
          // Others make up a new id for every delta, and only for that.
          return this.calls.isWhole(call) ? undefined : call;
        }
        return this.#goesOn(call, id, name, piece) ? call : undefined;
      }
    }
    // The index drifts or is missing: the id says which call it is.
    if (id !== "") {
      if (byId !== undefined) {
        return this.#goesOn(byId, "", name, piece) ? byId : undefined;
      }
      const active = calls.active;
      // An id alone, late, for a call that has none.
      return name === "" && active !== undefined && active.wireId === "" &&
          typeof index !== "number"
        ? active
        : undefined;
    }
    const active = calls.active;
    if (active === undefined || name === "") return active;
    if (typeof index === "number") return undefined;
    return this.#goesOn(active, "", name, piece) ? active : undefined;
  }

  /**
   * Whether a delta that repeats the name goes on with a call. Some servers
   * repeat it in every delta; others open the next call that way.
   */
  #goesOn(call: OpenCall, id: string, name: string, piece: string): boolean {
    if (name === "" || call.name === "") return true;
    if (id !== "" && id === call.wireId) return true;
    if (name !== call.name) return false;
    return piece === "" || !this.calls.isWhole(call);
  }

  /** The one call of the days before `tool_calls`. */
  #legacy(delta: JSONObject, choice: number): void {
    const key = `${choice}:legacy`;
    const name = wordOf(delta.name) ?? "";
    const call = this.calls.find(key) ??
      this.calls.open(this.emit, key, "", name);
    if (call === undefined) return;
    if (call.name === "" && name !== "") {
      this.calls.setName(this.emit, call, name);
    }
    this.calls.appendGiven(this.emit, call, delta.arguments);
  }

  #finished(raw: string, choice: number): void {
    const reason = reasonOf(REASONS, raw.toLowerCase());
    this.finish(reason, raw);
    if (choice < MOST_CHOICES) this.own.finished[choice] = reason;
    const normal = !isCut(reason);
    for (const call of this.calls.all()) {
      if (choiceOf(call) !== String(choice)) continue;
      if (normal) this.calls.complete(this.emit, call);
      else this.calls.partial(this.emit, call);
    }
  }

  #usage(value: JSONObject): void {
    const groq = objectOf(value.x_groq);
    const usage = objectOf(value.usage) ?? objectOf(groq?.usage) ??
      objectOf(objectOf(arrayOf(value.choices)[0])?.usage);
    if (groq !== undefined && !isEmpty(groq.error)) {
      this.fail(errorOf(groq.error), true);
    }
    if (usage === undefined) return;
    this.usage({
      inputTokens: usage.prompt_tokens,
      outputTokens: usage.completion_tokens,
      totalTokens: usage.total_tokens,
      reasoningTokens: objectOf(usage.completion_tokens_details)
        ?.reasoning_tokens,
      cachedInputTokens: objectOf(usage.prompt_tokens_details)?.cached_tokens ??
        usage.prompt_cache_hit_tokens,
    });
  }
}

/** The number of a choice; anything odd is the first one. */
function indexOf(index: unknown): number {
  return typeof index === "number" && Number.isInteger(index) && index > 0
    ? index
    : 0;
}

/** Whether a delta is text and nothing else, as nearly all of them are. */
function isPlain(delta: JSONObject): delta is { content: string } {
  for (const key in delta) {
    if (key !== "content" && key !== "role") return false;
  }
  return typeof delta.content === "string";
}

/** An error that is the event itself, as some servers send it. */
function isError(value: JSONObject): boolean {
  if (Array.isArray(value.choices) || typeof value.message !== "string") {
    return false;
  }
  return value.object === "error" || value.type === "error" ||
    !isEmpty(value.code);
}

/** Reasoning in a list of its own, and nowhere else. */
function detailsOf(details: unknown): string {
  let text = "";
  for (const one of arrayOf(details)) {
    if (isObject(one)) text += stringOf(one.text) || stringOf(one.summary);
  }
  return text;
}

function keyOf(choice: number, index: unknown): string {
  return `${choice}:${typeof index === "number" ? index : ""}`;
}

function choiceOf(call: OpenCall): string {
  return call.key.slice(0, call.key.indexOf(":"));
}

/** OpenAI's chat completions and everything that speaks like them. */
export const openaiChat: Provider = {
  name: "openai-chat",
  transport: "sse",
  detect(value: unknown): boolean {
    return isObject(value) &&
      (Array.isArray(value.choices) ||
        value.object === "chat.completion.chunk" || value.object === "error" ||
        (typeof value.type !== "string" &&
          (!isEmpty(value.error) || isError(value))));
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(
      snapshot,
      (snapshot) => new OpenAIChatDecoder(options, snapshot),
    );
  },
};
