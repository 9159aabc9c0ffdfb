import { describe, expect, test } from "vitest";
import {
  findVscodeResult,
  isUserMessage,
  viewMessage,
  withoutResults,
  withResultsBefore,
  withResultTexts,
} from "../../../transforms/internal/message_view.ts";

const result = (id: unknown, content?: unknown): object => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});

describe("viewMessage", () => {
  test("no message, and one that says nothing", () => {
    for (const message of [undefined, null, "text", 1, [], {}]) {
      expect(viewMessage(message)).toEqual({
        calls: [],
        results: [],
        texts: [],
        images: 0,
        item: false,
        form: "anthropic",
      });
    }
  });

  test("Anthropic's blocks", () => {
    expect(viewMessage({
      role: "user",
      content: [
        "a",
        1,
        { type: "text", text: "b" },
        { type: "tool_use", id: "c", name: "f", input: { x: 1 } },
        { type: "tool_use", name: 1 },
        result("r", ["d", { type: "text", text: "e" }, 1, { type: "image" }]),
        result("s", "g"),
        { type: "document", source: { type: "text", data: "h" } },
        { type: "image", source: { type: "base64" } },
        { type: "audio", source: {} },
        { type: "thinking", thinking: "i" },
        { type: "odd", n: 1 },
        result(1),
      ],
    })).toEqual({
      calls: ["c"],
      results: [{ id: "r", texts: ["d", "e"] }, { id: "s", texts: ["g"] }],
      texts: [
        "a",
        "b",
        'f{"x":1}',
        "",
        "h",
        "i",
        '{"type":"odd","n":1}',
        '{"type":"tool_result","tool_use_id":1}',
      ],
      images: 3,
      item: false,
      form: "anthropic",
    });
  });

  test("OpenAI's chat messages", () => {
    expect(viewMessage({
      role: "assistant",
      content: "a",
      tool_calls: [
        1,
        { id: "c", function: { name: "f", arguments: "{}" } },
        { id: "d", custom: { name: "g", input: "x" } },
        { id: 2, function: "odd" },
      ],
    })).toMatchObject({
      calls: ["c", "d"],
      texts: ["f{}", "gx", "a"],
      form: "openai",
    });
    expect(viewMessage({ role: "tool", tool_call_id: "c", content: "x" }))
      .toMatchObject({
        results: [{ id: "c", texts: ["x"] }],
        form: "openai",
        item: false,
      });
  });

  test("items of OpenAI's Responses", () => {
    expect(
      viewMessage({ type: "function_call_output", call_id: "c", output: "x" }),
    ).toMatchObject({
      results: [{ id: "c", texts: ["x"] }],
      item: true,
      form: "responses",
    });
    expect(
      viewMessage({
        type: "function_call",
        call_id: "c",
        name: "f",
        arguments: "{}",
      }),
    ).toMatchObject({ calls: ["c"], texts: ["f{}"], item: true });
    expect(
      viewMessage({ type: "custom_tool_call", call_id: "c", input: { a: 1 } }),
    ).toMatchObject({ calls: ["c"], texts: ['{"a":1}'] });
    // Without a type it is no item.
    expect(viewMessage({ call_id: "c" }).item).toBe(false);
  });

  test("the parts of vscode.lm", () => {
    expect(viewMessage({
      role: 1,
      content: [
        { value: "a" },
        { callId: "c", name: "f", input: {} },
        { callId: "r", content: [{ value: "b" }, { value: ["c", "d"] }] },
        { mimeType: "image/png", data: new Uint8Array(1) },
        { value: "e", mimeType: "x/y" },
      ],
    })).toMatchObject({
      calls: ["c"],
      results: [{ id: "r", texts: ["b"] }],
      texts: ["a", "f{}", "cd", '{"value":"e","mimeType":"x/y"}'],
      images: 1,
      form: "vscode",
    });
  });

  test("what has no JSON counts as nothing", () => {
    const ring: Record<string, unknown> = { type: "odd" };
    ring["self"] = ring;
    expect(viewMessage({ content: [ring] }).texts).toEqual([""]);
    expect(
      viewMessage({ content: [{ type: "tool_use", name: "f" }] }).texts,
    ).toEqual(["f"]);
  });
});

describe("messages with other results", () => {
  test("texts take the place of texts, what else there is stays", () => {
    const image = { type: "image" };
    const message = {
      role: "user",
      content: [
        "before",
        result("a", "long"),
        result("b", ["x", image, { type: "text", text: "y", more: 1 }]),
        result("c", "same"),
      ],
    };
    const changed = withResultTexts(
      message,
      new Map([[0, ["short"]], [1, ["x", "z"]]]),
    );
    expect(changed).toEqual({
      role: "user",
      content: [
        "before",
        result("a", "short"),
        result("b", ["x", image, { type: "text", text: "z", more: 1 }]),
        result("c", "same"),
      ],
    });
    expect(changed.content[3]).toBe(message.content[3]);
    expect(message.content[1]).toEqual(result("a", "long"));
  });

  test("a message that is a result", () => {
    const message = { role: "tool", tool_call_id: "c", content: "long" };
    expect(withResultTexts(message, new Map([[0, ["s"]]])))
      .toEqual({ ...message, content: "s" });
    expect(withResultTexts(message, new Map())).toBe(message);
    const item = { type: "function_call_output", call_id: "c", output: "long" };
    expect(withResultTexts(item, new Map([[0, ["s"]]])))
      .toEqual({ ...item, output: "s" });
    expect(withResultTexts("text", new Map([[0, ["s"]]]))).toBe("text");
  });

  test("without some, and without any left", () => {
    const message = { content: [result("a"), "text", result("b"), 1] };
    expect(withoutResults(message, new Set([1])))
      .toEqual({ content: [result("a"), "text", 1] });
    expect(withoutResults(message, new Set([0, 1])))
      .toEqual({ content: ["text", 1] });
    expect(withoutResults({ content: [result("a")] }, new Set([0])))
      .toBeUndefined();
    expect(withoutResults({ tool_call_id: "c" }, new Set([0]))).toBeUndefined();
    expect(withoutResults(message, new Set())).toBe(message);
    expect(withoutResults("text", new Set([0]))).toBe("text");
    // A call is no result.
    const call = { type: "function_call", call_id: "c", content: ["x"] };
    expect(withoutResults(call, new Set([0]))).toEqual(call);
  });

  test("results in front of what there is", () => {
    const before = result("a");
    expect(withResultsBefore({ content: "x" }, [before]))
      .toEqual({ content: [before, { type: "text", text: "x" }] });
    expect(withResultsBefore({ content: "" }, [before]))
      .toEqual({ content: [before] });
    expect(withResultsBefore({ content: ["x"] }, [before]))
      .toEqual({ content: [before, "x"] });
    expect(withResultsBefore({}, [before])).toEqual({ content: [before] });
  });

  test("finding a result of vscode.lm, and who speaks", () => {
    const block = { callId: "r", content: [] };
    expect(
      findVscodeResult([
        "text",
        { content: ["x", result("a"), { callId: "c", name: "f", input: 1 }] },
        { content: [{ callId: "r" }, block] },
      ]),
    ).toBe(block);
    expect(findVscodeResult([{ content: [result("a")] }, {}])).toBeUndefined();
    expect(
      [
        { role: "user" },
        { role: 1 },
        { role: "assistant" },
        { role: 2 },
        "user",
      ]
        .map(isUserMessage),
    ).toEqual([true, true, false, false, false]);
  });
});
