/** What is watched. All times in milliseconds. */
export interface WatchOptions {
  /** A number that changes while the upstream is alive. */
  readonly progress: () => number;
  /** The longest it may stay the same. */
  readonly idleTime: number;
  /** The longest all of it may take. */
  readonly streamTime: number;
  /** The shortest time between two calls of `onTick`. */
  readonly tickTime: number;
  /** Called now and then. */
  readonly onTick?: () => void;
  /** Called once, when a limit is reached. */
  readonly onLimit: (error: DOMException) => void;
}

/**
 * Watches an answer's time limits.
 *
 * @returns Stops the watch.
 */
export function watch(options: WatchOptions): () => void {
  const { idleTime, streamTime, tickTime } = options;
  const start = Date.now();
  let alive = start;
  let progress = options.progress();
  const limit = (message: string): void => {
    clearInterval(timer);
    options.onLimit(new DOMException(message, "TimeoutError"));
  };
  const timer = setInterval(() => {
    const now = Date.now();
    const next = options.progress();
    if (next !== progress) {
      progress = next;
      alive = now;
    }
    if (now - start >= streamTime) {
      limit(`The answer took longer than ${streamTime / 1000} seconds`);
    } else if (now - alive >= idleTime) {
      limit(`The upstream was silent for ${idleTime / 1000} seconds`);
    } else options.onTick?.();
  }, Math.min(1000, tickTime, idleTime, streamTime));
  return () => clearInterval(timer);
}
