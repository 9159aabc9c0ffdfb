import type { SnippetConvention } from "../../snippet_convention.ts";
import { isLonePath } from "./line_before.ts";

/** A guess: the fence before held nothing but a path. */
export const pathFence: SnippetConvention = {
  name: "path-fence",
  source: "fence-before",
  find({ contentBefore }) {
    const path = contentBefore?.trim();
    return path !== undefined && isLonePath(path)
      ? { filePath: path }
      : undefined;
  },
};
