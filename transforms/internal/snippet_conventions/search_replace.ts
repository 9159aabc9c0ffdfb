import type { SnippetConvention } from "../../snippet_convention.ts";
import { firstLine } from "./first_line.ts";
import { isLonePath } from "./line_before.ts";

/** A guess: the path line right above a SEARCH/REPLACE block inside the fence (Aider's "diff-fenced"). */
export const searchReplace: SnippetConvention = {
  name: "search-replace",
  source: "search-replace",
  find({ content }) {
    if (content === undefined) return undefined;
    const path = firstLine(content);
    const next = content.indexOf("\n") + 1;
    return next > 0 && isLonePath(path) &&
        /^(?:<{5,9}|-{5,9}) SEARCH\s/.test(content.slice(next, next + 24))
      ? { filePath: path }
      : undefined;
  },
};
