import { flagsOf } from "./text_flags.ts";

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
  /** By first code unit below 128: 0, or the number of its row of second ones. */
  readonly #rows: Uint8Array = new Uint8Array(128);
  /** By row and second code unit (all from 127 on are one): 1 where openers go on so. */
  readonly #seconds: Uint8Array;
  /** Texts without any of these {@linkcode flagsOf} are free, unless they end in a word. */
  readonly #stops: number;
  /** Openers in which no character has a flag, each the shortest that others hold. */
  readonly #plainWords: readonly string[];
  /** What to search for: characters that have a flag, and whole openers without any. */
  readonly #needles: readonly string[];
  /** By needle: the beginnings of words up to it, when it is not what they begin with. */
  readonly #leads: readonly string[][];
  /** The text that was searched last, from where on, and where each needle is next in it. */
  #text = "";
  #from = 0;
  readonly #nexts: number[];
  /** Where the text ends with the beginning of a word. */
  #tail = 0;
  /** By last code unit, all from 127 on are one: beginnings of openers whose first character no flag tells. */
  readonly #tails: (string[] | undefined)[] = new Array(128).fill(undefined);
  /** By the last two code units (all from 127 on are one): 1 where a beginning of two or more ends so. */
  readonly #pairs: Uint8Array = new Uint8Array(128 * 128);

  /** @param openers Each with its value. */
  constructor(openers: Iterable<Entry>) {
    const words = new Set<string>();
    let rows = 0;
    let stops = 0;
    const all = [...openers];
    for (const entry of all) {
      const [opener] = entry;
      const first = opener.charCodeAt(0);
      if (first < 128 && this.#rows[first] === 0) this.#rows[first] = ++rows;
      add(this.#all.next!, first, entry);
      const flags = flagsOf(opener[0]!);
      if (flags === 0) words.add(opener);
      // A word is seen by what is special in it; one without is searched for.
      stops |= flags || flagsOf(opener);
    }
    const plain = [...words].filter((word) => flagsOf(word) === 0);
    this.#plainWords = plain.filter((word) =>
      !plain.some((other) => other !== word && word.includes(other))
    );
    this.#stops = stops;
    for (const word of words) {
      for (let length = 1; length < word.length; length++) {
        const last = word.charCodeAt(length - 1);
        (this.#tails[Math.min(last, 127)] ??= []).push(word.slice(0, length));
        if (length > 1) {
          this.#pairs[pairOf(word.charCodeAt(length - 2), last)] = 1;
        }
      }
    }
    for (const beginnings of this.#tails) {
      beginnings?.sort((a, b) => b.length - a.length);
    }
    const firsts = all.map(([opener]) => opener[0]!);
    const flagged = [...words].filter((word) => !plain.includes(word));
    this.#needles = [
      ...new Set([
        ...firsts.filter((first) => flagsOf(first) !== 0),
        ...flagged.map((word) => word[leadOf(word)]!),
      ]),
      ...plain,
    ];
    this.#leads = this.#needles.map((needle) =>
      flagged.filter((word) => word[leadOf(word)] === needle)
        .map((word) => word.slice(0, leadOf(word)))
    );
    this.#nexts = this.#needles.map(() => 0);
    this.#seconds = new Uint8Array((rows + 1) * 128);
    for (const [opener] of all) {
      const row = this.#rows[opener.charCodeAt(0)];
      if (row === undefined) continue;
      const from = row * 128;
      if (opener.length === 1) this.#seconds.fill(1, from, from + 128);
      else this.#seconds[from + Math.min(opener.charCodeAt(1), 127)] = 1;
    }
  }

  /**
   * Whether no opener begins anywhere in a text, not even at its end.
   *
   * @param flags Its {@linkcode flagsOf}.
   */
  isFree(text: string, flags: number): boolean {
    if ((flags & this.#stops) === 0) {
      for (const word of this.#plainWords) {
        if (text.includes(word)) return false;
      }
      return this.#tailOf(text, 0) === text.length;
    }
    for (let at = 0; at < text.length; at++) {
      if (
        this.begins(text.charCodeAt(at)) && this.find(text, at) !== NO_OPENER
      ) return false;
    }
    return true;
  }

  /** Where a text ends with the beginning of a word, from an index on; its length when it does not. */
  #tailOf(text: string, from: number): number {
    const { length } = text;
    const last = text.charCodeAt(length - 1);
    const known = this.#tails[last < 127 ? last : 127];
    if (known === undefined) return length;
    if (
      length > 1 && this.#pairs[pairOf(text.charCodeAt(length - 2), last)] === 0
    ) {
      // The shortest is the last one.
      const [unit] = known[known.length - 1]!;
      return known[known.length - 1]!.length === 1 && length > from &&
          unit === text[length - 1]
        ? length - 1
        : length;
    }
    for (const beginning of known) {
      const at = length - beginning.length;
      if (at >= from && text.endsWith(beginning)) return at;
    }
    return length;
  }

  /** Index of the first place from one on where an opener may begin; the text's length when there is none. */
  next(text: string, from: number): number {
    const nexts = this.#nexts;
    if (text !== this.#text || from < this.#from) {
      this.#text = text;
      nexts.fill(-1);
      this.#tail = -1;
    }
    this.#from = from;
    if (this.#tail < from) this.#tail = this.#tailOf(text, from);
    let next = this.#tail;
    for (let index = 0; index < nexts.length; index++) {
      if (nexts[index]! < from) {
        nexts[index] = this.#search(text, index, from);
      }
      next = Math.min(next, nexts[index]!);
    }
    return next;
  }

  /** Index of the next place with this needle where an opener may begin. */
  #search(text: string, index: number, from: number): number {
    const needle = this.#needles[index]!;
    const leads = this.#leads[index]!;
    for (
      let at = text.indexOf(needle, from);
      at >= 0;
      at = text.indexOf(needle, at + 1)
    ) {
      for (const lead of leads) {
        const start = at - lead.length;
        if (start >= from && text.startsWith(lead, start)) return start;
      }
      if (this.begins(text.charCodeAt(at)) && this.#goesOn(text, at)) return at;
    }
    return text.length;
  }

  /** Whether an opener may begin at an index, as the next code unit tells. */
  #goesOn(text: string, at: number): boolean {
    const row = this.#rows[text.charCodeAt(at)];
    return row === undefined || at + 1 === text.length ||
      this.#seconds[row * 128 + Math.min(text.charCodeAt(at + 1), 127)] !== 0;
  }

  /** Whether an opener begins with this code unit. */
  begins(unit: number): boolean {
    return unit < 128 ? this.#rows[unit] !== 0 : this.#all.next!.has(unit);
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
    // Most are none, as the next character tells.
    if (!this.#goesOn(text, from)) return NO_OPENER;
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

/** Of two code units, one number. */
function pairOf(first: number, second: number): number {
  return Math.min(first, 127) * 128 + Math.min(second, 127);
}

/** Index of the first character that has a flag. */
function leadOf(word: string): number {
  let at = 0;
  while (flagsOf(word[at]!) === 0) at++;
  return at;
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
