import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const call = "<read>\n<path>a b</path>\n</read>";

describe("cline-xml", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "cline-xml",
      call,
      empty: "<now>\n</now>",
      bare: true,
    });
    checkMarkup({
      dialect: "cline-xml",
      call: '<read>{"path": "a b"}</read>',
      empty: "<now></now>",
      bare: true,
    });
  });

  test("one line end at each side is markup", () => {
    const text = call.replace("a b", "\n\n a <b>\r\n");
    expect(salvage(text).calls).toEqual([["read", { path: "\n a <b>" }]]);
  });

  test("a parameter's own tags in its value", () => {
    for (
      const path of [
        "use </path> to close",
        "<path>x</path>\n<line>7</line>",
        "<read>\n<path>x</path>\n</read>",
        "</read>",
      ]
    ) {
      const text = call.replace("a b", path);
      expect(salvage(text).calls, text).toEqual([["read", { path }]]);
    }
  });

  test("the first parameter has to be known", () => {
    const text = "<read>\n<tr>x</tr>\n</read>";
    expect(salvage(text), text).toMatchObject({ calls: [], text });
    const free = { tools: [{ name: "read" }] };
    expect(salvage(text, free).calls).toEqual([["read", { tr: "x" }]]);
  });

  test("prose and HTML", () => {
    for (
      const text of [
        "The <path> element; <read> is its parent.",
        "<read> is a tool.",
        `Use ${call}`,
        `${call} is an example.`,
        "<read>\n<path>a b</path>\n</READ>",
        "<gone>\n<path>a b</path>\n</gone>",
        "<read>\n<path>a",
      ]
    ) expect(salvage(text), text).toMatchObject({ calls: [], text });
  });
});
