/**
 * Bytes to text.
 *
 * @module
 */

import {
  type Emit,
  StageStream,
  type StageStreamOptions,
} from "../transforms/stage.ts";
import {
  makeSnapshot,
  openSnapshot,
  resumed,
} from "../transforms/internal/snapshot.ts";
import type { WarningPart } from "../transforms/part.ts";
import {
  deliverThenFail,
  FailingStage,
  failureOf,
  type FailureSnapshot,
  failureSnapshot,
  QuietStage,
} from "./internal/failing_stage.ts";
import { TextInput, type TextInputSnapshot } from "./internal/text_input.ts";

/** Options of {@linkcode decodeText}. */
export interface DecodeTextOptions extends StageStreamOptions {
  /**
   * Whether bytes that are not UTF-8 make the stream fail, with a
   * {@linkcode [stream_error].StreamError} of code `"invalid-utf8"` after the
   * text before them. By default they become U+FFFD and are reported to
   * `onWarning`.
   *
   * @default {false}
   */
  fatal?: boolean;
  /**
   * Whether a leading byte order mark stays in the text, as in `TextDecoder`.
   *
   * @default {false}
   */
  ignoreBOM?: boolean;
  /**
   * Told of bytes that are not UTF-8 (`"invalid-utf8"`): of the first, with its
   * offset, and at the end of their number, if there were more.
   */
  onWarning?: (warning: WarningPart) => void;
  /** Goes on where the stream with this {@linkcode StageStream.snapshot} stopped. */
  snapshot?: unknown;
}

interface State {
  input: TextInputSnapshot;
  /** Whether a byte order mark may still come. */
  first: boolean;
  failure?: FailureSnapshot | undefined;
}

class TextDecoding extends FailingStage<string | Uint8Array, string> {
  readonly #input: TextInput;
  #first: boolean;

  constructor(options: DecodeTextOptions) {
    super();
    const state = openSnapshot<State>("decode-text", options.snapshot);
    this.#first = state?.first ?? options.ignoreBOM !== true;
    this.failure = failureOf(state?.failure);
    this.#input = new TextInput(
      options.fatal ?? false,
      options.onWarning,
      state?.input,
    );
  }

  protected take(chunk: string | Uint8Array, emit: Emit<string>): void {
    if (!this.#first) this.#input.push(chunk, emit);
    else {
      this.#input.push(chunk, (text) => {
        if (this.#first) {
          this.#first = false;
          if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
        }
        if (text !== "") emit(text);
      });
    }
    this.failure = this.#input.failure;
  }

  protected finish(emit: Emit<string>): void {
    this.#input.end(emit);
    this.failure = this.#input.failure;
  }

  snapshot(): unknown {
    const state: State = {
      input: this.#input.snapshot(),
      first: this.#first,
      failure: failureSnapshot(this.failure),
    };
    return makeSnapshot("decode-text", state);
  }
}

/**
 * UTF-8 bytes in, text out, however the bytes are cut; strings pass. Does what a
 * `TextDecoderStream` does, with three differences: it can be fused into a
 * pipeline, its state can be saved, and malformed bytes are reported.
 *
 * The parsers of this package take bytes themselves: this is for text that is
 * nothing else.
 *
 * @param options See {@linkcode DecodeTextOptions}.
 * @returns The stream.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { decodeText } from "@millrace/millrace/adapters/decode_text";
 *
 * const bytes = new TextEncoder().encode("5 €");
 * const text = parse([bytes.subarray(0, 3), bytes.subarray(3)], decodeText());
 * if (text.join("") !== "5 €") throw new Error();
 * ```
 */
export function decodeText(
  options: DecodeTextOptions = {},
): StageStream<string | Uint8Array, string> {
  const stage = resumed(
    options.snapshot,
    (snapshot) => new TextDecoding({ ...options, snapshot }),
  );
  if (options.fatal !== true) {
    return new StageStream(stage, options);
  }
  const stream = new StageStream(new QuietStage(stage), options);
  deliverThenFail(stream, stage);
  return stream;
}
