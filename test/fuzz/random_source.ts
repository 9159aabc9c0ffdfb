import { random } from "../laws.ts";

/** Random numbers with a seed, and what generators do with them. */
export class RandomSource {
  readonly #next: () => number;

  /** @param seed The same seed gives the same numbers. */
  constructor(seed: number) {
    this.#next = random(seed);
  }

  /** A number in [0, 1). */
  fraction(): number {
    return this.#next();
  }

  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  /** A whole number from `low` to `high`, both possible. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** Whether something happens that happens so often. */
  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** One of these. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  /** What one of these functions gives, each with a weight. */
  choose<Result>(
    choices: readonly (readonly [weight: number, make: () => Result])[],
  ): Result {
    let sum = 0;
    for (const [weight] of choices) sum += weight;
    let at = this.#next() * sum;
    for (const [weight, make] of choices) {
      at -= weight;
      if (at < 0) return make();
    }
    return choices[choices.length - 1]![1]();
  }

  /** What a function gives, several times over. */
  times<Result>(count: number, make: () => Result): Result[] {
    return Array.from({ length: count }, make);
  }

  /** Places in something of this length, in order, at most `most`. */
  offsets(length: number, most: number): number[] {
    const places = new Set(
      this.times(this.below(most + 1), () => this.below(length + 1)),
    );
    return [...places].sort((a, b) => a - b);
  }
}
