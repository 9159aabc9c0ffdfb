/**
 * Stored sessions of any program, told apart by their content.
 *
 * @module
 */

import { StageStream } from "../../transforms/stage.ts";
import { AnySessionStage } from "./internal/any_session_stage.ts";
import type { Message, SessionKind, SessionStreamOptions } from "./message.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/** Options of {@linkcode SessionStream}. */
export interface AnySessionStreamOptions extends SessionStreamOptions {
  /**
   * The program that wrote the session. By default the content tells. Cline
   * and Gemini CLI have several forms of files; which it is, the content tells in
   * any case.
   */
  kind?: SessionKind;
  /** Told of the format when it is clear, once. */
  onFormat?: (kind: SessionKind) => void;
}

/**
 * The bytes of a stored session in, its messages out, whichever program wrote
 * it: Claude Code, Codex CLI, Gemini CLI, Cline and Roo Code (both files of a
 * task), Aider, agent transcripts of Cursor, Copilot CLI, Continue, pi, OpenCode
 * (its small files as one JSON object) and SpecStory. The content tells which;
 * of a file that begins with something else so much as 1 Mi characters are
 * looked at. Databases of Cursor are read by `cursorSession`.
 *
 * The stream fails with a {@linkcode StreamError} of code `unknown-format` when
 * it is none of them. Construction throws a `TypeError` for an unknown `kind` or
 * a foreign snapshot and a `RangeError` for a limit below 1.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { SessionStream } from "@millrace/millrace/adapters/sessions";
 *
 * const history = "# aider chat started at 2025-01-02 03:04:05\n\n#### hi  \n\nHello.\n";
 * const [question, answer] = parse(history, new SessionStream());
 * if (question?.role !== "user" || answer?.role !== "assistant") throw new Error();
 * ```
 */
export class SessionStream extends StageStream<string | Uint8Array, Message> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode AnySessionStreamOptions}.
   */
  constructor(options: AnySessionStreamOptions = {}) {
    super(
      resumed(
        options.snapshot,
        (snapshot) => new AnySessionStage({ ...options, snapshot }),
      ),
      options,
    );
  }
}
