/**
 * What stored sessions are read into.
 *
 * @module
 */

import type { SnippetPart, WarningPart } from "../../transforms/part.ts";
import type { SnippetConvention } from "../../transforms/snippet_convention.ts";
import type { StageStreamOptions } from "../../transforms/stage.ts";
import type { ToolEdit } from "../../transforms/tool_edit.ts";

/** The programs whose stored sessions can be read. */
export type SessionKind =
  | "aider"
  | "claude-session"
  | "cline"
  | "codex-session"
  | "continue"
  | "copilot"
  | "cursor"
  | "gemini-session"
  | "opencode"
  | "pi"
  | "specstory";

/** A piece of a message, in the order of the file. */
export type Block =
  | TextBlock
  | ReasoningBlock
  | ImageBlock
  | ToolCallBlock
  | ToolResultBlock
  | RawBlock;

/** Text, Markdown as a rule. */
export interface TextBlock {
  /** The tag of this block. */
  type: "text";
  /** The text. */
  text: string;
}

/** The model's reasoning, or a summary of it. */
export interface ReasoningBlock {
  /** The tag of this block. */
  type: "reasoning";
  /** The text; `""` when only an encrypted form is stored. */
  text: string;
}

/** A picture. */
export interface ImageBlock {
  /** The tag of this block. */
  type: "image";
  /** Its media type. */
  mediaType?: string;
  /** Its bytes as base64. */
  data?: string;
  /** Its address. */
  url?: string;
}

/** A call of a tool. */
export interface ToolCallBlock {
  /** The tag of this block. */
  type: "tool-call";
  /** The call's id. */
  toolCallId?: string;
  /** The tool. */
  toolName: string;
  /** The arguments: parsed when the file has them as JSON text. */
  input: unknown;
}

/** What a tool gave back. */
export interface ToolResultBlock {
  /** The tag of this block. */
  type: "tool-result";
  /** The call it answers. */
  toolCallId?: string;
  /** The result, as the file has it. */
  output: unknown;
  /** Whether the call failed. */
  isError?: boolean;
}

/** Something no reader knows. */
export interface RawBlock {
  /** The tag of this block. */
  type: "raw";
  /** The thing itself. */
  value: unknown;
}

/** A piece of code in a message. */
export interface CodeSnippet extends Omit<SnippetPart, "type" | "id"> {
  /**
   * Which of the message's blocks it is in. `start` and `end` are offsets in
   * that block's text, 0 for code of a tool call.
   */
  block: number;
  /** The tool whose call wrote it; `apply_patch` also where a shell's command calls that. */
  toolName?: string;
  /** `true` when the call failed: this code was not written. */
  failed?: boolean;
  /**
   * The lines that the call changed in this file, with the context the program
   * shows, when the session tells them: one range for each place. `lineRange`
   * reaches from the first to the last of those that hold this snippet.
   */
  appliedRanges?: [number, number][];
}

/** One message of a stored session. */
export interface Message {
  /** Its id in the file, or `line-` and the number of its line (`item-` and of its element). */
  id: string;
  /**
   * Who speaks. `tool` are results of tools, and calls where the file has them
   * apart from what the assistant says (Codex; then `origin` is `model`);
   * `system` is also what the program put in as if the user had said it and
   * marked as such.
   */
  role:
    | "user"
    | "assistant"
    | "system"
    | "tool"
    | (string & Record<never, never>);
  /** When, as ISO 8601. */
  timestamp?: string;
  /** The model that wrote it, or made the call. */
  model?: string;
  /** Its content, in order. */
  blocks: Block[];
  /** The code in its text and in its tool calls. */
  snippets: CodeSnippet[];
  /** Whether there is any snippet. */
  hasCode: boolean;
  /** Who made it really: much that has the role `user` comes from the program. */
  origin: "person" | "model" | "program" | "tool";
  /** The message it follows, where the format has threads and the parent was seen. */
  parentId?: string;
  /** Whether it belongs to a subagent. */
  sidechain?: boolean;
  /** The session (conversation, task) it belongs to. */
  sessionId?: string;
  /** The directory that relative paths are meant from. */
  cwd?: string;
  /** The line where it begins, from 1, in formats of lines. */
  line?: number;
  /** The element that it is, from 0, in formats that are one JSON document. */
  index?: number;
  /**
   * `true` when a message of this id has come already and this one takes its
   * place or goes on with it: it was changed after it had to leave.
   */
  revision?: boolean;
}

/** What is wrong with a file, and where. */
export interface SessionWarning extends WarningPart {
  /** The line, from 1. */
  line?: number;
}

/** Options of all importers of stored sessions. */
export interface SessionStreamOptions extends StageStreamOptions {
  /**
   * Whether snippets get their place also by guesses. See
   * `SnippetExtractorStreamOptions`.
   *
   * @default {false}
   */
  guess?: boolean;
  /** Ways of your own to tell a snippet's place. */
  conventions?: readonly SnippetConvention[];
  /** Rows to add to the table of tools whose calls write files; `false`: none at all. */
  toolEdits?: readonly ToolEdit[] | false;
  /**
   * The longest line or element, in characters. A longer one is reported and
   * skipped.
   *
   * @default {67108864}
   */
  maxLineChars?: number;
  /**
   * How many messages may be open, waiting for what later lines add to them.
   * The oldest leaves when there are more.
   *
   * @default {256}
   */
  maxOpenMessages?: number;
  /**
   * How many characters of open messages are kept.
   *
   * @default {33554432}
   */
  maxOpenChars?: number;
  /** Told of lines that are no JSON, are too long or cut, and of bytes that are not UTF-8. */
  onWarning?: (warning: SessionWarning) => void;
  /** Goes on where the stream with this snapshot stopped. */
  snapshot?: unknown;
}
