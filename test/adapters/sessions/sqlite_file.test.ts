import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type CursorDatabase,
  cursorSession,
  type Message,
  openSqliteFile,
  type RandomAccessFile,
  type SessionWarning,
  sqliteDatabase,
} from "../../../adapters/sessions/mod.ts";
import { random } from "../../laws.ts";

function bytesOf(file: string): Uint8Array {
  return new Uint8Array(
    readFileSync(new URL(`../../sessions/${file}`, import.meta.url)),
  );
}

function textOf(value: unknown): unknown {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
}

async function messagesOf(
  database: CursorDatabase,
  onWarning?: (warning: SessionWarning) => void,
): Promise<Message[]> {
  const messages: Message[] = [];
  const reader = cursorSession(
    database,
    onWarning === undefined ? {} : { onWarning },
  ).getReader();
  for (
    let next = await reader.read();
    !next.done;
    next = await reader.read()
  ) messages.push(next.value);
  return messages;
}

/** The value that row `index` of the constructed database has. */
function valueAt(index: number): string | undefined {
  return index % 40 === 3
    ? undefined
    : `v${index} `.repeat(1 + (index * index) % 300);
}

function keyAt(index: number): string {
  const key = `bubbleId:c${index % 5}:${String(index).padStart(4, "0")}`;
  return index % 50 === 7 ? key + "x".repeat(700) : key;
}

describe("a SQLite file", () => {
  const bytes = bytesOf("sqlite/deep.vscdb");
  test("gives the value of every key, over many pages", async () => {
    const database = openSqliteFile(bytes, { maxPages: 4 });
    for (let index = 0; index < 250; index++) {
      const value = await database.value("cursorDiskKV", keyAt(index));
      expect(textOf(value)).toBe(valueAt(index));
    }
    expect(await database.value("cursorDiskKV", "bubbleId:c9")).toBe(undefined);
    expect(await database.value("ItemTable", "x")).toBe(undefined);
  });
  test("gives the keys with a prefix in the order of the rows", async () => {
    const database = openSqliteFile(bytes);
    const keys = [...await database.keys("cursorDiskKV", "bubbleId:c2:")];
    const expected = Array.from(
      { length: 50 },
      (_, index) => keyAt(5 * index + 2),
    );
    expect([...keys].sort()).toEqual(expected.sort());
    expect(keys).not.toEqual(expected);
    expect([...await database.keys("cursorDiskKV", "nothing")]).toEqual([]);
    expect([...await database.keys("ItemTable", "")]).toEqual([]);
  });
  test("is read together with its write-ahead log", async () => {
    const writeAheadLog = bytesOf("sqlite/deep.vscdb-wal");
    const database = openSqliteFile(bytes, { writeAheadLog });
    expect(await database.value("cursorDiskKV", keyAt(0))).toBe("from the log");
    expect(await database.value("cursorDiskKV", "late:1")).toBe("new row");
    expect(await database.value("cursorDiskKV", keyAt(1))).toBe(undefined);
    expect(textOf(await database.value("cursorDiskKV", keyAt(2))))
      .toBe(valueAt(2));
    // A frame that was not written whole does not count, nor what follows it.
    const torn = writeAheadLog.slice();
    torn[32 + 24 + 100]! ^= 1;
    const before = openSqliteFile(bytes, { writeAheadLog: torn });
    expect(textOf(await before.value("cursorDiskKV", keyAt(0))))
      .toBe(valueAt(0));
    for (const log of [new Uint8Array(), new Uint8Array(100)]) {
      const plain = openSqliteFile(bytes, { writeAheadLog: log });
      expect(textOf(await plain.value("cursorDiskKV", keyAt(1))))
        .toBe(valueAt(1));
    }
  });
  test("may be anything that can be read anywhere", async () => {
    let most = 0;
    const file: RandomAccessFile = {
      size: bytes.length,
      read(offset, length) {
        most = Math.max(most, length);
        return bytes.slice(offset, offset + length);
      },
    };
    const database = openSqliteFile(file);
    expect(textOf(await database.value("cursorDiskKV", keyAt(8))))
      .toBe(valueAt(8));
    expect(most).toBe(512);
  });
  test("may have UTF-16 text, or no index", async () => {
    const wide = openSqliteFile(bytesOf("sqlite/utf16.vscdb"));
    expect([...await wide.keys("cursorDiskKV", "k:1")].length).toBe(11);
    expect(await wide.value("cursorDiskKV", "k:7\u00e9")).toBe("w\u00e9rt 7");
    const plain = openSqliteFile(bytesOf("sqlite/no-index.vscdb"));
    expect([...await plain.keys("ItemTable", "k:1")].length).toBe(11);
    expect(await plain.value("ItemTable", "k:7")).toBe("7");
    // A number is no value of Cursor's.
    expect(await plain.value("ItemTable", "k:3")).toBe(undefined);
  });
  test("that is none, or damaged, is refused with a code", async () => {
    for (const wrong of [new Uint8Array(), new Uint8Array(1_000)]) {
      expect(() => openSqliteFile(wrong)).toThrow(/no SQLite database/);
    }
    const next = random(3);
    for (let round = 0; round < 300; round++) {
      const damaged = bytes.slice(
        0,
        round % 3 === 0 ? Math.floor(next() * bytes.length) : bytes.length,
      );
      for (let hits = 0; hits < 8; hits++) {
        damaged[Math.floor(next() * damaged.length)] = Math.floor(next() * 256);
      }
      try {
        const database = openSqliteFile(damaged);
        for (const key of await database.keys("cursorDiskKV", "bubbleId:")) {
          await database.value("cursorDiskKV", key);
        }
      } catch (error) {
        expect(["malformed", "not-a-database"])
          .toContain((error as { code?: string }).code);
      }
    }
  });
});

describe("a database of Cursor", () => {
  const rows = new Map<string, unknown>([
    ["composerData:a", {
      fullConversationHeadersOnly: [
        { bubbleId: "1", type: 1 },
        { bubbleId: "2", type: 2 },
        { bubbleId: "gone", type: 2 },
        { bubbleId: "broken", type: 2 },
      ],
    }],
    ["bubbleId:a:1", { text: "hi", createdAt: 1_760_000_000_000 }],
    ["bubbleId:a:2", {
      type: 2,
      text: "```ts\n1\n```\n```ts:b.ts\n2\n```",
      thinking: { text: "hm" },
      codeBlocks: [{ codeBlockIdx: 0, uri: { path: "/w/a.ts" } }],
      toolFormerData: {
        name: "search_replace",
        status: "completed",
        params: '{"cut',
        rawArgs: '{"file_path":"c.ts","old_string":"1","new_string":"2"}',
        result:
          '{"diff":{"chunks":[{"newStart":4,"newLines":2,"diffString":"-1\\n+2\\n z"}]}}',
      },
    }],
    ["composerData:b", {
      conversationMap: {
        x: { type: 1, bubbleId: "x", text: "inline" },
        y: { type: 2, bubbleId: "y", text: "answer" },
      },
    }],
    ["composerData:empty", null],
  ]);
  const database: CursorDatabase = {
    keys: (table, prefix) =>
      table === "cursorDiskKV"
        ? [...rows.keys()].filter((key) => key.startsWith(prefix))
        : [],
    value: (_table, key) =>
      Promise.resolve(
        key === "bubbleId:a:broken"
          ? "{"
          : rows.has(key)
          ? new TextEncoder().encode(JSON.stringify(rows.get(key)))
          : null,
      ),
  };
  test("gives its messages by the lists of bubbles", async () => {
    const warnings: SessionWarning[] = [];
    const messages = await messagesOf(
      database,
      (warning) => warnings.push(warning),
    );
    expect(messages.map(({ id, role, sessionId, timestamp }) => [
      id,
      role,
      sessionId,
      timestamp?.slice(0, 10),
    ])).toEqual([
      ["1", "user", "a", "2025-10-09"],
      ["2", "assistant", "a", undefined],
      ["x", "user", "b", undefined],
      ["y", "assistant", "b", undefined],
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(["invalid-line"]);
    expect(
      messages[1]!.snippets.map((
        { filePath, pathSource, content, lineRange },
      ) => [filePath, pathSource, content, lineRange]),
    ).toEqual([
      ["/w/a.ts", "stored", "1\n", undefined],
      ["b.ts", "info", "2\n", undefined],
      ["c.ts", "tool-input", "2", [4, 5]],
    ]);
  });
  test("can be one of a SQLite package", async () => {
    const asked: string[] = [];
    const wrapped = sqliteDatabase({
      prepare(sql) {
        asked.push(sql);
        if (sql.includes("ItemTable")) {
          throw new Error("no such table: ItemTable");
        }
        return {
          all(first, second) {
            if (second === undefined) {
              const value = rows.get(first!);
              return value === undefined
                ? []
                : [{ value: JSON.stringify(value) }];
            }
            return [...rows.keys()].filter((key) =>
              key >= first! && key < second
            ).map((key) => ({ key }));
          },
        };
      },
    });
    expect((await messagesOf(wrapped)).map(({ id }) => id))
      .toEqual(["1", "2", "x", "y"]);
    expect(asked.every((sql) => sql.startsWith("SELECT "))).toBe(true);
  });
  test("that fails makes the stream fail, and one that is none throws", async () => {
    const reader = cursorSession({
      keys: () => [],
      value() {
        throw new Error("disk");
      },
    }).getReader();
    let message = "";
    try {
      await reader.read();
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toBe("disk");
    expect(() => cursorSession({} as CursorDatabase)).toThrow(TypeError);
  });
});
