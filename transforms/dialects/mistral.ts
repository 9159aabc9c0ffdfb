import type { Dialect } from "../dialect.ts";

const space = { match: "space" } as const;

/**
 * Mistral: `[TOOL_CALLS]` and a JSON list; from version 11 on the name, then
 * the arguments as JSON, with `[CALL_ID]` and `[ARGS]` between.
 */
export const mistral: Dialect = {
  name: "mistral",
  forms: [
    {
      open: ["[TOOL_CALLS]"],
      list: "optional",
      call: { body: "call" },
    },
    {
      call: {
        open: [[
          "[TOOL_CALLS]",
          space,
          { match: "name" },
          space,
          { optional: ["[CALL_ID]", { match: "word" }, space] },
          { optional: ["[ARGS]", space] },
        ]],
        body: "json",
      },
    },
  ],
};
