import type {
  SnippetConvention,
  SnippetPlace,
} from "../../snippet_convention.ts";
import { lineRange } from "../line_range.ts";
import { isPathLike } from "../path_like.ts";

/** `12:15:app/x.tsx`, `12:app/x.tsx`: Cursor's citations, no language. */
export const citation: SnippetConvention = {
  name: "citation",
  source: "info",
  find({ info }) {
    const cited = citedPath(info) ?? oneRange(info);
    return cited === undefined ? undefined : { ...cited, language: null };
  },
};

/** The place in `12:15:path`. */
export function citedPath(text: string): SnippetPlace | undefined {
  const match = /^(\d{1,15}):(\d{1,15}):\s*(\S.*)$/.exec(text);
  return match === null || match[3]!.includes("://") ||
      /^\d+$/.test(match[3]!)
    ? undefined
    : place(match[3]!, match[1]!, match[2]!);
}

/** The place in `12:path` or `12-15:path`, which nobody promises: it has to look like a path. */
function oneRange(text: string): SnippetPlace | undefined {
  const match = /^(\d{1,15})(?:-(\d{1,15}))?:(\S+)$/.exec(text);
  return match === null || !isPathLike(match[3]!)
    ? undefined
    : place(match[3]!, match[1]!, match[2] ?? match[1]!);
}

function place(filePath: string, first: string, last: string): SnippetPlace {
  const range = lineRange(first, last);
  return { filePath, ...(range === undefined ? {} : { lineRange: range }) };
}
