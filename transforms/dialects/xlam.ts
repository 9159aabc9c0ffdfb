import type { Dialect } from "../dialect.ts";

/**
 * xLAM: a JSON list as the whole message, in a fence, or behind other models'
 * markers. Only by name.
 */
export const xlam: Dialect = {
  name: "xlam",
  forms: [
    {
      position: "message",
      named: true,
      list: "required",
      call: { body: "call" },
    },
    {
      position: "line-start",
      named: true,
      open: [["```json", { match: "blanks" }, { either: ["\n", "\r\n"] }]],
      close: ["```"],
      list: "required",
      call: { body: "call" },
    },
    {
      named: true,
      open: ["[TOOL_CALLS]"],
      list: "required",
      call: { body: "call" },
    },
    {
      named: true,
      open: ["<tool_call>"],
      close: ["</tool_call>"],
      list: "required",
      call: { body: "call" },
    },
  ],
};
