import type { FinishReason, Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import { Decoder, errorOf, isCut, reasonOf } from "../internal/decoder.ts";
import {
  arrayOf,
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
    const delta = objectOf(value.delta) ?? {};
    const message = objectOf(delta.message) ?? {};
    const type = wordOf(value.type) ?? wordOf(value.event_type) ?? event;
    switch (type) {
      case "stream-start":
      case "message-start":
      case "content-end":
        return;
      case "content-start":
      case "content-delta": {
        this.settle(true);
        const content = objectOf(message.content);
        if (content === undefined) break;
        this.reasoning(stringOf(content.thinking));
        this.text(stringOf(content.text));
        return;
      }
      case "tool-plan-delta":
        this.reasoning(stringOf(message.tool_plan));
        return;
      case "tool-call-start": {
        this.settle(true);
        const tool = toolOf(message);
        const described = objectOf(tool.function) ?? {};
        const call = this.calls.open(
          this.emit,
          keyOf(value),
          wordOf(tool.id) ?? "",
          wordOf(described.name) ?? "",
        );
        if (call !== undefined) {
          this.calls.append(this.emit, call, stringOf(described.arguments));
        }
        return;
      }
      case "tool-call-delta": {
        const call = this.calls.find(keyOf(value));
        if (call === undefined) break;
        const described = objectOf(toolOf(message).function) ?? {};
        this.calls.append(this.emit, call, stringOf(described.arguments));
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
        this.text(stringOf(value.text));
        return;
      case "tool-calls-chunk":
        // The calls follow whole.
        if (stringOf(value.text) !== "") this.own.planned = true;
        this.reasoning(stringOf(value.text));
        return;
      case "tool-calls-generation":
        if (!this.own.planned) this.reasoning(stringOf(value.text));
        for (const call of arrayOf(value.tool_calls)) {
          if (isObject(call) && wordOf(call.name) !== undefined) {
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

/** The call in a message: an object, though its name is plural. */
function toolOf(message: JSONObject): JSONObject {
  const given = Array.isArray(message.tool_calls)
    ? message.tool_calls[0]
    : message.tool_calls;
  return objectOf(given) ?? {};
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
