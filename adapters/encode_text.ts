/**
 * Text to bytes.
 *
 * @module
 */

import {
  type Emit,
  type Stage,
  StageStream,
  type StageStreamOptions,
} from "../transforms/stage.ts";
import {
  makeSnapshot,
  openSnapshot,
  resumed,
} from "../transforms/internal/snapshot.ts";

/** Options of {@linkcode encodeText}. */
export interface EncodeTextOptions extends StageStreamOptions {
  /** Goes on where the stream with this {@linkcode StageStream.snapshot} stopped. */
  snapshot?: unknown;
}

const encoder = new TextEncoder();

class TextEncoding implements Stage<string, Uint8Array> {
  /** The first half of a surrogate pair at the end of a chunk, or nothing. */
  #held: string;

  constructor(options: EncodeTextOptions) {
    this.#held =
      openSnapshot<{ held: string }>("encode-text", options.snapshot)?.held ??
        "";
  }

  push(chunk: string, emit: Emit<Uint8Array>): void {
    if (chunk === "") return;
    let text = this.#held === "" ? chunk : this.#held + chunk;
    this.#held = "";
    const last = text.length - 1;
    if ((text.charCodeAt(last) & 0xfc00) === 0xd800) {
      this.#held = text.slice(last);
      text = text.slice(0, last);
    }
    if (text !== "") emit(encoder.encode(text));
  }

  end(emit: Emit<Uint8Array>): void {
    if (this.#held !== "") emit(encoder.encode(this.#held));
    this.#held = "";
  }

  snapshot(): unknown {
    return makeSnapshot("encode-text", { held: this.#held });
  }
}

/**
 * Text in, UTF-8 bytes out. Does what a `TextEncoderStream` does, surrogate pairs
 * cut in two included; it can be fused into a pipeline, its state can be saved,
 * and on Node it is many times faster. Half a surrogate pair becomes U+FFFD.
 *
 * @param options See {@linkcode EncodeTextOptions}.
 * @returns The stream.
 *
 * @example
 * ```ts
 * import { pipeline } from "@millrace/millrace";
 * import { SSEEncoderStream } from "@millrace/millrace/adapters/encode_sse";
 * import { encodeText } from "@millrace/millrace/adapters/encode_text";
 * import { fromText } from "@millrace/millrace/adapters/text";
 *
 * const body = fromText("hi").pipeThrough(pipeline(new SSEEncoderStream(), encodeText()));
 * const response = new Response(body, { headers: { "content-type": "text/event-stream" } });
 * if (!(await response.text()).startsWith("data: {")) throw new Error();
 * ```
 */
export function encodeText(
  options: EncodeTextOptions = {},
): StageStream<string, Uint8Array> {
  return new StageStream(
    resumed(
      options.snapshot,
      (snapshot) => new TextEncoding({ ...options, snapshot }),
    ),
    options,
  );
}
