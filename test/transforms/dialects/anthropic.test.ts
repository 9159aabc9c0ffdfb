import { describe, expect, test } from "vitest";
import { checkMarkup, invoke, salvage, wrapped } from "../salvage_support.ts";

const prefix = "antml" + ":";

describe("anthropic", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "anthropic",
      call: wrapped(invoke("read", { path: "a b" })),
      empty: wrapped(invoke("now")),
    });
  });

  test("prefixes, mixed as they come", () => {
    const plain = wrapped(invoke("read", { path: "a b" }));
    for (
      const text of [
        plain.replaceAll(/<(\/?)/g, `<$1${prefix}`),
        plain.replaceAll("<", `<${prefix}`).replaceAll(`<${prefix}/`, "</"),
        plain.replaceAll("</", `</${prefix}`),
        plain.replaceAll(/<(\/?)/g, "<$1atem:"),
      ]
    ) {
      expect(salvage(text), text).toMatchObject({
        calls: [["read", { path: "a b" }]],
        text: "",
      });
    }
    const other = plain.replaceAll(/<(\/?)/g, "<$1other:");
    expect(salvage(other).calls).toEqual([]);
  });

  test("attributes in any quotes, with any spaces", () => {
    for (
      const text of [
        "<function_calls><invoke  name='read' ><parameter\tname = 'path'>a b</parameter></invoke></function_calls>",
        '<function_calls><invoke id="1" name="read"><parameter name="path" type="string">a b</parameter></invoke></function_calls>',
        '<function_calls>\n<invoke\nname="read">\n<parameter name="path">a b</parameter>\n</invoke>\n</function_calls>',
      ]
    ) {
      expect(salvage(text).calls, text).toEqual([["read", { path: "a b" }]]);
    }
    for (
      const text of [
        "<function_calls><invoke name=read></invoke></function_calls>",
        "<function_calls><invoke></invoke></function_calls>",
        '<function_calls><invokes name="now"></invokes></function_calls>',
        '<function_calls><invoke nom="now"></invoke></function_calls>',
      ]
    ) expect(salvage(text), text).toMatchObject({ calls: [], text });
  });

  test("a call that closes itself", () => {
    const text = '<function_calls><invoke name="now"/></function_calls>';
    expect(salvage(text)).toMatchObject({ calls: [["now", {}]], text: "" });
  });

  test("the last of equal parameters", () => {
    const text = wrapped(
      invoke("read", { path: "a" }).replace(
        "</invoke>",
        '<parameter name="path">b</parameter>\n</invoke>',
      ),
    );
    expect(salvage(text).calls).toEqual([["read", { path: "b" }]]);
  });

  test("a JSON object as body", () => {
    const text =
      '<function_calls><invoke name="read">{"path": "a b"}</invoke></function_calls>';
    expect(salvage(text).calls).toEqual([["read", { path: "a b" }]]);
  });

  test("words of the markup in prose", () => {
    for (
      const text of [
        'Use <function_calls> and then <invoke name="read">.',
        "I should have used invoke, not court.",
        "The <function_calls tag.",
        "</function_calls>",
      ]
    ) expect(salvage(text), text).toMatchObject({ calls: [], text });
  });
});
