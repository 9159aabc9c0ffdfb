/**
 * Making one string well-formed.
 *
 * @module
 */

/**
 * Replaces every unpaired UTF-16 surrogate in a string. Valid pairs stay, and a
 * well-formed string comes back as it is.
 *
 * @param text Any string.
 * @param replacement What takes the place of an unpaired surrogate.
 * @returns A well-formed string, as many code units long if the replacement is one.
 *
 * @example
 * ```ts
 * import { sanitizeSurrogates } from "@millrace/millrace";
 *
 * if (sanitizeSurrogates("a\ud83d") !== "a\ufffd") throw new Error();
 * if (sanitizeSurrogates("\u{1f680}") !== "\u{1f680}") throw new Error();
 * ```
 */
export function sanitizeSurrogates(
  text: string,
  replacement: string = "\ufffd",
): string {
  // Nearly free on the one-byte strings that most text is.
  if (text.isWellFormed()) return text;
  if (replacement === "\ufffd") return text.toWellFormed();
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at) & 0xfc00;
    if (unit !== 0xd800 && unit !== 0xdc00) continue;
    if (
      unit === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
    ) {
      at++;
      continue;
    }
    pieces.push(text.slice(from, at), replacement);
    from = at + 1;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}
