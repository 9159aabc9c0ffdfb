/**
 * The protocol as a table: one row a type and subtype, with the schema that
 * decides whether a line has the right shape, and the name its event gets.
 *
 * Schemas demand no more than what is used: the protocol grows every few weeks,
 * enumerations are open, and unknown fields pass.
 *
 * @module
 */

import * as z from "zod/mini";
import type { StandardSchema } from "../../transforms/schema.ts";
import type { RawEvent } from "./provider_adapter.ts";

/** One type of event. */
export interface ClaudeCodeRow {
  /** The event's `type`. */
  type: string;
  /**
   * The event's `subtype`: its own, that of the `request` in a
   * `control_request`, or the `type` of the event in a `stream_event`. Without
   * one the row is for all subtypes that have no row of their own.
   */
  subtype?: string;
  /** The shape. Anything that implements Standard Schema, validating at once. */
  schema: StandardSchema<unknown, unknown>;
  /** The socket event's name, or how to find it. */
  name: string | ((event: RawEvent) => string);
}

const text = z.string();
const id = z.optional(z.nullable(text));
const flag = z.optional(z.nullable(z.boolean()));
const number = z.optional(z.nullable(z.number()));
const words = z.optional(z.nullable(z.array(text)));
const object = z.optional(z.nullable(z.record(text, z.unknown())));
const list = z.optional(z.nullable(z.array(z.unknown())));

/** Blocks of known types have what is read of them; others are left alone. */
const block = z.looseObject({ type: text }).check(z.refine((one) => {
  switch (one.type) {
    case "text":
      return typeof one["text"] === "string";
    case "tool_use":
      return typeof one["name"] === "string" && typeof one["id"] === "string";
    case "tool_result":
      return typeof one["tool_use_id"] === "string";
  }
  return true;
}, "a field of this block is missing or of a wrong type"));

const message = z.looseObject({
  content: z.union([text, z.array(block)]),
  id,
});

const conversation = {
  message,
  parent_tool_use_id: id,
  session_id: id,
  uuid: id,
};

const result = {
  subtype: text,
  is_error: flag,
  errors: words,
  usage: object,
  stop_reason: id,
  duration_ms: number,
  num_turns: number,
  total_cost_usd: number,
};

/** The stable names of a stream's events; later ones go by their type. */
const STREAM_NAMES: readonly (readonly [string, string])[] = [
  ["message_start", "stream:start"],
  ["content_block_start", "stream:block_start"],
  ["content_block_delta", "stream:chunk"],
  ["content_block_stop", "stream:block_end"],
  ["message_delta", "stream:message_delta"],
  ["message_stop", "stream:end"],
];

/** Names of what the command line asks of a host; later ones go by their subtype. */
const CONTROL_NAMES: readonly (readonly [string, string])[] = [
  ["can_use_tool", "control:permission"],
  ["elicitation", "control:elicitation"],
  ["hook_callback", "control:hook"],
  ["mcp_message", "control:mcp"],
  ["request_user_dialog", "control:dialog"],
];

/** The subtypes of `system`, with what is read of them. */
const SYSTEM_SHAPES: Readonly<Record<string, z.ZodMiniType>> = {
  init: z.looseObject({ cwd: id, model: id, tools: words, mcp_servers: list }),
  api_retry: z.looseObject({ attempt: number, max_retries: number }),
  background_tasks_changed: z.looseObject({ tasks: list }),
  commands_changed: z.looseObject({ commands: list }),
  compact_boundary: z.looseObject({ compact_metadata: object }),
  control_request_progress: z.looseObject({ request_id: id, status: id }),
  elicitation_complete: z.looseObject({ elicitation_id: id }),
  files_persisted: z.looseObject({ files: list, failed: list }),
  hook_progress: z.looseObject({ hook_id: id, output: id }),
  hook_response: z.looseObject({ hook_id: id, output: id, outcome: id }),
  hook_started: z.looseObject({ hook_id: id, hook_name: id }),
  informational: z.looseObject({ content: id, level: id }),
  local_command_output: z.looseObject({ content: id }),
  memory_recall: z.looseObject({ mode: id, memories: list }),
  mirror_error: z.looseObject({ error: id, key: object }),
  model_refusal_fallback: z.looseObject({
    original_model: id,
    fallback_model: id,
    retracted_message_uuids: words,
  }),
  model_refusal_no_fallback: z.looseObject({ original_model: id, content: id }),
  notification: z.looseObject({ text: id, priority: id }),
  permission_denied: z.looseObject({ tool_name: id, tool_use_id: id }),
  plugin_install: z.looseObject({ status: id, name: id }),
  session_state_changed: z.looseObject({ state: id }),
  session_writes_lost: z.looseObject({ error_code: id, lost: words }),
  status: z.looseObject({ status: id }),
  task_notification: z.looseObject({ task_id: id, status: id }),
  task_progress: z.looseObject({ task_id: id, description: id }),
  task_started: z.looseObject({ task_id: id, description: id }),
  task_updated: z.looseObject({ task_id: id, patch: object }),
  thinking_tokens: z.looseObject({ estimated_tokens: number }),
  worker_shutting_down: z.looseObject({ reason: id }),
};

const stream = z.looseObject({
  event: z.looseObject({ type: text }),
  parent_tool_use_id: id,
});

const control = z.looseObject({
  request_id: text,
  request: z.looseObject({ subtype: text }),
});

const permission = z.looseObject({
  request_id: text,
  request: z.looseObject({
    subtype: text,
    tool_name: text,
    input: z.record(text, z.unknown()),
    tool_use_id: id,
  }),
});

const elicitation = z.looseObject({
  request_id: text,
  request: z.looseObject({
    subtype: text,
    message: text,
    mcp_server_name: id,
    mode: id,
    requested_schema: object,
  }),
});

/**
 * All event types of the protocol. A new one is one more row: append it, and
 * pass the table to {@linkcode [claude_code_adapter].ClaudeCodeAdapter}.
 *
 * @example A type that came out after this version
 * ```ts
 * import { ClaudeCodeAdapter, claudeCodeTable } from "@millrace/millrace/adapters/claude_code";
 * import { z } from "zod";
 *
 * const adapter = new ClaudeCodeAdapter({
 *   table: [...claudeCodeTable, {
 *     type: "weather",
 *     schema: z.looseObject({ degrees: z.number() }),
 *     name: "weather:now",
 *   }],
 * });
 * const result = adapter.parseLine('{"type":"weather","degrees":21}');
 * if (result.status !== "ok") throw new Error();
 * if (adapter.transform(result.event).events[0]?.name !== "weather:now") throw new Error();
 * ```
 */
export const claudeCodeTable: readonly ClaudeCodeRow[] = [
  {
    type: "assistant",
    schema: z.looseObject({ ...conversation, error: id }),
    name: "message:assistant",
  },
  {
    type: "user",
    schema: z.looseObject(conversation),
    name: "message:user",
  },
  {
    type: "result",
    subtype: "success",
    schema: z.looseObject({ ...result, result: id }),
    name: "message:result",
  },
  { type: "result", schema: z.looseObject(result), name: "message:result" },
  ...STREAM_NAMES.map(([subtype, name]) => ({
    type: "stream_event",
    subtype,
    schema: stream,
    name,
  })),
  {
    type: "stream_event",
    schema: stream,
    name: (event) => `stream:${slug((event["event"] as RawEvent).type)}`,
  },
  ...Object.entries(SYSTEM_SHAPES).map(([subtype, schema]) => ({
    type: "system",
    subtype,
    schema,
    name: subtype === "notification"
      ? "notification:show"
      : `system:${subtype}`,
  })),
  ...CONTROL_NAMES.map(([subtype, name]) => ({
    type: "control_request",
    subtype,
    schema: subtype === "can_use_tool"
      ? permission
      : subtype === "elicitation"
      ? elicitation
      : control,
    name,
  })),
  {
    type: "control_request",
    schema: control,
    name: (event) =>
      `control:${slug((event["request"] as { subtype: string }).subtype)}`,
  },
  {
    type: "control_cancel_request",
    schema: z.looseObject({ request_id: text }),
    name: "control:cancel",
  },
  {
    type: "control_response",
    schema: z.looseObject({
      response: z.looseObject({ subtype: text, request_id: id }),
    }),
    name: "control:response",
  },
  {
    type: "active_goal",
    schema: z.looseObject({ value: object }),
    name: "system:active_goal",
  },
  {
    type: "auth_status",
    schema: z.looseObject({ isAuthenticating: flag, output: words, error: id }),
    name: "system:auth_status",
  },
  {
    type: "conversation_reset",
    schema: z.looseObject({ new_conversation_id: id }),
    name: "system:conversation_reset",
  },
  {
    type: "prompt_suggestion",
    schema: z.looseObject({ suggestion: id }),
    name: "notification:suggestion",
  },
  {
    type: "rate_limit_event",
    schema: z.looseObject({ rate_limit_info: object }),
    name: "system:rate_limit",
  },
  {
    type: "tool_progress",
    schema: z.looseObject({ tool_use_id: id, tool_name: id }),
    name: "tool:progress",
  },
  {
    type: "tool_use_summary",
    schema: z.looseObject({ summary: id, preceding_tool_use_ids: words }),
    name: "tool:summary",
  },
];

/** A word of the wire as part of a name: lower case, no blanks. */
function slug(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]+/g, "_").slice(0, 64);
}
