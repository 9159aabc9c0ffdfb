/**
 * Stored sessions of Codex CLI.
 *
 * @module
 */

import { StageStream } from "../../transforms/stage.ts";
import { codex } from "./internal/formats/codex.ts";
import { SessionStage } from "./internal/session_stage.ts";
import type { Message, SessionStreamOptions } from "./message.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/**
 * The bytes of a rollout of Codex CLI
 * (`~/.codex/sessions/<date>/rollout-<time>-<id>.jsonl`) in, its messages out.
 *
 * Answers stand twice in the file, as event and as item: the items count, and
 * events only where a file has no items. Each item is a message: what the
 * assistant says, and each call (role `tool`, origin `model`), since nothing in
 * the file says which answer a call belongs to; reasoning comes with what
 * follows it. Patches give a snippet for each file they
 * add or update; what the program says about their success is told by `failed`
 * and `appliedRanges`. Files from before the envelope, and flat records of
 * exporters, are read too.
 *
 * Construction throws a `RangeError` for a limit below 1 and a `TypeError` for a
 * foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { CodexSessionStream } from "@millrace/millrace/adapters/sessions";
 *
 * const line = JSON.stringify({
 *   type: "response_item",
 *   payload: {
 *     type: "custom_tool_call",
 *     name: "apply_patch",
 *     call_id: "1",
 *     input: "*** Begin Patch\n*** Add File: a.py\n+print(1)\n*** End Patch",
 *   },
 * });
 * const [message] = parse(line, new CodexSessionStream());
 * if (message?.snippets[0]?.content !== "print(1)\n") throw new Error();
 * ```
 */
export class CodexSessionStream
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
        (snapshot) => new SessionStage(codex, { ...options, snapshot }),
      ),
      options,
    );
  }
}
