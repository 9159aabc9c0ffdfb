import type { Fence } from "../part.ts";
import type { HtmlOpening } from "./html_blocks.ts";
import type { LinkDefinitions } from "./link_definitions.ts";
import type { LineKind } from "./markdown_lines.ts";

/** Where in a line the reading is. The pictures are at {@linkcode BlockLines} and {@linkcode LooseLines}. */
export const CONTINUE = 0;
export const AFTER_QUOTE = 1;
export const BLOCK = 2;
export const MIDDLE = 3;
export const HASHES = 4;
export const BULLET = 5;
export const NUMBER = 6;
export const LIST_BLANKS = 7;
export const OPENER = 8;
export const INFO = 9;
export const INSIDE = 10;
export const CLOSER = 11;
export const CLOSER_BLANKS = 12;
/** Only with `glued`: a closing line with a tag or the next opening line right behind. */
export const CLOSER_TAG = 13;
export const CLOSER_OPENER = 14;
/** Only with `glued`: a run in the middle of a line, what may be its info word, the end of a code line. */
export const LATE_RUN = 15;
export const LATE_INFO = 16;
export const LATE_CLOSER = 17;
export const LATE_EXCESS = 18;
/** Only in mode "loose". */
export const LOOSE = 19;
export const LOOSE_RUN = 20;
export const LOOSE_INFO = 21;
export const LOOSE_EXCESS = 22;

/** Which leaf block is open. 1 to 7 are the types of HTML blocks. */
export const NO_LEAF = 0;
export const PARAGRAPH = 8;
export const FENCED = 9;

/** In the list of containers: a block quote. A list item stands there as the width of its indentation. */
export const QUOTE = 0;

/** No position. */
export const NONE = -1;

export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
export const HASH = 0x23;
export const CLOSING_BRACKET = 0x29;
export const ASTERISK = 0x2a;
export const PLUS = 0x2b;
export const DASH = 0x2d;
export const SLASH = 0x2f;
export const FULL_STOP = 0x2e;
export const LESS_THAN = 0x3c;
export const EQUALS = 0x3d;
export const GREATER_THAN = 0x3e;
export const OPENING_BRACKET = 0x5b;
export const UNDERSCORE = 0x5f;
export const BACKTICK = 0x60;
export const TILDE = 0x7e;

/** A line that may be a thematic break or a setext underline, whatever else it may be. */
export interface Rule {
  /** The one character it consists of, beside blanks. */
  character: number;
  count: number;
  /** How many containers stay open if it is a break. */
  depth: number;
  /** 0: no underline. 1: an underline. 2: with blanks behind. */
  underline: number;
}

/** Everything that lives on between two calls, as plain data. Positions are offsets in the text channel. */
export interface LineState {
  /** Offset of the next code unit. */
  offset: number;
  /** Undecided text, the last before `offset`. */
  carry: string;
  /** What the text before the undecided is. */
  kind: LineKind;
  /** Where the undecided text begins, or NONE. */
  hold: number;
  phase: number;
  /** Open containers, outermost first. */
  containers: number[];
  /** How many of them this line continues or opened. */
  matched: number;
  /** Column up to which the line is consumed. */
  column: number;
  /** Column behind the blanks after that. */
  next: number;
  /** Where these blanks begin, when there are some. */
  indentAt: number;
  leaf: number;
  /** The innermost container is a list item without content. */
  emptyItem: boolean;
  /** This line may continue the open paragraph. */
  onParagraph: boolean;
  /** Its containers do not go on, yet this line may continue the paragraph. */
  lazy: boolean;
  /** There was text since the last `paragraphEnd`. */
  inlines: boolean;
  /** The line's block is not known before its end (or its next characters). */
  undecided: boolean;
  /** MIDDLE has to look at the characters. */
  watching: boolean;
  rule: Rule | null;
  html: HtmlOpening | null;
  /** End of the part of the line read so far, in an HTML block. */
  htmlTail: string;
  /** The end mark of the HTML block was on this line. */
  htmlEnded: boolean;
  definitions: LinkDefinitions | null;
  /** The open paragraph was nothing but link definitions when this line began. */
  onlyDefinitions: boolean;
  /** Length of the run, number or marker at work. */
  run: number;
  /** Where the run begins. */
  runAt: number;
  /** The run's character. */
  runCharacter: number;
  /** Value of the list number at work. */
  value: number;
  /** Indentation of the list marker at work. */
  markerIndent: number;
  fence: Fence | null;
  /** Columns that content lines lose. */
  fenceIndent: number;
  /** With `nested`: lengths of the markers open inside the fence. */
  inner: number[];
  /** With `nested`: length of the marker that this content line opens, unless a tick follows. */
  innerRun: number;
  /** With `glued`: length of a run that waits for its partner on this line. */
  lineRun: number;
  /** With `glued` and "loose": what may be an info word so far. 0: blanks, 1: a word, 2: blanks behind it. */
  words: number;
  /** In mode "loose": nothing but blanks on this line so far. */
  lineBlank: boolean;
  /** In mode "loose": the run at work is the first thing on its line. */
  runFirst: boolean;
  /** How many fences there were. */
  fences: number;
  /** A line feed that comes now belongs to the line end before. */
  afterReturn: boolean;
  /** `maxDepth` was reported. */
  tooDeep: boolean;
}

/** The state at the beginning of a text. */
export function newState(phase: number): LineState {
  return {
    offset: 0,
    carry: "",
    kind: "prose",
    hold: NONE,
    phase,
    containers: [],
    matched: 0,
    column: 0,
    next: 0,
    indentAt: 0,
    leaf: NO_LEAF,
    emptyItem: false,
    onParagraph: false,
    lazy: false,
    inlines: false,
    undecided: false,
    watching: false,
    rule: null,
    html: null,
    htmlTail: "",
    htmlEnded: false,
    definitions: null,
    onlyDefinitions: false,
    run: 0,
    runAt: 0,
    runCharacter: 0,
    value: 0,
    markerIndent: 0,
    fence: null,
    fenceIndent: 0,
    inner: [],
    innerRun: 0,
    lineRun: 0,
    words: 0,
    lineBlank: true,
    runFirst: false,
    fences: 0,
    afterReturn: false,
    tooDeep: false,
  };
}
