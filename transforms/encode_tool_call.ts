/**
 * Turning a recovered call back into what an API would have sent.
 *
 * @module
 */

import type { ToolCallPart } from "./part.ts";

/** The shapes that {@linkcode encodeToolCall} knows, by the API they belong to. */
export interface EncodedToolCalls {
  /** A content block of Anthropic's Messages API. */
  anthropic: {
    /** The tag of this block. */
    type: "tool_use";
    /** The call's id. */
    id: string;
    /** The tool's name. */
    name: string;
    /** The arguments. */
    input: unknown;
  };
  /** An element of `tool_calls` in OpenAI's Chat Completions API. */
  "openai-chat": {
    /** The call's id. */
    id: string;
    /** The kind of tool. */
    type: "function";
    /** What is called. */
    function: {
      /** The tool's name. */
      name: string;
      /** The arguments, as JSON text. */
      arguments: string;
    };
  };
  /** An item of OpenAI's Responses API. */
  "openai-responses": {
    /** The kind of item. */
    type: "function_call";
    /** The call's id. */
    call_id: string;
    /** The tool's name. */
    name: string;
    /** The arguments, as JSON text. */
    arguments: string;
  };
  /** A part of Gemini's `generateContent`. */
  gemini: {
    /** What is called. */
    functionCall: {
      /** The call's id. */
      id: string;
      /** The tool's name. */
      name: string;
      /** The arguments. */
      args: unknown;
    };
  };
  /** An element of `tool_calls` in Ollama's chat API, which has no ids. */
  ollama: {
    /** What is called. */
    function: {
      /** The tool's name. */
      name: string;
      /** The arguments. */
      arguments: unknown;
    };
  };
  /** A content part of the AI SDK's messages. */
  "ai-sdk": {
    /** The tag of this part. */
    type: "tool-call";
    /** The call's id. */
    toolCallId: string;
    /** The tool's name. */
    toolName: string;
    /** The arguments. */
    input: unknown;
  };
}

/**
 * Gives a call in the shape in which an API's own messages hold calls.
 *
 * Leaked markup in a conversation's history is an example that the model will
 * follow. Store this beside the text that is left, and not the leak.
 *
 * Throws a `RangeError` for a shape it does not know.
 *
 * @param call The call, of either origin.
 * @param shape Which API's shape.
 * @returns A new object; `input` is the call's own.
 *
 * @example
 * ```ts
 * import { encodeToolCall, parse, ToolCallSalvagerStream } from "@millrace/millrace";
 *
 * const text = '<tool_call>{"name": "now", "arguments": {}}</tool_call>';
 * const stream = new ToolCallSalvagerStream({ tools: [{ name: "now" }] });
 * for (const part of parse(text, stream)) {
 *   if (part.type !== "tool-call") continue;
 *   const block = encodeToolCall(part);
 *   if (block.type !== "tool_use" || block.name !== "now") throw new Error();
 *   const other = encodeToolCall(part, "openai-chat");
 *   if (other.function.arguments !== "{}") throw new Error();
 * }
 * ```
 */
export function encodeToolCall<
  Shape extends keyof EncodedToolCalls = "anthropic",
>(
  call: Pick<ToolCallPart, "toolCallId" | "toolName" | "input">,
  shape: Shape = "anthropic" as Shape,
): EncodedToolCalls[Shape] {
  const encode: ((call: CallFields) => unknown) | undefined =
    Object.hasOwn(SHAPES, shape) ? SHAPES[shape] : undefined;
  if (encode === undefined) {
    throw new RangeError(
      `Cannot encode a tool call: there is no shape "${shape}"; known are ${
        Object.keys(SHAPES).map((name) => `"${name}"`).join(", ")
      }`,
    );
  }
  return encode(call) as EncodedToolCalls[Shape];
}

type CallFields = Pick<ToolCallPart, "toolCallId" | "toolName" | "input">;

const SHAPES: {
  readonly [Shape in keyof EncodedToolCalls]: (
    call: CallFields,
  ) => EncodedToolCalls[Shape];
} = {
  anthropic: ({ toolCallId, toolName, input }) => ({
    type: "tool_use",
    id: toolCallId,
    name: toolName,
    input,
  }),
  "openai-chat": ({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    type: "function",
    function: { name: toolName, arguments: jsonOf(input) },
  }),
  "openai-responses": ({ toolCallId, toolName, input }) => ({
    type: "function_call",
    call_id: toolCallId,
    name: toolName,
    arguments: jsonOf(input),
  }),
  gemini: ({ toolCallId, toolName, input }) => ({
    functionCall: { id: toolCallId, name: toolName, args: input },
  }),
  ollama: ({ toolName, input }) => ({
    function: { name: toolName, arguments: input },
  }),
  "ai-sdk": ({ toolCallId, toolName, input }) => ({
    type: "tool-call",
    toolCallId,
    toolName,
    input,
  }),
};

function jsonOf(input: unknown): string {
  return JSON.stringify(input) ?? "{}";
}
