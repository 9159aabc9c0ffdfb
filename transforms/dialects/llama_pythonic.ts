import type { CallSyntax, Dialect } from "../dialect.ts";

const space = { match: "space" } as const;

/** One call in Python's notation, as several dialects have it. */
export const pythonCall: CallSyntax = {
  open: [[{ match: "name" }, space]],
  body: "python",
};

/**
 * Llama 3.2 and 4: a list of Python calls between tokens; by name also without
 * them, as the whole message.
 */
export const llamaPythonic: Dialect = {
  name: "llama-pythonic",
  forms: [
    {
      open: ["<|python_start|>"],
      close: ["<|python_end|>"],
      list: "required",
      call: pythonCall,
    },
    {
      position: "message",
      named: true,
      open: ["["],
      close: ["]"],
      separators: ",",
      call: pythonCall,
    },
  ],
};
