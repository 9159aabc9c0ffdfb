import type { Dialect } from "../dialect.ts";

/** Phi-4-mini: a JSON list behind `functools`, or between tokens. */
export const phi4: Dialect = {
  name: "phi4",
  forms: [
    {
      open: ["functools["],
      close: ["]"],
      separators: ",",
      call: { body: "call" },
    },
    {
      open: ["<|tool_call|>"],
      close: ["<|/tool_call|>"],
      closeMayMiss: true,
      list: "required",
      call: { body: "call" },
    },
  ],
};
