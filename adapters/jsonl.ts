/**
 * A provider's JSON Lines as parts.
 *
 * @module
 */

import type { Part } from "../transforms/part.ts";
import { messageOfBody } from "./internal/error_body.ts";
import { ErrorBodyMachine } from "./internal/error_body_machine.ts";
import { excerptOf, limitOf } from "./internal/limits.ts";
import {
  checkSourceOptions,
  chunksOf,
  isResponse,
  partSource,
} from "./internal/part_source.ts";
import {
  failDecoder,
  LineFraming,
  ProviderMachine,
} from "./internal/provider_machine.ts";
import {
  type Provider,
  type ProviderName,
  type ProviderOptions,
  resolveProvider,
} from "./provider.ts";
import type { SourceOptions, WireSource } from "./source.ts";
import { StreamError } from "./stream_error.ts";

/** Options of {@linkcode fromJSONL}. */
export interface FromJSONLOptions extends SourceOptions, ProviderOptions {
  /**
   * Whose lines these are: a name, a provider of your own, or `"auto"`, which
   * decides on the first line that is JSON.
   *
   * @default {"auto"}
   */
  provider?: ProviderName | Provider | undefined;
  /**
   * The longest line, in characters (UTF-16 code units). A longer one is skipped
   * with a warning `"line-too-long"`.
   *
   * @default {16777216}
   */
  maxLineChars?: number | undefined;
  /**
   * Whether bytes that are not UTF-8 are an error, of code `"invalid-utf8"`. By
   * default they become U+FFFD, with a warning.
   *
   * @default {false}
   */
  fatalUtf8?: boolean | undefined;
  /**
   * Whether values may follow one another without a line end, and have line ends
   * in them.
   *
   * @default {false}
   */
  concatenated?: boolean | undefined;
  /**
   * Whether this is a JSON text sequence (RFC 7464), with U+001E before each value.
   *
   * @default {false}
   */
  recordSeparator?: boolean | undefined;
  /**
   * Whether terminal escape sequences are taken out first, for a program that
   * thinks it writes to a terminal.
   *
   * @default {false}
   */
  stripAnsi?: boolean | undefined;
}

/** Says what a body without a single JSON line is. */
function foreign(head: string): StreamError {
  const { message, spoken } = messageOfBody(head);
  const hint = /^\s*(?:data|event|id|retry)?:/.test(head)
    ? ': it looks like an event stream, which "fromSSE" reads'
    : `. It begins ${JSON.stringify(message)}`;
  return new StreamError(
    "not-json-lines",
    spoken
      ? `The answer is not JSON Lines: ${message}`
      : `The answer is not JSON Lines${hint}`,
    { excerpt: excerptOf(head) },
  );
}

/**
 * A model's answer, or the output of a coding agent, as parts: bytes to text to
 * JSON lines to the provider's decoder, in one. A JSON array of events is read
 * too.
 *
 * A line that is not JSON is skipped with a warning (`"invalid-line"`, or
 * `"truncated"` for a last line that was cut); when there is nothing else in the
 * stream, that is an error of code `"not-json-lines"`.
 *
 * Everything else (reading on demand, cancelling, error answers, `onError`,
 * exactly one `finish` part) is as in {@linkcode [sse].fromSSE}, and so is
 * what is thrown before anything is read.
 *
 * @param source A `Response`, a web stream, or an iterable, of bytes or strings;
 * or a whole body.
 * @param options See {@linkcode FromJSONLOptions}.
 * @returns The parts.
 *
 * @example
 * ```ts
 * import { collect } from "@millrace/millrace";
 * import { fromJSONL } from "@millrace/millrace/adapters/jsonl";
 *
 * const lines = '{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\n' +
 *   '{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n';
 * const { text, finish } = await collect(fromJSONL(lines));
 * if (text !== "Hi" || !finish?.complete) throw new Error();
 * ```
 */
export function fromJSONL(
  source: WireSource,
  options: FromJSONLOptions = {},
): ReadableStream<Part> {
  checkSourceOptions(options);
  const maxLineChars = limitOf("maxLineChars", options.maxLineChars);
  const decoder = resolveProvider(options.provider ?? "auto").create(options);
  if (isResponse(source) && !source.ok) {
    const machine = new ErrorBodyMachine(
      source,
      (error, emit) => failDecoder(decoder, error, emit),
    );
    return partSource(chunksOf(source), machine, options);
  }
  const machine = new ProviderMachine(
    decoder,
    {
      fatalUtf8: options.fatalUtf8 ?? false,
      arrays: options.concatenated !== true && options.recordSeparator !== true,
      maxEventChars: maxLineChars,
    },
    (output) =>
      new LineFraming(output, {
        maxLineChars,
        concatenated: options.concatenated ?? false,
        recordSeparator: options.recordSeparator ?? false,
        unwrap: false,
        stripAnsi: options.stripAnsi ?? false,
      }, foreign),
  );
  return partSource(chunksOf(source), machine, options);
}
