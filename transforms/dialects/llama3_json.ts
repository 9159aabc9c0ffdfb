import type { Dialect } from "../dialect.ts";

/**
 * Llama 3: JSON objects with name and parameters behind `<|python_tag|>`, apart
 * by semicolons; by name also without the token, as the whole message.
 */
export const llama3Json: Dialect = {
  name: "llama3-json",
  forms: [
    {
      open: ["<|python_tag|>"],
      close: ["<|eom_id|>", "<|eot_id|>"],
      closeMayMiss: true,
      list: "optional",
      separators: ";",
      call: { body: "call" },
    },
    {
      position: "message",
      named: true,
      list: "optional",
      separators: ";",
      call: { body: "call" },
    },
  ],
};
