/** Values nested too deep to be written, ids without end, calls nobody announced: nothing throws, and it is said. */
import { describe, expect, test } from "vitest";
import { ClaudeCodeAdapter } from "../../adapters/claude_code/mod.ts";
import { AnthropicEncoderStream } from "../../adapters/encode_anthropic.ts";
import { JSONLEncoderStream } from "../../adapters/encode_jsonl.ts";
import { OpenAIChatEncoderStream } from "../../adapters/encode_openai_chat.ts";
import { SSEEncoderStream } from "../../adapters/encode_sse.ts";
import { UIMessageEncoderStream } from "../../adapters/encode_ui_message.ts";
import { RecentIds, rememberId } from "../../adapters/internal/recent_ids.ts";
import type { ProviderName } from "../../adapters/provider.ts";
import { resolveProvider } from "../../adapters/provider.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { fromVscodeLm } from "../../adapters/vscode_lm.ts";
import {
  collect,
  collectParts,
  parse,
  type Part,
  readParts,
  type StageStream,
  ToolCallSalvagerStream,
} from "../../mod.ts";
import { decodeWith } from "./providers/decode.ts";

/** Too deep for `JSON.stringify` where it recurses, which it does not everywhere. */
const DEPTH = 20_000;
const deepJSON = `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`;
const deep: unknown = JSON.parse(deepJSON);

const encoders: Readonly<
  Record<string, () => StageStream<string | Part, string>>
> = {
  "openai-chat": () => new OpenAIChatEncoderStream(),
  "openai-chat, streamed": () =>
    new OpenAIChatEncoderStream({ streamInput: true }),
  anthropic: () => new AnthropicEncoderStream(),
  "anthropic, streamed": () =>
    new AnthropicEncoderStream({ streamInput: true }),
  "ui message": () =>
    new UIMessageEncoderStream({ dataParts: ["raw", "directive", "warning"] }),
  sse: () => new SSEEncoderStream(),
  jsonl: () => new JSONLEncoderStream(),
};

/** Parts with something in them that no encoder can write, or of a wrong shape. */
const hostile: readonly unknown[] = [
  { type: "tool-call", toolCallId: "a", toolName: "b", input: deep },
  { type: "tool-call", toolCallId: "a", toolName: "b", input: 5n },
  { type: "tool-result", toolCallId: "known", output: deep },
  { type: "raw", value: deep },
  { type: "directive", id: "d", name: "d", attributes: {}, value: deep },
  { type: "usage", inputTokens: deep },
  { type: "tool-call-partial", toolCallId: "p", inputText: deep },
  { type: "tool-blocked", toolCallId: "p", toolName: deep, reason: deep },
  {
    type: "error",
    error: { name: deep, message: deep, code: deep },
    fatal: true,
  },
  { type: "error", fatal: true },
  { type: "text", text: deep, start: 0 },
  { type: "text" },
  { type: "reasoning" },
  { type: "tool-input-start", toolCallId: deep, toolName: deep },
  { type: "tool-input-delta", toolCallId: "known", delta: deep },
  { type: "finish", reason: deep, complete: true },
  { type: "of my own", deep },
  { type: 5 },
  {},
  null,
  undefined,
  5,
];

describe("what cannot be written", () => {
  for (const [name, make] of Object.entries(encoders)) {
    test(`${name}: nothing throws, and a snapshot can be taken`, () => {
      for (const part of hostile) {
        const { stage } = make();
        const wire: string[] = [];
        const emit = (text: string): void => {
          wire.push(text);
        };
        stage.push({
          type: "tool-call",
          toolCallId: "known",
          toolName: "look",
          input: {},
          origin: "native",
        }, emit);
        stage.push(part as Part, emit);
        stage.snapshot();
        stage.push({ type: "finish", reason: "stop", complete: true }, emit);
        stage.end(emit);
        expect(wire.length).toBeGreaterThan(0);
      }
    });
  }

  test("a call with such arguments is not sent, and the answer looks cut", () => {
    const parts: Part[] = [
      {
        type: "tool-input-start",
        toolCallId: "a",
        toolName: "b",
      },
      { type: "tool-input-delta", toolCallId: "a", delta: "{" },
      {
        type: "tool-call",
        toolCallId: "a",
        toolName: "b",
        input: { big: 5n },
        origin: "native",
      },
      { type: "finish", reason: "tool-calls", complete: true },
    ];
    const chat = parse(parts, new OpenAIChatEncoderStream()).join("");
    expect(chat).toContain('"finish_reason":"length"');
    expect(chat).not.toContain("tool_calls");
    const ui = parse(parts, new UIMessageEncoderStream()).join("");
    expect(ui).toContain('"type":"tool-input-error"');
    expect(ui).not.toContain("tool-input-available");
  });

  test("a result or a part like that is one with an error, or a warning", () => {
    const ui = parse([
      {
        type: "tool-call",
        toolCallId: "a",
        toolName: "b",
        input: {},
        origin: "native",
      },
      { type: "tool-result", toolCallId: "a", output: 5n },
      { type: "raw", value: 5n },
      { type: "finish", reason: "stop", complete: true },
    ], new UIMessageEncoderStream({ dataParts: ["raw", "warning"] })).join("");
    expect(ui).toContain('"type":"tool-output-error"');
    expect(ui).toContain('"type":"data-warning"');
    expect(ui).toContain('"finishReason":"stop"');
  });

  const wires: Readonly<Partial<Record<ProviderName, readonly string[]>>> = {
    anthropic: [
      `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"b","input":${deepJSON}}}`,
      '{"type":"content_block_stop","index":0}',
      '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
      '{"type":"message_stop"}',
    ],
    "openai-chat": [
      `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"b","arguments":${deepJSON}}}]}}]}`,
      '{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
    ],
    gemini: [
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"b","args":${deepJSON},"willContinue":true}}]}}]}`,
      '{"candidates":[{"content":{"parts":[{"functionCall":{}}]},"finishReason":"STOP"}]}',
    ],
    "google-interactions": [
      '{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"t","name":"b"}}',
      `{"event_type":"step.delta","index":0,"delta":{"type":"function_call","arguments":${deepJSON}}}`,
      '{"event_type":"step.stop","index":0}',
      '{"event_type":"interaction.completed","interaction":{"status":"requires_action"}}',
    ],
  };
  for (const [name, events] of Object.entries(wires)) {
    test(`${name}: arguments that came as a value make no call with others`, () => {
      const provider = resolveProvider(name as ProviderName);
      const stage = provider.create({});
      const parts: Part[] = [];
      for (const data of events) {
        stage.push({ data }, (part) => parts.push(part));
        stage.snapshot();
      }
      stage.end((part) => parts.push(part));
      const { toolCalls, partialToolCalls, warnings } = collectParts(parts);
      if (toolCalls.length === 1) {
        // This runtime can write them.
        expect(JSON.stringify(toolCalls[0]!.input)).toBe(deepJSON);
        return;
      }
      expect(partialToolCalls.length).toBe(1);
      expect(
        warnings.some(({ code }) => code === "limit" || code === "malformed"),
      ).toBe(true);
    });
  }

  test("a permission request with such arguments is answered, or handed on", () => {
    for (const subtype of ["can_use_tool", "elicitation", "mcp_message"]) {
      const adapter = new ClaudeCodeAdapter();
      const result = adapter.parseLine(
        `{"type":"control_request","request_id":"r","request":{"subtype":"${subtype}","tool_name":"B","tool_use_id":"t","mcp_server_name":"m","server_name":"m","message":"x","input":${deepJSON}}}`,
      );
      expect(result.status).toBe("ok");
      if (result.status === "ok") adapter.transform(result.event);
    }
  });
});

describe("ids without end", () => {
  test("as many are remembered as fit, oldest first out", () => {
    const ids = new RecentIds(3);
    for (const id of ["a", "b", "c", "d"]) ids.add(id);
    expect(ids.list()).toEqual(["b", "c", "d"]);
    const long = "x".repeat(3_000_000);
    ids.add(long);
    ids.add(`${long}y`);
    expect(ids.list()).toEqual([`${long}y`]);
    const list = ["a"];
    rememberId(list, long, 9);
    rememberId(list, `${long}y`, 9);
    expect(list).toEqual([`${long}y`]);
    ids.add("z".repeat(5_000_000));
    expect(ids.list()).toEqual([]);
  });

  test("a snapshot of calls with long ids stays small", () => {
    const stage = resolveProvider("ollama").create({});
    for (let call = 0; call < 40; call++) {
      stage.push({
        data: JSON.stringify({
          message: {
            tool_calls: [{
              id: `${call} ${"x".repeat(500_000)}`,
              function: { name: "b", arguments: {} },
            }],
          },
          done: false,
        }),
      }, () => {});
    }
    expect(JSON.stringify(stage.snapshot()).length).toBeLessThan(5_000_000);
  });

  test("open calls with names that are too long together are dropped, and that is said", () => {
    const call = (index: number): unknown => ({
      choices: [{
        index: 0,
        delta: {
          tool_calls: [{
            index,
            id: `${index}`,
            function: { name: "n".repeat(6_000_000), arguments: "{}" },
          }],
        },
      }],
    });
    const { toolCalls, warnings } = decodeWith(
      resolveProvider("openai-chat"),
      [call(0), call(1), call(2), {
        choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }],
      }],
    );
    expect(toolCalls.length).toBe(2);
    expect(warnings.map(({ code }) => code)).toEqual(["limit"]);
  });
});

describe("calls recovered from text", () => {
  const tools = [{ name: "look" }];
  const text = '<tool_call>{"name":"look","arguments":{}}</tool_call>';
  const body = [
    { choices: [{ index: 0, delta: { content: text } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") +
    "data: [DONE]\n\n";

  const wire = async (
    encoder: StageStream<string | Part, string>,
  ): Promise<string> => {
    let out = "";
    for await (
      const piece of readParts(
        fromSSE(body),
        new ToolCallSalvagerStream({ tools }),
        encoder,
      )
    ) out += String(piece);
    return out;
  };

  test("end the answer as calls do, on every wire", async () => {
    expect(await wire(new OpenAIChatEncoderStream())).toContain(
      '"finish_reason":"tool_calls"',
    );
    expect(await wire(new AnthropicEncoderStream())).toContain(
      '"stop_reason":"tool_use"',
    );
    expect(await wire(new UIMessageEncoderStream())).toContain(
      '"finishReason":"tool-calls"',
    );
  });

  test("but not when whoever made the stream has run them", () => {
    const call = (toolCallId: string): Part => ({
      type: "tool-call",
      toolCallId,
      toolName: "look",
      input: {},
      origin: "native",
    });
    const end: Part = { type: "finish", reason: "stop", complete: true };
    const result: Part = { type: "tool-result", toolCallId: "a", output: "" };
    for (
      const [parts, word] of [
        [[call("a"), result, end], "end_turn"],
        [[call("a"), call("b"), result, end], "tool_use"],
        [[call("a"), { ...end, reason: "length" }], "max_tokens"],
      ] as [Part[], string][]
    ) {
      expect(parse(parts, new AnthropicEncoderStream()).join("")).toContain(
        `"stop_reason":"${word}"`,
      );
    }
  });

  test("and so does the editor's model", async () => {
    const ends = async (values: string[], given = tools): Promise<unknown> => {
      const { toolCalls, finish } = await collect(fromVscodeLm(
        (async function* () {
          for (const value of values) yield { value };
        })(),
        { tools: given },
      ));
      return [toolCalls.length, finish?.reason, finish?.complete];
    };
    expect(await ends([text])).toEqual([1, "tool-calls", true]);
    expect(await ends([text.slice(0, 9), text.slice(9)])).toEqual(
      [1, "tool-calls", true],
    );
    expect(await ends(["plain"])).toEqual([0, "stop", true]);
    expect(await ends([text], [{ name: "other" }])).toEqual([0, "stop", true]);
    // The wrapper's closer is forgiven at the end only.
    expect(await ends([text.slice(0, -"</tool_call>".length)])).toEqual(
      [1, "tool-calls", true],
    );
  });
});
