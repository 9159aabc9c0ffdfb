import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const now = '{"name": "now", "arguments": {}}';

describe("hermes", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "hermes",
      call:
        '<tool_call>\n{"name": "read", "arguments": {"path": "a b"}}\n</tool_call>',
      empty: '<tool_call>{"name": "now"}</tool_call>',
    });
  });

  test("other ways to write the same", () => {
    for (
      const object of [
        '{"name":"read","parameters":{"path":"a b"}}',
        '{"arguments":{"path":"a b"},"name":"read"}',
        '{"name":"read","arguments":"{\\"path\\":\\"a b\\"}"}',
        '{"type":"function","function":{"name":"read","arguments":{"path":"a b"}}}',
        "{'name':'read','arguments':{'path':'a b',}}",
        '{"name":"read","arguments":{"path":"a b"}}}',
        '{"name":"read","arguments":{"path":"a b"}',
        '[{"name":"read","arguments":{"path":"a b"}}]',
        '[{"name":"read","arguments":{"path":"a b"}}',
      ]
    ) {
      const text = `<tool_call>\n${object}\n</tool_call>`;
      expect(salvage(text), text).toMatchObject({
        calls: [["read", { path: "a b" }]],
        text: "",
      });
    }
  });

  test("a list of calls", () => {
    const text = `<tool_call>[${now}, ${now}]</tool_call>`;
    expect(salvage(text)).toMatchObject({
      calls: [["now", {}], ["now", {}]],
      raws: [`<tool_call>[${now}`, `, ${now}]</tool_call>`],
    });
  });

  test("the closer may be missing at the end, and only there", () => {
    expect(salvage(`<tool_call>\n${now}`).calls).toEqual([["now", {}]]);
    expect(salvage(`<tool_call>\n${now.slice(0, -1)}`).calls).toEqual([]);
    expect(salvage(`Write <tool_call>${now} and close it.`).calls).toEqual([]);
    const next = `<tool_call>${now}\n<tool_call>${now}</tool_call>`;
    expect(salvage(next).calls).toHaveLength(2);
  });

  test("a closer inside a string", () => {
    const text =
      '<tool_call>{"name":"read","arguments":{"path":"</tool_call>}]"}}</tool_call>';
    expect(salvage(text).calls).toEqual([
      ["read", { path: "</tool_call>}]" }],
    ]);
  });

  test("what is no call", () => {
    for (
      const text of [
        "The marker <tool_call> opens and </tool_call> ends.",
        '<tool_call>{"name": <name>, "arguments": <args>}</tool_call>',
        `<tool_call>${now}${now} or so</tool_call>`,
        '<tool_call>{"name":"read","arguments":["a"]}</tool_call>',
        '<tool_call>{"name":"read","path":"a"}</tool_call>',
        '<tool_call>{"name":"read","arguments":{"path":"a"</tool_call>',
        '<tool_call>{"name":"read","arguments":{"path":"a" "b"}}</tool_call>',
        '<tool_call>{"name":"read","arguments":{"line":1',
        '<tool_call>{"name":["read"],"arguments":{}}</tool_call>',
        "<tool_call>[]</tool_call>",
        "<tool_call></tool_call>",
      ]
    ) expect(salvage(text), text).toMatchObject({ calls: [], text });
  });
});
