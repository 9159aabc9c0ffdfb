import type { Block, Message } from "../message.ts";

/** Lines of a file that an edit changed, and the new text there. */
export interface Hunk {
  first: number;
  last: number;
  text: string;
}

/** A message that may still grow, as plain data. */
export interface Draft
  extends Omit<Message, "blocks" | "snippets" | "hasCode"> {
  blocks: Block[];
  /** By what later records find it. */
  key?: string;
  /** Parts of the text blocks that hold no fences: `[block, start, end]`. */
  masks?: [number, number, number][];
  /** Calls that failed. */
  failed?: string[];
  /** What calls changed. */
  hunks?: Record<string, Hunk[]>;
  /** The files of the fences in order, where the format keeps them beside the text. */
  paths?: (string | null)[];
  /** A later record may hold the same with more. */
  partial?: boolean;
  /** The last block is a call that a later record of this stamp holds whole. */
  growing?: string;
  /** Roughly how many characters it holds. */
  size: number;
}

/** Roughly how many characters a value holds, without making its JSON. */
export function sizeOf(value: unknown): number {
  let size = 0;
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    size += 16;
    if (typeof next === "string") size += next.length;
    else if (typeof next === "object" && next !== null) {
      for (const each of Object.values(next)) stack.push(each);
    }
  }
  return size;
}
