import type { FinishReason, Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import type { OpenCall } from "../internal/call_collector.ts";
import { Decoder, errorOf, reasonOf } from "../internal/decoder.ts";
import {
  isEmpty,
  isObject,
  type JSONObject,
  objectOf,
  stringOf,
  wordOf,
} from "../internal/json.ts";
import { shortId } from "../internal/recent_ids.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/** What this decoder remembers. */
interface State {
  /**
   * Which texts of the items that are open have been given out, by item, kind and
   * place: in deltas (`false`), or at once (`true`).
   */
  given: Record<string, Record<string, boolean>>;
  /** Whether any item has been seen. */
  items: boolean;
}

const REASONS: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: "length",
  max_tokens: "length",
  content_filter: "content-filter",
};

/** Items that can be open at once; more than that is no real response. */
const MOST_OPEN = 1024;

/** Events that repeat what deltas brought, or only tell how things go. */
const QUIET = new Set([
  "keepalive",
  "ping",
  "response.content_part.added",
  "response.content_part.done",
  "response.created",
  "response.in_progress",
  "response.queued",
  "response.reasoning_part.added",
  "response.reasoning_part.done",
  "response.reasoning_summary_part.added",
  "response.reasoning_summary_part.done",
]);

/**
 * OpenAI's Responses. Items are told by their `output_index`, since some
 * gateways give a new `item_id` with every event. Events that repeat the whole
 * bring only what no delta has brought. Calls are over at `output_item.done`, or
 * at `response.completed`.
 */
class OpenAIResponsesDecoder extends Decoder<State> {
  /** The text whose delta came last: known to come in deltas. Not remembered over a snapshot. */
  #last: { kind: string; index: unknown; item: number } | undefined;

  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("openai-responses", options, snapshot, { given: {}, items: false });
  }

  protected override event(value: JSONObject, event: string | undefined): void {
    const type = wordOf(value.type) ?? event ?? "";
    switch (type) {
      case "response.output_text.delta":
        return this.#delta(value, "text", value.content_index);
      case "response.reasoning_text.delta":
        return this.#delta(value, "content", value.content_index);
      case "response.reasoning_summary_text.delta":
        return this.#delta(value, "summary", value.summary_index);
      case "response.output_text.done":
        return this.#whole(value, "text", value.content_index, value.text);
      case "response.reasoning_text.done":
        return this.#whole(value, "content", value.content_index, value.text);
      case "response.reasoning_summary_text.done":
        return this.#whole(value, "summary", value.summary_index, value.text);
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta": {
        const call = this.#callOf(value);
        if (call === undefined) break;
        this.calls.appendGiven(this.emit, call, value.delta);
        return;
      }
      case "response.function_call_arguments.done":
      case "response.custom_tool_call_input.done": {
        const call = this.#callOf(value);
        if (call === undefined) break;
        this.#fill(call, value.arguments ?? value.input);
        return;
      }
      case "response.output_item.added":
        this.own.items = true;
        if (isObject(value.item)) return this.#added(value, value.item);
        break;
      case "response.output_item.done":
        this.own.items = true;
        if (isObject(value.item)) return this.#done(value, value.item);
        break;
      case "response.refusal.delta":
        this.warnOnce(
          "refusal",
          'The model refused; what it says is in "raw" parts, since it is no answer',
        );
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        return this.#over(type.slice("response.".length), value);
      case "error":
        this.fail(errorOf(isObject(value.error) ? value.error : value), true);
        return;
      default:
        if (QUIET.has(type)) return;
        if (type === "" && !isEmpty(value.error)) {
          this.fail(errorOf(value.error), true);
          return;
        }
    }
    this.raw(value);
  }

  #delta(value: JSONObject, kind: string, index: unknown): void {
    // Nearly always the same text goes on.
    const last = this.#last;
    if (
      last !== undefined && last.kind === kind && last.index === index &&
      last.item === value.output_index
    ) return this.#give(kind, this.stringIn(value.delta));
    const texts = this.#textsOf(value);
    const key = `${kind} ${placeOf(index)}`;
    // The whole was first, so this repeats it.
    if (texts[key] === true) return;
    texts[key] = false;
    if (typeof value.output_index === "number") {
      this.#last = { kind, index, item: value.output_index };
    }
    this.#give(kind, this.stringIn(value.delta));
  }

  /** A text that is over. It counts when no delta has brought any of it. */
  #whole(value: JSONObject, kind: string, index: unknown, text: unknown): void {
    const texts = this.#textsOf(value);
    const key = `${kind} ${placeOf(index)}`;
    if (texts[key] !== undefined) return;
    texts[key] = true;
    this.#give(kind, this.stringIn(text));
  }

  /**
   * The texts of a whole item. They count when nothing of the kind has come
   * before: gateways number the texts in deltas in ways of their own.
   */
  #fillTexts(value: JSONObject, kind: string, texts: unknown): void {
    const given = Object.keys(this.#textsOf(value));
    if (given.some((key) => key.startsWith(`${kind} `))) return;
    for (const [index, part] of this.arrayIn(texts).entries()) {
      const text = this.objectIn(part);
      if (text !== undefined && text.type !== "refusal") {
        this.#whole(value, kind, index, text.text);
      }
    }
  }

  #give(kind: string, text: string): void {
    if (kind === "text") this.text(text);
    else this.reasoning(text);
  }

  #textsOf(value: JSONObject): Record<string, boolean> {
    const { given } = this.own;
    const item = itemOf(value);
    const texts = given[item];
    if (texts !== undefined) return texts;
    const [oldest, ...others] = Object.keys(given);
    if (others.length >= MOST_OPEN) delete given[oldest!];
    this.#last = undefined;
    return given[item] = {};
  }

  #callOf(value: JSONObject): OpenCall | undefined {
    return this.calls.find(itemOf(value)) ??
      this.calls.find(`i ${shortId(stringOf(value.item_id))}`);
  }

  #added(value: JSONObject, item: JSONObject): void {
    switch (item.type) {
      case "function_call":
      case "custom_tool_call":
        this.#open(value, item);
        return;
      case "message":
      case "reasoning":
        return;
    }
    this.raw(value);
  }

  #open(value: JSONObject, item: JSONObject): OpenCall | undefined {
    return this.calls.open(
      this.emit,
      itemOf(value, item),
      wordOf(item.call_id) ?? wordOf(item.id) ?? "",
      wordOf(item.name) ?? "",
      item.type === "custom_tool_call",
    );
  }

  /** The whole text of a call's arguments; it counts when no delta has come. */
  #fill(call: OpenCall, text: unknown): void {
    if (call.length > 0) return;
    this.calls.appendGiven(this.emit, call, text);
  }

  #done(value: JSONObject, item: JSONObject): void {
    switch (item.type) {
      case "message":
        this.#fillTexts(value, "text", item.content);
        break;
      case "reasoning":
        this.#fillTexts(value, "summary", item.summary);
        this.#fillTexts(value, "content", item.content);
        // It has to go back with the next request.
        if (!isEmpty(item.encrypted_content)) this.raw(value);
        break;
      case "function_call":
      case "custom_tool_call": {
        const call = this.calls.findId(stringOf(item.call_id)) ??
          this.#callOf(value) ?? this.#open(value, item);
        if (call === undefined) return;
        if (call.name === "" && wordOf(item.name) !== undefined) {
          this.calls.setName(this.emit, call, stringOf(item.name));
        }
        this.#fill(call, item.arguments ?? item.input);
        if (item.status === "incomplete") this.calls.partial(this.emit, call);
        else this.calls.complete(this.emit, call);
        break;
      }
      default:
        this.raw(value);
    }
    delete this.own.given[itemOf(value)];
    this.#last = undefined;
  }

  #over(status: string, value: JSONObject): void {
    const response = this.objectIn(value.response) ?? {};
    const usage = objectOf(response.usage);
    if (status === "completed" && !this.own.items) {
      // A proxy that sends the end only.
      for (const [index, given] of this.arrayIn(response.output).entries()) {
        const item = this.objectIn(given);
        if (item !== undefined) this.#done({ output_index: index, item }, item);
      }
    }
    for (const call of this.calls.all()) {
      if (status === "completed" && call.length > 0) {
        this.calls.complete(this.emit, call);
      } else this.calls.partial(this.emit, call);
    }
    if (usage !== undefined) {
      this.usage({
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        totalTokens: usage.total_tokens,
        reasoningTokens: objectOf(usage.output_tokens_details)
          ?.reasoning_tokens,
        cachedInputTokens: objectOf(usage.input_tokens_details)?.cached_tokens,
      });
    }
    if (status === "completed") this.finish("stop", status);
    else if (status === "cancelled") this.finish("cancelled", status);
    else if (status === "failed") {
      this.fail(errorOf(response.error), true);
      this.finish("error", status);
    } else {
      const reason = wordOf(objectOf(response.incomplete_details)?.reason) ??
        status;
      this.finish(reasonOf(REASONS, reason), reason);
    }
    this.terminal();
  }
}

/** How an item is referred to. */
function itemOf(value: JSONObject, item?: JSONObject): string {
  return typeof value.output_index === "number"
    ? `o ${value.output_index}`
    : `i ${shortId(stringOf(value.item_id) || stringOf(item?.id))}`;
}

function placeOf(index: unknown): number {
  return typeof index === "number" ? index : 0;
}

/** OpenAI's Responses. */
export const openaiResponses: Provider = {
  name: "openai-responses",
  transport: "sse",
  detect(value: unknown): boolean {
    return isObject(value) && typeof value.type === "string" &&
      (value.type.startsWith("response.") ||
        (value.type === "error" && "sequence_number" in value));
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(
      snapshot,
      (snapshot) => new OpenAIResponsesDecoder(options, snapshot),
    );
  },
};
