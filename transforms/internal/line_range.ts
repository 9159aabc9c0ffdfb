/**
 * A range of lines from the two numbers as written, or `undefined` for one that
 * makes no sense: lines count from 1, the first is not behind the last.
 */
export function lineRange(
  first: string | number,
  last: string | number = first,
): [number, number] | undefined {
  const from = Number(first);
  const to = Number(last);
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 1 &&
      from <= to
    ? [from, to]
    : undefined;
}

/**
 * Reads the brackets that a text begins with: `(3-9)`, `(7)`, blanks, an `L` or
 * the word "lines" allowed; `undefined` when the text is something else.
 */
export function bracketedRange(
  text: string,
): { lineRange: [number, number] | undefined } | undefined {
  const close = text.indexOf(")");
  if (!text.startsWith("(") || close < 0 || close > LONGEST_RANGE) {
    return undefined;
  }
  const match = /^(?:lines?\s+|L)?(\d{1,15})(?:\s*[-\u2013]\s*L?(\d{1,15}))?$/i
    .exec(
      text.slice(1, close).trim(),
    );
  return match === null
    ? undefined
    : { lineRange: lineRange(match[1]!, match[2] ?? match[1]!) };
}

const LONGEST_RANGE = 64;

/** Splits `path#L3-L9` (also `#L3`, `#L3C1-L9C2`) into the path and its range. */
export function anchoredPath(
  text: string,
): { path: string; lineRange: [number, number] | undefined } {
  const hash = text.lastIndexOf("#");
  const match = hash < 1
    ? null
    : /^#L(\d{1,15})(?:C\d+)?(?:-L?(\d{1,15})(?:C\d+)?)?$/i.exec(
      text.slice(hash),
    );
  return match === null ? { path: text, lineRange: undefined } : {
    path: text.slice(0, hash),
    lineRange: lineRange(match[1]!, match[2] ?? match[1]!),
  };
}
