import { expect, test } from "vitest";
import { QuoteState } from "../../../transforms/internal/quote_state.ts";

/** What quotes the place behind a text, read at once, in pieces and by lines: it is the same. */
function quoting(text: string): unknown {
  const states = [1, 2, 5, text.length || 1].map((size) => {
    const state = new QuoteState();
    for (let at = 0; at < text.length; at += size) {
      state.read(text.slice(at, at + size));
    }
    return state.quoting;
  });
  const lines = new QuoteState();
  for (const line of text.match(/[^\n]*\n|[^\n]+/g) ?? []) lines.read(line);
  states.push(lines.quoting);
  expect(new Set(states).size, JSON.stringify([text, states])).toBe(1);
  return states[0];
}

test("blank lines forget quotes and runs, but no deep fence", () => {
  for (
    const [text, expected] of [
      ["    ```\n    a\n\n    b", "fence"],
      ["    ```\n\n\n    b", "fence"],
      ["- a\n    ~~~\n\n    c", "fence"],
      ["    ```\n    a\n\n    ```\n    b", undefined],
      ["    ```\n    a\n\n  b", undefined],
      ["    ```\n    a\n  b\n\n    c", undefined],
      ["a\n\n    ~~~\n\n    b\n\n    c", "fence"],
      // One that is a fence is told by others.
      ["```\na\n\nb", undefined],
      ["`a\n\nb", undefined],
      ['"a\n\nb', undefined],
      ["a\n\n> b", "block"],
      ["> a\n\nb", undefined],
      ["a\n\n`b", "code"],
      ['a\n\nb "c', "quotes"],
    ]
  ) expect([text, quoting(text!)]).toEqual([text, expected]);
});
