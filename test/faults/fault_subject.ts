import type { FaultSource } from "./fault_source.ts";

/**
 * workerd's own `pipeThrough` hears of a signal only with the next chunk, and
 * leaves a rejection to nobody when a stream that failed is cancelled. Both are
 * about pipes alone: sources hear of their signal at once there too.
 */
export const IS_WORKERD: boolean =
  globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** How a subject tells that its source failed. */
export type Ending =
  /** By an `error` and a `finish` part; with `onError: "throw"` it fails. */
  | "parts"
  /** It fails with the error of the source, after all that came before. */
  | "fails"
  /** It fails too, and what is in no reader's hands yet is dropped: a pipe. */
  | "pipe"
  /** In the words of an encoder. */
  | "encoded";

/** What a subject is told. */
export interface OpenOptions {
  signal?: AbortSignal;
  onError?: "part" | "throw";
}

/** An adapter with a recorded stream. */
export interface FaultSubject {
  readonly name: string;
  /** What the source gives, piece by piece. */
  readonly chunks: readonly unknown[];
  readonly ending: Ending;
  /** Whether a signal can be given. */
  readonly signal: boolean;
  /** What kinds of sources it takes. */
  readonly sources: readonly ("readable" | "iterable" | "database")[];
  /** How many chunks may be read ahead of what was asked for. */
  readonly readsAhead: number;
  /** How many terminal elements are in an encoder's output. */
  readonly terminals?: (output: readonly unknown[]) => number;
  /** Whether a wire ends without a terminal element when its source does. */
  readonly mayEndBare?: boolean;
  /** Whether a source that failed is told to return besides. */
  readonly returns?: boolean;
  /** Whether an end of the source is as good as a terminal marker. */
  readonly endIsMarker?: boolean;
  /** What each chunk adds to the text channel: stages conserve it. */
  readonly texts?: readonly string[];
  open(
    source: FaultSource,
    kind: "readable" | "iterable" | "database",
    options: OpenOptions,
  ): ReadableStream<unknown> | AsyncIterableIterator<unknown>;
}
