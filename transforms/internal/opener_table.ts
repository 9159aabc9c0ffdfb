/** What {@linkcode OpenerTable.find} found. */
export interface OpenerMatch {
  /** Values of the openers that begin with the text up to here, in order. */
  readonly values: readonly number[];
  /** How long the opener is, in code units. */
  readonly length: number;
}

/** An opener with its value. */
type Entry = readonly [opener: string, value: number];

/** Openers that have their first code units in common. */
interface Group {
  readonly entries: Entry[];
  /** The same by the next code unit, made when it is needed. */
  next: Map<number, Group> | undefined;
}

/** So few openers are compared one by one. */
const FEW = 3;

/** No opener begins there. */
export const NO_OPENER = 0;
/** The text is over in the middle of what may be an opener. */
export const PART_OF_OPENER = 1;

/**
 * All openers in use, so that a text is scanned once however many there are:
 * the first code units tell which are left to compare. Several things may have
 * the same opener, or one that begins another: they are all given, and what
 * follows tells them apart.
 */
export class OpenerTable {
  readonly #all: Group = { entries: [], next: new Map() };
  /** The first code units below 128. */
  readonly #ascii: Uint8Array = new Uint8Array(128);

  /** @param openers Each with its value. */
  constructor(openers: Iterable<Entry>) {
    for (const entry of openers) {
      const first = entry[0].charCodeAt(0);
      if (first < 128) this.#ascii[first] = 1;
      add(this.#all.next!, first, entry);
    }
  }

  /** Whether an opener begins with this code unit. */
  begins(unit: number): boolean {
    return unit < 128 ? this.#ascii[unit] === 1 : this.#all.next!.has(unit);
  }

  /** The first code units of all openers. */
  firstUnits(): number[] {
    return [...this.#all.next!.keys()];
  }

  /** Looks for an opener at an index of the text. */
  find(
    text: string,
    from: number,
  ): OpenerMatch | typeof NO_OPENER | typeof PART_OF_OPENER {
    let group = this.#all;
    for (let at = from;; at++) {
      const next = group.next ??= split(group.entries, at - from);
      // One of them is over here, or there are few.
      if (next.size === 0) break;
      if (at === text.length) return PART_OF_OPENER;
      const found = next.get(text.charCodeAt(at));
      if (found === undefined) return NO_OPENER;
      group = found;
    }
    let shortest: string | undefined;
    let part = false;
    for (const [opener] of group.entries) {
      if (text.startsWith(opener, from)) {
        if (shortest === undefined || opener.length < shortest.length) {
          shortest = opener;
        }
      } else if (
        from + opener.length > text.length &&
        opener.startsWith(text.slice(from))
      ) part = true;
    }
    if (shortest === undefined) return part ? PART_OF_OPENER : NO_OPENER;
    const values = new Set<number>();
    for (const [opener, value] of group.entries) {
      if (opener.startsWith(shortest)) values.add(value);
    }
    return {
      values: [...values].sort((a, b) => a - b),
      length: shortest.length,
    };
  }
}

function add(groups: Map<number, Group>, unit: number, entry: Entry): void {
  const group = groups.get(unit);
  if (group === undefined) {
    groups.set(unit, { entries: [entry], next: undefined });
  } else group.entries.push(entry);
}

/** The openers by a code unit; empty when there are few, or one is over there. */
function split(entries: readonly Entry[], at: number): Map<number, Group> {
  const groups = new Map<number, Group>();
  if (
    entries.length <= FEW || entries.some(([opener]) => opener.length === at)
  ) return groups;
  for (const entry of entries) add(groups, entry[0].charCodeAt(at), entry);
  return groups;
}
