import type { SnippetConvention } from "../../snippet_convention.ts";
import { commentText, firstLine } from "./first_line.ts";
import { isLonePath } from "./line_before.ts";

/** A guess: a first line that is a comment with nothing but a path, `# app/x.py`, `// File: x.ts`. */
export const firstComment: SnippetConvention = {
  name: "first-comment",
  source: "first-comment",
  find({ content }) {
    if (content === undefined) return undefined;
    const text = commentText(firstLine(content))
      ?.replace(/^(?:file|file ?name|path):\s*/i, "");
    return text !== undefined && isLonePath(text)
      ? { filePath: text }
      : undefined;
  },
};
