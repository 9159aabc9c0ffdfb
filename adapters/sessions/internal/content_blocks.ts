import { isObject, type JSONObject, wordOf } from "../../internal/json.ts";
import type { Block } from "../message.ts";

/** The blocks of a `content`: text, or a list of blocks in any of the usual shapes. */
export function blocksOf(content: unknown): Block[] {
  if (typeof content === "string") {
    return content === "" ? [] : [{ type: "text", text: content }];
  }
  if (Array.isArray(content)) return content.map(blockOf);
  return content === null || content === undefined ? [] : [blockOf(content)];
}

/** One block; what is not known comes as it is. */
export function blockOf(value: unknown): Block {
  if (typeof value === "string") return { type: "text", text: value };
  if (!isObject(value)) return { type: "raw", value };
  switch (value["type"]) {
    case "text":
    case "input_text":
    case "output_text":
    case undefined:
      return typeof value["text"] === "string"
        ? { type: "text", text: value["text"] }
        : inlineImage(value) ?? { type: "raw", value };
    case "thinking":
    case "redacted_thinking":
    case "reasoning":
      return {
        type: "reasoning",
        text: wordOf(value["thinking"]) ?? wordOf(value["text"]) ?? "",
      };
    case "image":
    case "input_image":
    case "imageUrl":
    case "image_url":
      return imageOf(value);
    case "tool_use":
    case "tool-call":
    case "tool_call":
    case "toolCall":
    case "server_tool_use":
      return toolCallOf(
        value["id"],
        value["name"],
        value["input"] ?? value["arguments"],
      );
    case "tool-result":
    case "tool_result":
      return toolResultOf(
        value["tool_use_id"] ?? value["id"],
        value["content"] ?? value["output"],
        value["is_error"] === true,
      );
    default:
      return { type: "raw", value };
  }
}

/** A call; arguments that are JSON text are parsed. */
export function toolCallOf(id: unknown, name: unknown, input: unknown): Block {
  const toolCallId = wordOf(id);
  return {
    type: "tool-call",
    ...(toolCallId === undefined ? {} : { toolCallId }),
    toolName: typeof name === "string" ? name : "",
    input: argumentsOf(input),
  };
}

export function toolResultOf(
  id: unknown,
  output: unknown,
  isError: boolean,
): Block {
  const toolCallId = wordOf(id);
  return {
    type: "tool-result",
    ...(toolCallId === undefined ? {} : { toolCallId }),
    output: output ?? null,
    ...(isError ? { isError } : {}),
  };
}

/** Arguments as an object where they are JSON text of one; otherwise as they are. */
export function argumentsOf(input: unknown): unknown {
  if (typeof input !== "string" || !/^\s*\{/.test(input)) return input ?? null;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

/** A picture as Gemini has it, `{inlineData: {mimeType, data}}`. */
function inlineImage(value: JSONObject): Block | undefined {
  const inline = value["inlineData"];
  if (!isObject(inline)) return undefined;
  const mediaType = wordOf(inline["mimeType"]);
  const data = wordOf(inline["data"]);
  return mediaType?.startsWith("image/") !== true || data === undefined
    ? undefined
    : { type: "image", mediaType, data };
}

function imageOf(value: JSONObject): Block {
  const source = isObject(value["source"]) ? value["source"] : value;
  const address = value["image_url"] ?? value["imageUrl"] ?? source["url"];
  const url = isObject(address) ? address["url"] : address;
  const image: Block = { type: "image" };
  const mediaType = wordOf(source["media_type"]) ?? wordOf(source["mimeType"]);
  const data = wordOf(source["data"]);
  if (mediaType !== undefined) image.mediaType = mediaType;
  if (data !== undefined) image.data = data;
  if (typeof url !== "string") return image;
  const match = /^data:([\w.+/-]*)(?:;[\w=-]*)*;base64,/.exec(
    url.slice(0, 256),
  );
  if (match === null) return { ...image, url };
  return {
    ...image,
    ...(match[1] ? { mediaType: match[1] } : {}),
    data: url.slice(match[0].length),
  };
}

/** A time as ISO 8601: text as it is, milliseconds (or seconds) since 1970 converted. */
export function timestampOf(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value !== "number" || !(value > 0)) return undefined;
  const milliseconds = value < 1e11 ? value * 1_000 : value;
  return milliseconds < 8.64e15
    ? new Date(milliseconds).toISOString()
    : undefined;
}
