import { isBlank } from "./code_units.ts";
import { setOwn } from "./own_property.ts";

/*
 * A line that opens or closes a container, read one code unit at a time:
 *
 *     :::name[label]{#id .class key key=value key="value"}
 *     :::
 *
 *  indent --> colons --> name --> label --> labelled
 *               |         |  "{"              |  "{"
 *               |         +--> list <---------+        key --"="--> value --> bare
 *               |         |      |  "}"    list <----------------------+        |
 *               |         |      v           ^                         v        |
 *               |         +--> behind        +----------------- double, single -+
 *               |  blank        |  line end
 *               +--> closing    +--> done, or carriage --> done (a line feed belongs to it)
 *
 * It is dead at the first impossible code unit. The grammar is the one of
 * container directives as micromark-extension-directive reads them: no blank
 * between name, label and attributes, nothing behind them.
 */

/** Where in the line the reading stands. */
export type ContainerPhase =
  | "indent"
  | "colons"
  | "closing"
  | "name"
  | "label"
  | "escape"
  | "labelled"
  | "list"
  | "shorthand"
  | "key"
  | "value"
  | "bare"
  | "double"
  | "single"
  | "quoted"
  | "behind"
  | "carriage"
  | "done"
  | "dead";

/** A line that is being read. Plain data. */
export interface ContainerState {
  phase: ContainerPhase;
  /** Spaces before the colons. */
  indent: number;
  /** How many colons. */
  colons: number;
  /** The name as far as it came; empty for a closer. */
  name: string;
  /** Open brackets in the label. */
  depth: number;
}

/** What a container line may be now. */
export interface ContainerNames {
  /** The names that may open; `null` for any. */
  readonly openers: readonly string[] | null;
  /** The fewest colons of a closer; 0 when there is nothing to close. */
  readonly closer: number;
  /** Whether names are compared in lower case. */
  readonly fold: boolean;
}

/** A line of which nothing is there yet. */
export function startContainer(): ContainerState {
  return { phase: "indent", indent: 0, colons: 0, name: "", depth: 0 };
}

/**
 * Reads one more code unit and gives the new phase. After a carriage return
 * that is not followed by a line feed, `"done"` comes one code unit late:
 * that code unit is not part of the line, and `carriage` was the phase before.
 */
export function stepContainer(
  line: ContainerState,
  code: number,
  names: ContainerNames,
): ContainerPhase {
  return line.phase = nextPhase(line, code, names);
}

/** The phase when no more code unit comes: `"done"` when the line is whole. */
export function endContainer(
  line: ContainerState,
  names: ContainerNames,
): ContainerPhase {
  // The end of the stream ends a line as a line end does.
  return line.phase === "carriage"
    ? "done"
    : nextPhase(line, LF, names) === "done"
    ? "done"
    : "dead";
}

function nextPhase(
  line: ContainerState,
  code: number,
  names: ContainerNames,
): ContainerPhase {
  switch (line.phase) {
    case "indent":
      if (code === SPACE) return ++line.indent > 3 ? "dead" : "indent";
      if (code !== COLON) return "dead";
      line.colons = 1;
      return "colons";
    case "colons":
      if (code === COLON) {
        line.colons++;
        return "colons";
      }
      if (line.colons < 3) return "dead";
      if (isNameUnit(code)) return nameGrows(line, code, names);
      if (names.closer === 0 || line.colons < names.closer) return "dead";
      return behind(code, "closing");
    case "closing":
      return behind(code, "closing");
    case "name":
      if (isNameUnit(code)) return nameGrows(line, code, names);
      if (
        names.openers !== null && !names.openers.includes(folded(line, names))
      ) {
        return "dead";
      }
      if (code === LEFT_BRACKET) {
        line.depth = 1;
        return "label";
      }
      return code === LEFT_BRACE ? "list" : behind(code, "behind");
    case "label":
      if (code === LF || code === CR) return "dead";
      if (code === BACKSLASH) return "escape";
      if (code === LEFT_BRACKET) line.depth++;
      else if (code === RIGHT_BRACKET && --line.depth === 0) return "labelled";
      return "label";
    case "escape":
      return code === LF || code === CR ? "dead" : "label";
    case "labelled":
      return code === LEFT_BRACE ? "list" : behind(code, "behind");
    case "list":
    case "quoted":
      if (code === RIGHT_BRACE) return "behind";
      if (isBlank(code)) return "list";
      if (line.phase === "quoted") return "dead";
      if (code === HASH || code === DOT) return "shorthand";
      return isKeyUnit(code) ? "key" : "dead";
    case "shorthand":
      if (code === RIGHT_BRACE) return "behind";
      if (isBlank(code)) return "list";
      if (code === HASH || code === DOT) return "shorthand";
      return isKeyUnit(code) ? "shorthand" : "dead";
    case "key":
      if (code === RIGHT_BRACE) return "behind";
      if (isBlank(code)) return "list";
      if (code === EQUALS) return "value";
      return isKeyUnit(code) ? "key" : "dead";
    case "value":
      if (code === DOUBLE) return "double";
      if (code === SINGLE) return "single";
      return isBareUnit(code) ? "bare" : "dead";
    case "bare":
      if (code === RIGHT_BRACE) return "behind";
      if (isBlank(code)) return "list";
      return isBareUnit(code) ? "bare" : "dead";
    case "double":
      if (code === LF || code === CR) return "dead";
      return code === DOUBLE ? "quoted" : "double";
    case "single":
      if (code === LF || code === CR) return "dead";
      return code === SINGLE ? "quoted" : "single";
    case "behind":
      return behind(code, "behind");
    case "carriage":
      return "done";
    case "done":
    case "dead":
      return line.phase;
  }
}

/** Blanks and the line end, which may follow a whole line's content. */
function behind(code: number, phase: ContainerPhase): ContainerPhase {
  if (code === LF) return "done";
  if (code === CR) return "carriage";
  return isBlank(code) ? phase : "dead";
}

function nameGrows(
  line: ContainerState,
  code: number,
  names: ContainerNames,
): ContainerPhase {
  line.name += String.fromCharCode(code);
  if (names.openers === null) return "name";
  const name = folded(line, names);
  for (const one of names.openers) {
    if (one.startsWith(name)) return "name";
  }
  return "dead";
}

function folded(line: ContainerState, names: ContainerNames): string {
  return names.fold ? line.name.toLowerCase() : line.name;
}

/** Letters, digits, "-" and "_", and everything beyond ASCII. */
function isNameUnit(code: number): boolean {
  return code >= 0x80 || (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) || (code >= 97 && code <= 122) ||
    code === 45 || code === 95;
}

/** What the name of an attribute is made of. */
function isKeyUnit(code: number): boolean {
  return isNameUnit(code) || code === DOT || code === COLON;
}

/** What a value without quotes is made of. */
function isBareUnit(code: number): boolean {
  return code !== LF && code !== CR && !isBlank(code) && code !== DOUBLE &&
    code !== SINGLE && code !== EQUALS && code !== LESS && code !== MORE &&
    code !== TICK && code !== RIGHT_BRACE;
}

/** Whether a word can be the name of a container. */
export function isContainerName(name: string): boolean {
  if (name === "") return false;
  for (let index = 0; index < name.length; index++) {
    if (!isNameUnit(name.charCodeAt(index))) return false;
  }
  return true;
}

/** What stands in a container's opening line besides its name. */
export interface ContainerOpening {
  /** The text in brackets, as written; `undefined` without any. */
  label: string | undefined;
  /** The attributes. A name that comes twice keeps its last value, classes are joined. */
  attributes: Record<string, string>;
}

/** Reads a complete opening line. */
export function readContainerOpening(line: string): ContainerOpening {
  const attributes: Record<string, string> = {};
  let label: string | undefined;
  let index = 0;
  while (!isNameUnit(line.charCodeAt(index))) index++;
  while (isNameUnit(line.charCodeAt(index))) index++;
  if (line.charCodeAt(index) === LEFT_BRACKET) {
    const from = ++index;
    for (let depth = 1; depth > 0; index++) {
      const code = line.charCodeAt(index);
      if (code === BACKSLASH) index++;
      else if (code === LEFT_BRACKET) depth++;
      else if (code === RIGHT_BRACKET) depth--;
    }
    label = line.slice(from, index - 1);
  }
  if (line.charCodeAt(index) !== LEFT_BRACE) return { label, attributes };
  const classes: string[] = [];
  for (index++; line.charCodeAt(index) !== RIGHT_BRACE;) {
    const code = line.charCodeAt(index);
    if (isBlank(code)) {
      index++;
      continue;
    }
    const shorthand = code === HASH || code === DOT;
    const from = shorthand ? index + 1 : index;
    index++;
    while (isWordUnit(line.charCodeAt(index), shorthand)) index++;
    const word = line.slice(from, index);
    if (shorthand) {
      if (code === DOT) classes.push(word);
      else setOwn(attributes, "id", word);
      continue;
    }
    let value = "";
    if (line.charCodeAt(index) === EQUALS) {
      const quote = line.charAt(++index);
      if (quote === '"' || quote === "'") {
        const close = line.indexOf(quote, index + 1);
        value = line.slice(index + 1, close);
        index = close + 1;
      } else {
        const start = index;
        while (isBareUnit(line.charCodeAt(index))) index++;
        value = line.slice(start, index);
      }
    }
    if (word === "class") classes.push(value);
    else setOwn(attributes, word, value);
  }
  if (classes.length > 0) setOwn(attributes, "class", classes.join(" "));
  return { label, attributes };
}

/** A dot inside a key belongs to it; in the shorthand form it begins a class. */
function isWordUnit(code: number, shorthand: boolean): boolean {
  return isKeyUnit(code) && !(shorthand && code === DOT);
}

/** What a closed or nested container does to the open ones. */
export function closeLevel(levels: readonly number[], colons: number): number {
  // One of exactly its length first, so that `::::` closes the outer one of
  // `::::` and `:::` although the inner one was left open.
  let found = levels.lastIndexOf(colons);
  for (let level = levels.length - 1; found < 0 && level >= 0; level--) {
    if (levels[level]! < colons) found = level;
  }
  return found;
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const DOUBLE = 34;
const HASH = 35;
const SINGLE = 39;
const DOT = 46;
const COLON = 58;
const LESS = 60;
const EQUALS = 61;
const MORE = 62;
const LEFT_BRACKET = 91;
const BACKSLASH = 92;
const RIGHT_BRACKET = 93;
const TICK = 96;
const LEFT_BRACE = 123;
const RIGHT_BRACE = 125;
