import type { Dialect } from "../dialect.ts";
import { sectionForms } from "./deepseek_v3.ts";

const space = { match: "space" } as const;

/** DeepSeek V3.1: name and arguments around a separator. */
export const deepseekV31: Dialect = {
  name: "deepseek-v3.1",
  forms: sectionForms({
    open: [[
      "<\uff5ctool\u2581call\u2581begin\uff5c>",
      space,
      { match: "name" },
      space,
      "<\uff5ctool\u2581sep\uff5c>",
      space,
    ]],
    close: ["<\uff5ctool\u2581call\u2581end\uff5c>"],
    closeMayMiss: "at-end",
    body: "json",
  }),
};
