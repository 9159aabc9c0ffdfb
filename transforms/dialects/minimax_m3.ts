import type { Dialect } from "../dialect.ts";

/** Stands before every tag. */
const MARK = "]<]minimax[>[";

const mark = [MARK, { match: "space" } as const];
const attributes = { match: "attributes" } as const;
const key = { match: "key" } as const;

/**
 * MiniMax M3: a mark before every tag, parameters' names as tags, arrays as
 * `<item>` tags.
 */
export const minimaxM3: Dialect = {
  name: "minimax-m3",
  forms: [{
    open: [[...mark, "<tool_call>"]],
    close: [[...mark, "</tool_call>"]],
    call: {
      open: [[...mark, "<invoke", attributes, ">"]],
      close: [[...mark, "</invoke>"]],
      parameter: {
        open: [[...mark, "<", key, ">"]],
        close: [[...mark, "</", key, ">"]],
        nested: MARK,
        tagged: true,
      },
    },
  }],
};
