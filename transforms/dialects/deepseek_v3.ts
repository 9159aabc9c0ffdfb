import type { CallSyntax, Dialect, DialectForm } from "../dialect.ts";

const space = { match: "space" } as const;

/** The forms of calls between section tokens, which may be lost. */
export function sectionForms(
  call: CallSyntax,
): readonly DialectForm[] {
  return [
    {
      open: [
        "<\uff5ctool\u2581calls\u2581begin\uff5c>",
        "<\uff5ctool_calls_begin\uff5c>",
      ],
      close: [
        "<\uff5ctool\u2581calls\u2581end\uff5c>",
        "<\uff5ctool_calls_end\uff5c>",
      ],
      call,
    },
    { call },
  ];
}

/** DeepSeek V3 and R1: the arguments as JSON in a fence that belongs to the markup. */
export const deepseekV3: Dialect = {
  name: "deepseek-v3",
  forms: sectionForms({
    open: [[
      "<\uff5ctool\u2581call\u2581begin\uff5c>",
      space,
      "function",
      space,
      "<\uff5ctool\u2581sep\uff5c>",
      space,
      { match: "name" },
      space,
      "```json",
      space,
    ]],
    close: [["```", space, "<\uff5ctool\u2581call\u2581end\uff5c>"]],
    closeMayMiss: "at-end",
    body: "json",
  }),
};
