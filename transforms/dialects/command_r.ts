import type { Dialect } from "../dialect.ts";

const space = { match: "space" } as const;

/**
 * Command R7B, A and later: a JSON list between action tokens. By name also
 * Command R: `Action:` and a JSON list in a fence.
 */
export const commandR: Dialect = {
  name: "command-r",
  forms: [
    {
      open: ["<|START_ACTION|>"],
      close: ["<|END_ACTION|>"],
      list: "optional",
      call: { body: "call" },
    },
    {
      position: "line-start",
      named: true,
      open: [["Action:", space, "```json"]],
      close: ["```"],
      list: "optional",
      call: { body: "call" },
    },
  ],
};
