import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

const call = '<|tool_call>call:read{path:<|"|>a b<|"|>}<tool_call|>';

describe("gemma4", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "gemma4",
      call,
      empty: "<|tool_call>call:now{}<tool_call|>",
    });
  });

  test("everything that a value may be", () => {
    const tools = [{ name: "put" }];
    const text =
      '<|tool_call>call:put{s:<|"|>a {b}, "c"\n<|"|>,n:-3,b:true,z:null,o:{k:<|"|>v<|"|>},l:[1,<|"|>x<|"|>]}<tool_call|>';
    expect(salvage(text, { tools }).calls).toEqual([["put", {
      s: 'a {b}, "c"\n',
      n: -3,
      b: true,
      z: null,
      o: { k: "v" },
      l: [1, "x"],
    }]]);
  });

  test("forms that drift", () => {
    for (
      const text of [
        call.replace("call:", ":"),
        call.replace("<|tool_call>", "<|tool_call|>"),
        call.replace(':<|"|>', ":"),
        '<|tool_call|>call:read({"path":"a b"})<tool_call|>',
      ]
    ) {
      expect(salvage(text), text).toMatchObject({
        calls: [["read", { path: "a b" }]],
        text: "",
      });
    }
  });

  test("what is none", () => {
    for (
      const text of [
        "call:now{}",
        '<|tool_call>call:read{path:<|"|>a]}<tool_call|>',
        '<|tool_call>call:read{path:[<|"|>a<|"|>]]}<tool_call|>',
      ]
    ) expect(salvage(text), text).toMatchObject({ calls: [], text });
  });
});
