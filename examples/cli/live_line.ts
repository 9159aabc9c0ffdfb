import process from "node:process";

/** How often the line changes at most, in milliseconds. */
const INTERVAL = 100;

/**
 * One line on a terminal that is written over and over: on stderr, and only when
 * stdout goes somewhere else, so that they cannot get in each other's way.
 */
export class LiveLine {
  readonly #enabled: boolean;
  #shownAt: number;
  #shown = false;

  /**
   * @param enabled Whether a line is wanted at all.
   * @param delay Milliseconds of work before the line shows.
   */
  constructor(enabled: boolean, delay: number) {
    this.#enabled = enabled && process.stderr.isTTY === true &&
      process.stdout.isTTY !== true;
    this.#shownAt = performance.now() + delay - INTERVAL;
  }

  /** Shows what `text` gives, unless the line is too young. */
  update(text: () => string): void {
    const now = performance.now();
    if (!this.#enabled || now - this.#shownAt < INTERVAL) return;
    this.#shownAt = now;
    this.#shown = true;
    const columns = process.stderr.columns || 80;
    process.stderr.write(`\r${text().slice(0, columns - 1)}\x1b[K`);
  }

  /** Takes the line away, before something else is written. */
  clear(): void {
    if (this.#shown) process.stderr.write("\r\x1b[K");
    this.#shown = false;
  }
}
