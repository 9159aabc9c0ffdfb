/**
 * Requirement E, code snippets as first-class data in stored sessions, line by
 * line, on real files. At length it is tested in adapters/sessions, with the
 * snippet extractor, and in examples/cli_sessions.test.ts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  cursorSession,
  type Message,
  openSqliteFile,
  SessionStream,
} from "../adapters/sessions/mod.ts";
import { parse, type PartOf, SnippetExtractorStream } from "../mod.ts";
import { root } from "./support/public_files.ts";
import { spawnCli } from "./support/spawn_cli.ts";

const folder = "test/sessions";

/** A real file of every program. */
const files: Readonly<Record<string, string>> = {
  "Claude JSONL session files": "claude-code/11-edit-variants.jsonl",
  "Aider Markdown chat history": "aider/06-late.md",
  "Cline JSON": "cline/10-xml-tools-api_conversation_history.json",
  "Cursor SQLite": "cursor/02-global-modern.vscdb",
};

async function messagesOf(file: string): Promise<Message[]> {
  const bytes = new Uint8Array(readFileSync(join(root, folder, file)));
  if (!file.endsWith(".vscdb")) return parse([bytes], new SessionStream());
  const messages: Message[] = [];
  for await (const message of cursorSession(openSqliteFile(bytes))) {
    messages.push(message);
  }
  return messages;
}

function snippetOf(markdown: string): PartOf<"snippet"> {
  const snippet = parse(markdown, new SnippetExtractorStream()).find(
    ({ type }) => type === "snippet",
  );
  return snippet as PartOf<"snippet">;
}

describe("CodeSnippet", () => {
  test("language, content, file path and line range", () => {
    expect(snippetOf("```ts src/a.ts:3-4\nlet a;\nlet b;\n```\n"))
      .toMatchObject({
        language: "ts",
        content: "let a;\nlet b;\n",
        filePath: "src/a.ts",
        lineRange: [3, 4],
      });
  });

  test("the language is absent when the fence has no tag", () => {
    expect(snippetOf("```\nlet a;\n```\n")).not.toHaveProperty("language");
  });
});

describe("messages", () => {
  const session = [
    { type: "text", text: "Look:\n```py\nprint(1)\n```\nand\n~~~\nx\n~~~\n" },
    { type: "text", text: "Only words." },
  ].map((block, index) =>
    JSON.stringify({
      type: "assistant",
      uuid: `u${index}`,
      sessionId: "s",
      message: { id: `m${index}`, role: "assistant", content: [block] },
    })
  ).join("\n");
  const [withCode, without] = parse([session], new SessionStream());

  test("snippets come from fenced code in text blocks, and set hasCode", () => {
    expect(
      withCode!.snippets.map(({ language, content, block }) => [
        language,
        content,
        block,
      ]),
    ).toEqual([["py", "print(1)\n", 0], [undefined, "x\n", 0]]);
    expect(withCode!.hasCode).toBe(true);
    expect([without!.snippets, without!.hasCode]).toEqual([[], false]);
  });

  test("messages keep their blocks, snippets are additional", () => {
    expect(withCode!.blocks).toEqual([{
      type: "text",
      text: "Look:\n```py\nprint(1)\n```\nand\n~~~\nx\n~~~\n",
    }]);
  });
});

describe("importers for stored sessions", () => {
  for (const [name, file] of Object.entries(files)) {
    test(`${name}: messages with role, blocks, snippets, hasCode`, async () => {
      const messages = await messagesOf(file);
      expect(messages.length).toBeGreaterThan(3);
      for (const { role, blocks, snippets, hasCode } of messages) {
        expect(["user", "assistant", "system", "tool"]).toContain(role);
        expect(Array.isArray(blocks)).toBe(true);
        expect(hasCode).toBe(snippets.length > 0);
        for (const { block } of snippets) {
          expect(blocks[block]).toBeDefined();
        }
      }
      expect(messages.some(({ hasCode }) => hasCode)).toBe(true);
    });
  }

  for (const [name, file] of Object.entries(files)) {
    // Aider's history has no calls: its edits are fences below the file's name.
    if (name.startsWith("Aider")) continue;
    test(`${name}: blocks that write files give snippets with path and line range`, async () => {
      const written = (await messagesOf(file)).flatMap(({ snippets, blocks }) =>
        snippets.filter(({ toolName, block }) =>
          toolName !== undefined && blocks[block]!.type === "tool-call"
        )
      );
      expect(written.length).toBeGreaterThan(0);
      for (const { filePath } of written) expect(filePath).toBeTruthy();
      const ranges = written.flatMap(({ lineRange }) =>
        lineRange === undefined ? [] : [lineRange]
      );
      expect(ranges.length).toBeGreaterThan(0);
      for (const [first, last] of ranges) {
        expect(first >= 1 && last >= first).toBe(true);
      }
    });
  }
});

describe("the CLI does the job of `sessions show … --format json | jq '.messages[].snippets'`", () => {
  for (const [name, file] of Object.entries(files)) {
    test(name, async () => {
      const { code, stdout } = await spawnCli([
        "--to",
        "sessions",
        `${folder}/${file}`,
      ]);
      expect(code).toBe(0);
      const { messages } = JSON.parse(stdout) as { messages: Message[] };
      const fenced = messages.filter(({ blocks }) =>
        blocks.some((block) =>
          block.type === "text" && /^(?:```|~~~)[^`]*\n/m.test(block.text)
        )
      );
      for (const { snippets } of fenced) {
        expect(snippets.length).toBeGreaterThan(0);
      }
      expect(messages.flatMap(({ snippets }) => snippets).length)
        .toBeGreaterThan(0);
    }, 60_000);
  }
});
