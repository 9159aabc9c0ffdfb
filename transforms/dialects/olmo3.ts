import type { Dialect } from "../dialect.ts";
import { pythonCall } from "./llama_pythonic.ts";

/** Olmo 3: Python calls, one a line, in `<function_calls>` tags. Only by name. */
export const olmo3: Dialect = {
  name: "olmo3",
  forms: [{
    named: true,
    open: ["<function_calls>"],
    close: ["</function_calls>"],
    separators: ";",
    call: pythonCall,
  }],
};
