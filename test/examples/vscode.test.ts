/// <reference types="vscode" />
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type * as vscode from "vscode";
import { answer, type Turn } from "../../examples/vscode/extension.ts";
import { root } from "../support/public_files.ts";
import {
  CancellationToken,
  DataPart,
  FakeEditor,
  type RunTool,
  ScriptedModel,
  type Step,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "./fake_editor.ts";

const tools: readonly vscode.LanguageModelChatTool[] = [{
  name: "read",
  description: "Reads a file",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, line: { type: "integer" } },
  },
}];

const LEAK = '<function_calls>\n<invoke name="read">\n' +
  '<parameter name="path">a.md</parameter>\n' +
  '<parameter name="line">3</parameter>\n</invoke>\n</function_calls>';

/** A text in pieces of so many characters, halves of pairs among them. */
function pieces(text: string, size: number): TextPart[] {
  const parts: TextPart[] = [];
  for (let at = 0; at < text.length; at += size) {
    parts.push(new TextPart(text.slice(at, at + size)));
  }
  return parts;
}

interface Chat {
  readonly editor: FakeEditor;
  readonly model: ScriptedModel;
  readonly token: CancellationToken;
  /** What was shown, piece by piece. */
  readonly shown: readonly string[];
  readonly logged: readonly string[];
  readonly result: vscode.ChatResult;
}

/** One question to a model that answers as the script says. */
async function chat(
  responses: readonly (readonly Step[])[],
  options: {
    prompt?: string;
    history?: Turn["history"];
    run?: Readonly<Record<string, RunTool>>;
    maxInputTokens?: number;
  } = {},
): Promise<Chat> {
  const editor = new FakeEditor(options.run ?? { read: () => "content" });
  const model = new ScriptedModel(responses, options.maxInputTokens);
  const token = new CancellationToken();
  const shown: string[] = [];
  const logged: string[] = [];
  const result = await answer(editor, {
    request: {
      prompt: options.prompt ?? "Hello?",
      model,
      toolInvocationToken: undefined as never,
    },
    history: options.history ?? [],
    tools,
    response: { markdown: (value) => void shown.push(String(value)) },
    token,
    log: (line) => logged.push(line),
  });
  return { editor, model, token, shown, logged, result };
}

/** The parts of the last message of a request. */
function lastContent(model: ScriptedModel, request: number): unknown[] {
  return model.requests[request]!.messages.at(-1)!.content;
}

describe("the chat participant", () => {
  test("streams Markdown while it comes, with whole emoji", async () => {
    const { shown, model, result } = await chat([
      pieces("Take *off* \u{1f680} now", 2),
    ]);
    expect(shown.join("")).toBe("Take *off* \u{1f680} now");
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.every((piece) => piece.isWellFormed())).toBe(true);
    expect(result).toEqual({});
    expect(model.requests.length).toBe(1);
    expect(model.requests[0]!.options.tools).toEqual(tools);
  });

  for (const size of [1, 7, 1_000]) {
    test(`runs a call that was written as text, in pieces of ${size}`, async () => {
      const quoted = `Like this:\n\`\`\`xml\n${LEAK}\n\`\`\`\nBut now:\n`;
      const { shown, model, editor } = await chat([
        pieces(quoted + LEAK, size),
        [new TextPart("Done.")],
      ]);
      expect(shown.join("")).toBe(`${quoted}Done.`);
      expect(editor.invoked).toEqual([
        { name: "read", input: { path: "a.md", line: 3 } },
      ]);
      const [, said, results] = model.requests[1]!.messages;
      expect(said!.content).toEqual([
        new TextPart(quoted),
        new ToolCallPart("salvaged_1_1", "read", { path: "a.md", line: 3 }),
      ]);
      expect(results!.content).toEqual([
        new ToolResultPart("salvaged_1_1", [new TextPart("content")]),
      ]);
    });
  }

  test("ids of calls that were written as text are of the whole conversation", async () => {
    const { model } = await chat([
      [new TextPart(LEAK)],
      [new TextPart(LEAK)],
      [new TextPart("Done.")],
    ]);
    const ids = model.requests[2]!.messages.flatMap(({ content }) =>
      content.flatMap((part) =>
        part instanceof ToolResultPart ? [part.callId] : []
      )
    );
    expect(new Set(ids).size).toBe(2);
  });

  test("text, a leaked call and a native one keep their order", async () => {
    const { editor, shown } = await chat([
      [
        ...pieces(`First ${LEAK}then `, 5),
        new ToolCallPart("c1", "read", { path: "b.md" }),
        new TextPart("last"),
      ],
    ]);
    expect(editor.invoked.map(({ input }) => input)).toEqual([
      { path: "a.md", line: 3 },
      { path: "b.md" },
    ]);
    expect(shown.join("")).toBe("First then last");
  });

  test("a tool that was not offered does not run, and the model is told", async () => {
    const { editor, model } = await chat([
      [new ToolCallPart("c1", "delete", { path: "/" })],
    ]);
    expect(editor.invoked).toEqual([]);
    expect(lastContent(model, 1)).toEqual([
      new ToolResultPart("c1", [
        new TextPart('There is no tool "delete"'),
      ]),
    ]);
  });

  test("a tool that fails is told to the model", async () => {
    const { model, logged } = await chat(
      [[new ToolCallPart("c1", "read", {})]],
      { run: { read: () => Promise.reject(new Error("no such file")) } },
    );
    expect(lastContent(model, 1)).toEqual([
      new ToolResultPart("c1", [new TextPart("Failed: no such file")]),
    ]);
    expect(logged).toEqual(['The tool "read" failed: no such file']);
  });

  test("every request is well-formed and fits the window, pairs and all", async () => {
    const call = (id: string): ToolCallPart =>
      new ToolCallPart(id, "read", { path: "log \ud83d" });
    const { model, logged } = await chat(
      [[call("c1"), call("c2")], [call("c3")], [new TextPart("Done.")]],
      {
        prompt: "half an emoji: \ud83d",
        run: { read: () => `first\n${"noise \udc00\n".repeat(9_000)}last` },
        maxInputTokens: 4_000,
      },
    );
    expect(model.requests.length).toBe(3);
    for (const { messages } of model.requests) {
      expect(JSON.stringify(messages)).not.toMatch(/\\ud[89a-f]/);
      let sum = 0;
      for (const message of messages) sum += await model.countTokens(message);
      expect(sum).toBeLessThan(4_000);
    }
    const results = model.requests[2]!.messages.flatMap(({ content }) =>
      content.filter((part) => part instanceof ToolResultPart)
    );
    expect(results.map(({ callId }) => callId)).toEqual(["c1", "c2", "c3"]);
    for (const { content } of results) {
      const text = (content[0] as TextPart).value;
      expect(text.startsWith("first\n") && text.endsWith("last")).toBe(true);
    }
    expect(logged.length).toBeGreaterThan(0);
  });

  test("what cannot fit is not sent, and the error says by how much", async () => {
    const { model, result } = await chat([], {
      prompt: "x".repeat(40_000),
      maxInputTokens: 4_000,
    });
    expect(model.requests.length).toBe(0);
    expect(result.errorDetails?.message).toContain("too many");
  });

  test("a failure keeps what came before it, and no call of it runs", async () => {
    const failing = (error: Error): Step[] => [
      new TextPart(`Some text ${LEAK}`),
      () => Promise.reject(error),
    ];
    const blocked = await chat([failing(
      Object.assign(new Error("quota"), {
        name: "LanguageModelError",
        code: "Blocked",
      }),
    )]);
    expect(blocked.shown.join("")).toBe("Some text ");
    expect(blocked.editor.invoked).toEqual([]);
    expect(blocked.result).toEqual({ errorDetails: { message: "quota" } });
    const filtered = await chat([failing(new Error("Response got filtered."))]);
    expect(filtered.result).toEqual({
      errorDetails: {
        message: "Response got filtered.",
        responseIsFiltered: true,
      },
    });
  });

  test("cancelling stops the response, and nothing runs or is asked any more", async () => {
    const { model, editor, shown, result } = await chat([
      [
        new TextPart("a"),
        new ToolCallPart("c1", "read", {}),
        (token) => token.cancel(),
        new TextPart("b"),
      ],
    ]);
    expect(shown).toEqual(["a"]);
    expect(editor.invoked).toEqual([]);
    expect(model.requests.length).toBe(1);
    expect(model.stopped).toBe(1);
    expect(result).toEqual({});
  });

  test("data and unknown parts are not shown", async () => {
    const { shown } = await chat([
      [
        DataPart.json({ usage: 1 }, "usage"),
        { hologram: 7 },
        new TextPart("a"),
      ],
    ]);
    expect(shown).toEqual(["a"]);
  });

  test("the history of the chat comes first", async () => {
    const asked = { prompt: "One?", participant: "millrace" };
    const answered = {
      participant: "millrace",
      response: [
        { value: { value: "One" } },
        { value: { path: "/a.md" } },
        { value: { value: "!" } },
      ],
    };
    const { model } = await chat([[]], {
      prompt: "Two?",
      history: [asked, answered] as unknown as Turn["history"],
    });
    expect(
      model.requests[0]!.messages.map(({ role, content }) => [role, content]),
    ).toEqual([
      [1, [new TextPart("One?")]],
      [2, [new TextPart("One!")]],
      [1, [new TextPart("Two?")]],
    ]);
  });

  test("a model that never stops calling is stopped", async () => {
    const { model, result } = await chat(
      Array.from({ length: 30 }, (_, index) => [
        new ToolCallPart(`c${index}`, "read", {}),
      ]),
    );
    expect(model.requests.length).toBe(20);
    expect(result.errorDetails?.message).toContain("20 times");
  });
});

test("the extension's manifest and code name the same things", () => {
  const folder = join(root, "examples/vscode");
  const { contributes, main, scripts } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const code = readFileSync(join(folder, "extension.ts"), "utf8");
  expect(code).toContain(`"${contributes.chatParticipants[0].id}"`);
  expect(code).toContain(`"${contributes.languageModelTools[0].name}"`);
  expect(scripts.build).toContain(main.slice(2));
});
