import type { Dialect } from "../dialect.ts";
import { sectionForms, token } from "./deepseek_v3.ts";

const space = { match: "space" } as const;

/** DeepSeek V3.1: name and arguments around a separator. */
export const deepseekV31: Dialect = {
  name: "deepseek-v3.1",
  forms: sectionForms({
    open: [[
      token("tool call begin"),
      space,
      { match: "name" },
      space,
      token("tool sep"),
      space,
    ]],
    close: [[token("tool call end")]],
    closeMayMiss: "at-end",
    body: "json",
  }),
};
