import { isLetter } from "./code_units.ts";
import { TICK, TILDE } from "./text_flags.ts";

/** The state of a {@linkcode Backlog} as plain data. */
export interface BacklogSnapshot {
  pieces: string[];
  watched: number;
  marked: boolean;
  calm: boolean;
  tag: string;
}

/** What opens an HTML block that goes on over blank lines. */
const LONG_BLOCKS: readonly string[] = [
  "!",
  "?",
  "pre",
  "script",
  "style",
  "textarea",
];

/**
 * Text that was let pass and that nobody has read yet: what it is matters at few
 * places. When a paragraph begins at the margin behind a blank line, whatever
 * came before is over (lists, quotes, spans, all blocks but fences and some of
 * HTML). If no fence and none of those can have begun, nobody needs to read it.
 *
 * ```text
 *   add ──▶ pieces ──▶ take      to be read after all
 *              └─────▶ forget    up to the last such paragraph
 * ```
 */
export class Backlog {
  #pieces: string[] = [];
  #length = 0;
  /** What characters may be in the pieces. */
  #flags = 0;
  /** How many code units were looked at for HTML already. */
  #watched = 0;
  /** Whether somebody said that there is code in the pieces. */
  #marked = false;
  /** Whether there was nothing so far that blank lines do not end. */
  #calm = true;
  /** A tag name at the end of what was watched that may be one of an HTML block. */
  #tag = "";

  constructor(snapshot?: BacklogSnapshot) {
    if (snapshot === undefined) return;
    for (const piece of snapshot.pieces) this.add(piece, -1);
    this.#watched = snapshot.watched;
    this.#marked = snapshot.marked;
    this.#calm = snapshot.calm;
    this.#tag = snapshot.tag;
  }

  /** Code units that wait. */
  get length(): number {
    return this.#length;
  }

  /** Whether nothing that waits can begin or end code. */
  get plain(): boolean {
    return !this.#marked && ((this.#flags & (TICK | TILDE)) === 0 ||
      !this.#pieces.some((piece) =>
        piece.includes("`") || piece.includes("~")
      ));
  }

  /** The state as plain data. It shares what changes: copy it. */
  snapshot(): BacklogSnapshot {
    return {
      pieces: this.#pieces,
      watched: this.#watched,
      marked: this.#marked,
      calm: this.#calm,
      tag: this.#tag,
    };
  }

  /**
   * The next text.
   *
   * @param flags What characters it may have: see `knownFlagsOf`.
   */
  add(text: string, flags: number): void {
    this.#pieces.push(text);
    this.#length += text.length;
    this.#flags |= flags;
  }

  /** The text just added is code, or somebody says so. */
  mark(): void {
    this.#marked = true;
  }

  /** Text that is not let pass, with nothing waiting, matters too: HTML may begin in it. */
  watch(text: string): void {
    if (!this.#calm) return;
    const all = this.#tag + text;
    this.#tag = "";
    for (let at = all.indexOf("<"); at >= 0; at = all.indexOf("<", at + 1)) {
      if (!mayBeLong(all.charCodeAt(at + 1), all.charCodeAt(at + 2))) continue;
      const name = all.slice(at + 1, at + 9).toLowerCase();
      if (LONG_BLOCKS.some((one) => name.startsWith(one))) {
        this.#calm = false;
        return;
      }
      if (
        at + 1 + name.length === all.length &&
        LONG_BLOCKS.some((one) => one.startsWith(name))
      ) this.#tag = all.slice(at);
    }
  }

  /** Takes all that waits. */
  take(): string {
    const text = this.#joined();
    this.watch(text.slice(this.#watched));
    this.#keep("");
    this.#marked = false;
    return text;
  }

  /**
   * Forgets what comes before the last paragraph, if nothing reaches into that and
   * what stays is shorter than `limit`. Gives how much it forgot.
   *
   * @param knowsFences Whether the caller knows that the paragraph is in no fence;
   * else to be asked only when none is open before all that waits.
   * @param mayForget Asked about what would be forgotten, with the flags of all that waits.
   */
  forget(
    limit: number,
    knowsFences: boolean,
    mayForget?: (text: string, flags: number) => boolean,
  ): number {
    if ((this.#marked && !knowsFences) || !this.#calm) return 0;
    const text = this.#joined();
    this.#pieces = [text];
    const from = lastParagraph(text);
    if (
      from <= 0 || text.length - from >= limit ||
      (!knowsFences && hasRun(text, from, this.#flags))
    ) return 0;
    if (
      mayForget !== undefined && !mayForget(text.slice(0, from), this.#flags)
    ) return 0;
    this.watch(text.slice(this.#watched, from));
    this.#watched = Math.max(this.#watched, from);
    if (!this.#calm) return 0;
    const watched = this.#watched - from;
    this.#keep(text.slice(from));
    this.#watched = watched;
    return from;
  }

  #joined(): string {
    return this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join("");
  }

  #keep(text: string): void {
    this.#pieces = text === "" ? [] : [text];
    this.#length = text.length;
    this.#watched = 0;
    if (text === "") this.#flags = 0;
  }
}

/** Whether an HTML block of those may begin with these two code units; `NaN` when they did not come yet. */
function mayBeLong(first: number, second: number): boolean {
  if (first !== first || first === 0x21 || first === 0x3f) return true;
  const next = second | 0x20;
  switch (first | 0x20) {
    case 0x70: // pre
      return second !== second || next === 0x72;
    case 0x73: // script, style
      return second !== second || next === 0x63 || next === 0x74;
    case 0x74: // textarea
      return second !== second || next === 0x65;
    default:
      return false;
  }
}

/** More blank lines than these with no paragraph behind them are not worth a look. */
const MOST_BLANKS = 64;

/** Where the last paragraph begins that has a blank line before it, a letter first, and no indentation; −1 without. */
function lastParagraph(text: string): number {
  let at = text.lastIndexOf("\n\n");
  for (let blanks = 0; at >= 0 && blanks < MOST_BLANKS; blanks++) {
    if (isLetter(text.charCodeAt(at + 2))) return at + 2;
    at = at === 0 ? -1 : text.lastIndexOf("\n\n", at - 1);
  }
  return -1;
}

/** Whether what begins or ends a fence is in a text before an index. */
function hasRun(text: string, before: number, flags: number): boolean {
  return (flags & TICK) !== 0 && isBefore(text.indexOf("```"), before) ||
    (flags & TILDE) !== 0 && isBefore(text.indexOf("~~~"), before);
}

function isBefore(found: number, before: number): boolean {
  return found >= 0 && found < before;
}
