import type { SnippetConvention } from "../../snippet_convention.ts";

/** The language when it has decoration: `js{4,6-8}`, `js:title=…`, `{r plot, echo=FALSE}`, `{.python .numberLines}`. */
export const languageWord: SnippetConvention = {
  name: "language-word",
  source: "info",
  find({ info }) {
    if (info.startsWith("{")) return { language: bracedLanguage(info) };
    const [word = ""] = info.split(/[\s[{]/, 1);
    const colon = word.indexOf(":");
    if (colon > 0 && /=|^(?:no-)?line-numbers$/.test(word.slice(colon + 1))) {
      return { language: word.slice(0, colon) };
    }
    // HackMD: with line numbers, from a line on, or going on.
    const numbered = /^([\w+#-]+)=(?:\d*|\+)$/.exec(word);
    if (numbered !== null) return { language: numbered[1]! };
    // An attribute or a file name in brackets, and no language before it.
    if (word === "" || /^[\w-]+=/.test(word)) return { language: null };
    // Without decoration the info string's first word is right as it is.
    return info.split(/\s/, 1)[0] === word ? undefined : { language: word };
  },
};

/** Pandoc's first class, or the engine of R Markdown, Quarto and MyST. */
function bracedLanguage(info: string): string | null {
  const close = info.indexOf("}");
  const inside = info.slice(1, close < 0 ? info.length : close);
  const words = inside.split(/[\s,]+/).filter((word) => word !== "");
  const first = words.find((word) => word.startsWith("."));
  if (first !== undefined) return first.slice(1) || null;
  const engine = words[0] ?? "";
  if (/^(?:code|code-block|code-cell|sourcecode)$/.test(engine)) {
    return info.slice(close + 1).trim().split(/\s/, 1)[0] || null;
  }
  return /^=?[\w+-][\w+#-]*$/.test(engine) ? engine.replace(/^=/, "") : null;
}
