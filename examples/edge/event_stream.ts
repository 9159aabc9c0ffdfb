import { watch, type WatchOptions } from "./watch.ts";

/** How a response's events are sent. */
export interface EventStreamOptions
  extends Omit<WatchOptions, "onTick" | "tickTime"> {
  /** After how much silence a comment is sent, in milliseconds. */
  readonly keepAliveTime: number;
  /** How long a client may take nothing, in milliseconds. */
  readonly stallTime: number;
  /**
   * Says that the client is gone. Not every runtime cancels the body then: a
   * Durable Object's only learns of it by its request's signal.
   */
  readonly signal: AbortSignal;
  /** Called once, when all is sent, or nobody wants more. */
  readonly onEnd: (cancelled: boolean) => void;
}

/** A comment: every client of an event stream skips it. */
const COMMENT = new TextEncoder().encode(": keep-alive\n\n");

/**
 * Whole events as the body of a response. Read on demand; comments in between
 * when there is silence, so that nothing on the way takes it for dead.
 *
 * @param events The events, each with its blank line.
 * @param options See {@linkcode EventStreamOptions}.
 */
export function eventStream(
  events: AsyncIterator<string>,
  options: EventStreamOptions,
): ReadableStream<Uint8Array> {
  return new ReadableStream(new EventSender(events, options));
}

class EventSender {
  readonly #events: AsyncIterator<string>;
  readonly #options: EventStreamOptions;
  readonly #encoder: TextEncoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #stop: () => void = () => {};
  /** When something was sent last. */
  #sent: number = Date.now();
  /** When the client was last seen to take something. */
  #taken: number = Date.now();
  #over = false;

  constructor(events: AsyncIterator<string>, options: EventStreamOptions) {
    this.#events = events;
    this.#options = options;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { signal, keepAliveTime, stallTime } = this.#options;
    this.#controller = controller;
    this.#stop = watch({
      ...this.#options,
      tickTime: Math.min(keepAliveTime, stallTime),
      onTick: this.#tick,
    });
    signal.addEventListener("abort", this.#gone);
    if (signal.aborted) this.#gone();
  }

  async pull(
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> {
    if (this.#over) return;
    this.#taken = Date.now();
    const { done, value } = await this.#events.next();
    if (this.#over) return;
    this.#sent = this.#taken = Date.now();
    if (!done) {
      controller.enqueue(this.#encoder.encode(value));
      return;
    }
    this.#end(false);
    controller.close();
  }

  async cancel(): Promise<void> {
    if (this.#over) return;
    this.#end(true);
    await this.#events.return?.();
  }

  readonly #tick = (): void => {
    const now = Date.now();
    const { keepAliveTime, stallTime } = this.#options;
    if (this.#controller!.desiredSize! > 0) {
      this.#taken = now;
      if (now - this.#sent < keepAliveTime) return;
      this.#sent = now;
      this.#controller!.enqueue(COMMENT);
    } else if (now - this.#taken >= stallTime) this.#gone();
  };

  /** The client is gone, and the runtime does not say so. */
  readonly #gone = (): void => {
    if (this.#over) return;
    this.#end(true);
    Promise.resolve(this.#events.return?.()).catch(() => {});
    this.#controller!.close();
  };

  #end(cancelled: boolean): void {
    this.#over = true;
    this.#stop();
    this.#options.signal.removeEventListener("abort", this.#gone);
    this.#options.onEnd(cancelled);
  }
}
