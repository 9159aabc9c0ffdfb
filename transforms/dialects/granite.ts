import type { Dialect } from "../dialect.ts";

/**
 * Granite 3: `<|tool_call|>` and a JSON list; Granite 20b: `<function_call>` and
 * a JSON object. (Granite 4 writes as Hermes does.)
 */
export const granite: Dialect = {
  name: "granite",
  forms: [
    {
      open: ["<|tool_call|>"],
      close: ["<|/tool_call|>"],
      closeMayMiss: true,
      list: "required",
      call: { body: "call" },
    },
    {
      open: ["<function_call>"],
      close: ["</function_call>"],
      closeMayMiss: true,
      call: { body: "call" },
    },
  ],
};
