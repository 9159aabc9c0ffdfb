/**
 * The vocabulary: what flows through every stage. Types only.
 *
 * A {@linkcode Part} is a plain JSON-serialisable object, told apart by `type`.
 * A stage handles the types it knows and passes every other part through
 * untouched, so parts of your own survive a pipeline.
 *
 * Offsets (`start`, `end`) are UTF-16 code units, counted from the beginning of
 * the text channel: the text an adapter gave out, before any stage cut
 * something out of it.
 *
 * @example Telling parts apart
 * ```ts
 * import type { Part } from "@millrace/millrace";
 *
 * function show(part: Part): string {
 *   switch (part.type) {
 *     case "text":
 *       return part.text;
 *     case "tool-call":
 *       return `[${part.toolName}]`;
 *     default:
 *       return "";
 *   }
 * }
 *
 * if (show({ type: "text", text: "hi", start: 0 }) !== "hi") throw new Error();
 * ```
 *
 * @module
 */

/**
 * Why a piece of text is not prose. `"fence"`: content of a fenced code block,
 * without container prefixes and the opener's indentation. `"marker"`: the
 * opening or closing line of a fence, or a container prefix inside one.
 * `"inline"`: a code span, marked only with `inline: "hold"`.
 */
export type CodeKind = "fence" | "marker" | "inline";

/** A piece of the answer's text. */
export interface TextPart {
  /** The tag of this part. */
  type: "text";
  /** The text, never empty when a stage made the part. */
  text: string;
  /** Offset of the first code unit in the text channel. */
  start: number;
  /** Set when the text is code; absent for prose. */
  code?: CodeKind;
}

/** A piece of the model's reasoning. It is not part of the text channel. */
export interface ReasoningPart {
  /** The tag of this part. */
  type: "reasoning";
  /** The reasoning text. */
  text: string;
}

/** What is known of a fenced code block. */
export interface Fence {
  /** Unique within the stream. */
  id: string;
  /** The info string: trimmed, escapes and entities decoded. May be empty. */
  info: string;
  /** First word of `info`; absent when `info` is empty. */
  language?: string;
  /** What follows the first word of `info`; absent when there is nothing. */
  meta?: string;
  /** The run of backticks or tildes, as written. */
  marker: string;
  /** Offset of the marker's first code unit. */
  start: number;
}

/** A fence opens. Zero-width; its opening line follows as marker text. */
export interface FenceStartPart {
  /** The tag of this part. */
  type: "fence-start";
  /** The fence that opens. */
  fence: Fence;
}

/** A fence ends. Zero-width; its closing line went before as marker text. */
export interface FenceEndPart {
  /** The tag of this part. */
  type: "fence-end";
  /** The fence that ends. */
  fence: Fence;
  /** Whether a closing line was seen; `false` when its container or the stream ended first. */
  closed: boolean;
  /** Offset behind the fence: behind the closing line, without its line end. */
  end: number;
}

/** A directive's opening tag is complete. */
export interface DirectiveStartPart {
  /** The tag of this part. */
  type: "directive-start";
  /** Shared by all parts of one directive. */
  id: string;
  /** The tag name, as written. */
  name: string;
  /** Attributes in order of appearance; `""` for one without a value. */
  attributes: Record<string, string>;
  /** The label of a container (`:::name[label]`), when it has one. */
  label?: string;
  /** Offset of the opener's first code unit. */
  start: number;
}

/** More content of an open directive. */
export interface DirectiveDeltaPart {
  /** The tag of this part. */
  type: "directive-delta";
  /** Which directive. */
  id: string;
  /** The directive's name. */
  name: string;
  /** The new content, byte for byte. */
  text: string;
  /** The value so far, with the option `partials`. */
  partial?: {
    /** Everything since the opener, byte for byte. */
    content: string;
    /** The declared fields as far as they came. */
    fields?: Record<string, string | undefined>;
  };
}

/** A directive is over. */
export interface DirectivePart {
  /** The tag of this part. */
  type: "directive";
  /** Shared by all parts of one directive. */
  id: string;
  /** The tag name, as written. */
  name: string;
  /** Attributes in order of appearance; `""` for one without a value. */
  attributes: Record<string, string>;
  /** The label of a container (`:::name[label]`), when it has one. */
  label?: string;
  /** Everything between the tags, byte for byte. */
  content: string;
  /** Content of the nested one-level tags that the options declare as fields. */
  fields?: Record<string, string | undefined>;
  /** The validated value, when the options give a schema and it held. */
  value?: unknown;
  /** `false` when the stream ended before the closer. */
  complete: boolean;
  /** Opener, content and closer as written. */
  raw: string;
  /** Offset of the opener's first code unit. */
  start: number;
  /** Offset behind the closer. */
  end: number;
}

/** A native tool call begins; its arguments follow as deltas. */
export interface ToolInputStartPart {
  /** The tag of this part. */
  type: "tool-input-start";
  /** The call's id. */
  toolCallId: string;
  /** The tool's name, `""` while unknown. */
  toolName: string;
}

/** A piece of a native tool call's argument text. */
export interface ToolInputDeltaPart {
  /** The tag of this part. */
  type: "tool-input-delta";
  /** The call's id. */
  toolCallId: string;
  /** The piece of JSON text. */
  delta: string;
}

/** A tool call that the backend sent as one. */
export interface NativeToolCallPart {
  /** The tag of this part. */
  type: "tool-call";
  /** The call's id. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** The parsed arguments. */
  input: unknown;
  /** Where the call comes from. */
  origin: "native";
}

/**
 * A tool call recovered from text. It is a suggestion: the host keeps its
 * approval step, since a model can be talked into writing one.
 */
export interface SalvagedToolCallPart {
  /** The tag of this part. */
  type: "tool-call";
  /** An id made up by the salvager, unique within the stream. */
  toolCallId: string;
  /** The tool's name, one of those offered. */
  toolName: string;
  /** The converted arguments. */
  input: unknown;
  /** Where the call comes from. */
  origin: "salvaged";
  /** Name of the dialect that read it. */
  dialect: string;
  /** The markup as written. */
  raw: string;
  /** Offset of the first code unit of `raw`. */
  start: number;
  /** Offset behind `raw`. */
  end: number;
  /** Names of the meaning-preserving repairs that were needed; usually empty. */
  repairs: string[];
}

/** A complete tool call, of either origin. */
export type ToolCallPart = NativeToolCallPart | SalvagedToolCallPart;

/** A call whose arguments never completed. It must not run. */
export interface ToolCallPartialPart {
  /** The tag of this part. */
  type: "tool-call-partial";
  /** The call's id. */
  toolCallId: string;
  /** The tool's name, if it came. */
  toolName?: string;
  /** The argument text as far as it came. */
  inputText: string;
}

/** What a tool gave back. */
export interface ToolResultPart {
  /** The tag of this part. */
  type: "tool-result";
  /** The call this answers. */
  toolCallId: string;
  /** The result, as the wire had it. */
  output: unknown;
}

/** A call that the tool gate did not let through. */
export interface ToolBlockedPart {
  /** The tag of this part. */
  type: "tool-blocked";
  /** The blocked call's id. */
  toolCallId: string;
  /** The blocked call's tool. */
  toolName: string;
  /** Why, in words for the model. */
  reason: string;
  /** A salvaged call's markup as written. */
  raw?: string;
  /** Offset of the first code unit of `raw`. */
  start?: number;
  /** Offset behind `raw`. */
  end?: number;
}

/** A piece of code with what is known of its place. */
export interface SnippetPart {
  /** The tag of this part. */
  type: "snippet";
  /** The language as written; absent when the fence names none. */
  language?: string;
  /** The language normalised (`js` → `javascript`), or guessed from the file name. */
  languageId?: string;
  /**
   * The code of a fence as lines, each with LF at its end as CommonMark has them,
   * also the last one of a text that is cut; what a tool call writes as written.
   */
  content: string;
  /** The file it belongs to, as written. */
  filePath?: string;
  /** Where `filePath` was found. */
  pathSource?: string;
  /** First and last line, 1-based, inclusive. */
  lineRange?: [number, number];
  /**
   * Whether the snippet is whole: `false` when its container or the stream ended
   * before the closing fence, or when it is cut at a limit.
   */
  closed: boolean;
  /** Offset of the fence's marker. */
  start: number;
  /** Offset behind the closing line. */
  end: number;
  /** The fence's info string. */
  info?: string;
  /** What follows the first word of `info`. */
  meta?: string;
  /** Shared with the parts that came while the snippet was open; only with `live`. */
  id?: string;
  /** The tool call that writes this code. */
  toolCallId?: string;
  /** The code that this code takes the place of, when a tool call says so. */
  replaces?: string;
}

/** A snippet begins; only with the snippet extractor's `live`. */
export interface SnippetStartPart {
  /** The tag of this part. */
  type: "snippet-start";
  /** Shared by all parts of one snippet. */
  id: string;
  /** The language as written, as far as the opening line tells. */
  language?: string;
  /** The language normalised, or guessed from the file name. */
  languageId?: string;
  /** The file, as far as the opening line and what is above it tell. */
  filePath?: string;
  /** Where `filePath` was found. */
  pathSource?: string;
  /** First and last line, 1-based, inclusive. */
  lineRange?: [number, number];
  /** Offset of the fence's marker. */
  start: number;
  /** The fence's info string. */
  info?: string;
  /** What follows the first word of `info`. */
  meta?: string;
}

/** More code of an open snippet; only with the snippet extractor's `live`. */
export interface SnippetDeltaPart {
  /** The tag of this part. */
  type: "snippet-delta";
  /** Which snippet. */
  id: string;
  /** The new code: line ends normalised to LF. */
  text: string;
}

/** Token counts. Later ones replace earlier ones. */
export interface UsagePart {
  /** The tag of this part. */
  type: "usage";
  /** Tokens of the request. */
  inputTokens?: number;
  /** Tokens of the answer. */
  outputTokens?: number;
  /** Both together. */
  totalTokens?: number;
  /** Tokens of the answer that were reasoning. */
  reasoningTokens?: number;
  /** Tokens of the request that came from a cache. */
  cachedInputTokens?: number;
}

/** Why a stream ended. `"unknown"`: it just stopped. */
export type FinishReason =
  | "stop"
  | "length"
  | "tool-calls"
  | "content-filter"
  | "error"
  | "cancelled"
  | "unknown";

/** The stream is over. */
export interface FinishPart {
  /** The tag of this part. */
  type: "finish";
  /** Why, in the common vocabulary. */
  reason: FinishReason;
  /** Why, in the provider's word. */
  rawReason?: string;
  /** Whether a terminal marker (or reason) was seen. */
  complete: boolean;
}

/** The stable codes of warnings. Third parties may add their own. */
export type WarningCode =
  | "truncated"
  | "unknown-tool"
  | "quoted"
  | "position"
  | "malformed"
  | "schema"
  | "too-long"
  | "limit"
  | "invalid-line"
  | "line-too-long"
  | "not-an-event-stream"
  | "invalid-utf8"
  | "inline-call"
  | "orphan-closer"
  | "repaired"
  | "fault"
  | (string & Record<never, never>);

/** Something was repaired, rejected or dropped, and here it is said. */
export interface WarningPart {
  /** The tag of this part. */
  type: "warning";
  /** What kind of thing, for programs. */
  code: WarningCode;
  /** What happened, where, and what to do, for people. */
  message: string;
  /** Offset in the text channel where it begins, when it is about text. */
  start?: number;
  /** Offset behind it. */
  end?: number;
}

/** What went wrong, as plain data. */
export interface ErrorInfo {
  /** The class or type of the error. */
  name: string;
  /** What happened. */
  message: string;
  /** A stable or provider-given code. */
  code?: string;
}

/** An error that came in the stream, or of the stream. */
export interface ErrorPart {
  /** The tag of this part. */
  type: "error";
  /** What went wrong. */
  error: ErrorInfo;
  /** Whether nothing more can come. */
  fatal: boolean;
}

/** Anything an adapter does not know passes through in this. */
export interface RawPart {
  /** The tag of this part. */
  type: "raw";
  /** The thing itself. */
  value: unknown;
}

/** One element of the stream. */
export type Part =
  | TextPart
  | ReasoningPart
  | FenceStartPart
  | FenceEndPart
  | DirectiveStartPart
  | DirectiveDeltaPart
  | DirectivePart
  | ToolInputStartPart
  | ToolInputDeltaPart
  | ToolCallPart
  | ToolCallPartialPart
  | ToolResultPart
  | ToolBlockedPart
  | SnippetPart
  | SnippetStartPart
  | SnippetDeltaPart
  | UsagePart
  | FinishPart
  | WarningPart
  | ErrorPart
  | RawPart;

/** The parts of one type: `PartOf<"text">` is {@linkcode TextPart}. */
export type PartOf<Type extends Part["type"]> = Extract<Part, { type: Type }>;
