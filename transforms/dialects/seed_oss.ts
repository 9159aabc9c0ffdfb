import type { Dialect } from "../dialect.ts";
import { functionCall } from "./qwen3_coder.ts";

/** Seed-OSS: Qwen3-Coder's tags in a wrapper of its own. */
export const seedOss: Dialect = {
  name: "seed-oss",
  forms: [{
    open: ["<seed:tool_call>"],
    close: ["</seed:tool_call>"],
    call: functionCall,
  }],
};
