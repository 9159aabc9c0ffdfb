/**
 * The error that adapters fail with.
 *
 * @module
 */

/** What failed, for programs. `"http-<status>"` stands for `"http-429"` and the like. */
export type StreamErrorCode =
  /** An event is longer than the limit. */
  | "max-buffer-size"
  /** A line is longer than the limit. */
  | "line-too-long"
  /** A line is not JSON. */
  | "invalid-line"
  /** A line is the beginning of JSON only. */
  | "truncated"
  /** The bytes are not UTF-8. */
  | "invalid-utf8"
  /** The body is something else than server-sent events. */
  | "not-an-event-stream"
  /** A chunk is neither text nor bytes. */
  | "invalid-chunk"
  /** The server answered with an error status. */
  | `http-${number}`
  | (string & Record<never, never>);

/** What is known of the failure. */
export interface StreamErrorOptions {
  /** What caused it. */
  cause?: unknown;
  /** The HTTP status, when a response failed. */
  status?: number;
  /** The 1-based number of the line, when it is about one. */
  line?: number;
  /** Offset in bytes, when it is about bytes. */
  offset?: number;
  /** The beginning of what could not be read, at most 200 characters. */
  excerpt?: string;
}

/**
 * An adapter gave up: a limit was hit, a body is not what it should be, or the
 * server answered with an error. Told apart by `code`.
 *
 * Sources give these out as `error` parts and throw them only with
 * `onError: "throw"`; parser streams fail with them.
 *
 * @example
 * ```ts
 * import { StreamError } from "@millrace/millrace/adapters/stream_error";
 *
 * const error = new StreamError("line-too-long", "Line 3 is too long", { line: 3 });
 * if (error.code !== "line-too-long" || error.line !== 3) throw new Error();
 * ```
 */
export class StreamError extends Error {
  /** What failed. */
  readonly code: StreamErrorCode;
  /** The HTTP status, when a response failed. */
  declare readonly status?: number;
  /** The 1-based number of the line, when it is about one. */
  declare readonly line?: number;
  /** Offset in bytes, when it is about bytes. */
  declare readonly offset?: number;
  /** The beginning of what could not be read, at most 200 characters. */
  declare readonly excerpt?: string;

  /**
   * Makes the error.
   *
   * @param code What failed, for programs.
   * @param message What failed, for people.
   * @param options What else is known.
   */
  constructor(
    code: StreamErrorCode,
    message: string,
    options: StreamErrorOptions = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "StreamError";
    this.code = code;
    if (options.status !== undefined) this.status = options.status;
    if (options.line !== undefined) this.line = options.line;
    if (options.offset !== undefined) this.offset = options.offset;
    if (options.excerpt !== undefined) this.excerpt = options.excerpt;
  }
}
