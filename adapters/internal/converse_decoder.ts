import type { FinishReason } from "../../transforms/part.ts";
import { Decoder, errorOf, isCut, reasonOf } from "./decoder.ts";
import {
  isEmpty,
  isObject,
  type JSONObject,
  objectOf,
  wordOf,
} from "./json.ts";

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
export abstract class ConverseDecoder<Own> extends Decoder<Own> {
  /** One object of events. Says whether there was one in it that is known. */
  protected converse(value: JSONObject): boolean {
    let known = false;
    for (const name in value) {
      const given = value[name];
      if (isObject(given) && this.#one(name, given, value)) known = true;
    }
    return known;
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
      this.settle(false);
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
    const delta = this.objectIn(given.delta) ?? {};
    if (typeof delta.text === "string") return this.text(delta.text);
    const reasoning = objectOf(delta.reasoningContent);
    if (typeof reasoning?.text === "string") {
      return this.reasoning(reasoning.text);
    }
    const tool = objectOf(delta.toolUse);
    const call = tool === undefined ? undefined : this.calls.find(keyOf(given));
    if (call === undefined || tool?.input === undefined) return this.raw(value);
    this.calls.appendGiven(this.emit, call, tool?.input);
  }
}

function keyOf(given: JSONObject): string {
  return typeof given.contentBlockIndex === "number"
    ? `b${given.contentBlockIndex}`
    : "b0";
}
