import type { Dialect } from "../dialect.ts";

const space = { match: "space" } as const;
const name = { match: "name" } as const;

/**
 * Gemma 4: a notation of its own, with strings between `<|"|>` tokens. Openers
 * drift; one of the drifted forms has JSON in parentheses.
 */
export const gemma4: Dialect = {
  name: "gemma4",
  forms: [
    {
      call: {
        open: [[
          { either: ["<|tool_call>", "<|tool_call|>"] },
          space,
          { either: ["call:", ":"] },
          space,
          name,
          space,
        ]],
        close: ["<tool_call|>"],
        closeMayMiss: "at-end",
        body: { delimiter: '<|"|>' },
      },
    },
    {
      call: {
        open: [[
          { either: ["<|tool_call>", "<|tool_call|>"] },
          space,
          { either: ["call:", ":"] },
          space,
          name,
          space,
          "(",
          space,
        ]],
        close: [[")", space, "<tool_call|>"]],
        body: "json",
      },
    },
  ],
};
