import type { Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import { AnthropicDecoder } from "../internal/anthropic_decoder.ts";
import { isObject } from "../internal/json.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

const EVENTS = [
  "messageStart",
  "contentBlockStart",
  "contentBlockDelta",
  "contentBlockStop",
  "messageStop",
];

/**
 * Bedrock's ConverseStream, as JSON lines; what its InvokeModelWithResponseStream
 * gives is read too.
 */
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
    return resumed(
      snapshot,
      (snapshot) =>
        new AnthropicDecoder("bedrock-converse", options, snapshot, {
          inputs: {},
        }),
    );
  },
};
