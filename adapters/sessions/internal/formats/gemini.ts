import {
  arrayOf,
  isObject,
  type JSONObject,
  objectOf,
  wordOf,
} from "../../../internal/json.ts";
import type { Block } from "../../message.ts";
import {
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

/** Gemini CLI from 0.39: lines; the same message again and again while it grows. */
export const gemini: SessionFormat = {
  kind: "gemini-session",
  name: "gemini-session",
  framing: "json-lines",
  reader: (context, snapshot) =>
    new GeminiReader(context, snapshot as State | undefined),
};

/** Gemini CLI before that: one document. */
export const geminiDocument: SessionFormat = {
  ...gemini,
  name: "gemini-session-document",
  framing: "document",
  lists: ["messages"],
};

interface State {
  sessionId: string | null;
}

class GeminiReader implements RecordReader {
  readonly #context: ReaderContext;
  readonly #state: State;

  constructor(context: ReaderContext, snapshot: State | undefined) {
    this.#context = context;
    this.#state = snapshot ?? { sessionId: null };
  }

  record(value: unknown, place: Place): void {
    if (!isObject(value)) return;
    if (value["$set"] !== undefined) {
      // A change of the header; it can carry messages.
      for (const each of arrayOf(objectOf(value["$set"])?.["messages"])) {
        this.record(each, place);
      }
      return;
    }
    if (wordOf(value["type"]) !== undefined) this.#message(value, place);
    else this.field(value["sessionId"], { key: "sessionId" });
  }

  field(value: unknown, { key }: Place): void {
    if (key === "sessionId") {
      this.#state.sessionId = wordOf(value) ?? this.#state.sessionId;
    }
  }

  end(): void {}

  snapshot(): unknown {
    return this.#state;
  }

  #message(record: JSONObject, place: Place): void {
    const { window } = this.#context;
    const id = wordOf(record["id"]);
    const draft = this.#draft(record, place);
    const open = id === undefined ? undefined : window.get(id);
    if (open === undefined) {
      if (id !== undefined) draft.key = id;
      window.add(draft);
    } else {
      // The last of an id is the message; its place is that of the first.
      const { blocks, size: _, ...rest } = draft;
      if (draft.failed === undefined) delete open.failed;
      if (draft.hunks === undefined) delete open.hunks;
      Object.assign(open, rest);
      window.replace(open, blocks);
    }
  }

  #draft(record: JSONObject, place: Place): Draft {
    const type = wordOf(record["type"])!;
    const isModel = type === "gemini" || type === "model";
    const blocks: Block[] = arrayOf(record["thoughts"]).filter(isObject).map(
      (thought) => ({
        type: "reasoning",
        text: [wordOf(thought["subject"]), wordOf(thought["description"])]
          .filter((each) => each !== undefined).join("\n\n"),
      }),
    );
    blocks.push(...blocksOf(record["content"]));
    const draft: Draft = {
      id: wordOf(record["id"]) ?? nameOf(place),
      role: isModel ? "assistant" : type === "user" ? "user" : "system",
      origin: isModel ? "model" : type === "user" ? "person" : "program",
      blocks,
      size: 0,
      ...(place.line === undefined ? {} : { line: place.line }),
      ...(place.index === undefined ? {} : { index: place.index }),
    };
    const timestamp = timestampOf(record["timestamp"]);
    const model = wordOf(record["model"]);
    if (timestamp !== undefined) draft.timestamp = timestamp;
    if (model !== undefined) draft.model = model;
    if (this.#state.sessionId !== null) {
      draft.sessionId = this.#state.sessionId;
    }
    for (const call of arrayOf(record["toolCalls"])) {
      if (isObject(call)) addCall(draft, call, blocks.length);
    }
    draft.size += sizeOf(blocks);
    return draft;
  }
}

/** A call and its result, which is stored with it. */
function addCall(draft: Draft, call: JSONObject, index: number): void {
  const id = wordOf(call["id"]) ?? `${draft.id}-${index}`;
  draft.blocks.push(toolCallOf(id, call["name"], call["args"]));
  const failed = /^(?:error|cancelled)$/.test(String(call["status"]));
  if (failed) (draft.failed ??= []).push(id);
  if (call["result"] !== undefined) {
    draft.blocks.push(toolResultOf(id, call["result"], failed));
  }
  const diff = wordOf(objectOf(call["resultDisplay"])?.["fileDiff"]);
  if (diff !== undefined) {
    draft.size += addHunks(draft, id, hunksOfDiff(diff));
  }
}

function nameOf({ line, index }: Place): string {
  return line === undefined ? `item-${index}` : `line-${line}`;
}
