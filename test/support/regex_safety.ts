/**
 * Tells whether a regular expression takes linear time by its shape alone. A
 * small reader of expressions, and rules that are sure in one direction: what
 * they accept is linear, what they refuse may be.
 */

/** Code units that stand for all: every one that any class here tells apart. */
const SAMPLES: readonly string[] = [
  ...Array.from({ length: 128 }, (_, unit) => String.fromCharCode(unit)),
  "\u0085",
  "\u00a0",
  "\u00e9",
  "\u2013",
  "\u2028",
  "\u3000",
  "\ud800",
  "\udc00",
  "\ufeff",
  "\uff5c",
  "\ufffe",
];

/** Stands for the end of the text. */
const END = SAMPLES.length;

type Units = ReadonlySet<number>;

type Node =
  | { kind: "units"; units: Units }
  | { kind: "nothing" }
  | { kind: "end" }
  | { kind: "start" }
  | { kind: "sequence"; items: Node[] }
  | { kind: "either"; branches: Node[] }
  | { kind: "loop"; body: Node; least: number; most: number };

/** More repetitions than these count as without limit. */
const MOST = 64;

class Reader {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  read(): Node {
    const node = this.#either();
    if (this.#at < this.#source.length) throw new Error("not read to its end");
    return node;
  }

  #either(): Node {
    const branches = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at++;
      branches.push(this.#sequence());
    }
    return branches.length === 1 ? branches[0]! : { kind: "either", branches };
  }

  #sequence(): Node {
    const items: Node[] = [];
    while (
      this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!)
    ) items.push(this.#loop(this.#atom()));
    return { kind: "sequence", items };
  }

  #loop(body: Node): Node {
    const rest = this.#source.slice(this.#at);
    const match = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(rest);
    if (match === null) return body;
    this.#at += match[0].length;
    const [, sign, least, comma, most] = match;
    if (sign !== undefined) {
      return {
        kind: "loop",
        body,
        least: sign === "+" ? 1 : 0,
        most: sign === "?" ? 1 : Infinity,
      };
    }
    return {
      kind: "loop",
      body,
      least: Number(least),
      most: comma === ""
        ? Number(least)
        : most === ""
        ? Infinity
        : Number(most),
    };
  }

  #atom(): Node {
    const rest = this.#source.slice(this.#at);
    const group = /^\((?:\?(?::|<(?![=!])\w+>|(<?[=!])))?/.exec(rest);
    if (group !== null) {
      this.#at += group[0].length;
      const inner = this.#either();
      this.#at++;
      // What is looked at is read again: it counts as one more text of its own.
      return group[1] === undefined ? inner : { kind: "nothing" };
    }
    if (rest[0] === "^") {
      this.#at++;
      return { kind: this.#flags.includes("m") ? "nothing" : "start" };
    }
    if (rest[0] === "$") {
      this.#at++;
      return { kind: this.#flags.includes("m") ? "nothing" : "end" };
    }
    const unit =
      /^(?:\[(?:\\[^]|[^\]])*\]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[pP]\{\w+\}|\\[^]|[^])/
        .exec(rest)![0];
    this.#at += unit.length;
    if (unit === "\\b" || unit === "\\B") return { kind: "nothing" };
    const one = new RegExp(`^${unit}$`, this.#flags.replace(/[gym]/g, ""));
    return {
      kind: "units",
      units: new Set(
        Array.from(SAMPLES.keys()).filter((index) => one.test(SAMPLES[index]!)),
      ),
    };
  }
}

function isNullable(node: Node): boolean {
  switch (node.kind) {
    case "units":
    case "end":
      return false;
    case "nothing":
    case "start":
      return true;
    case "sequence":
      return node.items.every(isNullable);
    case "either":
      return node.branches.some(isNullable);
    case "loop":
      return node.least === 0 || isNullable(node.body);
  }
}

function firstOf(node: Node): Units {
  switch (node.kind) {
    case "units":
      return node.units;
    case "end":
      return new Set([END]);
    case "nothing":
    case "start":
      return new Set();
    case "sequence":
      return firstOfAll(node.items, new Set());
    case "either":
      return union(...node.branches.map(firstOf));
    case "loop":
      return firstOf(node.body);
  }
}

/** What a sequence begins with, and `behind` when it may be empty. */
function firstOfAll(items: readonly Node[], behind: Units): Units {
  let units: Units = new Set();
  for (const item of items) {
    units = union(units, firstOf(item));
    if (!isNullable(item)) return units;
  }
  return union(units, behind);
}

function union(...all: Units[]): Units {
  return new Set(all.flatMap((units) => [...units]));
}

function meet(one: Units, other: Units): boolean {
  for (const unit of one) if (other.has(unit)) return true;
  return false;
}

/** A loop without limit in which it is not clear at once where it ends. */
interface Doubt {
  /** Whether it lies inside another loop without limit. */
  nested: boolean;
  /** Whether another loop without limit comes behind it. */
  followed: boolean;
}

class Judge {
  readonly doubts: Doubt[] = [];
  /** Loops without limit that may be entered anew from every start. */
  restarts = 0;

  /**
   * @param behind What may follow; nothing means that the match is made.
   * @param before What stands right before, when that is sure.
   */
  visit(
    node: Node,
    behind: Units,
    before: Units | undefined,
    nested: boolean,
    loopsBehind: boolean,
  ): void {
    if (node.kind === "either") {
      if (nested) this.#disjoint(node.branches);
      for (const branch of node.branches) {
        this.visit(branch, behind, before, nested, loopsBehind);
      }
    } else if (node.kind === "sequence") {
      let previous = before;
      for (const [index, item] of node.items.entries()) {
        const rest = node.items.slice(index + 1);
        this.visit(
          item,
          firstOfAll(rest, behind),
          previous,
          nested,
          loopsBehind || rest.some(loops),
        );
        if (item.kind === "units") previous = item.units;
        else if (item.kind !== "nothing" && item.kind !== "start") {
          previous = undefined;
        }
      }
    } else if (node.kind === "loop") {
      const first = firstOf(node.body);
      const unlimited = node.most > MOST;
      const unclear = meet(first, behind) || isNullable(node.body);
      if (unlimited) {
        if (unclear) this.doubts.push({ nested, followed: loopsBehind });
        // A run that only its beginning enters is read once.
        if (
          behind.size > 0 && (before === undefined || meet(before, first))
        ) this.restarts++;
      } else if (nested && unclear && node.most !== node.least) {
        this.doubts.push({ nested, followed: loopsBehind });
      }
      this.visit(
        node.body,
        union(behind, node.most > 1 ? first : new Set()),
        undefined,
        nested || unlimited,
        loopsBehind,
      );
    }
  }

  #disjoint(branches: readonly Node[]): void {
    const firsts = branches.map(firstOf);
    const unclear = firsts.some((one, index) =>
      firsts.slice(0, index).some((other) => meet(one, other))
    );
    if (unclear) this.doubts.push({ nested: true, followed: true });
  }
}

function loops(node: Node): boolean {
  switch (node.kind) {
    case "loop":
      return node.most > MOST || loops(node.body);
    case "sequence":
      return node.items.some(loops);
    case "either":
      return node.branches.some(loops);
    default:
      return false;
  }
}

function isAnchored(node: Node): boolean {
  if (node.kind === "start") return true;
  if (node.kind === "sequence") {
    return node.items.length > 0 && isAnchored(node.items[0]!);
  }
  return node.kind === "either" && node.branches.every(isAnchored);
}

/**
 * Why an expression may take more than linear time, or `undefined` when its
 * shape shows that it does not.
 *
 * Linear is: no loop without limit at all; else every such loop ends where its
 * next character says so, with no doubt inside of it, and (without `^`) is
 * entered only behind a character that cannot be in it. One loop with a doubtful
 * end is fine with `^` when what follows it has a limit.
 */
export function whyNotLinear(
  source: string,
  flags: string,
): string | undefined {
  const node = new Reader(source, flags).read();
  if (!loops(node)) return undefined;
  const judge = new Judge();
  judge.visit(node, new Set(), undefined, false, false);
  if (judge.doubts.some(({ nested }) => nested)) return "a loop in a loop";
  const anchored = isAnchored(node) || flags.includes("y");
  if (judge.doubts.length > 1) return "two loops that may end anywhere";
  if (judge.doubts.some(({ followed }) => followed)) {
    return "a loop behind one that may end anywhere";
  }
  if (!anchored && judge.doubts.length > 0) {
    return "a loop that may end anywhere, from every start";
  }
  if (!anchored && judge.restarts > 0) return "a loop that every start enters";
  return undefined;
}
