import type { Dialect } from "../dialect.ts";

/**
 * Hermes, Qwen 2.5 and 3, Granite 4 and many more: a JSON object with name and
 * arguments, or a list of them, in `<tool_call>` tags.
 */
export const hermes: Dialect = {
  name: "hermes",
  forms: [{
    open: ["<tool_call>"],
    close: ["</tool_call>"],
    list: "optional",
    call: { body: "call" },
  }],
};
