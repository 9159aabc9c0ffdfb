import type { Dialect } from "../dialect.ts";

const space = { match: "space" } as const;

/** FunctionGemma: Gemma's notation with `<escape>` around strings. */
export const functiongemma: Dialect = {
  name: "functiongemma",
  forms: [{
    call: {
      open: [[
        "<start_function_call>",
        space,
        "call:",
        space,
        { match: "name" },
        space,
      ]],
      close: ["<end_function_call>"],
      closeMayMiss: "at-end",
      body: { delimiter: "<escape>" },
    },
  }],
};
