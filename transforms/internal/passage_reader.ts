import { isBlank, isLineEnd, isSpace } from "./code_units.ts";
import { REASONING_NAMES } from "./directive_set.ts";
import { CARRIAGE_RETURN, LINE_FEED } from "./line_state.ts";
import { NO_OPENER, OpenerTable, PART_OF_OPENER } from "./opener_table.ts";
import {
  isReasoningToken,
  localName,
  LONGEST_QUOTED,
  type Passage,
  type PassageKind,
  PASSAGES,
  passagesByName,
} from "./passages.ts";
import {
  ANYTHING,
  BRACKET,
  LESS_THAN,
  NOT_ASCII,
  QUOTE,
} from "./text_flags.ts";

/** A passage that goes on. */
interface Open {
  /** Its index in the table. */
  passage: number;
  /** What ends it; the last ones only behind something that is no blank. */
  closers: string[];
  /** How many of the closers those last ones are. */
  glued: number;
  /** How much of each closer came. */
  matched: number[];
  /** The last code units. */
  tail: string;
  /** Code units so far. */
  length: number;
  /** Whether nothing but blanks came on this line. */
  blank: boolean;
  /** Length of the run of backticks that is open on this line. */
  ticks: number;
  /** Length of the run that is coming. */
  run: number;
  /** A closer came inside the run. */
  closing: boolean;
}

/** The state of a {@linkcode PassageReader} as plain data. */
export interface PassageReaderSnapshot {
  open: Open | null;
  /** What may still become a beginning. */
  half: string;
  /** The last code unit before that, 0 at the beginning. */
  last: number;
  /** Whether anything but white space came so far. */
  begun: boolean;
  /** Whether three apostrophes came on this line. */
  apostrophes: boolean;
}

/** Who else reads the text, and knows what it is. */
export interface PassageSink {
  /** The next text that counts. */
  read(text: string): void;
  /** Whether nothing but blanks came on this line. */
  isBlank(): boolean;
  /** Whether what begins with this character is neither code nor quoted. */
  isFree(next: string): boolean;
}

/** What is at some place. */
interface Found {
  /** What begins there; `undefined` when nothing does for so many code units. */
  passage: Passage | undefined;
  length: number;
  closers?: readonly string[];
  /** Whether it is the last thing on its line. */
  last?: boolean;
}

const TICK = 0x60;
const SINGLE = 0x27;
const LESS = 0x3c;

/** A tag is none when it is longer. */
const LONGEST_TAG = 256;

/** More blanks do not end a line. */
const MOST_BLANKS = 16;

/** A line of a diff begins with one of these. */
const DIFF = " +-\\@";

/** Longer names are none that matter. */
const LONGEST_NAME = 64;

/** What begins a passage with no character that markup is made of. */
const WORDS: readonly string[] = ["'''", "Human:", "@@ -", "]~b]", "\\begin{"];

/** Beginnings of these, and of quotes, by their last code unit. */
const HALF_WORDS: Map<number, string[]> = new Map([[0x22, ['"']]]);
for (const word of WORDS) {
  for (let length = 1; length < word.length; length++) {
    const half = word.slice(0, length);
    const last = lastUnit(half);
    HALF_WORDS.set(last, [...HALF_WORDS.get(last) ?? [], half]);
  }
}

/** By code unit: 1 where a passage may begin, unless it is the first thing. */
const STARTS: Uint8Array = new Uint8Array(65_536);
for (const start of "<[]\"'H@\\\u25c1") STARTS[start.charCodeAt(0)] = 1;

/** What is looked for, with some names of reasoning. */
interface Wanted {
  names: ReadonlyMap<string, Passage>;
  /** By first letter and length: whether there are such names. */
  sizes: Uint8Array;
  tokens: OpenerTable;
}

const wanted: Map<string, Wanted> = new Map();
const MOST_WANTED = 64;

/**
 * Follows passages in which a model does nothing but show, think or echo:
 * reasoning in tags that are not looked for at once, invented results, turns of
 * others, strings over lines. What begins and ends them stands in the table of
 * passages.
 *
 * ```
 *   OUTSIDE ─opener, where one may stand─► OPEN ─closer, or what else ends it─► OUTSIDE
 * ```
 *
 * It changes nothing about the text, so nothing has to wait for it: it reads
 * when somebody asks what a place is.
 */
export class PassageReader {
  readonly #wanted: Wanted;
  readonly #state: PassageReaderSnapshot;

  /** @param reasoning Names of tags that hold reasoning; without them, all that are known. */
  constructor(
    reasoning?: readonly string[] | undefined,
    snapshot?: PassageReaderSnapshot,
  ) {
    this.#wanted = wantedFor(reasoning);
    if (snapshot?.open && !isOpen(snapshot.open)) {
      throw new TypeError("Cannot resume: the snapshot is in no passage");
    }
    this.#state = snapshot ?? {
      open: null,
      half: "",
      last: 0,
      begun: false,
      apostrophes: false,
    };
  }

  /** What the next code unit stands in. */
  get kind(): PassageKind | undefined {
    const { open } = this.#state;
    return open === null ? undefined : PASSAGES[open.passage]!.kind;
  }

  /** A call's opener comes: what is open is over if that ends it. */
  meet(opener: string): void {
    const { open } = this.#state;
    if (open === null) return;
    const before = lastUnit(open.tail);
    const always = open.closers.length - open.glued;
    const ends = open.closers.some((closer, index) =>
      opener.startsWith(closer) && (index < always || !isBlank(before))
    );
    const isOver = PASSAGES[open.passage]!.until === "diff" &&
      isLineEnd(before) && !DIFF.includes(opener[0]!);
    if (ends || isOver) this.#state.open = null;
  }

  /**
   * Whether text that ends where a paragraph begins need not be read: nothing is
   * open, and nothing begins in it.
   *
   * @param flags What characters it may have: see `flagsOf`.
   */
  maySkip(text: string, flags: number): boolean {
    const { open, half, begun } = this.#state;
    return open === null && half === "" &&
      (begun || !text.trimStart().startsWith("analysis")) &&
      this.#isFree(text, flags, true);
  }

  /**
   * Whether nothing begins in a text that is not the message's beginning.
   *
   * @param onBlank Whether nothing but blanks stand before it on its line.
   */
  #isFree(text: string, flags: number, onBlank: boolean): boolean {
    if ((flags & QUOTE) !== 0 && text.includes('"""')) return false;
    if ((flags & NOT_ASCII) !== 0 && text.includes("\u25c1")) return false;
    for (const word of WORDS) if (text.includes(word)) return false;
    return ((flags & BRACKET) === 0 || !this.#mayBegin(text, "[", onBlank)) &&
      ((flags & LESS_THAN) === 0 || !this.#mayBegin(text, "<", onBlank));
  }

  /** Whether a passage may begin in a text with this character. */
  #mayBegin(text: string, first: string, onBlank: boolean): boolean {
    const { tokens } = this.#wanted;
    for (let at = text.indexOf(first); at >= 0;) {
      if (
        tokens.find(text, at) !== NO_OPENER ||
        first === "<" && isFirst(text, at, onBlank) &&
          this.#findTag(text, at) !== NO_OPENER
      ) return true;
      at = text.indexOf(first, at + 1);
    }
    return false;
  }

  /** Text was not read that ends where a paragraph begins. */
  skip(): void {
    const state = this.#state;
    state.begun = true;
    state.apostrophes = false;
    state.last = LINE_FEED;
  }

  /** The next text. What of it counts goes to the sink, all but what may still become a beginning. */
  read(text: string, sink: PassageSink): void {
    const state = this.#state;
    const { half } = state;
    if (
      half === "" && state.open === null && state.begun &&
      !state.apostrophes && !mayEndInside(text) &&
      this.#isFree(text, ANYTHING, sink.isBlank())
    ) {
      // Most text goes this way.
      sink.read(text);
      if (text !== "") state.last = lastUnit(text);
      return;
    }
    state.half = "";
    this.#read(half + text, sink, false);
  }

  /** The next text, with whose first code unit no passage begins. */
  readValue(text: string, sink: PassageSink): void {
    const state = this.#state;
    let from = 0;
    if (state.open === null) {
      from = 1;
      sink.read(text.slice(0, 1));
      state.last = text.charCodeAt(0);
      state.begun = true;
    }
    this.#read(text.slice(from), sink, false);
  }

  /** Something else begins here: what may still have become a beginning is none. */
  settle(sink: PassageSink): void {
    const { half } = this.#state;
    if (half === "") return;
    this.#state.half = "";
    this.#read(half, sink, true);
  }

  snapshot(): PassageReaderSnapshot {
    return this.#state;
  }

  #read(text: string, sink: PassageSink, final: boolean): void {
    const state = this.#state;
    for (let from = 0; from < text.length;) {
      const { open } = state;
      if (open === null) {
        from = this.#readOutside(text, from, sink, final);
        continue;
      }
      const end = this.#follow(open, text, from);
      const to = end < 0 ? text.length : end;
      if (PASSAGES[open.passage]!.flows) sink.read(text.slice(from, to));
      if (end >= 0) {
        state.open = null;
        state.last = lastUnit(open.tail);
      }
      from = to;
    }
  }

  /** Reads on to the next beginning. Gives the index behind what was read. */
  #readOutside(
    text: string,
    from: number,
    sink: PassageSink,
    final: boolean,
  ): number {
    const state = this.#state;
    let read = from;
    const pass = (to: number): void => {
      if (to === read) return;
      const piece = text.slice(read, to);
      sink.read(piece);
      if (state.apostrophes && /[\r\n]/.test(piece)) state.apostrophes = false;
      state.last = lastUnit(piece);
      read = to;
    };
    for (let at = from; at < text.length;) {
      const unit = text.charCodeAt(at);
      const isFirst = !state.begun && !isSpace(unit);
      if (STARTS[unit] === 0 && !(isFirst && unit === 0x61)) {
        if (isFirst) state.begun = true;
        at++;
        continue;
      }
      const found = this.#find(text, at, final, () => {
        pass(at);
        return sink.isBlank();
      });
      if (found === NO_OPENER) {
        if (isFirst) state.begun = true;
        at++;
        continue;
      }
      pass(at);
      if (found === PART_OF_OPENER) {
        if (sink.isFree(text[at]!)) {
          state.half = text.slice(at);
          return text.length;
        }
        state.begun = true;
        at++;
        continue;
      }
      const { passage, length } = found;
      if (
        passage !== undefined && this.#mayStand(found, sink) &&
        sink.isFree(text[at]!)
      ) {
        state.begun = true;
        pass(at + length);
        state.open = {
          passage: PASSAGES.indexOf(passage),
          closers: [
            ...passage.closers,
            ...found.closers ?? [],
            ...passage.glued ?? [],
          ],
          glued: passage.glued?.length ?? 0,
          matched: [],
          tail: text.slice(at + length - 1, at + length),
          length: 0,
          blank: false,
          ticks: 0,
          run: 0,
          closing: false,
        };
        return at + length;
      }
      state.begun = true;
      if (passage?.openers[0] === "'''") {
        pass(at + length);
        state.apostrophes = true;
      }
      at += passage === undefined || passage.place === "edge" ? length : 1;
    }
    pass(text.length);
    return text.length;
  }

  /** Whether a passage may begin at the end of what was read. */
  #mayStand({ passage, last }: Found, sink: PassageSink): boolean {
    const state = this.#state;
    switch (passage!.place) {
      case "line":
        return sink.isBlank();
      case "glued":
        return sink.isBlank() || !isSpace(state.last);
      case "message":
        return !state.begun;
      default:
        return sink.isBlank() || last === true && !state.apostrophes;
    }
  }

  /**
   * What is at an index.
   *
   * @param final Whether what follows the text is known to be something else.
   * @param isFirst Whether nothing but blanks stand before it on its line.
   */
  #find(
    text: string,
    at: number,
    final: boolean,
    isFirst: () => boolean,
  ): Found | typeof NO_OPENER | typeof PART_OF_OPENER {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit === SINGLE) {
      const before = at > 0 ? text.charCodeAt(at - 1) : this.#state.last;
      return before === unit ? NO_OPENER : findQuotes(text, at, final);
    }
    const match = this.#wanted.tokens.find(text, at);
    if (typeof match === "object") {
      return { passage: PASSAGES[match.values[0]!]!, length: match.length };
    }
    let tag = unit === LESS ? this.#findTag(text, at) : NO_OPENER;
    if (tag !== NO_OPENER && !isFirst()) tag = NO_OPENER;
    if (typeof tag === "object") return tag;
    return final || match === NO_OPENER && tag === NO_OPENER
      ? NO_OPENER
      : PART_OF_OPENER;
  }

  /** A tag with one of the names. */
  #findTag(
    text: string,
    from: number,
  ): Found | typeof NO_OPENER | typeof PART_OF_OPENER {
    let at = from + 1;
    while (at < from + 3 && isBlank(text.charCodeAt(at))) at++;
    const nameAt = at;
    let localAt = at;
    for (; at < nameAt + LONGEST_NAME; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 0x3a) localAt = at + 1;
      else if (!isNamePart(unit)) break;
    }
    if (at >= text.length) return PART_OF_OPENER;
    const next = text.charCodeAt(at);
    if (
      this.#wanted.sizes[sizeOf(text.charCodeAt(localAt), at - localAt)] !==
        1 ||
      next !== 0x3e && next !== 0x2f && !isSpace(next)
    ) return NO_OPENER;
    const name = text.slice(nameAt, at);
    const passage = this.#wanted.names.get(localName(name));
    if (passage === undefined) return NO_OPENER;
    // Attributes, in which a quoted ">" does not count.
    let quote = 0;
    for (const end = from + LONGEST_TAG; at < end; at++) {
      if (at === text.length) return PART_OF_OPENER;
      const unit = text.charCodeAt(at);
      if (quote !== 0) {
        if (unit === quote) quote = 0;
      } else if (unit === 0x3e) {
        if (text[at - 1] === "/") break;
        const length = at + 1 - from;
        return { passage, length, closers: closersOf(name) };
      } else if (unit === LESS) break;
      else if (unit === 0x22 || unit === SINGLE) quote = unit;
    }
    return { passage: undefined, length: at - from };
  }

  /** Follows an open passage. Gives the index behind it, or -1: it takes more. */
  #follow(open: Open, text: string, from: number): number {
    const { until, flows } = PASSAGES[open.passage]!;
    const { closers, matched } = open;
    const always = closers.length - open.glued;
    let end = -1;
    let at = from;
    for (; at < text.length && end < 0; at++) {
      const unit = text.charCodeAt(at);
      const before = at > from ? text.charCodeAt(at - 1) : lastUnit(open.tail);
      const isEnd = isLineEnd(unit);
      open.length++;
      if (!flows) {
        if (unit === TICK) open.run++;
        else if (open.run > 0) endRun(open);
        if (isEnd) {
          if (open.closing) end = at + 1;
          open.ticks = 0;
        }
      }
      for (let index = 0; index < closers.length; index++) {
        const closer = closers[index]!;
        const had = matched[index] ?? 0;
        const has = advance(closer, had, unit);
        // In prose the glued ones are but mentioned.
        const isMention = index >= always && has === 1 && isBlank(before);
        matched[index] = isMention ? 0 : has;
        if (has < closer.length || isMention) continue;
        matched[index] = 0;
        if (open.ticks === 0) end = at + 1;
        else open.closing = true;
      }
      if (until === "limit" && open.length >= LONGEST_QUOTED) end = at + 1;
      else if (until !== undefined && until !== "limit") {
        if (
          until === "diff" && !isEnd &&
          isLineEnd(before) &&
          !DIFF.includes(text[at]!)
        ) {
          end = at;
          break;
        }
        if (isEnd) {
          const isHalf = unit === LINE_FEED && before === CARRIAGE_RETURN;
          if (open.blank && !isHalf) end = at + 1;
          open.blank = true;
        } else if (!isBlank(unit)) open.blank = false;
      }
    }
    open.tail = (open.tail + text.slice(from, at)).slice(-1);
    return end;
  }
}

function wantedFor(reasoning: readonly string[] | undefined): Wanted {
  const key = JSON.stringify(reasoning ?? null);
  let one = wanted.get(key);
  if (one === undefined) {
    if (wanted.size >= MOST_WANTED) wanted.clear();
    const tokens = PASSAGES.flatMap((passage, index) =>
      passage.place === "edge" ||
        reasoning !== undefined && isReasoningToken(passage)
        ? []
        : passage.openers.map((opener) => [opener, index] as const)
    );
    const names = passagesByName(reasoning, REASONING_NAMES);
    const sizes = new Uint8Array(32 * LONGEST_NAME);
    for (const name of names.keys()) {
      sizes[sizeOf(name.charCodeAt(0), name.length)] = 1;
    }
    wanted.set(key, one = { names, sizes, tokens: new OpenerTable(tokens) });
  }
  return one;
}

/** Whether a passage from outside may be read on. */
function isOpen({ passage, closers, matched }: Open): boolean {
  return PASSAGES[passage] !== undefined &&
    closers.every((closer, index) =>
      typeof closer === "string" &&
      (matched[index] ?? 0) in Array.from(closer)
    );
}

/** Whether a passage may begin with a code unit that is not the message's first. */
export function mayBeginPassage(unit: number): boolean {
  return STARTS[unit] === 1;
}

/** Of a name's first letter and its length, one number. */
function sizeOf(first: number, length: number): number {
  return (first & 0x1f) * LONGEST_NAME + length;
}

/** Whether nothing but blanks stand before an index on its line. */
function isFirst(text: string, at: number, onBlank: boolean): boolean {
  for (let before = at - 1; before >= 0; before--) {
    const unit = text.charCodeAt(before);
    if (!isBlank(unit)) return isLineEnd(unit);
  }
  return onBlank;
}

/** Whether a text may end in the middle of a beginning that is no markup. */
function mayEndInside(text: string): boolean {
  const ends = HALF_WORDS.get(lastUnit(text));
  return ends !== undefined && ends.some((end) => text.endsWith(end));
}

/** Three quotation marks, and no more. */
function findQuotes(
  text: string,
  from: number,
  final: boolean,
): Found | typeof NO_OPENER | typeof PART_OF_OPENER {
  const unit = text.charCodeAt(from);
  let at = from + 1;
  while (text.charCodeAt(at) === unit) at++;
  const run = at - from;
  if (at === text.length && run <= 3 && !final) return PART_OF_OPENER;
  if (run !== 3) {
    return run < 3 ? NO_OPENER : { passage: undefined, length: run };
  }
  const passage = unit === SINGLE ? SINGLES : DOUBLES;
  while (at < from + 3 + MOST_BLANKS && isBlank(text.charCodeAt(at))) at++;
  if (at === text.length) {
    return final ? { passage, length: 3 } : PART_OF_OPENER;
  }
  return isLineEnd(text.charCodeAt(at))
    ? { passage, length: at - from, last: true }
    : { passage, length: 3 };
}

const DOUBLES = PASSAGES.find(({ openers }) => openers[0] === '"""')!;
const SINGLES = PASSAGES.find(({ openers }) => openers[0] === "'''")!;

/** What may end a tag of this name: models do not always repeat capitals and prefixes. */
function closersOf(name: string): string[] {
  const plain = name.slice(name.lastIndexOf(":") + 1);
  return [...new Set([name, plain, name.toLowerCase(), plain.toLowerCase()])]
    .map((one) => `</${one}>`);
}

/** How much of a closer there is with one code unit more. */
function advance(closer: string, matched: number, unit: number): number {
  for (let had = matched;; had--) {
    if (
      closer.charCodeAt(had) === unit &&
      (had === matched ||
        closer.startsWith(closer.slice(matched - had, matched)))
    ) return had + 1;
    if (had === 0) return 0;
  }
}

function endRun(open: Open): void {
  if (open.ticks === 0) open.ticks = open.run;
  else if (open.ticks === open.run) {
    open.ticks = 0;
    open.closing = false;
  }
  open.run = 0;
}

function lastUnit(text: string): number {
  return text.charCodeAt(text.length - 1);
}

/** Whether a tag's name may have this code unit. */
function isNamePart(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a || unit >= 0x30 && unit <= 0x39 ||
    unit === 0x2d || unit === 0x2e || unit === 0x3a || unit === 0x5f;
}
