import type { SnippetConvention } from "../../snippet_convention.ts";
import { isKnownLanguage } from "../../language_id.ts";
import { isPathLike, isThing } from "../path_like.ts";
import { isAcronymPair } from "./acronym_pair.ts";
import { citedPath } from "./citation.ts";
import {
  locatedPath,
  pathWord,
  splitWord,
  withoutBraces,
} from "./located_path.ts";

/** `ts src/x.ts`, with `(3-9)` or `#L3-L9` behind it: Continue, Zed and others; `diff ts:src/x.ts`: Zenn. */
export const languagePath: SnippetConvention = {
  name: "language-path",
  source: "info",
  find({ info }) {
    const [language, meta] = splitWord(info);
    const [written, rest] = splitWord(meta);
    const word = plainWord(written);
    const cited = citedPath(word);
    if (cited !== undefined) return { ...cited, language };
    if (language.startsWith("{") || word.startsWith("{")) return undefined;
    // `[a.ts]` is a title of its own kind, `[id].tsx` is a name.
    if (word.startsWith("[") && !/\][^\]]+$/.test(withoutBraces(word))) {
      return undefined;
    }
    const { path } = pathWord(word);
    if (
      !isPathLike(path) || path.includes("=") || isAcronymPair(path) ||
      isThing(path) ||
      // Characters to highlight (rehype-pretty-code): `/word/3-5`.
      /^\/[^/]*\/[\d,-]*(?:#\w*)?$/.test(word)
    ) return undefined;
    return locatedPath(
      word,
      rest,
      withoutBraces(language.replace(/[,:;]$/, "")),
    );
  },
};

const FRONT = "'(\"`";
const BACK = "')\"`";

/** A word without quotes or brackets around it, and without `file:` or a language before it. */
function plainWord(word: string): string {
  const last = word.length - 1;
  const quote = FRONT.indexOf(word[0]!);
  if (quote >= 0 && last > 1 && word.indexOf(BACK[quote]!, 1) === last) {
    return word.slice(1, -1);
  }
  const colon = word.indexOf(":");
  const before = word.slice(0, colon);
  // One letter is a drive.
  return colon > 1 && !word.startsWith("://", colon) &&
      (/^(?:file|filename|filepath|path)$/i.test(before) ||
        isKnownLanguage(before))
    ? word.slice(colon + 1)
    : word;
}
