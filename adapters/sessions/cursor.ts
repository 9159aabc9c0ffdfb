/**
 * Stored sessions of Cursor.
 *
 * @module
 */

import { toReadableStream } from "../../transforms/pipeline.ts";
import type { ToolSnippet } from "../../transforms/tool_edit.ts";
import {
  arrayOf,
  isObject,
  type JSONObject,
  numberOf,
  objectOf,
  wordOf,
} from "../internal/json.ts";
import { excerptOf } from "../internal/limits.ts";
import {
  argumentsOf,
  blocksOf,
  toolCallOf,
  toolResultOf,
} from "./internal/content_blocks.ts";
import type { Draft, Hunk } from "./internal/draft.ts";
import { simpleDraft } from "./internal/formats/simple_draft.ts";
import { messageOf } from "./internal/message_window.ts";
import { addHunks, SnippetFinder } from "./internal/snippets_of.ts";
import type {
  Message,
  SessionStreamOptions,
  SessionWarning,
} from "./message.ts";

/**
 * What is needed of a database of Cursor (`state.vscdb`): its two tables are
 * lists of keys and values. {@linkcode sqliteDatabase} makes one of what SQLite
 * packages give.
 */
export interface CursorDatabase {
  /** The keys of a table that begin with a text; none when there is no such table. */
  keys(
    table: "ItemTable" | "cursorDiskKV",
    prefix: string,
  ): Iterable<string> | PromiseLike<Iterable<string>>;
  /** The value of a key: text or UTF-8 bytes; `undefined` or `null` when there is none. */
  value(
    table: "ItemTable" | "cursorDiskKV",
    key: string,
  ):
    | string
    | Uint8Array
    | null
    | undefined
    | PromiseLike<string | Uint8Array | null | undefined>;
}

/**
 * What `node:sqlite` (`DatabaseSync`), `better-sqlite3` and `bun:sqlite` have in
 * common.
 */
export interface SqliteDatabase {
  /** Prepares a statement. */
  prepare(sql: string): SqliteStatement;
}

/** A prepared statement. */
export interface SqliteStatement {
  /** All rows, as objects. */
  all(...parameters: string[]): unknown[];
}

/**
 * A database that is open already, as {@linkcode cursorSession} wants it. Open
 * it read-only, and with the file `state.vscdb-wal` beside it if there is one:
 * what was written last is only there.
 *
 * @param database A `DatabaseSync` of `node:sqlite`, or a database of
 *   `better-sqlite3` or `bun:sqlite`.
 * @returns The same for the importer.
 *
 * @example
 * ```ts
 * import { sqliteDatabase } from "@millrace/millrace/adapters/sessions";
 *
 * // const database = new DatabaseSync("state.vscdb", { readOnly: true });
 * const database = {
 *   prepare: (sql: string) => ({
 *     all: (key: string) => sql.startsWith("SELECT value") ? [{ value: `of ${key}` }] : [],
 *   }),
 * };
 * const { value } = sqliteDatabase(database);
 * if (await value("ItemTable", "a") !== "of a") throw new Error();
 * ```
 */
export function sqliteDatabase(database: SqliteDatabase): CursorDatabase {
  return {
    keys(table, prefix) {
      // The last character raised by one: the key behind all with the prefix.
      const end = prefix.slice(0, -1) +
        String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
      return rowsOf(
        database,
        `SELECT key FROM ${table} WHERE key >= ? AND key < ? ORDER BY rowid`,
        [prefix, end],
      ).map((row) => String(row["key"]));
    },
    value(table, key) {
      const [row] = rowsOf(
        database,
        `SELECT value FROM ${table} WHERE key = ?`,
        [key],
      );
      const value = row?.["value"];
      return typeof value === "string" || value instanceof Uint8Array
        ? value
        : undefined;
    },
  };
}

function rowsOf(
  database: SqliteDatabase,
  sql: string,
  parameters: string[],
): JSONObject[] {
  let statement: SqliteStatement;
  try {
    statement = database.prepare(sql);
  } catch (error) {
    // Old databases have one of the tables only.
    if (/no such table/i.test(String(error))) return [];
    throw error;
  }
  return statement.all(...parameters).filter(isObject);
}

/**
 * The messages of all conversations in a database of Cursor, old and new: of the
 * chat panel and the composer in a workspace's database, and of the global one,
 * in the order of each conversation's list of bubbles. Rows that no list names
 * are left out, names without a row are passed over.
 *
 * The database is injected, so that no runtime and no package is presumed:
 * `sqliteDatabase(new DatabaseSync(path, { readOnly: true }))` with `node:sqlite`
 * (Node 22.5, Deno, Bun), `sqliteDatabase(new Database(path, { readonly: true }))`
 * with `better-sqlite3`, `openSqliteFile` for the bytes of the file without any
 * package, or an object with `keys` and `value` over anything else.
 *
 * Values that are no JSON are reported to `onWarning`. Errors of the database
 * fail the stream. Construction throws a `TypeError` when there is no database.
 *
 * @param database The database.
 * @param options The snippets' options and `onWarning`; limits and `snapshot`
 *   have no meaning here.
 * @returns A stream, one message at a time as it is read.
 *
 * @example
 * ```ts
 * import { type CursorDatabase, cursorSession } from "@millrace/millrace/adapters/sessions";
 *
 * const rows = new Map([
 *   ["composerData:c", { composerId: "c", fullConversationHeadersOnly: [{ bubbleId: "b", type: 2 }] }],
 *   ["bubbleId:c:b", { type: 2, text: "~~~ts:src/a.ts\n1\n~~~" }],
 * ]);
 * const database: CursorDatabase = {
 *   keys: (table, prefix) =>
 *     table === "cursorDiskKV" ? [...rows.keys()].filter((key) => key.startsWith(prefix)) : [],
 *   value: (_table, key) => JSON.stringify(rows.get(key)),
 * };
 * const { value } = await cursorSession(database).getReader().read();
 * if (value?.snippets[0]?.filePath !== "src/a.ts") throw new Error();
 * ```
 */
export function cursorSession(
  database: CursorDatabase,
  options: SessionStreamOptions = {},
): ReadableStream<Message> {
  if (
    typeof database?.keys !== "function" || typeof database.value !== "function"
  ) {
    throw new TypeError(
      'Cannot read a database: it has no "keys" and "value"; see "sqliteDatabase"',
    );
  }
  const { toolEdits } = options;
  const finder = new SnippetFinder({
    ...options,
    toolEdits: toolEdits === false
      ? false
      : [{ tool: "edit_file_v2", snippets: editFile }, ...toolEdits ?? []],
  });
  return toReadableStream(
    readDatabase(database, finder, options.onWarning),
  );
}

type Warn = ((warning: SessionWarning) => void) | undefined;

async function* readDatabase(
  database: CursorDatabase,
  finder: SnippetFinder,
  onWarning: Warn,
): AsyncGenerator<Message, void, undefined> {
  const read = async (
    table: "ItemTable" | "cursorDiskKV",
    key: string,
  ): Promise<JSONObject | undefined> =>
    parsed(await database.value(table, key), key, onWarning);

  const composers = await read("ItemTable", "composer.composerData");
  for (const composer of arrayOf(composers?.["allComposers"])) {
    if (!isObject(composer)) continue;
    for (const draft of inlineBubbles(composer)) {
      yield messageOf(draft, finder);
    }
  }
  const chat = await read(
    "ItemTable",
    "workbench.panel.aichat.view.aichat.chatdata",
  );
  for (const tab of arrayOf(chat?.["tabs"])) {
    if (!isObject(tab)) continue;
    for (const [index, bubble] of arrayOf(tab["bubbles"]).entries()) {
      if (!isObject(bubble)) continue;
      yield messageOf(
        draftOf(bubble, wordOf(bubble["id"]), wordOf(tab["tabId"]), index),
        finder,
      );
    }
  }
  for (const key of await database.keys("cursorDiskKV", "composerData:")) {
    const composer = await read("cursorDiskKV", key);
    if (composer === undefined) continue;
    const composerId = key.slice("composerData:".length);
    const headers = arrayOf(composer["fullConversationHeadersOnly"]);
    // Versions in between have the bubbles beside the list.
    const inline = objectOf(composer["conversationMap"]) ?? {};
    for (const [index, header] of headers.entries()) {
      const bubbleId = wordOf(objectOf(header)?.["bubbleId"]);
      if (bubbleId === undefined) continue;
      const bubble =
        await read("cursorDiskKV", `bubbleId:${composerId}:${bubbleId}`) ??
          (Object.hasOwn(inline, bubbleId)
            ? objectOf(inline[bubbleId])
            : undefined);
      if (bubble === undefined) continue;
      bubble["type"] ??= objectOf(header)?.["type"];
      yield messageOf(draftOf(bubble, bubbleId, composerId, index), finder);
    }
    if (headers.length > 0) continue;
    for (const draft of inlineBubbles(composer, composerId)) {
      yield messageOf(draft, finder);
    }
  }
}

/** The bubbles of a conversation that holds them itself. */
function inlineBubbles(composer: JSONObject, id?: string): Draft[] {
  const composerId = wordOf(composer["composerId"]) ?? id;
  const inline = arrayOf(composer["conversation"]);
  const bubbles = inline.length > 0
    ? inline
    : Object.values(objectOf(composer["conversationMap"]) ?? {});
  return bubbles.filter(isObject).map((bubble, index) =>
    draftOf(bubble, wordOf(bubble["bubbleId"]), composerId, index)
  );
}

/** The object in a row's value; `undefined` when there is none. */
function parsed(
  value: string | Uint8Array | null | undefined,
  key: string,
  onWarning: Warn,
): JSONObject | undefined {
  if (value === null || value === undefined) return undefined;
  const text = typeof value === "string"
    ? value
    : new TextDecoder().decode(value);
  try {
    return objectOf(JSON.parse(text));
  } catch {
    onWarning?.({
      type: "warning",
      code: "invalid-line",
      message: `The value of key "${excerptOf(key)}" is not JSON. It begins ${
        JSON.stringify(excerptOf(text))
      }`,
    });
    return undefined;
  }
}

/** Fences of one message whose files are kept beside the text. */
const MOST_BLOCKS = 1_024;

function draftOf(
  bubble: JSONObject,
  id: string | undefined,
  sessionId: string | undefined,
  index: number,
): Draft {
  const { type } = bubble;
  const role = type === 1 || type === "user" ? "user" : "assistant";
  const blocks = blocksOf(
    wordOf(bubble["text"]) ?? wordOf(bubble["rawText"]) ??
      richText(bubble["richText"]),
  );
  const thinking = wordOf(objectOf(bubble["thinking"])?.["text"]);
  if (thinking !== undefined) {
    blocks.unshift({ type: "reasoning", text: thinking });
  }
  const draft = simpleDraft(role, blocks, { index }, {
    id,
    sessionId,
    timestamp: bubble["createdAt"],
    model: wordOf(objectOf(bubble["modelInfo"])?.["modelName"]) ??
      wordOf(bubble["modelType"]),
  });
  const paths: (string | null)[] = [];
  for (const [position, block] of arrayOf(bubble["codeBlocks"]).entries()) {
    const uri = objectOf(objectOf(block)?.["uri"]);
    const at = numberOf(objectOf(block)?.["codeBlockIdx"]) ?? position;
    const path = wordOf(uri?.["path"]) ?? wordOf(uri?.["fsPath"]);
    if (path === undefined || !(at >= 0 && at < MOST_BLOCKS)) continue;
    while (paths.length <= at) paths.push(null);
    paths[at] = path;
  }
  if (paths.length > 0) draft.paths = paths;
  const tool = objectOf(bubble["toolFormerData"]);
  if (tool !== undefined && wordOf(tool["name"]) !== undefined) {
    addTool(draft, tool);
  }
  return draft;
}

/** The text of what was typed, when only the editor's tree of it is there. */
function richText(value: unknown): string | undefined {
  const root = objectOf(objectOf(argumentsOf(value))?.["root"]);
  if (root === undefined) return undefined;
  const lines = arrayOf(root["children"]).map((paragraph) => {
    let line = "";
    const stack: unknown[] = [paragraph];
    while (stack.length > 0) {
      const node = objectOf(stack.pop());
      if (node === undefined) continue;
      line += node["type"] === "linebreak" ? "\n" : wordOf(node["text"]) ?? "";
      stack.push(...[...arrayOf(node["children"])].reverse());
    }
    return line;
  });
  return lines.join("\n") || undefined;
}

/** The call of a bubble, and its result. */
function addTool(draft: Draft, tool: JSONObject): void {
  const id = wordOf(tool["toolCallId"]) ?? draft.id;
  // Either can be cut, then it stays text.
  const input = {
    ...objectOf(argumentsOf(tool["params"])),
    ...objectOf(argumentsOf(tool["rawArgs"])),
  };
  const failed = tool["status"] === "error" || tool["status"] === "cancelled";
  if (failed) draft.failed = [id];
  // A call can sit in the user's bubble; the user made none.
  if (draft.blocks.length === 0) draft.origin = "model";
  draft.blocks.push(toolCallOf(id, tool["name"], input));
  if (tool["result"] === undefined) return;
  const result = argumentsOf(tool["result"]);
  draft.blocks.push(toolResultOf(id, result, failed));
  const chunks = arrayOf(objectOf(objectOf(result)?.["diff"])?.["chunks"]);
  addHunks(draft, id, chunks.flatMap(hunkOf));
}

function hunkOf(chunk: unknown): Hunk[] {
  if (!isObject(chunk)) return [];
  const first = numberOf(chunk["newStart"]);
  const count = numberOf(chunk["newLines"]);
  if (first === undefined || count === undefined || count < 1) return [];
  const text = (wordOf(chunk["diffString"]) ?? "").split("\n").filter((line) =>
    !line.startsWith("-")
  ).map((line) => line.slice(1)).join("\n");
  return [{ first, last: first + count - 1, text }];
}

/** Newer versions keep the code of this tool elsewhere: then only the file is known. */
function editFile(input: Readonly<Record<string, unknown>>): ToolSnippet[] {
  const filePath = wordOf(input["relativeWorkspacePath"]) ??
    wordOf(input["target_file"]) ?? wordOf(input["targetFile"]);
  const content = wordOf(input["code_edit"]) ?? wordOf(input["contents"]) ??
    wordOf(input["contentsAfterEdit"]) ?? wordOf(input["streamingContent"]);
  const path = filePath === undefined ? {} : { filePath };
  if (content !== undefined) return [{ ...path, content }];
  return filePath === undefined
    ? []
    : [{ ...path, content: "", closed: false }];
}
