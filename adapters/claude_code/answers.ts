/**
 * Lines to write to the stdin of Claude Code's command line (started with
 * `--input-format stream-json`): answers to what it asks, and requests of the
 * host. Each is one JSON object with its line end.
 *
 * @module
 */

import { oneLine } from "../internal/json.ts";
import type { ControlRequestEvent } from "./events.ts";

/** What is needed of a request to answer it. */
export interface AnswerableRequest {
  /** The request's id. */
  request_id: string;
  /** What was asked. Its `input` is what a plain permission lets run. */
  request?: ControlRequestEvent["request"] | undefined;
}

/** The answer to "may this tool run". */
export type PermissionDecision =
  | {
    /** It may. */
    behavior: "allow";
    /** Other arguments to run with. Default: those asked for. */
    updatedInput?: Record<string, unknown> | undefined;
    /** Rules to keep, such as the request's `permission_suggestions`. */
    updatedPermissions?: unknown[] | undefined;
  }
  | {
    /** It may not. */
    behavior: "deny";
    /** Why, in words for the model. */
    message: string;
    /** Stop the turn as well. */
    interrupt?: boolean | undefined;
  };

/** The answer to a question of an MCP server. */
export type ElicitationAnswer =
  | {
    /** The person answered. */
    action: "accept";
    /** The answer, of the requested schema. */
    content?: Record<string, unknown> | undefined;
  }
  | {
    /** The person declined, or closed the question. */
    action: "decline" | "cancel";
  };

/** The answer to a dialog. */
export type DialogAnswer =
  | {
    /** The dialog was gone through. */
    behavior: "completed";
    /** What came of it; each kind of dialog has its own shape. */
    result: unknown;
  }
  | {
    /** It was closed. */
    behavior: "cancelled";
  };

function line(value: unknown): string {
  return `${oneLine(JSON.stringify(value))}\n`;
}

function success(
  { request_id }: AnswerableRequest,
  response: unknown,
): string {
  return line({
    type: "control_response",
    response: { subtype: "success", request_id, response },
  });
}

/**
 * Answers a `can_use_tool` request.
 *
 * @param request The request.
 * @param decision Whether the tool may run.
 * @returns The line to write.
 *
 * @example
 * ```ts
 * import { answerPermission, parseLine } from "@millrace/millrace/adapters/claude_code";
 *
 * const result = parseLine(
 *   '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"}}}',
 * );
 * if (result.status !== "ok" || result.event.type !== "control_request") throw new Error();
 * const line = answerPermission(result.event, { behavior: "deny", message: "Not here" });
 * if (JSON.parse(line).response.response.behavior !== "deny") throw new Error();
 * ```
 */
export function answerPermission(
  request: AnswerableRequest,
  decision: PermissionDecision,
): string {
  if (decision.behavior === "deny") return success(request, decision);
  return success(request, {
    ...decision,
    // The command line wants the arguments back in any case.
    updatedInput: decision.updatedInput ?? request.request?.input ?? {},
  });
}

/**
 * Answers an `elicitation` request.
 *
 * @param request The request.
 * @param answer What the person said.
 * @returns The line to write.
 *
 * @example
 * ```ts
 * import { answerElicitation } from "@millrace/millrace/adapters/claude_code";
 *
 * const line = answerElicitation({ request_id: "r2" }, { action: "accept", content: { city: "Brest" } });
 * if (JSON.parse(line).response.request_id !== "r2") throw new Error();
 * ```
 */
export function answerElicitation(
  request: AnswerableRequest,
  answer: ElicitationAnswer,
): string {
  return success(request, answer);
}

/**
 * Answers a `request_user_dialog` request.
 *
 * @param request The request.
 * @param answer What came of the dialog.
 * @returns The line to write.
 *
 * @example
 * ```ts
 * import { answerDialog } from "@millrace/millrace/adapters/claude_code";
 *
 * const line = answerDialog({ request_id: "r3" }, { behavior: "completed", result: "yes" });
 * if (JSON.parse(line).response.response.result !== "yes") throw new Error();
 * ```
 */
export function answerDialog(
  request: AnswerableRequest,
  answer: DialogAnswer,
): string {
  return success(request, answer);
}

/**
 * Answers a `hook_callback` request.
 *
 * @param request The request.
 * @param output The hook's output; `{}` lets everything go on.
 * @returns The line to write.
 *
 * @example
 * ```ts
 * import { answerHook } from "@millrace/millrace/adapters/claude_code";
 *
 * const line = answerHook({ request_id: "r4" });
 * if (JSON.parse(line).response.subtype !== "success") throw new Error();
 * ```
 */
export function answerHook(
  request: AnswerableRequest,
  output: Record<string, unknown> = {},
): string {
  return success(request, output);
}

/**
 * Answers an `mcp_message` request.
 *
 * @param request The request.
 * @param message The JSON-RPC message of the host's MCP server.
 * @returns The line to write.
 *
 * @example
 * ```ts
 * import { answerMcpMessage } from "@millrace/millrace/adapters/claude_code";
 *
 * const line = answerMcpMessage({ request_id: "r5" }, { jsonrpc: "2.0", id: 1, result: {} });
 * if (JSON.parse(line).response.response.mcp_response.id !== 1) throw new Error();
 * ```
 */
export function answerMcpMessage(
  request: AnswerableRequest,
  message: Record<string, unknown>,
): string {
  return success(request, { mcp_response: message });
}

/**
 * Answers any request with an error.
 *
 * @param request The request.
 * @param error What went wrong, for people.
 * @returns The line to write.
 *
 * @example
 * ```ts
 * import { refuseRequest } from "@millrace/millrace/adapters/claude_code";
 *
 * const line = refuseRequest({ request_id: "r6" }, "There is no such server");
 * if (JSON.parse(line).response.subtype !== "error") throw new Error();
 * ```
 */
export function refuseRequest(
  request: AnswerableRequest,
  error: string,
): string {
  return line({
    type: "control_response",
    response: { subtype: "error", request_id: request.request_id, error },
  });
}

/**
 * A request of the host, such as `{subtype: "interrupt"}` or
 * `{subtype: "set_model", model: "…"}`. The answer comes as a
 * `control_response` with the same id.
 *
 * @param requestId An id of your own, not used before in the session.
 * @param request What is asked.
 * @returns The line to write.
 *
 * @example
 * ```ts
 * import { controlRequest } from "@millrace/millrace/adapters/claude_code";
 *
 * const line = controlRequest("stop-1", { subtype: "interrupt" });
 * if (JSON.parse(line).type !== "control_request") throw new Error();
 * ```
 */
export function controlRequest(
  requestId: string,
  request: { subtype: string; [key: string]: unknown },
): string {
  return line({ type: "control_request", request_id: requestId, request });
}

/**
 * A prompt.
 *
 * @param content The text, or content blocks.
 * @param sessionId The session it belongs to. @default {""}
 * @returns The line to write.
 *
 * @example
 * ```ts
 * import { userMessage } from "@millrace/millrace/adapters/claude_code";
 *
 * if (!userMessage("Hello").endsWith("\n")) throw new Error();
 * ```
 */
export function userMessage(
  content: string | readonly Record<string, unknown>[],
  sessionId: string = "",
): string {
  return line({
    type: "user",
    session_id: sessionId,
    message: { role: "user", content },
    parent_tool_use_id: null,
  });
}
