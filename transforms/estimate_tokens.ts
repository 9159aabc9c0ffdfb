/**
 * Guessing how many tokens a text has.
 *
 * @module
 */

/**
 * How many tokens a text probably has, without a tokenizer: a third of its ASCII
 * characters and all other UTF-16 code units, rounded up. That is more than
 * English prose has (about a quarter) and about what code, JSON and logs have, so
 * it errs towards sending too little. Dense data (base64, hexadecimal digits)
 * can have more.
 *
 * @param text Any text.
 * @returns The estimate, in tokens.
 *
 * @example
 * ```ts
 * import { estimateTokens } from "@millrace/millrace";
 *
 * if (estimateTokens("const answer = 42;") !== 6) throw new Error();
 * ```
 */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7f) others++;
  }
  return Math.ceil((text.length - others) / 3 + others);
}
