/**
 * Chat histories of Aider.
 *
 * @module
 */

import { StageStream } from "../../transforms/stage.ts";
import { aider } from "./internal/formats/aider.ts";
import { SessionStage } from "./internal/session_stage.ts";
import type { Message, SessionStreamOptions } from "./message.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/**
 * The bytes of a chat history of Aider (`.aider.chat.history.md`) in, its
 * messages out, of all its sessions.
 *
 * What the program printed is messages of role `tool`, a block for each output.
 * The name of a file on the line before a block becomes its path; code between
 * tags (`<source>`), which Aider uses for files that hold backticks, is found
 * too. A block that is open when its answer ends has `closed: false`.
 * Timestamps are those of the session, in the local time of the machine that
 * wrote it.
 *
 * Construction throws a `RangeError` for a limit below 1 and a `TypeError` for a
 * foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { AiderSessionStream } from "@millrace/millrace/adapters/sessions";
 *
 * const history = "#### say hi  \n\nDone:\n\na.py\n~~~python\nprint('hi')\n~~~\n";
 * const messages = parse(history, new AiderSessionStream());
 * if (messages[1]?.snippets[0]?.filePath !== "a.py") throw new Error();
 * ```
 */
export class AiderSessionStream
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
        (snapshot) => new SessionStage(aider, { ...options, snapshot }),
      ),
      options,
    );
  }
}
