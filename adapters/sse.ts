/**
 * A provider's event stream as parts.
 *
 * @module
 */

import type { Part } from "../transforms/part.ts";
import type { Emit } from "../transforms/stage.ts";
import { ERROR_BODY_CHARS, messageOfBody } from "./internal/error_body.ts";
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
  type Framing,
  type FramingOutput,
  ProviderMachine,
} from "./internal/provider_machine.ts";
import { SSEMachine } from "./internal/sse_machine.ts";
import {
  type Provider,
  type ProviderName,
  type ProviderOptions,
  resolveProvider,
} from "./provider.ts";
import type { SourceOptions, WireSource } from "./source.ts";
import type { ServerSentEvent } from "./sse_parser.ts";
import { StreamError } from "./stream_error.ts";

/** Options of {@linkcode fromSSE}. */
export interface FromSSEOptions extends SourceOptions, ProviderOptions {
  /**
   * Whose events these are: a name, a provider of your own, or `"auto"`, which
   * decides on the first event.
   *
   * @default {"auto"}
   */
  provider?: ProviderName | Provider | undefined;
  /**
   * The longest line, in characters (UTF-16 code units). A longer one is an error
   * of code `"line-too-long"`.
   *
   * @default {maxEventChars}
   */
  maxLineChars?: number | undefined;
  /**
   * The longest event, in characters as received. A longer one is an error of
   * code `"max-buffer-size"`.
   *
   * @default {16777216}
   */
  maxEventChars?: number | undefined;
  /**
   * Whether bytes that are not UTF-8 are an error, of code `"invalid-utf8"`. By
   * default they become U+FFFD, with a warning.
   *
   * @default {false}
   */
  fatalUtf8?: boolean | undefined;
  /**
   * Whether a last event without its blank line counts. Many servers end so; one
   * that was cut is no JSON and does no harm.
   *
   * @default {true}
   */
  flushAtEnd?: boolean | undefined;
}

/** Server-sent events in text. */
class SSEFraming implements Framing {
  readonly #machine: SSEMachine;
  readonly #output: FramingOutput;
  readonly #flushAtEnd: boolean;
  readonly #contentType: string | undefined;

  constructor(
    output: FramingOutput,
    options: {
      maxLineChars: number;
      maxBlockChars: number;
      flushAtEnd: boolean;
      contentType: string | undefined;
    },
  ) {
    this.#output = output;
    this.#contentType = options.contentType;
    this.#flushAtEnd = options.flushAtEnd;
    this.#machine = new SSEMachine({
      maxLineChars: options.maxLineChars,
      maxBlockChars: options.maxBlockChars,
      headChars: ERROR_BODY_CHARS,
      // How llama.cpp's server tells an error in the middle of an answer.
      onErrorField: (data) => this.#output.event({ data, event: "error" }),
    });
  }

  get failure(): StreamError | undefined {
    return this.#machine.failure;
  }

  push(text: string): void {
    this.#machine.push(text, this.#event);
  }

  end(): StreamError | undefined {
    if (this.#machine.end(this.#flushAtEnd, this.#event)) {
      this.#output.warn(
        "truncated",
        "Dropped the last event: no blank line follows it",
      );
    }
    if (!this.#machine.isForeign()) return undefined;
    const { head } = this.#machine;
    const excerpt = excerptOf(head);
    const what = this.#contentType === undefined
      ? ""
      : ` but "${this.#contentType}"`;
    this.#output.warn(
      "not-an-event-stream",
      `This is not an event stream${what}. It begins ${
        JSON.stringify(excerpt)
      }`,
    );
    const { message, spoken } = messageOfBody(head);
    return new StreamError(
      "not-an-event-stream",
      spoken
        ? `The answer is not an event stream: ${message}`
        : `The answer is not an event stream${what}: ${hint(head)}`,
      { excerpt },
    );
  }

  readonly #event: Emit<ServerSentEvent> = ({ event, data }) => {
    this.#output.event(event === "message" ? { data } : { data, event });
  };
}

/** What to do about a body that is no event stream. */
function hint(head: string): string {
  const text = head.trimStart();
  if (text.startsWith("<")) return "it looks like a web page";
  if (!text.startsWith("{")) return "check the address and the request";
  const end = text.indexOf("\n");
  if (end >= 0 && text.slice(end).trim().startsWith("{")) {
    return 'it looks like JSON Lines, which "fromJSONL" reads';
  }
  return "it is one JSON object; was streaming asked for in the request?";
}

/**
 * A model's answer as parts: bytes to text to server-sent events to the
 * provider's decoder, in one. What `fetch` gives can be passed as it is. A JSON
 * array of events, as Gemini sends it without `alt=sse`, is read too.
 *
 * Nothing is read ahead: the source is read when a part is asked for.
 * Cancelling the stream cancels the source.
 *
 * The stream never fails by what it reads, and ends with exactly one `finish`
 * part: `complete: false` says that the provider's end marker did not come. An
 * error of the source, a limit, an answer with an error status (code
 * `"http-<status>"`, with the provider's message) and a body that is no event
 * stream (`"not-an-event-stream"`) are a fatal `error` part before it. With
 * `onError: "throw"` the stream fails instead, after what came before.
 *
 * Throws, before anything is read, a `RangeError` for an unknown provider or a
 * limit below 1, and a `TypeError` for a source that is in use.
 *
 * @param source A `Response`, a web stream, or an iterable, of bytes or strings;
 * or a whole body.
 * @param options See {@linkcode FromSSEOptions}.
 * @returns The parts.
 *
 * @example
 * ```ts
 * import { collect } from "@millrace/millrace";
 * import { fromSSE } from "@millrace/millrace/adapters/sse";
 *
 * // Usually: fromSSE(await fetch(url, request))
 * const body = 'data: {"object":"chat.completion.chunk","choices":[{"index":0,' +
 *   '"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
 * const { text, finish } = await collect(fromSSE(body));
 * if (text !== "Hello" || !finish?.complete) throw new Error();
 * ```
 */
export function fromSSE(
  source: WireSource,
  options: FromSSEOptions = {},
): ReadableStream<Part> {
  checkSourceOptions(options);
  const provider = resolveProvider(options.provider ?? "auto");
  const maxBlockChars = limitOf("maxEventChars", options.maxEventChars);
  const maxLineChars = limitOf(
    "maxLineChars",
    options.maxLineChars,
    maxBlockChars,
  );
  const decoder = provider.create(options);
  if (isResponse(source) && !source.ok) {
    const machine = new ErrorBodyMachine(
      source,
      (error, emit) => failDecoder(decoder, error, emit),
    );
    return partSource(chunksOf(source), machine, options);
  }
  const contentType = isResponse(source)
    ? source.headers.get("content-type") ?? undefined
    : undefined;
  const machine = new ProviderMachine(
    decoder,
    {
      fatalUtf8: options.fatalUtf8 ?? false,
      arrays: provider.transport !== "sse",
      maxEventChars: maxBlockChars,
    },
    (output) =>
      new SSEFraming(output, {
        maxLineChars,
        maxBlockChars,
        flushAtEnd: options.flushAtEnd ?? true,
        contentType,
      }),
  );
  return partSource(chunksOf(source), machine, options);
}
