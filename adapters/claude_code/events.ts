/**
 * The messages of Claude Code's `stream-json` protocol, as far as they are used
 * here. Everything else a message carries is kept: each is also a
 * {@linkcode RawEvent}. Fields that a real line may lack are optional, whatever
 * the declarations of the agent SDK say.
 *
 * @module
 */

import type { RawEvent } from "./provider_adapter.ts";

/** A block of a message's content. */
export interface ContentBlock {
  /** `text`, `thinking`, `tool_use`, `tool_result`, or one that came later. */
  type: string;
  /** The text of a text block. */
  text?: string | undefined;
  /** The id of a tool call. */
  id?: string | undefined;
  /** The tool of a call. */
  name?: string | undefined;
  /** The arguments of a call. */
  input?: unknown;
  /** The call a result answers. */
  tool_use_id?: string | undefined;
  /** What a tool gave back: text, or blocks. */
  content?: unknown;
  /** Whether the tool failed. */
  is_error?: boolean | null | undefined;
  /** Whatever else there is. */
  [key: string]: unknown;
}

/** A message of either side. */
export interface EventMessage {
  /** One text, or blocks. */
  content: string | ContentBlock[];
  /** The message's id; several lines may share one. */
  id?: string | null | undefined;
  /** Whatever else there is. */
  [key: string]: unknown;
}

/** What all messages of a conversation have. */
export interface ConversationEvent extends RawEvent {
  /** Set when a sub-agent said it. */
  parent_tool_use_id?: string | null | undefined;
  /** The session it belongs to. */
  session_id?: string | null | undefined;
}

/** What the model said, whole. */
export interface AssistantEvent extends ConversationEvent {
  /** The tag of this event. */
  type: "assistant";
  /** The message: text and tool calls may stand in one. */
  message: EventMessage;
  /** Why the message failed, if it did. */
  error?: string | null | undefined;
}

/** What went to the model: prompts, and the results of tools. */
export interface UserEvent extends ConversationEvent {
  /** The tag of this event. */
  type: "user";
  /** The message. */
  message: EventMessage;
  /** The tool's result as data. */
  tool_use_result?: unknown;
}

/** One raw event of the model's stream, with partial messages switched on. */
export interface StreamEvent extends ConversationEvent {
  /** The tag of this event. */
  type: "stream_event";
  /** The event as Anthropic's API sends it. */
  event: RawEvent;
}

/** The end of a turn. */
export interface ResultEvent extends RawEvent {
  /** The tag of this event. */
  type: "result";
  /** `success`, or what ended the turn. */
  subtype: string;
  /** Whether it failed; a `success` can have. */
  is_error?: boolean | null | undefined;
  /** The final text; only in a `success`. */
  result?: string | null | undefined;
  /** What went wrong; not in a `success`. */
  errors?: string[] | null | undefined;
  /** Token counts of the whole turn. */
  usage?: Record<string, unknown> | null | undefined;
  /** The last message's stop reason. */
  stop_reason?: string | null | undefined;
}

/** News of the session. */
export interface SystemEvent extends RawEvent {
  /** The tag of this event. */
  type: "system";
  /** What kind of news. */
  subtype: string;
}

/** The command line asks the host. */
export interface ControlRequestEvent extends RawEvent {
  /** The tag of this event. */
  type: "control_request";
  /** To be repeated in the answer. */
  request_id: string;
  /** What it asks. */
  request: {
    /** `can_use_tool`, `elicitation`, `hook_callback`, `mcp_message`, … */
    subtype: string;
    /** The tool that wants to run. */
    tool_name?: string | undefined;
    /** The arguments it wants to run with. */
    input?: unknown;
    /** Whatever else there is. */
    [key: string]: unknown;
  };
}

/** A request is withdrawn. */
export interface ControlCancelEvent extends RawEvent {
  /** The tag of this event. */
  type: "control_cancel_request";
  /** The request that needs no answer any more. */
  request_id: string;
}

/** The command line answers a request of the host. */
export interface ControlResponseEvent extends RawEvent {
  /** The tag of this event. */
  type: "control_response";
  /** The answer. */
  response: {
    /** `success` or `error`. */
    subtype: string;
    /** The request it answers. */
    request_id?: string | undefined;
    /** Whatever else there is. */
    [key: string]: unknown;
  };
}

/** The types of the other events: they only tell something. */
export type NewsEventType =
  | "active_goal"
  | "auth_status"
  | "conversation_reset"
  | "prompt_suggestion"
  | "rate_limit_event"
  | "tool_progress"
  | "tool_use_summary";

/** An event that only tells something. */
export interface NewsEvent extends RawEvent {
  /** The tag of this event. */
  type: NewsEventType;
}

/** Every event of the protocol that has a row in {@linkcode claudeCodeTable}. */
export type ClaudeCodeEvent =
  | AssistantEvent
  | UserEvent
  | StreamEvent
  | ResultEvent
  | SystemEvent
  | ControlRequestEvent
  | ControlCancelEvent
  | ControlResponseEvent
  | NewsEvent;
