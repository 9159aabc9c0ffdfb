/**
 * Follows a paragraph that begins with `[` and tells whether it consists of
 * nothing but link reference definitions so far. That is all a fence tracker
 * needs of them: a line of `=` or `-` under such a paragraph makes no heading,
 * so the paragraph goes on, and an open paragraph changes what a list marker,
 * an indented line and a lone tag may do.
 *
 * ```text
 *   START ─[─▶ LABEL ─]─▶ COLON ─:─▶ BEFORE ─▶ TARGET ─▶ AFTER ─line end─▶ NEXT_LINE
 *     ▲                                                    │ blank            │
 *     └──────line end── AFTER_TITLE ◀── TITLE ◀──quote─────┴──────quote───────┘
 * ```
 *
 * "Complete" in START and NEXT_LINE; a misfit ends in DEAD. The rules are those of
 * the reference implementation, down to a tab that is no blank here.
 */
export interface LinkDefinitions {
  /** Where the reading is; see the constants below. */
  state: number;
  /** Length of the label so far, or depth of the round brackets. */
  count: number;
  /** Whether the label holds more than white space. */
  filled: boolean;
  /** Whether a back-slash was the last character. */
  escaped: boolean;
  /** The title's closing character. */
  quote: number;
}

const START = 0;
const LABEL = 1;
const COLON = 2;
const BEFORE = 3;
const ANGLE_TARGET = 4;
const TARGET = 5;
const AFTER_TARGET = 6;
const AFTER_SPACE = 7;
const NEXT_LINE = 8;
const TITLE = 9;
const AFTER_TITLE = 10;
const DEAD = 11;

const LONGEST_LABEL = 999;

/** Begins before the paragraph's first character. */
export function startDefinitions(): LinkDefinitions {
  return { state: START, count: 0, filled: false, escaped: false, quote: 0 };
}

/** Whether everything so far is definitions. Asked at line starts. */
export function areComplete(definitions: LinkDefinitions): boolean {
  return definitions.state === START || definitions.state === NEXT_LINE;
}

/**
 * Reads one more character of the paragraph (lines without their indentation, a
 * line feed between). Returns whether definitions are still possible.
 */
export function readDefinitions(
  definitions: LinkDefinitions,
  code: number,
): boolean {
  definitions.state = next(definitions, code);
  return definitions.state !== DEAD;
}

function next(definitions: LinkDefinitions, code: number): number {
  switch (definitions.state) {
    case START:
      return code === 0x5b ? label(definitions) : DEAD;
    case LABEL:
      if (!definitions.escaped) {
        if (code === 0x5d) return definitions.filled ? COLON : DEAD;
        if (code === 0x5b) return DEAD;
      }
      definitions.escaped = code === 0x5c && !definitions.escaped;
      // White space as `trim` knows it.
      definitions.filled ||= String.fromCharCode(code).trim() !== "";
      return ++definitions.count > LONGEST_LABEL ? DEAD : LABEL;
    case COLON:
      return code === 0x3a ? BEFORE : DEAD;
    case BEFORE:
      if (code === 0x20 || code === 0x0a) return BEFORE;
      definitions.count = 0;
      if (code === 0x3c) return ANGLE_TARGET;
      return isWhite(code) ? DEAD : target(definitions, code);
    case ANGLE_TARGET:
      if (definitions.escaped) {
        definitions.escaped = false;
        return isLineBreak(code) ? DEAD : ANGLE_TARGET;
      }
      definitions.escaped = code === 0x5c;
      if (code === 0x3e) return AFTER_TARGET;
      return code === 0x3c || code === 0x0a ? DEAD : ANGLE_TARGET;
    case TARGET:
      if (definitions.escaped) {
        definitions.escaped = false;
        if (isEscapable(code)) return TARGET;
      }
      if (!isWhite(code)) return target(definitions, code);
      return definitions.count === 0 ? afterTarget(code) : DEAD;
    case AFTER_TARGET:
      return afterTarget(code);
    case AFTER_SPACE:
      return isQuote(code) ? title(definitions, code) : afterTarget(code);
    case NEXT_LINE:
      if (code === 0x5b) return label(definitions);
      return isQuote(code) ? title(definitions, code) : DEAD;
    case TITLE:
      if (definitions.escaped) {
        definitions.escaped = false;
        return TITLE;
      }
      definitions.escaped = code === 0x5c;
      if (code === definitions.quote) return AFTER_TITLE;
      return code === 0x28 && definitions.quote === 0x29 ? DEAD : TITLE;
    case AFTER_TITLE:
      if (code === 0x20) return AFTER_TITLE;
      return code === 0x0a ? START : DEAD;
    default:
      return DEAD;
  }
}

function label(definitions: LinkDefinitions): number {
  definitions.count = 0;
  definitions.filled = definitions.escaped = false;
  return LABEL;
}

function target(definitions: LinkDefinitions, code: number): number {
  if (code === 0x28) definitions.count++;
  else if (code === 0x29 && --definitions.count < 0) return DEAD;
  definitions.escaped = code === 0x5c;
  return TARGET;
}

function afterTarget(code: number): number {
  if (code === 0x20) return AFTER_SPACE;
  return code === 0x0a ? NEXT_LINE : DEAD;
}

function title(definitions: LinkDefinitions, code: number): number {
  definitions.quote = code === 0x28 ? 0x29 : code;
  definitions.escaped = false;
  return TITLE;
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x28;
}

function isWhite(code: number): boolean {
  return code === 0x20 || (code >= 9 && code <= 13);
}

function isLineBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;
}

/** ASCII punctuation. */
function isEscapable(code: number): boolean {
  return (code >= 0x21 && code <= 0x2f) || (code >= 0x3a && code <= 0x40) ||
    (code >= 0x5b && code <= 0x60) || (code >= 0x7b && code <= 0x7e);
}
