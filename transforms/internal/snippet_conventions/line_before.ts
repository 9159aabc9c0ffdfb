import { isKnownExtension } from "../../language_id.ts";
import type { SnippetConvention } from "../../snippet_convention.ts";
import { extension, isDottedName, isPathLike } from "../path_like.ts";
import { isAcronymPair } from "./acronym_pair.ts";

/** A line above the fence that holds nothing but a path: Aider and most chat models. */
export const lineBefore: SnippetConvention = {
  name: "line-before",
  source: "line-before",
  find({ lineBefore }) {
    if (lineBefore === undefined) return undefined;
    const path = withoutDecoration(lineBefore);
    return isLonePath(path) ? { filePath: path } : undefined;
  },
};

/** Whether a word that stands alone is a path. */
export function isLonePath(word: string): boolean {
  if (
    /\s/.test(word) || !isPathLike(word) || isDottedName(word) ||
    isAcronymPair(word)
  ) return false;
  if (/[/\\]/.test(word)) return true;
  // `fs.readFile`, `Math.random` and the like are no files.
  const after = extension(word)!;
  return isKnownExtension(after) || after.length <= 4 && !/^[A-Z]/.test(word);
}

/** A line without container marks, heading or list marker, bold, ticks and final colon. */
function withoutDecoration(line: string): string {
  let text = line.replace(/^(?:\s|>|[-*+]\s|\d{1,9}[.)]\s)+/, "");
  if (/^#{1,6}\s/.test(text)) text = trimmedOf(text, "#", "#").trim();
  for (let before = ""; before !== text;) {
    before = text;
    if (text.endsWith(":")) text = text.slice(0, -1).trimEnd();
    for (const mark of ["**", "__", "``", "`", "*", "_"]) {
      if (
        text.length > 2 * mark.length && text.startsWith(mark) &&
        text.endsWith(mark)
      ) {
        text = text.slice(mark.length, -mark.length).trim();
        break;
      }
    }
  }
  return text;
}

/** A text without the characters of `front` at its start and of `back` at its end. */
export function trimmedOf(text: string, front: string, back: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && front.includes(text[start]!)) start++;
  while (end > start && back.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}
