/**
 * Stored sessions of Claude Code.
 *
 * @module
 */

import { StageStream } from "../../transforms/stage.ts";
import { claudeCode } from "./internal/formats/claude_code.ts";
import { SessionStage } from "./internal/session_stage.ts";
import type { Message, SessionStreamOptions } from "./message.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/**
 * The bytes of a session file of Claude Code
 * (`~/.claude/projects/<folder>/<session>.jsonl`) in, its messages out.
 *
 * A message's lines are put together by their id wherever they stand; results of
 * tools are messages of role `tool`, and tell the call they answer where its
 * edit went (`appliedRanges`, `lineRange`) and whether it failed. Records that
 * the program put in as the user's have the role `system` when it says so
 * itself, else the `origin` `program`. Subagents are `sidechain`; `parentId`
 * makes the threads. Unknown records are passed over, lines that are no JSON are
 * reported to `onWarning`.
 *
 * Construction throws a `RangeError` for a limit below 1 and a `TypeError` for a
 * foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { ClaudeCodeSessionStream } from "@millrace/millrace/adapters/sessions";
 *
 * const line = JSON.stringify({
 *   type: "assistant",
 *   uuid: "1",
 *   message: { id: "m", role: "assistant", content: [{ type: "text", text: "~~~sh\nls\n~~~" }] },
 * });
 * const [message] = parse(line, new ClaudeCodeSessionStream());
 * if (message?.snippets[0]?.content !== "ls\n") throw new Error();
 * ```
 */
export class ClaudeCodeSessionStream
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
        (snapshot) => new SessionStage(claudeCode, { ...options, snapshot }),
      ),
      options,
    );
  }
}
