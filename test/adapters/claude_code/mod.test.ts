import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answerDialog,
  answerElicitation,
  answerHook,
  answerMcpMessage,
  answerPermission,
  ClaudeCodeAdapter,
  ClaudeCodeStream,
  claudeCodeTable,
  controlRequest,
  parseLine,
  type ParseResult,
  type RawEvent,
  refuseRequest,
  type SocketEvent,
  SocketEventStream,
  userMessage,
} from "../../../adapters/claude_code/mod.ts";
import { collect, parse, toReadableStream } from "../../../mod.ts";

const runs = Number(process.env["FAST_CHECK_RUNS"] ?? 1000);

function line(value: unknown): string {
  return JSON.stringify(value);
}

/** The event of a line that has to be good. */
function ok(value: unknown): RawEvent {
  const result = parseLine(line(value));
  if (result.status !== "ok") throw new Error(line(result));
  return result.event;
}

function namesOf(value: unknown, adapter = new ClaudeCodeAdapter()): string[] {
  return adapter.transform(ok(value)).events.map((event) => event.name);
}

const assistant = {
  type: "assistant",
  message: { content: [{ type: "text", text: "Hi" }] },
};
const permission = {
  type: "control_request",
  request_id: "r1",
  request: {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: { command: "ls" },
    tool_use_id: "t1",
  },
};

describe("parseLine", () => {
  test("in order: empty, not JSON, no type, keep-alive, unknown, error, ok", () => {
    const status = (text: string): ParseResult<unknown>["status"] | string => {
      const result = parseLine(text);
      return result.status === "skip" ? result.reason : result.status;
    };
    expect(status("")).toBe("empty");
    expect(status(" \t\r\n")).toBe("empty");
    expect(status("Loading…")).toBe("not-json");
    expect(status('{"type":"assistant"')).toBe("not-json");
    for (
      const odd of ["null", "1", '"x"', "[]", "{}", '{"type":7}', '{"type":""}']
    ) {
      expect(status(odd), odd).toBe("no-type");
    }
    expect(status('{"type":"keep_alive"}')).toBe("keep-alive");
    expect(status('{"type":"brand_new"}')).toBe("unknown");
    expect(status('{"type":"system","subtype":"brand_new"}')).toBe("unknown");
    expect(status('{"type":"system"}')).toBe("error");
    expect(status('{"type":"assistant"}')).toBe("error");
    expect(status(`  ${line(assistant)}\r`)).toBe("ok");
  });

  test("an unknown type is told with its object", () => {
    expect(parseLine('{"type":"brand_new","n":1}')).toEqual({
      status: "unknown",
      type: "brand_new",
      raw: { type: "brand_new", n: 1 },
    });
  });

  test("an error says where", () => {
    const result = parseLine(
      line({ type: "assistant", message: { content: [{ type: "text" }] } }),
    );
    expect(result).toMatchObject({ status: "error" });
    expect(result.status === "error" && result.error).toContain(
      "message.content",
    );
  });

  test("wrong shapes of known types are errors", () => {
    for (
      const wrong of [
        { type: "user", message: {} },
        { type: "user", message: { content: 7 } },
        { type: "result" },
        { type: "stream_event", event: {} },
        { type: "control_request", request: { subtype: "interrupt" } },
        { type: "control_request", request_id: "r", request: {} },
        { ...permission, request: { subtype: "can_use_tool" } },
        { type: "control_response" },
        { type: "control_cancel_request" },
        {
          type: "assistant",
          message: { content: [{ type: "tool_use", id: "x" }] },
        },
      ]
    ) {
      expect(parseLine(line(wrong)).status, line(wrong)).toBe("error");
    }
  });

  test("schemas demand no more than what is used; fields, values and blocks may be new", () => {
    for (
      const sparse of [
        { type: "result", subtype: "success" },
        { type: "result", subtype: "error_of_tomorrow" },
        { type: "system", subtype: "init" },
        { type: "rate_limit_event" },
        { type: "stream_event", event: { type: "event_of_tomorrow" } },
        {
          type: "control_request",
          request_id: "r",
          request: { subtype: "request_of_tomorrow" },
        },
        {
          type: "assistant",
          message: { content: [{ type: "hologram", beam: 7 }] },
          error: "fault_of_tomorrow",
          brand: { new: "field" },
        },
      ]
    ) {
      expect(parseLine(line(sparse)).status, line(sparse)).toBe("ok");
    }
  });

  test("content may hold text and tool_use together, and stays together", () => {
    const event = ok({
      type: "assistant",
      message: {
        content: [
          { type: "text", text: "a" },
          { type: "tool_use", id: "t", name: "Read", input: {} },
        ],
      },
    });
    expect(new ClaudeCodeAdapter().transform(event)).toEqual({
      events: [{ name: "message:assistant", payload: event }],
      autoResponses: [],
      controlResponses: [],
      serverActions: [],
    });
  });

  test("never throws, and neither does transform", () => {
    const adapter = new ClaudeCodeAdapter();
    const type = fc.constantFrom(
      ...new Set(claudeCodeTable.map((row) => row.type)),
      "other",
    );
    const subtype = fc.constantFrom(
      ...new Set(claudeCodeTable.map((row) => row.subtype ?? "none")),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.record({
            type,
            subtype,
            message: fc.jsonValue(),
            request: fc.oneof(fc.jsonValue(), fc.record({ subtype })),
            request_id: fc.oneof(fc.string(), fc.jsonValue()),
            event: fc.oneof(fc.jsonValue(), fc.record({ type: fc.string() })),
            response: fc.jsonValue(),
          }).map(line),
        ),
        (text) => {
          const result = adapter.parseLine(text);
          if (result.status === "skip") return;
          const event = result.status === "ok" ? result.event : result.raw;
          const output = adapter.transform(event);
          expect(output.events.length).toBe(1);
          // What did not parse is handed on as it is.
          if (result.status !== "ok") {
            expect(output.events).toEqual([{
              name: "raw:event",
              payload: event,
            }]);
          }
        },
      ),
      { numRuns: runs },
    );
  });
});

describe("the agent SDK's types", () => {
  const samples: { name: string; sample: RawEvent }[] = readFileSync(
    fileURLToPath(new URL("./agent_sdk_samples.jsonl", import.meta.url)),
    "utf8",
  ).trim().split("\n").map((text) => JSON.parse(text));

  test("every sample of every message type parses, and has a name", () => {
    const adapter = new ClaudeCodeAdapter();
    for (const { name, sample } of samples) {
      const result = adapter.parseLine(line(sample));
      if (sample.type === "keep_alive") {
        expect(result.status).toBe("skip");
        continue;
      }
      expect(result, `${name} ${line(sample)}`).toMatchObject({ status: "ok" });
      const [event] = adapter.transform(sample).events;
      expect(event!.name).toMatch(/^[a-z]+:[a-z_]+$/);
      expect(event!.name).not.toBe("raw:event");
    }
  });

  test("and every row of the table has a sample", () => {
    const seen = new Set(samples.flatMap(({ sample }) => {
      const inner = (sample["request"] ?? sample["event"] ?? sample) as {
        subtype?: string;
        type?: string;
      };
      const subtype = sample.type === "stream_event"
        ? inner.type
        : inner.subtype;
      return [sample.type, `${sample.type}:${subtype}`];
    }));
    const missing = claudeCodeTable.map((row) =>
      row.subtype === undefined ? row.type : `${row.type}:${row.subtype}`
    ).filter((key) => !seen.has(key));
    expect(missing).toEqual([]);
  });
});

describe("names of socket events", () => {
  const stream = (type: string): unknown => ({
    type: "stream_event",
    event: { type },
  });
  const control = (subtype: string, more: object = {}): unknown => ({
    type: "control_request",
    request_id: "r",
    request: { subtype, ...more },
  });
  const expected: readonly (readonly [string, unknown])[] = [
    ["message:assistant", assistant],
    ["message:user", { type: "user", message: { content: "x" } }],
    ["message:result", { type: "result", subtype: "success" }],
    ["message:result", { type: "result", subtype: "error_max_turns" }],
    ["stream:start", stream("message_start")],
    ["stream:block_start", stream("content_block_start")],
    ["stream:chunk", stream("content_block_delta")],
    ["stream:block_end", stream("content_block_stop")],
    ["stream:message_delta", stream("message_delta")],
    ["stream:end", stream("message_stop")],
    ["stream:brand_new", stream("Brand New")],
    ["control:permission", permission],
    ["control:elicitation", control("elicitation", { message: "?" })],
    ["control:hook", control("hook_callback")],
    ["control:mcp", control("mcp_message")],
    ["control:dialog", control("request_user_dialog")],
    ["control:interrupt", control("interrupt")],
    ["control:cancel", { type: "control_cancel_request", request_id: "r" }],
    ["control:response", {
      type: "control_response",
      response: { subtype: "success" },
    }],
    ["system:init", { type: "system", subtype: "init" }],
    ["system:task_started", { type: "system", subtype: "task_started" }],
    ["notification:show", { type: "system", subtype: "notification" }],
    ["system:rate_limit", { type: "rate_limit_event" }],
    ["system:auth_status", { type: "auth_status" }],
    ["tool:progress", { type: "tool_progress" }],
    ["tool:summary", { type: "tool_use_summary" }],
  ];

  for (const [name, event] of expected) {
    test(`${name} of ${line(event).slice(0, 60)}`, () => {
      expect(namesOf(event)).toEqual([name]);
    });
  }

  test("an unknown type is one raw:event with its object", () => {
    const result = parseLine('{"type":"brand_new","n":1}');
    if (result.status !== "unknown") throw new Error();
    expect(new ClaudeCodeAdapter().transform(result.raw).events).toEqual([
      { name: "raw:event", payload: { type: "brand_new", n: 1 } },
    ]);
  });

  test("a new type is one row", () => {
    const adapter = new ClaudeCodeAdapter({
      table: [...claudeCodeTable, {
        type: "system",
        subtype: "brand_new",
        schema: z.looseObject({ n: z.number() }),
        name: "system:brand_new",
      }],
    });
    expect(adapter.parseLine('{"type":"system","subtype":"brand_new","n":"x"}'))
      .toMatchObject({ status: "error" });
    const result = adapter.parseLine(
      '{"type":"system","subtype":"brand_new","n":1}',
    );
    expect(result.status).toBe("ok");
  });

  test("a schema that fails or takes its time is an error, not a crash", () => {
    const row = (validate: () => never | Promise<never>): ClaudeCodeAdapter =>
      new ClaudeCodeAdapter({
        table: [{
          type: "x",
          name: "x:y",
          schema: { "~standard": { version: 1, vendor: "test", validate } },
        }],
      });
    for (
      const adapter of [
        row(() => {
          throw new Error("no");
        }),
        row(() => Promise.reject(new Error("no"))),
      ]
    ) {
      expect(adapter.parseLine('{"type":"x"}').status).toBe("error");
      expect(adapter.transform({ type: "x" }).events[0]!.name).toBe(
        "raw:event",
      );
    }
  });
});

describe("requests of the command line", () => {
  test("go to the client, flattened", () => {
    const output = new ClaudeCodeAdapter().transform(ok(permission));
    const event: SocketEvent = {
      name: "control:permission",
      payload: {
        subtype: "can_use_tool",
        request_id: "r1",
        tool_name: "Bash",
        input: { command: "ls" },
        tool_use_id: "t1",
      },
    };
    expect(output).toEqual({
      events: [event],
      autoResponses: [],
      controlResponses: [],
      serverActions: [{ type: "forward_to_client", requestId: "r1", event }],
    });
  });

  test("or are decided by the host", () => {
    const adapter = new ClaudeCodeAdapter({
      decide: ({ request }) =>
        request.tool_name === "Bash"
          ? { behavior: "deny", message: "Not here" }
          : undefined,
    });
    const { autoResponses, serverActions } = adapter.transform(ok(permission));
    expect(autoResponses.map((text) => JSON.parse(text))).toEqual([{
      type: "control_response",
      response: {
        subtype: "success",
        request_id: "r1",
        response: { behavior: "deny", message: "Not here" },
      },
    }]);
    expect(serverActions).toEqual([{
      type: "auto_respond",
      requestId: "r1",
      line: autoResponses[0],
    }]);
  });

  test("a decision that throws is none", () => {
    const adapter = new ClaudeCodeAdapter({
      decide: () => {
        throw new Error("no");
      },
    });
    expect(adapter.transform(ok(permission)).serverActions).toMatchObject([
      { type: "forward_to_client" },
    ]);
  });

  test("of an unknown kind are refused, so that nothing waits for ever", () => {
    const unknown = ok({
      type: "control_request",
      request_id: "r9",
      request: { subtype: "of_tomorrow" },
    });
    const output = new ClaudeCodeAdapter().transform(unknown);
    expect(JSON.parse(output.autoResponses[0]!).response).toMatchObject({
      subtype: "error",
      request_id: "r9",
    });
    expect(
      new ClaudeCodeAdapter({ refuseUnknownRequests: false }).transform(unknown)
        .serverActions,
    ).toMatchObject([{ type: "forward_to_client", requestId: "r9" }]);
  });

  test("answers of the command line are handed on", () => {
    const response = { subtype: "success", request_id: "h1", response: {} };
    expect(
      new ClaudeCodeAdapter().transform(
        ok({ type: "control_response", response }),
      ).controlResponses,
    ).toEqual([response]);
  });
});

describe("read_diff", () => {
  const edit = {
    type: "assistant",
    message: {
      content: [{
        type: "tool_use",
        id: "t1",
        name: "Edit",
        input: { file_path: "/a.ts" },
      }],
    },
  };
  const result = (is_error?: boolean): unknown => ({
    type: "user",
    message: {
      content: [{
        type: "tool_result",
        tool_use_id: "t1",
        content: "",
        ...(is_error === undefined ? {} : { is_error }),
      }],
    },
  });

  test("when an edit has been made, once", () => {
    const adapter = new ClaudeCodeAdapter();
    expect(adapter.transform(ok(edit)).serverActions).toEqual([]);
    expect(adapter.transform(ok(result())).serverActions).toEqual([
      { type: "read_diff", path: "/a.ts", toolUseId: "t1" },
    ]);
    expect(adapter.transform(ok(result())).serverActions).toEqual([]);
  });

  test("not when it failed, nor after a reset", () => {
    const adapter = new ClaudeCodeAdapter();
    adapter.transform(ok(edit));
    expect(adapter.transform(ok(result(true))).serverActions).toEqual([]);
    adapter.transform(ok(edit));
    adapter.reset();
    expect(adapter.transform(ok(result())).serverActions).toEqual([]);
  });
});

describe("answers", () => {
  const request = { request_id: "r1" };
  const answerOf = (text: string): unknown => {
    expect(text.endsWith("\n")).toBe(true);
    expect(text.indexOf("\n")).toBe(text.length - 1);
    const { type, response } = JSON.parse(text);
    expect(type).toBe("control_response");
    expect(response).toMatchObject({ subtype: "success", request_id: "r1" });
    return response.response;
  };

  test("to permissions; allowing gives the arguments back", () => {
    const event = ok(permission) as never;
    expect(answerOf(answerPermission(event, { behavior: "allow" }))).toEqual({
      behavior: "allow",
      updatedInput: { command: "ls" },
    });
    expect(
      answerOf(
        answerPermission(event, {
          behavior: "allow",
          updatedInput: { command: "pwd" },
          updatedPermissions: [{ type: "setMode" }],
        }),
      ),
    ).toEqual({
      behavior: "allow",
      updatedInput: { command: "pwd" },
      updatedPermissions: [{ type: "setMode" }],
    });
    expect(
      answerOf(
        answerPermission(request, {
          behavior: "deny",
          message: "line\nbreak",
          interrupt: true,
        }),
      ),
    ).toEqual({ behavior: "deny", message: "line\nbreak", interrupt: true });
  });

  test("to everything else", () => {
    expect(
      answerOf(
        answerElicitation(request, { action: "accept", content: { a: 1 } }),
      ),
    ).toEqual({ action: "accept", content: { a: 1 } });
    expect(answerOf(answerDialog(request, { behavior: "cancelled" }))).toEqual({
      behavior: "cancelled",
    });
    expect(answerOf(answerHook(request))).toEqual({});
    expect(answerOf(answerMcpMessage(request, { jsonrpc: "2.0" }))).toEqual({
      mcp_response: { jsonrpc: "2.0" },
    });
    expect(JSON.parse(refuseRequest(request, "no")).response).toEqual({
      subtype: "error",
      request_id: "r1",
      error: "no",
    });
  });

  test("requests and prompts of the host", () => {
    expect(JSON.parse(controlRequest("h1", { subtype: "interrupt" }))).toEqual({
      type: "control_request",
      request_id: "h1",
      request: { subtype: "interrupt" },
    });
    expect(JSON.parse(userMessage("Hi"))).toMatchObject({
      type: "user",
      message: { role: "user", content: "Hi" },
    });
    // What is written parses as what it is.
    expect(parseLine(userMessage("Hi")).status).toBe("ok");
  });
});

describe("the streams", () => {
  const lines = [
    "[DEBUG] starting",
    line({ type: "system", subtype: "init" }),
    line({ type: "brand_new" }),
    line({ type: "assistant" }),
    line(assistant),
    line(permission),
    line({ type: "result", subtype: "success", is_error: false }),
  ];

  test("SocketEventStream gives events and tells of everything to do", () => {
    const actions: string[] = [];
    const events = parse(
      lines,
      new SocketEventStream({
        onOutput: (output) =>
          actions.push(...output.serverActions.map((action) => action.type)),
      }),
    );
    expect(events.map((event) => event.name)).toEqual([
      "system:init",
      "raw:event",
      "raw:invalid",
      "message:assistant",
      "control:permission",
      "message:result",
    ]);
    expect(actions).toEqual(["forward_to_client"]);
  });

  test("ClaudeCodeStream gives parts, and goes on from a snapshot", async () => {
    const whole = await collect(
      toReadableStream(lines).pipeThrough(new ClaudeCodeStream()),
    );
    expect(whole.text).toBe("Hi");
    expect(whole.warnings.map((one) => one.code)).toEqual(["invalid-line"]);
    expect(whole.finish).toMatchObject({ reason: "stop", complete: true });

    const first = new ClaudeCodeStream();
    for (const one of lines.slice(0, 5)) first.stage.push(one, () => {});
    const rest = await collect(
      toReadableStream(lines.slice(5)).pipeThrough(
        new ClaudeCodeStream({
          snapshot: JSON.parse(JSON.stringify(first.snapshot())),
        }),
      ),
    );
    expect(rest.finish).toMatchObject({ reason: "stop", complete: true });
  });
});
