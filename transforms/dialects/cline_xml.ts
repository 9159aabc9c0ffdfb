import type { Dialect } from "../dialect.ts";

const key = { match: "key" } as const;
const name = { match: "name" } as const;

/**
 * Cline, Roo and prompts like theirs: the tool's name is the tag, parameters'
 * names are tags in it. One line end at each side of a value is markup.
 */
export const clineXml: Dialect = {
  name: "cline-xml",
  forms: [{
    position: "line-start",
    call: {
      open: [["<", { match: "tool" }, ">"]],
      close: [["</", name, ">"]],
      parameter: {
        open: [["<", key, ">"]],
        close: [["</", key, ">"]],
        framing: "line",
        tagged: true,
      },
      body: "json",
    },
  }],
};
