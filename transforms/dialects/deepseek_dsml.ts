import type { Dialect, Pattern } from "../dialect.ts";

/** The mark and the forms it drifts to. */
const MARKS: readonly Pattern[] = [
  "\uff5c",
  "|",
  "\u2016",
  "\uff5c\uff5c",
  "||",
  "\u2016\u2016",
].flatMap((bar) => [`${bar}DSML${bar}`, ` ${bar} DSML ${bar} `]);

const mark = { either: MARKS };
const attributes = { match: "attributes" } as const;
const blanks = { match: "blanks" } as const;
const wrapper = { either: ["function_calls", "tool_calls"] };
const closers: readonly Pattern[] = [["</", mark, wrapper, blanks, ">"]];

const call: Dialect["forms"][number]["call"] = {
  open: [["<", mark, "invoke", attributes, ">"]],
  empty: [["<", mark, "invoke", attributes, "/>"]],
  close: [["</", mark, "invoke", blanks, ">"]],
  parameter: {
    open: [["<", mark, "parameter", attributes, ">"]],
    close: [["</", mark, "parameter", blanks, ">"]],
  },
  body: "json",
};

/**
 * DeepSeek V3.2 and V4: `<invoke>` tags with a mark, whose bars drift. The
 * attribute `string` says whether a value is raw text or JSON.
 */
export const deepseekDsml: Dialect = {
  name: "deepseek-dsml",
  forms: [
    { open: [["<", mark, wrapper, blanks, ">"]], close: closers, call },
    { call, orphans: [["</", mark, wrapper, ">"]] },
  ],
};
