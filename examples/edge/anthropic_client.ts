import { AnthropicEncoderStream } from "../../adapters/encode_anthropic.ts";
import { StageStream, type Tool } from "../../mod.ts";
import { AnthropicBlocks } from "./anthropic_blocks.ts";
import type { Client } from "./client.ts";
import { type Fields, isObject, objectsOf } from "./json.ts";
import { Problem, typeOf } from "./problem.ts";

function check(body: Fields): void {
  if (!Array.isArray(body.messages)) {
    throw new Problem(400, 'The request has no list of "messages"');
  }
}

function tools(body: Fields): Tool[] {
  const choice = isObject(body.tool_choice) ? body.tool_choice : {};
  if (choice.type === "none") return [];
  return objectsOf(body.tools).flatMap(({ name, input_schema }) => {
    // What the API runs itself, or knows the schema of, is never written as text.
    if (typeof name !== "string" || !isObject(input_schema)) return [];
    if (choice.type === "tool" && choice.name !== name) return [];
    return [{ name, inputSchema: input_schema }];
  });
}

function whole(events: readonly Fields[]): Fields {
  let message: Fields = {};
  const content: { block: Fields; pieces: Record<string, string[]> }[] = [];
  for (const event of events) {
    const { index } = event as { index: number };
    const delta = event.delta as Fields;
    switch (event.type) {
      case "message_start":
        message = event.message as Fields;
        break;
      case "content_block_start":
        content[index] = { block: event.content_block as Fields, pieces: {} };
        break;
      case "content_block_delta":
        for (const [key, value] of Object.entries(delta)) {
          if (key === "type") continue;
          const { pieces } = content[index]!;
          (pieces[key] ??= []).push(value as string);
        }
        break;
      case "message_delta":
        message = {
          ...message,
          ...delta,
          usage: { ...message.usage as Fields, ...event.usage as Fields },
        };
        break;
    }
  }
  return {
    ...message,
    content: content.map(({ block, pieces }) => {
      const result = { ...block };
      for (const [key, list] of Object.entries(pieces)) {
        const text = list.join("");
        if (key === "partial_json") {
          if (text !== "") result.input = JSON.parse(text);
        } else if (key === "citation") result.citations = list;
        else result[key] = text;
      }
      return result;
    }),
  };
}

/** Those who use Anthropic's messages. */
export const anthropicClient: Client = {
  format: "anthropic",
  callPrefix: "toolu_",
  answerId: (random) => `msg_${random}`,
  check,
  tools,
  wantsUsage: () => true,
  encoder({ id, model }, native, snapshot) {
    const make = (inner?: unknown) =>
      new AnthropicEncoderStream({ id, model, snapshot: inner });
    return native
      ? new StageStream(new AnthropicBlocks(make, snapshot))
      : make(snapshot);
  },
  whole,
  problem: ({ message, status }) => ({
    type: "error",
    error: { type: typeOf(status), message },
  }),
};
