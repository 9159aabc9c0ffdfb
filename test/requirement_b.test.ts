/**
 * Requirement B, the protocol parser of the Claude command line, line by line. At
 * length it is tested in adapters/claude_code/mod.test.ts.
 */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AdapterOutput,
  ClaudeCodeAdapter,
  ClaudeCodeStream,
  claudeCodeTable,
  parseLine,
  type ParseResult,
  type ProviderAdapter,
  type RawEvent,
  type ServerAction,
  SocketEventStream,
} from "../adapters/claude_code/mod.ts";
import { collectParts, parse } from "../mod.ts";

function line(value: unknown): string {
  return JSON.stringify(value);
}

/** What comes of one line. */
function outputOf(
  value: unknown,
  adapter: ClaudeCodeAdapter = new ClaudeCodeAdapter(),
): AdapterOutput {
  const result = adapter.parseLine(line(value));
  if (result.status === "ok") return adapter.transform(result.event);
  if (result.status === "unknown") return adapter.transform(result.raw);
  throw new Error(line(result));
}

const text = { type: "text", text: "I will read." };
const toolUse = { type: "tool_use", id: "t1", name: "Read", input: { a: 1 } };
const toolResult = { type: "tool_result", tool_use_id: "t1", content: "done" };
const assistant = {
  type: "assistant",
  message: { content: [text, toolUse] },
};
const permission = {
  type: "control_request",
  request_id: "r1",
  request: {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: {},
    tool_use_id: "t2",
  },
};

describe("parseLine", () => {
  test("ParseResult is a union on status: ok {event}, skip {reason}, unknown {type, raw}, error {error, raw}", () => {
    // The compiler knows that there are these four and no other.
    const fieldsOf = (result: ParseResult<RawEvent>): string[] => {
      switch (result.status) {
        case "ok":
          return [result.event.type];
        case "skip":
          return [result.reason];
        case "unknown":
          return [result.type, result.raw.type];
        case "error":
          return [typeof result.error, result.raw.type];
      }
    };
    expect(fieldsOf(parseLine(line(assistant)))).toEqual(["assistant"]);
    expect(fieldsOf(parseLine("Loading…"))).toEqual(["not-json"]);
    expect(fieldsOf(parseLine('{"type":"new"}'))).toEqual(["new", "new"]);
    expect(fieldsOf(parseLine('{"type":"assistant"}'))).toEqual([
      "string",
      "assistant",
    ]);
  });

  const steps: readonly (readonly [string, string, string])[] = [
    ["trims first", ` \t${line(assistant)}\r\n`, "ok"],
    ["empty is skipped", " \r\n", "skip"],
    ["not JSON is skipped", "{oops", "skip"],
    ["no type is skipped", '{"subtype":"init"}', "skip"],
    ["keep_alive is skipped", '{"type":"keep_alive","odd":1}', "skip"],
    ["a type that is not known is unknown", '{"type":"x"}', "unknown"],
    ["the right shape is ok", '{"type":"system","subtype":"init"}', "ok"],
    ["a wrong shape is an error", '{"type":"user","message":7}', "error"],
  ];
  for (const [index, [name, given, status]] of steps.entries()) {
    test(`in order, ${index + 1}: ${name}`, () => {
      expect(parseLine(given).status).toBe(status);
    });
  }

  test("the schema is picked by type and subtype", () => {
    const request = (more: object): string =>
      parseLine(line({ ...permission, request: more })).status;
    // What one subtype needs another does not have.
    expect(request({ subtype: "can_use_tool" })).toBe("error");
    expect(request({ subtype: "hook_callback" })).toBe("ok");
  });

  test("21 or more event types", () => {
    const types = new Set(
      claudeCodeTable.map(({ type, subtype }) => `${type}:${subtype ?? ""}`),
    );
    expect(types.size).toBeGreaterThanOrEqual(21);
  });

  test("content arrays may hold text and tool_use together", () => {
    const { events } = outputOf(assistant);
    expect(events).toEqual([{ name: "message:assistant", payload: assistant }]);
  });

  test("user events carry tool_result", () => {
    const user = { type: "user", message: { content: [toolResult] } };
    expect(outputOf(user).events).toEqual([
      { name: "message:user", payload: user },
    ]);
    const { toolResults } = collectParts(
      parse([line(assistant), line(user)], new ClaudeCodeStream()),
    );
    expect(toolResults).toEqual([
      { type: "tool-result", toolCallId: "t1", output: "done" },
    ]);
  });

  test("usage sits in result.usage", () => {
    const result = {
      type: "result",
      subtype: "success",
      usage: { input_tokens: 7, output_tokens: 3 },
    };
    const parsed = parseLine(line(result));
    expect(parsed).toMatchObject({
      status: "ok",
      event: { usage: { input_tokens: 7, output_tokens: 3 } },
    });
    const { usage } = collectParts(
      parse([line(result)], new ClaudeCodeStream()),
    );
    expect(usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  });

  test("an unknown type is never an error", () => {
    for (
      const more of [{}, { message: 7 }, { subtype: [] }, { request: null }]
    ) {
      expect(parseLine(line({ type: "brand_new", ...more }))).toMatchObject({
        status: "unknown",
        type: "brand_new",
      });
    }
  });
});

describe("transform", () => {
  test("gives {events, autoResponses, controlResponses, serverActions}, always all four", () => {
    for (const value of [assistant, permission, { type: "brand_new" }]) {
      const output = outputOf(value);
      expect(Object.keys(output).sort()).toEqual([
        "autoResponses",
        "controlResponses",
        "events",
        "serverActions",
      ]);
      expect(Object.values(output).every(Array.isArray)).toBe(true);
    }
  });

  const stream = (type: string): object => ({
    type: "stream_event",
    event: { type },
  });
  const names: Readonly<Record<string, object>> = {
    "message:assistant": assistant,
    "message:user": { type: "user", message: { content: "x" } },
    "stream:chunk": stream("content_block_delta"),
    "stream:block_start": stream("content_block_start"),
    "stream:end": stream("message_stop"),
    "control:permission": permission,
    "control:elicitation": {
      ...permission,
      request: { subtype: "elicitation", message: "?" },
    },
    "system:init": { type: "system", subtype: "init" },
    "system:task_started": { type: "system", subtype: "task_started" },
    "notification:show": { type: "system", subtype: "notification" },
    "raw:event": { type: "brand_new", n: 1 },
  };
  for (const [name, event] of Object.entries(names)) {
    test(`events are SocketEvents {name, payload}: ${name}`, () => {
      const { events } = outputOf(event);
      expect(events.map((one) => one.name)).toEqual([name]);
      expect(Object.keys(events[0]!).sort()).toEqual(["name", "payload"]);
    });
  }

  test("ServerAction is a union: auto_respond, read_diff, forward_to_client", () => {
    const write = {
      type: "assistant",
      message: {
        content: [{
          type: "tool_use",
          id: "t1",
          name: "Write",
          input: { file_path: "/a.ts" },
        }],
      },
    };
    const adapter = new ClaudeCodeAdapter();
    const deciding = new ClaudeCodeAdapter({
      decide: () => ({ behavior: "deny", message: "No" }),
    });
    outputOf(write, adapter);
    const actions: ServerAction[] = [
      ...outputOf(permission, deciding).serverActions,
      ...outputOf(
        { type: "user", message: { content: [toolResult] } },
        adapter,
      ).serverActions,
      ...outputOf(permission, adapter).serverActions,
    ];
    // The compiler knows that there are these three and no other.
    const told = actions.map((action): string => {
      switch (action.type) {
        case "auto_respond":
          return `${action.type} ${action.requestId} ${
            JSON.parse(action.line).type
          }`;
        case "read_diff":
          return `${action.type} ${action.toolUseId} ${action.path}`;
        case "forward_to_client":
          return `${action.type} ${action.requestId} ${action.event.name}`;
      }
    });
    expect(told).toEqual([
      "auto_respond r1 control_response",
      "read_diff t1 /a.ts",
      "forward_to_client r1 control:permission",
    ]);
  });
});

describe("other protocols", () => {
  test("ProviderAdapter {parseLine, transform} is what other CLIs implement", () => {
    interface Said extends RawEvent {
      type: "say";
      words: string;
    }
    const adapter: ProviderAdapter<Said> = {
      parseLine: (given): ParseResult<Said> =>
        given.startsWith("say ")
          ? {
            status: "ok",
            event: { type: "say", words: given.slice(4).trim() },
          }
          : { status: "skip", reason: "not-json" },
      transform: (event): AdapterOutput => ({
        events: [{ name: "message:assistant", payload: event }],
        autoResponses: [],
        controlResponses: [],
        serverActions: [],
      }),
    };
    // It stands wherever the one of Claude Code does.
    const stream = new SocketEventStream({ adapter });
    expect(parse(["# log", "say hello"], stream)).toEqual([
      { name: "message:assistant", payload: { type: "say", words: "hello" } },
    ]);
  });

  test("adding an event type is one table row", () => {
    const adapter = new ClaudeCodeAdapter({
      table: [...claudeCodeTable, {
        type: "weather",
        schema: z.looseObject({ wind: z.number() }),
        name: "weather:report",
      }],
    });
    expect(outputOf({ type: "weather", wind: 7 }, adapter).events).toEqual([
      { name: "weather:report", payload: { type: "weather", wind: 7 } },
    ]);
    expect(adapter.parseLine('{"type":"weather"}').status).toBe("error");
  });
});
