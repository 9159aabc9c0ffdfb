import { describe, expect, test } from "vitest";
import {
  type CursorDatabase,
  cursorSession,
  type Message,
  type SessionWarning,
} from "../../../adapters/sessions/mod.ts";

type Table = "ItemTable" | "cursorDiskKV";

/** A database in memory. Values are objects, text as it is, or `null`. */
function database(
  tables: Partial<Record<Table, Record<string, unknown>>>,
): CursorDatabase {
  return {
    keys: (table, prefix) =>
      Object.keys(tables[table] ?? {}).filter((key) => key.startsWith(prefix)),
    value(table, key) {
      const value = tables[table]?.[key];
      return value === null || value === undefined
        ? null
        : typeof value === "string"
        ? value
        : new TextEncoder().encode(JSON.stringify(value));
    },
  };
}

async function read(
  tables: Parameters<typeof database>[0],
): Promise<{ messages: Message[]; warnings: SessionWarning[] }> {
  const warnings: SessionWarning[] = [];
  const messages: Message[] = [];
  const reader = cursorSession(database(tables), {
    onWarning: (warning) => warnings.push(warning),
  }).getReader();
  for (
    let next = await reader.read();
    !next.done;
    next = await reader.read()
  ) messages.push(next.value);
  return { messages, warnings };
}

const code = (path: string) => "```ts:" + path + "\n1\n```";

describe("conversations of Cursor", () => {
  test("that hold their bubbles themselves", async () => {
    const { messages } = await read({
      cursorDiskKV: {
        "composerData:c": {
          _v: 1,
          composerId: "c",
          conversation: [
            { type: 1, bubbleId: "x", text: "hi" },
            { type: 2, bubbleId: "y", text: code("a.ts"), createdAt: 1e12 },
          ],
        },
        "composerData:d": {
          composerId: "d",
          conversationMap: {
            z: { type: 2, bubbleId: "z", text: code("b.ts") },
          },
        },
      },
    });
    expect(
      messages.map(({ sessionId, id, role, timestamp, snippets }) => [
        sessionId,
        id,
        role,
        timestamp,
        snippets[0]?.filePath,
      ]),
    ).toEqual([
      ["c", "x", "user", undefined, undefined],
      ["c", "y", "assistant", "2001-09-09T01:46:40.000Z", "a.ts"],
      ["d", "z", "assistant", undefined, "b.ts"],
    ]);
  });

  test("in the order of their list, from rows or from beside the list", async () => {
    const { messages } = await read({
      cursorDiskKV: {
        "bubbleId:c:two": { type: 2, bubbleId: "other", text: code("b.ts") },
        "bubbleId:c:orphan": { type: 2, text: code("no.ts") },
        "composerData:c": {
          _v: 3,
          fullConversationHeadersOnly: [
            { bubbleId: "one", type: 1 },
            { bubbleId: "two", type: 2 },
            { bubbleId: "gone", type: 2 },
            { bubbleId: "three", type: 2 },
          ],
          conversationMap: {
            three: { text: code("c.ts") },
            one: {
              type: 1,
              text: "",
              richText: JSON.stringify({
                root: {
                  children: [
                    {
                      type: "paragraph",
                      children: [
                        { type: "text", text: "look at " },
                        { type: "mention", text: "@a.ts" },
                      ],
                    },
                    { type: "paragraph", children: [] },
                    { type: "paragraph", children: [{ text: "now" }] },
                  ],
                },
              }),
            },
            unlisted: { type: 2, text: code("no.ts") },
          },
        },
      },
    });
    expect(
      messages.map(({ id, role, blocks, snippets }) => [
        id,
        role,
        blocks[0]?.type === "text" ? blocks[0].text.split("\n")[0] : "",
        snippets[0]?.filePath,
      ]),
    ).toEqual([
      ["one", "user", "look at @a.ts", undefined],
      ["two", "assistant", "```ts:b.ts", "b.ts"],
      ["three", "assistant", "```ts:c.ts", "c.ts"],
    ]);
    expect(messages[0]!.blocks).toEqual([
      { type: "text", text: "look at @a.ts\n\nnow" },
    ]);
  });

  test("with calls, whatever half of them is whole", async () => {
    const bubble = (toolFormerData: object, type = 2) => ({
      type,
      text: "",
      toolFormerData,
    });
    const { messages } = await read({
      cursorDiskKV: {
        "composerData:c": {
          fullConversationHeadersOnly: ["1", "2", "3", "4"].map((bubbleId) => ({
            bubbleId,
          })),
        },
        "bubbleId:c:1": bubble({
          name: "edit_file",
          status: "completed",
          params: '{"relativeWorkspacePath":"a.ts"}',
          rawArgs: '{"target_file":"a.ts","code_edit":"1\\n"}',
          result: JSON.stringify({
            diff: {
              chunks: [{ newStart: 4, newLines: 2, diffString: "+1\n+2" }],
            },
          }),
        }),
        "bubbleId:c:2": bubble({
          name: "search_replace",
          status: "error",
          rawArgs: '{"file_path":"b.ts","old_string":"a","new_string":"b"}',
        }),
        "bubbleId:c:3": bubble({
          name: "write",
          status: "completed",
          params: '{"relativeWorkspacePath":"c.ts","co',
          rawArgs: '{"file_path":"c.ts","contents":"x\\n"}',
        }, 1),
        "bubbleId:c:4": bubble({
          name: "edit_file_v2",
          status: "completed",
          params: '{"relativeWorkspacePath":"d.ts"}',
        }),
      },
    });
    expect(
      messages.flatMap(({ role, origin, snippets }) =>
        snippets.map((snippet) => [
          `${role} ${origin}`,
          snippet.toolName,
          snippet.filePath,
          snippet.content,
          snippet.lineRange,
          snippet.failed,
          snippet.closed,
        ])
      ),
    ).toEqual([
      ["assistant model", "edit_file", "a.ts", "1\n", [4, 5], undefined, true],
      ["assistant model", "search_replace", "b.ts", "b", undefined, true, true],
      ["user model", "write", "c.ts", "x\n", undefined, undefined, true],
      [
        "assistant model",
        "edit_file_v2",
        "d.ts",
        "",
        undefined,
        undefined,
        false,
      ],
    ]);
  });

  test("with files beside the text, of the old panel, and broken rows", async () => {
    const { messages, warnings } = await read({
      ItemTable: {
        "workbench.panel.aichat.view.aichat.chatdata": {
          tabs: [{
            tabId: "t",
            bubbles: [
              { type: "user", id: "1", text: "hi" },
              { type: "ai", id: "2", rawText: "```\n1\n```", modelType: "m" },
            ],
          }],
        },
        "composer.composerData": { allComposers: [{ composerId: "e" }, null] },
      },
      cursorDiskKV: {
        "composerData:bad": "{no",
        "composerData:null": null,
        "composerData:list": [],
        "composerData:c": {
          fullConversationHeadersOnly: [{ bubbleId: "b" }, null, {}],
        },
        "bubbleId:c:b": {
          type: 2,
          text: "```ts:a.ts\n1\n```\n\n```\n2\n```\n\n```\n3\n```",
          codeBlocks: [
            { uri: { path: "/w/a.ts" } },
            { uri: { fsPath: "/w/c.py" }, codeBlockIdx: 2 },
            { codeBlockIdx: 1e9, uri: { path: "/no" } },
          ],
        },
      },
    });
    expect(messages.map(({ id, model }) => [id, model])).toEqual([
      ["1", undefined],
      ["2", "m"],
      ["b", undefined],
    ]);
    expect(
      messages[2]!.snippets.map(({ filePath, pathSource, languageId }) => [
        filePath,
        pathSource,
        languageId,
      ]),
    ).toEqual([
      ["a.ts", "info", "typescript"],
      [undefined, undefined, undefined],
      ["/w/c.py", "stored", "python"],
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(["invalid-line"]);
    expect(warnings[0]!.message).toContain("composerData:bad");
  });
});
