/** A promise and what settles it. */
export class Gate<Value = void> {
  readonly opened: Promise<Value>;
  open!: (value: Value) => void;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}

/** What a source does when it is let go on. */
export type Answer = "go" | "close" | "error";

/** What a broken connection rejects with on Node. */
export const BROKEN: unknown = Object.assign(new TypeError("terminated"), {
  cause: { code: "ECONNRESET" },
});

/**
 * A source that gives chunks one by one and stops before the one it was told to,
 * until it is told how to go on. It counts what is done to it.
 */
export class FaultSource {
  /** How many chunks were asked for. */
  pulls = 0;
  /** How many chunks were given. */
  given = 0;
  /** The reasons it was cancelled with; `return` of an iterator has none. */
  readonly cancels: unknown[] = [];
  /** Opens when the chunk is asked for before which the source stops. */
  readonly reached: Gate = new Gate();
  readonly #answer = new Gate<Answer>();
  readonly #chunks: readonly unknown[];
  readonly #stopAt: number;
  readonly #hangs: boolean;
  #controller: ReadableStreamDefaultController<unknown> | undefined;
  #stream: ReadableStream<unknown> | undefined;

  /**
   * @param chunks What it gives.
   * @param stopAt Before which chunk it stops; the number of chunks means before
   *   the end, more than that never.
   * @param hangs Whether being cancelled takes for ever.
   */
  constructor(
    chunks: readonly unknown[],
    stopAt: number = Infinity,
    hangs: boolean = false,
  ) {
    this.#chunks = chunks;
    this.#stopAt = stopAt;
    this.#hangs = hangs;
  }

  /** Goes on where it stopped. Only the first answer counts. */
  answer(answer: Answer): void {
    this.#answer.open(answer);
  }

  /** Fails without being asked, as a connection does. */
  fail(): void {
    this.#controller?.error(BROKEN);
  }

  /** Whether somebody holds the stream. */
  get locked(): boolean {
    return this.#stream?.locked ?? false;
  }

  /** Gives the next chunk, or stops, ends, fails. */
  async next(): Promise<IteratorResult<unknown>> {
    const at = this.pulls++;
    if (at === this.#stopAt) {
      this.reached.open();
      const answer = await this.#answer.opened;
      if (answer === "error") throw BROKEN;
      if (answer === "close") return { done: true, value: undefined };
    }
    if (at < this.#chunks.length) this.given++;
    return at < this.#chunks.length
      ? { done: false, value: this.#chunks[at] }
      : { done: true, value: undefined };
  }

  #cancel(reason: unknown): Promise<void> {
    this.cancels.push(reason);
    return this.#hangs ? new Promise(() => {}) : Promise.resolve();
  }

  /** As a web stream that reads nothing ahead. */
  get readable(): ReadableStream<unknown> {
    this.#stream ??= new ReadableStream<unknown>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: async (controller) => {
        const { done, value } = await this.next();
        // Cancelled, or failed by itself, while it waited.
        if (this.cancels.length > 0) return;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => this.#cancel(reason),
    }, { highWaterMark: 0 });
    return this.#stream;
  }

  /** As something that can be iterated. */
  get iterable(): AsyncIterable<unknown> {
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => this.next(),
        return: async () => {
          await this.#cancel(undefined);
          return { done: true, value: undefined };
        },
      }),
    };
  }
}
