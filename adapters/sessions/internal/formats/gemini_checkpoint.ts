import {
  arrayOf,
  isObject,
  type JSONObject,
  objectOf,
  wordOf,
} from "../../../internal/json.ts";
import type { Block } from "../../message.ts";
import { blockOf, toolCallOf, toolResultOf } from "../content_blocks.ts";
import type {
  Place,
  ReaderContext,
  RecordReader,
  SessionFormat,
} from "../session_format.ts";
import { simpleDraft } from "./simple_draft.ts";

/** Gemini CLI: what `/chat save` writes, a list of contents of the API or an object with one. */
export const geminiCheckpoint: SessionFormat = {
  kind: "gemini-session",
  name: "gemini-checkpoint",
  framing: "document",
  lists: ["history"],
  reader: (context) => new GeminiCheckpointReader(context),
};

class GeminiCheckpointReader implements RecordReader {
  readonly #context: ReaderContext;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  record(value: unknown, place: Place): void {
    const role = isObject(value) ? wordOf(value["role"]) : undefined;
    const { window, warn } = this.#context;
    if (!isObject(value) || role === undefined) {
      return warn(
        "malformed",
        `Element ${place.index} is no content with a role`,
        place,
      );
    }
    const blocks = arrayOf(value["parts"]).map((part): Block =>
      isObject(part) ? this.#block(part) : blockOf(part)
    );
    const answers = blocks.some(({ type }) => type === "tool-result");
    window.add(
      simpleDraft(
        answers ? "tool" : /^(?:model|gemini)$/.test(role) ? "assistant" : role,
        blocks,
        place,
        { timestamp: value["ts"] ?? value["timestamp"] },
      ),
    );
  }

  end(): void {}

  snapshot(): unknown {
    return null;
  }

  #block(part: JSONObject): Block {
    const call = objectOf(part["functionCall"]);
    if (call !== undefined) {
      return toolCallOf(call["id"], call["name"], call["args"]);
    }
    const answer = objectOf(part["functionResponse"]);
    if (answer !== undefined) {
      const response = objectOf(answer["response"]);
      const failed = response?.["error"] !== undefined;
      const caller = this.#context.window.caller(wordOf(answer["id"]) ?? "");
      if (failed && caller !== undefined) {
        (caller.failed ??= []).push(String(answer["id"]));
      }
      return toolResultOf(answer["id"], answer["response"], failed);
    }
    return part["thought"] === true
      ? { type: "reasoning", text: wordOf(part["text"]) ?? "" }
      : blockOf(part);
  }
}
