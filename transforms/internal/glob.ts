/** Whether a normal path (see `normalizePath`) matches. */
export type PathMatcher = (path: string) => boolean;

/** More alternatives than these in one pattern are refused. */
const MOST_ALTERNATIVES = 1_000;

/** Longer patterns are refused. */
const LONGEST_PATTERN = 1_024;

/** One element of a segment's pattern. */
type Token =
  | { kind: "character"; character: string }
  | { kind: "any" }
  | { kind: "star" }
  | { kind: "class"; negated: boolean; ranges: [from: string, to: string][] };

/** A segment's pattern; `null` for `**`. */
type Segment = Token[] | null;

/**
 * Compiles globs into one matcher. A path matches when it matches a pattern, and
 * none of those that begin with `!`. The patterns are a subset of what picomatch
 * and most tools know, case-sensitive:
 *
 * - `*` any characters but `/`; `?` one of them; `[abc]`, `[a-z]`, `[!a]`, `[^a]`
 * - `**` as a whole segment: any number of segments, none too
 * - `{a,b/c}`: alternatives, also nested
 * - a back-slash takes the next character as it is
 * - a final `/` stands for everything below; a leading `./` for nothing
 * - nothing but a `.` itself matches the `.` at a segment's beginning
 *
 * Throws a `TypeError` for everything that other tools read in other ways: `(a|b)` with
 * a sign before it, `{1..3}`, `[[:alpha:]]`, brackets that are not closed, and
 * for patterns that are empty, absolute, or have `..` in them.
 */
export function compileGlobs(patterns: Iterable<string>): PathMatcher {
  const wanted: Segment[][] = [];
  const unwanted: Segment[][] = [];
  for (const pattern of patterns) {
    const negated = pattern.startsWith("!") && !pattern.startsWith("!(");
    const rest = negated ? pattern.slice(1) : pattern;
    (negated ? unwanted : wanted).push(...compile(rest, pattern));
  }
  return (path) => {
    const names = path.split("/");
    return wanted.some((one) => matches(one, names)) &&
      !unwanted.some((one) => matches(one, names));
  };
}

function refuse(pattern: string, why: string): never {
  throw new TypeError(`Cannot read pattern "${pattern}": ${why}`);
}

function compile(pattern: string, whole: string): Segment[][] {
  if (pattern.length > LONGEST_PATTERN) refuse(whole, "it is too long");
  if (/[!@+*?]\(/.test(pattern)) {
    refuse(whole, "groups in parentheses are not supported");
  }
  return expand(pattern, whole).map((one) => {
    const names = splitSegments(one.replace(/^(?:\.\/)+/, ""), whole);
    if (names.at(-1) === "" && names.length > 1) names.splice(-1, 1, "**");
    return names.map((name) => {
      if (name === "") {
        refuse(whole, "it is empty, absolute, or has an empty segment");
      }
      if (name === ".." || name === ".") {
        refuse(whole, `it has "${name}" in it`);
      }
      return name === "**" ? null : tokens(name, whole);
    });
  });
}

/** The pattern once for each of its alternatives. */
function expand(pattern: string, whole: string): string[] {
  let done: string[] = [""];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!;
    let pieces = [character];
    if (character === "\\") {
      pieces = [pattern.slice(at, at + 2)];
      at++;
    } else if (character === "[") {
      const end = classEnd(pattern, at, whole);
      pieces = [pattern.slice(at, end)];
      at = end - 1;
    } else if (character === "{") {
      const { end, parts } = braces(pattern, at, whole);
      pieces = parts.length > 1
        ? parts.flatMap((part) => expand(part, whole))
        : expand(parts[0]!, whole).map((part) => `\\{${part}\\}`);
      at = end - 1;
    }
    if (done.length * pieces.length > MOST_ALTERNATIVES) {
      refuse(whole, "it has too many alternatives");
    }
    done = done.flatMap((left) => pieces.map((right) => left + right));
  }
  return done;
}

/** The alternatives between braces, and the index behind them. */
function braces(
  pattern: string,
  from: number,
  whole: string,
): { end: number; parts: string[] } {
  const parts: string[] = [];
  let depth = 0;
  let begin = from + 1;
  for (let at = from; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at++;
    else if (character === "[") at = classEnd(pattern, at, whole) - 1;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) {
      parts.push(pattern.slice(begin, at));
      if (parts.length === 1 && parts[0]!.includes("..")) {
        refuse(whole, "ranges in braces are not supported");
      }
      return { end: at + 1, parts };
    } else if (character === "," && depth === 1) {
      parts.push(pattern.slice(begin, at));
      begin = at + 1;
    }
  }
  return refuse(whole, "a brace is not closed");
}

/** The index behind a class that begins at `from`. */
function classEnd(pattern: string, from: number, whole: string): number {
  let at = from + 1;
  if (pattern[at] === "!" || pattern[at] === "^") at++;
  // A bracket that comes first is one of the characters.
  if (pattern[at] === "]") at++;
  for (; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern.startsWith("[:", at)) {
      refuse(whole, "named classes are not supported");
    } else if (pattern[at] === "/") {
      refuse(whole, 'a class has "/" in it');
    } else if (pattern[at] === "]") return at + 1;
  }
  return refuse(whole, "a bracket is not closed");
}

function splitSegments(pattern: string, whole: string): string[] {
  const names: string[] = [];
  let name = "";
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!;
    if (character === "/") {
      names.push(name);
      name = "";
    } else if (character === "\\") {
      const next = pattern[++at];
      if (next === undefined || next === "/") {
        refuse(whole, "a back-slash has nothing to escape");
      }
      name += character + next;
    } else name += character;
  }
  names.push(name);
  return names;
}

function tokens(name: string, whole: string): Token[] {
  const all: Token[] = [];
  const characters = [...name];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    if (character === "*") {
      if (all.at(-1)?.kind !== "star") all.push({ kind: "star" });
    } else if (character === "?") all.push({ kind: "any" });
    else if (character === "[") {
      const { token, end } = characterClass(characters, at, whole);
      all.push(token);
      at = end;
    } else {
      if (character === "\\") at++;
      all.push({ kind: "character", character: characters[at]! });
    }
  }
  return all;
}

function characterClass(
  characters: readonly string[],
  from: number,
  whole: string,
): { token: Token; end: number } {
  let at = from + 1;
  const negated = characters[at] === "!" || characters[at] === "^";
  if (negated) at++;
  const ranges: [string, string][] = [];
  const one = (): string => {
    if (characters[at] === "\\") at++;
    return characters[at++]!;
  };
  for (let first = true; first || characters[at] !== "]"; first = false) {
    const low = one();
    if (characters[at] === "-" && characters[at + 1] !== "]") {
      at++;
      const high = one();
      if (high < low) refuse(whole, `"${low}-${high}" is no range`);
      ranges.push([low, high]);
    } else ranges.push([low, low]);
  }
  return { token: { kind: "class", negated, ranges }, end: at };
}

/** Whether the segments match all of the names: a table of what is reached, row by row. */
function matches(
  segments: readonly Segment[],
  names: readonly string[],
): boolean {
  let reached = Array.from(
    { length: names.length + 1 },
    (_, at) => at === 0,
  );
  for (const segment of segments) {
    const next = new Array<boolean>(names.length + 1).fill(false);
    for (let at = 0; at <= names.length; at++) {
      if (segment === null) {
        // None, or one more name that is not hidden.
        next[at] = reached[at]! ||
          at > 0 && next[at - 1]! && !names[at - 1]!.startsWith(".");
      } else if (at > 0) {
        next[at] = reached[at - 1]! && matchesName(segment, names[at - 1]!);
      }
    }
    reached = next;
  }
  return reached[names.length]!;
}

function matchesName(pattern: readonly Token[], name: string): boolean {
  const first = pattern[0];
  if (
    name.startsWith(".") &&
    !(first?.kind === "character" && first.character === ".")
  ) return false;
  const characters = [...name];
  let at = 0;
  let token = 0;
  // Where to go on when it does not match: behind the last star, one further.
  let star = -1;
  let behind = 0;
  while (at < characters.length) {
    const one = pattern[token];
    if (one?.kind === "star") {
      star = token++;
      behind = at;
    } else if (one !== undefined && matchesCharacter(one, characters[at]!)) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++behind;
    } else return false;
  }
  while (pattern[token]?.kind === "star") token++;
  return token === pattern.length;
}

function matchesCharacter(token: Token, character: string): boolean {
  switch (token.kind) {
    case "character":
      return token.character === character;
    case "class":
      return token.ranges.some(([low, high]) =>
        low <= character && character <= high
      ) !== token.negated;
    default:
      return true;
  }
}
