/**
 * Stored sessions of Gemini CLI.
 *
 * @module
 */

import { StageStream } from "../../transforms/stage.ts";
import { AnySessionStage } from "./internal/any_session_stage.ts";
import type { Message, SessionStreamOptions } from "./message.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/**
 * The bytes of a chat of Gemini CLI
 * (`~/.gemini/tmp/<project>/chats/session-….json` or `.jsonl`, or a `checkpoint-….json`
 * of `/chat save`) in, its messages out. Which form it is, the content tells.
 *
 * While an answer grows it is written again and again: the last copy counts, at
 * the place of the first. A copy that comes when the message has left comes out
 * again as `revision`. What a rewind took back is still in the file, and comes
 * out.
 *
 * Construction throws a `RangeError` for a limit below 1 and a `TypeError` for a
 * foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { GeminiSessionStream } from "@millrace/millrace/adapters/sessions";
 *
 * const chat = {
 *   sessionId: "s",
 *   projectHash: "p",
 *   messages: [{ id: "1", type: "gemini", content: "~~~sh\nls\n~~~" }],
 * };
 * const [message] = parse(JSON.stringify(chat), new GeminiSessionStream());
 * if (message?.role !== "assistant" || !message.hasCode) throw new Error();
 * ```
 */
export class GeminiSessionStream
  extends StageStream<string | Uint8Array, Message> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode SessionStreamOptions}.
   */
  constructor(options: SessionStreamOptions = {}) {
    super(
      resumed(
        options.snapshot,
        (snapshot) =>
          new AnySessionStage({ ...options, kind: "gemini-session", snapshot }),
      ),
      options,
    );
  }
}
