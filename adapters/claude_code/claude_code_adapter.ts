/**
 * The adapter between Claude Code's command line and a server with clients: lines
 * in, events and things to do out.
 *
 * @module
 */

import { isObject, stringOf } from "../internal/json.ts";
import {
  answerPermission,
  type PermissionDecision,
  refuseRequest,
} from "./answers.ts";
import type {
  AssistantEvent,
  ClaudeCodeEvent,
  ContentBlock,
  ControlRequestEvent,
  UserEvent,
} from "./events.ts";
import type {
  AdapterOutput,
  ParseResult,
  ProviderAdapter,
  RawEvent,
  SocketEvent,
} from "./provider_adapter.ts";
import { type ClaudeCodeRow, claudeCodeTable } from "./table.ts";

/** Options of {@linkcode ClaudeCodeAdapter}. */
export interface ClaudeCodeAdapterOptions {
  /**
   * The event types that are known. Of two rows for one type and subtype the
   * later one counts.
   *
   * @default {claudeCodeTable}
   */
  table?: readonly ClaudeCodeRow[] | undefined;
  /**
   * Decides permission requests without a person. `undefined` leaves one to the
   * client. A decision becomes an `auto_respond` action. A function that throws
   * decides nothing.
   */
  decide?:
    | ((request: ControlRequestEvent) => PermissionDecision | undefined)
    | undefined;
  /**
   * Answer requests of a kind that this version does not know with an error, so
   * that the command line does not wait for ever. Otherwise they go to the client.
   *
   * @default {true}
   */
  refuseUnknownRequests?: boolean | undefined;
}

/** Tools that write a file, and the argument that names it. */
const EDITORS: ReadonlyMap<string, string> = new Map([
  ["Edit", "file_path"],
  ["MultiEdit", "file_path"],
  ["Write", "file_path"],
  ["NotebookEdit", "notebook_path"],
]);

/** Requests that the host's own code or a person answers. */
const ANSWERABLE = new Set([
  "can_use_tool",
  "elicitation",
  "hook_callback",
  "mcp_message",
  "request_user_dialog",
]);

/** Edits whose result is awaited at once; more than that is no real session. */
const MOST_EDITS = 1024;

/**
 * The table as a map: `type`, and `type:subtype`, to its row. A subtype may not
 * have a row: then the row without one counts, if there is one.
 */
function indexOf(
  table: readonly ClaudeCodeRow[],
): ReadonlyMap<string, ClaudeCodeRow> {
  const rows = new Map<string, ClaudeCodeRow>();
  for (const row of table) {
    rows.set(
      row.subtype === undefined ? row.type : `${row.type}:${row.subtype}`,
      row,
    );
  }
  return rows;
}

/** The subtype that picks the row. */
function subtypeOf(event: RawEvent): string {
  if (event.type === "control_request") {
    return isObject(event["request"])
      ? stringOf(event["request"]["subtype"])
      : "";
  }
  if (event.type === "stream_event") {
    return isObject(event["event"]) ? stringOf(event["event"]["type"]) : "";
  }
  return stringOf(event["subtype"]);
}

/** What a schema says against a value, or `undefined`. */
function complaint(row: ClaudeCodeRow, event: RawEvent): string | undefined {
  let checked;
  try {
    checked = row.schema["~standard"].validate(event);
  } catch (error) {
    return `the schema failed: ${String(error)}`;
  }
  if (checked instanceof Promise) {
    checked.catch(() => {});
    return "the schema is asynchronous; give one that checks at once";
  }
  if (checked.issues === undefined) return undefined;
  return checked.issues.slice(0, 5).map((issue) => {
    const path = (issue.path ?? []).map((step) =>
      String(typeof step === "object" ? step.key : step)
    ).join(".");
    return path === "" ? issue.message : `${path}: ${issue.message}`;
  }).join("; ");
}

/**
 * The adapter for Claude Code (`claude -p --output-format stream-json`).
 *
 * It remembers only which edits are under way (to say when a diff can be read);
 * {@linkcode ClaudeCodeAdapter.reset} forgets them.
 *
 * @example Lines of the command line to events for a web socket
 * ```ts
 * import { ClaudeCodeAdapter } from "@millrace/millrace/adapters/claude_code";
 *
 * const adapter = new ClaudeCodeAdapter();
 * const result = adapter.parseLine(
 *   '{"type":"assistant","message":{"content":[{"type":"text","text":"Hello"}]}}',
 * );
 * if (result.status !== "ok") throw new Error();
 * const { events } = adapter.transform(result.event);
 * if (events[0]?.name !== "message:assistant") throw new Error();
 * ```
 */
export class ClaudeCodeAdapter implements ProviderAdapter<ClaudeCodeEvent> {
  readonly #rows: ReadonlyMap<string, ClaudeCodeRow>;
  readonly #types: ReadonlySet<string>;
  readonly #options: ClaudeCodeAdapterOptions;
  /** Events that have been checked already. */
  readonly #checked = new WeakSet<RawEvent>();
  /** Call id → the file it writes. */
  readonly #edits = new Map<string, string>();

  /**
   * Makes an adapter.
   *
   * @param options See {@linkcode ClaudeCodeAdapterOptions}.
   */
  constructor(options: ClaudeCodeAdapterOptions = {}) {
    const table = options.table ?? claudeCodeTable;
    this.#rows = indexOf(table);
    this.#types = new Set(table.map((row) => row.type));
    this.#options = options;
  }

  /**
   * One line of output. Never throws. In this order: an empty line, one that is
   * no JSON, one without a `type`, and `keep_alive` are skipped; a type or
   * subtype without a row is unknown; the row's schema decides between `ok` and
   * `error`.
   *
   * @param line The line, with or without its line end.
   */
  parseLine(line: string): ParseResult<ClaudeCodeEvent> {
    const trimmed = line.trim();
    if (trimmed === "") return { status: "skip", reason: "empty" };
    let raw: unknown;
    try {
      raw = JSON.parse(trimmed);
    } catch {
      return { status: "skip", reason: "not-json" };
    }
    if (!isRawEvent(raw)) return { status: "skip", reason: "no-type" };
    if (raw.type === "keep_alive") {
      return { status: "skip", reason: "keep-alive" };
    }
    if (!this.#types.has(raw.type)) {
      return { status: "unknown", type: raw.type, raw };
    }
    const row = this.#rowOf(raw);
    if (row === undefined) {
      const subtype = subtypeOf(raw);
      return subtype === ""
        ? {
          status: "error",
          error: `An event of type "${raw.type}" needs a subtype`,
          raw,
        }
        : { status: "unknown", type: `${raw.type}:${subtype}`, raw };
    }
    const error = complaint(row, raw);
    if (error !== undefined) {
      return {
        status: "error",
        error: `An event of type "${raw.type}" has a wrong shape: ${error}`,
        raw,
      };
    }
    this.#checked.add(raw);
    return { status: "ok", event: raw as ClaudeCodeEvent };
  }

  /**
   * What a server has to send and to do for an event. Never throws. An event
   * without a row becomes one `raw:event`.
   *
   * @param event An event, or the `raw` of an unknown one.
   */
  transform(event: ClaudeCodeEvent | RawEvent): AdapterOutput {
    const output: AdapterOutput = {
      events: [],
      autoResponses: [],
      controlResponses: [],
      serverActions: [],
    };
    const row = this.#rowOf(event);
    const isGood = row !== undefined &&
      (this.#checked.has(event) || complaint(row, event) === undefined);
    if (!isGood) {
      output.events.push({ name: "raw:event", payload: event });
      return output;
    }
    const name = nameOf(row, event);
    switch (event.type) {
      case "control_request":
        this.#request(event as ControlRequestEvent, name, output);
        return output;
      case "control_response":
        output.controlResponses.push(
          event["response"] as Record<string, unknown>,
        );
        break;
      case "assistant":
        this.#assistant(event as AssistantEvent);
        break;
      case "user":
        this.#user(event as UserEvent, output);
        break;
    }
    output.events.push({ name, payload: event });
    return output;
  }

  /** Forgets which edits are under way, as for a new session. */
  reset(): void {
    this.#edits.clear();
  }

  #rowOf(event: RawEvent): ClaudeCodeRow | undefined {
    return this.#rows.get(`${event.type}:${subtypeOf(event)}`) ??
      this.#rows.get(event.type);
  }

  #request(
    event: ControlRequestEvent,
    name: string,
    output: AdapterOutput,
  ): void {
    const { request_id: requestId, request } = event;
    const socket: SocketEvent = {
      name,
      payload: { ...request, request_id: requestId },
    };
    output.events.push(socket);
    let line: string | undefined;
    if (request.subtype === "can_use_tool") {
      const decision = this.#decide(event);
      if (decision !== undefined) line = answerPermission(event, decision);
    } else if (
      !ANSWERABLE.has(request.subtype) &&
      this.#options.refuseUnknownRequests !== false
    ) {
      line = refuseRequest(
        event,
        `This host does not know the request "${request.subtype}"`,
      );
    }
    if (line === undefined) {
      output.serverActions.push({
        type: "forward_to_client",
        requestId,
        event: socket,
      });
    } else {
      output.autoResponses.push(line);
      output.serverActions.push({ type: "auto_respond", requestId, line });
    }
  }

  #decide(event: ControlRequestEvent): PermissionDecision | undefined {
    try {
      return this.#options.decide?.(event);
    } catch {
      return undefined;
    }
  }

  #assistant(event: AssistantEvent): void {
    for (const block of blocksOf(event)) {
      if (block.type !== "tool_use" || block.id === undefined) continue;
      const key = EDITORS.get(block.name ?? "");
      const input = block.input;
      if (key === undefined || !isObject(input)) continue;
      const path = input[key];
      if (typeof path !== "string" || path === "") continue;
      if (this.#edits.size >= MOST_EDITS) {
        this.#edits.delete(this.#edits.keys().next().value!);
      }
      this.#edits.set(block.id, path);
    }
  }

  #user(event: UserEvent, output: AdapterOutput): void {
    for (const block of blocksOf(event)) {
      if (block.type !== "tool_result" || block.tool_use_id === undefined) {
        continue;
      }
      const path = this.#edits.get(block.tool_use_id);
      if (path === undefined) continue;
      this.#edits.delete(block.tool_use_id);
      if (block.is_error !== true) {
        output.serverActions.push({
          type: "read_diff",
          path,
          toolUseId: block.tool_use_id,
        });
      }
    }
  }
}

/** A name of the user's own making may fail; the event is still one. */
function nameOf(row: ClaudeCodeRow, event: RawEvent): string {
  if (typeof row.name === "string") return row.name;
  try {
    return row.name(event);
  } catch {
    return "raw:event";
  }
}

function isRawEvent(value: unknown): value is RawEvent {
  return isObject(value) && typeof value["type"] === "string" &&
    value["type"] !== "";
}

function blocksOf(event: AssistantEvent | UserEvent): ContentBlock[] {
  const { content } = event.message;
  return typeof content === "string" ? [] : content;
}

const standard = new ClaudeCodeAdapter();

/**
 * One line of Claude Code's output, by the standard table. The same as
 * {@linkcode ClaudeCodeAdapter.parseLine}; it remembers nothing.
 *
 * @param line The line, with or without its line end.
 * @returns What became of it. Never throws.
 *
 * @example
 * ```ts
 * import { parseLine } from "@millrace/millrace/adapters/claude_code";
 *
 * if (parseLine("[DEBUG] starting").status !== "skip") throw new Error();
 * if (parseLine('{"type":"brand_new"}').status !== "unknown") throw new Error();
 * if (parseLine('{"type":"assistant"}').status !== "error") throw new Error();
 * ```
 */
export function parseLine(line: string): ParseResult<ClaudeCodeEvent> {
  return standard.parseLine(line);
}
