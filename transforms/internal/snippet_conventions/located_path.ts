import type { SnippetPlace } from "../../snippet_convention.ts";
import { anchoredPath, bracketedRange } from "../line_range.ts";

/**
 * The place that a path word tells with what may follow it: `path`,
 * `path#L3-L9`, `path (3-9)`, `path {highlighted lines}`.
 */
export function locatedPath(
  word: string,
  rest: string,
  language: string | null,
): SnippetPlace {
  const { path, lineRange } = anchoredPath(withoutBraces(word));
  const range = bracketedRange(rest)?.lineRange ?? lineRange;
  return {
    language,
    filePath: path,
    ...(range === undefined ? {} : { lineRange: range }),
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
