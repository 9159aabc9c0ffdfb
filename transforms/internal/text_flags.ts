/** Which characters occur in a text: {@linkcode flagsOf} gives their bits. */
export const LINE_END = 1;
export const TICK = 2;
export const LESS_THAN = 4;
export const QUOTE = 8;
export const BACKSLASH = 16;
export const TILDE = 32;
export const COLON = 64;
/** Square brackets. */
export const BRACKET = 128;
/** A code unit above 127. */
export const NOT_ASCII = 256;

/** What {@linkcode flagsOf} says when it did not look: everything may occur. */
export const ANYTHING = 511;

/** Searching beats looking at every character in longer texts. */
const LONGEST = 256;

const FLAGS: Uint8Array = new Uint8Array(128);
for (
  const [characters, flag] of [
    ["\n\r", LINE_END],
    ["`", TICK],
    ["<", LESS_THAN],
    ['"', QUOTE],
    ["\\", BACKSLASH],
    ["~", TILDE],
    [":", COLON],
    ["[]", BRACKET],
  ] as const
) {
  for (const character of characters) FLAGS[character.charCodeAt(0)] = flag;
}

let lastText = "";
let lastFlags = 0;

/**
 * Which of the characters that markup is made of occur in a text; more than do
 * when the text is long. Two thirds of the chunks that models stream hold none,
 * and every stage of a pipeline asks about the same text in turn: it is looked
 * at once, whatever the number of stages.
 */
export function flagsOf(text: string): number {
  if (text === lastText) return lastFlags;
  if (text.length > LONGEST) return ANYTHING;
  let flags = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    flags |= unit < 128 ? FLAGS[unit]! : NOT_ASCII;
  }
  lastText = text;
  return lastFlags = flags;
}
