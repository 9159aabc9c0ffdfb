/**
 * What every provider decoder is: a synchronous stage from framed events to
 * parts. {@linkcode [fromSSE].fromSSE} and {@linkcode [fromJSONL].fromJSONL} put
 * the framing in front of one; whoever has the events already (a message bus, a
 * test, a log) uses it directly.
 *
 * @module
 */

import type { ErrorInfo, Part } from "../transforms/part.ts";
import type { Stage } from "../transforms/stage.ts";
import { AutoDecoder } from "./internal/auto_decoder.ts";
import { providers } from "./providers/mod.ts";
import { resumed } from "../transforms/internal/snapshot.ts";

/**
 * One event of a provider: the data of one server-sent event, one JSON line, or
 * one element of a JSON array.
 */
export interface ProviderInput {
  /** The text of the event, usually JSON. */
  data: string;
  /** The `event:` field of a server-sent event, when it had one. */
  event?: string | undefined;
  /** The JSON value of `data`, when it has been parsed already. It is then used instead of `data`. */
  value?: unknown;
  /**
   * The transport failed here, and nothing else in this input counts. The
   * decoder gives out a fatal `error` part, and its `finish` says `"error"`, or
   * `"cancelled"` when `name` is `"AbortError"`.
   */
  error?: ErrorInfo | undefined;
}

/** How a provider frames its events. */
export type ProviderTransport =
  /** Server-sent events. */
  | "sse"
  /** One JSON value a line. */
  | "jsonl"
  /** Server-sent events, or one JSON array whose elements are the events. */
  | "sse-or-json-array"
  /** Not known before the first event. */
  | "any";

/** What all decoders can be told. */
export interface ProviderOptions {
  /**
   * Which of several choices (candidates) to read. The others go by as `raw`
   * parts, reported by one warning `"other-choice"`.
   *
   * @default {0}
   */
  choice?: number | undefined;
  /**
   * Read all choices as one answer, as GitHub Copilot means them: text in one,
   * calls in another.
   *
   * @default {false}
   */
  mergeChoices?: boolean | undefined;
  /**
   * Makes ids for calls that come without one. The default counts: `"call-1"`,
   * `"call-2"`, … It counts on behind a snapshot; your own function has to see to
   * that itself.
   */
  generateId?: (() => string) | undefined;
  /**
   * What is given out as `raw` parts: events and fields the decoder has no part
   * for (`"unknown"`), every event, before its parts (`"all"`), or nothing
   * (`"none"`).
   *
   * @default {"unknown"}
   */
  raw?: "unknown" | "all" | "none" | undefined;
  /**
   * How many calls may be open at once. A call over the limit is dropped with a
   * warning `"limit"`.
   *
   * @default {1024}
   */
  maxOpenCalls?: number | undefined;
  /**
   * How many characters the arguments of one call may have. A longer call ends
   * as `tool-call-partial`, with a warning `"limit"`.
   *
   * @default {16777216}
   */
  maxArgumentChars?: number | undefined;
}

/** A wire format: how to know it, and how to make a decoder for it. */
export interface Provider {
  /** The name to ask for it by. */
  readonly name: string;
  /** How its events are framed. */
  readonly transport: ProviderTransport;
  /**
   * Whether an event, the first of a stream, looks like this provider's.
   *
   * @param value The parsed data.
   * @param event The `event:` field, if there was one.
   */
  detect(value: unknown, event?: string): boolean;
  /**
   * Makes a decoder. It never throws on input; it gives out exactly one `finish`
   * part, at the end.
   *
   * @param options See {@linkcode ProviderOptions}.
   * @param snapshot What an earlier decoder's `snapshot()` gave.
   */
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part>;
}

/** The name of a provider that comes with millrace, or `"auto"`. */
export type ProviderName =
  | "auto"
  | "anthropic"
  | "bedrock-converse"
  | "claude-code"
  | "codex"
  | "cohere"
  | "gemini"
  | "gemini-cli"
  | "google-interactions"
  | "ollama"
  | "openai-chat"
  | "openai-responses"
  | "opencode"
  | "parts";

/**
 * A decoder that finds out by the first event whose stream it is. What no
 * provider knows comes through as `raw` parts, with one warning
 * `"unknown-provider"`.
 *
 * Throws a `RangeError` for a limit that is none, and a `TypeError` for a foreign
 * snapshot.
 *
 * @param options See {@linkcode ProviderOptions}.
 * @param snapshot What an earlier decoder's `snapshot()` gave.
 * @returns The decoder.
 *
 * @example
 * ```ts
 * import type { Part } from "@millrace/millrace";
 * import { autoProvider } from "@millrace/millrace/adapters/provider";
 *
 * const parts: Part[] = [];
 * const emit = (part: Part) => parts.push(part);
 * const decoder = autoProvider();
 * decoder.push({ data: '{"choices":[{"index":0,"delta":{"content":"Hi"}}]}' }, emit);
 * decoder.end(emit);
 * if (parts[0]?.type !== "text" || parts.at(-1)?.type !== "finish") throw new Error();
 * ```
 */
export function autoProvider(
  options: ProviderOptions = {},
  snapshot?: unknown,
): Stage<ProviderInput, Part> {
  return resumed(
    snapshot,
    (snapshot) => new AutoDecoder(providers, options, snapshot),
  );
}

const auto: Provider = {
  name: "auto",
  transport: "any",
  detect: () => true,
  create: autoProvider,
};

/**
 * Finds a provider by name. A provider of your own is returned as it is, so
 * options can take either. Throws a `RangeError` for an unknown name.
 *
 * @param provider The name, or a provider.
 * @returns The provider.
 *
 * @example
 * ```ts
 * import { resolveProvider } from "@millrace/millrace/adapters/provider";
 *
 * const { transport } = resolveProvider("ollama");
 * if (transport !== "jsonl") throw new Error();
 * ```
 */
export function resolveProvider(provider: ProviderName | Provider): Provider {
  if (typeof provider !== "string") return provider;
  if (provider === "auto") return auto;
  const found = providers.find((one) => one.name === provider);
  if (found === undefined) {
    const names = providers.map((one) => one.name).join(", ");
    throw new RangeError(
      `Cannot decode: there is no provider "${provider}", only auto, ${names}`,
    );
  }
  return found;
}
