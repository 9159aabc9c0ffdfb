import { lineRange } from "./line_range.ts";

/**
 * The lines that SEARCH/REPLACE blocks replace, from the first to the last, when
 * every block says where it begins (`:start_line:5`, as Roo Code has it), or the
 * caller does.
 *
 * @param start First line of a single block that does not say so itself.
 */
export function searchReplaceRange(
  diff: string,
  start?: number,
): [number, number] | undefined {
  let first = Infinity;
  let last = 0;
  let blockStart: number | undefined;
  /** Lines of the block's SEARCH part, -1 outside of one. */
  let searched = -1;
  for (const line of linesOf(diff)) {
    if (/^(?:<{5,9}|-{5,9}) SEARCH\b/.test(line)) {
      searched = 0;
      blockStart = last === 0 ? start : undefined;
    } else if (searched < 0) continue;
    else if (/^={5,9}$/.test(line)) {
      if (blockStart === undefined) return undefined;
      first = Math.min(first, blockStart);
      last = Math.max(last, blockStart + Math.max(searched, 1) - 1);
      searched = -1;
    } else if (searched === 0 && /^:start_line:\s*\d{1,15}$/.test(line)) {
      blockStart = Number(line.slice(line.lastIndexOf(":") + 1));
    } else if (searched > 0 || !/^(?::end_line:|-{5,9}$)/.test(line)) {
      searched++;
    }
  }
  return last === 0 ? undefined : lineRange(first, last);
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const stop = text.indexOf("\n", start);
    const end = stop < 0 ? text.length : stop;
    yield text.slice(start, text[end - 1] === "\r" ? end - 1 : end);
    start = end + 1;
  }
}
