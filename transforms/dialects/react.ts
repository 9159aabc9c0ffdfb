import type { Dialect } from "../dialect.ts";

const blanks = { match: "blanks" } as const;

/** ReAct: `Action:` and `Action Input:` with JSON. Only by name. */
export const react: Dialect = {
  name: "react",
  forms: [{
    position: "line-start",
    named: true,
    call: {
      open: [[
        "Action:",
        blanks,
        { match: "name" },
        blanks,
        { either: ["\n", "\r\n"] },
        blanks,
        "Action Input:",
        { match: "space" },
      ]],
      body: "json",
    },
  }],
};
