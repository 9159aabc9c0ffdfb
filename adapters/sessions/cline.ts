/**
 * Stored tasks of Cline and Roo Code.
 *
 * @module
 */

import { StageStream } from "../../transforms/stage.ts";
import { AnySessionStage } from "./internal/any_session_stage.ts";
import type { Message, SessionStreamOptions } from "./message.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/**
 * The bytes of a task of Cline or Roo Code in, its messages out: of
 * `api_conversation_history.json` or of `ui_messages.json`, which the content
 * tells. Both tell the same task: read one of them.
 *
 * Calls are read in both generations: as tags in the text, whose contents are
 * none of the answer's fences, and as blocks. A document that is cut gives all
 * messages before the cut. Of `ui_messages.json`, questions and plans count as
 * the assistant's, tools and commands belong to what was said before them, and a
 * message that was still growing is replaced by its later copy.
 *
 * Construction throws a `RangeError` for a limit below 1 and a `TypeError` for a
 * foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { ClineSessionStream } from "@millrace/millrace/adapters/sessions";
 *
 * const history = [{
 *   role: "assistant",
 *   content: "<write_to_file><path>a.py</path><content>\nprint(1)\n</content></write_to_file>",
 * }];
 * const [message] = parse(JSON.stringify(history), new ClineSessionStream());
 * if (message?.snippets[0]?.filePath !== "a.py") throw new Error();
 * ```
 */
export class ClineSessionStream
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
          new AnySessionStage({ ...options, kind: "cline", snapshot }),
      ),
      options,
    );
  }
}
