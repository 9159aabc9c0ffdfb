import type { Dialect } from "../dialect.ts";
import { invokeCall } from "./anthropic.ts";

/** MiniMax M2: `<invoke>` tags in a wrapper of its own. */
export const minimaxM2: Dialect = {
  name: "minimax-m2",
  forms: [{
    open: ["<minimax:tool_call>"],
    close: ["</minimax:tool_call>"],
    call: invokeCall,
  }],
};
