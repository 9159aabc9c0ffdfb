import {
  arrayOf,
  isObject,
  type JSONObject,
  numberOf,
  wordOf,
} from "../../../internal/json.ts";
import type { Block, Message } from "../../message.ts";
import { blocksOf, timestampOf } from "../content_blocks.ts";
import { type Draft, type Hunk, sizeOf } from "../draft.ts";
import type {
  Place,
  ReaderContext,
  RecordReader,
  SessionFormat,
} from "../session_format.ts";
import { addHunks } from "../snippets_of.ts";

/** Claude Code: one record a line, one message over several lines, threads by `parentUuid`. */
export const claudeCode: SessionFormat = {
  kind: "claude-session",
  name: "claude-session",
  framing: "json-lines",
  reader: (context) => new ClaudeCodeReader(context),
};

class ClaudeCodeReader implements RecordReader {
  readonly #context: ReaderContext;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  record(value: unknown, place: Place): void {
    const record = value as JSONObject;
    const { window, warn } = this.#context;
    const uuid = wordOf(record["uuid"]);
    const parent = wordOf(record["parentUuid"]) ??
      wordOf(record["logicalParentUuid"]);
    const { type, message } = record;
    if (type !== "user" && type !== "assistant") {
      if (uuid !== undefined) window.link(uuid, parent);
      return;
    }
    if (
      !isObject(message) ||
      type === "user" && message["content"] === undefined
    ) {
      warn(
        "malformed",
        `Line ${place.line} is a record of type "${type}" without a message`,
        place,
      );
      if (uuid !== undefined) window.link(uuid, parent);
      return;
    }
    const draft = type === "user"
      ? this.#user(record, message, place)
      : this.#assistant(record, message, place);
    // The same record can be written twice; then it has its message already.
    if (uuid === undefined) return this.#put(draft);
    if (window.parentOf(uuid) === draft.id) return;
    const parentId = window.parentOf(parent);
    if (parentId !== undefined && parentId !== draft.id) {
      draft.parentId = parentId;
    }
    window.link(uuid, parent, draft.id);
    this.#put(draft);
  }

  end(): void {}

  snapshot(): unknown {
    return null;
  }

  /** A message of its own, or more of one that is open. */
  #put(draft: Draft): void {
    const { window } = this.#context;
    const open = draft.key === undefined ? undefined : window.get(draft.key);
    if (open === undefined) window.add(draft);
    else window.append(open, draft.blocks);
  }

  #user(record: JSONObject, message: JSONObject, place: Place): Draft {
    const blocks = blocksOf(message["content"]);
    const results = blocks.filter((block) => block.type === "tool-result");
    const draft = draftOf(record, blocks, place);
    draft.id = wordOf(record["uuid"]) ?? `line-${place.line}`;
    if (results.length > 0) {
      draft.role = draft.origin = "tool";
      for (const block of results) {
        this.#result(
          block.toolCallId,
          block.isError === true,
          results.length === 1 ? record["toolUseResult"] : undefined,
        );
      }
    } else if (
      record["isMeta"] === true || record["isCompactSummary"] === true
    ) {
      draft.role = "system";
      draft.origin = "program";
    } else {
      draft.role = "user";
      draft.origin = record["isSidechain"] === true
        ? "model"
        : isProgramText(blocks)
        ? "program"
        : "person";
    }
    return draft;
  }

  #assistant(record: JSONObject, message: JSONObject, place: Place): Draft {
    const draft = draftOf(record, blocksOf(message["content"]), place);
    const id = wordOf(message["id"]);
    if (id !== undefined) {
      draft.key = `${record["isSidechain"] === true ? "side" : "main"}:${id}`;
    }
    draft.id = id ?? wordOf(record["uuid"]) ?? `line-${place.line}`;
    const model = wordOf(message["model"]);
    if (model !== undefined) draft.model = model;
    if (model === "<synthetic>") draft.origin = "program";
    return draft;
  }

  /** What a result tells about the call it answers. */
  #result(
    toolCallId: string | undefined,
    isError: boolean,
    result: unknown,
  ): void {
    if (toolCallId === undefined) return;
    const { window } = this.#context;
    const caller = window.caller(toolCallId);
    if (caller === undefined) return;
    if (isError) (caller.failed ??= []).push(toolCallId);
    if (!isObject(result)) return;
    const hunks = arrayOf(result["structuredPatch"]).flatMap(hunkOf);
    window.grew(caller, addHunks(caller, toolCallId, hunks));
  }
}

function draftOf(record: JSONObject, blocks: Block[], place: Place): Draft {
  const draft: Draft = {
    id: "",
    role: "assistant",
    origin: "model",
    blocks,
    size: sizeOf(blocks),
    ...(place.line === undefined ? {} : { line: place.line }),
  };
  const optional: Partial<Record<keyof Message, string | undefined>> = {
    timestamp: timestampOf(record["timestamp"]),
    sessionId: wordOf(record["sessionId"]),
    cwd: wordOf(record["cwd"]),
  };
  for (const [key, value] of Object.entries(optional)) {
    if (value !== undefined) Object.assign(draft, { [key]: value });
  }
  if (record["isSidechain"] === true) draft.sidechain = true;
  return draft;
}

/** Whether the program wrote what stands there as the user's words. */
function isProgramText(blocks: readonly Block[]): boolean {
  const [first] = blocks;
  return first?.type === "text" && PROGRAM_TEXT.test(first.text);
}

const PROGRAM_TEXT =
  /^(?:<(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)|system-reminder|task-notification)>|Caveat:|\[Request interrupted)/;

function hunkOf(value: unknown): Hunk[] {
  if (!isObject(value)) return [];
  const first = numberOf(value["newStart"]);
  const count = numberOf(value["newLines"]);
  if (first === undefined || count === undefined || count < 1) return [];
  const text = arrayOf(value["lines"]).filter((line): line is string =>
    typeof line === "string" && !line.startsWith("-")
  ).map((line) => line.slice(1)).join("\n");
  return [{ first, last: first + count - 1, text }];
}
