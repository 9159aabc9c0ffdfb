import type { CallSyntax, Dialect, Pattern } from "../dialect.ts";

const space = { match: "space" } as const;
const recipient: Pattern = ["to=functions.", { match: "name" }];
const type: Pattern = [
  space,
  { optional: "<|constrain|>" },
  { optional: "json" },
  { optional: "code" },
  space,
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
      call: call([[
        { optional: "assistant" },
        "commentary ",
        space,
        ...recipient,
        { either: [" ", "\n"] },
        ...type,
      ]]),
    },
  ],
};
