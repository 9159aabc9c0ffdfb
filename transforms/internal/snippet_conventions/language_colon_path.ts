import type { SnippetConvention } from "../../snippet_convention.ts";
import { isFileName } from "../path_like.ts";
import { locatedPath, pathWord, splitWord } from "./located_path.ts";

/** `tsx:pages/_app.tsx`: language and path, split at the first colon that a path follows. */
export const languageColonPath: SnippetConvention = {
  name: "language-colon-path",
  source: "info",
  find({ info }) {
    const [word, rest] = splitWord(info);
    if (word.includes("://") || /^[A-Za-z]:[\\/]/.test(word)) return undefined;
    for (
      let colon = word.indexOf(":");
      colon > 0;
      colon = word.indexOf(":", colon + 1)
    ) {
      const language = word.slice(0, colon);
      if (!/^[^/\\=.{}[\]]+$/.test(language)) return undefined;
      const path = word.slice(colon + 1);
      if (path.includes("=")) continue;
      if (isFileName(pathWord(path).path)) {
        return locatedPath(path, rest, language);
      }
    }
    return undefined;
  },
};
