/** How far to look. */
const FARTHEST = 1_024;

/**
 * Finds out whether a text is a JSON array of objects: `[`, then `{` or `]`, with
 * white space between. Until that is certain, the text is kept.
 */
export class ArraySniffer {
  #held = "";

  /** Whether it is one; `undefined` while not certain. */
  push(text: string): boolean | undefined {
    this.#held += text;
    const start = this.#held.replace(/^[\ufeff \t\r\n]+/, "");
    if (start === "") return this.#held.length > FARTHEST ? false : undefined;
    if (start.charCodeAt(0) !== 0x5b) return false;
    for (let at = 1; at < start.length; at++) {
      const code = start.charCodeAt(at);
      if (code === 0x7b || code === 0x5d) return true;
      if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) {
        return false;
      }
    }
    return this.#held.length > FARTHEST ? false : undefined;
  }

  /** The text so far. */
  take(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}
