import { setOwn } from "./own_property.ts";

/*
 * A tag, read one code unit at a time. It is dead at the first impossible one.
 *
 *                        blank                 "="              quote
 *  "<" --> name ----------------> between <--------> attribute --------> double, single
 *   |       |  "/"                 ^  |  "/"           |  blank            |  same quote
 *   |       +------> selfClosing <-+--+--------+       v                   v
 *   |       |  ">"       |  ">"    | ">"       |  afterAttribute        between
 *   |       +----------> done <----+           |       |  "="
 *   |  "/"                ^  ">"               |       v         other
 *   +------> slash --> closing                 +---- value -----------> bare --> between
 *
 * What is accepted is what HTML accepts, minus what only prose looks like: no
 * "<" and no backtick outside quotes, no quote in a name, nothing but ">"
 * behind the "/" of a self-closing tag.
 */

/** Where in a tag the reading stands. */
export type TagPhase =
  | "start"
  | "slash"
  | "name"
  | "closing"
  | "between"
  | "attribute"
  | "afterAttribute"
  | "value"
  | "bare"
  | "double"
  | "single"
  | "selfClosing"
  | "done"
  | "dead";

/** A tag that is being read. Plain data. */
export interface TagState {
  phase: TagPhase;
  /** Whether it began with `</`. */
  closer: boolean;
  /** Whether it ended with `/>`. */
  empty: boolean;
  /** The name as far as it came. */
  name: string;
}

/** The names that may stand in a tag now, lower case when case does not count. */
export interface TagNames {
  readonly openers: readonly string[];
  readonly closers: readonly string[];
  /** Whether names are compared in lower case. */
  readonly fold: boolean;
}

/** A tag of which only the `<` is there. */
export function startTag(): TagState {
  return { phase: "start", closer: false, empty: false, name: "" };
}

/** White space in the sense of HTML. */
export function isHtmlSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13 || code === 12;
}

/** Reads one more code unit and gives the new phase. */
export function stepTag(
  tag: TagState,
  code: number,
  names: TagNames,
): TagPhase {
  return tag.phase = nextPhase(tag, code, names);
}

function nextPhase(tag: TagState, code: number, names: TagNames): TagPhase {
  switch (tag.phase) {
    case "start":
      if (code === SLASH) {
        tag.closer = true;
        return names.closers.length > 0 ? "slash" : "dead";
      }
      return nameGrows(tag, code, names);
    case "slash":
      return nameGrows(tag, code, names);
    case "name":
      if (code === MORE || code === SLASH || isHtmlSpace(code)) {
        if (!has(tag, names)) return "dead";
        if (code === MORE) return "done";
        if (code === SLASH) return tag.closer ? "dead" : "selfClosing";
        return tag.closer ? "closing" : "between";
      }
      return nameGrows(tag, code, names);
    case "closing":
      return code === MORE ? "done" : isHtmlSpace(code) ? "closing" : "dead";
    case "between":
      return between(code);
    case "attribute":
      if (code === EQUALS) return "value";
      if (isHtmlSpace(code)) return "afterAttribute";
      if (code === MORE) return "done";
      if (code === SLASH) return "selfClosing";
      return isNameUnit(code) ? "attribute" : "dead";
    case "afterAttribute":
      if (isHtmlSpace(code)) return "afterAttribute";
      return code === EQUALS ? "value" : between(code);
    case "value":
      if (isHtmlSpace(code)) return "value";
      if (code === DOUBLE) return "double";
      if (code === SINGLE) return "single";
      return code === MORE || code === LESS || code === TICK ? "dead" : "bare";
    case "bare":
      if (isHtmlSpace(code)) return "between";
      if (code === MORE) return "done";
      return code === LESS || code === TICK ? "dead" : "bare";
    case "double":
      return code === DOUBLE ? "between" : "double";
    case "single":
      return code === SINGLE ? "between" : "single";
    case "selfClosing":
      if (code !== MORE) return "dead";
      tag.empty = true;
      return "done";
    case "done":
    case "dead":
      return tag.phase;
  }
}

function between(code: number): TagPhase {
  if (isHtmlSpace(code)) return "between";
  if (code === MORE) return "done";
  if (code === SLASH) return "selfClosing";
  return isNameUnit(code) ? "attribute" : "dead";
}

function nameGrows(tag: TagState, code: number, names: TagNames): TagPhase {
  tag.name += String.fromCharCode(code);
  const name = names.fold ? tag.name.toLowerCase() : tag.name;
  const known = tag.closer ? names.closers : names.openers;
  for (const one of known) {
    if (one.startsWith(name)) return "name";
  }
  return "dead";
}

function has(tag: TagState, names: TagNames): boolean {
  const name = names.fold ? tag.name.toLowerCase() : tag.name;
  return (tag.closer ? names.closers : names.openers).includes(name);
}

/** What a tag or attribute name may be made of. */
function isNameUnit(code: number): boolean {
  return code !== LESS && code !== MORE && code !== SLASH && code !== EQUALS &&
    code !== DOUBLE && code !== SINGLE && code !== TICK && !isHtmlSpace(code);
}

/** Whether a word can be the name of a tag. */
export function isTagName(name: string): boolean {
  if (name === "") return false;
  for (let index = 0; index < name.length; index++) {
    if (!isNameUnit(name.charCodeAt(index))) return false;
  }
  return true;
}

/**
 * The attributes of a complete opener. A name that comes twice keeps its first
 * value, as in HTML.
 */
export function readTagAttributes(
  opener: string,
  name: string,
): Record<string, string> {
  const attributes: Record<string, string> = {};
  const end = opener.length - 1;
  let index = name.length + 1;
  while (index < end) {
    const code = opener.charCodeAt(index);
    if (isHtmlSpace(code) || code === SLASH) {
      index++;
      continue;
    }
    const from = index;
    while (index < end && isNameUnit(opener.charCodeAt(index))) index++;
    const attribute = opener.slice(from, index);
    let value = "";
    let next = index;
    while (isHtmlSpace(opener.charCodeAt(next))) next++;
    if (opener.charCodeAt(next) === EQUALS) {
      next++;
      while (isHtmlSpace(opener.charCodeAt(next))) next++;
      const quote = opener.charCodeAt(next);
      if (quote === DOUBLE || quote === SINGLE) {
        const close = opener.indexOf(quote === DOUBLE ? '"' : "'", next + 1);
        value = opener.slice(next + 1, close);
        index = close + 1;
      } else {
        index = next;
        while (index < end && !isHtmlSpace(opener.charCodeAt(index))) index++;
        value = opener.slice(next, index);
      }
    }
    if (!Object.hasOwn(attributes, attribute)) {
      setOwn(attributes, attribute, value);
    }
  }
  return attributes;
}

const TICK = 96;
const LESS = 60;
const MORE = 62;
const SLASH = 47;
const EQUALS = 61;
const DOUBLE = 34;
const SINGLE = 39;
