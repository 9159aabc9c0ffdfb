import { isDigit, isLetter } from "./code_units.ts";
/**
 * How an HTML block opens, one character after the other.
 *
 * ```text
 *  <  ──┬─ ? ──────────────────────────────────────────▶ type 3
 *       ├─ ! ─┬─ letter ───────────────────────────────▶ type 4
 *       │     ├─ -- ───────────────────────────────────▶ type 2
 *       │     └─ [CDATA[ ──────────────────────────────▶ type 5
 *       └─ / ? name ─┬─ blank, >, line end ────────────▶ type 1 or 6, by name
 *                    └─ attributes ─ / ? > ─ line end ─▶ type 7
 * ```
 *
 * The types are those of CommonMark 0.31.2, section 4.6.
 */
export interface HtmlOpening {
  /** Where the reading is; see the constants below. */
  state: number;
  /** The tag's name in lower case, cut where no known name is as long. */
  name: string;
  /** Whether it is a closing tag. */
  closing: boolean;
  /** Whether types 6 may be found. */
  blocks: boolean;
  /** Whether type 7 may be found. */
  lone: boolean;
  /** Where the reading may be as well; see {@linkcode readEach}. */
  others?: number[];
}

/** The types, as far as they have a say of their own. */
export type HtmlType = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** The line is no opening of an HTML block. */
export const NOT_HTML = -1;
/** It may still become one. */
export const MAYBE_HTML = 0;

const LESS_THAN = 0;
const AFTER_LESS_THAN = 1;
const BANG = 2;
const BANG_DASH = 3;
/** `CDATA + n`: n characters of "CDATA[" were read. */
const CDATA = 4;
const CLOSING = 10;
const NAME = 11;
const SPACE = 12;
const ATTRIBUTE = 13;
const ATTRIBUTE_SPACE = 14;
const EQUALS = 15;
const UNQUOTED = 16;
const SINGLE_QUOTED = 17;
const DOUBLE_QUOTED = 18;
const AFTER_VALUE = 19;
const SLASH = 20;
const CLOSING_SPACE = 21;
const COMPLETE = 22;
const BLOCK_SLASH = 23;

const CDATA_WORD = "CDATA[";
const LONGEST_NAME = 10;

const RAW_NAMES: ReadonlySet<string> = new Set(
  "script pre textarea style".split(" "),
);
const BLOCK_NAMES: ReadonlySet<string> = new Set(
  ("address article aside base basefont blockquote body caption center col " +
    "colgroup dd details dialog dir div dl dt fieldset figcaption figure " +
    "footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe " +
    "legend li link main menu menuitem nav noframes ol optgroup option p " +
    "param search section summary table tbody td tfoot th thead title tr " +
    "track ul").split(" "),
);

/** Begins before a `<`. Which types beside 1 to 5 count depends on the mode and the place. */
export function openHtml(blocks: boolean, lone: boolean): HtmlOpening {
  return { state: LESS_THAN, name: "", closing: false, blocks, lone };
}

/** Reads one more character of the line: {@linkcode MAYBE_HTML}, {@linkcode NOT_HTML}, or the type. */
export function readHtml(
  opening: HtmlOpening,
  code: number,
): HtmlType | typeof MAYBE_HTML | typeof NOT_HTML {
  const { state } = opening;
  return opening.others !== undefined ||
      code >= 0xa0 && (state === EQUALS || state === UNQUOTED)
    ? readEach(opening, code)
    : readOne(opening, code);
}

/**
 * White space beyond ASCII may stand in a value without quotes as well as before
 * and behind it: the reading goes on in both ways.
 */
function readEach(
  opening: HtmlOpening,
  code: number,
): typeof MAYBE_HTML | typeof NOT_HTML {
  const states = new Set<number>();
  for (const state of [opening.state, ...opening.others ?? []]) {
    opening.state = state;
    if (readOne(opening, code) !== NOT_HTML) states.add(opening.state);
    if (code >= 0xa0 && isWhiteSpace(code)) {
      if (state === EQUALS) states.add(UNQUOTED);
      else if (state === UNQUOTED) states.add(SPACE);
    }
  }
  const [first, ...others] = states;
  if (first === undefined) return NOT_HTML;
  opening.state = first;
  if (others.length > 0) opening.others = others;
  else delete opening.others;
  return MAYBE_HTML;
}

function readOne(
  opening: HtmlOpening,
  code: number,
): HtmlType | typeof MAYBE_HTML | typeof NOT_HTML {
  const { state } = opening;
  switch (state) {
    case LESS_THAN:
      return go(opening, AFTER_LESS_THAN);
    case AFTER_LESS_THAN:
      if (code === 0x3f) return 3;
      if (code === 0x21) return go(opening, BANG);
      if (code === 0x2f) {
        opening.closing = true;
        return go(opening, CLOSING);
      }
      return readName(opening, code, isLetter(code));
    case BANG:
      if (code === 0x2d) return go(opening, BANG_DASH);
      if (code === 0x5b) return go(opening, CDATA);
      return isLetter(code) ? 4 : NOT_HTML;
    case BANG_DASH:
      return code === 0x2d ? 2 : NOT_HTML;
    case CLOSING:
      return readName(opening, code, isLetter(code));
    case NAME:
      if (isLetter(code) || isDigit(code) || code === 0x2d) {
        return readName(opening, code, true);
      }
      return afterName(opening, code);
    case BLOCK_SLASH:
      return code === 0x3e ? 6 : NOT_HTML;
    case SPACE:
    case ATTRIBUTE_SPACE:
      if (isWhiteSpace(code)) return MAYBE_HTML;
      if (code === 0x3d && state === ATTRIBUTE_SPACE) {
        return go(opening, EQUALS);
      }
      if (isLetter(code) || code === 0x5f || code === 0x3a) {
        return go(opening, ATTRIBUTE);
      }
      return endOfTag(opening, code);
    case ATTRIBUTE:
      if (
        isLetter(code) || isDigit(code) || code === 0x5f || code === 0x3a ||
        code === 0x2e || code === 0x2d
      ) return MAYBE_HTML;
      if (code === 0x3d) return go(opening, EQUALS);
      if (isWhiteSpace(code)) return go(opening, ATTRIBUTE_SPACE);
      return endOfTag(opening, code);
    case EQUALS:
      if (isWhiteSpace(code)) return MAYBE_HTML;
      if (code === 0x22) return go(opening, DOUBLE_QUOTED);
      if (code === 0x27) return go(opening, SINGLE_QUOTED);
      return isUnquoted(code) ? go(opening, UNQUOTED) : NOT_HTML;
    case UNQUOTED:
      if (code === 0x3e) return go(opening, COMPLETE);
      if (code <= 0x20 && isWhiteSpace(code)) return go(opening, SPACE);
      return isUnquoted(code) ? MAYBE_HTML : NOT_HTML;
    case SINGLE_QUOTED:
      return code === 0x27 ? go(opening, AFTER_VALUE) : MAYBE_HTML;
    case DOUBLE_QUOTED:
      return code === 0x22 ? go(opening, AFTER_VALUE) : MAYBE_HTML;
    case AFTER_VALUE:
      if (isWhiteSpace(code)) return go(opening, SPACE);
      return endOfTag(opening, code);
    case SLASH:
      return code === 0x3e ? go(opening, COMPLETE) : NOT_HTML;
    case CLOSING_SPACE:
      if (code === 0x3e) return go(opening, COMPLETE);
      return isWhiteSpace(code) ? MAYBE_HTML : NOT_HTML;
    case COMPLETE:
      return isWhiteSpace(code) ? MAYBE_HTML : NOT_HTML;
    default: {
      const read = state - CDATA;
      if (code !== CDATA_WORD.charCodeAt(read)) return NOT_HTML;
      return read === CDATA_WORD.length - 1 ? 5 : go(opening, state + 1);
    }
  }
}

/** The line is over. */
export function endHtml(
  opening: HtmlOpening,
): HtmlType | typeof NOT_HTML {
  if (opening.state === COMPLETE || opening.others?.includes(COMPLETE)) {
    return 7;
  }
  if (opening.state === NAME) {
    if (!opening.closing && RAW_NAMES.has(opening.name)) return 1;
    if (opening.blocks && BLOCK_NAMES.has(opening.name)) return 6;
  }
  return NOT_HTML;
}

/** What of the opening already counts for the end mark: `<!-->` is a whole comment. */
export function tailOfOpening(type: HtmlType): string {
  return type === 2 ? "--" : type === 3 ? "?" : "";
}

/** Whether a line of a block of type 1 to 5 holds the block's end mark. */
export function hasHtmlEnd(type: HtmlType, text: string): boolean {
  switch (type) {
    case 1: {
      if (!text.includes("</")) return false;
      const lower = text.toLowerCase();
      for (const name of RAW_NAMES) {
        if (lower.includes(`</${name}>`)) return true;
      }
      return false;
    }
    case 2:
      return text.includes("-->");
    case 3:
      return text.includes("?>");
    case 4:
      return text.includes(">");
    case 5:
      return text.includes("]]>");
    default:
      return false;
  }
}

/** The longest end mark is `</textarea>`: so much of a line has to be remembered less one. */
export const HTML_TAIL = 10;

function go(opening: HtmlOpening, state: number): typeof MAYBE_HTML {
  opening.state = state;
  return MAYBE_HTML;
}

function readName(
  opening: HtmlOpening,
  code: number,
  fits: boolean,
): typeof MAYBE_HTML | typeof NOT_HTML {
  if (!fits) return NOT_HTML;
  // One character too many is enough to be no known name.
  if (opening.name.length <= LONGEST_NAME) {
    opening.name += String.fromCharCode(code).toLowerCase();
  }
  return go(opening, NAME);
}

function afterName(
  opening: HtmlOpening,
  code: number,
): HtmlType | typeof MAYBE_HTML | typeof NOT_HTML {
  const space = isWhiteSpace(code);
  if (space || code === 0x3e) {
    if (!opening.closing && RAW_NAMES.has(opening.name)) return 1;
    if (opening.blocks && BLOCK_NAMES.has(opening.name)) return 6;
  } else if (
    code === 0x2f && opening.blocks && BLOCK_NAMES.has(opening.name)
  ) return go(opening, BLOCK_SLASH);
  if (!opening.lone) return NOT_HTML;
  if (!opening.closing) {
    return space ? go(opening, SPACE) : endOfTag(opening, code);
  }
  if (code === 0x3e) return go(opening, COMPLETE);
  return space ? go(opening, CLOSING_SPACE) : NOT_HTML;
}

function endOfTag(
  opening: HtmlOpening,
  code: number,
): typeof MAYBE_HTML | typeof NOT_HTML {
  if (code === 0x3e) return go(opening, COMPLETE);
  return code === 0x2f ? go(opening, SLASH) : NOT_HTML;
}

function isUnquoted(code: number): boolean {
  return code > 0x20 && code !== 0x22 && code !== 0x27 && code !== 0x3c &&
    code !== 0x3d && code !== 0x3e && code !== 0x60;
}

/** What a regular expression's `\s` matches, which is what the reference uses. */
function isWhiteSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 9 && code <= 13);
  if (code < 0xa0) return false;
  return code === 0xa0 || code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) || code === 0x2028 || code === 0x2029 ||
    code === 0x202f || code === 0x205f || code === 0x3000 || code === 0xfeff;
}
