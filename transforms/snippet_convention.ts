/**
 * How a snippet's file, lines and language are told: one object for each way
 * of writing them down.
 *
 * @module
 */

/** What a {@linkcode SnippetConvention} may look at. */
export interface SnippetContext {
  /**
   * The info string, trimmed. It is decoded as CommonMark says, unless it holds
   * a back-slash: then it is as written, since a back-slash in it is far more
   * often part of a Windows path than an escape. At most 4,096 code units.
   */
  readonly info: string;
  /**
   * The nearest line above the fence that is not blank, without white space
   * around it, when at most one empty line lies between. Absent when there is
   * none or the line is too long to keep.
   */
  readonly lineBefore?: string;
  /**
   * The code, line ends as LF. Absent while the fence opens: with
   * `live: true` the conventions are asked then too.
   */
  readonly content?: string;
  /**
   * The content of the fence before this one, when nothing but white space lies
   * between the two. At most 256 code units; absent when it is longer.
   */
  readonly contentBefore?: string;
}

/** What a {@linkcode SnippetConvention} found out. Every field is optional. */
export interface SnippetPlace {
  /** The language as written; `null` when the info names none. */
  readonly language?: string | null;
  /** The file, as written. */
  readonly filePath?: string;
  /** First and last line, 1-based, inclusive. */
  readonly lineRange?: readonly [number, number];
}

/**
 * One way of writing down where a snippet belongs.
 *
 * The extractor asks its conventions in order. For each field the first one
 * that has something wins; what a later one says about the lines of another
 * file is ignored.
 *
 * @example A convention of your own: `ts @src/a.ts`
 * ```ts
 * import { parse, type SnippetConvention, SnippetExtractorStream } from "@millrace/millrace";
 *
 * const at: SnippetConvention = {
 *   name: "at",
 *   source: "info",
 *   find({ info }) {
 *     const [language = "", path = ""] = info.split(" ");
 *     return path.startsWith("@") ? { language, filePath: path.slice(1) } : undefined;
 *   },
 * };
 * const parts = parse("~~~ts @src/a.ts\n1\n~~~\n", new SnippetExtractorStream({ conventions: [at] }));
 * const snippet = parts.find((part) => part.type === "snippet");
 * if (snippet?.filePath !== "src/a.ts") throw new Error();
 * ```
 */
export interface SnippetConvention {
  /**
   * Its name. One of yours with the name of a built-in one takes that one's
   * place in the list of conventions to ask, before all built-in ones.
   */
  readonly name: string;
  /** Where it looks: becomes the snippet's `pathSource`. Default: its name. */
  readonly source?: string;
  /**
   * What the convention makes of a fence; `undefined` when it does not apply.
   * It gets untrusted text. Should it throw, the stage reports a `warning` with
   * code `fault` and goes on without it.
   */
  find(context: SnippetContext): SnippetPlace | undefined;
}
