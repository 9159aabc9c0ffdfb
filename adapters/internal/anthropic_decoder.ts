import type { FinishReason } from "../../transforms/part.ts";
import type { ProviderOptions } from "../provider.ts";
import { ConverseDecoder } from "./converse_decoder.ts";
import { errorOf, isCut, reasonOf } from "./decoder.ts";
import {
  arrayOf,
  isEmpty,
  type JSONObject,
  KnownKeys,
  objectOf,
  toJSON,
  wordOf,
} from "./json.ts";

/** What this decoder remembers. */
export interface AnthropicState {
  /** Input that a block brought with it, as JSON text, by the block's key; `null` when it has none. */
  inputs: Record<string, string | null>;
}

/** Keys of blocks and deltas that are read. */
const BLOCK_KEYS = new KnownKeys([
  "id",
  "input",
  "name",
  "text",
  "thinking",
  "type",
]);

const DELTA_KEYS = new KnownKeys([
  "partial_json",
  "text",
  "thinking",
  "type",
]);

/** Stop reasons in our vocabulary. */
export const ANTHROPIC_REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content-filter",
};

/**
 * Anthropic's messages. Events are told by the `type` in their data, so a proxy
 * that drops the `event:` lines does no harm. Tools that run at the provider are
 * no calls for the client; they pass as `raw`.
 *
 * A call is over at its `content_block_stop`; whether one without arguments is
 * whole, the stop reason tells.
 */
export class AnthropicDecoder<
  State extends AnthropicState = AnthropicState,
> extends ConverseDecoder<State> {
  constructor(
    name: string,
    options: ProviderOptions,
    snapshot: unknown,
    fresh: State,
  ) {
    super(name, options, snapshot, fresh);
  }

  protected override event(value: JSONObject, event: string | undefined): void {
    const type = wordOf(value.type) ?? event;
    switch (type) {
      case "content_block_delta":
        return this.#delta(value);
      case "content_block_start":
        this.settle(true);
        return this.#start(value);
      case "content_block_stop":
        return this.#stop(value);
      case "message_start": {
        const usage = objectOf(this.objectIn(value.message)?.usage);
        if (usage !== undefined) this.messageUsage(usage);
        return;
      }
      case "message_delta": {
        const delta = this.objectIn(value.delta) ?? {};
        const reason = wordOf(delta.stop_reason);
        if (reason !== undefined) {
          this.messageReason(reasonOf(ANTHROPIC_REASONS, reason), reason);
        }
        this.settle(
          reason !== undefined && !isCut(reasonOf(ANTHROPIC_REASONS, reason)),
        );
        const usage = objectOf(value.usage);
        if (usage !== undefined) this.messageUsage(usage);
        if (!isEmpty(value.context_management) || !isEmpty(delta.container)) {
          this.raw(value);
        }
        return;
      }
      case "message_stop":
        this.settle(this.reason !== undefined && !isCut(this.reason));
        this.messageOver();
        return;
      case "ping":
        return;
      case "completion": {
        // The text completions of the days before messages.
        this.text(this.stringIn(value.completion));
        const reason = wordOf(value.stop_reason);
        if (reason === undefined) return;
        this.finish(reasonOf(ANTHROPIC_REASONS, reason), reason);
        this.terminal();
        return;
      }
      case "error":
        this.settle(false);
        this.fail(
          errorOf(isEmpty(value.error) ? value : value.error),
          true,
        );
        return;
    }
    if (type === undefined && (this.converse(value) || this.#plain(value))) {
      return;
    }
    this.raw(value);
  }

  /** Why a message ends. */
  protected messageReason(reason: FinishReason, rawReason: string): void {
    this.finish(reason, rawReason);
  }

  /** `message_stop` was seen. */
  protected messageOver(): void {
    this.terminal();
  }

  /** The usage object of a message. */
  protected messageUsage(usage: JSONObject): void {
    this.usage({
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      reasoningTokens: objectOf(usage.output_tokens_details)?.thinking_tokens,
      cachedInputTokens: usage.cache_read_input_tokens,
    });
  }

  #start(value: JSONObject): void {
    const block = this.objectIn(value.content_block) ?? {};
    // Signatures, citations, who called: they have to go back.
    if (BLOCK_KEYS.hasOther(block)) this.unread();
    switch (block.type) {
      case "text":
        this.text(this.stringIn(block.text));
        return;
      case "thinking":
        this.reasoning(this.stringIn(block.thinking));
        return;
      case "tool_use": {
        const call = this.calls.open(
          this.emit,
          keyOf(value),
          wordOf(block.id) ?? "",
          wordOf(block.name) ?? "",
        );
        // The input is empty here and comes in deltas. Some gateways send it at
        // once, some both ways: it counts when no delta comes.
        if (call !== undefined && !isEmpty(block.input)) {
          this.own.inputs[call.key] = toJSON(block.input) ?? null;
        }
        return;
      }
    }
    this.raw(value);
  }

  #delta(value: JSONObject): void {
    this.settle(true);
    const delta = this.objectIn(value.delta) ?? {};
    if (DELTA_KEYS.hasOther(delta)) this.unread();
    switch (delta.type) {
      case "text_delta":
        this.text(this.stringIn(delta.text));
        return;
      case "thinking_delta":
        this.reasoning(this.stringIn(delta.thinking));
        return;
      case "input_json_delta": {
        const call = this.calls.find(keyOf(value));
        if (call === undefined) break;
        this.calls.appendGiven(this.emit, call, delta.partial_json);
        return;
      }
    }
    this.raw(value);
  }

  #stop(value: JSONObject): void {
    const key = keyOf(value);
    const call = this.calls.find(key);
    if (call === undefined) return;
    const input = this.own.inputs[key];
    if (input !== undefined) {
      delete this.own.inputs[key];
      if (call.length === 0) {
        if (input === null) this.calls.refuse(this.emit, call);
        else this.calls.append(this.emit, call, input);
      }
    }
    this.closeCall(call);
  }

  /**
   * Text models behind Bedrock's InvokeModelWithResponseStream: Titan, Llama,
   * Mistral, Command. Says whether it is one of them.
   */
  #plain(value: JSONObject): boolean {
    const output = objectOf(arrayOf(value.outputs)[0]) ?? value;
    const text = output.outputText ?? output.generation ??
      (output !== value || "is_finished" in value ? output.text : undefined);
    if (typeof text !== "string") return false;
    this.text(text);
    const metrics = objectOf(value["amazon-bedrock-invocationMetrics"]);
    this.usage({
      inputTokens: value.inputTextTokenCount ?? value.prompt_token_count ??
        metrics?.inputTokenCount,
      outputTokens: value.totalOutputTextTokenCount ??
        value.generation_token_count ?? metrics?.outputTokenCount,
    });
    const reason = wordOf(output.completionReason) ??
      wordOf(output.stop_reason) ?? wordOf(output.finish_reason);
    if (reason !== undefined) {
      this.finish(reasonOf(PLAIN_REASONS, reason.toLowerCase()), reason);
      this.terminal();
    }
    return true;
  }
}

/** The same of text models behind Bedrock, in lower case. */
const PLAIN_REASONS: Readonly<Record<string, FinishReason>> = {
  complete: "stop",
  finish: "stop",
  stop: "stop",
  length: "length",
  max_tokens: "length",
  content_filtered: "content-filter",
};

/** Blocks are told apart by `index`. Anything else than a number is block 0. */
function keyOf(value: JSONObject): string {
  return typeof value.index === "number" ? `b${value.index}` : "b0";
}
