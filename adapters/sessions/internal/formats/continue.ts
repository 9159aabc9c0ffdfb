import { arrayOf, isObject, objectOf, wordOf } from "../../../internal/json.ts";
import type { Block } from "../../message.ts";
import { blocksOf, toolCallOf, toolResultOf } from "../content_blocks.ts";
import type {
  Place,
  ReaderContext,
  RecordReader,
  SessionFormat,
} from "../session_format.ts";
import { simpleDraft } from "./simple_draft.ts";

/** Continue: `~/.continue/sessions/<id>.json`. */
export const continueSession: SessionFormat = {
  kind: "continue",
  name: "continue",
  framing: "document",
  lists: ["history"],
  reader: (context, snapshot) =>
    new ContinueReader(context, snapshot as State | undefined),
};

interface State {
  sessionId?: string;
  cwd?: string;
}

class ContinueReader implements RecordReader {
  readonly #context: ReaderContext;
  readonly #state: State;

  constructor(context: ReaderContext, snapshot: State | undefined) {
    this.#context = context;
    this.#state = snapshot ?? {};
  }

  field(value: unknown, { key }: Place): void {
    const word = wordOf(value);
    if (word === undefined) return;
    if (key === "sessionId") this.#state.sessionId = word;
    else if (key === "workspaceDirectory") this.#state.cwd = word;
  }

  record(value: unknown, place: Place): void {
    const message = objectOf(objectOf(value)?.["message"]);
    const role = wordOf(message?.["role"]);
    const { window, warn } = this.#context;
    if (message === undefined || role === undefined) {
      return warn(
        "malformed",
        `Element ${place.index} holds no message`,
        place,
      );
    }
    // The calls are in `toolCallStates` once more; code in `contextItems` is the user's.
    const calls = arrayOf(message["toolCalls"]).flatMap((call): Block[] => {
      const target = objectOf(objectOf(call)?.["function"]);
      return isObject(call) && target !== undefined
        ? [toolCallOf(call["id"], target["name"], target["arguments"])]
        : [];
    });
    const content = blocksOf(message["content"]);
    const blocks = role === "tool"
      ? [toolResultOf(message["toolCallId"], message["content"], false)]
      : role === "thinking"
      ? content.map((block): Block =>
        block.type === "text" ? { type: "reasoning", text: block.text } : block
      )
      : [...content, ...calls];
    window.add(simpleDraft(role, blocks, place, { ...this.#state }));
  }

  end(): void {}

  snapshot(): unknown {
    return this.#state;
  }
}
