/**
 * Plain text as parts.
 *
 * @module
 */

import type { ErrorInfo, FinishReason, Part } from "../transforms/part.ts";
import type { Emit } from "../transforms/stage.ts";
import { ErrorBodyMachine } from "./internal/error_body_machine.ts";
import {
  checkSourceOptions,
  chunksOf,
  isResponse,
  type PartMachine,
  partSource,
} from "./internal/part_source.ts";
import { TextInput } from "./internal/text_input.ts";
import type { SourceOptions, WireSource } from "./source.ts";
import type { StreamError } from "./stream_error.ts";

/** Options of {@linkcode fromText}. */
export interface FromTextOptions extends SourceOptions {
  /**
   * Whether bytes that are not UTF-8 are an error, of code `"invalid-utf8"`. By
   * default they become U+FFFD, with a warning.
   *
   * @default {false}
   */
  fatalUtf8?: boolean | undefined;
}

class TextMachine implements PartMachine {
  readonly #input: TextInput;
  #emit: Emit<Part> = () => {};
  #offset = 0;
  #first = true;

  constructor(options: FromTextOptions) {
    this.#input = new TextInput(
      options.fatalUtf8 ?? false,
      (warning) => this.#emit(warning),
    );
  }

  get failure(): StreamError | undefined {
    return this.#input.failure;
  }

  push(chunk: unknown, emit: Emit<Part>): void {
    this.#emit = emit;
    this.#input.push(chunk, this.#text);
  }

  end(emit: Emit<Part>): void {
    this.#emit = emit;
    this.#input.end(this.#text);
    if (this.failure === undefined) finish("unknown", emit);
  }

  fail(error: ErrorInfo, emit: Emit<Part>): void {
    fail(error, emit);
  }

  readonly #text = (text: string): void => {
    if (this.#first) {
      this.#first = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
      if (text === "") return;
    }
    const start = this.#offset;
    this.#offset += text.length;
    this.#emit({ type: "text", text, start });
  };
}

function finish(reason: FinishReason, emit: Emit<Part>): void {
  emit({ type: "finish", reason, complete: false });
}

function fail(error: ErrorInfo, emit: Emit<Part>): void {
  emit({ type: "error", error, fatal: true });
  finish(error.name === "AbortError" ? "cancelled" : "error", emit);
}

/**
 * Plain text as `text` parts, for a model's answer without a wire format, a
 * file, or what comes through a pipe. One leading byte order mark is dropped.
 *
 * Ends with one `finish` part. Plain text has no end marker that could be
 * missing, so its reason is `"unknown"` and `complete` is `false`. Errors,
 * cancelling and `onError` are as in {@linkcode [sse].fromSSE}.
 *
 * @param source A `Response`, a web stream, or an iterable, of bytes or strings;
 * or a whole text.
 * @param options See {@linkcode FromTextOptions}.
 * @returns The parts.
 *
 * @example
 * ```ts
 * import { collect } from "@millrace/millrace";
 * import { fromText } from "@millrace/millrace/adapters/text";
 *
 * const { text } = await collect(fromText(new TextEncoder().encode("5 €")));
 * if (text !== "5 €") throw new Error();
 * ```
 */
export function fromText(
  source: WireSource,
  options: FromTextOptions = {},
): ReadableStream<Part> {
  checkSourceOptions(options);
  const machine = isResponse(source) && !source.ok
    ? new ErrorBodyMachine(source, fail)
    : new TextMachine(options);
  return partSource(chunksOf(source), machine, options);
}
