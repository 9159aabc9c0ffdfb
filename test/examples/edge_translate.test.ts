import type Anthropic from "@anthropic-ai/sdk";
import * as fc from "fast-check";
import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { translate } from "../../examples/edge/translate.ts";
import { Problem } from "../../examples/edge/problem.ts";
import type { Fields } from "../../examples/edge/json.ts";
import { RUNS } from "../laws.ts";

type Chat = OpenAI.Chat.Completions.ChatCompletionCreateParams;
type Messages = Anthropic.MessageCreateParams;

const options = { maxTokens: 4096, usage: true };

function toAnthropic(request: Chat): { body: Messages; dropped: string[] } {
  return translate(
    request as unknown as Fields,
    "openai-chat",
    "anthropic",
    options,
  ) as unknown as { body: Messages; dropped: string[] };
}

function toOpenAI(request: Messages): { body: Chat; dropped: string[] } {
  return translate(
    request as unknown as Fields,
    "anthropic",
    "openai-chat",
    options,
  ) as unknown as { body: Chat; dropped: string[] };
}

function problemWith(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    expect((error as Problem).status).toBe(400);
    return (error as Problem).message;
  }
  throw new Error("Nothing was refused");
}

const model = "m";
const user = { role: "user" as const, content: "Hi" };

describe("the same format", () => {
  test("goes through as it is, but for the streaming", () => {
    const request = {
      model,
      messages: [user],
      some_new_parameter: { deep: [1] },
    };
    expect(
      translate(request, "openai-chat", "openai-chat", {
        maxTokens: 1,
        usage: false,
      }),
    ).toEqual({ body: { ...request, stream: true }, dropped: [] });
    expect(
      translate(
        { ...request, stream_options: { include_obfuscation: false } },
        "openai-chat",
        "openai-chat",
        options,
      ).body.stream_options,
    ).toEqual({ include_obfuscation: false, include_usage: true });
    expect(translate(request, "anthropic", "anthropic", options)).toEqual({
      body: { ...request, stream: true },
      dropped: [],
    });
  });
});

describe("chat completions for an Anthropic upstream", () => {
  test("a whole conversation with tools", () => {
    const { body, dropped } = toAnthropic({
      model,
      max_completion_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      stop: "END",
      user: "u1",
      parallel_tool_calls: false,
      tool_choice: "required",
      tools: [
        {
          type: "function",
          function: {
            name: "get_tide",
            description: "The tide",
            parameters: {
              type: "object",
              properties: { port: { type: "string" } },
            },
            strict: true,
          },
        },
        { type: "function", function: { name: "now" } },
      ],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: [{ type: "text", text: "Be kind." }] },
        {
          role: "user",
          content: [
            { type: "text", text: "Look:" },
            {
              type: "image_url",
              image_url: { url: "data:image/png;base64,AAAA" },
            },
            {
              type: "image_url",
              image_url: { url: "https://a.example/b.png" },
            },
            {
              type: "file",
              file: {
                filename: "a.pdf",
                file_data: "data:application/pdf;base64,BBBB",
              },
            },
          ],
        },
        {
          role: "assistant",
          content: "Calling.",
          tool_calls: [
            {
              id: "functions.get_tide:0",
              type: "function",
              function: { name: "get_tide", arguments: '{"port":"Brest"}' },
            },
            {
              id: "functions_get_tide_0",
              type: "function",
              function: { name: "now", arguments: "" },
            },
          ],
        },
        {
          role: "tool",
          tool_call_id: "functions.get_tide:0",
          content: "noon",
        },
        {
          role: "tool",
          tool_call_id: "functions_get_tide_0",
          content: [{ type: "text", text: "11:00" }, {
            type: "text",
            text: "",
          }],
        },
        { role: "user", content: "Well?" },
        { role: "assistant", content: null, refusal: "No." },
      ],
    });
    expect(dropped).toEqual([]);
    expect(body).toEqual({
      model,
      max_tokens: 50,
      stream: true,
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ["END"],
      metadata: { user_id: "u1" },
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Be kind." },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look:" },
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "AAAA" },
            },
            {
              type: "image",
              source: { type: "url", url: "https://a.example/b.png" },
            },
            {
              type: "document",
              title: "a.pdf",
              source: {
                type: "base64",
                media_type: "application/pdf",
                data: "BBBB",
              },
            },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Calling." },
            {
              type: "tool_use",
              id: "functions_get_tide_0",
              name: "get_tide",
              input: { port: "Brest" },
            },
            // Ids stay unique when they are made fit.
            {
              type: "tool_use",
              id: "functions_get_tide_0_2",
              name: "now",
              input: {},
            },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "functions_get_tide_0",
              content: [{ type: "text", text: "noon" }],
            },
            {
              type: "tool_result",
              tool_use_id: "functions_get_tide_0_2",
              content: [{ type: "text", text: "11:00" }],
            },
            { type: "text", text: "Well?" },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "No." }] },
      ],
      tools: [
        {
          name: "get_tide",
          description: "The tide",
          input_schema: {
            type: "object",
            properties: { port: { type: "string" } },
          },
        },
        { name: "now", input_schema: { type: "object", properties: {} } },
      ],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    });
  });

  test("choices of tools", () => {
    const tools: Chat["tools"] = [{
      type: "function",
      function: { name: "now" },
    }];
    const choice = (tool_choice?: Chat["tool_choice"], parallel?: boolean) =>
      toAnthropic({
        model,
        messages: [user],
        tools,
        ...(tool_choice === undefined ? {} : { tool_choice }),
        ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
      }).body.tool_choice;
    expect(choice()).toBe(undefined);
    expect(choice("auto")).toEqual({ type: "auto" });
    expect(choice("none", false)).toEqual({ type: "none" });
    expect(choice({ type: "function", function: { name: "now" } })).toEqual({
      type: "tool",
      name: "now",
    });
    expect(choice(undefined, false)).toEqual({
      type: "auto",
      disable_parallel_tool_use: true,
    });
    expect(choice(undefined, true)).toBe(undefined);
  });

  test("what only tunes is left out and reported, what says nothing is not", () => {
    const { body, dropped } = toAnthropic({
      model,
      messages: [user, {
        role: "assistant",
        content: "Yes",
        reasoning_content: "Hm.",
      } as never],
      seed: 1,
      reasoning_effort: "low",
      frequency_penalty: 0,
      presence_penalty: 0.5,
      response_format: { type: "text" },
      logit_bias: {},
      logprobs: false,
      n: 1,
      store: null,
      max_tokens: null,
    });
    expect(dropped).toEqual([
      "seed",
      "reasoning_effort",
      "presence_penalty",
      "reasoning_content",
    ]);
    expect(Object.keys(body).sort()).toEqual([
      "max_tokens",
      "messages",
      "model",
      "stream",
    ]);
    expect(body.max_tokens).toBe(4096);
  });

  test("what would make another answer is refused, and where it stands is said", () => {
    const refused = (more: Partial<Chat> | Fields): string =>
      problemWith(() => toAnthropic({ model, messages: [user], ...more }));
    const cases: [Partial<Chat> | Fields, string][] = [
      [{ response_format: { type: "json_object" } }, '"response_format"'],
      [{ logit_bias: { 1: 2 } }, '"logit_bias"'],
      [{ some_new_parameter: 1 }, '"some_new_parameter"'],
      [{ temperature: 1.5 }, '"temperature" of 1.5'],
      [
        { messages: [user, { role: "system", content: "x" }] },
        "messages[1]",
      ],
      [{ messages: [{ role: "function", content: "x" }] }, "messages[0]"],
      [{ messages: [7] }, "messages[0]"],
      [
        {
          messages: [{
            role: "user",
            content: [user, { type: "input_audio", input_audio: {} }],
          }],
        },
        "messages[0].content[0]",
      ],
      [
        {
          messages: [{
            role: "user",
            content: [{ type: "image_url", image_url: { url: "file:///a" } }],
          }],
        },
        "messages[0].content[0]",
      ],
      [
        {
          messages: [{
            role: "assistant",
            tool_calls: [{
              id: "a",
              type: "function",
              function: { name: "f", arguments: '{"a": ' },
            }],
          }],
        },
        "arguments of messages[0].tool_calls[0]",
      ],
      [{ messages: [{ role: "tool", content: "x" }] }, "no id"],
      [{ tools: [{ type: "web_search" }] }, "tools[0]"],
      [
        {
          tools: [{ type: "function", function: { name: "f" } }],
          tool_choice: { type: "allowed_tools", allowed_tools: {} },
        },
        "tool_choice",
      ],
    ];
    for (const [more, expected] of cases) {
      expect(refused(more)).toContain(expected);
    }
  });

  test("any conversation has the form that the API insists on", () => {
    const words = fc.constantFrom("", "a", "b c");
    const message = fc.oneof(
      words.map((content): Fields => ({ role: "user", content })),
      fc.record({
        content: fc.option(words),
        ids: fc.uniqueArray(fc.constantFrom("x.1", "x:1", "x_1", "y"), {
          maxLength: 3,
        }),
      }).map(({ content, ids }): Fields => ({
        role: "assistant",
        content,
        tool_calls: ids.map((id) => ({
          id,
          type: "function",
          function: { name: "f", arguments: "{}" },
        })),
      })),
      fc.constantFrom("x.1", "x:1", "x_1", "y").map((
        tool_call_id,
      ): Fields => ({ role: "tool", tool_call_id, content: "r" })),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const { body } = toAnthropic({ model, messages } as unknown as Chat);
        const given = new Map<string, string>();
        let last = "";
        for (const { role, content } of body.messages) {
          expect(role).not.toBe(last);
          last = role;
          expect(content.length).toBeGreaterThan(0);
          for (const block of content as Anthropic.ContentBlockParam[]) {
            if (block.type === "text") expect(block.text).not.toBe("");
            const id = block.type === "tool_use"
              ? block.id
              : block.type === "tool_result"
              ? block.tool_use_id
              : undefined;
            if (id !== undefined) {
              expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
              given.set(id, id);
            }
          }
        }
        const ids = new Set(messages.flatMap((one) => [
          ...(one.tool_calls as { id: string }[] | undefined ?? []).map((
            { id },
          ) => id),
          ...(one.tool_call_id === undefined ? [] : [one.tool_call_id]),
        ]));
        expect(given.size).toBe(ids.size);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("messages for an OpenAI upstream", () => {
  test("a whole conversation with tools", () => {
    const { body, dropped } = toOpenAI({
      model,
      max_tokens: 50,
      // Newer versions of the SDK know of neither.
      ...{ temperature: 0.5, top_p: 0.9 },
      stop_sequences: ["END"],
      metadata: { user_id: "u1" },
      thinking: { type: "disabled" },
      system: [
        { type: "text", text: "Be brief." },
        {
          type: "text",
          text: "Be kind.",
          cache_control: { type: "ephemeral" },
        },
      ],
      tools: [{
        name: "get_tide",
        description: "The tide",
        input_schema: { type: "object", properties: {} },
      }],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      messages: [
        { role: "user", content: "Look" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "s" },
            { type: "text", text: "Calling." },
            { type: "tool_use", id: "t1", name: "get_tide", input: { a: 1 } },
            { type: "tool_use", id: "t2", name: "get_tide", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "noon" },
            {
              type: "tool_result",
              tool_use_id: "t2",
              is_error: true,
              content: [
                { type: "text", text: "no" },
                { type: "text", text: "way" },
                {
                  type: "image",
                  source: {
                    type: "base64",
                    media_type: "image/png",
                    data: "AAAA",
                  },
                },
              ],
            },
            { type: "text", text: "Well?" },
          ],
        },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "t3", name: "f", input: {} }],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t3" },
            { type: "text", text: "one" },
            { type: "text", text: "two" },
          ],
        },
      ],
    });
    expect(dropped).toEqual(["thinking"]);
    expect(body).toEqual({
      model,
      max_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END"],
      user: "u1",
      stream: true,
      stream_options: { include_usage: true },
      tools: [{
        type: "function",
        function: {
          name: "get_tide",
          description: "The tide",
          parameters: { type: "object", properties: {} },
        },
      }],
      tool_choice: "required",
      parallel_tool_calls: false,
      messages: [
        { role: "system", content: "Be brief.\n\nBe kind." },
        { role: "user", content: "Look" },
        {
          role: "assistant",
          content: "Calling.",
          tool_calls: [
            {
              id: "t1",
              type: "function",
              function: { name: "get_tide", arguments: '{"a":1}' },
            },
            {
              id: "t2",
              type: "function",
              function: { name: "get_tide", arguments: "{}" },
            },
          ],
        },
        { role: "tool", tool_call_id: "t1", content: "noon" },
        { role: "tool", tool_call_id: "t2", content: "Error: no\nway" },
        {
          role: "user",
          content: [
            {
              type: "image_url",
              image_url: { url: "data:image/png;base64,AAAA" },
            },
            { type: "text", text: "Well?" },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [{
            id: "t3",
            type: "function",
            function: { name: "f", arguments: "{}" },
          }],
        },
        { role: "tool", tool_call_id: "t3", content: "" },
        { role: "user", content: "one\ntwo" },
      ],
    });
  });

  test("choices of tools, documents, and what is left out", () => {
    const tools: Anthropic.Tool[] = [{
      name: "now",
      input_schema: { type: "object" },
    }];
    const choice = (tool_choice: Anthropic.ToolChoice) =>
      toOpenAI({ model, max_tokens: 1, messages: [user], tools, tool_choice })
        .body.tool_choice;
    expect(choice({ type: "auto" })).toBe("auto");
    expect(choice({ type: "none" })).toBe("none");
    expect(choice({ type: "tool", name: "now" })).toEqual({
      type: "function",
      function: { name: "now" },
    });
    const { body, dropped } = toOpenAI({
      model,
      max_tokens: 1,
      ...{ top_k: 5 },
      thinking: { type: "enabled", budget_tokens: 1024 },
      messages: [{
        role: "user",
        content: [
          {
            type: "document",
            title: "a.pdf",
            source: {
              type: "base64",
              media_type: "application/pdf",
              data: "BBBB",
            },
          },
          {
            type: "document",
            source: { type: "text", media_type: "text/plain", data: "plain" },
          },
        ],
      }],
    });
    expect(dropped).toEqual(["top_k", "thinking"]);
    expect(body.messages).toEqual([{
      role: "user",
      content: [
        {
          type: "file",
          file: {
            filename: "a.pdf",
            file_data: "data:application/pdf;base64,BBBB",
          },
        },
        { type: "text", text: "plain" },
      ],
    }]);
  });

  test("what would make another answer is refused", () => {
    const cases: [Fields, string][] = [
      [{ mcp_servers: [] }, '"mcp_servers"'],
      [{ output_config: { format: { type: "json_schema" } } }, "format"],
      [{ tools: [{ type: "web_search_20250305", name: "s" }] }, "tools[0]"],
      [{ messages: [{ role: "system", content: "x" }] }, "messages[0]"],
      [
        {
          messages: [{
            role: "assistant",
            content: [{ type: "server_tool_use" }],
          }],
        },
        '"server_tool_use" block in messages[0]',
      ],
      [
        {
          messages: [{
            role: "user",
            content: [{ type: "image", source: { type: "file" } }],
          }],
        },
        '"image" block in messages[0]',
      ],
      [{ messages: [{ role: "user", content: 7 }] }, "content of messages[0]"],
      [
        {
          tools: [{ name: "f", input_schema: {} }],
          tool_choice: { type: "other" },
        },
        "tool_choice",
      ],
    ];
    for (const [more, expected] of cases) {
      expect(
        problemWith(() =>
          toOpenAI(
            { model, messages: [user], ...more } as unknown as Messages,
          )
        ),
      ).toContain(expected);
    }
  });

  test("there and back says the same", () => {
    const text = fc.constantFrom("a", "b c", "🌊");
    const turn = fc.record({
      question: text,
      answer: text,
      calls: fc.array(
        fc.dictionary(fc.constantFrom("p", "q"), fc.jsonValue()),
        {
          maxLength: 2,
        },
      ),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 4 }), (turns) => {
        const messages: Fields[] = turns.flatMap(
          ({ question, answer, calls }, index) => [
            { role: "user", content: question },
            {
              role: "assistant",
              content: answer,
              ...(calls.length === 0 ? {} : {
                tool_calls: calls.map((input, number) => ({
                  id: `c${index}_${number}`,
                  type: "function",
                  function: { name: "f", arguments: JSON.stringify(input) },
                })),
              }),
            },
            ...calls.map((_, number) => ({
              role: "tool",
              tool_call_id: `c${index}_${number}`,
              content: "r",
            })),
          ],
        );
        const { body } = toAnthropic({ model, messages } as unknown as Chat);
        expect(toOpenAI(body).body.messages).toEqual(messages);
      }),
      { numRuns: RUNS },
    );
  });
});
