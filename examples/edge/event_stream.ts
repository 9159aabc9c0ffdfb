import { watch, type WatchOptions } from "./watch.ts";

/** How a response's events are sent. */
export interface EventStreamOptions
  extends Omit<WatchOptions, "onTick" | "tickTime"> {
  /** After how much silence a comment is sent, in milliseconds. */
  readonly keepAliveTime: number;
  /** Called once, when all is sent, or nobody wants more. */
  readonly onEnd: (cancelled: boolean) => void;
}

/** A comment: every client of an event stream skips it. */
const COMMENT = ": keep-alive\n\n";

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
  const { keepAliveTime, onEnd } = options;
  const encoder = new TextEncoder();
  let sent = Date.now();
  let stop = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      stop = watch({
        ...options,
        tickTime: keepAliveTime,
        onTick() {
          const now = Date.now();
          // A client that does not read gets no more to read.
          if (now - sent < keepAliveTime || controller.desiredSize! <= 0) {
            return;
          }
          sent = now;
          controller.enqueue(encoder.encode(COMMENT));
        },
      });
    },
    async pull(controller) {
      const { done, value } = await events.next();
      sent = Date.now();
      if (!done) {
        controller.enqueue(encoder.encode(value));
        return;
      }
      stop();
      controller.close();
      onEnd(false);
    },
    async cancel() {
      stop();
      onEnd(true);
      await events.return?.();
    },
  });
}
