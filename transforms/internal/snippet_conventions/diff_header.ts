import type {
  SnippetConvention,
  SnippetPlace,
} from "../../snippet_convention.ts";
import { lineRange } from "../line_range.ts";

/** A guess: the file and the new lines that the head of a unified diff names. */
export const diffHeader: SnippetConvention = {
  name: "diff-header",
  source: "diff-header",
  find({ content }) {
    if (content === undefined || !/^(?:---|diff |Index: |@@ )/.test(content)) {
      return undefined;
    }
    return placeOfDiff(content);
  },
};

/**
 * What the headers of a unified diff tell: the new name (the old one of a
 * deleted file) and the lines from the first hunk to the last. A diff of
 * several files has no place.
 */
export function placeOfDiff(diff: string): SnippetPlace | undefined {
  let old: string | undefined;
  let path: string | undefined;
  let first: number | undefined;
  let last = 0;
  let oldLeft = 0;
  let newLeft = 0;
  for (let start = 0; start < diff.length;) {
    const stop = diff.indexOf("\n", start);
    const end = stop < 0 ? diff.length : stop;
    const mark = diff[start];
    // Inside a hunk a line `--- x` is a removed line `-- x`.
    if (oldLeft > 0 || newLeft > 0) {
      // "\\ No newline at end of file" is no line of either file.
      if (mark !== "+" && mark !== "\\") oldLeft--;
      if (mark !== "-" && mark !== "\\") newLeft--;
    } else if (mark === "-" && diff.startsWith("--- ", start)) {
      old = headerPath(diff.slice(start + 4, Math.min(end, start + 1_024)));
    } else if (mark === "+" && diff.startsWith("+++ ", start)) {
      if (path !== undefined) return undefined;
      path = headerPath(diff.slice(start + 4, Math.min(end, start + 1_024)));
    } else if (mark === "@") {
      const match = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(
        diff.slice(start, Math.min(end, start + 100)),
      );
      if (match !== null) {
        oldLeft = Number(match[1] ?? 1);
        newLeft = Number(match[3] ?? 1);
        first ??= Number(match[2]);
        last = Math.max(last, Number(match[2]) + newLeft - 1);
      }
    }
    start = end + 1;
  }
  const filePath = path === "/dev/null" ? old : path;
  const range = first === undefined || path === "/dev/null"
    ? undefined
    : lineRange(first, last);
  if (filePath === undefined && range === undefined) return undefined;
  return {
    ...(filePath === undefined || filePath === "/dev/null" ? {} : { filePath }),
    ...(range === undefined ? {} : { lineRange: range }),
  };
}

/** The path of a `---` or `+++` line, without time and `a/` or `b/`. */
function headerPath(text: string): string {
  const tab = text.indexOf("\t");
  const path = (tab < 0 ? text : text.slice(0, tab)).trim();
  return path.replace(/^[abciow]\//, "");
}
