/** The state of a {@linkcode RecentMap} as plain data: the older entries, then the newer. */
export type RecentMapSnapshot<Value> = [[string, Value][], [string, Value][]];

/**
 * A map that remembers the last entries: at least as many as the limit, at most
 * twice as many. Two generations take turns, since taking entries out of the
 * front of one map one by one is slow.
 */
export class RecentMap<Value> {
  readonly #limit: number;
  #older: Map<string, Value>;
  #newer: Map<string, Value>;

  constructor(limit: number, snapshot?: RecentMapSnapshot<Value>) {
    this.#limit = limit;
    this.#older = new Map(snapshot?.[0]);
    this.#newer = new Map(snapshot?.[1]);
  }

  get(key: string): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(key: string, value: Value): void {
    this.#newer.set(key, value);
    if (this.#newer.size < this.#limit) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  snapshot(): RecentMapSnapshot<Value> {
    return [[...this.#older], [...this.#newer]];
  }
}
