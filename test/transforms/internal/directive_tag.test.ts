import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isTagName,
  readTagAttributes,
  startTag,
  stepTag,
  type TagNames,
} from "../../../transforms/internal/directive_tag.ts";
import { RUNS } from "../../laws.ts";

const names: TagNames = {
  openers: ["log", "logger"],
  closers: ["log"],
  fold: false,
};

/** How far a text is read, and where that ends. */
function read(text: string, known: TagNames = names): string {
  const tag = startTag();
  for (let index = 1; index < text.length; index++) {
    const phase = stepTag(tag, text.charCodeAt(index), known);
    if (phase === "done" || phase === "dead") return `${phase} ${index + 1}`;
  }
  return tag.phase;
}

describe("a tag", () => {
  test("is done at its end", () => {
    for (
      const text of [
        "<log>",
        "<logger>",
        "</log>",
        "</log \n>",
        "<log/>",
        "<log />",
        "<log a>",
        "<log a/>",
        "<log a=b>",
        "<log a = 'x>y' b=\"'\"c>",
        "<log\ta\n=\r\fb>",
      ]
    ) expect(read(text), text).toBe(`done ${text.length}`);
  });

  test("is dead at the first impossible character", () => {
    for (
      const text of [
        "< ",
        "<!",
        "<x",
        "<lox",
        "<lo ",
        "<lo>",
        "</logg",
        "</log/",
        "</log a",
        "<loggers",
        "<log=",
        "<log /x",
        "<log/ ",
        "<log '",
        "<log =",
        "<log a<",
        "<log a`",
        "<log a'",
        "<log a=>",
        "<log a=<",
        "<log a=b<",
        "<log a=b`",
        "<log a='b'<",
      ]
    ) expect(read(text), text).toBe(`dead ${text.length}`);
    expect(read("</", { ...names, closers: [] })).toBe("dead 2");
  });

  test("fold compares in lower case and keeps the name as written", () => {
    const tag = startTag();
    for (const unit of "LoG>") {
      stepTag(tag, unit.charCodeAt(0), { ...names, fold: true });
    }
    expect(tag).toEqual({
      phase: "done",
      closer: false,
      empty: false,
      name: "LoG",
    });
  });

  test("every tag that is done gives its attributes back", () => {
    const attribute = fc.tuple(
      fc.constantFrom("a", "b-c", "d:e", "é", "__proto__"),
      fc.constantFrom("", "=", " = ", "='", '="'),
      fc.constantFrom("x", "1/2", "a=b", "&amp;"),
    );
    fc.assert(
      fc.property(fc.array(attribute, { maxLength: 5 }), (all) => {
        const expected = new Map<string, string>();
        let text = "<log";
        for (const [name, how, value] of all) {
          const quote = how === "='" ? "'" : how === '="' ? '"' : "";
          text += ` ${name}${how}${how === "" ? "" : value + quote}`;
          if (!expected.has(name)) expected.set(name, how === "" ? "" : value);
        }
        text += " >";
        expect(read(text), text).toBe(`done ${text.length}`);
        expect(Object.entries(readTagAttributes(text, "log")), text).toEqual([
          ...expected,
        ]);
      }),
      { numRuns: RUNS },
    );
  });

  test("names", () => {
    for (const name of ["log", "a.b", "antml:thinking", "x_1", "é"]) {
      expect(isTagName(name), name).toBe(true);
    }
    for (const name of ["", "a b", "a>", "</a", "a=b", "a`", "'a'", "a/"]) {
      expect(isTagName(name), name).toBe(false);
    }
  });
});
