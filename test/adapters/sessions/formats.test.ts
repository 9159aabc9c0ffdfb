/** The records of each format of sessions, also odd ones. */
import { describe, expect, test } from "vitest";
import {
  type Block,
  type Message,
  type SessionKind,
  SessionStream,
  type SessionWarning,
} from "../../../adapters/sessions/mod.ts";
import { parse } from "../../../mod.ts";

/** Lines of JSON. */
function lines(...records: unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

interface Read {
  messages: Message[];
  warnings: SessionWarning[];
  kinds: SessionKind[];
}

/** Reads a session, at once and in small pieces: both must be the same. */
function read(text: string, kind?: SessionKind): Read {
  const kinds: SessionKind[] = [];
  const warnings: SessionWarning[] = [];
  const given = kind === undefined ? {} : { kind };
  const messages = parse(
    text,
    new SessionStream({
      ...given,
      onWarning: (warning) => warnings.push(warning),
      onFormat: (kind) => kinds.push(kind),
    }),
  );
  const pieces: Message[] = [];
  const stream = new SessionStream(given);
  for (let at = 0; at < text.length; at += 7) {
    stream.stage.push(text.slice(at, at + 7), (one) => pieces.push(one));
  }
  stream.stage.end((one) => pieces.push(one));
  expect(pieces).toEqual(messages);
  return { messages, warnings, kinds };
}

/** Role and blocks, as short as can be. */
function short({ messages }: Read): unknown[] {
  return messages.map(({ role, blocks }) => [role, ...blocks.map(shortBlock)]);
}
function shortBlock(block: Block): unknown {
  switch (block.type) {
    case "text":
      return block.text;
    case "reasoning":
      return `(${block.text})`;
    case "tool-call":
      return { [block.toolName]: block.input };
    case "tool-result":
      return { [block.isError === true ? "failed" : "gave"]: block.output };
    default:
      return block.type;
  }
}

const FENCE = "```ts a.ts\nx\n```";

describe("pi", () => {
  test("messages, calls and results", () => {
    const got = read(lines(
      { type: "session", id: "s", cwd: "/w" },
      {
        type: "message",
        id: "1",
        timestamp: "2026-01-01T00:00:00Z",
        message: { role: "user", content: "Hi" },
      },
      {
        type: "message",
        id: "2",
        message: {
          role: "assistant",
          model: "m",
          timestamp: 1_767_225_600_000,
          content: [
            { type: "thinking", thinking: "hm" },
            { type: "text", text: FENCE },
            { type: "toolCall", id: "c", name: "ls", arguments: { p: "." } },
            { type: "toolCall", id: "d", name: "ls", arguments: {} },
          ],
        },
      },
      {
        type: "message",
        id: "3",
        message: {
          role: "toolResult",
          toolCallId: "c",
          content: "no",
          isError: true,
        },
      },
      {
        type: "message",
        id: "4",
        message: { role: "toolResult", toolCallId: "d", content: "a" },
      },
      { type: "message", message: { role: "toolResult", content: "lost" } },
      { type: "message", message: {} },
      { type: "compaction" },
      { type: "session" },
    ));
    expect(got.kinds).toEqual(["pi"]);
    expect(short(got)).toEqual([
      ["user", "Hi"],
      ["assistant", "(hm)", FENCE, { ls: { p: "." } }, { ls: {} }],
      ["tool", { failed: "no" }],
      ["tool", { gave: "a" }],
      ["tool", { gave: "lost" }],
    ]);
    expect(got.messages[1]).toMatchObject({
      id: "2",
      model: "m",
      sessionId: "s",
      cwd: "/w",
      timestamp: "2026-01-01T00:00:00.000Z",
      snippets: [{ filePath: "a.ts", content: "x\n" }],
    });
  });

  test("is told also by a message", () => {
    const line = lines({
      type: "message",
      message: { role: "user", content: "a" },
    });
    expect(read(line).kinds).toEqual(["pi"]);
  });
});

describe("Copilot CLI", () => {
  test("messages, calls and results, and the threads between them", () => {
    const got = read(lines(
      {
        type: "session.start",
        id: "0",
        data: { sessionId: "s", context: { cwd: "/w" } },
      },
      {
        type: "session.model_change",
        id: "1",
        parentId: "0",
        data: { newModel: "m" },
      },
      { type: "session.start", data: {} },
      { type: "session.model_change", data: {} },
      { type: "system.message", id: "2", data: { content: "rules" } },
      { type: "user.message", id: "3", parentId: "2", data: { content: "Hi" } },
      { type: "assistant.turn_start", id: "4", parentId: "3", data: {} },
      {
        type: "assistant.message",
        id: "5",
        parentId: "4",
        data: {
          messageId: "a",
          content: "Yes",
          toolRequests: [
            { toolCallId: "c", name: "ls", arguments: '{"p":1}' },
            { toolCallId: "d", name: "ls" },
            "odd",
          ],
        },
      },
      {
        type: "tool.execution_complete",
        id: "6",
        parentId: "5",
        data: { toolCallId: "c", success: false, error: "no" },
      },
      {
        type: "tool.execution_complete",
        id: "7",
        parentId: "6",
        data: { toolCallId: "d", success: true, result: "a" },
      },
      { type: "tool.execution_complete", data: { success: false } },
      { type: "session.end" },
    ));
    expect(got.kinds).toEqual(["copilot"]);
    expect(short(got)).toEqual([
      ["system", "rules"],
      ["user", "Hi"],
      ["assistant", "Yes", { ls: { p: 1 } }, { ls: null }],
      ["tool", { failed: "no" }],
      ["tool", { gave: "a" }],
      ["tool", { failed: null }],
    ]);
    expect(got.messages.map(({ parentId }) => parentId)).toEqual([
      undefined,
      "2",
      "3",
      "a",
      "6",
      undefined,
    ]);
    expect(got.messages[2]).toMatchObject({
      id: "a",
      model: "m",
      sessionId: "s",
      cwd: "/w",
    });
  });
});

describe("OpenCode", () => {
  test("its small files as one object", () => {
    const got = read(JSON.stringify({
      "session/p/s.json": { directory: "/w" },
      "session/p/t.json": {},
      "other": {},
      "message/s/odd.json": 1,
      "message/s/a.json": { id: "a", role: "user", time: { created: 1e12 } },
      "message/s/b.json": {
        id: "b",
        role: "assistant",
        sessionID: "own",
        modelID: "m",
        parentID: "a",
        path: { cwd: "/v" },
      },
      "message/s/c.json": {},
      "part/a/1.json": { messageID: "a", type: "text", text: "Hi" },
      "part/b/1.json": { type: "step-start" },
      "part/b/2.json": { type: "reasoning", text: "hm" },
      "part/b/3.json": { type: "text" },
      "part/b/4.json": {
        type: "tool",
        id: "p",
        tool: "ls",
        state: { status: "error", input: { p: 1 }, error: "no" },
      },
      "part/b/5.json": {
        type: "tool",
        callID: "q",
        tool: "ls",
        state: { output: "a" },
      },
      "part/b/6.json": { type: "tool", tool: "ls" },
      "part/b/7.json": { type: "patch" },
      "part/b/8.json": { type: "reasoning" },
      "part/b/9.json": { type: "snapshot" },
      "part/z/1.json": { type: "text", text: "alone" },
    }));
    expect(got.kinds).toEqual(["opencode"]);
    expect(short(got)).toEqual([
      ["user", "Hi"],
      [
        "assistant",
        "(hm)",
        "",
        { ls: { p: 1 } },
        { failed: "no" },
        { ls: null },
        { gave: "a" },
        { ls: null },
        "raw",
        "()",
      ],
      ["assistant"],
      ["assistant", "alone"],
    ]);
    expect(got.messages[0]).toMatchObject({ sessionId: "s", cwd: "/w" });
    expect(got.messages[1]).toMatchObject({
      sessionId: "own",
      cwd: "/v",
      model: "m",
    });
  });
});

describe("SpecStory", () => {
  test("who speaks, when, and what tools put out", () => {
    const got = read([
      "# A title",
      "",
      "_**User (2026-01-02 03:04Z)**_",
      "",
      "Hi",
      "",
      "---",
      "",
      "_**Agent (model big 2026-01-02 03:05Z)**_",
      "",
      "Look:",
      "<details>",
      "```ts b.ts",
      "no",
      "```",
      "</details>",
      "<tool-use>",
      "```ts c.ts",
      "no",
      "```",
      "</tool-use>",
      FENCE,
      "<tool-use>",
      "```ts d.ts",
      "no",
      "",
      "_**Assistant**_",
      "",
      "---",
      "_****_",
      "some output",
      "",
    ].join("\n"));
    expect(got.kinds).toEqual(["specstory"]);
    expect(got.messages.map(({ role, blocks }) => [role, blocks.length]))
      .toEqual([["user", 1], ["assistant", 1], ["assistant", 0], ["tool", 1]]);
    expect(got.messages[0]).toMatchObject({ timestamp: "2026-01-02T03:04Z" });
    expect(got.messages[1]).toMatchObject({ model: "model big" });
    expect(got.messages[1]!.snippets.map(({ filePath }) => filePath))
      .toEqual(["a.ts"]);
  });
});

describe("Cline", () => {
  test("messages of a task, some still growing", () => {
    const say = (say: string, text: string, more: object = {}): object => ({
      ts: 1,
      type: "say",
      say,
      text,
      ...more,
    });
    const got = read(JSON.stringify([
      1,
      say("text", "Do it", { images: ["data:image/png;base64,AA=="] }),
      say("reasoning", "hm"),
      say("text", "I", { ts: 2, partial: true }),
      say("text", "I wi", { ts: 2, partial: true }),
      say("tool", '{"tool":"readFile","path":"a"}', { ts: 3, partial: true }),
      say("tool", '{"tool":"readFile","path":"a.ts"}', { ts: 3 }),
      say("text", "I will.", { ts: 2 }),
      say("tool", "not JSON", { ts: 4 }),
      say("text", "Again.", { ts: 2 }),
      say("command", "ls", { ts: 5 }),
      say("command_output", "a.ts", { ts: 6 }),
      say("user_feedback", "And?", { ts: 7 }),
      say("command", "pwd", {
        ts: 8,
        partial: true,
        modelInfo: { modelId: "m" },
      }),
      { ts: 9, type: "ask", ask: "followup", text: '{"question":"Which?"}' },
      {
        ts: 10,
        type: "ask",
        ask: "plan_mode_respond",
        text: '{"response":"So."}',
      },
      { ts: 11, type: "ask", ask: "plan_mode_respond", text: '{"other":1}' },
      { ts: 12, type: "ask", ask: "followup", text: "Plain?" },
      say("completion_result", "Done.", { ts: 13 }),
      { ts: 14, type: "ask", ask: "completion_result", text: "" },
      say("api_req_started", "{}", { ts: 15 }),
    ]));
    expect(got.kinds).toEqual(["cline"]);
    expect(got.warnings.map(({ code }) => code)).toEqual(["malformed"]);
    expect(short(got)).toEqual([
      ["user", "Do it", "image"],
      [
        "assistant",
        "(hm)",
        "I will.",
        { readFile: { tool: "readFile", path: "a.ts" } },
      ],
      ["assistant", "Again.", { execute_command: { command: "ls" } }],
      ["tool", { gave: "a.ts" }],
      ["user", "And?"],
      ["assistant", { execute_command: { command: "pwd" } }],
      ["assistant", "Which?"],
      ["assistant", "So."],
      ["assistant", '{"other":1}'],
      ["assistant", "Plain?"],
      ["assistant", "Done."],
    ]);
    expect(got.messages.at(-1)).toMatchObject({ model: "m" });
  });

  test("edits of its tools, with places where they have some", () => {
    const tool = (fields: object): object => ({
      ts: 1,
      type: "say",
      say: "tool",
      text: JSON.stringify(fields),
    });
    const diff = "<<<<<<< SEARCH\na\n=======\nb\nc\n>>>>>>> REPLACE\n";
    const got = read(JSON.stringify([
      { ts: 0, type: "say", say: "task", text: "Do it" },
      tool({ tool: "newFileCreated", path: "a.ts", content: "x" }),
      tool({ tool: "newFileCreated", content: "y" }),
      tool({ tool: "newFileCreated", path: "b.ts" }),
      tool({
        tool: "editedExistingFile",
        path: "c.ts",
        diff,
        startLineNumbers: [5],
      }),
      tool({ tool: "appliedDiff", content: diff }),
      tool({ tool: "searchAndReplace", path: "d.ts" }),
    ]));
    expect(
      got.messages.flatMap(({ snippets }) => snippets).map((
        { filePath, content, lineRange },
      ) => [filePath, content, lineRange]),
    ).toEqual([
      ["a.ts", "x", undefined],
      [undefined, "y", undefined],
      ["c.ts", diff, [5, 5]],
      [undefined, diff, undefined],
    ]);
  });

  test("the history: who really wrote a message of the user", () => {
    const got = read(JSON.stringify([
      { role: "user", content: "Hi", ts: 1 },
      { role: "user" },
      "odd",
      { content: "no role" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          {
            type: "text",
            text: "Look:\n<read_file>\n<path>a</path>\n</read_file>",
          },
          { type: "tool_use", id: "c", name: "ls", input: {} },
        ],
        modelInfo: { modelId: "m" },
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c", is_error: true }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", is_error: true, content: "x" }],
      },
      { role: "user", content: [{ type: "image", source: {} }] },
      { role: "user", content: "[read_file for 'a'] Result:\nx" },
      { role: "user", content: "<environment_details>" },
    ]));
    expect(got.warnings.map(({ code }) => code))
      .toEqual(["malformed", "malformed"]);
    expect(got.messages.map(({ origin }) => origin)).toEqual([
      "person",
      "person",
      "model",
      "tool",
      "tool",
      "person",
      "tool",
      "program",
    ]);
    expect(short(got)[2]).toEqual([
      "assistant",
      "(hm)",
      "Look:\n<read_file>\n<path>a</path>\n</read_file>",
      { ls: {} },
      { read_file: { path: "a" } },
    ]);
  });
});

describe("Codex CLI", () => {
  const item = (payload: object): object => ({
    type: "response_item",
    timestamp: "2026-01-01T00:00:00Z",
    payload,
  });
  const event = (payload: object): object => ({ type: "event_msg", payload });
  const DIFF = "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n";

  test("calls, results and what there is no message for", () => {
    const got = read(lines(
      { type: "session_meta", payload: { id: "s", cwd: "/w" } },
      { type: "session_meta", payload: {} },
      { type: "turn_context", payload: { model: "m" } },
      { type: "turn_context", payload: {} },
      { type: "compacted", payload: {} },
      { type: "response_item" },
      { type: "event_msg" },
      item({ type: "message" }),
      item({
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "Hi" }],
      }),
      item({ type: "web_search_call", id: "w", action: { query: "q" } }),
      item({
        type: "local_shell_call",
        call_id: "l",
        action: { command: ["ls"] },
      }),
      item({
        type: "function_call_output",
        call_id: "l",
        output: '{"success":false}',
      }),
      item({
        type: "function_call_output",
        output: '{"metadata":{"exit_code":1},"output":""}',
      }),
      item({ type: "function_call_output", output: "Exit code: 2" }),
      item({ type: "function_call_output", output: "Exit code: 0" }),
      item({ type: "function_call_output", output: [1] }),
      item({ type: "ghost_snapshot" }),
    ));
    expect(got.kinds).toEqual(["codex-session"]);
    expect(short(got)).toEqual([
      ["user", "Hi"],
      ["tool", { web_search: { query: "q" } }],
      ["tool", { local_shell: { command: ["ls"] } }],
      ["tool", { failed: '{"success":false}' }],
      ["tool", { failed: '{"metadata":{"exit_code":1},"output":""}' }],
      ["tool", { failed: "Exit code: 2" }],
      ["tool", { gave: "Exit code: 0" }],
      ["tool", { gave: [1] }],
    ]);
    expect(got.messages[1]).toMatchObject({ model: "m", cwd: "/w" });
  });

  test("changes of files, told by events alone or beside a call", () => {
    const changes = {
      "/w/a.ts": { type: "update", unified_diff: DIFF },
      "/w/b.ts": { update: { unified_diff: DIFF } },
      "/w/c.ts": { type: "add", content: "x" },
      "/w/d.ts": { add: { content: "y" } },
      "/w/e.ts": { type: "delete" },
      "/w/f.ts": "odd",
      "/w/g.ts": { type: "add", unified_diff: "@@ -0,0 +1 @@\n+z\n" },
      "/w/h.ts": { type: "update", unified_diff: "no hunk" },
    };
    const meta = { type: "session_meta", payload: { id: "s", cwd: "/w" } };
    const alone = read(lines(
      meta,
      event({ type: "patch_apply_end", call_id: "p", changes }),
      event({ type: "patch_apply_end" }),
      event({ type: "patch_apply_end", success: false }),
      event({ type: "patch_apply_end", call_id: "p", success: false }),
    ));
    expect(
      alone.messages.flatMap(({ snippets }) => snippets).map((
        { filePath, content, lineRange },
      ) => [filePath, content, lineRange]),
    ).toEqual([
      ["/w/a.ts", DIFF, [1, 3]],
      ["/w/b.ts", DIFF, [1, 3]],
      ["/w/c.ts", "x", undefined],
      ["/w/d.ts", "y", undefined],
      ["/w/g.ts", "z\n", undefined],
      ["/w/h.ts", "no hunk", undefined],
    ]);
    const patch =
      "*** Begin Patch\n*** Update File: a.ts\n@@\n a\n-b\n+c\n+d\n*** End Patch";
    const beside = read(lines(
      meta,
      item({
        type: "custom_tool_call",
        call_id: "p",
        name: "apply_patch",
        input: patch,
      }),
      event({ type: "patch_apply_end", call_id: "p", changes }),
    ));
    expect(beside.messages).toHaveLength(1);
    expect(beside.messages[0]!.snippets).toMatchObject([
      { filePath: "a.ts", appliedRanges: [[1, 3]] },
    ]);
  });

  test("messages that come as events only", () => {
    const got = read(lines(
      { type: "session_meta", payload: { id: "s" } },
      event({ type: "user_message", message: "Hi" }),
      event({ type: "agent_message", message: "Hello" }),
      event({ type: "token_count" }),
    ));
    expect(short(got)).toEqual([["user", "Hi"], ["assistant", "Hello"]]);
    const many = read(lines(
      { type: "session_meta", payload: { id: "s" } },
      ...Array.from(
        { length: 1_030 },
        () => event({ type: "agent_message", message: "a" }),
      ),
    ));
    expect(many.messages).toHaveLength(1_030);
  });
});

describe("contents and blocks in any shape", () => {
  const content = (blocks: unknown): unknown =>
    short(read(
      lines({
        type: "message",
        message: { role: "assistant", content: blocks },
      }),
      "pi",
    ))[0];

  test("text, lists, one block, nothing", () => {
    expect(content("a")).toEqual(["assistant", "a"]);
    expect(content("")).toEqual(["assistant"]);
    expect(content(null)).toEqual(["assistant"]);
    expect(content({ text: "a" })).toEqual(["assistant", "a"]);
    expect(content(["a", 1, null, {}])).toEqual([
      "assistant",
      "a",
      "raw",
      "raw",
      "raw",
    ]);
    expect(content([
      { type: "reasoning", text: "a" },
      { type: "redacted_thinking", data: "x" },
    ])).toEqual(["assistant", "(a)", "()"]);
    expect(content([{ type: "tool_use", name: 1, input: "{broken" }])).toEqual([
      "assistant",
      { "": "{broken" },
    ]);
  });

  test("pictures", () => {
    const images = (...blocks: object[]): unknown =>
      read(
        lines({
          type: "message",
          message: { role: "user", content: blocks },
        }),
        "pi",
      ).messages[0]?.blocks;
    expect(images(
      { type: "image_url", image_url: { url: "https://a.example/b.png" } },
      { type: "image_url", image_url: "data:image/png;base64,AA==" },
      { type: "image_url", image_url: "data:;base64,AA==" },
      { type: "image", source: { media_type: "image/gif", data: "BB==" } },
      { type: "image", mimeType: "image/gif" },
      { inlineData: { mimeType: "image/webp", data: "CC==" } },
    )).toEqual([
      { type: "image", url: "https://a.example/b.png" },
      { type: "image", mediaType: "image/png", data: "AA==" },
      { type: "image", data: "AA==" },
      { type: "image", mediaType: "image/gif", data: "BB==" },
      { type: "image", mediaType: "image/gif" },
      { type: "image", mediaType: "image/webp", data: "CC==" },
    ]);
  });
});

describe("which format it is", () => {
  test("by a first record", () => {
    for (
      const [record, kind] of [
        [{ type: "session", id: "s" }, "pi"],
        [{ type: "a.b", data: {} }, "copilot"],
        [{ type: "user", message: {} }, "claude-session"],
        [{ type: "summary", leafUuid: "l" }, "claude-session"],
        [{ type: "x", sessionId: "s", parentUuid: null }, "claude-session"],
        [{ role: "user", message: {} }, "cursor"],
        [{ role: "user", content: "a" }, "codex-session"],
        [{ record_type: "state" }, "codex-session"],
        [{ id: "i", timestamp: "t", instructions: null }, "codex-session"],
        [{ sessionId: "s", projectHash: "p" }, "gemini-session"],
        [{ $set: {} }, "gemini-session"],
      ] as const
    ) {
      expect([record, read(`junk\n[1]\n{broken\n${lines(record)}`).kinds])
        .toEqual([record, [kind]]);
    }
  });

  test("of nothing and of anything else there is none", () => {
    for (const text of ["SQLite format 3\0", "{}", "[1]", "words"]) {
      expect(() => parse(text, new SessionStream())).toThrow();
    }
    expect(parse("", new SessionStream())).toEqual([]);
    expect(parse(" \n", new SessionStream())).toEqual([]);
  });
});
