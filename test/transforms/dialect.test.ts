import { describe, expect, test } from "vitest";
import {
  type Dialect,
  parse,
  type Part,
  ToolCallSalvagerStream,
} from "../../mod.ts";
import { textOf } from "../laws.ts";

/** A markup of one's own: a JSON call between two words in square brackets. */
const brackets: Dialect = {
  name: "brackets",
  forms: [{
    open: ["[[run]]"],
    close: ["[[/run]]"],
    call: { body: "call" },
  }],
};

function salvage(text: string, dialect: Dialect = brackets): Part[] {
  return parse(
    text,
    new ToolCallSalvagerStream({
      tools: [{ name: "read" }],
      dialects: [dialect],
    }),
  );
}

describe("a Dialect of one's own", () => {
  const markup = '[[run]]{"name":"read","arguments":{"path":"a"}}[[/run]]';

  test("its calls are salvaged under its name", () => {
    const parts = salvage(`Reading. ${markup} Done.`);
    expect(parts.find((part) => part.type === "tool-call")).toMatchObject({
      toolName: "read",
      input: { path: "a" },
      dialect: "brackets",
      raw: markup,
      start: 9,
    });
    expect(textOf(parts)).toBe("Reading.  Done.");
  });

  test("the gate holds for it as for all others", () => {
    for (
      const text of [
        `\`${markup}\``,
        `> ${markup}`,
        `~~~\n${markup}\n~~~`,
        markup.replace("read", "other"),
        markup.slice(0, 35),
      ]
    ) {
      const parts = salvage(text);
      expect(parts.some((part) => part.type === "tool-call")).toBe(false);
      expect(textOf(parts)).toBe(text);
    }
  });

  test("one that cannot work is refused at construction", () => {
    for (
      const wrong of [
        { name: "", forms: brackets.forms },
        { name: "none", forms: [] },
        { name: "empty", forms: [{ ...brackets.forms[0]!, open: [""] }] },
      ]
    ) expect(() => salvage("", wrong as Dialect)).toThrow(/Cannot/);
  });
});
