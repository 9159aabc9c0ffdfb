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

/** Reads `(3-9)`, blanks and an `L` allowed; `undefined` when the text is something else. */
export function bracketedRange(
  text: string,
): { lineRange: [number, number] | undefined } | undefined {
  const match = /^\(\s*L?(\d{1,15})\s*[-\u2013]\s*L?(\d{1,15})\s*\)$/i.exec(
    text,
  );
  return match === null
    ? undefined
    : { lineRange: lineRange(match[1]!, match[2]!) };
}

/** Splits `path#L3-L9` (also `#L3`, `#L3C1-L9C2`) into the path and its range. */
export function anchoredPath(
  text: string,
): { path: string; lineRange: [number, number] | undefined } {
  const match = /^(.+)#L(\d{1,15})(?:C\d+)?(?:-L?(\d{1,15})(?:C\d+)?)?$/.exec(
    text,
  );
  return match === null ? { path: text, lineRange: undefined } : {
    path: match[1]!,
    lineRange: lineRange(match[2]!, match[3] ?? match[2]!),
  };
}
