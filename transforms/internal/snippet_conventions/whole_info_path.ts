import type { SnippetConvention } from "../../snippet_convention.ts";
import { isKnownLanguage } from "../../language_id.ts";
import { bracketedRange } from "../line_range.ts";
import { extension, isDottedName, isPathLike } from "../path_like.ts";
import { isAcronymPair } from "./acronym_pair.ts";
import { locatedPath, pathWord, splitWord } from "./located_path.ts";

/** `src/main.rs`, `path/x.rs#L10-20`, `src/main.rs (3-9)`: a path where the language should be. */
export const wholeInfoPath: SnippetConvention = {
  name: "whole-info-path",
  source: "info",
  find({ info }) {
    const [word, rest] = splitWord(info);
    const { path } = pathWord(word);
    if (
      !isPathLike(path) || isNoPath(path) ||
      // `[a.ts]` and `ts[a.ts]` are titles of their own kind.
      /^\[|[={}]/.test(path) ||
      /^[\w+#-]+\[/.test(path) && path.endsWith("]")
    ) return undefined;
    // A name with a dot may be a language; behind a path any words may stand.
    const isSure = /[/\\]/.test(path) && extension(path) !== undefined;
    if (
      rest !== "" && !isSure && bracketedRange(rest) === undefined &&
      !/^\{.*\}$/.test(rest)
    ) return undefined;
    return locatedPath(word, rest, null);
  },
};

/** Languages and other things that have a slash or a dot in their name. */
function isNoPath(path: string): boolean {
  if (isDottedName(path) || isAcronymPair(path)) return true;
  if (extension(path) !== undefined && !path.includes("+")) return false;
  // Media types, and two languages in one: `text/html`, `c/c++`, `js/ts`.
  return /^(?:application|audio|font|image|message|model|multipart|text|video)\/[^/]+$/
    .test(path) || path.split("/").every(isKnownLanguage);
}
