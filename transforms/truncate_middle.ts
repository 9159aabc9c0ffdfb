/**
 * Shortening one text.
 *
 * @module
 */

import { sanitizeSurrogates } from "./sanitize_surrogates.ts";

/** What stands in a shortened text for what is gone. */
export type TruncationMarker =
  | string
  /** Made from the number of UTF-16 code units that are gone. */
  | ((omitted: number) => string);

/** Options of {@linkcode truncateMiddle}. */
export interface TruncateMiddleOptions {
  /**
   * Which end is kept: the beginning, the end, or both.
   *
   * @default {"both"}
   */
  keep?: "head" | "tail" | "both";
  /**
   * What stands for what is gone. It counts towards the limit; where it
   * takes more than half of it, the text is cut without one.
   *
   * @default {"\n[… 1234 characters left out …]\n"}, or "…" where the limit is below 160
   */
  marker?: TruncationMarker;
  /**
   * How short the result may get to end at a line's end, in UTF-16 code units.
   *
   * @default {seven eighths of the limit}
   */
  minChars?: number;
}

/** Below this limit the default marker is one character. */
const ROOM_FOR_WORDS = 160;

/**
 * Shortens a text to a limit by taking out its middle (or its end, or its
 * beginning). Pairs of surrogates are never split, and where a line ends near
 * the cut, the cut is there. What is cut comes out well-formed.
 *
 * Throws a `RangeError` when the limit is not 0 or more.
 *
 * @param text The text.
 * @param maxChars How long the result may be, marker included, in UTF-16 code units.
 * @param options See {@linkcode TruncateMiddleOptions}.
 * @returns The text itself when it is short enough, else its ends with the marker.
 *
 * @example
 * ```ts
 * import { truncateMiddle } from "@millrace/millrace";
 *
 * const log = "first line\n" + "noise\n".repeat(1000) + "last line";
 * const short = truncateMiddle(log, 300);
 * if (short.length > 300) throw new Error();
 * if (!short.startsWith("first line\n") || !short.endsWith("\nlast line")) throw new Error();
 *
 * if (truncateMiddle("abcdefgh", 5, { marker: "~" }) !== "ab~gh") throw new Error();
 * ```
 */
export function truncateMiddle(
  text: string,
  maxChars: number,
  options: TruncateMiddleOptions = {},
): string {
  if (!(maxChars >= 0)) {
    throw new RangeError(
      `Cannot shorten to "${maxChars}" characters: the limit must be 0 or more`,
    );
  }
  if (text.length <= maxChars) return text;
  const limit = Math.floor(maxChars);
  const { keep = "both", minChars = limit - (limit >> 3) } = options;
  const marker = markerFor(text.length - limit, limit, options.marker);
  const room = limit - marker.length;
  const slack = Math.max(0, Math.min(limit - minChars, room >> 1));
  let head = keep === "tail" ? 0 : keep === "head" ? room : (room + 1) >> 1;
  let tail = room - head;
  head = headEnd(text, head, keep === "both" ? slack >> 1 : slack);
  // What the head does not take is the tail's, when there is one.
  if (keep === "both") tail = room - head;
  const from = tailStart(
    text,
    text.length - tail,
    keep === "both" ? slack >> 1 : slack,
  );
  return sanitizeSurrogates(text.slice(0, head)) + marker +
    sanitizeSurrogates(text.slice(from));
}

/** The marker, or none when it leaves too little room. The number in it is what is gone at least. */
function markerFor(
  omitted: number,
  limit: number,
  given: TruncationMarker | undefined,
): string {
  const make = given ??
    (limit < ROOM_FOR_WORDS
      ? "…"
      : (count: number) => `\n[… ${count} characters left out …]\n`);
  let marker = typeof make === "string" ? make : make(omitted);
  if (typeof make !== "string") {
    // The marker's own length adds to what is gone.
    marker = make(omitted + marker.length);
  }
  return marker.length > limit >> 1 ? "" : sanitizeSurrogates(marker);
}

/** Where the head ends: behind a line end at most `slack` earlier, never in a pair. */
function headEnd(text: string, at: number, slack: number): number {
  const line = text.slice(at - slack, at).lastIndexOf("\n");
  if (line >= 0) return at - slack + line + 1;
  return splitsPair(text, at) ? at - 1 : at;
}

/** Where the tail starts: behind a line end at most `slack` later, never in a pair. */
function tailStart(text: string, at: number, slack: number): number {
  const line = text.slice(at - 1, at + slack).indexOf("\n");
  // Not at the very end: something of the tail has to stay.
  if (line >= 0 && at + line < text.length) return at + line;
  return splitsPair(text, at) ? at + 1 : at;
}

function splitsPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
