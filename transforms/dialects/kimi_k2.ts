import type { CallSyntax, Dialect } from "../dialect.ts";

const space = { match: "space" } as const;

const call: CallSyntax = {
  open: [[
    "<|tool_call_begin|>",
    space,
    { optional: "functions." },
    { match: "name" },
    { optional: [":", { match: "digits" }] },
    space,
    "<|tool_call_argument_begin|>",
    space,
  ]],
  close: ["<|tool_call_end|>"],
  closeMayMiss: "at-end",
  body: "json",
};

const closers = ["<|tool_calls_section_end|>", "<|tool_call_section_end|>"];

/** Kimi K2 and later: an id that holds the name, then JSON, between tokens. */
export const kimiK2: Dialect = {
  name: "kimi-k2",
  forms: [
    {
      open: [
        "<|tool_calls_section_begin|>",
        "<|tool_call_section_begin|>",
      ],
      close: closers,
      call,
    },
    { call, orphans: closers },
  ],
};
