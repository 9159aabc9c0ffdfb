/**
 * Directives in a model's prose: XML-like tags, containers and reasoning tags,
 * extracted while they stream, never inside code.
 *
 * @module
 */

import type {
  DirectiveDefinitions,
  DirectiveOutput,
} from "./directive_types.ts";
import { makeDirectiveStage } from "./internal/make_directive_stage.ts";
import type { FenceMode } from "./fence_tracker.ts";
import type { Part } from "./part.ts";
import { type Stage, StageStream } from "./stage.ts";

/** Options of {@linkcode DirectiveExtractorStream}. */
export interface DirectiveExtractorStreamOptions {
  /**
   * What to extract: names, or definitions by name. Names are matched whole and
   * exactly; every other tag is text.
   *
   * @default {[]}
   */
  readonly directives?: DirectiveDefinitions | undefined;
  /**
   * Tags whose content comes out as `reasoning` parts: `true` for the usual
   * names (`think`, `thinking`, `thought`, `reason`, `reasoning`, `reflection`,
   * `scratchpad`, …), or a list of names. A name that is declared in
   * `directives` keeps its definition.
   *
   * @default {false}
   */
  readonly reasoning?: boolean | readonly string[] | undefined;
  /**
   * `"xml"`: tags (`<name a="b">…</name>`). `"container"`: lines of colons
   * (`:::name[label]{a="b"}` … `:::`).
   *
   * @default {"xml"}
   */
  readonly dialect?: "xml" | "container" | undefined;
  /**
   * The stream begins inside of this directive: its opener was part of the prompt
   * (chat templates do so with `<think>`). If its closer never comes, all of the
   * stream is its content.
   */
  readonly startInside?: string | undefined;
  /**
   * Whether only a directive with nothing but white space before it counts, so
   * that later mentions are text.
   *
   * @default {false}
   */
  readonly onlyAtStart?: boolean | undefined;
  /**
   * What a directive without closer is at the end of the stream. `"directive"`:
   * one with `complete: false`. `"text"`: text, all of it; for this a directive is
   * held until its closer comes, and there are no deltas.
   *
   * @default {"directive"}
   */
  readonly unclosed?: "directive" | "text" | undefined;
  /**
   * Whether `&lt;` and the like are decoded, once, in attributes, content, deltas
   * and fields. `raw` stays as written.
   *
   * @default {false}
   */
  readonly decodeEntities?: boolean | undefined;
  /**
   * Whether `<LOG>` is a `log`. Parts have the name as it is written.
   *
   * @default {false}
   */
  readonly caseInsensitive?: boolean | undefined;
  /**
   * Whether every delta carries `partial`: the content so far and, with declared
   * fields, the fields so far. A directive that comes out as reasoning or is held
   * (`unclosed: "text"`) has none.
   *
   * @default {false}
   */
  readonly partials?: boolean | undefined;
  /**
   * Whether code counts: nothing is a directive in a code fence, in a code span or
   * behind a back-slash. `false` switches all of that off.
   *
   * @default {true}
   */
  readonly codeAware?: boolean | undefined;
  /**
   * Whose fences count. `true`: the extractor finds them itself. `false`: only
   * those that an upstream fence tracker marked. Absent: its own until the
   * first mark of a tracker comes, then the tracker's.
   *
   * Once a closer (of reasoning, or of a `raw` directive) has ended a fence from
   * inside, a tracker's marks are out of step: from there on the extractor's own
   * fences count in any case, and text is marked by them.
   */
  readonly trackFences?: boolean | undefined;
  /**
   * How the extractor finds fences itself, see {@linkcode FenceMode}.
   *
   * @default {"tolerant"}
   */
  readonly mode?: FenceMode | undefined;
  /**
   * The longest tag, or container line, in code units. A longer one is text, with
   * a `warning` (`too-long`).
   *
   * @default {4096}
   */
  readonly maxTagLength?: number | undefined;
  /**
   * How long a code span may be, in code units, ticks included: a complete tag
   * behind an unclosed backtick run waits no longer than that. Then it counts, with
   * a `warning` (`limit`).
   *
   * @default {4096}
   */
  readonly maxHeldSpan?: number | undefined;
  /**
   * How deep openers of the same name are counted. Deeper ones are content, with
   * a `warning` (`limit`).
   *
   * @default {64}
   */
  readonly maxDepth?: number | undefined;
  /**
   * The longest content, closer included, in code units: so much is kept in
   * memory. A longer directive ends there with `complete: false` and a `warning`
   * (`limit`), and what follows is text; with `unclosed: "text"` all of it is text.
   *
   * @default {1048576}
   */
  readonly maxContentLength?: number | undefined;
  /** A snapshot of another extractor with the same options, to go on from. */
  readonly snapshot?: unknown;
  /** See {@linkcode StageStreamOptions.highWaterMark}. */
  readonly highWaterMark?: number | undefined;
}

/**
 * Extracts directives from the text channel while it streams.
 *
 * In come strings and parts, out come parts: text that belongs to no directive
 * as `text`, unchanged; for each directive a `directive-start` when its opener is
 * complete, a `directive-delta` for each piece of content at once, and a
 * `directive` at its closer with the whole content, byte for byte. Directives
 * whose definition says `as: "reasoning"` give `reasoning` parts instead of deltas.
 *
 * - Opener and closer count anywhere in prose, but not in a code fence, in a code
 *   span (as CommonMark has them) or behind a back-slash. A complete tag behind a
 *   backtick run that may still close waits until it does (then it is text) or the
 *   paragraph ends (then it counts). The closer of a reasoning directive beats an
 *   open fence, and only a span on its own line hides it: models forget to close
 *   both.
 * - Attributes: double, single, without quotes, without value; line ends and `>`
 *   inside quotes are fine. Nothing is trimmed, nothing decoded unless asked for.
 * - Inside a directive other names are content. Openers of its own name are nested,
 *   except for reasoning names, where the first closer ends it.
 * - Half a tag at the end is text outside and content inside of a directive. A
 *   closer without opener is text.
 * - A part from elsewhere (a native tool call, an error, …) first releases what is
 *   held; a directive stays open across it.
 * - Ids are made of offsets: unique in the stream as long as the offsets are.
 *
 * After a fence tracker its marks count, see `trackFences`; alone, fences are found
 * by the same machine. The marks of text parts are kept, and its fence parts pass,
 * until a closer ends a fence from inside: then the tracker would take the rest of
 * the answer for code, so fences and marks are made anew behind that closer.
 *
 * Construction throws a `TypeError` for names that cannot be matched, impossible
 * definitions and a snapshot of something else, and a `RangeError` for limits
 * that are not positive.
 *
 * @typeParam Options The options' own type; it makes the parts' `value` and `fields`
 * known by name, see {@linkcode DirectiveOutput}.
 *
 * @example Typed directives between text
 * ```ts
 * import { DirectiveExtractorStream, parse } from "@millrace/millrace";
 *
 * const parts = parse(
 *   "Careful.\n<log><message>Disk full</message><level>3</level></log>",
 *   new DirectiveExtractorStream({
 *     directives: {
 *       log: {
 *         fields: ["message", "level"],
 *         schema: {
 *           type: "object",
 *           properties: { message: { type: "string" }, level: { type: "integer" } },
 *           required: ["message"],
 *         },
 *       },
 *     },
 *   }),
 * );
 * const log = parts.find((part) => part.type === "directive");
 * // `value` is typed: { message: string; level?: number } | undefined.
 * if (log?.value?.message !== "Disk full" || log.value.level !== 3) {
 *   throw new Error();
 * }
 * ```
 *
 * @example Reasoning tags become reasoning parts
 * ```ts
 * import { collectParts, DirectiveExtractorStream, parse } from "@millrace/millrace";
 *
 * const { text, reasoning } = collectParts(
 *   parse(
 *     ["<thi", "nk>Two and two…</th", "ink>Four. Tags look like `<think>`."],
 *     new DirectiveExtractorStream({ reasoning: true }),
 *   ),
 * );
 * if (reasoning !== "Two and two…") throw new Error(reasoning);
 * if (text !== "Four. Tags look like `<think>`.") throw new Error(text);
 * ```
 */
export class DirectiveExtractorStream<
  const Options extends DirectiveExtractorStreamOptions =
    DirectiveExtractorStreamOptions,
> extends StageStream<string | Part, DirectiveOutput<Options>> {
  /**
   * Makes an extractor at the beginning of a text, or one that goes on from a snapshot.
   *
   * @param options See {@linkcode DirectiveExtractorStreamOptions}.
   */
  constructor(options: Options) {
    super(
      makeDirectiveStage(options) as Stage<string | Part, unknown> as Stage<
        string | Part,
        DirectiveOutput<Options>
      >,
      options.highWaterMark === undefined
        ? {}
        : { highWaterMark: options.highWaterMark },
    );
  }
}
