import { expect, test } from "vitest";
import type { Part, PartOf, TextPart } from "../../mod.ts";

/** Compiles only if the two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;

test("parts are told apart by their type", () => {
  const textIsText: Same<PartOf<"text">, TextPart> = true;
  const one = (part: Part): string => {
    switch (part.type) {
      case "text":
        return part.text;
      case "tool-call":
        // Only a salvaged call has markup.
        return part.origin === "salvaged" ? part.raw : part.toolName;
      case "finish":
        return part.reason;
      default:
        return part.type;
    }
  };
  expect(textIsText).toBe(true);
  expect(one({ type: "text", text: "a", start: 0 })).toBe("a");
  expect(one({ type: "raw", value: null })).toBe("raw");
  // @ts-expect-error: a text part has an offset
  expect(one({ type: "text", text: "a" })).toBe("a");
  // @ts-expect-error: there is no such reason
  expect(one({ type: "finish", reason: "bored", complete: true })).toBe(
    "bored",
  );
});

test("parts survive JSON", () => {
  const part: Part = {
    type: "directive",
    id: "directive-1",
    name: "note",
    attributes: { level: "info" },
    content: "\ud83d",
    complete: true,
    raw: "<note level=info>\ud83d</note>",
    start: 0,
    end: 25,
  };
  expect(JSON.parse(JSON.stringify(part))).toEqual(part);
});
