/** Hears of what must not happen: rejections nobody handles, timers. */
export interface Watch {
  /** Lets everything happen that can. */
  turn(): Promise<void>;
  /** Calls something later; gives what stops it. */
  after(milliseconds: number, call: () => void): () => void;
  /** What was heard since the last time. */
  take(): string[];
  /** Puts everything back as it was. */
  stop(): void;
}

interface EventSource {
  on(type: string, listener: (reason: unknown) => void): unknown;
  off(type: string, listener: (reason: unknown) => void): unknown;
}

/** Watches the runtime, whichever it is. */
export function watch(): Watch {
  const heard: string[] = [];
  const scope = globalThis as unknown as {
    process?: Partial<EventSource>;
    Deno?: unknown;
    setTimeout: typeof globalThis.setTimeout;
    setInterval: typeof globalThis.setInterval;
    clearTimeout: typeof globalThis.clearTimeout;
    addEventListener?: (type: string, listener: (event: Event) => void) => void;
    removeEventListener?: (
      type: string,
      listener: (event: Event) => void,
    ) => void;
  };
  const { setTimeout, setInterval, clearTimeout, process } = scope;
  const onRejection = (reason: unknown): void => {
    heard.push(`nobody handles the rejection ${reason}`);
  };
  const onEvent = (event: Event): void => {
    event.preventDefault();
    onRejection((event as unknown as { reason: unknown }).reason);
  };
  const node = typeof process?.on === "function" && scope.Deno === undefined;
  if (node) (process as EventSource).on("unhandledRejection", onRejection);
  else scope.addEventListener?.("unhandledrejection", onEvent);
  // The library has no clock: whoever asks for a timer is it.
  const counted = (name: string, real: (...given: never[]) => unknown) =>
    ((...given: never[]) => {
      const { stack = "" } = new Error();
      if (/[\\/](?:adapters|transforms)[\\/]|worker/.test(stack)) {
        heard.push(`${name} was called: ${stack}`);
      }
      return real(...given);
    }) as unknown;
  scope.setTimeout = counted(
    "setTimeout",
    setTimeout as never,
  ) as typeof setTimeout;
  scope.setInterval = counted(
    "setInterval",
    setInterval as never,
  ) as typeof setInterval;
  return {
    turn: () => new Promise((resolve) => void setTimeout(resolve, 0)),
    after(milliseconds, call) {
      const timer = setTimeout(call, milliseconds);
      return () => clearTimeout(timer);
    },
    take: () => heard.splice(0),
    stop() {
      if (node) (process as EventSource).off("unhandledRejection", onRejection);
      else scope.removeEventListener?.("unhandledrejection", onEvent);
      scope.setTimeout = setTimeout;
      scope.setInterval = setInterval;
    },
  };
}
