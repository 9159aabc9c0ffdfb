import {
  isObject,
  type JSONObject,
  objectOf,
  wordOf,
} from "../../../internal/json.ts";
import type { Block } from "../../message.ts";
import { toolCallOf, toolResultOf } from "../content_blocks.ts";
import type { Draft } from "../draft.ts";
import type {
  Place,
  ReaderContext,
  RecordReader,
  SessionFormat,
} from "../session_format.ts";
import { simpleDraft } from "./simple_draft.ts";

/**
 * OpenCode: the small files of its storage as one object, `{"message/<session>/<id>.json":
 * {…}, "part/<message>/<id>.json": {…}}`, sorted by path, as whoever walks the folder makes it.
 */
export const openCode: SessionFormat = {
  kind: "opencode",
  name: "opencode",
  framing: "document",
  reader: (context, snapshot) =>
    new OpenCodeReader(context, snapshot as State | undefined),
};

interface State {
  index: number;
  cwd?: string;
}

class OpenCodeReader implements RecordReader {
  readonly #context: ReaderContext;
  readonly #state: State;

  constructor(context: ReaderContext, snapshot: State | undefined) {
    this.#context = context;
    this.#state = snapshot ?? { index: 0 };
  }

  record(): void {}

  field(value: unknown, { key = "" }: Place): void {
    if (!isObject(value)) return;
    const steps = key.split("/");
    const kind = steps.at(-3) ?? "";
    if (kind === "message") this.#message(value, steps.at(-2)!);
    else if (kind === "part") this.#part(value, steps.at(-2)!);
    else if (kind === "session") {
      const cwd = wordOf(value["directory"]);
      if (cwd !== undefined) this.#state.cwd = cwd;
    }
  }

  end(): void {}

  snapshot(): unknown {
    return this.#state;
  }

  #message(record: JSONObject, sessionId: string): void {
    const state = this.#state;
    const id = wordOf(record["id"]);
    const role = wordOf(record["role"]) ?? "assistant";
    const draft = simpleDraft(role, [], { index: state.index++ }, {
      id,
      sessionId: wordOf(record["sessionID"]) ?? sessionId,
      timestamp: objectOf(record["time"])?.["created"],
      model: wordOf(record["modelID"]),
      cwd: wordOf(objectOf(record["path"])?.["cwd"]) ?? state.cwd,
      parentId: wordOf(record["parentID"]),
    });
    if (id !== undefined) draft.key = id;
    this.#context.window.add(draft);
  }

  #part(record: JSONObject, messageId: string): void {
    const { window } = this.#context;
    let draft = window.get(wordOf(record["messageID"]) ?? messageId);
    if (draft === undefined) {
      // Its message has left, or its file is missing.
      draft = simpleDraft("assistant", [], { index: this.#state.index++ }, {
        id: messageId,
      });
      draft.key = messageId;
      window.add(draft);
    }
    window.append(draft, partBlocks(record, draft));
  }
}

function partBlocks(record: JSONObject, draft: Draft): Block[] {
  switch (record["type"]) {
    case "text":
      return [{ type: "text", text: wordOf(record["text"]) ?? "" }];
    case "reasoning":
      return [{ type: "reasoning", text: wordOf(record["text"]) ?? "" }];
    case "tool": {
      const state = objectOf(record["state"]) ?? {};
      const id = wordOf(record["callID"]) ?? wordOf(record["id"]);
      const failed = state["status"] === "error";
      if (failed && id !== undefined) (draft.failed ??= []).push(id);
      const call = toolCallOf(id, record["tool"], state["input"]);
      const output = state["output"] ?? state["error"];
      return output === undefined
        ? [call]
        : [call, toolResultOf(id, output, failed)];
    }
    case "step-start":
    case "step-finish":
    case "snapshot":
      return [];
    default:
      return [{ type: "raw", value: record }];
  }
}
