import { decodeEntity } from "./entities.ts";

/** The longest reference that is looked for, from `&` to `;`. */
const LONGEST = 34;

const REFERENCE =
  /&(#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});/g;

/** A reference that could go on. */
const HALF =
  /^&(?:#(?:[xX][0-9a-fA-F]{0,6}|[0-9]{0,7})|[a-zA-Z][a-zA-Z0-9]{0,31})?$/;

/** Decodes character references, once: `&amp;lt;` becomes `&lt;`. What is none stays. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    REFERENCE,
    (whole: string, reference: string) => decodeEntity(reference) ?? whole,
  );
}

/** How many code units at the end of a text may be the beginning of a reference. */
export function halfEntity(text: string): number {
  const at = text.lastIndexOf("&");
  if (at < 0 || text.length - at >= LONGEST) return 0;
  return HALF.test(text.slice(at)) ? text.length - at : 0;
}
