import type { Part } from "../part.ts";

/**
 * Whether a part only tells something: it may stand anywhere in the text without
 * ending what began there, and waits behind held text instead of releasing it.
 * Some providers send usage with every delta, and where the delta of a snippet
 * stands depends on the chunks.
 */
export function isAside({ type }: Part): boolean {
  return type === "warning" || type === "usage" || type === "raw" ||
    type === "snippet-delta";
}
