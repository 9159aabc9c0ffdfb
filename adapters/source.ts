/**
 * What the sources, such as {@linkcode [sse].fromSSE}, have in common. Types
 * only.
 *
 * @module
 */

import type { Source } from "../transforms/pipeline.ts";

/** What of a `Response` is needed. */
export interface ResponseLike {
  /** Whether the status is a success. */
  readonly ok: boolean;
  /** The status. */
  readonly status: number;
  /** The words for the status, often empty. */
  readonly statusText?: string;
  /** The headers. */
  readonly headers: { get(name: string): string | null };
  /** The body; `null` when there is none. */
  readonly body: ReadableStream<Uint8Array> | null;
}

/** Where bytes or text come from. */
export type WireSource =
  | ResponseLike
  | Source<string | Uint8Array>
  | string
  | Uint8Array;

/** What all sources can be told. */
export interface SourceOptions {
  /**
   * Aborts the stream: the source is cancelled at once, and the stream ends with
   * a `finish` part of reason `"cancelled"`.
   */
  signal?: AbortSignal | undefined;
  /**
   * What a failing source, a limit and an abort do to the stream. `"part"`: what
   * was held comes out, then a fatal `error` part and a `finish` part, then the
   * stream closes. `"throw"`: what was held comes out, then the stream fails.
   *
   * @default {"part"}
   */
  onError?: "part" | "throw" | undefined;
}
