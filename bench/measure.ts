import process from "node:process";

/** Things that are timed, by name; each does all of the work once. */
export type Subjects = Readonly<Record<string, () => unknown>>;

/** How to measure. */
export interface MeasureOptions {
  /** How many units of work one run is, for all or by name. */
  units: number | ((name: string) => number);
  rounds: number;
  /** Rounds before them that only warm up. @default {5} */
  warmUp?: number;
  /** Is called before every run, and not timed. */
  prepare?: (name: string) => void;
  /** Takes the time on the clock, for work that other processes do. @default {false} */
  clock?: boolean;
}

/** A median and the quartiles around it. */
export interface Middle {
  median: number;
  lower: number;
  upper: number;
}

/** Nanoseconds a unit of every subject in every round. */
export class Times {
  readonly #times: Map<string, number[]> = new Map();

  /** Adds the next round's time of a subject. */
  add(name: string, time: number): void {
    const times = this.#times.get(name);
    if (times === undefined) this.#times.set(name, [time]);
    else times.push(time);
  }

  /** The subjects. */
  get names(): string[] {
    return [...this.#times.keys()];
  }

  /** Nanoseconds a unit. */
  of(name: string): Middle {
    return middle(this.#times.get(name)!);
  }

  /** One subject's time over another's in the same round. */
  ratio(name: string, base: string): Middle {
    const bases = this.#times.get(base)!;
    return middle(
      this.#times.get(name)!.map((time, round) => time / bases[round]!),
    );
  }
}

/**
 * Runs subjects in turn, round after round: whatever the machine does besides
 * hits all of them alike, and only what comes of one round is compared.
 *
 * Processor time is measured, not that on the clock: streams that are in memory
 * wait for nothing, and on a busy machine a clock tells about other programs.
 */
export async function measure(
  subjects: Subjects,
  { units, rounds, warmUp = 5, prepare, clock = false }: MeasureOptions,
): Promise<Times> {
  const times = new Times();
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, run] of Object.entries(subjects)) {
      prepare?.(name);
      const started = performance.now();
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      const time = clock
        ? (performance.now() - started) * 1_000_000
        : (user + system) * 1_000;
      const count = typeof units === "number" ? units : units(name);
      if (round >= 0) times.add(name, time / count);
    }
  }
  return times;
}

function middle(values: readonly number[]): Middle {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return { median: at(0.5), lower: at(0.25), upper: at(0.75) };
}
