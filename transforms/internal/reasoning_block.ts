/** The state of a {@linkcode ReasoningBlock} as plain data. */
export interface ReasoningBlockSnapshot {
  closer: string;
  matched: number;
  ticks: number;
  run: number;
  closing: boolean;
}

const TICK = 0x60;
const LINE_FEED = 0x0a;

/**
 * Follows a reasoning block that is open, and finds its closer. A closer inside
 * a run of backticks counts unless the run closes on the same line: models write
 * about their own tags, and they also leave ticks open.
 *
 * ```
 *   INSIDE ─closer─► over
 *     │ ▲
 *     │ └── the run closes ──┐
 *     └─run─► IN TICKS ─closer─► CLOSING ─line end─► over
 * ```
 */
export class ReasoningBlock {
  readonly #closer: string;
  /** How much of the closer came. */
  #matched: number;
  /** Length of the run that is open on this line. */
  #ticks: number;
  /** Length of the run that is coming. */
  #run: number;
  /** A closer came inside the run. */
  #closing: boolean;

  /** @param from What it ends with, or a snapshot to go on from. */
  constructor(from: string | ReasoningBlockSnapshot) {
    const saved = typeof from === "string" ? undefined : from;
    this.#closer = saved?.closer ?? from as string;
    this.#matched = saved?.matched ?? 0;
    this.#ticks = saved?.ticks ?? 0;
    this.#run = saved?.run ?? 0;
    this.#closing = saved?.closing ?? false;
  }

  /** Reads on from an index. Gives the index behind the block, or -1: it takes more. */
  read(text: string, from: number): number {
    const closer = this.#closer;
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === TICK) this.#run++;
      else if (this.#run > 0) this.#endRun();
      if (unit === LINE_FEED) {
        if (this.#closing) return at + 1;
        this.#ticks = 0;
      }
      // The first character of a closer comes only once in it.
      if (unit === closer.charCodeAt(this.#matched)) this.#matched++;
      else this.#matched = unit === closer.charCodeAt(0) ? 1 : 0;
      if (this.#matched < closer.length) continue;
      if (this.#ticks === 0) return at + 1;
      this.#matched = 0;
      this.#closing = true;
    }
    return -1;
  }

  snapshot(): ReasoningBlockSnapshot {
    return {
      closer: this.#closer,
      matched: this.#matched,
      ticks: this.#ticks,
      run: this.#run,
      closing: this.#closing,
    };
  }

  #endRun(): void {
    if (this.#ticks === 0) this.#ticks = this.#run;
    else if (this.#ticks === this.#run) {
      this.#ticks = 0;
      this.#closing = false;
    }
    this.#run = 0;
  }
}
