import type { Dialect } from "../dialect.ts";

/**
 * MiniMax M1: JSON objects, one a line, in `<tool_calls>` tags. Hunyuan and
 * Jamba: a JSON list in the same tags.
 */
export const minimaxM1: Dialect = {
  name: "minimax-m1",
  forms: [{
    open: ["<tool_calls>"],
    close: ["</tool_calls>"],
    list: "optional",
    call: { body: "call" },
  }],
};
