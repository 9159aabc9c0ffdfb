/** Which characters occur in a text: {@linkcode flagsOf} gives their bits. */
export const LINE_END = 1;
export const TICK = 2;
export const LESS_THAN = 4;
export const QUOTE = 8;
export const TILDE = 16;
/** Square brackets. */
export const BRACKET = 32;
/** A code unit above 127. */
export const NOT_ASCII = 64;

/** What {@linkcode flagsOf} says when it did not look: everything may occur. */
export const ANYTHING = 127;

/** Searching beats looking at every character in longer texts. */
const LONGEST = 256;

/** By code unit. So large that a look-up needs no question first. */
const FLAGS: Uint8Array = new Uint8Array(65_536).fill(NOT_ASCII, 128);
for (
  const [characters, flag] of [
    ["\n\r", LINE_END],
    ["`", TICK],
    ["<", LESS_THAN],
    ['"', QUOTE],
    ["~", TILDE],
    ["[]", BRACKET],
  ] as const
) {
  for (const character of characters) FLAGS[character.charCodeAt(0)] = flag;
}

let lastText = "";
let lastFlags = 0;

/**
 * Which of the characters that markup is made of occur in a text; more than do
 * when the text is long. For a stage that has to look for most of them anyway.
 */
export function flagsOf(text: string): number {
  if (text === lastText) return lastFlags;
  const { length } = text;
  if (length > LONGEST) return ANYTHING;
  let flags = 0;
  let at = 0;
  // Four at a time take two thirds of the time.
  for (; at + 4 <= length; at += 4) {
    flags |= FLAGS[text.charCodeAt(at)]! | FLAGS[text.charCodeAt(at + 1)]! |
      FLAGS[text.charCodeAt(at + 2)]! | FLAGS[text.charCodeAt(at + 3)]!;
  }
  for (; at < length; at++) flags |= FLAGS[text.charCodeAt(at)]!;
  lastText = text;
  return lastFlags = flags;
}

/**
 * The flags of the text that was looked at last, and {@linkcode ANYTHING} of any
 * other. The stages of a pipeline are given the same text one after the other:
 * one of them looks at it, and those behind it need not search once more.
 */
export function knownFlagsOf(text: string): number {
  return text === lastText ? lastFlags : ANYTHING;
}

/** Whether a text has a line end. */
export function hasLineEnd(text: string): boolean {
  return (knownFlagsOf(text) & LINE_END) !== 0 &&
    (text.includes("\n") || text.includes("\r"));
}
