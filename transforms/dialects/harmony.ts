import type { CallSyntax, Dialect, Pattern } from "../dialect.ts";

const space = { match: "space" } as const;
const recipient: Exclude<Pattern, string> = [
  "to=",
  { optional: "functions." },
  { match: "name" },
];
const type: Exclude<Pattern, string> = [
  space,
  { optional: "<|constrain|>" },
  { optional: "json" },
  { optional: "code" },
  space,
];

/** What follows the channel when a server has stripped the tokens. */
const stripped: Exclude<Pattern, string> = [
  space,
  "to=functions.",
  { match: "name" },
  { either: [" ", "\n"] },
  ...type,
];

function call(open: readonly Pattern[]): CallSyntax {
  return {
    open,
    close: ["<|call|>", "<|end|>"],
    closeMayMiss: "always",
    body: "json",
  };
}

/**
 * gpt-oss: a message in channel `commentary` to a function. The recipient may
 * stand before the channel. By name also with the tokens stripped.
 */
export const harmony: Dialect = {
  name: "harmony",
  forms: [
    {
      call: call([
        [
          { optional: "<|start|>assistant" },
          "<|channel|>commentary ",
          space,
          ...recipient,
          ...type,
          "<|message|>",
          space,
        ],
        [
          "<|start|>assistant ",
          space,
          ...recipient,
          space,
          "<|channel|>commentary",
          ...type,
          "<|message|>",
          space,
        ],
      ]),
    },
    {
      position: "line-start",
      named: true,
      call: call([["commentary ", ...stripped]]),
    },
    {
      named: true,
      call: call([["assistantcommentary ", ...stripped]]),
    },
  ],
};
