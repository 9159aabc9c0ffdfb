import { isObject, type JSONObject } from "../../internal/json.ts";
import { aider } from "./formats/aider.ts";
import { claudeCode } from "./formats/claude_code.ts";
import { clineHistory, clineMessages } from "./formats/cline.ts";
import { codex } from "./formats/codex.ts";
import { continueSession } from "./formats/continue.ts";
import { copilot } from "./formats/copilot.ts";
import { cursorTranscript } from "./formats/cursor_transcript.ts";
import { gemini, geminiDocument } from "./formats/gemini.ts";
import { geminiCheckpoint } from "./formats/gemini_checkpoint.ts";
import { openCode } from "./formats/opencode.ts";
import { pi } from "./formats/pi.ts";
import { SPEAKER, specStory } from "./formats/specstory.ts";
import type { SessionFormat } from "./session_format.ts";

/** So much of a file is looked at before it is given up, in characters. */
export const LONGEST_HEAD = 1_048_576;

/** Lines that are looked at: files begin with comments and broken lines now and then. */
const MOST_LINES = 200;

/**
 * The format of a file by its beginning; `undefined` when it does not show yet,
 * `null` when it is none of those known.
 *
 * @param head The text so far.
 * @param whole Whether there is no more.
 */
export function detectFormat(
  head: string,
  whole: boolean,
): SessionFormat | undefined | null {
  const text = head.replace(/^\ufeff/, "").trimStart();
  if (text === "") return whole ? null : undefined;
  if (text.startsWith("SQLite format 3\0")) return null;
  const found = text.startsWith("[")
    ? documentOfArray(text)
    : byLines(text, whole) ?? documentOfObject(text);
  return found ?? (whole || head.length >= LONGEST_HEAD ? null : undefined);
}

function byLines(text: string, whole: boolean): SessionFormat | undefined {
  let start = 0;
  for (let count = 0; count < MOST_LINES && start < text.length; count++) {
    const end = text.indexOf("\n", start);
    if (end < 0 && !whole) return undefined;
    const line = text.slice(start, end < 0 ? text.length : end).trim();
    start = end < 0 ? text.length : end + 1;
    const found = line.startsWith("{") ? ofRecord(line) : ofTextLine(line);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofTextLine(line: string): SessionFormat | undefined {
  if (/^# aider chat started at /.test(line)) return aider;
  if (line.startsWith("_**") && SPEAKER.test(line)) return specStory;
  return undefined;
}

function ofRecord(line: string): SessionFormat | undefined {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(record)) return undefined;
  const { type, role, message, payload, data } = record;
  if (
    isObject(payload) &&
    /^(?:session_meta|response_item|event_msg|turn_context|compacted)$/
      .test(String(type))
  ) return codex;
  if (typeof type === "string" && isObject(data) && type.includes(".")) {
    return copilot;
  }
  if (type === "session" && "id" in record) return pi;
  if ("sessionId" in record && "projectHash" in record) {
    // One line can be a whole session of the older form.
    return "messages" in record ? geminiDocument : gemini;
  }
  if (isClaudeRecord(record)) return claudeCode;
  if (typeof role === "string" && isObject(message)) return cursorTranscript;
  if (
    typeof role === "string" && "content" in record ||
    record["record_type"] === "state" ||
    type === "message" && typeof role === "string" ||
    "instructions" in record && "id" in record && "timestamp" in record
  ) return codex;
  if (type === "message" && isObject(message)) return pi;
  if ("$set" in record || type === "gemini") return gemini;
  return documentOfObject(line);
}

function isClaudeRecord(record: JSONObject): boolean {
  const { type, message } = record;
  if ((type === "user" || type === "assistant") && isObject(message)) {
    return true;
  }
  return type === "summary" && "leafUuid" in record ||
    type === "file-history-snapshot" || type === "queue-operation" ||
    typeof type === "string" && "sessionId" in record && "parentUuid" in record;
}

/** A list of contents of the Gemini API. */
const CONTENTS = /^\[\s*\{\s*(?:"role"\s*:\s*"\w+"\s*,\s*)?"parts"\s*:\s*\[/;

/** A document that is an array, by its first elements. */
function documentOfArray(text: string): SessionFormat | undefined {
  const head = text.slice(0, 65_536);
  if (CONTENTS.test(head)) return geminiCheckpoint;
  if (/"(?:say|ask)"\s*:\s*"/.test(head) && /"ts"\s*:\s*\d/.test(head)) {
    return clineMessages;
  }
  return /"role"\s*:\s*"(?:user|assistant|system)"/.test(head) &&
      /"content"\s*:/.test(head)
    ? clineHistory
    : undefined;
}

/** A document that is an object, by its keys. */
function documentOfObject(text: string): SessionFormat | undefined {
  if (!text.startsWith("{")) return undefined;
  const head = text.slice(0, LONGEST_HEAD);
  const has = (key: string): boolean => new RegExp(`"${key}"\\s*:`).test(head);
  const history = /"history"\s*:\s*\[/.exec(head);
  if (has("history") && history !== null) {
    const list = head.slice(history.index + history[0].length - 1);
    return CONTENTS.test(list) ? geminiCheckpoint : continueSession;
  }
  if (
    /"messages"\s*:\s*\[/.test(head) &&
    (has("projectHash") || has("sessionId") ||
      /"type"\s*:\s*"(?:gemini|user)"/.test(head))
  ) return geminiDocument;
  return /"(?:message|part|session)\/[^"\n]*\.json"\s*:/.test(head)
    ? openCode
    : undefined;
}
