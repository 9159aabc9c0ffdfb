import type { SnippetConvention } from "../../snippet_convention.ts";
import { isFileName, isThing } from "../path_like.ts";
import { pathWord } from "./located_path.ts";

/** `ts [config/site.ts]{3}`, `ts[a.ts]`: VitePress code groups, Nuxt Content. */
export const bracketedPath: SnippetConvention = {
  name: "bracketed-path",
  source: "info",
  find({ info }) {
    const start = /^[\w+#-]*\[/.exec(info)?.[0].length ??
      info.search(/\s\[/) + 2;
    if (start < 2 && !info.startsWith("[")) return undefined;
    const close = closing(info, start);
    if (close < 0) return undefined;
    const { path, lineRange } = pathWord(info.slice(start, close));
    if (!isFileName(path) || isThing(path)) return undefined;
    return {
      filePath: path,
      ...(lineRange === undefined ? {} : { lineRange }),
    };
  },
};

/** Where the bracket closes that is open at `start`; brackets inside belong to the path. */
function closing(info: string, start: number): number {
  let depth = 1;
  for (let at = start; at < info.length; at++) {
    if (info[at] === "[") depth++;
    else if (info[at] === "]" && --depth === 0) return at;
  }
  return -1;
}
