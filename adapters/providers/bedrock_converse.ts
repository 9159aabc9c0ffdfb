import type { FinishReason, Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import { Decoder, errorOf, isCut, reasonOf } from "../internal/decoder.ts";
import {
  isEmpty,
  isObject,
  type JSONObject,
  objectOf,
  stringOf,
  wordOf,
} from "../internal/json.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";

const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "content-filter",
  content_filtered: "content-filter",
  malformed_model_output: "error",
  malformed_tool_use: "error",
};

/**
 * Bedrock's ConverseStream: each event is an object with one key, the event's
 * name. (On the wire they are binary event-stream messages; whoever unpacks them
 * hands on the JSON.)
 */
class BedrockConverseDecoder extends Decoder<null> {
  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("bedrock-converse", options, snapshot, null);
  }

  protected override event(value: JSONObject): void {
    let known = false;
    for (const [name, given] of Object.entries(value)) {
      if (!isObject(given)) continue;
      if (this.#one(name, given, value)) known = true;
    }
    if (!known) this.raw(value);
  }

  /** One event by name. Says whether it is known. */
  #one(name: string, given: JSONObject, value: JSONObject): boolean {
    switch (name) {
      case "messageStart":
        return true;
      case "contentBlockStart":
        this.settle(true);
        this.#start(given, value);
        return true;
      case "contentBlockDelta":
        this.settle(true);
        this.#delta(given, value);
        return true;
      case "contentBlockStop": {
        const call = this.calls.find(keyOf(given));
        if (call !== undefined) this.closeCall(call);
        return true;
      }
      case "messageStop": {
        const word = wordOf(given.stopReason) ?? "unknown";
        const reason = reasonOf(REASONS, word);
        this.settle(!isCut(reason));
        this.finish(reason, word);
        this.terminal();
        if (!isEmpty(given.additionalModelResponseFields)) this.raw(value);
        return true;
      }
      case "metadata": {
        const usage = objectOf(given.usage);
        if (usage !== undefined) {
          this.usage({
            inputTokens: usage.inputTokens,
            outputTokens: usage.outputTokens,
            totalTokens: usage.totalTokens,
            cachedInputTokens: usage.cacheReadInputTokens,
          });
        }
        if (!isEmpty(given.trace)) this.raw(value);
        return true;
      }
    }
    if (name.endsWith("Exception") || name === "error") {
      this.fail(errorOf(given, name), true);
      return true;
    }
    return false;
  }

  #start(given: JSONObject, value: JSONObject): void {
    const tool = objectOf(objectOf(given.start)?.toolUse);
    // A tool that runs at the provider is no call for the client.
    if (tool === undefined || tool.type === "server_tool_use") {
      if (!isEmpty(given.start)) this.raw(value);
      return;
    }
    this.calls.open(
      this.emit,
      keyOf(given),
      wordOf(tool.toolUseId) ?? "",
      wordOf(tool.name) ?? "",
    );
  }

  #delta(given: JSONObject, value: JSONObject): void {
    const delta = objectOf(given.delta) ?? {};
    if (typeof delta.text === "string") return this.text(delta.text);
    const reasoning = objectOf(delta.reasoningContent);
    if (typeof reasoning?.text === "string") {
      return this.reasoning(reasoning.text);
    }
    const tool = objectOf(delta.toolUse);
    const call = tool === undefined ? undefined : this.calls.find(keyOf(given));
    if (call === undefined) return this.raw(value);
    this.calls.append(this.emit, call, stringOf(tool?.input));
  }
}

function keyOf(given: JSONObject): string {
  return typeof given.contentBlockIndex === "number"
    ? `b${given.contentBlockIndex}`
    : "b0";
}

const EVENTS = [
  "messageStart",
  "contentBlockStart",
  "contentBlockDelta",
  "contentBlockStop",
  "messageStop",
];

/** Bedrock's ConverseStream, as JSON lines. */
export const bedrockConverse: Provider = {
  name: "bedrock-converse",
  transport: "jsonl",
  detect(value: unknown): boolean {
    return isObject(value) && EVENTS.some((name) => isObject(value[name]));
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return new BedrockConverseDecoder(options, snapshot);
  },
};
