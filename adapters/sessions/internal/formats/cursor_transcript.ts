import { type JSONObject, objectOf, wordOf } from "../../../internal/json.ts";
import { blocksOf } from "../content_blocks.ts";
import type {
  Place,
  ReaderContext,
  RecordReader,
  SessionFormat,
} from "../session_format.ts";
import { simpleDraft } from "./simple_draft.ts";

/** Agent transcripts of Cursor: `{role, message: {content}}`, one a line. */
export const cursorTranscript: SessionFormat = {
  kind: "cursor",
  name: "cursor-transcript",
  framing: "json-lines",
  reader: (context) => new CursorTranscriptReader(context),
};

class CursorTranscriptReader implements RecordReader {
  readonly #context: ReaderContext;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  record(value: unknown, place: Place): void {
    const record = value as JSONObject;
    const role = wordOf(record["role"]);
    const message = objectOf(record["message"]);
    if (role === undefined || message === undefined) return;
    const blocks = blocksOf(message["content"]);
    const answers = blocks.some(({ type }) => type === "tool-result");
    this.#context.window.add(
      simpleDraft(answers ? "tool" : role, blocks, place, {
        id: wordOf(record["id"]),
        timestamp: record["timestamp"],
        model: wordOf(message["model"]),
      }),
    );
  }

  end(): void {}

  snapshot(): unknown {
    return null;
  }
}
