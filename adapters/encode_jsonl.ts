/**
 * Parts as JSON Lines.
 *
 * @module
 */

import type { Part } from "../transforms/part.ts";
import { StageStream, type StageStreamOptions } from "../transforms/stage.ts";
import { PartEncoder } from "./internal/part_encoder.ts";
import { resumed } from "../transforms/internal/snapshot.ts";

/** Options of {@linkcode JSONLEncoderStream}. */
export interface JSONLEncoderStreamOptions extends StageStreamOptions {
  /** Goes on where the stream with this {@linkcode StageStream.snapshot} stopped. */
  snapshot?: unknown;
}

/**
 * Parts in, JSON Lines text out: each part as JSON and a LF.
 * {@linkcode [jsonl].fromJSONL} with the
 * {@linkcode [parts_provider].partsProvider} gives the same parts back. A string
 * stands for its text part.
 *
 * Construction throws a `TypeError` for a foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { JSONLEncoderStream } from "@millrace/millrace/adapters/encode_jsonl";
 *
 * const lines = parse(["hi"], new JSONLEncoderStream());
 * if (lines[0] !== '{"type":"text","text":"hi","start":0}\n') throw new Error();
 * ```
 */
export class JSONLEncoderStream extends StageStream<string | Part, string> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode JSONLEncoderStreamOptions}.
   */
  constructor(options: JSONLEncoderStreamOptions = {}) {
    super(
      resumed(
        options.snapshot,
        (snapshot) =>
          new PartEncoder("jsonl-encoder", (json) => `${json}\n`, snapshot),
      ),
      options,
    );
  }
}
