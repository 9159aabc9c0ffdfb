import type { SnippetConvention } from "../../snippet_convention.ts";
import { isFileName } from "../path_like.ts";

/** `ts [config/site.ts]{3}`: VitePress code groups, Nuxt Content. */
export const bracketedPath: SnippetConvention = {
  name: "bracketed-path",
  source: "info",
  find({ info }) {
    const open = info.search(/(?:^|\s)\[/);
    const close = info.lastIndexOf("]");
    if (open < 0 || close < open) return undefined;
    const start = info.indexOf("[", open) + 1;
    const path = info.slice(start, close);
    return isFileName(path) ? { filePath: path } : undefined;
  },
};
