import type { SnippetConvention } from "../../snippet_convention.ts";
import { extension, isBareFileName } from "../path_like.ts";
import { isLonePath, trimmedOf, withoutDecoration } from "./line_before.ts";

/**
 * A guess: the only path in the sentence above the fence, ``Update `src/app.ts`
 * like so:``; or a name that is a file's by custom alone (`Dockerfile`, `.env`),
 * in ticks or alone on the line.
 */
export const proseMention: SnippetConvention = {
  name: "prose-mention",
  source: "prose",
  find({ lineBefore }) {
    if (lineBefore === undefined) return undefined;
    // What stands in ticks was meant as a name; bare words count only without.
    const pieces = lineBefore.split("`");
    const ticked = pieces.filter((_, index) => index % 2 === 1);
    const path = onlyPath(ticked) ??
      onlyName([...ticked, withoutDecoration(lineBefore)]) ??
      onlyPath(
        lineBefore.split(/\s+|\]\(/).map((word) =>
          trimmedOf(word, "(\"'*_[", ")\"'*_],.;:!?")
          // A slash alone is "or" in prose.
        ).filter((word) => extension(word) !== undefined),
      );
    return path === undefined ? undefined : { filePath: path };
  },
};

function onlyPath(words: readonly string[]): string | undefined {
  const paths = new Set(words.filter(isLonePath));
  return paths.size === 1 ? [...paths][0] : undefined;
}

/** What names a file without looking like a path. `.map` and the like are methods. */
function onlyName(words: readonly string[]): string | undefined {
  const names = new Set(
    words.filter((word) => isBareFileName(word) || DOT_FILE.test(word)),
  );
  return names.size === 1 ? [...names][0] : undefined;
}

const DOT_FILE =
  /^\.(?:env(?:\.\w{1,32})?|\w{0,32}(?:ignore|rc)|editorconfig|gitattributes|gitmodules|htaccess|profile)$/;
