import type { WarningPart } from "../../transforms/part.ts";
import { StreamError } from "../stream_error.ts";
import { Utf8Decoder, type Utf8DecoderSnapshot } from "./utf8_decoder.ts";

/** The state of a {@linkcode TextInput} as plain data. */
export type TextInputSnapshot = Utf8DecoderSnapshot;

/**
 * What every layer begins with: bytes are decoded, strings pass. Something that
 * is neither, or bytes that are not UTF-8 when that is fatal, is a failure.
 */
export class TextInput {
  readonly #decoder: Utf8Decoder;
  readonly #onWarning: ((warning: WarningPart) => void) | undefined;
  /** Why nothing is taken any more. */
  failure: StreamError | undefined;

  /**
   * @param fatal Whether malformed bytes are a failure.
   * @param onWarning Told of malformed bytes, once, and of their number at the end.
   */
  constructor(
    fatal: boolean,
    onWarning: ((warning: WarningPart) => void) | undefined,
    snapshot?: TextInputSnapshot,
  ) {
    this.#onWarning = onWarning;
    this.#decoder = new Utf8Decoder(fatal, (offset) => {
      if (fatal) {
        this.failure = new StreamError(
          "invalid-utf8",
          `Cannot decode: the byte at offset ${offset} is not UTF-8`,
          { offset },
        );
      } else {
        onWarning?.({
          type: "warning",
          code: "invalid-utf8",
          message:
            `The byte at offset ${offset} is not UTF-8: it is replaced by U+FFFD, and so are others behind it`,
        });
      }
    }, snapshot);
  }

  push(chunk: unknown, emit: (text: string) => void): void {
    if (typeof chunk === "string") {
      this.#decoder.end(emit);
      if (this.failure === undefined && chunk !== "") emit(chunk);
      return;
    }
    const bytes = bytesOf(chunk);
    if (bytes === undefined) {
      this.failure = new StreamError(
        "invalid-chunk",
        `Cannot read a chunk of type "${
          chunk === null ? "null" : typeof chunk
        }": give strings or Uint8Arrays`,
      );
    } else if (bytes.length > 0) this.#decoder.push(bytes, emit);
  }

  end(emit: (text: string) => void): void {
    this.#decoder.end(emit);
    const { malformed } = this.#decoder;
    if (malformed > 1 && this.failure === undefined) {
      this.#onWarning?.({
        type: "warning",
        code: "invalid-utf8",
        message: `Replaced ${malformed} malformed byte sequences in all`,
      });
    }
  }

  snapshot(): TextInputSnapshot {
    return this.#decoder.snapshot();
  }
}

function bytesOf(chunk: unknown): Uint8Array | undefined {
  if (chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk)) {
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  return chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : undefined;
}
