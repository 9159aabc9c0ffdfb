import { searchReplaceRange } from "../../../../transforms/internal/search_replace_range.ts";
import type { ToolSnippet } from "../../../../transforms/tool_edit.ts";
import {
  arrayOf,
  isObject,
  type JSONObject,
  objectOf,
  stringOf,
  wordOf,
} from "../../../internal/json.ts";
import type { Block } from "../../message.ts";
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
import { xmlCalls } from "./xml_calls.ts";

/** Cline and Roo Code: `api_conversation_history.json`. */
export const clineHistory: SessionFormat = {
  kind: "cline",
  name: "cline-history",
  framing: "document",
  reader: (context) => new ClineHistoryReader(context),
};

/** Cline and Roo Code: `ui_messages.json`. */
export const clineMessages: SessionFormat = {
  kind: "cline",
  name: "cline-messages",
  framing: "document",
  toolEdits: [
    { tool: "newFileCreated", snippets: written },
    { tool: "editedExistingFile", snippets: edited },
    { tool: "appliedDiff", snippets: edited },
    { tool: "insertContent", snippets: written },
    { tool: "searchAndReplace", snippets: edited },
  ],
  reader: (context, snapshot) =>
    new ClineMessagesReader(context, snapshot as State | undefined),
};

class ClineHistoryReader implements RecordReader {
  readonly #context: ReaderContext;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  record(value: unknown, place: Place): void {
    const role = isObject(value) ? wordOf(value["role"]) : undefined;
    if (!isObject(value) || role === undefined) {
      return malformed(this.#context, place);
    }
    const { window } = this.#context;
    const blocks = blocksOf(value["content"]);
    const draft = draftOf(place, blocks, value["ts"]);
    draft.role = role;
    if (role === "assistant") {
      const model = wordOf(objectOf(value["modelInfo"])?.["modelId"]);
      if (model !== undefined) draft.model = model;
      addXmlCalls(draft);
    } else {
      draft.origin = originOf(blocks);
      for (const block of blocks) {
        if (block.type !== "tool-result" || block.isError !== true) continue;
        const caller = window.caller(block.toolCallId ?? "");
        if (caller !== undefined) {
          (caller.failed ??= []).push(block.toolCallId!);
        }
      }
    }
    window.add(draft);
  }

  end(): void {}

  snapshot(): unknown {
    return null;
  }
}

/** Calls written in the text become blocks of their own; fences inside them are none of the answer. */
function addXmlCalls(draft: Draft): void {
  const calls: Block[] = [];
  for (const [index, block] of draft.blocks.entries()) {
    if (block.type !== "text") continue;
    for (const { call, start, end } of xmlCalls(block.text)) {
      (draft.masks ??= []).push([index, start, end]);
      if (call !== undefined) calls.push(call);
    }
  }
  draft.blocks.push(...calls);
  draft.size += sizeOf(calls);
}

function originOf(blocks: readonly Block[]): Draft["origin"] {
  const [first] = blocks;
  if (first?.type === "tool-result") return "tool";
  if (first?.type !== "text") return "person";
  if (/^\[[\w-]+(?: for '[^\n]*')?\] Result:/.test(first.text)) return "tool";
  return /^\s*<(?:environment_details|explicit_instructions|tool_use)/.test(
      first.text,
    )
    ? "program"
    : "person";
}

interface State {
  /** Whether the prompt has come. */
  prompted: boolean;
  /** Key of the assistant's message that calls go into. */
  open: string | null;
  reasoning: Block[];
  model: string | null;
}

class ClineMessagesReader implements RecordReader {
  readonly #context: ReaderContext;
  readonly #state: State;

  constructor(context: ReaderContext, snapshot: State | undefined) {
    this.#context = context;
    this.#state = snapshot ??
      { prompted: false, open: null, reasoning: [], model: null };
  }

  record(value: unknown, place: Place): void {
    if (!isObject(value)) return malformed(this.#context, place);
    const state = this.#state;
    const kind = wordOf(value["say"]) ?? wordOf(value["ask"]);
    const text = stringOf(value["text"]);
    state.model = wordOf(objectOf(value["modelInfo"])?.["modelId"]) ??
      state.model;
    switch (kind) {
      case "task":
      case "user_feedback":
        return this.#user(value, text, place);
      case "text":
        if (state.prompted) return this.#assistant(value, text, kind, place);
        return this.#user(value, text, place);
      case "completion_result":
        // The question whether that is all repeats it without text.
        if (value["type"] === "ask" && text === "") return;
        return this.#assistant(value, text, kind, place);
      case "followup":
      case "plan_mode_respond":
        return this.#assistant(value, spoken(text), kind, place);
      case "reasoning":
        state.reasoning.push({ type: "reasoning", text });
        return;
      case "tool": {
        const tool = argumentsOf(text);
        if (isObject(tool)) {
          this.#call(value, toolCallOf(undefined, tool["tool"], tool), place);
        }
        return;
      }
      case "command":
        return this.#call(
          value,
          toolCallOf(undefined, "execute_command", { command: text }),
          place,
        );
      case "command_output": {
        const draft = draftOf(
          place,
          [toolResultOf(undefined, text, false)],
          value["ts"],
        );
        draft.role = draft.origin = "tool";
        this.#context.window.add(draft);
      }
    }
  }

  end(): void {}

  snapshot(): unknown {
    return this.#state;
  }

  #user(record: JSONObject, text: string, place: Place): void {
    const images = arrayOf(record["images"]).map((url) => ({
      type: "image",
      image_url: url,
    }));
    const draft = draftOf(
      place,
      [...blocksOf(text), ...blocksOf(images)],
      record["ts"],
    );
    draft.role = "user";
    draft.origin = "person";
    this.#state.prompted = true;
    this.#state.open = null;
    this.#context.window.add(draft);
  }

  #assistant(
    record: JSONObject,
    text: string,
    kind: string,
    place: Place,
  ): void {
    const state = this.#state;
    const { window } = this.#context;
    const key = `${String(record["ts"])} ${String(record["type"])} ${kind}`;
    const open = window.get(key);
    if (open !== undefined && open.partial === true) {
      // A later copy of a message that was still growing.
      if (record["partial"] !== true) delete open.partial;
      window.replace(open, [
        ...open.blocks.filter(({ type }) => type === "reasoning"),
        ...blocksOf(text),
        ...open.blocks.filter(({ type }) => type === "tool-call"),
      ]);
      return;
    }
    const draft = this.#draft(record, blocksOf(text), place);
    draft.key = open === undefined ? key : `${key} ${place.index}`;
    if (record["partial"] === true) draft.partial = true;
    state.open = draft.key;
    window.add(draft);
  }

  /** A call belongs to what the assistant said before it. */
  #call(record: JSONObject, call: Block, place: Place): void {
    const state = this.#state;
    const { window } = this.#context;
    const open = state.open === null ? undefined : window.get(state.open);
    if (open === undefined) {
      const draft = this.#draft(record, [call], place);
      state.open = draft.key = `call ${place.index}`;
      window.add(draft);
      return;
    }
    const stamp = `${String(record["ts"])} ${String(record["type"])}`;
    if (open.growing === stamp && open.blocks.at(-1)?.type === "tool-call") {
      open.blocks.pop();
    }
    if (record["partial"] === true) open.growing = stamp;
    else delete open.growing;
    window.append(open, [call]);
  }

  #draft(record: JSONObject, blocks: Block[], place: Place): Draft {
    const state = this.#state;
    const draft = draftOf(place, [...state.reasoning, ...blocks], record["ts"]);
    state.reasoning = [];
    if (state.model !== null) draft.model = state.model;
    return draft;
  }
}

function draftOf({ index }: Place, blocks: Block[], ts: unknown): Draft {
  const timestamp = timestampOf(ts);
  return {
    id: `item-${index}`,
    role: "assistant",
    origin: "model",
    blocks,
    size: sizeOf(blocks),
    ...(index === undefined ? {} : { index }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

function malformed({ warn }: ReaderContext, place: Place): void {
  warn(
    "malformed",
    `Element ${place.index} is no message of a task of Cline`,
    place,
  );
}

/** The words in the JSON of a question or plan. */
function spoken(text: string): string {
  const parsed = argumentsOf(text);
  if (!isObject(parsed)) return text;
  return wordOf(parsed["response"]) ?? wordOf(parsed["question"]) ?? text;
}

type Input = Readonly<Record<string, unknown>>;

function written({ path, content }: Input): ToolSnippet[] {
  return typeof content === "string"
    ? [{ ...(typeof path === "string" ? { filePath: path } : {}), content }]
    : [];
}

function edited(
  { path, diff, content, startLineNumbers }: Input,
): ToolSnippet[] {
  const text = wordOf(diff) ?? wordOf(content);
  if (text === undefined) return [];
  const starts = arrayOf(startLineNumbers);
  const start = starts.length === 1 && typeof starts[0] === "number"
    ? starts[0]
    : undefined;
  const lineRange = searchReplaceRange(text, start);
  return [{
    ...(typeof path === "string" ? { filePath: path } : {}),
    language: "diff",
    content: text,
    ...(lineRange === undefined ? {} : { lineRange }),
  }];
}
