import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  AiderSessionStream,
  ClaudeCodeSessionStream,
  ClineSessionStream,
  CodexSessionStream,
  GeminiSessionStream,
  type Message,
  SessionStream,
  type SessionStreamOptions,
  type SessionWarning,
} from "../../../adapters/sessions/mod.ts";
import { parse, type StageStream } from "../../../mod.ts";
import { random } from "../../laws.ts";

type SessionStage = StageStream<string | Uint8Array, Message>;

const folder = new URL("../../sessions/", import.meta.url);

function files(): string[] {
  return readdirSync(folder).flatMap((name) => {
    if (name === "transcripts") return [];
    const path = new URL(`${name}/`, folder);
    return statSync(new URL(name, folder)).isDirectory()
      ? readdirSync(path).map((file) => `${name}/${file}`)
      : [];
  }).filter((file) => !/vscdb|05-json-dump/.test(file));
}

function bytesOf(file: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(file, folder)));
}

function run(
  stream: SessionStage,
  chunks: Iterable<string | Uint8Array>,
): Message[] {
  const messages: Message[] = [];
  const emit = (message: Message): void => {
    messages.push(message);
  };
  for (const chunk of chunks) stream.stage.push(chunk, emit);
  stream.stage.end(emit);
  return messages;
}

function* cut(
  bytes: Uint8Array,
  seed: number,
  most: number,
): Generator<Uint8Array> {
  const next = random(seed);
  for (let at = 0; at < bytes.length;) {
    const to = at + Math.floor(next() * most);
    yield bytes.subarray(at, to);
    at = to;
  }
}

/** Lines of JSON. */
function lines(...records: unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** Messages of a text, and what was reported. */
function read(
  text: string | Uint8Array,
  options: SessionStreamOptions = {},
): { messages: Message[]; warnings: SessionWarning[] } {
  const warnings: SessionWarning[] = [];
  const messages = run(
    new SessionStream({
      ...options,
      onWarning: (warning) => warnings.push(warning),
    }),
    [text],
  );
  return { messages, warnings };
}

describe("all formats", () => {
  test("give the same however the bytes are cut", () => {
    for (const file of files()) {
      const bytes = bytesOf(file);
      const whole = run(new SessionStream(), [bytes]);
      expect(whole.length).toBeGreaterThan(0);
      for (const [seed, most] of [[1, 8], [2, 300], [3, 20_000]] as const) {
        if (bytes.length / most > 20_000) continue;
        expect(run(new SessionStream(), cut(bytes, seed, most))).toEqual(whole);
      }
    }
  });

  test("go on from a snapshot", () => {
    for (const file of files()) {
      const bytes = bytesOf(file);
      const whole = run(new SessionStream(), [bytes]);
      const chunks = [...cut(bytes, 5, bytes.length / 3)];
      let stream: SessionStage = new SessionStream();
      const messages: Message[] = [];
      const emit = (message: Message): void => {
        messages.push(message);
      };
      for (const chunk of chunks) {
        stream.stage.push(chunk, emit);
        const snapshot = JSON.parse(JSON.stringify(stream.snapshot()));
        // The old one going on must not disturb the new one.
        stream.stage.push("{}\n# x\n", () => {});
        stream = new SessionStream({ snapshot });
      }
      stream.stage.end(emit);
      expect(messages).toEqual(whole);
    }
  });

  test("survive damage: nothing but an unknown format throws", () => {
    const next = random(7);
    for (const file of files()) {
      const bytes = bytesOf(file).slice(0, 30_000);
      for (let round = 0; round < 6; round++) {
        const damaged = bytes.slice(0, Math.ceil(next() * bytes.length));
        for (let hits = 0; hits < 20; hits++) {
          damaged[Math.floor(next() * damaged.length)] = Math.floor(
            next() * 256,
          );
        }
        try {
          read(damaged);
        } catch (error) {
          expect((error as { code?: string }).code).toBe("unknown-format");
        }
      }
    }
  });

  test("bound what is open", () => {
    for (const file of files()) {
      const bytes = bytesOf(file);
      const all = run(new SessionStream(), [bytes]);
      const few = run(new SessionStream({ maxOpenMessages: 1 }), [bytes]);
      const ids = (
        messages: Message[],
      ) => [...new Set(messages.map(({ id }) => id))];
      expect(ids(few).length).toBeGreaterThanOrEqual(ids(all).length);
      for (const message of few) {
        if (message.revision === true) {
          expect(few.filter(({ id }) => id === message.id).length)
            .toBeGreaterThan(1);
        }
      }
    }
  });

  test("give nothing for an empty file", () => {
    expect(read("").messages).toEqual([]);
    expect(read("\ufeff\n\n").messages).toEqual([]);
  });

  test("refuse wrong options", () => {
    expect(() => new SessionStream({ kind: "x" as "aider" })).toThrow(
      TypeError,
    );
    expect(() => new SessionStream({ maxLineChars: 0 })).toThrow(RangeError);
    expect(() => new SessionStream({ maxOpenMessages: 0 })).toThrow(RangeError);
    expect(() => new ClaudeCodeSessionStream({ snapshot: {} })).toThrow(
      TypeError,
    );
  });

  test("take conventions and rows for tools", () => {
    const text = lines({
      type: "assistant",
      message: {
        id: "m",
        content: [
          { type: "text", text: "Change `a/b.py`:\n\n```py\n1\n```\n" },
          { type: "tool_use", id: "t", name: "save", input: { body: "x" } },
        ],
      },
    });
    const [message] = run(
      new ClaudeCodeSessionStream({
        guess: true,
        toolEdits: [{
          tool: "save",
          snippets: ({ body }) => [{ content: String(body) }],
        }],
      }),
      [text],
    );
    expect(
      message?.snippets.map(({ filePath, content, block, toolName }) => ({
        filePath,
        content,
        block,
        toolName,
      })),
    ).toEqual([
      { filePath: "a/b.py", content: "1\n", block: 0, toolName: undefined },
      { filePath: undefined, content: "x", block: 1, toolName: "save" },
    ]);
  });
});

describe("Claude Code", () => {
  const assistant = (
    uuid: string,
    parentUuid: string | null,
    id: string,
    content: unknown[],
    more: object = {},
  ) => ({
    type: "assistant",
    uuid,
    parentUuid,
    message: { id, model: "claude", role: "assistant", content },
    timestamp: "2026-01-01T00:00:00.000Z",
    ...more,
  });

  test("puts the lines of a message together wherever they stand", () => {
    const text = lines(
      {
        type: "user",
        uuid: "u1",
        parentUuid: null,
        message: { content: "hi" },
      },
      assistant("a1", "u1", "m1", [{ type: "thinking", thinking: "hm" }]),
      assistant("a2", "a1", "m1", [{
        type: "tool_use",
        id: "t1",
        name: "Read",
        input: {},
      }]),
      { type: "progress", uuid: "p1", parentUuid: "a2" },
      {
        type: "user",
        uuid: "r1",
        parentUuid: "a2",
        message: {
          content: [{ type: "tool_result", tool_use_id: "t1", content: "x" }],
        },
      },
      { type: "queue-operation" },
      assistant("a3", "p1", "m1", [{ type: "text", text: "done" }]),
      assistant("a3", "p1", "m1", [{ type: "text", text: "done" }]),
    );
    const { messages } = read(text);
    expect(messages.map(({ id, role, parentId }) => [id, role, parentId]))
      .toEqual([["u1", "user", undefined], ["m1", "assistant", "u1"], [
        "r1",
        "tool",
        "m1",
      ]]);
    expect(messages[1]!.blocks.map(({ type }) => type))
      .toEqual(["reasoning", "tool-call", "text"]);
  });

  test("tells branches and sidechains apart", () => {
    const text = lines(
      {
        type: "user",
        uuid: "u1",
        parentUuid: null,
        sessionId: "s",
        message: { content: "hi" },
      },
      assistant("a1", "u1", "m1", [{ type: "text", text: "one" }]),
      assistant("a2", "u1", "m2", [{ type: "text", text: "other" }]),
      {
        type: "user",
        uuid: "u2",
        parentUuid: null,
        isSidechain: true,
        message: { content: "do it" },
      },
      assistant("a3", "u2", "m1", [{ type: "text", text: "sub" }], {
        isSidechain: true,
      }),
      assistant("a4", "gone", "m4", [{ type: "text", text: "orphan" }]),
    );
    const { messages } = read(text);
    expect(messages.map(({ id, parentId, sidechain, origin }) => ({
      id,
      parentId,
      sidechain,
      origin,
    }))).toEqual([
      { id: "u1", parentId: undefined, sidechain: undefined, origin: "person" },
      { id: "m1", parentId: "u1", sidechain: undefined, origin: "model" },
      { id: "m2", parentId: "u1", sidechain: undefined, origin: "model" },
      { id: "u2", parentId: undefined, sidechain: true, origin: "model" },
      { id: "m1", parentId: "u2", sidechain: true, origin: "model" },
      { id: "m4", parentId: undefined, sidechain: undefined, origin: "model" },
    ]);
  });

  test("takes line ranges and failures from results", () => {
    const edit = (id: string) => ({
      type: "tool_use",
      id,
      name: "Edit",
      input: { file_path: "/a.ts", old_string: "1", new_string: "2" },
    });
    const result = (id: string, more: object, block: object = {}) => ({
      type: "user",
      uuid: `r-${id}`,
      message: {
        content: [{
          type: "tool_result",
          tool_use_id: id,
          content: "",
          ...block,
        }],
      },
      ...more,
    });
    const { messages } = read(lines(
      assistant("a1", null, "m1", [edit("t1"), edit("t2"), edit("t3")]),
      result("t1", {
        toolUseResult: {
          structuredPatch: [
            {
              oldStart: 4,
              oldLines: 3,
              newStart: 4,
              newLines: 3,
              lines: [" a", "-1", "+2", " b"],
            },
            {
              oldStart: 40,
              oldLines: 1,
              newStart: 40,
              newLines: 1,
              lines: ["-1", "+2"],
            },
          ],
        },
      }),
      result("t2", { toolUseResult: "Error: no" }, { is_error: true }),
    ));
    expect(
      messages[0]!.snippets.map((
        { toolCallId, lineRange, appliedRanges, failed },
      ) => ({
        toolCallId,
        lineRange,
        appliedRanges,
        failed,
      })),
    ).toEqual([
      {
        toolCallId: "t1",
        lineRange: [4, 40],
        appliedRanges: [[4, 6], [40, 40]],
        failed: undefined,
      },
      {
        toolCallId: "t2",
        lineRange: undefined,
        appliedRanges: undefined,
        failed: true,
      },
      {
        toolCallId: "t3",
        lineRange: undefined,
        appliedRanges: undefined,
        failed: undefined,
      },
    ]);
  });

  test("keeps images, knows the program's words, and reports bad lines", () => {
    const text = "# made by hand\n" + lines(
      {
        type: "user",
        uuid: "u1",
        message: {
          content: [
            { type: "text", text: "look" },
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "AA==" },
            },
            { type: "hologram", size: 3 },
          ],
        },
      },
      {
        type: "user",
        uuid: "u2",
        message: { content: "<command-name>/x</command-name>" },
      },
      {
        type: "user",
        uuid: "u3",
        isMeta: true,
        message: { content: "Caveat: …" },
      },
      assistant("a1", "u1", "m1", [{ type: "text", text: "API Error" }], {
        message: { id: "m1", model: "<synthetic>", content: "API Error" },
      }),
      [1],
      { type: "brand-new-record", payload: {} },
    ) + '{"type":"assistant","message":{"con';
    const { messages, warnings } = read(text);
    expect(messages.map(({ role, origin }) => `${role} ${origin}`)).toEqual([
      "user person",
      "user program",
      "system program",
      "assistant program",
    ]);
    expect(messages[0]!.blocks).toEqual([
      { type: "text", text: "look" },
      { type: "image", mediaType: "image/png", data: "AA==" },
      { type: "raw", value: { type: "hologram", size: 3 } },
    ]);
    expect(warnings.map(({ code, line }) => `${code} ${line}`))
      .toEqual(["invalid-line 1", "invalid-line 6", "truncated 8"]);
  });

  test("reads lines of megabytes, and skips those over the limit", () => {
    const big = assistant("a1", null, "m1", [{
      type: "text",
      text: "x".repeat(3_000_000),
    }]);
    const { messages } = read(lines(big));
    expect(messages[0]!.blocks[0]).toMatchObject({ type: "text" });
    const { messages: none, warnings } = read(
      lines({ type: "user", uuid: "u", message: { content: "hi" } }, big),
      { maxLineChars: 1_000_000 },
    );
    expect(none.length).toBe(1);
    expect(warnings.map(({ code, line }) => `${code} ${line}`))
      .toEqual(["line-too-long 2"]);
  });

  test("lets the oldest leave when much is open", () => {
    const records = Array.from(
      { length: 50 },
      (_, index) =>
        assistant(`a${index}`, null, `m${index}`, [
          { type: "text", text: "x".repeat(1_000) },
        ]),
    );
    const stream = new ClaudeCodeSessionStream({ maxOpenChars: 10_000 });
    let seen = 0;
    for (const record of records) {
      stream.stage.push(lines(record), () => {
        seen++;
      });
    }
    expect(seen).toBeGreaterThan(35);
    const late = run(
      new ClaudeCodeSessionStream({ maxOpenMessages: 2 }),
      [lines(...records.slice(0, 5), records[0])],
    );
    expect(late.length).toBe(5);
    const again = { ...records[0]!, uuid: "late" };
    const more = run(
      new ClaudeCodeSessionStream({ maxOpenMessages: 2 }),
      [lines(...records.slice(0, 5), again)],
    );
    expect(more.map(({ id, revision }) => [id, revision]).at(-1))
      .toEqual(["m0", true]);
  });
});

describe("Codex", () => {
  const item = (payload: object) => ({
    timestamp: "2026-01-01T00:00:00Z",
    type: "response_item",
    payload,
  });
  const event = (payload: object) => ({
    timestamp: "2026-01-01T00:00:00Z",
    type: "event_msg",
    payload,
  });
  const patch =
    "*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** Add File: b.go\n+package b\n*** Delete File: c.go\n*** End Patch";

  test("takes events only where there are no items", () => {
    const events = [
      event({ type: "user_message", message: "hi" }),
      event({ type: "agent_message", message: "```sh\nls\n```" }),
    ];
    const alone = run(new CodexSessionStream(), [lines(...events)]);
    expect(alone.map(({ role, hasCode }) => [role, hasCode]))
      .toEqual([["user", false], ["assistant", true]]);
    const both = run(new CodexSessionStream(), [lines(
      ...events,
      item({
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "hi" }],
      }),
    )]);
    expect(both.map(({ role }) => role)).toEqual(["assistant"]);
  });

  test("reads patches of all shapes", () => {
    const shapes = [
      item({
        type: "custom_tool_call",
        name: "apply_patch",
        call_id: "1",
        input: patch,
      }),
      item({
        type: "function_call",
        name: "apply_patch",
        call_id: "1",
        arguments: JSON.stringify({ input: patch }),
      }),
      item({
        type: "function_call",
        name: "shell",
        call_id: "1",
        arguments: JSON.stringify({
          command: ["bash", "-lc", `apply_patch <<'EOF'\n${patch}\nEOF`],
        }),
      }),
      item({
        type: "function_call",
        name: "shell",
        call_id: "1",
        arguments: { command: ["apply_patch", patch] },
      }),
      item({
        type: "function_call",
        name: "exec_command",
        call_id: "1",
        arguments: JSON.stringify({
          cmd: `cd x && apply_patch << EOF\n${patch}\nEOF\n`,
        }),
      }),
    ];
    for (const shape of shapes) {
      const [message] = run(new CodexSessionStream(), [lines(shape)]);
      expect(
        message!.snippets.map(({ filePath, content, language }) => ({
          filePath,
          content,
          language,
        })),
      )
        .toEqual([
          { filePath: "a.go", content: "@@\n-x\n+y\n", language: "diff" },
          { filePath: "b.go", content: "package b\n", language: undefined },
        ]);
    }
    const written = item({
      type: "function_call",
      name: "shell",
      call_id: "1",
      arguments: {
        command: ["bash", "-lc", `cat > x.patch <<'EOF'\n${patch}\nEOF`],
      },
    });
    expect(run(new CodexSessionStream(), [lines(written)])[0]!.hasCode).toBe(
      false,
    );
  });

  test("learns from events what became of a patch", () => {
    const call = item({
      type: "custom_tool_call",
      name: "apply_patch",
      call_id: "1",
      input: patch,
    });
    const meta = { type: "session_meta", payload: { id: "s", cwd: "/w" } };
    const applied = event({
      type: "patch_apply_end",
      call_id: "1",
      success: true,
      changes: {
        "/w/a.go": {
          type: "update",
          unified_diff: "@@ -7,1 +7,2 @@\n-x\n+y\n+z\n",
        },
      },
    });
    const [message] = run(new CodexSessionStream(), [
      lines(meta, call, applied),
    ]);
    expect(
      message!.snippets.map(({ lineRange, failed }) => [lineRange, failed]),
    )
      .toEqual([[[7, 8], undefined], [undefined, undefined]]);
    expect(message).toMatchObject({ sessionId: "s", cwd: "/w" });
    const failed = event({
      type: "patch_apply_end",
      call_id: "1",
      success: false,
      changes: {},
    });
    const [other] = run(new CodexSessionStream(), [lines(meta, call, failed)]);
    expect(other!.snippets.map((snippet) => snippet.failed)).toEqual([
      true,
      true,
    ]);
  });

  test("has calls and answers apart, with the reasoning before them", () => {
    const said = (role: string, text: string) =>
      item({ type: "message", role, content: [{ type: "input_text", text }] });
    const thought = (text: string) =>
      item({ type: "reasoning", summary: [{ type: "summary_text", text }] });
    const messages = run(new CodexSessionStream(), [lines(
      { type: "turn_context", payload: { model: "gpt" } },
      said("user", "<environment_context>"),
      said("user", "go"),
      thought("hm"),
      thought("so"),
      item({
        type: "function_call",
        name: "shell",
        call_id: "1",
        arguments: "{}",
      }),
      item({
        type: "function_call_output",
        call_id: "1",
        output: '{"output":"no","metadata":{"exit_code":1}}',
      }),
      thought("yes"),
      said("assistant", "done"),
      said("assistant", "really"),
      item({ type: "reasoning", summary: "a text", encrypted_content: "x" }),
      said("user", "thanks"),
    )]);
    expect(
      messages.map(({ role, origin, model, line, blocks }) => [
        role,
        origin,
        model,
        line,
        blocks.map(({ type }) => type).join(),
      ]),
    ).toEqual([
      ["user", "program", undefined, 2, "text"],
      ["user", "person", undefined, 3, "text"],
      ["tool", "model", "gpt", 6, "reasoning,reasoning,tool-call"],
      ["tool", "tool", undefined, 7, "tool-result"],
      ["assistant", "model", "gpt", 9, "reasoning,text"],
      ["assistant", "model", "gpt", 10, "text"],
      ["thinking", "model", "gpt", 11, "reasoning"],
      ["user", "person", undefined, 12, "text"],
    ]);
    expect(messages[3]!.blocks[0]).toMatchObject({ isError: true });
    expect(messages[6]!.blocks[0]).toEqual({
      type: "reasoning",
      text: "a text",
    });
  });

  test("reads flat records whatever exporters call things", () => {
    const { messages } = read(lines(
      { created_at: "2025-09-10T12:00:00Z", role: "user", message: "hi" },
      {
        created_at: "2025-09-10T12:00:01Z",
        type: "function_call",
        function: { name: "write_file" },
        arguments: { path: "a.ts", content: "1" },
      },
      { type: "function_result", name: "write_file", result: "ok" },
      { message: { role: "assistant", content: "no record of its own" } },
      { timestamp: "2025-09-10T12:00:02Z", role: "assistant", content: "yes" },
    ));
    expect(
      messages.map(({ role, timestamp, blocks, snippets }) => [
        role,
        timestamp,
        blocks[0]!.type,
        snippets.map(({ toolName, filePath }) => `${toolName} ${filePath}`),
      ]),
    ).toEqual([
      ["user", "2025-09-10T12:00:00Z", "text", []],
      ["tool", "2025-09-10T12:00:01Z", "tool-call", ["write_file a.ts"]],
      ["tool", undefined, "tool-result", []],
      ["assistant", "2025-09-10T12:00:02Z", "text", []],
    ]);
    expect(messages[2]!.blocks[0]).toMatchObject({ output: "ok" });
  });

  test("has no limit for files of events alone", () => {
    const events = Array.from(
      { length: 2_500 },
      (_, index) => event({ type: "agent_message", message: `${index}` }),
    );
    const messages = run(new CodexSessionStream(), [lines(...events)]);
    expect(messages.length).toBe(2_500);
    expect(messages.at(-1)!.blocks).toEqual([{ type: "text", text: "2499" }]);
  });

  test("reads rollouts from before the envelope", () => {
    const { messages } = read(lines(
      { id: "s", timestamp: "2025-05-01T00:00:00Z", instructions: null },
      { record_type: "state" },
      {
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "hi" }],
      },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "```sh\nls\n```" }],
      },
    ));
    expect(
      messages.map((
        { role, hasCode, sessionId },
      ) => [role, hasCode, sessionId]),
    )
      .toEqual([["user", false, "s"], ["assistant", true, "s"]]);
  });
});

describe("Gemini", () => {
  const answer = (text: string, more: object = {}) => ({
    id: "g1",
    timestamp: "2026-01-01T00:00:00Z",
    type: "gemini",
    model: "gemini",
    content: text,
    ...more,
  });
  const header = {
    sessionId: "s",
    projectHash: "p",
    startTime: "2026-01-01T00:00:00Z",
  };
  test("takes the last copy of a growing answer at the place of the first", () => {
    const messages = run(new GeminiSessionStream(), [lines(
      header,
      answer("Let"),
      { id: "i", type: "info", content: "x" },
      {
        $set: {
          messages: [answer("Let me", {
            toolCalls: [{
              id: "t",
              name: "write_file",
              args: { file_path: "a.py", content: "1\n" },
              status: "success",
              resultDisplay: {
                fileDiff:
                  "--- a.py\n+++ a.py\n@@ -0,0 +1,1 @@\n+1\n\\ No newline at end of file\n",
              },
            }],
          })],
        },
      },
    )]);
    expect(messages.map(({ id }) => id)).toEqual(["g1", "i"]);
    expect(messages[0]).toMatchObject({
      role: "assistant",
      sessionId: "s",
      model: "gemini",
    });
    expect(
      messages[0]!.blocks.map((block) =>
        block.type === "text" ? block.text : block.type
      ),
    )
      .toEqual(["Let me", "tool-call"]);
    expect(messages[0]!.snippets[0]).toMatchObject({
      filePath: "a.py",
      lineRange: [1, 1],
    });
  });
  test("numbers what changed after it left", () => {
    const messages = run(new GeminiSessionStream({ maxOpenMessages: 1 }), [
      lines(
        header,
        answer("Let"),
        { id: "i", type: "info", content: "x" },
        answer("Let me"),
      ),
    ]);
    expect(messages.map(({ id, revision }) => [id, revision]))
      .toEqual([["g1", undefined], ["i", undefined], ["g1", true]]);
  });
  test("marks failed calls", () => {
    const [message] = run(new GeminiSessionStream(), [JSON.stringify({
      ...header,
      messages: [
        answer("", {
          toolCalls: [{
            id: "t",
            name: "replace",
            args: { file_path: "a", old_string: "1", new_string: "2" },
            status: "error",
          }],
        }),
      ],
    })]);
    expect(message!.snippets[0]).toMatchObject({
      content: "2",
      replaces: "1",
      failed: true,
    });
  });
});

describe("Cline", () => {
  test("reads histories with native calls, and documents that are cut", () => {
    const history = JSON.stringify([
      {
        role: "user",
        content: [{ type: "text", text: "<task>\nx\n</task>" }],
        ts: 1_760_000_000_000,
      },
      {
        role: "assistant",
        modelInfo: { modelId: "m" },
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "Now:\n```ts\n1\n```" },
          {
            type: "tool_use",
            id: "t",
            name: "replace_in_file",
            input: {
              absolutePath: "/a.ts",
              diff: "------- SEARCH\n1\n=======\n2\n+++++++ REPLACE",
              task_progress: "- [ ] x",
            },
          },
        ],
      },
      {
        role: "user",
        content: [{
          type: "tool_result",
          tool_use_id: "t",
          content: "no",
          is_error: true,
        }],
      },
      { role: "assistant", content: "last" },
    ]);
    const messages = run(new ClineSessionStream(), [history]);
    expect(
      messages.map((
        { role, origin, timestamp },
      ) => [role, origin, timestamp?.slice(0, 10)]),
    ).toEqual([
      ["user", "person", "2025-10-09"],
      ["assistant", "model", undefined],
      ["user", "tool", undefined],
      ["assistant", "model", undefined],
    ]);
    expect(
      messages[1]!.snippets.map((
        { filePath, failed, language },
      ) => [filePath, failed, language]),
    )
      .toEqual([[undefined, undefined, "ts"], ["/a.ts", true, "diff"]]);
    const { messages: saved, warnings } = read(history.slice(0, -12));
    expect(saved.length).toBe(3);
    expect(warnings.map(({ code }) => code)).toEqual(["truncated"]);
  });

  test("does not take what is in a call's tags for the answer's fences", () => {
    const history = (text: string) =>
      JSON.stringify([{ role: "assistant", content: text }]);
    const [message] = run(new ClineSessionStream(), [history(
      "I use `<write_to_file>` now.\n<write_to_file>\n<path>a.md</path>\n<content>\n```js\n</content> in it\n```\n</content>\n</write_to_file>\n\n```sh\nls\n```",
    )]);
    expect(
      message!.snippets.map(({ content, filePath }) => [content, filePath]),
    ).toEqual([
      ["ls\n", undefined],
      ["```js\n</content> in it\n```", "a.md"],
    ]);
    const [half] = run(new ClineSessionStream(), [history(
      "<write_to_file>\n<path>a.md</path>\n<content>\n```js\n1\n```\n",
    )]);
    expect(half!.snippets).toEqual([]);
  });

  test("reads the messages of the interface", () => {
    const say = (say: string, text: string, more: object = {}) => ({
      ts: 1,
      type: "say",
      say,
      text,
      ...more,
    });
    const ask = (ask: string, text: string, more: object = {}) => ({
      ts: 2,
      type: "ask",
      ask,
      text,
      ...more,
    });
    const tool = (path: string, more: object = {}) =>
      JSON.stringify({ tool: "newFileCreated", path, content: "1\n", ...more });
    const messages = run(new ClineSessionStream(), [JSON.stringify([
      say("text", "make it", { images: ["data:image/png;base64,AA=="] }),
      say("api_req_started", "{}"),
      say("reasoning", "hm"),
      say("text", "I wri", { ts: 3, partial: true }),
      say("text", "I write:\n```ts\n1\n```", { ts: 3, partial: true }),
      say("tool", tool("a.ts", { content: "1" }), { ts: 4, partial: true }),
      say("tool", tool("a.ts"), { ts: 4 }),
      ask(
        "tool",
        JSON.stringify({
          tool: "editedExistingFile",
          path: "b.ts",
          diff: "------- SEARCH\n1\n2\n=======\n3\n+++++++ REPLACE",
          startLineNumbers: [7],
        }),
      ),
      ask("command", "ls"),
      say("command_output", "a.ts"),
      ask("followup", JSON.stringify({ question: "Which?", options: ["a"] })),
      say("user_feedback", "the first"),
      say("completion_result", "Done.", { ts: 9 }),
      ask("completion_result", ""),
    ])]);
    expect(
      messages.map(({ role, blocks }) =>
        `${role} ${blocks.map(({ type }) => type).join()}`
      ),
    ).toEqual([
      "user text,image",
      "assistant reasoning,text,tool-call,tool-call,tool-call",
      "tool tool-result",
      "assistant text",
      "user text",
      "assistant text",
    ]);
    expect(
      messages[1]!.snippets.map((
        { filePath, content, lineRange },
      ) => [filePath, content.slice(0, 2), lineRange]),
    ).toEqual([
      [undefined, "1\n", undefined],
      ["a.ts", "1\n", undefined],
      ["b.ts", "--", [7, 8]],
    ]);
    expect(messages[3]!.blocks).toEqual([{ type: "text", text: "Which?" }]);
  });
});

describe("Aider", () => {
  test("reads files whose blanks at line ends were taken away", () => {
    const history =
      "# aider chat started at 2025-01-02 03:04:05\n\n> Aider v1  \n\n#### do  \n####   \n#### it  \n\nSo:\n\n```py\n1\n```\n\n> Applied  \n>   \n> done  \n\n#### more  \n\nNo.\n";
    const shape = (text: string) =>
      run(new AiderSessionStream(), [text]).map(({ role, blocks, hasCode }) => [
        role,
        blocks.map((block) => block.type === "text" ? block.text : ""),
        hasCode,
      ]);
    const whole = shape(history);
    expect(whole.map(([role]) => role)).toEqual([
      "tool",
      "user",
      "assistant",
      "tool",
      "user",
      "assistant",
    ]);
    const stripped = shape(history.replace(/ +$/gm, ""));
    // Only what comes before the first prompt cannot be told.
    expect(stripped.slice(1)).toEqual(whole.slice(1));
  });

  test("tells prompts, outputs and answers apart", () => {
    const text = [
      "# aider chat started at 2025-01-02 03:04:05",
      "",
      "> Main model: gpt-4 with diff edit format  ",
      "> Traceback:",
      "  File x",
      "    ",
      "Error: no  ",
      "#### first line  ",
      "#### second line  ",
      "",
      "#### A heading of mine",
      "",
      "src/a.py",
      "````python",
      "```",
      "````",
      "",
      "> Applied edit to src/a.py  ",
      "#### /exit  ",
      "",
      "# aider chat started at 2025-01-03 03:04:05",
      "#### more  ",
      "Open:",
      "```js",
      "1",
    ].join("\r\n");
    const messages = run(new AiderSessionStream(), [text]);
    expect(
      messages.map(({ role, blocks, model }) => [role, blocks.length, model]),
    ).toEqual([
      ["tool", 2, undefined],
      ["user", 1, undefined],
      ["assistant", 1, "gpt-4"],
      ["tool", 1, undefined],
      ["user", 1, undefined],
      ["user", 1, undefined],
      ["assistant", 1, undefined],
    ]);
    expect(messages[1]!.blocks[0]).toEqual({
      type: "text",
      text: "first line\nsecond line",
    });
    expect(messages[2]!.snippets[0]).toMatchObject({
      filePath: "src/a.py",
      content: "```\n",
      closed: true,
    });
    expect(messages[6]!.snippets[0]).toMatchObject({
      closed: false,
      content: "1\n",
    });
    expect(messages[6]).toMatchObject({
      sessionId: "2025-01-03 03:04:05",
      timestamp: "2025-01-03T03:04:05",
    });
  });
});

describe("a stream of", () => {
  test("kind and format is told", () => {
    let kind = "";
    const stream = new SessionStream({
      kind: "cline",
      onFormat: (found) => {
        kind = found;
      },
    });
    const messages = parse('[{"role":"user","content":"hi"}]', stream);
    expect(messages.length).toBe(1);
    expect(kind).toBe("cline");
  });
});

describe("SpecStory", () => {
  test("tells subagents apart, and knows itself without a message", () => {
    const text = [
      "<!-- Generated by SpecStory, Markdown v2.1.0 -->",
      "",
      "_**User (2026-01-16 22:18:20Z)**_",
      "",
      "hi",
      "",
      "---",
      "",
      "_**Agent - sidechain (claude-haiku-4-5 2026-01-16 22:18:33Z)**_",
      "",
      "```sh",
      "ls",
      "```",
      "",
      '<tool-use data-tool-type="shell"><details>',
      "```",
      "no",
      "```",
      "</details></tool-use>",
      "",
      "---",
      "",
      "_**Agent (claude-opus-4-5 2026-01-16 22:20:45Z)**_",
      "",
      "done",
      "",
    ].join("\n");
    const { messages } = read(text);
    expect(
      messages.map(({ role, sidechain, model, timestamp, snippets }) => [
        role,
        sidechain,
        model,
        timestamp,
        snippets.length,
      ]),
    ).toEqual([
      ["user", undefined, undefined, "2026-01-16T22:18:20Z", 0],
      ["assistant", true, "claude-haiku-4-5", "2026-01-16T22:18:33Z", 1],
      ["assistant", undefined, "claude-opus-4-5", "2026-01-16T22:20:45Z", 0],
    ]);
    expect(read("<!-- Generated by SpecStory -->\n\n# x\n").messages)
      .toEqual([]);
  });
});

describe("other shapes", () => {
  test("results in transcripts of Cursor are no prompts", () => {
    const { messages } = read(lines(
      { role: "user", message: { content: "hi" } },
      {
        role: "assistant",
        message: { content: [{ type: "tool-call", name: "Read", input: {} }] },
      },
      {
        role: "user",
        message: { content: [{ type: "tool-result", content: "x" }] },
      },
    ));
    expect(messages.map(({ role, blocks }) => [role, blocks[0]!.type]))
      .toEqual([
        ["user", "text"],
        ["assistant", "tool-call"],
        ["tool", "tool-result"],
      ]);
  });

  test("a history that is neither Continue's nor Gemini's is unknown", () => {
    expect(() => read('{"history":[{"role":"human","content":"hi"}]}'))
      .toThrow(/none of/);
    expect(
      read('{"history":[{"role":"gemini","parts":[{"text":"hi"}],"ts":1e12}]}')
        .messages,
    ).toMatchObject([
      { role: "assistant", timestamp: "2001-09-09T01:46:40.000Z" },
    ]);
  });
});
