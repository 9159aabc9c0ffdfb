/**
 * Tells code from prose in streamed Markdown.
 *
 * @module
 */

import { FenceTrackerStage } from "./internal/fence_tracker_stage.ts";
import type { FenceMode } from "./internal/markdown_lines.ts";
import type { Part } from "./part.ts";
import { StageStream } from "./stage.ts";
import { resumed } from "./internal/snapshot.ts";

export type { FenceMode } from "./internal/markdown_lines.ts";

/** Options of {@linkcode FenceTrackerStream}. */
export interface FenceTrackerStreamOptions {
  /**
   * How fences are found, see {@linkcode FenceMode}.
   *
   * @default {"tolerant"}
   */
  mode?: FenceMode;
  /**
   * Whether, inside a fence whose info begins with `md`, `markdown`, `mdx` or
   * `gfm`, a fence line with an info word opens a nested block, which its own
   * closing line ends. All of that is content of the outer fence. Not in mode `"loose"`.
   *
   * @default {false}
   */
  nested?: boolean;
  /**
   * Whether these count too: an opener (with at most one info word) at the end
   * of a prose line, a closer at the end of a code line, a closer with a tag or
   * with the next opener right behind it. Not in mode `"loose"`.
   *
   * @default {false}
   */
  glued?: boolean;
  /**
   * `"hold"` marks code spans as `code: "inline"`. For that, prose is held from
   * a run of backticks until its partner comes, the paragraph ends or
   * `maxSpanLength` is reached. Left out, no prose waits and no span is marked.
   */
  inline?: "hold";
  /**
   * How long a fence's opening line may be, in UTF-16 code units from its
   * indentation on; likewise a line that may still be a closing one. A longer
   * one opens or closes nothing, with a `limit` warning.
   *
   * @default {1024}
   */
  maxInfoLength?: number;
  /**
   * How deep block quotes and list items may be nested. Deeper ones are read as
   * text, with one `limit` warning.
   *
   * @default {100}
   */
  maxDepth?: number;
  /**
   * How long a code span may be with `inline: "hold"`, in UTF-16 code units
   * with both runs. What is held longer leaves as text, with a `limit` warning.
   *
   * @default {4096}
   */
  maxSpanLength?: number;
  /** A snapshot of another tracker with the same options, to go on from. */
  snapshot?: unknown;
  /** See {@linkcode StageStreamOptions.highWaterMark}. */
  highWaterMark?: number;
}

/**
 * Finds fenced code blocks while the text streams, as CommonMark defines them:
 * in block quotes and lists, with tildes, with longer markers, unclosed at the
 * end. Parts or strings go in; text comes out as it came in, byte for byte, but
 * marked: `code: "fence"` for content, `code: "marker"` for opening and closing
 * lines and for what containers and indentation add to a content line. A
 * `fence-start` part comes before the opening line, a `fence-end` part behind
 * the closing line.
 *
 * What is held back: outside a fence up to three columns of indentation and a
 * line that begins like an opener; inside a fence a line's container prefix and
 * what may be its closing line. Prose is never held (but see
 * {@linkcode FenceTrackerStreamOptions.inline}).
 *
 * Text that an upstream tracker has marked passes as it is. Every other part
 * passes too; one that is more than a notice (a tool call, an error) first
 * releases what is held, as if the text ended there.
 *
 * Two things differ from commonmark.js, on purpose. A line of nothing but
 * blanks in a fence in a list item keeps what it has beyond the item's
 * indentation (as in cmark and micromark). And a tab of which a container takes
 * only a part is content as it stands, since text is never rewritten.
 *
 * Throws a `TypeError` for an unknown `mode` or `inline` and for a foreign
 * snapshot, and a `RangeError` for a limit below 1.
 *
 * @example
 * ```ts
 * import { FenceTrackerStream, parse } from "@millrace/millrace";
 *
 * const fence = "`".repeat(3);
 * const parts = parse(
 *   `Look:\n${fence}ts\nlet a;\n${fence}\nDone.`,
 *   new FenceTrackerStream(),
 * );
 * const kinds = parts.map((part) =>
 *   part.type === "text" ? part.code ?? "prose" : part.type
 * );
 * if (
 *   kinds.join() !== "prose,fence-start,marker,fence,marker,fence-end,prose"
 * ) throw new Error(kinds.join());
 * ```
 */
export class FenceTrackerStream extends StageStream<string | Part, Part> {
  /**
   * Makes a tracker at the beginning of a text, or one that goes on from a snapshot.
   *
   * @param options See {@linkcode FenceTrackerStreamOptions}.
   */
  constructor(options: FenceTrackerStreamOptions = {}) {
    super(
      resumed(
        options.snapshot,
        (snapshot) => new FenceTrackerStage({ ...options, snapshot }),
      ),
      options,
    );
  }
}
