/**
 * Tool calls that write or edit files, and the code in their arguments.
 *
 * @module
 */

/** A piece of code in the arguments of a tool call. */
export interface ToolSnippet {
  /** The file, as written. */
  readonly filePath?: string;
  /** The new code, as written: a whole file, a part of one, or a diff. */
  readonly content: string;
  /** The code that it takes the place of. */
  readonly replaces?: string;
  /** The language as written, when the arguments name one. */
  readonly language?: string;
  /** First and last line, 1-based, inclusive, when the arguments tell them. */
  readonly lineRange?: readonly [number, number];
  /** `false` when the arguments hold only a part of the code. Default: `true`. */
  readonly closed?: boolean;
}

/**
 * A row of the table of tools that write or edit files.
 *
 * @example A tool of your own
 * ```ts
 * import { parse, type Part, SnippetExtractorStream, type ToolEdit } from "@millrace/millrace";
 *
 * const save: ToolEdit = {
 *   tool: "save_note",
 *   snippets: ({ name, body }) => [{ filePath: String(name), content: String(body) }],
 * };
 * const call: Part = {
 *   type: "tool-call",
 *   toolCallId: "1",
 *   toolName: "save_note",
 *   input: { name: "a.md", body: "# A" },
 *   origin: "native",
 * };
 * const parts = parse([call], new SnippetExtractorStream({ toolEdits: [save] }));
 * if (parts[1]?.type !== "snippet" || parts[1].filePath !== "a.md") throw new Error();
 * ```
 */
export interface ToolEdit {
  /** The tool's name, exactly. A row of yours takes the place of a built-in one. */
  readonly tool: string;
  /**
   * The code in a call's arguments; an empty list when there is none. Arguments
   * are untrusted. They come as an object; arguments that are something else
   * (text, for the tools that take text) come as its field `input`.
   */
  snippets(
    input: Readonly<Record<string, unknown>>,
  ): readonly ToolSnippet[];
}
