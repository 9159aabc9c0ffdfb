import type { FinishReason, Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import { Decoder, errorOf, reasonOf } from "../internal/decoder.ts";
import {
  isEmpty,
  isObject,
  type JSONObject,
  KnownKeys,
  stringOf,
  wordOf,
} from "../internal/json.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  load: "stop",
  unload: "stop",
  length: "length",
};

/** Keys of a line that are read, or tell only about the request. */
const LINE_KEYS = new KnownKeys([
  "context",
  "created_at",
  "done",
  "done_reason",
  "error",
  "eval_count",
  "eval_duration",
  "load_duration",
  "message",
  "model",
  "prompt_eval_count",
  "prompt_eval_duration",
  "remote_host",
  "remote_model",
  "response",
  "thinking",
  "total_duration",
]);

const MESSAGE_KEYS = new KnownKeys([
  "content",
  "role",
  "thinking",
  "tool_calls",
]);

const FUNCTION_KEYS = new KnownKeys(["arguments", "index", "name"]);

/** Ollama's `/api/chat` and `/api/generate`: JSON lines, calls always whole. */
class OllamaDecoder extends Decoder<null> {
  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("ollama", options, snapshot, null);
  }

  protected override event(value: JSONObject): void {
    if (!isEmpty(value.error)) {
      this.fail(errorOf(value.error), true);
      return;
    }
    const message = this.objectIn(value.message);
    if (
      message === undefined && typeof value.response !== "string" &&
      typeof value.done !== "boolean"
    ) return this.raw(value);
    let unknown = LINE_KEYS.hasOther(value);
    this.reasoning(this.stringIn(value.thinking));
    this.text(this.stringIn(value.response));
    if (message !== undefined) {
      if (MESSAGE_KEYS.hasOther(message)) unknown = true;
      this.reasoning(this.stringIn(message.thinking));
      this.text(this.stringIn(message.content));
      for (const call of this.arrayIn(message.tool_calls)) {
        if (isObject(call)) this.#call(call);
        else unknown = true;
      }
    }
    if (unknown) this.raw(value);
    if (value.done === true) {
      this.usage({
        inputTokens: value.prompt_eval_count,
        outputTokens: value.eval_count,
      });
      const reason = wordOf(value.done_reason);
      // Older servers give none.
      this.finish(
        reason === undefined ? "stop" : reasonOf(REASONS, reason),
        reason ?? "stop",
      );
      this.terminal();
    }
  }

  #call(call: JSONObject): void {
    const described = this.objectIn(call.function) ?? {};
    if (isEmpty(described) || FUNCTION_KEYS.hasOther(described)) this.unread();
    const id = stringOf(call.id);
    const name = this.stringIn(described.name);
    const given = described.arguments;
    if (isObject(given) && name !== "") {
      this.calls.whole(this.emit, id, name, given);
      return;
    }
    // Text, as some versions have it, or nothing at all.
    const open = this.calls.open(this.emit, "call", id, name);
    if (open === undefined) return;
    if (isObject(given)) this.calls.appendValue(this.emit, open, given);
    else this.calls.appendGiven(this.emit, open, given);
    this.calls.complete(this.emit, open);
  }
}

/** Ollama's own API. */
export const ollama: Provider = {
  name: "ollama",
  transport: "jsonl",
  detect(value: unknown): boolean {
    return isObject(value) && typeof value.done === "boolean" &&
      (isObject(value.message) || typeof value.response === "string");
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(
      snapshot,
      (snapshot) => new OllamaDecoder(options, snapshot),
    );
  },
};
