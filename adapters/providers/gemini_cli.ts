import type { Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import { Decoder, errorOf } from "../internal/decoder.ts";
import {
  isObject,
  type JSONObject,
  objectOf,
  stringOf,
} from "../internal/json.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/**
 * The lines of `gemini --output-format stream-json`. The command line runs the
 * tools itself: calls and their results are for looking on, and a turn with calls
 * in it still ends with `"stop"`.
 */
class GeminiCliDecoder extends Decoder<null> {
  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("gemini-cli", options, snapshot, null);
  }

  protected override event(value: JSONObject): void {
    switch (value.type) {
      case "message":
        if (value.role !== "assistant") break;
        this.text(this.stringIn(value.content));
        return;
      case "tool_use":
        this.calls.whole(
          this.emit,
          stringOf(value.tool_id),
          stringOf(value.tool_name),
          value.parameters ?? {},
        );
        return;
      case "tool_result":
        this.emit({
          type: "tool-result",
          toolCallId: stringOf(value.tool_id),
          output: value.output ?? value.error ?? "",
        });
        if (value.status !== "success") this.raw(value);
        return;
      case "error":
        // A severe one is repeated by the result.
        this.emit({
          type: "error",
          error: errorOf(value, "GeminiCliError"),
          fatal: false,
        });
        return;
      case "result":
        return this.#result(value);
    }
    this.raw(value);
  }

  protected override asksForResults(): boolean {
    return false;
  }

  #result(value: JSONObject): void {
    const stats = objectOf(value.stats) ?? {};
    this.usage({
      inputTokens: stats.input_tokens,
      outputTokens: stats.output_tokens,
      totalTokens: stats.total_tokens,
      cachedInputTokens: stats.cached,
    });
    if (value.status === "success") {
      this.recover();
      this.finish("stop", "success");
    } else {
      this.fail(errorOf(value.error), true);
      this.finish("error", stringOf(value.status));
    }
    this.terminal();
  }
}

/** The JSON lines of Gemini's command line. */
export const geminiCli: Provider = {
  name: "gemini-cli",
  transport: "jsonl",
  detect(value: unknown): boolean {
    return isObject(value) &&
      ((value.type === "init" && typeof value.session_id === "string") ||
        (value.type === "message" && typeof value.content === "string" &&
          typeof value.role === "string" && "timestamp" in value));
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(
      snapshot,
      (snapshot) => new GeminiCliDecoder(options, snapshot),
    );
  },
};
