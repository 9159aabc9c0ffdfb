import { isKnownExtension } from "../../language_id.ts";
import type { SnippetConvention } from "../../snippet_convention.ts";
import { extension, isDottedName, isPathLike } from "../path_like.ts";
import { isAcronymPair } from "./acronym_pair.ts";
import { pathWord } from "./located_path.ts";

/** A line above the fence that holds nothing but a path: Aider and most chat models. */
export const lineBefore: SnippetConvention = {
  name: "line-before",
  source: "line-before",
  find({ lineBefore }) {
    // Two words are no path, and no decoration is taken from between them.
    if (
      lineBefore === undefined || !/[./\\]/.test(lineBefore) ||
      /[a-z]\s+[a-z]/i.test(lineBefore)
    ) return undefined;
    const { path, lineRange } = pathWord(withoutDecoration(lineBefore));
    if (!isLonePath(path)) return undefined;
    return {
      filePath: path,
      ...(lineRange === undefined ? {} : { lineRange }),
    };
  },
};

/** Whether a word that stands alone is a path. */
export function isLonePath(word: string): boolean {
  if (
    /\s/.test(word) || !isPathLike(word) || isDottedName(word) ||
    isAcronymPair(word) || !/\p{L}/u.test(word) || /^~~|[.,;!')]$/.test(word)
  ) return false;
  if (/[/\\]/.test(word)) return true;
  // `fs.readFile`, `Math.random` and the like are no files.
  if (OBJECT_MEMBER.test(word)) return false;
  const after = extension(word)!;
  return isKnownExtension(after) ||
    after.length <= 4 && !/^[A-Z]/.test(word) && !OBJECT.test(word);
}

/** Members of objects whose name is an extension; source maps have two of them. */
const OBJECT_MEMBER =
  /^(?:process\.env|(?:console|math|np|torch)\.log|[^.]+\.map)$/i;

/** Objects and modules whose members have short names, `os.path`, `np.sum`. */
const OBJECT =
  /^(?:array|console|document|json|math|module|np|number|object|os|pd|plt|process|promise|re|self|string|sys|this|window)\./i;

/** A line without container marks, heading or list markers, bold, ticks, quotes, link, final colon and hard break. */
export function withoutDecoration(line: string): string {
  let text = line.replace(/\\$/, "").trimEnd();
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replace(
      /^(?:\s|>|[-*+]\s|\d{1,9}[.)]\s|\[[ xX]\]\s)+/,
      "",
    );
    if (/^#{1,6}\s/.test(text)) text = trimmedOf(text, "#", "#").trim();
    if (text.endsWith(":")) text = text.slice(0, -1).trimEnd();
    text = /^\[([^[\]]+)\]\([^()]*\)$/.exec(text)?.[1] ?? text;
    for (const [front, back] of MARKS) {
      if (
        text.length > 2 * front.length && text.startsWith(front) &&
        text.endsWith(back)
      ) {
        text = text.slice(front.length, -back.length).trim();
        break;
      }
    }
  }
  // An underscore that Markdown wants escaped, unless back-slashes are steps.
  return /\\(?!_)/.test(text) ? text : text.replaceAll("\\_", "_");
}

/** What may stand around a path. */
const MARKS: readonly (readonly [string, string])[] = [
  ["**", "**"],
  ["__", "__"],
  ["``", "``"],
  ["`", "`"],
  ["*", "*"],
  ["_", "_"],
  ['"', '"'],
  ["'", "'"],
  ["(", ")"],
];

/** A text without the characters of `front` at its start and of `back` at its end. */
export function trimmedOf(text: string, front: string, back: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && front.includes(text[start]!)) start++;
  while (end > start && back.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}
