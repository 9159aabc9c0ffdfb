import {
  arrayOf,
  isObject,
  type JSONObject,
  objectOf,
  wordOf,
} from "../../../internal/json.ts";
import { blocksOf, toolCallOf, toolResultOf } from "../content_blocks.ts";
import type {
  Place,
  ReaderContext,
  RecordReader,
  SessionFormat,
} from "../session_format.ts";
import { simpleDraft } from "./simple_draft.ts";

/** Copilot CLI: events, one a line. */
export const copilot: SessionFormat = {
  kind: "copilot",
  name: "copilot",
  framing: "json-lines",
  reader: (context, snapshot) =>
    new CopilotReader(context, snapshot as State | undefined),
};

interface State {
  sessionId?: string;
  cwd?: string;
  model?: string;
}

class CopilotReader implements RecordReader {
  readonly #context: ReaderContext;
  readonly #state: State;

  constructor(context: ReaderContext, snapshot: State | undefined) {
    this.#context = context;
    this.#state = snapshot ?? {};
  }

  record(value: unknown, place: Place): void {
    const record = value as JSONObject;
    const data = objectOf(record["data"]) ?? {};
    const state = this.#state;
    const { window } = this.#context;
    const fields = { ...state, timestamp: record["timestamp"] };
    const id = wordOf(record["id"]);
    const parent = wordOf(record["parentId"]);
    let messageId: string | undefined;
    switch (record["type"]) {
      case "session.start": {
        const sessionId = wordOf(data["sessionId"]);
        const cwd = wordOf(objectOf(data["context"])?.["cwd"]);
        if (sessionId !== undefined) state.sessionId = sessionId;
        if (cwd !== undefined) state.cwd = cwd;
        break;
      }
      case "session.model_change": {
        const model = wordOf(data["newModel"]);
        if (model !== undefined) state.model = model;
        break;
      }
      case "user.message":
      case "system.message":
      case "assistant.message": {
        const role = String(record["type"]).split(".")[0]!;
        const calls = arrayOf(data["toolRequests"]).filter(isObject).map((
          call,
        ) => toolCallOf(call["toolCallId"], call["name"], call["arguments"]));
        messageId = wordOf(data["messageId"]) ?? id;
        window.add(simpleDraft(
          role,
          [...blocksOf(data["content"]), ...calls],
          place,
          { ...fields, id: messageId, parentId: window.parentOf(parent) },
        ));
        break;
      }
      case "tool.execution_complete": {
        const callId = wordOf(data["toolCallId"]);
        const failed = data["success"] === false;
        const caller = window.caller(callId ?? "");
        if (failed && caller !== undefined) {
          (caller.failed ??= []).push(callId!);
        }
        messageId = id;
        window.add(simpleDraft(
          "tool",
          [toolResultOf(callId, data["result"] ?? data["error"], failed)],
          place,
          { ...fields, id, parentId: window.parentOf(parent) },
        ));
      }
    }
    if (id !== undefined) window.link(id, parent, messageId);
  }

  end(): void {}

  snapshot(): unknown {
    return this.#state;
  }
}
