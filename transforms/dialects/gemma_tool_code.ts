import type { Dialect } from "../dialect.ts";
import { pythonCall } from "./llama_pythonic.ts";

/** Gemma 3: Python calls in a fence with the info `tool_code`. Only by name. */
export const gemmaToolCode: Dialect = {
  name: "gemma-tool-code",
  forms: [{
    position: "line-start",
    named: true,
    open: [["```tool_code", { match: "blanks" }, { either: ["\n", "\r\n"] }]],
    close: ["```"],
    separators: ";",
    call: pythonCall,
  }],
};
