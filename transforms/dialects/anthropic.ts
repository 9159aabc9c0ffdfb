import type { CallSyntax, Dialect, Pattern } from "../dialect.ts";

/** Prefixes that the tags may have; they may be mixed in one call. */
const PREFIXES: readonly Pattern[] = ["", "antml:", "atem:"];

const prefix = { either: PREFIXES };
const attributes = { match: "attributes" } as const;

/** `<invoke name="…">` with `<parameter name="…">` tags, as several dialects have it. */
export const invokeCall: CallSyntax = {
  open: [["<", prefix, "invoke", attributes, ">"]],
  empty: [["<", prefix, "invoke", attributes, "/>"]],
  close: [["</", prefix, "invoke>"]],
  parameter: {
    open: [["<", prefix, "parameter", attributes, ">"]],
    close: [["</", prefix, "parameter>"]],
  },
  body: "json",
};

const closers: readonly Pattern[] = [["</", prefix, "function_calls>"]];

/**
 * Claude's markup: `<invoke>` tags in `<function_calls>`, with or without a
 * namespace prefix. Values are raw text. Without the wrapper only with
 * `bare: "line-start"`.
 */
export const anthropic: Dialect = {
  name: "anthropic",
  forms: [
    {
      open: [["<", prefix, "function_calls>"]],
      close: closers,
      call: invokeCall,
    },
    {
      position: "line-start",
      bare: true,
      call: invokeCall,
      orphans: [...closers, "</minimax:tool_call>"],
    },
  ],
};
