/**
 * Code as data: every snippet with its language, file and lines.
 *
 * @module
 */

import type { FenceMode } from "./fence_tracker.ts";
import { checkMode } from "./internal/check_mode.ts";
import { SnippetExtractor } from "./internal/snippet_stage.ts";
import type { Part } from "./part.ts";
import type { SnippetConvention } from "./snippet_convention.ts";
import { StageStream } from "./stage.ts";
import type { ToolEdit } from "./tool_edit.ts";
import { resumed } from "./internal/snapshot.ts";

/** Options of {@linkcode SnippetExtractorStream}. */
export interface SnippetExtractorStreamOptions {
  /**
   * Also tries conventions that are guesses: a path inside the sentence above
   * the fence, a lone first comment, the head of a diff, a path line above a
   * SEARCH/REPLACE block, a fence before that holds only a path.
   *
   * @default {false}
   */
  guess?: boolean;
  /**
   * Ways of your own to tell a snippet's place, asked in order before the
   * built-in ones. One with the name of a built-in one replaces it. The
   * built-in ones are, in order: `citation` (`12:15:a.ts`), `language-colon-path`
   * (`ts:a.ts`), `whole-info-path` (`src/a.ts#L3-L9`), `language-path`
   * (`ts a.ts (3-9)`, `ts a.ts:3`), `bracketed-path` (`ts [a.ts]`), `attribute`
   * (`title="a.ts"`), `filepath-line` (`// filepath: a.ts`), `line-before`
   * (`**a.ts**`), `language-word`; with `guess` also `diff-header`,
   * `search-replace`, `first-comment`, `path-fence`, `prose-mention`.
   *
   * @default {[]}
   */
  conventions?: readonly SnippetConvention[];
  /**
   * Rows to add to the table of tools whose calls write or edit files; `false`
   * makes no snippets of tool calls.
   *
   * @default {[]}
   */
  toolEdits?: readonly ToolEdit[] | false;
  /**
   * Also tells of snippets while they are open: a `snippet-start` part behind
   * the opening line, `snippet-delta` parts behind the text they come from, and
   * the `snippet` part at the end. Deltas are cut as the chunks are.
   *
   * @default {false}
   */
  live?: boolean;
  /**
   * Whether to find fences here. `false` trusts an upstream fence tracker alone,
   * `true` does not look at its marks. By default fences are tracked here until
   * the first mark of an upstream tracker comes.
   */
  trackFences?: boolean;
  /**
   * How fences are found here. See {@linkcode FenceMode}.
   *
   * @default {"tolerant"}
   */
  mode?: FenceMode;
  /**
   * Also takes lines like `<source>python` and `</source>` for fences, as Aider
   * has them for files that hold backticks: `source`, `code`, `pre`,
   * `codeblock`, `sourcecode`, with attributes or without. Only where fences are
   * found here.
   *
   * @default {false}
   */
  tagBlocks?: boolean;
  /**
   * Code units of one snippet's content to keep. A longer one is cut there: the
   * text flows on, the snippet comes at the fence's end with `closed: false`
   * behind a `warning` with code `limit`.
   *
   * @default {16_777_216}
   */
  maxContentLength?: number;
  /**
   * Code units to look back from a fence for the line before it.
   *
   * @default {1_024}
   */
  maxLineLength?: number;
  /** A snapshot of another extractor, to go on from. */
  snapshot?: unknown;
  /** See {@linkcode StageStreamOptions.highWaterMark}. */
  highWaterMark?: number;
}

/**
 * Finds the code in a model's answer: a `snippet` part for each fenced block,
 * with the language, the file it belongs to and its lines as far as the answer
 * tells (see {@linkcode SnippetConvention} for how), and one for each piece of
 * code that a tool call writes into a file (see {@linkcode ToolEdit}).
 *
 * Strings and parts go in, parts come out. The text flows on untouched: nothing
 * is cut out of it, and nothing is held but for a few blanks inside containers
 * and (with `live` in mode `"loose"`) what may be an opening line. A `snippet`
 * part stands right behind the fence's closing line (behind the `fence-end` part
 * when an upstream tracker made one); a block without closing line gives one with
 * `closed: false`. A block inside a directive that was cut out upstream is part of
 * that directive's content and gives none. Code inside tool calls comes right
 * behind the `tool-call` part.
 *
 * Memory is bounded by `maxContentLength` and `maxLineLength`. Construction
 * throws a `TypeError` for conventions, rows or snapshots of another shape and
 * for a mode there is not, and a `RangeError` for limits that are no whole
 * number above 0.
 *
 * @example
 * ```ts
 * import { parse, SnippetExtractorStream } from "@millrace/millrace";
 *
 * const parts = parse(
 *   "Change it:\n\n~~~ts src/cart.ts (4-6)\nreturn 0;\n~~~\n",
 *   new SnippetExtractorStream(),
 * );
 * const snippet = parts.find((part) => part.type === "snippet");
 * if (snippet?.language !== "ts") throw new Error();
 * if (snippet.filePath !== "src/cart.ts") throw new Error();
 * if (snippet.lineRange?.join() !== "4,6") throw new Error();
 * if (snippet.content !== "return 0;\n") throw new Error();
 * ```
 */
export class SnippetExtractorStream extends StageStream<string | Part, Part> {
  /**
   * Makes a snippet extractor.
   *
   * @param options See {@linkcode SnippetExtractorStreamOptions}.
   */
  constructor(options: SnippetExtractorStreamOptions = {}) {
    checkMode(options.mode);
    super(
      resumed(
        options.snapshot,
        (snapshot) => new SnippetExtractor({ ...options, snapshot }),
      ),
      options,
    );
  }
}
