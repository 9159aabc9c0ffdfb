import type { SnippetPlace } from "../../snippet_convention.ts";
import { anchoredPath, bracketedRange, lineRange } from "../line_range.ts";

/**
 * The place that a path word tells with what may follow it: `path`,
 * `path#L3-L9`, `path (3-9)`, `path {highlighted lines}`.
 */
export function locatedPath(
  word: string,
  rest: string,
  language: string | null,
): SnippetPlace {
  const { path, lineRange: inside } = pathWord(word);
  const range = bracketedRange(rest)?.lineRange ?? inside;
  return {
    language,
    filePath: path,
    ...(range === undefined ? {} : { lineRange: range }),
  };
}

/**
 * The path in a word: `path`, `path#L3-L9`, `path:3-9`, `path(3-9)`, `a.ts:3`,
 * `a.ts:3:14`, `path{highlighted lines}`.
 */
export function pathWord(
  word: string,
): { path: string; lineRange: [number, number] | undefined } {
  const bare = withoutBraces(word);
  const open = bare.endsWith(")") ? bare.lastIndexOf("(") : -1;
  const bracketed = open > 0 ? bracketedRange(bare.slice(open)) : undefined;
  if (bracketed !== undefined) {
    return { path: bare.slice(0, open), lineRange: bracketed.lineRange };
  }
  const match = /^(.*[^:\d]):L?(\d{1,15})-L?(\d{1,15})$/i.exec(bare) ??
    // A name may end in digits behind a colon, but hardly behind an extension.
    /^(.*\.[A-Za-z]\w{0,15}):(\d{1,15})(?::\d{1,15})?$/.exec(bare);
  return match === null ? anchoredPath(bare) : {
    path: match[1]!,
    lineRange: lineRange(match[2]!, match[3] ?? match[2]!),
  };
}

/** The word without highlighted lines at its end: `a.ts{1,3}` is `a.ts`. */
export function withoutBraces(word: string): string {
  return word.replace(/\{[\d,-]*\}$/, "");
}

/** First word and what follows it. */
export function splitWord(text: string): [string, string] {
  const end = text.search(/\s/);
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end).trim()];
}
