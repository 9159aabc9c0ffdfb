import { Buffer } from "node:buffer";
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
} from "node:fs";
import { type Part, readParts, StageStream } from "../../mod.ts";
import { fromJSONL } from "../../adapters/jsonl.ts";
import { type ProviderName, resolveProvider } from "../../adapters/provider.ts";
import { providers } from "../../adapters/providers/mod.ts";
import {
  type CursorDatabase,
  cursorSession,
  type Message,
  openSqliteFile,
  type SessionKind,
  SessionStream,
  type SessionWarning,
} from "../../adapters/sessions/mod.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { fromText } from "../../adapters/text.ts";
import type { Input } from "./files.ts";
import { providerFormats, sessionFormats } from "./options.ts";

/** How many bytes of a stream are looked at to tell what comes in. */
const PEEK = 4_096;

/** How many bytes of a file, which is there already. */
const PEEK_FILE = 65_536;

/** What an input turned out to be. */
export type Opened =
  | { type: "stream"; format: string; parts: ReadableStream<Part> }
  | { type: "session"; messages: AsyncIterable<Message> };

/** What opening needs to know. */
export interface OpenOptions {
  /** The value of `--from`. */
  from: string;
  /** Characters to cut the input into, 0 to leave it as it comes. */
  chunk: number;
  /** Whether the file grows: what comes has to leave soon. */
  follow: boolean;
  /** Told of each piece that was read. */
  onBytes(length: number): void;
  /** Told what is wrong in a stored session. */
  onWarning(warning: SessionWarning): void;
  /** Told which program stored the session, before its first message. */
  onSession(kind: SessionKind): void;
}

/** Opens an input in the format that `--from` names, or that its content tells. */
export async function openInput(
  input: Input,
  options: OpenOptions,
): Promise<Opened> {
  const { from } = options;
  let bytes = counted(input.open(), options.onBytes);
  if (options.chunk > 0) bytes = rechunk(bytes, options.chunk);
  const isSession = Object.hasOwn(sessionFormats, from);
  if (from !== "auto" && !isSession) {
    return { type: "stream", ...await openStream(bytes, from) };
  }
  const waits = input.path === undefined || options.follow;
  const { head, ended, whole } = await peek(
    bytes,
    waits ? PEEK : PEEK_FILE,
    waits,
  );
  if (startsDatabase(head)) {
    return { type: "session", messages: cursorMessages(input, whole, options) };
  }
  const text = new TextDecoder().decode(head);
  if (isSession || input.found || isStoredSession(text, ended)) {
    // What was found in a folder has to show that it is a session.
    const kind = input.found ? undefined : sessionFormats[from];
    return { type: "session", messages: sessionMessages(whole, kind, options) };
  }
  return { type: "stream", ...await openStream(whole, "auto", text) };
}

async function openStream(
  bytes: AsyncIterable<Uint8Array>,
  from: string,
  head?: string,
): Promise<{ format: string; parts: ReadableStream<Part> }> {
  if (head === undefined && from !== "text") {
    const looked = await peek(bytes, PEEK, true);
    head = new TextDecoder().decode(looked.head);
    bytes = looked.whole;
  }
  const framing = framingOf(from, head ?? "");
  if (framing === "text") {
    return {
      format: "text",
      parts: fromText(bytes).pipeThrough(withoutEnd()),
    };
  }
  const provider = providerFormats.includes(from)
    ? from as ProviderName
    : "auto";
  return {
    format: provider === "auto" ? framing : provider,
    parts: framing === "sse"
      ? fromSSE(bytes, { provider })
      : fromJSONL(bytes, { provider }),
  };
}

/** How a stream is framed: as `from` says, as it looks, as its provider does it. */
function framingOf(from: string, head: string): "sse" | "jsonl" | "text" {
  if (from === "text" || from === "sse" || from === "jsonl") return from;
  // What is answered in the place of a stream. Read as one, it is an error.
  if (isWebPage(head) || isErrorBody(head)) return "sse";
  // Nothing at all is a stream that was cut.
  const looks = head.trim() === "" ? "sse" : detectFraming(head);
  if (from === "auto" || looks !== "text") return looks;
  const { transport } = resolveProvider(from as ProviderName);
  return transport === "jsonl" || transport === "any" ? "jsonl" : "sse";
}

/** A plain text has no end mark, so there is nothing to say about its end. */
function withoutEnd(): StageStream<Part, Part> {
  return new StageStream({
    push(part, emit) {
      if (part.type !== "finish" || part.reason !== "unknown") emit(part);
    },
    end() {},
    snapshot: () => null,
  });
}

/** Whether a web page begins here. No model starts an answer like this. */
function isWebPage(head: string): boolean {
  return /^\ufeff?\s*<(?:!doctype\s+html|html)[\s>]/i.test(head.slice(0, 256));
}

/** Whether this is an API's error, on several lines. On one, it is a line of JSON. */
function isErrorBody(head: string): boolean {
  if (!/^\ufeff?\s*\{\s*\n/.test(head.slice(0, 256))) return false;
  try {
    return "error" in JSON.parse(head);
  } catch {
    return false;
  }
}

/** How the first bytes are framed. */
export function detectFraming(head: string): "sse" | "jsonl" | "text" {
  const start = head.replace(/^\ufeff/, "").trimStart();
  if (/^(data|event|id|retry)?:/.test(start)) return "sse";
  if (!start.startsWith("{") && !start.startsWith("[")) return "text";
  const line = start.split("\n", 1)[0]!.trim();
  // A whole JSON object on the first line, or one that is longer than the look.
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" ? "jsonl" : "text";
  } catch {
    return /^(\{\s*"|\[\s*\{)/.test(line) && start.length >= PEEK ||
        line === "[" || line === "[{"
      ? "jsonl"
      : "text";
  }
}

/** The first JSON value of events or lines; `undefined` when there is none. */
function firstValue(head: string): unknown {
  const line = /^(?:data:)?[ \t]*(\{.*)$/m.exec(head)?.[1] ?? "";
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Whether the first bytes are those of a session that a program has stored, and
 * not those of a provider's stream. The streams of Claude Code have the records
 * of its sessions in them, but with `session_id`.
 */
export function isStoredSession(head: string, whole: boolean): boolean {
  let kind: SessionKind | undefined;
  const { stage } = new SessionStream({ onFormat: (found) => kind = found });
  try {
    stage.push(head, () => {});
    if (whole) stage.end(() => {});
  } catch {
    return false;
  }
  if (kind === undefined) return false;
  // A text may well show a record of a session. Comments may stand before one.
  if (!/^\ufeff?\s*(?:\/\/[^\n]*\n\s*)*[{[]/.test(head)) {
    return kind === "aider" || kind === "specstory";
  }
  const first = firstValue(head);
  return typeof first !== "object" || first === null ||
    !("session_id" in first) ||
    !providers.some((provider) => provider.detect(first));
}

/** Bytes looked at, and all of them again. */
interface Peeked {
  head: Uint8Array;
  /** Whether there is nothing behind the head. */
  ended: boolean;
  whole: AsyncGenerator<Uint8Array, void, undefined>;
}

/**
 * Reads the first bytes of a source. Where more has to be waited for, one line
 * with something on it is enough.
 */
async function peek(
  source: AsyncIterable<Uint8Array>,
  most: number,
  waits: boolean,
): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let head: Uint8Array = new Uint8Array(0);
  let ended = false;
  while (head.length < most) {
    const { done, value } = await iterator.next();
    if (done) {
      ended = true;
      break;
    }
    first.push(value);
    head = concat(head, value);
    if (waits && /\S[^\n]*\n/.test(new TextDecoder().decode(head))) break;
  }
  async function* whole(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* first;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  }
  return { head, ended, whole: whole() };
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  onBytes: (length: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const bytes of source) {
    onBytes(bytes.length);
    yield bytes;
  }
}

/** Pieces of `size` characters of UTF-8, whatever pieces come in. */
export async function* rechunk(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array = new Uint8Array(0);
  let characters = 0;
  for await (const chunk of source) {
    let from = 0;
    const bytes = concat(held, chunk);
    for (let at = held.length; at < bytes.length; at++) {
      // Every byte but a continuation byte begins a character.
      if ((bytes[at]! & 0xc0) === 0x80) continue;
      if (characters === size) {
        yield bytes.subarray(from, at);
        from = at;
        characters = 0;
      }
      characters++;
    }
    held = bytes.slice(from);
  }
  if (held.length > 0) yield held;
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

function sessionMessages(
  bytes: AsyncIterable<Uint8Array>,
  kind: SessionKind | undefined,
  options: OpenOptions,
): AsyncIterable<Message> {
  return readParts(
    bytes,
    new SessionStream({
      ...(kind === undefined ? {} : { kind }),
      // Later lines then come as revisions of messages that have left.
      ...(options.follow ? { maxOpenMessages: 4 } : {}),
      onWarning: options.onWarning,
      onFormat: options.onSession,
    }),
  );
}

function startsDatabase(head: Uint8Array): boolean {
  return new TextDecoder().decode(head.subarray(0, 16)) ===
    "SQLite format 3\0";
}

/** A database cannot be read from front to back: of a file only the first bytes are. */
async function* cursorMessages(
  input: Input,
  bytes: AsyncIterable<Uint8Array>,
  options: OpenOptions,
): AsyncGenerator<Message, void, undefined> {
  options.onSession("cursor");
  const { onWarning } = options;
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) {
    pieces.push(piece);
    if (input.path !== undefined) break;
  }
  if (input.path === undefined) {
    yield* cursorSession(openSqliteFile(Buffer.concat(pieces)), { onWarning });
    return;
  }
  const file = openSync(input.path, "r");
  try {
    yield* cursorSession(openDatabase(file, input.path), { onWarning });
  } finally {
    closeSync(file);
  }
}

/** A database, with what was written last and lies beside it. */
function openDatabase(file: number, path: string): CursorDatabase {
  const log = `${path}-wal`;
  return openSqliteFile({
    size: fstatSync(file).size,
    read(offset, length) {
      const buffer = new Uint8Array(length);
      return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
    },
  }, existsSync(log) ? { writeAheadLog: readFileSync(log) } : {});
}
