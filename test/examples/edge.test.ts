import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Environment, handle } from "../../examples/edge.ts";
import {
  chat,
  chatAnswer,
  chatEnd,
  eventsOf,
  Gate,
  message,
  messages,
  ScriptedUpstream,
} from "./edge_upstream.ts";

const LEAK = [
  "Let me ",
  "look.\n<tool_",
  'call>{"name": "get_tide", "argu',
  'ments": {"port": "Brest", "days": "3"}}</tool',
  "_call>",
];

const chatTools: OpenAI.Chat.Completions.ChatCompletionTool[] = [{
  type: "function",
  function: {
    name: "get_tide",
    parameters: {
      type: "object",
      properties: { port: { type: "string" }, days: { type: "integer" } },
    },
  },
}];

const messageTools: Anthropic.Tool[] = [{
  name: "get_tide",
  input_schema: {
    type: "object",
    properties: { port: { type: "string" }, days: { type: "integer" } },
  },
}];

let upstream: ScriptedUpstream;

beforeEach(async () => {
  upstream = await ScriptedUpstream.start();
});

afterEach(() => upstream.stop());

function openaiUpstream(more: Environment = {}): Environment {
  return {
    UPSTREAM_URL: upstream.url("/v1/chat/completions"),
    UPSTREAM_KEY: "up-secret",
    ...more,
  };
}

function anthropicUpstream(more: Environment = {}): Environment {
  return {
    UPSTREAM_URL: upstream.url("/v1/messages"),
    UPSTREAM_KEY: "up-secret",
    ...more,
  };
}

function fetchOf(environment: Environment) {
  return (url: string | URL | Request, init?: RequestInit) =>
    handle(new Request(url, init), environment);
}

function openai(environment: Environment): OpenAI {
  return new OpenAI({
    apiKey: "mine",
    baseURL: "http://localhost/v1",
    maxRetries: 0,
    fetch: fetchOf(environment),
  });
}

function anthropic(environment: Environment): Anthropic {
  return new Anthropic({
    apiKey: "mine",
    baseURL: "http://localhost",
    maxRetries: 0,
    fetch: fetchOf(environment),
  });
}

function post(
  path: string,
  body: unknown,
  environment: Environment,
  init: RequestInit = {},
): Promise<Response> {
  return handle(
    new Request(`http://localhost${path}`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
    }),
    environment,
  );
}

const ask = {
  model: "m",
  messages: [{ role: "user" as const, content: "The tide?" }],
};

describe("the openai client", () => {
  test("streams text, reasoning and token counts", async () => {
    upstream.script = chatAnswer([
      "<think>The ti",
      "de.</think>",
      "High ",
      "water.",
    ]);
    const stream = await openai(openaiUpstream()).chat.completions.create({
      ...ask,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let reasoning = "";
    let usage: unknown;
    const finishes: unknown[] = [];
    for await (const chunk of stream) {
      const choice = chunk.choices[0];
      text += choice?.delta.content ?? "";
      reasoning += (choice?.delta as { reasoning_content?: string } | undefined)
        ?.reasoning_content ?? "";
      if (choice?.finish_reason) finishes.push(choice.finish_reason);
      usage = chunk.usage ?? usage;
      expect(chunk.model).toBe("m");
      expect(chunk.id).toMatch(/^chatcmpl-[0-9a-f]{24}$/);
    }
    expect(text).toBe("High water.");
    expect(reasoning).toBe("The tide.");
    expect(finishes).toEqual(["stop"]);
    expect(usage).toEqual({
      prompt_tokens: 7,
      completion_tokens: 5,
      total_tokens: 12,
    });
    expect(upstream.calls[0]!.headers.authorization).toBe("Bearer up-secret");
  });

  test("runs tools whose calls leaked as text", async () => {
    let turn = 0;
    upstream.script = (call) =>
      chatAnswer(turn++ === 0 ? LEAK : ["High at ", "noon."])(call);
    const asked: unknown[] = [];
    const runner = openai(openaiUpstream()).chat.completions.runTools({
      ...ask,
      stream: true,
      tools: [{
        type: "function",
        function: {
          name: "get_tide",
          description: "High water",
          parse: (text: string) => JSON.parse(text) as object,
          function: (input: object) => {
            asked.push(input);
            return "noon";
          },
          parameters: {
            type: "object",
            properties: { port: { type: "string" }, days: { type: "integer" } },
          },
        },
      }],
    });
    expect(await runner.finalContent()).toBe("High at noon.");
    expect(asked).toEqual([{ port: "Brest", days: 3 }]);
    const history = upstream.calls[1]!.body.messages;
    expect(history[1].content).toBe("Let me look.\n");
    expect(history[1].tool_calls[0].id).toBe(history[2].tool_call_id);
    // Leaked markup in the history would teach the model to leak again.
    expect(JSON.stringify(history)).not.toContain("<tool_call>");
  });

  test("streams native calls, and gives them whole", async () => {
    upstream.script = ({ write, response }) => {
      write(chat({
        tool_calls: [{
          index: 0,
          id: "k1",
          type: "function",
          function: { name: "get_tide", arguments: "" },
        }],
      }));
      for (const piece of ['{"port": "Br', 'est \\ud83d"}']) {
        write(
          chat({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
        );
      }
      write(chatEnd("tool_calls"));
      response.end();
    };
    const client = openai(openaiUpstream());
    const request = { ...ask, tools: chatTools };
    const streamed = await client.chat.completions.stream(request)
      .finalChatCompletion();
    const whole = await client.chat.completions.create(request);
    for (const { choices: [choice] } of [streamed, whole]) {
      expect(choice!.finish_reason).toBe("tool_calls");
      expect(choice!.message.content).toBe(null);
      // The unpaired surrogate, too.
      expect(choice!.message.tool_calls).toMatchObject([{
        id: "k1",
        function: { name: "get_tide", arguments: '{"port":"Brest \ufffd"}' },
      }]);
    }
  });

  test("gives whole answers", async () => {
    upstream.script = chatAnswer(["<think>Hm.</think>", ...LEAK]);
    const completion = await openai(openaiUpstream()).chat.completions.create({
      ...ask,
      tools: chatTools,
    });
    expect(completion).toMatchObject({
      object: "chat.completion",
      model: "m",
      choices: [{
        index: 0,
        message: {
          role: "assistant",
          content: "Let me look.\n",
          reasoning_content: "Hm.",
          tool_calls: [{
            type: "function",
            function: {
              name: "get_tide",
              arguments: '{"port":"Brest","days":3}',
            },
          }],
        },
        finish_reason: "tool_calls",
      }],
      usage: { total_tokens: 12 },
    });
    expect(upstream.calls[0]!.body.stream).toBe(true);
  });

  test("learns of a refused request as if it were direct", async () => {
    upstream.script = ({ response }) => {
      response.writeHead(429, {
        "content-type": "application/json",
        "retry-after": "7",
        "set-cookie": "a=b",
      });
      response.end('{"error": {"message": "Slow down, up-secret"}}');
    };
    for (const stream of [true, false]) {
      const error = await openai(openaiUpstream()).chat.completions.create({
        ...ask,
        stream,
      }).then(() => undefined, (error) => error);
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect(error.message).toContain("Slow down, ***");
      expect(error.headers.get("retry-after")).toBe("7");
      expect(error.headers.get("set-cookie")).toBe(null);
    }
  });

  test("learns of an error and of a cut in the stream", async () => {
    upstream.script = ({ write, response, body }) => {
      write(chat({ content: "Hi" }));
      if (body.model === "error") {
        write('data: {"error": {"message": "overloaded up-secret"}}\n\n');
      }
      response.end();
    };
    for (
      const [model, expected] of [["error", "overloaded ***"], [
        "cut",
        "stopped before its end",
      ]]
    ) {
      const stream = openai(openaiUpstream()).chat.completions.stream({
        ...ask,
        model: model!,
      });
      let text = "";
      stream.on("content", (piece) => text += piece);
      const error = await stream.finalChatCompletion().then(
        () => undefined,
        (error) => error,
      );
      expect(text).toBe("Hi");
      expect(error.message).toContain(expected);
      const whole = await openai(openaiUpstream()).chat.completions.create({
        ...ask,
        model: model!,
      }).then(() => undefined, (error) => error);
      expect(whole.status).toBe(502);
      expect(whole.message).toContain(expected);
    }
  });

  test("reaches an Anthropic upstream", async () => {
    upstream.script = ({ write, response }) => {
      write(message([
        [{ type: "thinking", thinking: "", signature: "" }, {
          type: "thinking_delta",
          thinking: "Hm.",
        }, { type: "signature_delta", signature: "sig" }],
        [{ type: "text", text: "" }, { type: "text_delta", text: "Looking." }],
        [{ type: "tool_use", id: "toolu_1", name: "get_tide", input: {} }, {
          type: "input_json_delta",
          partial_json: '{"port": "Brest"}',
        }],
      ], "tool_use"));
      response.end();
    };
    const completion = await openai(anthropicUpstream()).chat.completions
      .create({ ...ask, tools: chatTools, seed: 3 });
    expect(completion.choices[0]).toMatchObject({
      message: {
        content: "Looking.",
        reasoning_content: "Hm.",
        tool_calls: [{
          id: "toolu_1",
          function: { name: "get_tide", arguments: '{"port":"Brest"}' },
        }],
      },
      finish_reason: "tool_calls",
    });
    const [call] = upstream.calls;
    expect(call!.headers["x-api-key"]).toBe("up-secret");
    expect(call!.headers["anthropic-version"]).toBe("2023-06-01");
    expect(call!.body).toEqual({
      model: "m",
      max_tokens: 4096,
      stream: true,
      messages: [{
        role: "user",
        content: [{ type: "text", text: "The tide?" }],
      }],
      tools: [{
        name: "get_tide",
        input_schema: chatTools[0]!.type === "function"
          ? chatTools[0]!.function.parameters
          : undefined,
      }],
    });
  });
});

describe("the @anthropic-ai/sdk client", () => {
  const request = { ...ask, max_tokens: 100 };

  test("streams from an OpenAI upstream and runs leaked calls", async () => {
    upstream.script = chatAnswer(["<think>Hm.</think>", ...LEAK]);
    const client = anthropic(openaiUpstream());
    const streamed = await client.messages.stream({
      ...request,
      system: "Be brief.",
      tools: messageTools,
    }).finalMessage();
    const whole = await client.messages.create({
      ...request,
      tools: messageTools,
    });
    for (const answer of [streamed, whole]) {
      expect(answer.content).toMatchObject([
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Let me look.\n" },
        {
          type: "tool_use",
          name: "get_tide",
          input: { port: "Brest", days: 3 },
        },
      ]);
      expect(answer.stop_reason).toBe("tool_use");
      expect(answer.usage).toMatchObject({ input_tokens: 7, output_tokens: 5 });
    }
    expect(upstream.calls[0]!.body).toMatchObject({
      max_tokens: 100,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "The tide?" },
      ],
    });
  });

  test("salvages from an Anthropic upstream", async () => {
    upstream.script = ({ write, response }) => {
      write(message([[
        { type: "text", text: "" },
        ...[
          'Sure.\n<function_calls>\n<invoke name="get_ti',
          'de">\n<parameter name="port">Brest</para',
          "meter>\n</invoke>\n</function_calls>",
        ].map((text) => ({ type: "text_delta", text })),
      ]]));
      response.end();
    };
    const answer = await anthropic(anthropicUpstream()).messages.stream({
      ...request,
      tools: messageTools,
    }).finalMessage();
    expect(answer.content).toMatchObject([
      { type: "text", text: "Sure.\n" },
      { type: "tool_use", name: "get_tide", input: { port: "Brest" } },
    ]);
    expect(answer.stop_reason).toBe("tool_use");
  });

  test("keeps what only Anthropic knows: signatures, server tools, citations", async () => {
    const citation = { type: "char_location", cited_text: "noon" };
    upstream.script = ({ write, response }) => {
      write(message([
        [{ type: "redacted_thinking", data: "xyz" }],
        [
          { type: "thinking", thinking: "", signature: "" },
          { type: "thinking_delta", thinking: "One." },
          { type: "signature_delta", signature: "s1" },
        ],
        [
          { type: "thinking", thinking: "", signature: "" },
          { type: "thinking_delta", thinking: "Two." },
          { type: "signature_delta", signature: "s2" },
        ],
        // Thinking that is not shown has a signature all the same.
        [
          { type: "thinking", thinking: "", signature: "" },
          { type: "signature_delta", signature: "s3" },
        ],
        [
          { type: "text", text: "" },
          { type: "text_delta", text: "At " },
          { type: "text_delta", text: "noon" },
          { type: "citations_delta", citation },
          { type: "text_delta", text: "." },
        ],
        [
          { type: "server_tool_use", id: "st", name: "web_search", input: {} },
          { type: "input_json_delta", partial_json: '{"q":' },
          { type: "input_json_delta", partial_json: '"tide"}' },
        ],
        [{ type: "web_search_tool_result", tool_use_id: "st", content: [] }],
        [{ type: "text", text: "" }, { type: "text_delta", text: "Done." }],
        [
          { type: "tool_use", id: "t1", name: "get_tide", input: {} },
          { type: "input_json_delta", partial_json: '{"port":"x"}' },
        ],
      ], "tool_use"));
      response.end();
    };
    const client = anthropic(anthropicUpstream());
    const expected = [
      { type: "redacted_thinking", data: "xyz" },
      { type: "thinking", thinking: "One.", signature: "s1" },
      { type: "thinking", thinking: "Two.", signature: "s2" },
      { type: "thinking", thinking: "", signature: "s3" },
      { type: "text", text: "At noon.", citations: [citation] },
      {
        type: "server_tool_use",
        id: "st",
        name: "web_search",
        input: { q: "tide" },
      },
      { type: "web_search_tool_result", tool_use_id: "st", content: [] },
      { type: "text", text: "Done." },
      { type: "tool_use", id: "t1", name: "get_tide", input: { port: "x" } },
    ];
    const streamed = await client.messages.stream({
      ...request,
      tools: messageTools,
    }).finalMessage();
    expect(streamed.content).toEqual(expected);
    const whole = await client.messages.create({
      ...request,
      tools: messageTools,
    });
    expect(whole.content).toEqual(expected);
    expect(whole.stop_reason).toBe("tool_use");
    // The next turn: what is signed goes back, what is not would be refused.
    await client.messages.create({
      ...request,
      messages: [...request.messages, {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Tags.", signature: "" },
          { type: "thinking", thinking: "One.", signature: "s1" },
          { type: "text", text: "At noon." },
        ],
      }],
    });
    expect(upstream.calls.at(-1)!.body.messages[1].content).toEqual([
      { type: "thinking", thinking: "One.", signature: "s1" },
      { type: "text", text: "At noon." },
    ]);
  });

  test("learns of errors in both ways", async () => {
    upstream.script = ({ write, response, body }) => {
      if (body.model === "refused") {
        response.writeHead(400, { "content-type": "application/json" });
        response.end('{"error": {"message": "bad tool"}}');
        return;
      }
      write(messages([{
        type: "error",
        error: { type: "overloaded_error", message: "busy" },
      }]));
      response.end();
    };
    const client = anthropic(anthropicUpstream());
    const refused = await client.messages.create({
      ...request,
      model: "refused",
    })
      .then(() => undefined, (error) => error);
    expect(refused).toBeInstanceOf(Anthropic.BadRequestError);
    expect(refused.message).toContain("bad tool");
    expect(refused.error.error.type).toBe("invalid_request_error");
    const broken = await client.messages.stream(request).finalMessage()
      .then(() => undefined, (error) => error);
    expect(broken.message).toContain("busy");
  });
});

describe("streaming", () => {
  test("parts arrive while the upstream still sends", async () => {
    const gate = new Gate();
    upstream.script = async ({ write, response }) => {
      write(chat({ content: "first" }));
      await gate.opened;
      write(chat({ content: "second" }) + chatEnd("stop"));
      response.end();
    };
    const response = await post(
      "/v1/chat/completions",
      { ...ask, stream: true },
      openaiUpstream(),
    );
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    let text = "";
    for await (const { data } of eventsOf(response)) {
      text += data;
      // It is sent only when the first piece is here.
      if (text.includes("first")) gate.open();
    }
    expect(text).toContain("second");
    expect(text).toMatch(/\[DONE\]$/);
  });

  test("a client that leaves cancels the upstream", async () => {
    const left = new Gate();
    upstream.script = async ({ write, gone }) => {
      write(chat({ content: "first" }));
      await gone;
      left.open();
    };
    const response = await post(
      "/v1/chat/completions",
      { ...ask, stream: true },
      openaiUpstream(),
    );
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await left.opened;
    expect(upstream.cancelled).toBe(1);
  });

  test("so does one that leaves before the first byte, or an answer that is not streamed", async () => {
    for (const stream of [true, false]) {
      const came = new Gate();
      const left = new Gate();
      upstream.script = async ({ write, gone }) => {
        if (!stream) write(chat({ content: "first" }));
        came.open();
        await gone;
        left.open();
      };
      const controller = new AbortController();
      const answer = post(
        "/v1/chat/completions",
        { ...ask, stream },
        openaiUpstream(),
        { signal: controller.signal },
      );
      await came.opened;
      controller.abort();
      await left.opened;
      expect((await answer).status).toBe(499);
    }
  });

  test("silence is filled with comments, also before the upstream answers", async () => {
    let gate = new Gate();
    upstream.script = async ({ write, response, body }) => {
      if (body.model === "late") await gate.opened;
      else write(chat({ content: "first" }));
      await gate.opened;
      if (body.fail) response.writeHead(400).end('{"error": "no such thing"}');
      else {
        write(chatEnd("stop"));
        response.end();
      }
    };
    for (
      const body of [{ model: "m" }, { model: "late" }, {
        model: "late",
        fail: true,
      }]
    ) {
      gate = new Gate();
      const response = await post(
        "/v1/chat/completions",
        { ...ask, ...body, stream: true },
        openaiUpstream({ KEEP_ALIVE_SECONDS: 0.03 }),
      );
      expect(response.status).toBe(200);
      let comments = 0;
      let text = "";
      for await (const { comment, data } of eventsOf(response)) {
        if (comment !== undefined && ++comments === 2) gate.open();
        text += data ?? "";
      }
      expect(comments).toBeGreaterThan(1);
      // A status can be told no more: it is in the stream.
      if (body.fail) expect(text).toContain("no such thing");
      else expect(text).toMatch(/\[DONE\]$/);
    }
  });

  test("time limits end the answer with an error", async () => {
    const gate = new Gate();
    upstream.script = async ({ write, gone, body }) => {
      write(chat({ content: "first" }));
      const timer = setInterval(() => {
        if (body.model === "slow") write(chat({ content: "." }));
      }, 10);
      await gone;
      clearInterval(timer);
      if (upstream.cancelled === 4) gate.open();
    };
    for (
      const [model, environment, expected] of [
        ["slow", { STREAM_SECONDS: "0.5" }, "longer than 0.5 seconds"],
        ["dead", { IDLE_SECONDS: "0.5" }, "silent for 0.5 seconds"],
      ] as const
    ) {
      const request = { ...ask, model };
      const response = await post(
        "/v1/chat/completions",
        { ...request, stream: true },
        openaiUpstream(environment),
      );
      const text = await response.text();
      expect(text).toContain("first");
      expect(text).toContain(expected);
      expect(text).toContain("timeout_error");
      expect(text).not.toContain("[DONE]");
      const whole = await post(
        "/v1/chat/completions",
        request,
        openaiUpstream(environment),
      );
      expect(whole.status).toBe(504);
      expect(await whole.text()).toContain(expected);
    }
    await gate.opened;
  });
});

describe("what a request may and may not", () => {
  test("nothing in a request names the upstream, and only listed headers pass", async () => {
    upstream.script = chatAnswer(["Hi"]);
    const response = await post(
      "/v1/chat/completions?url=http://127.0.0.1:1/",
      { ...ask, base_url: "http://127.0.0.1:1/" },
      openaiUpstream({ UPSTREAM_MODEL: "mine" }),
      {
        headers: {
          authorization: "Bearer client",
          cookie: "a=b",
          host: "127.0.0.1:1",
          "x-forwarded-host": "127.0.0.1:1",
          "x-request-id": "r1",
          "openai-organization": "org",
        },
      },
    );
    expect(response.status).toBe(200);
    const { headers, path, body } = upstream.calls[0]!;
    expect(path).toBe("/v1/chat/completions");
    expect(headers.authorization).toBe("Bearer up-secret");
    expect(headers["x-request-id"]).toBe("r1");
    for (const name of ["cookie", "openai-organization", "x-forwarded-host"]) {
      expect(headers[name]).toBe(undefined);
    }
    expect(body.model).toBe("mine");
  });

  test("a redirect is not followed: the key is meant for one place", async () => {
    let other = 0;
    upstream.script = ({ path, response }) => {
      if (path !== "/v1/chat/completions") other++;
      response.writeHead(302, { location: upstream.url("/elsewhere") }).end();
    };
    const response = await post("/v1/chat/completions", ask, openaiUpstream());
    expect(response.status).toBe(502);
    await response.body?.cancel();
    expect(other).toBe(0);
  });

  test("keys of clients are asked for", async () => {
    upstream.script = chatAnswer(["Hi"]);
    const environment = openaiUpstream({ CLIENT_KEYS: "one, two" });
    const status = async (headers: Record<string, string>) => {
      const response = await post("/v1/chat/completions", ask, environment, {
        headers,
      });
      await response.body?.cancel();
      return response.status;
    };
    expect(await status({})).toBe(401);
    expect(await status({ authorization: "Bearer three" })).toBe(401);
    expect(await status({ authorization: "Bearer one, two" })).toBe(401);
    expect(await status({ authorization: "Bearer two" })).toBe(200);
    expect(await status({ "x-api-key": "one" })).toBe(200);
    expect(upstream.calls.length).toBe(2);
  });

  test("without keys only this machine is answered, and no web page", async () => {
    upstream.script = chatAnswer(["Hi"]);
    const status = async (
      url: string,
      environment: Environment,
      headers: Record<string, string> = {},
    ) => {
      const response = await handle(
        new Request(url, {
          method: "POST",
          body: JSON.stringify(ask),
          headers,
        }),
        environment,
      );
      await response.body?.cancel();
      return response.status;
    };
    const path = "/v1/chat/completions";
    const open = openaiUpstream();
    expect(await status(`http://127.0.0.1:8787${path}`, open)).toBe(200);
    expect(await status(`http://[::1]:8787${path}`, open)).toBe(200);
    expect(await status(`https://gateway.example${path}`, open)).toBe(403);
    expect(
      await status(`http://localhost${path}`, open, {
        origin: "https://evil.example",
      }),
    ).toBe(403);
    expect(
      await status(`https://gateway.example${path}`, {
        ...open,
        CLIENT_KEYS: "*",
      }),
    ).toBe(200);
  });

  test("limits and wrong requests have their status, in the client's words", async () => {
    upstream.script = chatAnswer(["x".repeat(3000)]);
    const environment = openaiUpstream({
      MAX_REQUEST_BYTES: 2000,
      MAX_ANSWER_CHARS: 2000,
    });
    const long = { ...ask, user: "x".repeat(3000) };
    const cases: [string, unknown, number, string][] = [
      ["/v1/chat/completions", long, 413, "longer than 2000 bytes"],
      ["/v1/messages", long, 413, "request_too_large"],
      ["/v1/chat/completions", "{", 400, "not JSON"],
      ["/v1/chat/completions", "[]", 400, "not an object"],
      ["/v1/chat/completions", { messages: [] }, 400, '"model\\"'],
      ["/v1/chat/completions", { model: "m" }, 400, "messages"],
      ["/v1/chat/completions", { ...ask, n: 2 }, 400, "one choice"],
      ["/v1/chat/completions", { ...ask, logprobs: true }, 400, "logprobs"],
      ["/v1/chat/completions", { ...ask, functions: [] }, 400, "functions"],
      ["/v1/chat/completions", ask, 502, "longer than 2000 characters"],
      ["/v1/other", ask, 404, "POST /v1/chat/completions"],
    ];
    for (const [path, body, status, expected] of cases) {
      const response = await post(path, body, environment);
      const text = await response.text();
      expect([path, response.status, text]).toEqual([path, status, text]);
      expect(text).toContain(expected);
    }
    // A body without a length is counted.
    const endless = new Request("http://localhost/v1/messages", {
      method: "POST",
      body: new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1000)),
      }),
      duplex: "half",
    } as RequestInit);
    expect((await handle(endless, environment)).status).toBe(413);
    const get = new Request("http://localhost/v1/messages");
    expect((await handle(get, environment)).status).toBe(405);
    const health = new Request("http://localhost/health");
    expect(await (await handle(health)).text()).toBe("ok\n");
  });

  test("a wrong configuration is told, its values are not", async () => {
    for (
      const environment of [
        {},
        { UPSTREAM_URL: "secret" },
        { UPSTREAM_URL: "file:///secret" },
        openaiUpstream({ STREAM_SECONDS: "secret" }),
        openaiUpstream({ UPSTREAM_PROVIDER: "secret" }),
        openaiUpstream({ SALVAGE: "secret" }),
        openaiUpstream({ UPSTREAM_KEY_HEADER: "secret secret" }),
      ]
    ) {
      const response = await post("/v1/chat/completions", ask, environment);
      expect(response.status).toBe(503);
      const text = await response.text();
      expect(text).toMatch(/[A-Z]+_[A-Z]+|SALVAGE/);
      expect(text).not.toContain("secret");
    }
  });

  test("a connection that the upstream has just closed is tried again", async () => {
    const answer = chatAnswer(["Hi"]);
    upstream.script = (call) =>
      upstream.calls.length < 3 ? void call.response.destroy() : answer(call);
    const response = await post("/v1/chat/completions", ask, openaiUpstream());
    expect(response.status).toBe(200);
    await response.text();
    expect(upstream.calls.length).toBe(3);
  });

  test("an upstream that cannot be reached, or refuses the key, is no secret told", async () => {
    const nowhere = upstream.url("/v1/chat/completions");
    await upstream.stop();
    upstream = await ScriptedUpstream.start();
    const unreachable = await post("/v1/chat/completions", ask, {
      UPSTREAM_URL: nowhere,
      UPSTREAM_KEY: "up-secret",
    });
    expect(unreachable.status).toBe(502);
    expect(await unreachable.text()).not.toContain("127.0.0.1");
    upstream.script = ({ response }) => {
      response.writeHead(401).end('{"error": {"message": "bad key sk-abc"}}');
    };
    const refused = await post("/v1/chat/completions", ask, openaiUpstream());
    expect(refused.status).toBe(502);
    const text = await refused.text();
    expect(text).toContain("UPSTREAM_KEY");
    expect(text).not.toContain("sk-abc");
  });

  test("unpaired surrogates of a request are mended", async () => {
    upstream.script = chatAnswer(["\ud83d", "\udf0a and \ud83d."]);
    const response = await post(
      "/v1/chat/completions",
      '{"model": "m", "messages": [{"role": "user", "content": "a\\ud83d"}]}',
      openaiUpstream(),
    );
    expect(upstream.calls[0]!.body.messages[0].content).toBe("a\ufffd");
    const { choices } = await response.json();
    expect(choices[0].message.content).toBe("\ud83d\udf0a and \ufffd.");
  });
});

describe("what is salvaged and split", () => {
  const content = async (
    pieces: string[],
    environment: Environment,
    request: Record<string, unknown> = {},
  ) => {
    upstream.script = chatAnswer(pieces);
    const response = await post(
      "/v1/chat/completions",
      { ...ask, tools: chatTools, ...request },
      openaiUpstream(environment),
    );
    const { choices } = await response.json();
    const { message, finish_reason } = choices[0];
    return [
      message.content,
      message.reasoning_content,
      message.tool_calls?.length,
      finish_reason,
    ];
  };
  const call = LEAK.join("");

  test("by configuration and by what the request offers", async () => {
    const text = [call, undefined, undefined, "stop"];
    expect(await content([call], {})).toEqual([
      "Let me look.\n",
      undefined,
      1,
      "tool_calls",
    ]);
    expect(await content([call], { SALVAGE: "off" })).toEqual(text);
    expect(await content([call], {}, { tool_choice: "none" })).toEqual(text);
    expect(await content([call], {}, { tools: undefined })).toEqual(text);
    expect(
      await content([call], {}, {
        tool_choice: { type: "function", function: { name: "other" } },
      }),
    ).toEqual(text);
    const bare = '<invoke name="get_tide">' +
      '<parameter name="port">Brest</parameter></invoke>';
    expect(await content([bare], {})).toEqual([
      bare,
      undefined,
      undefined,
      "stop",
    ]);
    expect((await content([bare], { SALVAGE: "bare" }))[2]).toBe(1);
  });

  test("reasoning where it may be", async () => {
    const late = "Well. <think>Hm.</think>Yes";
    expect(await content([late], {})).toEqual([
      "Well. Yes",
      "Hm.",
      undefined,
      "stop",
    ]);
    expect((await content([late], { REASONING: "start" }))[0]).toBe(late);
    expect((await content([late], { REASONING: "off" }))[0]).toBe(late);
    expect(await content(["Hm.</think>Yes"], { REASONING: "inside" })).toEqual([
      "Yes",
      "Hm.",
      undefined,
      "stop",
    ]);
    // A call that is only thought of is none.
    expect((await content([`<think>${call}</think>No`], {}))[2]).toBe(
      undefined,
    );
  });

  test("a cut answer with a call in it asks for no result", async () => {
    upstream.script = chatAnswer(LEAK, "length");
    const response = await post(
      "/v1/chat/completions",
      { ...ask, tools: chatTools },
      openaiUpstream(),
    );
    const { choices } = await response.json();
    expect(choices[0].finish_reason).toBe("length");
  });
});

describe("the log", () => {
  test("has one line an answer, and nothing that was said", async () => {
    upstream.script = chatAnswer(LEAK);
    const lines: string[] = [];
    const { log } = console;
    console.log = (line: string) => lines.push(line);
    try {
      const response = await post(
        "/v1/chat/completions",
        { ...ask, stream: true, tools: chatTools },
        openaiUpstream({ LOG: "on", CLIENT_KEYS: "client-secret" }),
        { headers: { authorization: "Bearer client-secret" } },
      );
      await response.text();
    } finally {
      console.log = log;
    }
    expect(lines.length).toBe(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      model: "m",
      streaming: true,
      finish: "tool-calls",
      salvaged: 1,
      calls: 0,
    });
    expect(lines[0]).not.toMatch(/secret|tide|Brest|look/);
  });
});
