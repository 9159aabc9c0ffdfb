import type { CallSyntax, Dialect } from "../dialect.ts";

const space = { match: "space" } as const;
const attributes = { match: "attributes" } as const;

/** `<function=…>` with `<parameter=…>` tags, as several dialects have it. */
export const functionCall: CallSyntax = {
  open: [["<function=", { match: "name" }, space, ">"]],
  close: ["</function>"],
  parameter: {
    open: [["<parameter=", { match: "key" }, ">"]],
    close: ["</parameter>"],
    framing: "line",
  },
};

/**
 * Qwen3-Coder, Qwen 3.5 and later, Nemotron 3 Nano and others. One line end at
 * each side of a value is markup. The opening `<tool_call>` is often lost, so a
 * `<function=…>` at the beginning of a line counts too.
 */
export const qwen3Coder: Dialect = {
  name: "qwen3-coder",
  forms: [
    {
      open: ["<tool_call>"],
      close: ["</tool_call>"],
      call: functionCall,
    },
    {
      open: ["<tool_call>"],
      close: ["</tool_call>"],
      call: {
        open: [["<function", attributes, ">"]],
        close: ["</function>"],
        parameter: {
          open: [["<parameter", attributes, ">"]],
          close: ["</parameter>"],
        },
      },
    },
    {
      position: "line-start",
      call: functionCall,
      orphans: ["</tool_call>", "</seed:tool_call>"],
    },
  ],
};
