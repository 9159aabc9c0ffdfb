import type { Pattern, PatternElement } from "../dialect.ts";
import { isBlank, isSpace } from "./code_units.ts";

/** No token is longer than this, in code units: a longer match is given up. */
export const LONGEST_TOKEN = 1_024;

/** What a token is, as bits: a program's tokens may be told apart by several. */
export const UNIT_OPEN = 1;
export const UNIT_CLOSE = 2;
export const CALL_OPEN = 4;
export const CALL_EMPTY = 8;
export const CALL_CLOSE = 16;
export const PARAMETER_OPEN = 32;
export const PARAMETER_CLOSE = 64;

/** The names that a token holds. */
export interface Captures {
  /** The tool's name. */
  name?: string;
  /** The parameter's name. */
  key?: string;
  /** The attributes, when it has some. */
  attributes?: ReadonlyMap<string, string>;
}

/** A pattern without options: literal texts and elements. */
type Flat = readonly (string | PatternElement)[];

/** Classes of code units, as bits. */
const SPACE = 1;
const BLANK = 2;
const NAME = 4;
const KEY = 8;
const WORD = 16;
const DIGIT = 32;
const IN_DOUBLE = 64;
const IN_SINGLE = 128;

const CLASSES: Readonly<Record<string, number>> = {
  space: SPACE,
  blanks: BLANK,
  name: NAME,
  tool: NAME,
  key: KEY,
  word: WORD,
  digits: DIGIT,
};

interface Node {
  /** Code unit to node. */
  edges: Map<number, number> | undefined;
  /** Class of the code units that lead to `classNext`. */
  class: number;
  classNext: number;
  /** Nodes that are reached with nothing. */
  free: number[];
  /** Shared continuations, by what continues. */
  shared: Map<string, number>;
  /** Index of the pattern that ends here, or -1. */
  accepts: number;
  /** Whether the code units here are the letters of an offered tool's name. */
  tool: boolean;
  /** Kinds of the tokens that may still come from here. */
  reach: number;
}

const NONE: readonly number[] = [];

/** Where a step leads to. */
export interface Step {
  /** Node numbers; none when no token goes on so. Not to be changed. */
  readonly nodes: readonly number[];
  /** The patterns that end here, in their order. */
  readonly accepted: readonly number[];
  /** Whether this is inside the name of a tool that must be offered. */
  readonly inTool: boolean;
}

/** Where every walk begins. */
export const START: readonly number[] = [0];

/** So many steps are remembered: more than tokens have, unless someone tries. */
const MOST_STEPS = 4_096;

interface Compiled {
  kind: number;
  flat: Flat;
  /** Whether the last code unit only shows that the token is over. */
  ahead: boolean;
}

/**
 * All tokens of one dialect form as one small automaton, walked one code unit at
 * a time. The state of a walk is a few node numbers, hence plain data. Every step
 * is remembered, so that it is worked out once.
 *
 * Patterns share what they have in common, like a trie; elements such as white
 * space are nodes that loop:
 *
 * ```
 *   "<" ─► "i" ─► … ─► "e" ─► attributes ─┬─► ">"          call
 *    │                        (a loop)    └─► "/" ─► ">"   call without arguments
 *    └───► "/" ─► "i" ─► … ─► ">"                          closer
 * ```
 */
export class TokenProgram {
  readonly #nodes: Node[] = [];
  readonly #patterns: Compiled[] = [];
  /** Per node: itself and all nodes reached with nothing. */
  readonly #closures: number[][];
  /** By nodes: the steps from there, by kinds and code unit. */
  readonly #places: Map<readonly number[], Map<number, Step>> = new Map();
  /** The arrays that are keys there, by what is in them. */
  readonly #keys: Map<string, readonly number[]> = new Map();
  #steps = 0;

  /**
   * @param tokens What to find: kind, patterns, and the code unit that must
   * follow where a pattern's end shows only by what comes behind it.
   */
  constructor(
    tokens: readonly (readonly [
      kind: number,
      patterns: readonly Pattern[] | undefined,
      ahead?: string,
    ])[],
  ) {
    this.#add();
    for (const [kind, patterns = [], ahead] of tokens) {
      for (const pattern of patterns) {
        for (const flat of expand(pattern)) {
          this.#insert(
            kind,
            flat,
            typeof flat.at(-1) === "string" ? undefined : ahead,
          );
        }
      }
    }
    this.#closures = this.#nodes.map((_, index) => this.#closure(index));
    this.#spreadReach();
  }

  /** Kinds of the tokens that may begin with this code unit. */
  beginsWith(unit: number): number {
    let kinds = 0;
    for (const index of this.#closures[0]!) {
      const node = this.#nodes[index]!;
      const next = node.edges?.get(unit);
      if (next !== undefined) kinds |= this.#nodes[next]!.reach;
      if (node.class !== 0 && isOf(unit, node.class)) {
        kinds |= this.#nodes[node.classNext]!.reach;
      }
    }
    return kinds;
  }

  /** First code units of the tokens of these kinds, when they are literal. */
  firstUnits(kinds: number): number[] {
    const units: number[] = [];
    for (const [unit, next] of this.#nodes[0]!.edges ?? []) {
      if (this.#nodes[next]!.reach & kinds) units.push(unit);
    }
    return units;
  }

  /**
   * Walks on by one code unit.
   *
   * @param from Node numbers; {@linkcode START} before the first code unit.
   * @param kinds Only tokens of these kinds count.
   */
  step(from: readonly number[], unit: number, kinds: number): Step {
    const steps = this.#places.get(from) ??
      this.#places.get(this.#placeOf(from))!;
    const key = kinds << 16 | unit;
    return steps.get(key) ?? this.#newStep(steps, key, from, unit, kinds);
  }

  /** The array that stands for some nodes, however they are reached. */
  #placeOf(nodes: readonly number[]): readonly number[] {
    const key = nodes.join();
    let place = this.#keys.get(key);
    if (place === undefined) {
      place = key === "0" ? START : [...nodes];
      this.#keys.set(key, place);
      this.#places.set(place, new Map());
    }
    return place;
  }

  #newStep(
    steps: Map<number, Step>,
    key: number,
    from: readonly number[],
    unit: number,
    kinds: number,
  ): Step {
    if (++this.#steps > MOST_STEPS) {
      this.#places.clear();
      this.#keys.clear();
      this.#steps = 0;
    }
    const found: number[] = [];
    this.#walk(from, unit, kinds, found);
    const nodes = this.#placeOf(found);
    const step: Step = {
      nodes,
      accepted: this.#accepted(nodes, kinds),
      inTool: nodes.some((index) => this.#nodes[index]!.tool),
    };
    steps.set(key, step);
    return step;
  }

  #walk(
    from: readonly number[],
    unit: number,
    kinds: number,
    to: number[],
  ): void {
    for (const start of from) {
      for (const index of this.#closures[start]!) {
        const node = this.#nodes[index]!;
        const next = node.edges?.get(unit);
        if (
          next !== undefined && this.#nodes[next]!.reach & kinds &&
          !to.includes(next)
        ) to.push(next);
        if (
          node.class !== 0 && isOf(unit, node.class) &&
          this.#nodes[node.classNext]!.reach & kinds &&
          !to.includes(node.classNext)
        ) to.push(node.classNext);
      }
    }
  }

  /** The patterns of these kinds that end at one of the nodes, in their order. */
  #accepted(at: readonly number[], kinds: number): readonly number[] {
    let found: number[] | undefined;
    for (const start of at) {
      for (const index of this.#closures[start]!) {
        const pattern = this.#nodes[index]!.accepts;
        if (pattern >= 0 && this.#patterns[pattern]!.kind & kinds) {
          (found ??= []).push(pattern);
        }
      }
    }
    return found === undefined ? NONE : found.sort((a, b) => a - b);
  }

  /** The kind of a pattern's token. */
  kindOf(pattern: number): number {
    return this.#patterns[pattern]!.kind;
  }

  /** Whether the token's last code unit belongs to what follows. */
  endsBefore(pattern: number): boolean {
    return this.#patterns[pattern]!.ahead;
  }

  /** The names in a token that matched the pattern. */
  captures(pattern: number, token: string): Captures {
    return capture(this.#patterns[pattern]!.flat, token);
  }

  #add(): number {
    this.#nodes.push({
      edges: undefined,
      class: 0,
      classNext: -1,
      free: [],
      shared: new Map(),
      accepts: -1,
      tool: false,
      reach: 0,
    });
    return this.#nodes.length - 1;
  }

  #insert(kind: number, flat: Flat, ahead: string | undefined): void {
    let at = 0;
    for (const element of ahead === undefined ? flat : [...flat, ahead]) {
      if (typeof element === "string") {
        for (let index = 0; index < element.length; index++) {
          at = this.#edge(at, element.charCodeAt(index));
        }
      } else at = this.#element(at, element.match);
    }
    // The first of two equal patterns counts.
    while (this.#nodes[at]!.accepts >= 0) {
      const next = this.#add();
      this.#nodes[at]!.free.push(next);
      at = next;
    }
    this.#patterns.push({ kind, flat, ahead: ahead !== undefined });
    this.#nodes[at]!.accepts = this.#patterns.length - 1;
  }

  #edge(at: number, unit: number): number {
    const edges = this.#nodes[at]!.edges ??= new Map();
    const known = edges.get(unit);
    if (known !== undefined) return known;
    const next = this.#add();
    edges.set(unit, next);
    return next;
  }

  #element(at: number, match: PatternElement["match"]): number {
    const known = this.#nodes[at]!.shared.get(match);
    if (known !== undefined) return known;
    const exit = match === "attributes"
      ? this.#attributes(at)
      : match === "space" || match === "blanks"
      ? this.#loop(at, CLASSES[match]!)
      : this.#loop(this.#one(at, CLASSES[match]!, match), CLASSES[match]!);
    this.#nodes[exit]!.tool = match === "tool";
    this.#nodes[at]!.shared.set(match, exit);
    return exit;
  }

  /** A node reached with nothing, from which a code unit of the class leads on. */
  #one(at: number, units: number, match: string): number {
    const entry = this.#add();
    const next = this.#add();
    this.#nodes[at]!.free.push(entry);
    this.#nodes[entry]!.class = units;
    this.#nodes[entry]!.classNext = next;
    this.#nodes[next]!.tool = match === "tool";
    return next;
  }

  /** A node reached with nothing that stays while code units of the class come. */
  #loop(at: number, units: number): number {
    const loop = this.#add();
    this.#nodes[at]!.free.push(loop);
    this.#nodes[loop]!.class = units;
    this.#nodes[loop]!.classNext = loop;
    return loop;
  }

  /**
   * ```
   *  begin ─space─► SPACES ─letter─► NAME ─space─► ─"="─► ─space─► quoted ─┐
   *                   ▲ │ └─► exit                                         │
   *                   │ └────────────────── behind ◄───────────────────────┘
   *                   └──────space───────────┘ └─► exit
   * ```
   */
  #attributes(at: number): number {
    const exit = this.#add();
    const spaces = this.#add();
    const behind = this.#add();
    const toSpaces = (node: number): void => {
      this.#nodes[node]!.class = SPACE;
      this.#nodes[node]!.classNext = spaces;
    };
    const begin = this.#add();
    this.#nodes[at]!.free.push(begin);
    toSpaces(begin);
    toSpaces(spaces);
    toSpaces(behind);
    this.#nodes[spaces]!.free.push(exit);
    this.#nodes[behind]!.free.push(exit);
    const name = this.#loop(this.#one(spaces, WORD, "word"), WORD);
    const equals = this.#edge(this.#loop(name, SPACE), 0x3d);
    const value = this.#loop(equals, SPACE);
    for (const [quote, units] of [[0x22, IN_DOUBLE], [0x27, IN_SINGLE]]) {
      const inside = this.#loop(this.#edge(value, quote!), units!);
      const edges = this.#nodes[inside]!.edges ??= new Map();
      edges.set(quote!, behind);
    }
    return exit;
  }

  #closure(index: number): number[] {
    const all = [index];
    for (const each of all) {
      for (const next of this.#nodes[each]!.free) {
        if (!all.includes(next)) all.push(next);
      }
    }
    return all;
  }

  /** Works out what may still come from every node; loops make it take turns. */
  #spreadReach(): void {
    for (let changed = true; changed;) {
      changed = false;
      // Most nodes lead to later ones, so that one turn does nearly all.
      for (const node of [...this.#nodes].reverse()) {
        let reach = node.accepts < 0 ? 0 : this.#patterns[node.accepts]!.kind;
        for (const next of node.edges?.values() ?? []) {
          reach |= this.#nodes[next]!.reach;
        }
        for (const next of node.free) reach |= this.#nodes[next]!.reach;
        if (node.classNext >= 0) reach |= this.#nodes[node.classNext]!.reach;
        if (reach !== node.reach) changed = true;
        node.reach = reach;
      }
    }
  }
}

/** All sequences that a pattern with options stands for. */
export function expand(pattern: Pattern): Flat[] {
  if (typeof pattern === "string") return [[pattern]];
  let all: Flat[] = [[]];
  for (const element of pattern) {
    const ways: Flat[] = typeof element === "string" || "match" in element
      ? [[element]]
      : "optional" in element
      ? [...expand(element.optional), []]
      : element.either.flatMap(expand);
    all = all.flatMap((flat) => ways.map((way) => [...flat, ...way]));
    if (all.length > 10_000) {
      throw new RangeError(
        "Cannot use a pattern: it stands for more than 10,000 sequences",
      );
    }
  }
  return all;
}

/**
 * The literal texts that a token of this pattern begins with, up to its first
 * element; in place of `tool` stand the names given, and before `attributes`
 * one white space.
 */
export function openings(
  pattern: Pattern,
  tools: readonly string[],
): string[] {
  return expand(pattern).flatMap((flat) => {
    let all = [""];
    for (const element of flat) {
      if (typeof element === "string") all = all.map((one) => one + element);
      else if (element.match === "tool" && all[0] === flat[0]) {
        all = all.flatMap((one) => tools.map((name) => one + name));
      } else if (element.match === "attributes") {
        return all.flatMap((one) => [..." \t\n\r"].map((space) => one + space));
      } else return all;
    }
    return all;
  });
}

function isOf(unit: number, units: number): boolean {
  switch (units) {
    case SPACE:
      return isSpace(unit);
    case BLANK:
      return isBlank(unit);
    case NAME:
      return unit > 0x20 && !NO_NAME.includes(String.fromCharCode(unit));
    case KEY:
      return unit >= 0x20 && unit !== 0x2f && unit !== 0x3c && unit !== 0x3e;
    case WORD:
      return unit >= 0x30 && unit <= 0x39 || unit >= 0x41 && unit <= 0x5a ||
        unit >= 0x61 && unit <= 0x7a || unit === 0x5f || unit === 0x2d;
    case DIGIT:
      return unit >= 0x30 && unit <= 0x39;
    default:
      return unit !== (units === IN_DOUBLE ? 0x22 : 0x27) && unit !== 0x3c &&
        unit !== 0x0a && unit !== 0x0d;
  }
}

/** What no tool's name holds: quotes, brackets, separators. */
const NO_NAME = "\"'<>(){}[],;=|\\`\u2581\uff5c";

/** The same classes as {@linkcode isOf} has, as sources of expressions. */
const SOURCES: Readonly<Record<PatternElement["match"], string>> = {
  space: "[ \\t\\r\\n]*",
  blanks: "[ \\t]*",
  name: "(?<name>[^\\x00- \"'<>(){}\\[\\],;=|\\\\`\u2581\uff5c]+)",
  tool: "(?<name>[^\\x00- \"'<>(){}\\[\\],;=|\\\\`\u2581\uff5c]+)",
  key: "(?<key>[^\\x00-\\x1f/<>]+)",
  attributes: "(?<attributes>(?:[^\"'>]|\"[^\"]*\"|'[^']*')*)",
  word: "[\\w-]+",
  digits: "\\d+",
};

/** The expressions of the patterns; a token is short, so they may backtrack. */
const expressions: WeakMap<Flat, RegExp> = new WeakMap();

function capture(flat: Flat, token: string): Captures {
  let expression = expressions.get(flat);
  if (expression === undefined) {
    const source = flat.map((element) =>
      typeof element === "string"
        ? element.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
        : SOURCES[element.match]
    ).join("");
    expression = new RegExp(`^${source}$`);
    expressions.set(flat, expression);
  }
  const groups = expression.exec(token)?.groups ?? {};
  const captures: Captures = {};
  if (groups["name"] !== undefined) captures.name = groups["name"];
  if (groups["key"] !== undefined) captures.key = groups["key"];
  if (groups["attributes"] !== undefined) {
    captures.attributes = attributesOf(groups["attributes"]);
  }
  return captures;
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  const each = /([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
  for (const [, name, double, single] of text.matchAll(each)) {
    attributes.set(name!, double ?? single!);
  }
  return attributes;
}
