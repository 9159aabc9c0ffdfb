import { OpenAIChatEncoderStream } from "../../adapters/encode_openai_chat.ts";
import type { Tool } from "../../mod.ts";
import type { Client } from "./client.ts";
import { type Fields, isObject, objectsOf } from "./json.ts";
import { Problem, typeOf } from "./problem.ts";

/** What is asked for with these has no place in the answer that comes back. */
const IMPOSSIBLE: readonly [
  name: string,
  isAsked: (value: unknown) => boolean,
  message: string,
][] = [
  ["n", (value) => Number(value) > 1, "This gateway gives one choice"],
  [
    "logprobs",
    (value) => value === true || typeof value === "number",
    "This gateway gives no log probabilities",
  ],
  [
    "modalities",
    (value) => Array.isArray(value) && value.some((one) => one !== "text"),
    "This gateway gives text only",
  ],
  ["audio", isObject, "This gateway gives text only"],
  ["functions", Array.isArray, 'Use "tools" instead of "functions"'],
];

function check(body: Fields): void {
  for (const [name, isAsked, message] of IMPOSSIBLE) {
    if (isAsked(body[name])) {
      throw new Problem(400, `Cannot use "${name}": ${message}`, {
        code: "unsupported_parameter",
      });
    }
  }
  if (!Array.isArray(body.messages)) {
    throw new Problem(400, 'The request has no list of "messages"');
  }
  if (objectsOf(body.tools).some((tool) => tool.type === "custom")) {
    throw new Problem(
      400,
      'Cannot use tools of type "custom": give functions',
      {
        code: "unsupported_parameter",
      },
    );
  }
}

function tools(body: Fields): Tool[] {
  if (body.tool_choice === "none") return [];
  const chosen = isObject(body.tool_choice) &&
      isObject(body.tool_choice.function)
    ? body.tool_choice.function.name
    : undefined;
  return objectsOf(body.tools).flatMap((tool) => {
    const described = tool.function;
    if (!isObject(described) || typeof described.name !== "string") return [];
    if (chosen !== undefined && described.name !== chosen) return [];
    const schema = described.parameters;
    return [{
      name: described.name,
      ...(isObject(schema) ? { inputSchema: schema } : {}),
    }];
  });
}

function whole(events: readonly Fields[]): Fields {
  let head: Fields = {};
  let finish: unknown = null;
  let usage: unknown;
  const content: string[] = [];
  const reasoning: string[] = [];
  const calls: { id: string; name: string; pieces: string[] }[] = [];
  for (const event of events) {
    const { id, created, model } = event;
    head = { id, object: "chat.completion", created, model };
    if (event.usage !== undefined) usage = event.usage;
    for (const choice of objectsOf(event.choices)) {
      if (choice.finish_reason !== null) finish = choice.finish_reason;
      const delta = choice.delta as Fields;
      if (typeof delta.content === "string") content.push(delta.content);
      if (typeof delta.reasoning_content === "string") {
        reasoning.push(delta.reasoning_content);
      }
      for (const call of objectsOf(delta.tool_calls)) {
        const given = call.function as { name?: string; arguments: string };
        const known = calls[call.index as number] ??= {
          id: call.id as string,
          name: given.name ?? "",
          pieces: [],
        };
        known.pieces.push(given.arguments);
      }
    }
  }
  const text = content.join("");
  return {
    ...head,
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: text === "" && calls.length > 0 ? null : text,
        refusal: null,
        ...(reasoning.length > 0
          ? { reasoning_content: reasoning.join("") }
          : {}),
        ...(calls.length > 0
          ? {
            tool_calls: calls.map(({ id, name, pieces }) => ({
              id,
              type: "function",
              function: { name, arguments: pieces.join("") },
            })),
          }
          : {}),
      },
      logprobs: null,
      finish_reason: finish,
    }],
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Those who use OpenAI's chat completions. */
export const openAIClient: Client = {
  format: "openai-chat",
  callPrefix: "call_",
  answerId: (random) => `chatcmpl-${random}`,
  check,
  tools,
  wantsUsage: ({ stream_options }) =>
    isObject(stream_options) && stream_options.include_usage === true,
  encoder: ({ id, model, created }, _native, snapshot) =>
    new OpenAIChatEncoderStream({ id, model, created, snapshot }),
  whole,
  problem: ({ message, status, code }) => ({
    error: { message, type: typeOf(status), param: null, code: code ?? null },
  }),
};
