import type { CallSyntax, Dialect, DialectForm, Pattern } from "../dialect.ts";

const space = { match: "space" } as const;

/** A token of DeepSeek's, with what stands for its bars and its spaces. */
export function token(words: string): { either: readonly Pattern[] } {
  return {
    either: ["\uff5c", "|"].flatMap((bar) =>
      ["\u2581", "_", " "].map((separator) =>
        `<${bar}${words.replaceAll(" ", separator)}${bar}>`
      )
    ),
  };
}

/** The forms of calls between section tokens, which may be lost. */
export function sectionForms(call: CallSyntax): readonly DialectForm[] {
  const closers = [[token("tool calls end")]];
  return [
    { open: [[token("tool calls begin")]], close: closers, call },
    { call, orphans: closers },
  ];
}

/** DeepSeek V3 and R1: the arguments as JSON in a fence that belongs to the markup. */
export const deepseekV3: Dialect = {
  name: "deepseek-v3",
  forms: sectionForms({
    open: [[
      token("tool call begin"),
      space,
      "function",
      space,
      token("tool sep"),
      space,
      { match: "name" },
      space,
      "```",
      { optional: "json" },
      space,
    ]],
    close: [["```", space, token("tool call end")]],
    closeMayMiss: "at-end",
    body: "json",
  }),
};
