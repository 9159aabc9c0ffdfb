import {
  arrayOf,
  isObject,
  type JSONObject,
  numberOf,
  objectOf,
  wordOf,
} from "../../../internal/json.ts";
import type { ToolSnippet } from "../../../../transforms/tool_edit.ts";
import type { Block, Message } from "../../message.ts";
import {
  argumentsOf,
  blocksOf,
  timestampOf,
  toolCallOf,
  toolResultOf,
} from "../content_blocks.ts";
import { type Draft, sizeOf } from "../draft.ts";
import type {
  Place,
  ReaderContext,
  RecordReader,
  SessionFormat,
} from "../session_format.ts";
import { addHunks, hunksOfDiff } from "../snippets_of.ts";

/** The event that tells which files a patch changed; read as a call when there is no other trace of it. */
const PATCH_APPLIED = "patch_apply_end";

/**
 * Codex CLI: rollouts in an envelope, the bare items before it, and flat records of
 * exporters. Each item is a message, and so is each call: the file has them side
 * by side, and nothing in it says which answer a call belongs to.
 */
export const codex: SessionFormat = {
  kind: "codex-session",
  name: "codex-session",
  framing: "json-lines",
  toolEdits: [{ tool: PATCH_APPLIED, snippets: patchApplied }],
  reader: (context, snapshot) =>
    new CodexReader(context, snapshot as State | undefined),
};

/** Events are twins of items; so many (of so many characters) are kept until an item shows that there are any. */
const MOST_EVENTS = 1_024;
const MOST_EVENT_CHARS = 8_388_608;

interface State {
  sessionId: string | null;
  cwd: string | null;
  model: string | null;
  /** Key of the reasoning that what the model does next begins with. */
  open: string | null;
  /** Whether a message came as an item. */
  items: boolean;
  /** Messages that came as events, while none has come as an item; `null` when there are none. */
  events: Draft[] | null;
}

class CodexReader implements RecordReader {
  readonly #context: ReaderContext;
  readonly #state: State;

  constructor(context: ReaderContext, snapshot: State | undefined) {
    this.#context = context;
    this.#state = snapshot ?? {
      sessionId: null,
      cwd: null,
      model: null,
      open: null,
      items: false,
      events: [],
    };
  }

  record(value: unknown, place: Place): void {
    const record = value as JSONObject;
    const state = this.#state;
    const payload = objectOf(record["payload"]);
    const timestamp = record["timestamp"] ?? record["created_at"];
    switch (record["type"]) {
      case "session_meta":
        state.sessionId = wordOf(payload?.["id"]) ?? state.sessionId;
        state.cwd = wordOf(payload?.["cwd"]) ?? state.cwd;
        return;
      case "turn_context":
        state.model = wordOf(payload?.["model"]) ?? state.model;
        state.cwd = wordOf(payload?.["cwd"]) ?? state.cwd;
        return;
      case "response_item":
        if (payload !== undefined) this.#item(payload, timestamp, place);
        return;
      case "event_msg":
        if (payload !== undefined) this.#event(payload, timestamp, place);
        return;
      case "compacted":
        return;
    }
    if (record["type"] !== undefined || record["role"] !== undefined) {
      state.cwd ??= wordOf(record["cwd"]) ?? null;
      this.#item(
        record["type"] === undefined ? { ...record, type: "message" } : record,
        timestamp,
        place,
      );
    } else if (record["record_type"] === undefined) {
      // The first line before the envelope.
      state.sessionId ??= wordOf(record["id"]) ?? null;
    }
  }

  end(): void {
    this.#takeEvents();
  }

  /** The file has no items: the events are its messages. */
  #takeEvents(): void {
    for (const draft of this.#state.events ?? []) {
      this.#context.window.add(draft);
    }
    this.#state.events = null;
  }

  snapshot(): unknown {
    return this.#state;
  }

  #item(item: JSONObject, timestamp: unknown, place: Place): void {
    const callId = item["call_id"] ?? item["id"];
    switch (item["type"]) {
      case "message":
        if (wordOf(item["role"]) !== undefined) {
          this.#message(item, timestamp, place);
        }
        return;
      case "reasoning":
        this.#reasoning(item, timestamp, place);
        return;
      case "function_call":
      case "tool_call":
        this.#call(
          [
            toolCallOf(
              callId,
              // The second is in the flat records of exporters.
              item["name"] ?? objectOf(item["function"])?.["name"],
              item["arguments"] ?? item["input"],
            ),
          ],
          timestamp,
          place,
        );
        return;
      case "custom_tool_call":
        this.#call(
          [
            { ...toolCallOf(callId, item["name"], null), input: item["input"] },
          ] as Block[],
          timestamp,
          place,
        );
        return;
      case "local_shell_call":
        this.#call(
          [toolCallOf(callId, "local_shell", item["action"])],
          timestamp,
          place,
        );
        return;
      case "web_search_call":
        this.#call(
          [toolCallOf(callId, "web_search", item["action"])],
          timestamp,
          place,
        );
        return;
      case "function_result":
      case "function_call_output":
      case "custom_tool_call_output":
      case "local_shell_call_output":
      case "tool_result":
        this.#output(item, timestamp, place);
    }
  }

  #message(item: JSONObject, timestamp: unknown, place: Place): void {
    const state = this.#state;
    const { window } = this.#context;
    const role = wordOf(item["role"])!;
    state.items = true;
    state.events = null;
    const blocks = blocksOf(item["content"] ?? wordOf(item["message"]));
    if (role === "assistant") {
      const id = wordOf(item["id"]);
      this.#act(
        role,
        blocks,
        timestamp,
        id === undefined ? place : { ...place, id },
      );
      return;
    }
    state.open = null;
    const draft = this.#draft(role, blocks, timestamp, place);
    draft.origin = role === "user" && !isProgramText(blocks)
      ? "person"
      : "program";
    window.add(draft);
  }

  /** Belongs to what the model does next, and is a message of its own if there is nothing. */
  #reasoning(item: JSONObject, timestamp: unknown, place: Place): void {
    const state = this.#state;
    const { window } = this.#context;
    const { summary } = item;
    const block: Block = {
      type: "reasoning",
      text: wordOf(summary) ??
        arrayOf(summary).map((each) =>
          isObject(each) ? wordOf(each["text"]) ?? "" : wordOf(each) ?? ""
        ).join("\n\n"),
    };
    const open = state.open === null ? undefined : window.get(state.open);
    if (open !== undefined) return window.append(open, [block]);
    const draft = this.#draft("thinking", [block], timestamp, place);
    state.open = draft.key = `thinking-${draft.line}`;
    window.add(draft);
  }

  #call(blocks: Block[], timestamp: unknown, place: Place): void {
    this.#act("tool", blocks, timestamp, place);
  }

  /** What the model said or did, with its reasoning before it. */
  #act(
    role: Message["role"],
    blocks: Block[],
    timestamp: unknown,
    place: Place & { id?: string },
  ): void {
    const state = this.#state;
    const { window } = this.#context;
    const open = state.open === null ? undefined : window.get(state.open);
    state.open = null;
    const { size: _, blocks: __, ...draft } = this.#draft(
      role,
      [],
      timestamp,
      place,
    );
    if (place.id !== undefined) draft.id = place.id;
    if (open === undefined) {
      window.add({ ...draft, blocks, size: sizeOf(blocks) });
    } else {
      Object.assign(open, draft);
      window.append(open, blocks);
    }
  }

  #output(item: JSONObject, timestamp: unknown, place: Place): void {
    const callId = wordOf(item["call_id"]) ?? wordOf(item["id"]);
    const output = item["output"] ?? item["result"];
    const failed = isFailure(output);
    const block = toolResultOf(callId, output, failed);
    const draft = this.#draft("tool", [block], timestamp, place);
    draft.origin = "tool";
    delete draft.model;
    this.#state.open = null;
    this.#context.window.add(draft);
    if (callId !== undefined && failed) this.#fail(callId);
  }

  #fail(callId: string): void {
    const caller = this.#context.window.caller(callId);
    if (caller !== undefined) (caller.failed ??= []).push(callId);
  }

  #event(payload: JSONObject, timestamp: unknown, place: Place): void {
    const state = this.#state;
    switch (payload["type"]) {
      case "patch_apply_end":
        this.#patchApplied(payload, timestamp, place);
        return;
      case "user_message":
      case "agent_message": {
        if (state.items) return;
        const isUser = payload["type"] === "user_message";
        const draft = this.#draft(
          isUser ? "user" : "assistant",
          blocksOf(payload["message"]),
          timestamp,
          place,
        );
        if (isUser) draft.origin = "person";
        if (state.events === null) return this.#context.window.add(draft);
        state.events.push(draft);
        const size = state.events.reduce((sum, each) => sum + each.size, 0);
        if (state.events.length >= MOST_EVENTS || size > MOST_EVENT_CHARS) {
          this.#takeEvents();
        }
      }
    }
  }

  /** What really happened to the files. */
  #patchApplied(payload: JSONObject, timestamp: unknown, place: Place): void {
    const callId = wordOf(payload["call_id"]);
    const changes = objectOf(payload["changes"]);
    const { window } = this.#context;
    const caller = callId === undefined ? undefined : window.caller(callId);
    if (payload["success"] === false) {
      if (callId !== undefined) this.#fail(callId);
      return;
    }
    if (changes === undefined) return;
    if (caller === undefined) {
      // Nothing in the file but this event tells of the change.
      this.#call(
        [toolCallOf(callId, PATCH_APPLIED, { changes })],
        timestamp,
        place,
      );
      return;
    }
    for (const [path, change] of Object.entries(changes)) {
      if (!isObject(change)) continue;
      const diff = wordOf(change["unified_diff"]) ??
        wordOf(objectOf(change["update"])?.["unified_diff"]);
      if (diff === undefined) continue;
      const hunks = hunksOfDiff(diff);
      const size = addHunks(caller, callId!, hunks, path);
      const cwd = caller.cwd ?? "";
      // Patches name files relative to the directory, events absolutely.
      if (cwd !== "" && path.startsWith(`${cwd}/`)) {
        addHunks(caller, callId!, hunks, path.slice(cwd.length + 1));
      }
      window.grew(caller, size);
    }
  }

  #draft(
    role: Message["role"],
    blocks: Block[],
    timestamp: unknown,
    place: Place,
  ): Draft {
    const { sessionId, cwd, model } = this.#state;
    const time = timestampOf(timestamp);
    return {
      id: `line-${place.line}`,
      role,
      origin: "model",
      blocks,
      size: sizeOf(blocks),
      ...(place.line === undefined ? {} : { line: place.line }),
      ...(time === undefined ? {} : { timestamp: time }),
      ...(sessionId === null ? {} : { sessionId }),
      ...(cwd === null ? {} : { cwd }),
      ...(/^(?:assistant|thinking|tool)$/.test(role) && model !== null
        ? { model }
        : {}),
    };
  }
}

/** Whether the program wrote what stands there as the user's words. */
function isProgramText(blocks: readonly Block[]): boolean {
  const [first] = blocks;
  return first?.type === "text" && PROGRAM_TEXT.test(first.text);
}

const PROGRAM_TEXT =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|INSTRUCTIONS|turn_aborted|user_shell_command)|# AGENTS\.md)/;

/**
 * Whether a result says that the call failed: `success: false`, an exit code
 * other than 0, in newer versions as text, or a patch that did not fit.
 */
function isFailure(output: unknown): boolean {
  if (
    typeof output === "string" &&
    /^(?:Exit code: -?[1-9]|apply_patch verification failed)/.test(output)
  ) return true;
  const parsed = argumentsOf(output);
  if (!isObject(parsed)) return false;
  if (parsed["success"] === false) return true;
  const code = numberOf(objectOf(parsed["metadata"])?.["exit_code"]);
  return code !== undefined && code !== 0;
}

/** The code in a {@linkcode PATCH_APPLIED} event. */
function patchApplied(
  { changes }: Readonly<Record<string, unknown>>,
): ToolSnippet[] {
  return Object.entries(objectOf(changes) ?? {}).flatMap(
    ([filePath, change]): ToolSnippet[] => {
      if (!isObject(change)) return [];
      const content = wordOf(change["content"]) ??
        wordOf(objectOf(change["add"])?.["content"]);
      if (content !== undefined) return [{ filePath, content }];
      const diff = wordOf(change["unified_diff"]) ??
        wordOf(objectOf(change["update"])?.["unified_diff"]);
      if (diff === undefined) return [];
      const hunks = hunksOfDiff(diff);
      if (change["type"] === "add") {
        const text = hunks.map((hunk) => `${hunk.text}\n`).join("");
        return [{ filePath, content: text }];
      }
      const first = Math.min(...hunks.map((hunk) => hunk.first));
      const last = Math.max(...hunks.map((hunk) => hunk.last));
      return [{
        filePath,
        language: "diff",
        content: diff,
        ...(hunks.length === 0 ? {} : { lineRange: [first, last] as const }),
      }];
    },
  );
}
