import type { SnippetConvention } from "../../snippet_convention.ts";
import { isPathLike } from "../path_like.ts";
import { isAcronymPair } from "./acronym_pair.ts";
import {
  locatedPath,
  pathWord,
  splitWord,
  withoutBraces,
} from "./located_path.ts";

/** `ts src/x.ts`, with `(3-9)` or `#L3-L9` behind it: Continue, Zed and others. */
export const languagePath: SnippetConvention = {
  name: "language-path",
  source: "info",
  find({ info }) {
    const [language, meta] = splitWord(info);
    const [word, rest] = splitWord(meta);
    if (language.startsWith("{") || word.startsWith("{")) return undefined;
    // `[a.ts]` is a title of its own kind, `[id].tsx` is a name.
    if (word.startsWith("[") && !/\][^\]]+$/.test(withoutBraces(word))) {
      return undefined;
    }
    const { path } = pathWord(word);
    if (
      !isPathLike(path) || path.includes("=") || isAcronymPair(path) ||
      // Characters to highlight (rehype-pretty-code): `/word/3-5`.
      /^\/[^/]*\/[\d,-]*(?:#\w*)?$/.test(word)
    ) return undefined;
    return locatedPath(word, rest, withoutBraces(language));
  },
};
