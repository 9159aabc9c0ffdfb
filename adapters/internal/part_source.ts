import type { ErrorInfo, FinishPart, Part } from "../../transforms/part.ts";
import { type Source, toReadableStream } from "../../transforms/pipeline.ts";
import type { Emit } from "../../transforms/stage.ts";
import type { ResponseLike, SourceOptions, WireSource } from "../source.ts";
import type { StreamError } from "../stream_error.ts";
import { wholeLength } from "./limits.ts";

/** What turns chunks into parts inside a source. */
export interface PartMachine {
  /** Takes one chunk. */
  push(chunk: unknown, emit: Emit<Part>): void;
  /** The source is over. */
  end(emit: Emit<Part>): void;
  /** The source failed: what is held, a fatal `error` part, a `finish` part. */
  fail(error: ErrorInfo, emit: Emit<Part>): void;
  /** Why the machine wants no more, after `push` or `end`. */
  readonly failure: StreamError | undefined;
}

/** Longer chunks are worked on in pieces, each when it is asked for. */
const LONGEST_PIECE = 32_768;

/** How many parts lie in the stream's own queue, which is slow when it is long. */
const MOST_QUEUED = 64;

/** Whether a source is a response. */
export function isResponse(source: WireSource): source is ResponseLike {
  return typeof source === "object" && "body" in source &&
    "status" in source && "headers" in source;
}

/** The chunks of a source. */
export function chunksOf(source: WireSource): Source<string | Uint8Array> {
  if (typeof source === "string" || source instanceof Uint8Array) {
    return [source];
  }
  return isResponse(source) ? source.body ?? [] : source;
}

/** Checks what all sources can be told; throws a `TypeError`. */
export function checkSourceOptions(options: SourceOptions): void {
  const { onError } = options;
  if (onError !== undefined && onError !== "part" && onError !== "throw") {
    throw new TypeError(
      `Cannot use onError "${onError}": it is "part" or "throw"`,
    );
  }
}

/**
 * A source run through a machine, as a stream that reads nothing ahead: the
 * source is read when a part is wanted and none is there.
 *
 * ```txt
 *             pull: read, push ──┐
 *                  ▲             ▼
 *   reading ───────┴──────── parts queued
 *      │ over, failed, aborted: end or fail, release the source
 *      ▼
 *   over ── queue empty ──▶ closed, or failed with `onError: "throw"`
 * ```
 */
export function partSource(
  source: Source<string | Uint8Array>,
  machine: PartMachine,
  options: SourceOptions,
): ReadableStream<Part> {
  return new ReadableStream<Part>(new PartSource(source, machine, options), {
    highWaterMark: 0,
  });
}

class PartSource {
  readonly #reader: ReadableStreamDefaultReader<unknown>;
  readonly #machine: PartMachine;
  readonly #throws: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #queue: Part[] = [];
  #head = 0;
  /** The chunk that is being worked on, and how far. */
  #chunk: string | Uint8Array = "";
  #at = 0;
  /** The source is done with, however it ended. */
  #over = false;
  /** Nobody reads any more. */
  #cancelled = false;
  #finished = false;
  /** What the stream fails with once the queue is empty. */
  #error: { value: unknown } | undefined;

  constructor(
    source: Source<string | Uint8Array>,
    machine: PartMachine,
    options: SourceOptions,
  ) {
    this.#reader = toReadableStream(source).getReader();
    this.#machine = machine;
    this.#throws = options.onError === "throw";
    this.#signal = options.signal;
  }

  start(): void {
    if (this.#signal?.aborted === true) this.#abort();
    else this.#signal?.addEventListener("abort", this.#abort);
  }

  async pull(controller: ReadableStreamDefaultController<Part>): Promise<void> {
    while (!this.#deliver(controller)) {
      if (this.#at < this.#chunk.length) {
        this.#push(this.#nextPiece());
        continue;
      }
      let result: ReadableStreamReadResult<unknown>;
      try {
        result = await this.#reader.read();
      } catch (error) {
        if (!this.#over) this.#fail(error, false);
        continue;
      }
      // Aborted or cancelled in the meantime.
      if (this.#over) continue;
      if (result.done) this.#end();
      else this.#take(result.value);
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.#cancelled = true;
    this.#queue.length = this.#head = 0;
    if (this.#over) return Promise.resolve();
    this.#leave();
    const cancelled = this.#reader.cancel(reason);
    this.#release();
    return cancelled;
  }

  readonly #emit: Emit<Part> = (part) => {
    if (part.type === "finish") {
      if (this.#finished) return;
      this.#finished = true;
    }
    this.#queue.push(part);
  };

  /** The same when the stream is to fail: the failure is not told twice. */
  readonly #emitHeld: Emit<Part> = (part) => {
    if (part.type !== "finish" && part.type !== "error") this.#queue.push(part);
  };

  readonly #abort = (): void => {
    if (!this.#over) this.#fail(this.#signal?.reason, true, true);
  };

  /** Hands out what is there. Whether this pull is answered. */
  #deliver(controller: ReadableStreamDefaultController<Part>): boolean {
    if (this.#cancelled) return true;
    const end = Math.min(this.#queue.length, this.#head + MOST_QUEUED);
    const some = this.#head < end;
    while (this.#head < end) controller.enqueue(this.#queue[this.#head++]!);
    if (this.#head < this.#queue.length) return true;
    this.#queue.length = this.#head = 0;
    if (!this.#over) return some;
    if (this.#error === undefined) controller.close();
    // An errored stream throws its queue away: that is read first.
    else if (!some) controller.error(this.#error.value);
    return true;
  }

  #take(chunk: unknown): void {
    if (
      (typeof chunk === "string" || chunk instanceof Uint8Array) &&
      chunk.length > LONGEST_PIECE
    ) {
      this.#chunk = chunk;
      this.#at = 0;
    } else this.#push(chunk);
  }

  #nextPiece(): string | Uint8Array {
    const from = this.#at;
    const chunk = this.#chunk;
    if (typeof chunk === "string") {
      const piece = chunk.slice(from, from + LONGEST_PIECE + 1);
      this.#at += wholeLength(piece, LONGEST_PIECE);
      return piece.slice(0, this.#at - from);
    }
    this.#at += LONGEST_PIECE;
    return chunk.subarray(from, this.#at);
  }

  #push(chunk: unknown): void {
    try {
      this.#machine.push(chunk, this.#emit);
    } catch (error) {
      // Only a decoder from elsewhere throws.
      return this.#fail(error, true);
    }
    const { failure } = this.#machine;
    if (failure !== undefined) this.#fail(failure, true);
  }

  #end(): void {
    try {
      this.#machine.end(this.#emit);
    } catch (error) {
      return this.#fail(error, false);
    }
    const { failure } = this.#machine;
    if (failure !== undefined) return this.#fail(failure, false);
    this.#leave();
    this.#release();
    this.#finish("unknown");
  }

  /**
   * @param error What failed.
   * @param cancel Whether the source does not know of it.
   * @param aborted Whether the consumer wanted it.
   */
  #fail(error: unknown, cancel: boolean, aborted = false): void {
    this.#leave();
    if (cancel) {
      // Its own trouble with being cancelled is nobody's, and may take for ever.
      this.#reader.cancel(error).catch(() => {});
    }
    this.#release();
    this.#chunk = "";
    this.#at = 0;
    const info = errorInfo(error, aborted);
    const reason = info.name === "AbortError" ? "cancelled" : "error";
    if (this.#throws) this.#error = { value: error };
    try {
      this.#machine.fail(info, this.#throws ? this.#emitHeld : this.#emit);
    } catch {
      if (!this.#throws && !this.#finished) {
        this.#queue.push({ type: "error", error: info, fatal: true });
      }
    }
    if (!this.#throws) this.#finish(reason);
  }

  /** Sees to it that there is a finish part. */
  #finish(reason: FinishPart["reason"]): void {
    if (this.#finished) return;
    this.#emit({ type: "finish", reason, complete: false });
  }

  #leave(): void {
    this.#over = true;
    this.#signal?.removeEventListener("abort", this.#abort);
  }

  #release(): void {
    try {
      this.#reader.releaseLock();
    } catch {
      // Older runtimes refuse while a read is pending; cancelling ended it.
    }
  }
}

/** An error as plain data. What is thrown may be anything. */
function errorInfo(error: unknown, aborted: boolean): ErrorInfo {
  let info: ErrorInfo;
  try {
    info = describe(error, aborted);
  } catch {
    info = { name: "Error", message: "Something failed that cannot be shown" };
  }
  if (aborted && info.name !== "AbortError") {
    if (info.name !== "Error") info.code ??= info.name;
    info.name = "AbortError";
  }
  return info;
}

function describe(error: unknown, aborted: boolean): ErrorInfo {
  if (typeof error !== "object" || error === null) {
    return {
      name: "Error",
      message: error === undefined && aborted
        ? "The stream was aborted"
        : String(error),
    };
  }
  const { name, message, code, cause } = error as {
    name?: unknown;
    message?: unknown;
    code?: unknown;
    cause?: { code?: unknown } | null;
  };
  const info: ErrorInfo = {
    name: typeof name === "string" && name !== "" ? name : "Error",
    message: typeof message === "string" ? message : String(error),
  };
  // A number is the old code of DOMException, and says less than its name.
  const word = typeof code === "string" ? code : cause?.code;
  if (typeof word === "string") info.code = word;
  return info;
}
