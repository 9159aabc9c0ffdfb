import type { SnippetConvention } from "../../snippet_convention.ts";
import { extension, isFileName, isPathLike, isThing } from "../path_like.ts";
import { isAcronymPair } from "./acronym_pair.ts";
import { pathWord } from "./located_path.ts";

/** `title="src/x.js"`, `file=`, `filename=`, `filepath=`, `path=`: with either quotes or none. */
export const attribute: SnippetConvention = {
  name: "attribute",
  source: "attribute",
  find({ info }) {
    for (const { key, value } of attributesOf(info)) {
      const { path, lineRange } = pathWord(value);
      if (key === "title" ? !isPathTitle(path) : !isFileName(path)) continue;
      return {
        filePath: path,
        ...(lineRange === undefined ? {} : { lineRange }),
      };
    }
    return undefined;
  },
};

const KEYS: ReadonlySet<string> = new Set([
  "file",
  "filename",
  "filepath",
  "path",
  "title",
]);

/** Titles are mostly prose: one of several words has to be a path in earnest. */
function isPathTitle(value: string): boolean {
  return isPathLike(value) && !isAcronymPair(value) && !isThing(value) &&
    (!/\s/.test(value) ||
      value.includes("/") && extension(value) !== undefined);
}

/** The attributes whose key may tell a path, in order. One walk over the info. */
function* attributesOf(
  info: string,
): Generator<{ key: string; value: string }> {
  let at = 0;
  while (at < info.length) {
    const equals = info.indexOf("=", at);
    if (equals < 0) return;
    let keyEnd = equals;
    while (keyEnd > at && /\s/.test(info[keyEnd - 1]!)) keyEnd--;
    let start = keyEnd;
    while (start > at && /[\w-]/.test(info[start - 1]!)) start--;
    const key = info.slice(start, keyEnd).toLowerCase();
    let from = equals + 1;
    while (from < info.length && /\s/.test(info[from]!)) from++;
    const quote = info[from];
    let end: number;
    let value: string;
    if (quote === '"' || quote === "'") {
      end = info.indexOf(quote, from + 1);
      if (end < 0) return;
      value = info.slice(from + 1, end++);
    } else {
      end = equals + 1;
      while (end < info.length && !/[\s,}]/.test(info[end]!)) end++;
      value = info.slice(equals + 1, end);
    }
    if (KEYS.has(key)) yield { key, value };
    at = end;
  }
}
