import type { FinishReason, Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import { Decoder, errorOf, reasonOf } from "../internal/decoder.ts";
import {
  isEmpty,
  isObject,
  type JSONObject,
  objectOf,
  wordOf,
} from "../internal/json.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

const REASONS: Readonly<Record<string, FinishReason>> = {
  completed: "stop",
  requires_action: "tool-calls",
  incomplete: "length",
  cancelled: "cancelled",
  failed: "error",
};

/**
 * Google's Interactions: steps (earlier: contents) that start, grow and stop.
 * Tools that run at Google pass as `raw`.
 */
class GoogleInteractionsDecoder extends Decoder<null> {
  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("google-interactions", options, snapshot, null);
  }

  protected override event(value: JSONObject, event: string | undefined): void {
    const type = wordOf(value.event_type) ?? event ?? "";
    switch (type) {
      case "interaction.created":
      case "interaction.start":
      case "interaction.status_update":
        return;
      case "step.start":
      case "content.start":
        return this.#start(value);
      case "step.delta":
      case "content.delta":
        return this.#delta(value);
      case "step.stop":
      case "content.stop": {
        const call = this.calls.find(keyOf(value));
        if (call !== undefined) this.closeCall(call);
        return;
      }
      case "interaction.completed":
      case "interaction.complete":
        return this.#over(value);
      case "error":
        this.fail(errorOf(isEmpty(value.error) ? value : value.error), true);
        return;
    }
    if (!isEmpty(value.error)) this.fail(errorOf(value.error), true);
    else this.raw(value);
  }

  #start(value: JSONObject): void {
    this.settle(true);
    const step = this.objectIn(value.step) ?? this.objectIn(value.content) ??
      {};
    switch (step.type) {
      case "thought":
      case "model_output":
      case "text":
        for (const part of this.arrayIn(step.content)) {
          if (isObject(part)) this.#content(part, step.type, value);
          else this.unread();
        }
        return;
      case "function_call": {
        // The earlier form gives id and name with the first delta.
        const call = this.calls.open(
          this.emit,
          keyOf(value),
          wordOf(step.id) ?? "",
          wordOf(step.name) ?? "",
        );
        if (call !== undefined) this.#arguments(value, step.arguments);
        return;
      }
    }
    this.raw(value);
  }

  #delta(value: JSONObject): void {
    this.settle(true);
    const delta = objectOf(value.delta) ?? {};
    switch (delta.type) {
      case "text":
        this.text(this.stringIn(delta.text));
        return;
      case "thought":
        this.reasoning(this.stringIn(delta.thought));
        return;
      case "thought_summary":
        if (this.objectIn(delta.content) !== undefined) {
          this.#content(delta.content as JSONObject, "thought", value);
        }
        return;
      case "arguments_delta":
        if (this.calls.find(keyOf(value)) === undefined) break;
        this.#arguments(value, delta.arguments);
        return;
      case "function_call":
        return this.#call(value, delta);
    }
    this.raw(value);
  }

  #call(value: JSONObject, delta: JSONObject): void {
    const id = wordOf(delta.id) ?? "";
    const name = wordOf(delta.name) ?? "";
    const call = this.calls.find(keyOf(value)) ??
      this.calls.open(this.emit, keyOf(value), id, name);
    if (call === undefined) return;
    if (id !== "" && call.wireId === "") {
      this.calls.setWireId(this.emit, call, id);
    }
    if (name !== "" && call.name === "") {
      this.calls.setName(this.emit, call, name);
    }
    this.#arguments(value, delta.arguments);
  }

  #content(part: JSONObject, type: string, value: JSONObject): void {
    if (part.type !== "text") return this.raw(value);
    const text = this.stringIn(part.text);
    if (type === "thought") this.reasoning(text);
    else this.text(text);
  }

  /** Argument text piece by piece, or an object at once. */
  #arguments(value: JSONObject, given: unknown): void {
    const call = this.calls.find(keyOf(value));
    if (call !== undefined) this.calls.appendGiven(this.emit, call, given);
  }

  #over(value: JSONObject): void {
    const interaction = objectOf(value.interaction) ?? {};
    const word = wordOf(interaction.status) ?? "completed";
    const reason = reasonOf(REASONS, word);
    this.settle(reason === "stop" || reason === "tool-calls");
    const usage = objectOf(interaction.usage) ?? {};
    this.usage({
      inputTokens: usage.total_input_tokens,
      outputTokens: usage.total_output_tokens,
      totalTokens: usage.total_tokens,
      reasoningTokens: usage.total_thought_tokens,
      cachedInputTokens: usage.total_cached_tokens,
    });
    if (reason === "error") this.fail(errorOf(interaction.error), true);
    this.finish(reason, word);
    this.terminal();
  }
}

function keyOf(value: JSONObject): string {
  return typeof value.index === "number" ? `s${value.index}` : "s0";
}

/** Google's Interactions. */
export const googleInteractions: Provider = {
  name: "google-interactions",
  transport: "sse",
  detect(value: unknown): boolean {
    return isObject(value) && typeof value.event_type === "string" &&
      /^(interaction|step|content)\./.test(value.event_type);
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(
      snapshot,
      (snapshot) => new GoogleInteractionsDecoder(options, snapshot),
    );
  },
};
