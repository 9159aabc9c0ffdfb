/** Reads something and remembers what came and how it ended. */
export class Consumer {
  readonly output: unknown[] = [];
  ended: "closed" | "failed" | undefined;
  error: unknown;
  readonly #next: () => Promise<IteratorResult<unknown>>;
  readonly #cancel: (reason: unknown) => Promise<unknown>;

  constructor(
    given: ReadableStream<unknown> | AsyncIterableIterator<unknown>,
  ) {
    if ("getReader" in given) {
      const reader = given.getReader();
      this.#next = () => reader.read() as Promise<IteratorResult<unknown>>;
      this.#cancel = (reason) => reader.cancel(reason);
    } else {
      this.#next = () => given.next();
      this.#cancel = (reason) => given.return!(reason);
    }
  }

  /** Reads one element. */
  async step(): Promise<void> {
    try {
      const { done, value } = await this.#next();
      if (done) this.ended ??= "closed";
      else this.output.push(value);
    } catch (error) {
      this.ended = "failed";
      this.error = error;
    }
  }

  /** Reads so many elements, or to the end. */
  async read(count: number = Infinity): Promise<void> {
    while (this.output.length < count && this.ended === undefined) {
      await this.step();
    }
  }

  cancel(reason: unknown): Promise<unknown> {
    return this.#cancel(reason);
  }
}
