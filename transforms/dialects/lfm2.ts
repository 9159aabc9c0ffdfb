import type { Dialect } from "../dialect.ts";
import { pythonCall } from "./llama_pythonic.ts";

/** LFM2: a list of Python calls, or JSON, between tokens. */
export const lfm2: Dialect = {
  name: "lfm2",
  forms: [
    {
      open: ["<|tool_call_start|>"],
      close: ["<|tool_call_end|>"],
      list: "required",
      call: pythonCall,
    },
    {
      open: ["<|tool_call_start|>"],
      close: ["<|tool_call_end|>"],
      list: "optional",
      call: { body: "call" },
    },
  ],
};
