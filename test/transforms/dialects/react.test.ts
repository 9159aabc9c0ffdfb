import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

describe("react", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "react",
      call: 'Action: read\nAction Input: {"path": "a b"}',
      empty: "Action: now\nAction Input: {}",
      named: true,
      bare: true,
    });
  });

  test("between its other lines", () => {
    const text =
      'Thought: hm\r\nAction: read\r\nAction Input: {"path": "a b"}\r\nObservation:';
    expect(salvage(text, { dialects: ["react"] })).toMatchObject({
      calls: [["read", { path: "a b" }]],
      text: "Thought: hm\r\n\r\nObservation:",
    });
    for (
      const prose of [
        "Action: read\nis what I do.",
        "My Action: read\nAction Input: {}",
        "Action: read\nAction Input: the path",
      ]
    ) {
      expect(salvage(prose, { dialects: ["react"] }), prose).toMatchObject({
        calls: [],
        text: prose,
      });
    }
  });
});
