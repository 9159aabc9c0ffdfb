/**
 * How a markup for tool calls is described. The dialects that come with the
 * package are made of the same plain data, so a markup of your own can stand
 * beside them.
 *
 * @module
 */

/**
 * One element of a {@linkcode Pattern} that is not literal text.
 *
 * - `space`: any white space, or none
 * - `blanks`: spaces and tabs, or none
 * - `name`: a tool's name: no white space, quotes, brackets or separators
 * - `tool`: the same, but only the name of a tool that was offered
 * - `key`: a parameter's name: no angle brackets, slashes, control characters
 * - `attributes`: XML attributes in either kind of quotes; the one called
 *   `name` is the tool's or parameter's name
 * - `word`: letters, digits, `-` and `_`, at least one
 * - `digits`: digits, at least one
 */
export interface PatternElement {
  /** What matches here. */
  readonly match:
    | "space"
    | "blanks"
    | "name"
    | "tool"
    | "key"
    | "attributes"
    | "word"
    | "digits";
}

/** An element of a {@linkcode Pattern} that may be missing. */
export interface OptionalPattern {
  /** What may stand here. */
  readonly optional: Pattern;
}

/** An element of a {@linkcode Pattern} that stands for one of several. */
export interface EitherPattern {
  /** One of these stands here. */
  readonly either: readonly Pattern[];
}

/**
 * The shape of an opener or closer: literal text, or a sequence of literal
 * texts and elements. It must begin with literal text, except for the opener
 * of a Python call.
 */
export type Pattern =
  | string
  | readonly (string | PatternElement | OptionalPattern | EitherPattern)[];

/** How parameters are written when each has its own markup. */
export interface ParameterSyntax {
  /** Openers; they hold the parameter's name, as `key`, `name` or `attributes`. */
  readonly open: readonly Pattern[];
  /** Closers. A `key` in one must be that of the opener. */
  readonly close: readonly Pattern[];
  /**
   * `"line"`: one line end at each side of a value belongs to the markup.
   *
   * @default {"none"}
   */
  readonly framing?: "none" | "line";
  /**
   * Markup that stands before each tag of a nested value: `<item>` tags are an
   * array, other tags an object. Absent: values are flat.
   */
  readonly nested?: string;
  /**
   * Whether a parameter's name is its tag. Then it must be one that the tool's
   * schema knows, if the schema has any, unless `nested` marks all tags.
   *
   * @default {false}
   */
  readonly tagged?: boolean;
}

/** How one call is written inside a {@linkcode DialectForm}. */
export interface CallSyntax {
  /**
   * What a call begins with; it holds the tool's name. Absent: the call is an
   * object that holds its name itself (`body: "call"`).
   */
  readonly open?: readonly Pattern[];
  /** What stands for a call without arguments and without closer. */
  readonly empty?: readonly Pattern[];
  /** What a call ends with. Absent: at the end of its body. A `tool` in it must be the call's name. */
  readonly close?: readonly Pattern[];
  /**
   * Whether the closer may be missing behind a complete body. `"at-end"`: where
   * the stream ends.
   *
   * @default {"never"}
   */
  readonly closeMayMiss?: "never" | "at-end" | "always";
  /** Parameters with markup of their own. */
  readonly parameter?: ParameterSyntax;
  /**
   * Arguments as one value. `"call"`: a JSON object with name and arguments.
   * `"json"`: a JSON object of arguments. `"python"`: the arguments of a Python
   * call, with their parentheses. `{ delimiter }`: Gemma's notation, with
   * strings between such delimiters.
   */
  readonly body?: "call" | "json" | "python" | { readonly delimiter: string };
}

/** One of the ways in which a {@linkcode Dialect} writes calls. */
export interface DialectForm {
  /**
   * Where it may begin. `"line-start"`: first on its line, and with nothing but
   * a line end, a closer or another call behind it. `"message"`: it is the
   * whole message.
   *
   * @default {"anywhere"}
   */
  readonly position?: "anywhere" | "line-start" | "message";
  /**
   * Only used when the dialect is named in the options, not with `"auto"`.
   *
   * @default {false}
   */
  readonly named?: boolean;
  /**
   * Only used with the option `bare: "line-start"`.
   *
   * @default {false}
   */
  readonly bare?: boolean;
  /** What a wrapper around calls begins with. Absent: there is none. */
  readonly open?: readonly Pattern[];
  /** What the wrapper ends with. Absent: at the end of its last call. */
  readonly close?: readonly Pattern[];
  /**
   * Whether the wrapper's closer may be missing. At the end of the stream it
   * always may.
   *
   * @default {false}
   */
  readonly closeMayMiss?: boolean;
  /**
   * Whether the calls stand in one pair of square brackets, with commas between.
   *
   * @default {"never"}
   */
  readonly list?: "never" | "optional" | "required";
  /**
   * Characters that may stand between calls, beside white space.
   *
   * @default {""}
   */
  readonly separators?: string;
  /** One call. */
  readonly call: CallSyntax;
  /**
   * Closers that belong to a call without wrapper when nothing but white space
   * stands between; literal text only. A form that has some waits for them.
   */
  readonly orphans?: readonly Pattern[];
}

/**
 * A markup in which models write tool calls as text.
 *
 * @example A markup of your own
 * ```ts
 * import {
 *   type Dialect,
 *   parse,
 *   ToolCallSalvagerStream,
 * } from "@millrace/millrace";
 *
 * const mine: Dialect = {
 *   name: "mine",
 *   forms: [{
 *     call: {
 *       open: [["@@call ", { match: "name" }, { match: "space" }]],
 *       body: "json",
 *       close: [[{ match: "space" }, "@@end"]],
 *     },
 *   }],
 * };
 * const parts = parse(
 *   'So: @@call read {"path": "a.md"} @@end',
 *   new ToolCallSalvagerStream({ tools: [{ name: "read" }], dialects: [mine] }),
 * );
 * const call = parts.find((part) => part.type === "tool-call");
 * if (call?.toolName !== "read") throw new Error("There is no call");
 * ```
 */
export interface Dialect {
  /** Its name, as in `dialects` and in the parts. */
  readonly name: string;
  /** The ways in which it writes calls. */
  readonly forms: readonly DialectForm[];
}
