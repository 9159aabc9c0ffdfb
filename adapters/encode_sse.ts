/**
 * Parts as server-sent events.
 *
 * @module
 */

import type { Part } from "../transforms/part.ts";
import { StageStream, type StageStreamOptions } from "../transforms/stage.ts";
import { PartEncoder } from "./internal/part_encoder.ts";
import { resumed } from "../transforms/internal/snapshot.ts";

/** Options of {@linkcode SSEEncoderStream}. */
export interface SSEEncoderStreamOptions extends StageStreamOptions {
  /** Goes on where the stream with this {@linkcode StageStream.snapshot} stopped. */
  snapshot?: unknown;
}

/**
 * Parts in, `text/event-stream` text out: for each part one event, `data: ` and
 * the part as JSON. {@linkcode [sse].fromSSE} with the
 * {@linkcode [parts_provider].partsProvider} gives the same parts back. A string
 * stands for its text part.
 *
 * For a `Response`, bytes are needed: put
 * {@linkcode [encode_text].encodeText} behind it.
 *
 * Construction throws a `TypeError` for a foreign snapshot.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { SSEEncoderStream } from "@millrace/millrace/adapters/encode_sse";
 *
 * const events = parse(["hi"], new SSEEncoderStream());
 * if (events[0] !== 'data: {"type":"text","text":"hi","start":0}\n\n') throw new Error();
 * ```
 */
export class SSEEncoderStream extends StageStream<string | Part, string> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode SSEEncoderStreamOptions}.
   */
  constructor(options: SSEEncoderStreamOptions = {}) {
    super(
      resumed(
        options.snapshot,
        (snapshot) =>
          new PartEncoder(
            "sse-encoder",
            (json) => `data: ${json}\n\n`,
            snapshot,
          ),
      ),
      options,
    );
  }
}
