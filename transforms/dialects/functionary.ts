import type { Dialect } from "../dialect.ts";

const space = { match: "space" } as const;

/**
 * Functionary 3.1 and Llama's custom tools: JSON in `<function=…>` tags. By
 * name also 3.2: `>>>`, the name and JSON on the next line.
 */
export const functionary: Dialect = {
  name: "functionary",
  forms: [
    {
      position: "line-start",
      call: {
        open: [["<function=", { match: "name" }, ">", space]],
        close: ["</function>"],
        body: "json",
      },
    },
    {
      position: "line-start",
      named: true,
      call: {
        open: [[">>>", { match: "name" }, { either: ["\n", "\r\n"] }, space]],
        body: "json",
      },
    },
  ],
};
