/** What {@linkcode OpenerTable.find} found. */
export interface OpenerMatch {
  /** Values of the openers that begin with the text up to here. */
  readonly values: readonly number[];
  /** How long the opener is, in code units. */
  readonly length: number;
}

interface Node {
  readonly next: Map<number, Node>;
  /** Values of the openers that end here. */
  readonly values: number[];
  /** Values of all openers that pass or end here, when one ends here. */
  match: OpenerMatch | undefined;
}

/** No opener begins there. */
export const NO_OPENER = 0;
/** The text is over in the middle of what may be an opener. */
export const PART_OF_OPENER = 1;

/**
 * All openers in use as one trie, so that a text is scanned once however many
 * there are. Several things may have the same opener, or one that begins
 * another: they are all given, and what follows tells them apart.
 */
export class OpenerTable {
  readonly #root: Node = newNode();
  /** By code unit below 128: whether an opener begins with it. */
  readonly #ascii: Uint8Array = new Uint8Array(128);
  /** Length of the longest opener. */
  readonly longest: number;

  /** @param openers Each with its value. */
  constructor(openers: Iterable<readonly [text: string, value: number]>) {
    let longest = 0;
    for (const [text, value] of openers) {
      longest = Math.max(longest, text.length);
      let node = this.#root;
      for (let at = 0; at < text.length; at++) {
        const unit = text.charCodeAt(at);
        let next = node.next.get(unit);
        if (next === undefined) node.next.set(unit, next = newNode());
        node = next;
      }
      if (!node.values.includes(value)) node.values.push(value);
    }
    this.longest = longest;
    finish(this.#root, 0);
    for (const unit of this.#root.next.keys()) {
      if (unit < 128) this.#ascii[unit] = 1;
    }
  }

  /** Whether an opener begins with this code unit. */
  begins(unit: number): boolean {
    return unit < 128 ? this.#ascii[unit] === 1 : this.#root.next.has(unit);
  }

  /** The first code units of all openers. */
  firstUnits(): number[] {
    return [...this.#root.next.keys()];
  }

  /** Looks for an opener at an index of the text. */
  find(
    text: string,
    from: number,
  ): OpenerMatch | typeof NO_OPENER | typeof PART_OF_OPENER {
    let node = this.#root;
    for (let at = from; at < text.length; at++) {
      const next = node.next.get(text.charCodeAt(at));
      if (next === undefined) return NO_OPENER;
      if (next.match !== undefined) return next.match;
      node = next;
    }
    return PART_OF_OPENER;
  }
}

function newNode(): Node {
  return { next: new Map(), values: [], match: undefined };
}

/** Gives every node where an opener ends the values of all that go on from it. */
function finish(node: Node, depth: number): Set<number> {
  const all = new Set(node.values);
  for (const next of node.next.values()) {
    for (const value of finish(next, depth + 1)) all.add(value);
  }
  if (node.values.length > 0) {
    node.match = { values: [...all].sort((a, b) => a - b), length: depth };
  }
  return all;
}
