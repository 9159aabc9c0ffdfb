/** How long all ids that are remembered may be together, in characters. */
const MOST_CHARS = 4_194_304;

/** Longer ids are told apart by their beginning. */
const LONGEST = 4096;

/**
 * Ids that have been seen, as far as memory allows: the oldest are forgotten when
 * there are too many, or when they are too long together. Some gateways put whole
 * signatures into ids, so that a limit for one of them would hurt.
 */
export class RecentIds {
  readonly #most: number;
  readonly #ids = new Set<string>();
  #chars = 0;

  /**
   * @param most How many ids are remembered.
   * @param ids Those to begin with, oldest first.
   */
  constructor(most: number, ids: readonly string[] = []) {
    this.#most = most;
    for (const id of ids) this.add(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    this.#chars += id.length;
    if (this.#ids.size <= this.#most && this.#chars <= MOST_CHARS) return;
    for (const oldest of this.#ids) {
      if (this.#ids.size <= this.#most && this.#chars <= MOST_CHARS) break;
      this.#ids.delete(oldest);
      this.#chars -= oldest.length;
    }
  }

  /** Oldest first. */
  list(): string[] {
    return [...this.#ids];
  }
}

/** The same for a list that is part of some state: adds an id that is not in it. */
export function rememberId(ids: string[], id: string, most: number): void {
  if (id === "" || ids.includes(id)) return;
  ids.push(id);
  let chars = 0;
  for (const one of ids) chars += one.length;
  while (ids.length > most || chars > MOST_CHARS) {
    chars -= ids.shift()!.length;
  }
}

/** An id to keep something by, of a length that is bounded. */
export function shortId(id: string): string {
  return id.length > LONGEST ? id.slice(0, LONGEST) : id;
}
