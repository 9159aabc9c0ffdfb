import { type JSONObject, objectOf, wordOf } from "../../../internal/json.ts";
import { blocksOf, toolResultOf } from "../content_blocks.ts";
import type {
  Place,
  ReaderContext,
  RecordReader,
  SessionFormat,
} from "../session_format.ts";
import { simpleDraft } from "./simple_draft.ts";

/** pi: records, one a line. */
export const pi: SessionFormat = {
  kind: "pi",
  name: "pi",
  framing: "json-lines",
  reader: (context, snapshot) =>
    new PiReader(context, snapshot as State | undefined),
};

interface State {
  sessionId?: string;
  cwd?: string;
}

class PiReader implements RecordReader {
  readonly #context: ReaderContext;
  readonly #state: State;

  constructor(context: ReaderContext, snapshot: State | undefined) {
    this.#context = context;
    this.#state = snapshot ?? {};
  }

  record(value: unknown, place: Place): void {
    const record = value as JSONObject;
    const state = this.#state;
    const { window } = this.#context;
    if (record["type"] === "session") {
      const sessionId = wordOf(record["id"]);
      const cwd = wordOf(record["cwd"]);
      if (sessionId !== undefined) state.sessionId = sessionId;
      if (cwd !== undefined) state.cwd = cwd;
    }
    const message = objectOf(record["message"]);
    const role = wordOf(message?.["role"]);
    if (message === undefined || role === undefined) return;
    const fields = {
      ...state,
      id: wordOf(record["id"]),
      timestamp: record["timestamp"] ?? message["timestamp"],
      model: wordOf(message["model"]),
    };
    if (role !== "toolResult") {
      window.add(
        simpleDraft(role, blocksOf(message["content"]), place, fields),
      );
      return;
    }
    const callId = wordOf(message["toolCallId"]);
    const failed = message["isError"] === true;
    const caller = window.caller(callId ?? "");
    if (failed && caller !== undefined) (caller.failed ??= []).push(callId!);
    window.add(simpleDraft(
      "tool",
      [toolResultOf(callId, message["content"], failed)],
      place,
      fields,
    ));
  }

  end(): void {}

  snapshot(): unknown {
    return this.#state;
  }
}
