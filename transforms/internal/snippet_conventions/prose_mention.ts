import type { SnippetConvention } from "../../snippet_convention.ts";
import { isLonePath, trimmedOf } from "./line_before.ts";

/** A guess: the only path in the sentence above the fence, ``Update `src/app.ts` like so:``. */
export const proseMention: SnippetConvention = {
  name: "prose-mention",
  source: "prose",
  find({ lineBefore }) {
    if (lineBefore === undefined) return undefined;
    // What stands in ticks was meant as a name; bare words count only without.
    const pieces = lineBefore.split("`");
    const ticked = pieces.filter((_, index) => index % 2 === 1);
    const path = onlyPath(ticked) ??
      onlyPath(
        lineBefore.split(/\s+/).map((word) =>
          trimmedOf(word, "(\"'*_[", ")\"'*_],.;:!?")
        ),
      );
    return path === undefined ? undefined : { filePath: path };
  },
};

function onlyPath(words: readonly string[]): string | undefined {
  const paths = new Set(words.filter(isLonePath));
  return paths.size === 1 ? [...paths][0] : undefined;
}
