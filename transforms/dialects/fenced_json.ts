import type { Dialect } from "../dialect.ts";

/** A call as JSON in a fence, as weak local models write it. Only by name. */
export const fencedJson: Dialect = {
  name: "fenced-json",
  forms: [{
    position: "line-start",
    named: true,
    open: [[
      { either: ["```json", "```tool_call", "```tool_calls"] },
      { match: "blanks" },
      { either: ["\n", "\r\n"] },
    ]],
    close: ["```"],
    list: "optional",
    call: { body: "call" },
  }],
};
