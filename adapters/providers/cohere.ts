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
import { resumed } from "../../transforms/internal/snapshot.ts";

const REASONS: Readonly<Record<string, FinishReason>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  TOOL_CALL: "tool-calls",
  MAX_TOKENS: "length",
  ERROR_LIMIT: "length",
  ERROR_TOXIC: "content-filter",
  ERROR: "error",
  TIMEOUT: "error",
  USER_CANCEL: "cancelled",
};

/** What this decoder remembers. */
interface State {
  /** Whether the plan before tool calls has come in pieces; of version 1 only. */
  planned: boolean;
}

/** Cohere's chat, versions 2 and 1. The plan before tool calls counts as reasoning. */
class CohereDecoder extends Decoder<State> {
  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("cohere", options, snapshot, { planned: false });
  }

  protected override event(value: JSONObject, event: string | undefined): void {
    const delta = this.objectIn(value.delta) ?? {};
    const message = this.objectIn(delta.message) ?? {};
    const type = wordOf(value.type) ?? wordOf(value.event_type) ?? event;
    switch (type) {
      case "stream-start":
      case "message-start":
      case "content-end":
        return;
      case "content-start":
      case "content-delta": {
        this.settle(true);
        const content = this.objectIn(message.content);
        // Images and the like.
        if (content?.text === undefined && content?.thinking === undefined) {
          break;
        }
        this.reasoning(this.stringIn(content.thinking));
        this.text(this.stringIn(content.text));
        return;
      }
      case "tool-plan-delta":
        this.reasoning(this.stringIn(message.tool_plan));
        return;
      case "tool-call-start": {
        this.settle(true);
        const tool = this.#tool(message);
        const described = this.objectIn(tool.function) ?? {};
        const call = this.calls.open(
          this.emit,
          keyOf(value),
          wordOf(tool.id) ?? "",
          wordOf(described.name) ?? "",
        );
        if (call !== undefined) {
          this.calls.appendGiven(this.emit, call, described.arguments);
        }
        return;
      }
      case "tool-call-delta": {
        const call = this.calls.find(keyOf(value));
        if (call === undefined) break;
        const described = this.objectIn(this.#tool(message).function) ?? {};
        this.calls.appendGiven(this.emit, call, described.arguments);
        return;
      }
      case "tool-call-end": {
        const call = this.calls.find(keyOf(value));
        if (call !== undefined) this.closeCall(call);
        return;
      }
      case "message-end":
        return this.#over(value, delta);
      case "text-generation":
        this.text(this.stringIn(value.text));
        return;
      case "tool-calls-chunk":
        // The calls follow whole.
        if (this.stringIn(value.text) !== "") this.own.planned = true;
        this.reasoning(stringOf(value.text));
        return;
      case "tool-calls-generation":
        if (!this.own.planned) this.reasoning(this.stringIn(value.text));
        for (const call of this.arrayIn(value.tool_calls)) {
          if (!isObject(call) || wordOf(call.name) === undefined) {
            if (!isEmpty(call)) this.unread();
          } else {
            this.calls.whole(
              this.emit,
              stringOf(call.id),
              stringOf(call.name),
              call.parameters ?? {},
            );
          }
        }
        return;
      case "stream-end":
        return this.#over(value, {
          finish_reason: value.finish_reason,
          usage: objectOf(value.response)?.meta,
          error: value.error,
        });
      case "error":
        this.fail(errorOf(value), true);
        return;
    }
    this.raw(value);
  }

  /** The call in a message: an object, though its name is plural. */
  #tool(message: JSONObject): JSONObject {
    const given = Array.isArray(message.tool_calls)
      ? message.tool_calls[0]
      : message.tool_calls;
    const tool = this.objectIn(given) ?? {};
    if (isEmpty(tool.function)) this.unread();
    return tool;
  }

  #over(value: JSONObject, delta: JSONObject): void {
    const word = wordOf(delta.finish_reason) ?? "unknown";
    const reason = reasonOf(REASONS, word);
    this.settle(!isCut(reason));
    const usage = objectOf(delta.usage) ?? {};
    const tokens = objectOf(usage.tokens) ?? objectOf(usage.billed_units) ?? {};
    this.usage({
      inputTokens: tokens.input_tokens,
      outputTokens: tokens.output_tokens,
      reasoningTokens: tokens.reasoning_tokens,
      cachedInputTokens: usage.cached_tokens,
    });
    if (reason === "error" || !isEmpty(delta.error)) {
      this.fail(
        isEmpty(delta.error)
          ? {
            name: "ProviderError",
            message: `The message ended with "${word}"`,
            code: word,
          }
          : errorOf(delta.error),
        true,
      );
    }
    this.finish(reason, word);
    this.terminal();
    if (!isEmpty(value.logprobs)) this.raw(value);
  }
}

function keyOf(value: JSONObject): string {
  return typeof value.index === "number" ? `c${value.index}` : "c0";
}

const TYPES = new Set([
  "message-start",
  "content-start",
  "content-delta",
  "tool-plan-delta",
  "tool-call-start",
  "stream-start",
  "text-generation",
]);

/** Cohere's chat, version 2; also the events of version 1. */
export const cohere: Provider = {
  name: "cohere",
  transport: "sse",
  detect(value: unknown): boolean {
    return isObject(value) &&
      TYPES.has((value.type ?? value.event_type) as string);
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(
      snapshot,
      (snapshot) => new CohereDecoder(options, snapshot),
    );
  },
};
