import type { SnippetConvention } from "../../snippet_convention.ts";
import { lineRange } from "../line_range.ts";

/** `12:15:app/x.tsx`: Cursor's citations, no language. */
export const citation: SnippetConvention = {
  name: "citation",
  source: "info",
  find({ info }) {
    const match = /^(\d{1,15}):(\d{1,15}):(\S.*)$/.exec(info);
    if (
      match === null || match[3]!.includes("://") || /^\d+$/.test(match[3]!)
    ) {
      return undefined;
    }
    const range = lineRange(match[1]!, match[2]!);
    return {
      language: null,
      filePath: match[3]!,
      ...(range === undefined ? {} : { lineRange: range }),
    };
  },
};
