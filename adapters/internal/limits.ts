/** The longest line and the longest event by default: real lines carry images as base64. */
export const DEFAULT_LIMIT = 16_777_216;

/** How much of something unreadable is shown. */
export const EXCERPT = 200;

/** A limit from the options; throws a `RangeError` for one that is none. */
export function limitOf(
  name: string,
  value: number | undefined,
  fallback: number = DEFAULT_LIMIT,
): number {
  if (value === undefined) return fallback;
  if (!(value >= 1)) {
    throw new RangeError(
      `Cannot use ${name} "${value}": it must be 1 or more characters`,
    );
  }
  return value;
}

/** The beginning of a text, never half a surrogate pair, quoted for a message. */
export function excerptOf(text: string): string {
  return text.slice(0, wholeLength(text, EXCERPT));
}

/** The largest length up to `limit` that does not cut a surrogate pair. */
export function wholeLength(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  return (text.charCodeAt(limit - 1) & 0xfc00) === 0xd800 ? limit - 1 : limit;
}
