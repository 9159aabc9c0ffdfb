import type { Dialect } from "../dialect.ts";

/** Nemotron: a JSON list in `<TOOLCALL>` tags. */
export const nemotron: Dialect = {
  name: "nemotron",
  forms: [{
    open: ["<TOOLCALL>"],
    close: ["</TOOLCALL>"],
    list: "optional",
    call: { body: "call" },
  }],
};
