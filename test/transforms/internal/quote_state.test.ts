import { describe, expect, test } from "vitest";
import { QuoteState } from "../../../transforms/internal/quote_state.ts";

function read(text: string, state: QuoteState = new QuoteState()): QuoteState {
  state.read(text);
  return state;
}

describe("QuoteState", () => {
  test("what quotes a place", () => {
    for (
      const [text, quoting] of [
        ["", undefined],
        ["a", undefined],
        ["> a", "block"],
        ["  >", "block"],
        ["a > b", undefined],
        ["> a\nb", undefined],
        ["`", "code"],
        ["`a`", undefined],
        ["``a`", "code"],
        ["``a`b``", undefined],
        ["a`b``c", "code"],
        ["`a\nb", undefined],
        ["`a\r", undefined],
        ['"', "quotes"],
        ['a "b" c', undefined],
        ['a "b\n', undefined],
        ["it's", undefined],
        ["“a", "quotes"],
        ["“a”", undefined],
        ["„a“", undefined],
        ["„a”", undefined],
        ["«a", "quotes"],
        ["«a»", undefined],
        ["»a", "quotes"],
        ["»a«", undefined],
        ["「a", "quotes"],
        ["「a」", undefined],
        ["a” b", undefined],
        ["“a\n", undefined],
        ["‘a", "quotes"],
        ["‘a’", undefined],
        ["it’s", undefined],
        ["‚a‘", undefined],
        ["‹a", "quotes"],
        // Behind a back-slash it counts, and it does not: both say so.
        ['{"a": "b \\"c', "quotes"],
        ['{"a": "b \\"c\\" d', "quotes"],
        ['{"a": "b \\"c\\" d"}', undefined],
        ['a \\"b', "quotes"],
        ['"a\\\\" b', undefined],
        ["- > a", "block"],
        ["1. > a", "block"],
        ["12) - >", "block"],
        ["-> a", undefined],
        ["- a > b", undefined],
        ["1 > b", undefined],
        ["    ```\n    a", "fence"],
        ["\t~~~ x\n\n\ta", "fence"],
        ["    ```\n    a\n    ```\n    b", undefined],
        ["    ```\n    ~~~\n    b", "fence"],
        ["    ```\n  b", undefined],
        ["    ```\n  ", undefined],
        ["    ``\n    b", undefined],
        ["    a ```\n    b", undefined],
        ["  ```\n    b", undefined],
      ] as const
    ) expect(read(text).quoting, JSON.stringify(text)).toBe(quoting);
  });

  test("every typographic quote, what closes it, and nothing else does", () => {
    const closers: Readonly<Record<string, string>> = {
      "‘": "’",
      "‚": "‘’",
      "“": "”",
      "„": "“”",
      "«": "»",
      "»": "«",
      "‹": "›",
      "›": "‹",
      "「": "」",
      "『": "』",
    };
    const signs = [...new Set(Object.entries(closers).flat().join(""))];
    for (const [opener, those] of Object.entries(closers)) {
      // An apostrophe stands between letters.
      expect([opener, read(`a ${opener}b c `).quoting])
        .toEqual([opener, "quotes"]);
      for (const sign of signs) {
        expect([opener, sign, read(`a ${opener}b${sign} c`).quoting]).toEqual([
          opener,
          sign,
          those.includes(sign) ? undefined : "quotes",
        ]);
      }
    }
    for (const sign of signs.filter((one) => !(one in closers))) {
      expect([sign, read(`a ${sign}b c`).quoting]).toEqual([sign, undefined]);
    }
    for (const sign of ["‛", "‟", "〈", "》", "【", "′", "″", "ª", "¼"]) {
      expect([sign, read(`a ${sign}b c`).quoting]).toEqual([sign, undefined]);
    }
  });

  test("the line's first character, what is open in the paragraph", () => {
    expect(read("").blank).toBe(true);
    expect(read("a\n \t").blank).toBe(true);
    expect(read(" a").blank).toBe(false);
    expect(read("`").blank).toBe(false);
    for (
      const [text, open] of [
        ["a `b\nc", "`"],
        ["a `b\nc` d", ""],
        ["a `b\n\nc", ""],
        ["a `b\r\n\r\nc", ""],
        ["a `b\r\nc", "`"],
        ["```\na", ""],
        ['a "b\nc', '"'],
        ['a "b\nc"', ""],
        ['a "b\n \nc', ""],
        ["a \u201eb\nc", "\u201c\u201d"],
        ["a \u201eb\nc\u201c", ""],
        ["a \u201cb\n\nc", ""],
        ['`a "b\n«c', '`"»'],
      ] as const
    ) {
      expect(read(text).closers, JSON.stringify(text)).toBe(open);
    }
  });

  test("is the same however the text comes, also through a snapshot", () => {
    const text =
      'a ``b` “c\n> `d``\r\n\r\n  ```e `f`` "g\\"\n- > ‘x\n\n    ```\n\n    b\n\t~~~';
    const whole = read(text).snapshot();
    let state = new QuoteState();
    for (const character of text) {
      read(character, state);
      state = new QuoteState(JSON.parse(JSON.stringify(state.snapshot())));
    }
    expect(state.snapshot()).toEqual(whole);
  });
});
