import type { Dialect } from "../dialect.ts";

/** White space; GLM 4.5 sometimes writes a line end as a back-slash and an "n". */
const space = [
  { match: "space" } as const,
  { optional: ["\\n", { match: "space" } as const] },
];

const argument = [
  "<arg_key>",
  { match: "key" } as const,
  "</arg_key>",
  ...space,
  { optional: ["</arg_key>", ...space] },
  "<arg_value>",
];

/**
 * GLM 4.5 and later: the tool's name in `<tool_call>`, arguments as pairs of
 * `<arg_key>` and `<arg_value>`. Values are raw text.
 */
export const glm: Dialect = {
  name: "glm",
  forms: [{
    call: {
      open: [["<tool_call>", ...space, { match: "tool" }, ...space]],
      close: ["</tool_call>", "\\n</tool_call>"],
      parameter: {
        open: [argument, ["\\n", ...argument]],
        close: ["</arg_value>"],
      },
    },
  }],
};
