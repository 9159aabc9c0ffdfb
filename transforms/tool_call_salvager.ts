/**
 * Recovers tool calls that a model wrote as text.
 *
 * A call that leaked into the text channel is cut out of it and becomes a
 * `tool-call` part with `origin: "salvaged"`, but only when it is certainly one:
 *
 * - its tool was **offered**, under exactly this name;
 * - it is **not quoted**: not in a fenced code block, inline code, a block quote,
 *   double quotes, a string over lines, or a diff;
 * - it is **the model's own act**: not in reasoning, an invented result of a tool,
 *   or somebody else's turn;
 * - it is **where calls are**: markup with a wrapper or token of its own anywhere,
 *   other forms only first on a line with nothing behind them;
 * - it is **complete**: a call that was cut off stays text;
 * - its **arguments convert** to what the tool's schema says, byte for byte where
 *   that is a string.
 *
 * Everything else stays in the text, unchanged, and a `warning` says why. What
 * this cannot know: whether the model meant the call. Text that a web page or a
 * file talked the model into repeating looks the same as a leak. A salvaged call
 * is therefore a suggestion, and the host's own approval has to follow. And
 * since leaked markup in a conversation's history teaches the model to leak
 * again, store the call (`encodeToolCall`) and not the text.
 *
 * @module
 */

import type { Dialect } from "./dialect.ts";
import { makeSalvagerStage } from "./internal/make_salvager_stage.ts";
import type { Part } from "./part.ts";
import type { Schema, Tool } from "./schema.ts";
import { StageStream, type StageStreamOptions } from "./stage.ts";

/** Options of {@linkcode ToolCallSalvagerStream}. */
export interface ToolCallSalvagerStreamOptions extends StageStreamOptions {
  /**
   * The tools that were offered to the model in this turn, as a list, or as
   * schemas by name. None: nothing is looked for, and everything passes
   * untouched.
   *
   * @default {[]}
   */
  readonly tools?:
    | readonly Tool[]
    | Readonly<Record<string, Schema | undefined>>
    | undefined;
  /**
   * Which markups are known. `"auto"`: every one that has a marker of its own or
   * an offered tool's name as tag. A list: exactly these, by name or as
   * {@linkcode Dialect}; `"auto"` in a list adds all of the above.
   *
   * @default {"auto"}
   */
  readonly dialects?: "auto" | readonly (string | Dialect)[] | undefined;
  /**
   * Whether calls without the wrapper that belongs to them count:
   * `"line-start"`, when they are first on their line and nothing but a line
   * end, a closer or another call follows.
   *
   * @default {"never"}
   */
  readonly bare?: "never" | "line-start" | undefined;
  /**
   * Stray words that go with a bare call when one stands alone on the line before
   * it, at most 14 characters each. Only used with `bare`.
   *
   * @default {["count", "court", "call", "course", "sure"]}
   */
  readonly leadIn?: readonly string[] | undefined;
  /**
   * Names of tags that hold reasoning when they stand at the beginning of a line,
   * whatever their attributes, capitals and namespaces. By default also the
   * tokens of Magistral, Command A, Gemma 4, Kimi and gpt-oss.
   *
   * @default {["think", "thinking", "reasoning", …]}
   */
  readonly reasoning?: readonly string[] | undefined;
  /** The reasoning tag that the text starts inside of. */
  readonly startInside?: string | undefined;
  /**
   * Whether salvaging goes on when the backend sent a tool call of its own.
   *
   * @default {"on"}
   */
  readonly afterNativeCall?: "on" | "off" | undefined;
  /**
   * Repairs JSON that the built-in repairs refuse: gets the text, gives better
   * text or `undefined`. A repair that guesses can run what nobody wrote.
   */
  readonly repairJson?: ((text: string) => string | undefined) | undefined;
  /**
   * Whether calls are told of while they come: `tool-input-start` once the name
   * is known, `tool-input-delta` with the markup behind it as written, then
   * the `tool-call`, or a `tool-call-partial` when it comes to nothing. Its
   * text comes as text then, as always. A call whose markup can be that of two
   * dialects when its name is known comes without these parts before it.
   *
   * @default {false}
   */
  readonly progress?: boolean | undefined;
  /**
   * Beginning of the calls' ids; a number follows.
   *
   * @default {"call_"}
   */
  readonly idPrefix?: string | undefined;
  /** Makes the id of the n-th call (from 1). Overrides `idPrefix`. */
  readonly generateId?: ((index: number) => string) | undefined;
  /**
   * Most characters (UTF-16 code units) of a candidate, without its values.
   *
   * @default {65_536}
   */
  readonly maxCandidateLength?: number | undefined;
  /**
   * Most characters (UTF-16 code units) of a candidate's values together.
   *
   * @default {1_048_576}
   */
  readonly maxValueLength?: number | undefined;
  /** A snapshot to go on from; the other options have to be the same. */
  readonly snapshot?: unknown;
}

/**
 * Cuts tool calls out of text: strings or parts in, parts out. What counts as a
 * call stands in the docs of its module.
 *
 * It follows fences, quotes and reasoning itself, and uses the marks of a
 * fence tracker before it, if there are some. The best place is before the
 * fence tracker, since an argument may hold anything.
 *
 * Held back is only what may still become a call. Throws a `TypeError` or a
 * `RangeError` at construction for wrong options, never on input.
 *
 * @example
 * ```ts
 * import { parse, ToolCallSalvagerStream } from "@millrace/millrace";
 *
 * const tools = [{
 *   name: "read",
 *   inputSchema: {
 *     type: "object",
 *     properties: { path: { type: "string" }, line: { type: "integer" } },
 *   },
 * }];
 * const text = 'Reading.\n<function_calls>\n<invoke name="read">\n' +
 *   '<parameter name="path">a.md</parameter>\n' +
 *   '<parameter name="line">3</parameter>\n</invoke>\n</function_calls>';
 * const parts = parse(text, new ToolCallSalvagerStream({ tools }));
 * const call = parts.find((part) => part.type === "tool-call");
 * if (JSON.stringify(call?.input) !== '{"path":"a.md","line":3}') {
 *   throw new Error("The call was not found");
 * }
 * ```
 */
export class ToolCallSalvagerStream extends StageStream<string | Part, Part> {
  /**
   * Makes a salvager for one answer.
   *
   * @param options See {@linkcode ToolCallSalvagerStreamOptions}.
   */
  constructor(options: ToolCallSalvagerStreamOptions = {}) {
    super(makeSalvagerStage(options), options);
  }
}
