import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  estimateTokens,
  fitToolResults,
  type FitToolResultsOptions,
  OverBudgetError,
} from "../../mod.ts";
import { viewMessage } from "../../transforms/internal/message_view.ts";
import { RUNS } from "../laws.ts";

const chars = (text: string): number => text.length;

const thirds = (text: string): Promise<number> =>
  Promise.resolve(Math.ceil(text.length / 3));

/** A counter for which joined texts have fewer tokens than single ones. */
const words = (text: string): number => text.split(/\s+/).length;

type Block = Record<string, unknown>;
type Message = {
  role: string;
  content: string | Block[];
  [key: string]: unknown;
};

/** A call and its result, as Anthropic has them. */
function pair(id: string, content: unknown): Message[] {
  return [
    {
      role: "assistant",
      content: [{ type: "tool_use", id, name: "f", input: {} }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content }],
    },
  ];
}

function contentOf(messages: readonly Message[], id: string): unknown {
  for (const { content } of messages) {
    for (const block of content as Block[]) {
      if (block["tool_use_id"] === id) return block["content"];
    }
  }
  return undefined;
}

function totalOf(messages: readonly unknown[], count = chars): number {
  return count(
    messages.flatMap((message) => {
      const view = viewMessage(message);
      return [...view.texts, ...view.results.flatMap((one) => one.texts)];
    }).join(""),
  );
}

async function failure(
  messages: readonly unknown[],
  options: FitToolResultsOptions,
): Promise<OverBudgetError> {
  try {
    await fitToolResults(messages, options);
  } catch (error) {
    if (error instanceof OverBudgetError) return error;
    throw error;
  }
  throw new Error("it fits");
}

const text = fc.array(
  fc.constantFrom("a", "line\n", "\u{1f600}", "é", "x".repeat(80), "\n"),
  { maxLength: 40 },
).map((all) => all.join(""));

/** Anthropic conversations with one or more results a turn. */
const conversations = fc.array(
  fc.tuple(
    text,
    fc.array(fc.oneof(text, fc.array(text, { maxLength: 3 })), {
      maxLength: 3,
    }),
  ),
  { maxLength: 4 },
).map((turns) =>
  turns.flatMap(([prose, results], turn): Message[] => [
    { role: "user", content: prose },
    {
      role: "assistant",
      content: results.map((_, at) => ({
        type: "tool_use",
        id: `${turn}.${at}`,
        name: "read",
        input: { path: prose.slice(0, 5).toWellFormed() },
      })),
    },
    {
      role: "user",
      content: results.map((content, at) => ({
        type: "tool_result",
        tool_use_id: `${turn}.${at}`,
        content: Array.isArray(content)
          ? content.map((one) => ({ type: "text", text: one }))
          : content,
      })),
    },
  ])
);

describe("fitToolResults", () => {
  test("within the budget or the error; pairs, floor, form and identity kept", async () => {
    await fc.assert(
      fc.asyncProperty(
        conversations,
        fc.integer({ min: 1, max: 3_000 }),
        fc.integer({ min: 0, max: 200 }),
        fc.constantFrom<FitToolResultsOptions["count"]>(
          chars,
          thirds,
          words,
          undefined,
        ),
        async (messages, budget, minChars, count) => {
          const options: FitToolResultsOptions = {
            budget,
            minChars,
            ...count === undefined ? {} : { count },
          };
          const before = JSON.stringify(messages);
          let fitted;
          try {
            fitted = await fitToolResults(messages, options);
          } catch (error) {
            if (!(error instanceof OverBudgetError)) throw error;
            expect(error.over).toBe(error.needed - budget);
            expect(error.over).toBeGreaterThan(0);
            return;
          } finally {
            expect(JSON.stringify(messages)).toBe(before);
          }
          expect(fitted.total).toBeLessThanOrEqual(budget);
          if (count === chars) {
            expect(totalOf(fitted.messages)).toBe(fitted.total);
            // Nothing is shortened without need.
            expect(fitted.messages === messages).toBe(
              totalOf(messages) <= budget,
            );
          }
          expect(fitted.messages === messages).toBe(
            fitted.shortened.length === 0,
          );
          expect([fitted.missingResults, fitted.orphans]).toEqual([[], []]);
          for (const { from, to } of fitted.shortened) {
            expect(to).toBeLessThan(from);
            expect(to).toBeGreaterThanOrEqual(Math.min(from, minChars));
          }
          expect(JSON.stringify(fitted.messages)).not.toMatch(/\\ud[89a-f]/);
          // All but the texts of results is as it was.
          const rest = (all: readonly Message[]) =>
            JSON.stringify(
              all,
              (key, value) =>
                key === "content" && typeof value === "string" ||
                  key === "text"
                  ? ""
                  : value,
            );
          expect(rest(fitted.messages)).toBe(rest(messages));
          const again = await fitToolResults(fitted.messages, options);
          expect(again.messages).toBe(fitted.messages);
          expect(again.total).toBe(fitted.total);
        },
      ),
      { numRuns: Math.min(RUNS, 5_000) },
    );
  });

  test("the largest first, of equal ones the oldest, each to the floor before the next", async () => {
    const messages = [
      ...pair("small", "s".repeat(100)),
      ...pair("large", "l".repeat(2_000)),
      ...pair("older", "o".repeat(500)),
      ...pair("newer", "n".repeat(500)),
    ];
    const whole = totalOf(messages);
    const fit = (budget: number) =>
      fitToolResults(messages, { budget, count: chars, minChars: 50 });
    const one = await fit(whole - 1_000);
    expect(one.shortened.map(({ toolCallId, from }) => [toolCallId, from]))
      .toEqual([["large", 2_000]]);
    expect(one.total).toBeGreaterThan((whole - 1_000) * 0.9);
    expect(one.untouched).toEqual(["small", "older", "newer"]);
    const two = await fit(whole - 2_100);
    expect(two.shortened.map((each) => each.toolCallId)).toEqual([
      "large",
      "older",
    ]);
    expect(two.shortened[0]!.to).toBe(50);
    expect(one.messages[0]).toBe(messages[0]);
    expect(one.messages[1]).toBe(messages[1]);
  });

  test("head and tail are kept, line ends looked for", async () => {
    const lines = Array.from({ length: 500 }, (_, at) => `line ${at}`).join(
      "\n",
    );
    const { messages } = await fitToolResults(pair("t", lines), {
      budget: 1_000,
      count: chars,
      minChars: 100,
    });
    const kept = contentOf(messages, "t") as string;
    expect(kept).toMatch(
      /^line 0\n.*\n\n\[… \d+ characters left out …\]\nline \d+\n.*line 499$/s,
    );
    const marked = await fitToolResults(pair("t", lines), {
      budget: 500,
      count: chars,
      minChars: 100,
      keep: "head",
      marker: "[cut]",
    });
    expect(contentOf(marked.messages, "t")).toMatch(/^line 0\n.*\[cut\]$/s);
  });

  test("reserve is added up and leaves less", async () => {
    const messages = pair("t", "x".repeat(500));
    const options = { count: chars, minChars: 10 };
    const fitted = await fitToolResults(messages, {
      ...options,
      budget: 1_000,
      reserve: { system: 300, tools: 400 },
    });
    expect(fitted.total).toBeLessThanOrEqual(300);
    const error = await failure(messages, {
      ...options,
      budget: 1_000,
      reserve: 995,
    });
    expect([error.budget, error.reserved, error.needed, error.over]).toEqual([
      1_000,
      995,
      13,
      8,
    ]);
  });

  test("the raw budget below the floor: the check is against the budget", async () => {
    const messages = pair("t", "x".repeat(500));
    const error = await failure(messages, {
      budget: 30,
      count: chars,
      minChars: 40,
    });
    expect(error.needed).toBe(43);
    expect(error.over).toBe(13);
    for (const budget of [0, -5, -Infinity]) {
      expect((await failure([], { budget })).budget).toBe(budget);
    }
    // A result shorter than the floor is no obstacle.
    const fine = pair("t", "short");
    expect((await fitToolResults(fine, { budget: 8, count: chars })).messages)
      .toBe(fine);
  });

  test("the error says what takes the room", async () => {
    const messages = [
      { role: "user", content: "p".repeat(5_000) },
      ...pair("t", "x".repeat(3_000)),
    ];
    const error = await failure(messages, { budget: 2_000, count: chars });
    expect(error.largest[0]).toEqual({
      message: 0,
      kind: "text",
      chars: 5_000,
    });
    expect(error.largest[1]).toEqual({
      message: 2,
      kind: "tool-result",
      toolCallId: "t",
      chars: 1_000,
    });
    expect(error.message).toBe(
      "Cannot fit the messages into 2000 tokens: with every tool result shortened they need 6003, " +
        '0 are reserved, that is 4003 too many; the largest are message 0 (text, 5000 characters), message 2 (result of "t", ' +
        "1000 characters), message 1 (text, 3 characters); drop or summarise some, or raise the budget",
    );
    expect(error.name).toBe("OverBudgetError");
  });

  test("images and unknown blocks: kept, counted, never as text", async () => {
    const image = {
      type: "image",
      source: { type: "base64", data: "A".repeat(9_999) },
    };
    const messages = pair("t", [
      { type: "text", text: "x".repeat(900) },
      image,
    ]);
    const fitted = await fitToolResults(messages, {
      budget: 600,
      count: chars,
      minChars: 10,
      imageCost: 100,
    });
    const [shortened, kept] = contentOf(fitted.messages, "t") as Block[];
    expect(kept).toBe(image);
    expect((shortened!["text"] as string).length).toBeLessThanOrEqual(497);
    expect(
      (await fitToolResults(messages, { budget: 903, count: chars })).messages,
    ).toBe(messages);
    // Without a counter an image costs 1600 and a message 4.
    expect((await fitToolResults(pair("t", [image]), { budget: 2_000 })).total)
      .toBe(1_600 + 8 + estimateTokens("f{}"));
    const unknown = [{
      role: "user",
      content: [{ type: "novel", words: "abc" }],
    }];
    expect((await fitToolResults(unknown, { budget: 99, count: chars })).total)
      .toBe('{"type":"novel","words":"abc"}'.length);
  });

  test("OpenAI: Chat Completions and Responses", async () => {
    const chat = [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{
          id: "c",
          type: "function",
          function: { name: "f", arguments: "{}" },
        }],
      },
      { role: "tool", tool_call_id: "c", content: "x".repeat(900) },
    ];
    const fitted = await fitToolResults(chat, {
      budget: 300,
      count: chars,
      minChars: 10,
    });
    expect(fitted.shortened[0]!.toolCallId).toBe("c");
    expect(fitted.messages[2]!.content!.length).toBeLessThanOrEqual(295);
    expect([fitted.missingResults, fitted.orphans]).toEqual([[], []]);
    const items = [
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "function_call", call_id: "b", name: "f", arguments: "{}" },
      { type: "reasoning", summary: [] },
      { type: "function_call_output", call_id: "a", output: "x".repeat(900) },
      {
        type: "function_call_output",
        call_id: "b",
        output: [{ type: "input_text", text: "ok" }],
      },
    ];
    const responses = await fitToolResults(items, {
      budget: 300,
      count: chars,
      minChars: 10,
    });
    expect(responses.shortened[0]!.toolCallId).toBe("a");
    expect([responses.missingResults, responses.orphans]).toEqual([[], []]);
  });

  test("vscode: parts and messages stay instances of their classes", async () => {
    class TextPart {
      value: string;
      constructor(value: string) {
        this.value = value;
      }
    }
    class ToolCallPart {
      callId = "v";
      name = "f";
      input = {};
    }
    class ToolResultPart {
      callId = "v";
      content: unknown[];
      constructor(content: unknown[]) {
        this.content = content;
      }
    }
    class DataPart {
      data = new Uint8Array(9);
      mimeType = "image/png";
    }
    class ChatMessage {
      role: number;
      private _content: unknown[];
      constructor(role: number, content: unknown[]) {
        this.role = role;
        this._content = content;
      }
      get content(): unknown[] {
        return this._content;
      }
      set content(content: unknown[]) {
        this._content = content;
      }
    }
    const result = new ToolResultPart([
      new TextPart("x".repeat(900)),
      new DataPart(),
    ]);
    const messages = [
      new ChatMessage(2, [new TextPart("hm"), new ToolCallPart()]),
      new ChatMessage(1, [result]),
    ];
    const fitted = await fitToolResults(messages, {
      budget: 300,
      count: chars,
      minChars: 10,
      imageCost: 20,
    });
    const message = fitted.messages[1]!;
    expect(message).toBeInstanceOf(ChatMessage);
    const part = message.content[0] as ToolResultPart;
    expect(part).toBeInstanceOf(ToolResultPart);
    expect(part.content[0]).toBeInstanceOf(TextPart);
    expect((part.content[0] as TextPart).value.length).toBeLessThanOrEqual(275);
    expect(part.content[1]).toBe(result.content[1]);
    expect((result.content[0] as TextPart).value.length).toBe(900);
    expect(fitted.messages[0]).toBe(messages[0]);
    const mended = await fitToolResults([...messages, messages[0]!], {
      budget: 2_000,
      count: chars,
      repairPairs: true,
    });
    const last = mended.messages[3]!;
    expect(last).toBeInstanceOf(ChatMessage);
    expect(last.role).toBe(1);
    expect(last.content[0]).toBeInstanceOf(ToolResultPart);
  });

  test("broken pairs are reported, and mended on request", async () => {
    const call = (id: string) => ({
      type: "tool_use",
      id,
      name: "f",
      input: {},
    });
    const result = (id: string) => ({
      type: "tool_result",
      tool_use_id: id,
      content: "ok",
    });
    const messages = [
      { role: "user", content: [result("ghost")] },
      { role: "assistant", content: [call("a"), call("b")] },
      {
        role: "user",
        content: [result("b"), result("b"), { type: "text", text: "hm" }],
      },
      { role: "assistant", content: [call("c")] },
      { role: "user", content: "never mind" },
      { role: "assistant", content: [call("d")] },
      { role: "assistant", content: [call("e")] },
    ];
    const options = { budget: 1_000, count: chars };
    const reported = await fitToolResults(messages, options);
    expect(reported.messages).toBe(messages);
    expect(reported.missingResults).toEqual(["a", "c", "d", "e"]);
    expect(reported.orphans).toEqual(["ghost", "b"]);
    const mended = await fitToolResults(messages, {
      ...options,
      repairPairs: true,
      repairText: "gone",
    });
    const gone = (id: string) => ({
      type: "tool_result",
      tool_use_id: id,
      content: "gone",
    });
    expect(mended.messages).toEqual([
      messages[1],
      {
        role: "user",
        content: [gone("a"), result("b"), { type: "text", text: "hm" }],
      },
      messages[3],
      {
        role: "user",
        content: [gone("c"), { type: "text", text: "never mind" }],
      },
      messages[5],
      { role: "user", content: [gone("d")] },
      messages[6],
      { role: "user", content: [gone("e")] },
    ]);
    const again = await fitToolResults(mended.messages, {
      ...options,
      repairPairs: true,
    });
    expect([again.missingResults, again.orphans]).toEqual([[], []]);
    expect(again.messages).toBe(mended.messages);
  });

  test("broken pairs of OpenAI's are mended in their form", async () => {
    const assistant = {
      role: "assistant",
      tool_calls: ["a", "b"].map((id) => ({
        id,
        type: "function",
        function: { name: "f" },
      })),
    };
    const tool = (id: string, content: string) => ({
      role: "tool",
      tool_call_id: id,
      content,
    });
    const options = {
      budget: 1_000,
      count: chars,
      repairPairs: true,
      repairText: "gone",
    };
    const chat = await fitToolResults<unknown>(
      [tool("x", "?"), assistant, tool("b", "ok"), {
        role: "user",
        content: "hm",
      }],
      options,
    );
    expect(chat.messages).toEqual([
      assistant,
      tool("b", "ok"),
      tool("a", "gone"),
      { role: "user", content: "hm" },
    ]);
    const item = {
      type: "function_call",
      call_id: "a",
      name: "f",
      arguments: "{}",
    };
    const items = await fitToolResults<unknown>(
      [item, { type: "function_call_output", call_id: "x", output: "?" }],
      options,
    );
    expect(items.messages).toEqual([
      item,
      { type: "function_call_output", call_id: "a", output: "gone" },
    ]);
  });

  test("2,000 messages with 50 MB: few calls of a slow counter, linear time", async () => {
    const messages = Array.from(
      { length: 1_000 },
      (_, at) =>
        pair(`t${at}`, `result ${at}\n`.repeat(at % 10 === 0 ? 40_000 : 100)),
    ).flat();
    let calls = 0;
    const count = (text: string): Promise<number> => {
      calls++;
      return new Promise((done) =>
        setTimeout(() => done(Math.ceil(text.length / 4)), 1)
      );
    };
    const fitted = await fitToolResults(messages, { budget: 500_000, count });
    expect(calls).toBeLessThan(100);
    expect(fitted.total).toBeLessThanOrEqual(500_000);
    expect(fitted.total).toBeGreaterThan(450_000);
    calls = 0;
    const again = await fitToolResults(fitted.messages, {
      budget: 500_000,
      count,
    });
    expect(again.messages).toBe(fitted.messages);
    expect(calls).toBeLessThan(10);
  });

  test("wrong use is refused", async () => {
    const wrong: FitToolResultsOptions[] = [
      { budget: NaN },
      { budget: "1" as never },
      { budget: 1, minChars: -1 },
      { budget: 1, reserve: { system: NaN } },
      { budget: 1, imageCost: -1 },
    ];
    for (const options of wrong) {
      await expect(fitToolResults([], options)).rejects.toThrow(RangeError);
    }
    const messages = pair("t", "x");
    await expect(fitToolResults(messages, { budget: 9, count: () => NaN }))
      .rejects.toThrow(TypeError);
    await expect(fitToolResults(messages, {
      budget: 9,
      count: () => Promise.reject(new Error("offline")),
    })).rejects.toThrow("offline");
  });

  test("anything may be a message", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.boolean(),
        async (messages, repairPairs) => {
          await fitToolResults(messages, { budget: 1e9, repairPairs });
        },
      ),
      { numRuns: Math.min(RUNS, 2_000) },
    );
  });
});

describe("estimateTokens", () => {
  test("a third of ASCII and all of the rest", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens("abcd")).toBe(2);
    expect(estimateTokens("日本語")).toBe(3);
    expect(estimateTokens("a日")).toBe(2);
  });
});
