import type { SnippetConvention } from "../../snippet_convention.ts";
import { attribute } from "./attribute.ts";
import { bracketedPath } from "./bracketed_path.ts";
import { citation } from "./citation.ts";
import { diffHeader } from "./diff_header.ts";
import { filepathLine } from "./filepath_line.ts";
import { firstComment } from "./first_comment.ts";
import { languageColonPath } from "./language_colon_path.ts";
import { languagePath } from "./language_path.ts";
import { languageWord } from "./language_word.ts";
import { lineBefore } from "./line_before.ts";
import { pathFence } from "./path_fence.ts";
import { proseMention } from "./prose_mention.ts";
import { searchReplace } from "./search_replace.ts";
import { wholeInfoPath } from "./whole_info_path.ts";

/** The conventions that are always on, in the order in which they win. */
export const sureConventions: readonly SnippetConvention[] = [
  citation,
  languageColonPath,
  wholeInfoPath,
  languagePath,
  bracketedPath,
  attribute,
  filepathLine,
  lineBefore,
  languageWord,
];

/** Those that `guess` adds: right more often than not, and wrong often enough. */
export const guessedConventions: readonly SnippetConvention[] = [
  diffHeader,
  searchReplace,
  firstComment,
  pathFence,
  proseMention,
];

/** Those that find nothing in an info string of one plain word, and look at nothing else. */
export const infoConventions: ReadonlySet<SnippetConvention> = new Set([
  citation,
  languageColonPath,
  wholeInfoPath,
  languagePath,
  bracketedPath,
  attribute,
  languageWord,
]);
