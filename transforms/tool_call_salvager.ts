/**
 * Recovers tool calls that a model wrote as text.
 *
 * A call that leaked into the text channel is cut out of it and becomes a
 * `tool-call` part with `origin: "salvaged"`, but only when it is certainly one:
 *
 * - its tool was **offered**, under exactly this name;
 * - it is **not quoted**: not in a fenced code block, inline code, a block quote,
 *   double quotes, or reasoning;
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
import { dialects } from "./dialects/mod.ts";
import { checkDialect } from "./internal/check_dialect.ts";
import { type CompiledForm, compileForm } from "./internal/compiled_form.ts";
import { OfferedTools } from "./internal/offered_tools.ts";
import { REASONING_NAMES } from "./internal/directive_set.ts";
import { SalvagerStage } from "./internal/salvager_stage.ts";
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
   * Names of tags that hold reasoning when they stand at the beginning of a line.
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
   * text comes as text then, as always.
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

/** What a model's stray word before a bare call usually is. */
const LEAD_IN: readonly string[] = ["count", "court", "call", "course", "sure"];

/** Compiled forms, so that a stream is cheap to make. */
const compiled: WeakMap<Dialect, CompiledForm[]> = new WeakMap();

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
    const prefix = options.idPrefix ?? "call_";
    super(
      new SalvagerStage({
        tools: new OfferedTools(
          toolsOf(options.tools ?? []),
          options.repairJson,
        ),
        forms: formsOf(options.dialects ?? "auto"),
        bare: options.bare === "line-start",
        leadIn: leadInOf(options.leadIn ?? LEAD_IN),
        startInside: options.startInside,
        reasoning: options.reasoning ?? REASONING_NAMES,
        afterNativeCall: options.afterNativeCall ?? "on",
        progress: options.progress ?? false,
        generateId: options.generateId ?? ((index) => `${prefix}${index}`),
        candidateLimit: limitOf(
          "maxCandidateLength",
          options.maxCandidateLength ?? 65_536,
        ),
        valueLimit: limitOf(
          "maxValueLength",
          options.maxValueLength ?? 1_048_576,
        ),
      }, options.snapshot),
      options,
    );
  }
}

function toolsOf(
  tools: NonNullable<ToolCallSalvagerStreamOptions["tools"]>,
): ReadonlyMap<string, Schema | undefined> {
  const schemas = new Map<string, Schema | undefined>();
  const entries = Array.isArray(tools)
    ? (tools as readonly Tool[]).map(({ name, inputSchema }) =>
      [name, inputSchema] as const
    )
    : Object.entries(tools as Readonly<Record<string, Schema | undefined>>);
  for (const [name, schema] of entries) {
    if (typeof name !== "string" || name === "") {
      throw new TypeError("Cannot salvage calls: a tool has no name");
    }
    if (schemas.has(name)) {
      throw new TypeError(
        `Cannot salvage calls: there are two tools "${name}"`,
      );
    }
    schemas.set(name, schema);
  }
  return schemas;
}

function formsOf(
  wanted: NonNullable<ToolCallSalvagerStreamOptions["dialects"]>,
): CompiledForm[] {
  const forms = new Set<CompiledForm>();
  for (const one of wanted === "auto" ? ["auto"] : wanted) {
    if (one === "auto") {
      for (const dialect of dialects) {
        for (const form of compile(dialect)) {
          if (!form.form.named) forms.add(form);
        }
      }
      continue;
    }
    const dialect = typeof one === "string"
      ? dialects.find(({ name }) => name === one)
      : one;
    if (dialect === undefined) {
      throw new RangeError(
        `Cannot salvage calls: there is no dialect "${one}"; known are "auto", ${
          dialects.map(({ name }) => `"${name}"`).join(", ")
        }`,
      );
    }
    for (const form of compile(dialect)) forms.add(form);
  }
  return [...forms];
}

function compile(dialect: Dialect): CompiledForm[] {
  let forms = compiled.get(dialect);
  if (forms === undefined) {
    checkDialect(dialect);
    forms = dialect.forms.map((form) => compileForm(dialect.name, form));
    compiled.set(dialect, forms);
  }
  return forms;
}

function leadInOf(words: readonly string[]): readonly string[] {
  const wrong = words.find((word) =>
    word === "" || word.length > 14 || /[\r\n]/.test(word)
  );
  if (wrong !== undefined) {
    throw new RangeError(
      `Cannot use "${wrong}" as leadIn: a word has 1 to 14 characters on one line`,
    );
  }
  return words;
}

function limitOf(name: string, limit: number): number {
  if (!(limit > 0)) {
    throw new RangeError(`Cannot use ${name} "${limit}": it must be above 0`);
  }
  return limit;
}
