/**
 * Makes text well-formed while it streams.
 *
 * @module
 */

import { SurrogateSanitizerStage } from "./internal/surrogate_sanitizer_stage.ts";
import type { Part } from "./part.ts";
import { StageStream } from "./stage.ts";
import { resumed } from "./internal/snapshot.ts";

/** Options of {@linkcode SurrogateSanitizerStream}. */
export interface SurrogateSanitizerStreamOptions {
  /**
   * What takes the place of an unpaired surrogate. One code unit, so that
   * offsets stay what they are.
   *
   * @default {"\uFFFD"}
   */
  replacement?: string;
  /** A snapshot of another sanitizer, to go on from. */
  snapshot?: unknown;
  /** See {@linkcode StageStreamOptions.highWaterMark}. */
  highWaterMark?: number;
}

/**
 * Replaces every unpaired UTF-16 surrogate by U+FFFD and keeps valid pairs,
 * also when the halves arrive in two chunks. Backends refuse whole requests for
 * a single lone half. Every chunk that comes out is well-formed.
 *
 * Strings come out as strings, parts as parts: `text` and `reasoning` parts are
 * repaired, all others pass untouched. At most one code unit is held back.
 *
 * Construction throws a `RangeError` when `replacement` is not one
 * well-formed code unit, and a `TypeError` for a snapshot of something else.
 *
 * @example
 * ```ts
 * import { SurrogateSanitizerStream } from "@millrace/millrace";
 *
 * const sanitizer = new SurrogateSanitizerStream();
 * const writer = sanitizer.writable.getWriter();
 * writer.write("rocket \ud83d");
 * writer.write("\ude80, half \ud83d");
 * writer.close();
 * let text = "";
 * for await (const chunk of sanitizer.readable) text += chunk;
 * if (text !== "rocket \u{1f680}, half \ufffd") throw new Error(text);
 * ```
 */
export class SurrogateSanitizerStream
  extends StageStream<string | Part, string | Part> {
  /**
   * Makes a sanitizer.
   *
   * @param options See {@linkcode SurrogateSanitizerStreamOptions}.
   */
  constructor(options: SurrogateSanitizerStreamOptions = {}) {
    super(
      resumed(
        options.snapshot,
        (snapshot) => new SurrogateSanitizerStage({ ...options, snapshot }),
      ),
      options,
    );
  }
}
