/**
 * The usual stages in the usual order, from one options object.
 *
 * @module
 */

import type { Part } from "./part.ts";
import type { DirectiveExtractorStreamOptions } from "./directive_extractor.ts";
import type { FenceMode, FenceTrackerStreamOptions } from "./fence_tracker.ts";
import { FenceTrackerStage } from "./internal/fence_tracker_stage.ts";
import { FusedStage } from "./internal/fused_stage.ts";
import { makeDirectiveStage } from "./internal/make_directive_stage.ts";
import { makeSalvagerStage } from "./internal/make_salvager_stage.ts";
import { SnippetExtractor } from "./internal/snippet_stage.ts";
import { SurrogateSanitizerStage } from "./internal/surrogate_sanitizer_stage.ts";
import type { SnippetExtractorStreamOptions } from "./snippet_extractor.ts";
import { type Stage, StageStream } from "./stage.ts";
import type { ToolCallSalvagerStreamOptions } from "./tool_call_salvager.ts";
import { resumed } from "./internal/snapshot.ts";

/** Options of {@linkcode standardPipeline}. */
export interface StandardPipelineOptions {
  /**
   * The tools offered to the model. None: no call is looked for.
   *
   * @default {[]}
   */
  tools?: ToolCallSalvagerStreamOptions["tools"];
  /** Everything else about calls: `dialects`, `bare`, limits, … */
  toolCalls?: Omit<
    ToolCallSalvagerStreamOptions,
    "tools" | "snapshot" | "highWaterMark"
  >;
  /**
   * The directives to extract. None: no directive is looked for.
   *
   * @default {[]}
   */
  directives?: DirectiveExtractorStreamOptions["directives"];
  /** Everything else about directives: `reasoning`, `startInside`, limits, … */
  directiveOptions?: Omit<
    DirectiveExtractorStreamOptions,
    "directives" | "snapshot" | "highWaterMark"
  >;
  /**
   * How fences are found, or all options of the fence tracker.
   *
   * @default {"tolerant"}
   */
  fences?:
    | FenceMode
    | Omit<FenceTrackerStreamOptions, "snapshot" | "highWaterMark">;
  /**
   * Whether snippets are extracted, or all options of the extractor.
   *
   * @default {true}
   */
  snippets?:
    | boolean
    | Omit<SnippetExtractorStreamOptions, "snapshot" | "highWaterMark">;
  /** A snapshot of a standard pipeline with the same options, to go on from. */
  snapshot?: unknown;
  /** See {@linkcode StageStreamOptions.highWaterMark}. */
  highWaterMark?: number;
}

/**
 * Builds the standard pipeline as one stream: surrogate sanitizer, tool-call
 * salvager (when tools are offered), fence tracker, directive extractor (when
 * directives are named), snippet extractor (unless switched off).
 *
 * The salvager goes before those that follow Markdown, because an argument may
 * hold anything: taken out first, it cannot disturb what comes after it.
 *
 * Throws what the stages' constructors throw, and a `TypeError` for a snapshot
 * of a pipeline with other stages.
 *
 * @param options See {@linkcode StandardPipelineOptions}.
 * @returns One stream, strings or parts in, parts out.
 *
 * @example
 * ```ts
 * import { collectParts, parse, standardPipeline } from "@millrace/millrace";
 *
 * const answer = "Reading.\n" +
 *   '<tool_call>{"name": "read", "arguments": {"path": "a.md"}}</tool_call>';
 * const { text, toolCalls } = collectParts(
 *   parse(answer, standardPipeline({ tools: [{ name: "read" }] })),
 * );
 * if (text !== "Reading.\n" || toolCalls[0]?.toolName !== "read") {
 *   throw new Error();
 * }
 * ```
 */
export function standardPipeline(
  options: StandardPipelineOptions = {},
): StageStream<string | Part, Part> {
  const { fences = "tolerant", snippets = true, highWaterMark } = options;
  const hasTools = options.tools !== undefined &&
    Object.keys(options.tools).length > 0;
  const directiveOptions = options.directiveOptions ?? {};
  const hasDirectives = Object.keys(options.directives ?? {}).length > 0 ||
    directiveOptions.reasoning !== undefined;
  const count = 2 + Number(hasTools) + Number(hasDirectives) +
    Number(snippets !== false);
  const snapshots = options.snapshot === undefined
    ? new Array<unknown>(count).fill(undefined)
    : options.snapshot;
  if (!Array.isArray(snapshots) || snapshots.length !== count) {
    throw new TypeError(
      "Cannot resume: the snapshot is not one of a standard pipeline with these options",
    );
  }
  let next = 0;
  // Stages without their streams: a stream takes longer to make than a stage.
  const stages: Stage<string | Part, string | Part>[] = [
    resumed(
      snapshots[next++],
      (snapshot) => new SurrogateSanitizerStage({ snapshot }),
    ),
  ];
  if (hasTools) {
    stages.push(
      makeSalvagerStage({
        ...options.toolCalls,
        tools: options.tools!,
        snapshot: snapshots[next++],
      }),
    );
  }
  stages.push(
    resumed(snapshots[next++], (snapshot) =>
      new FenceTrackerStage({
        ...(typeof fences === "string" ? { mode: fences } : fences),
        snapshot,
      })),
  );
  if (hasDirectives) {
    stages.push(
      makeDirectiveStage(
        {
          // The tracker is right before it.
          trackFences: false,
          mode: typeof fences === "string" ? fences : fences.mode,
          ...directiveOptions,
          directives: options.directives ?? [],
          snapshot: snapshots[next++],
        },
        typeof fences === "string" && directiveOptions.mode === undefined &&
          directiveOptions.trackFences === undefined,
      ),
    );
  }
  if (snippets !== false) {
    stages.push(
      resumed(snapshots[next++], (snapshot) =>
        new SnippetExtractor({
          trackFences: false,
          ...(snippets === true ? {} : snippets),
          snapshot,
        })),
    );
  }
  return new StageStream(
    // Behind the sanitizer there is always a stage that makes parts of strings.
    new FusedStage(stages as Stage<unknown, unknown>[]) as Stage<
      string | Part,
      Part
    >,
    highWaterMark === undefined ? {} : { highWaterMark },
  );
}
