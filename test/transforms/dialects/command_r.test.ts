import { describe, test } from "vitest";
import { checkMarkup } from "../salvage_support.ts";

describe("command-r", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "command-r",
      call:
        '<|START_ACTION|>[\n {"tool_call_id": "0", "tool_name": "read", "parameters": {"path": "a b"}}\n]<|END_ACTION|>',
      empty:
        '<|START_ACTION|>[{"tool_name": "now", "parameters": {}}]<|END_ACTION|>',
    });
    checkMarkup({
      dialect: "command-r",
      call:
        'Action: ```json\n[{"tool_name": "read", "parameters": {"path": "a b"}}]\n```',
      named: true,
      bare: true,
    });
  });
});
