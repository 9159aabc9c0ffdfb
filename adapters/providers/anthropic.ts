import type { Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import { AnthropicDecoder } from "../internal/anthropic_decoder.ts";
import { arrayOf, isObject, objectOf } from "../internal/json.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

const TYPES = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
]);

/** Anthropic's messages; also what Bedrock's InvokeModelWithResponseStream gives. */
export const anthropic: Provider = {
  name: "anthropic",
  transport: "sse",
  detect(value: unknown): boolean {
    return isObject(value) &&
      (TYPES.has(value.type as string) ||
        (value.type === "error" && isObject(value.error)) ||
        typeof value.outputText === "string" ||
        typeof value.generation === "string" || value.type === "completion" ||
        // Mistral and Command behind Bedrock.
        typeof objectOf(arrayOf(value.outputs)[0])?.text === "string" ||
        ("is_finished" in value && typeof value.text === "string" &&
          !("event_type" in value)));
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(
      snapshot,
      (snapshot) =>
        new AnthropicDecoder("anthropic", options, snapshot, {
          inputs: {},
        }),
    );
  },
};
