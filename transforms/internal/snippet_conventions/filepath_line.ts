import type { SnippetConvention } from "../../snippet_convention.ts";
import { commentText, firstLine } from "./first_line.ts";

/** `// filepath: src/x.ts` as first line, in any comment syntax: GitHub Copilot Chat. */
export const filepathLine: SnippetConvention = {
  name: "filepath-line",
  source: "first-line",
  find({ content }) {
    if (content === undefined) return undefined;
    const line = firstLine(content);
    if (!/filepath:/i.test(line)) return undefined;
    const text = commentText(line);
    if (text === undefined) return undefined;
    const match = /^filepath:\s*(\S.*)$/i.exec(text);
    if (match === null || match[1]!.includes("://")) return undefined;
    return { filePath: unquoted(match[1]!) };
  },
};

function unquoted(path: string): string {
  const last = path.length - 1;
  return last > 1 && "\"'`".includes(path[0]!) && path[last] === path[0]
    ? path.slice(1, -1)
    : path;
}
