import { type Fields, given, isNothing, isObject } from "./json.ts";
import { untranslatable } from "./problem.ts";
import type { Translated } from "./translate.ts";

/** What only tunes the answer: it is left out and reported. */
const TUNING = new Set([
  "context_management",
  "inference_geo",
  "service_tier",
  "speed",
  "top_k",
]);

/** What has been dealt with. */
const KNOWN = new Set([
  "max_tokens",
  "messages",
  "metadata",
  "model",
  "output_config",
  "stop_sequences",
  "stream",
  "system",
  "temperature",
  "thinking",
  "tool_choice",
  "tools",
  "top_p",
]);

/**
 * A request for Anthropic's messages in the form of chat completions.
 *
 * @param request The request.
 * @throws {Problem} When it asks for what that API has not.
 */
export function fromAnthropic(request: Fields): Translated {
  const dropped = new Set<string>();
  for (const [name, value] of Object.entries(request)) {
    if (value === undefined || value === null || KNOWN.has(name)) continue;
    if (!TUNING.has(name)) throw untranslatable(`"${name}"`);
    dropped.add(name);
  }
  if (isObject(request.output_config)) {
    if (!isNothing(request.output_config.format)) {
      throw untranslatable('"output_config.format"');
    }
    dropped.add("output_config");
  }
  // An upstream that reasons does so unasked.
  if (isObject(request.thinking) && request.thinking.type !== "disabled") {
    dropped.add("thinking");
  }
  const { max_tokens, temperature, top_p, stop_sequences, metadata } = request;
  const system = textOf(request.system, "system");
  const tools = toolsOf(request.tools);
  return {
    body: {
      model: request.model,
      ...given({ max_tokens, temperature, top_p }),
      ...(Array.isArray(stop_sequences) && stop_sequences.length > 0
        ? { stop: stop_sequences }
        : {}),
      ...(isObject(metadata) ? given({ user: metadata.user_id }) : {}),
      messages: [
        ...(system === "" ? [] : [{ role: "system", content: system }]),
        ...(request.messages as unknown[]).flatMap((message, index) =>
          messagesOf(message, `messages[${index}]`, dropped)
        ),
      ],
      ...(tools.length > 0 ? { tools, ...choiceOf(request.tool_choice) } : {}),
    },
    dropped: [...dropped],
  };
}

function toolsOf(tools: unknown): Fields[] {
  if (isNothing(tools)) return [];
  if (!Array.isArray(tools)) throw untranslatable('"tools" that are no list');
  return tools.map((tool, index) => {
    if (!isObject(tool) || !isObject(tool.input_schema)) {
      throw untranslatable(
        `tools[${index}], which the API runs or knows itself,`,
      );
    }
    const { name, description, input_schema } = tool;
    return {
      type: "function",
      function: { name, ...given({ description }), parameters: input_schema },
    };
  });
}

function choiceOf(choice: unknown): Fields {
  if (!isObject(choice)) return {};
  const { type, name, disable_parallel_tool_use } = choice;
  const tool_choice = type === "auto"
    ? "auto"
    : type === "any"
    ? "required"
    : type === "none"
    ? "none"
    : type === "tool"
    ? { type: "function", function: { name } }
    : undefined;
  if (tool_choice === undefined) throw untranslatable('this "tool_choice"');
  return {
    tool_choice,
    ...(disable_parallel_tool_use === true
      ? { parallel_tool_calls: false }
      : {}),
  };
}

/** One message may be several: every result of a tool is one of its own. */
function messagesOf(
  message: unknown,
  where: string,
  dropped: Set<string>,
): Fields[] {
  if (!isObject(message)) throw untranslatable(`${where}, no object,`);
  const { role, content } = message;
  if (role !== "user" && role !== "assistant") {
    throw untranslatable(`${where}, a "${String(role)}" message,`);
  }
  if (typeof content === "string") return [{ role, content }];
  const blocks = blocksOf(content, where);
  return role === "user"
    ? userMessages(blocks, where)
    : assistantMessages(blocks, where, dropped);
}

function blocksOf(content: unknown, where: string): Fields[] {
  if (!Array.isArray(content) || !content.every(isObject)) {
    throw untranslatable(`the content of ${where}`);
  }
  return content;
}

function assistantMessages(
  blocks: readonly Fields[],
  where: string,
  dropped: Set<string>,
): Fields[] {
  const texts: string[] = [];
  const tool_calls: Fields[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(String(block.text));
        break;
      case "thinking":
      case "redacted_thinking":
        dropped.add("thinking");
        break;
      case "tool_use":
        tool_calls.push({
          id: block.id,
          type: "function",
          function: {
            name: block.name,
            arguments: JSON.stringify(block.input ?? {}),
          },
        });
        break;
      default:
        throw untranslatable(`a "${String(block.type)}" block in ${where}`);
    }
  }
  if (texts.length === 0 && tool_calls.length === 0) return [];
  return [{
    role: "assistant",
    content: texts.length === 0 ? null : texts.join(""),
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  }];
}

function userMessages(blocks: readonly Fields[], where: string): Fields[] {
  const results: Fields[] = [];
  const parts: Fields[] = [];
  for (const block of blocks) {
    if (block.type !== "tool_result") {
      parts.push(partOf(block, where));
      continue;
    }
    const texts: string[] = [];
    const given = block.content;
    for (
      const inner of isNothing(given)
        ? []
        : typeof given === "string"
        ? [{ type: "text", text: given }]
        : blocksOf(given, where)
    ) {
      // A tool's message takes text only: images follow in the user's.
      if (inner.type === "text") texts.push(String(inner.text));
      else parts.push(partOf(inner, where));
    }
    const text = texts.join("\n");
    results.push({
      role: "tool",
      tool_call_id: block.tool_use_id,
      // There, a failure is told in words.
      content: block.is_error === true ? `Error: ${text}` : text,
    });
  }
  if (parts.length === 0) return results;
  // Servers of simple models take nothing but a string.
  const content = parts.every((part) => part.type === "text")
    ? parts.map((part) => part.text).join("\n")
    : parts;
  return [...results, { role: "user", content }];
}

function partOf(block: Fields, where: string): Fields {
  const { type, source } = block;
  if (type === "text") return { type: "text", text: block.text };
  if (isObject(source)) {
    const url = source.type === "base64"
      ? `data:${source.media_type};base64,${source.data}`
      : source.type === "url"
      ? source.url
      : undefined;
    if (type === "image" && url !== undefined) {
      return { type: "image_url", image_url: { url } };
    }
    if (type === "document" && source.type === "base64") {
      const filename = block.title ?? "document";
      return { type: "file", file: { filename, file_data: url } };
    }
    if (type === "document" && source.type === "text") {
      return { type: "text", text: source.data };
    }
  }
  throw untranslatable(`a "${String(type)}" block in ${where}`);
}

/** Text, or blocks of text. */
function textOf(content: unknown, where: string): string {
  if (isNothing(content)) return "";
  if (typeof content === "string") return content;
  return blocksOf(content, where).map((block) => {
    if (block.type === "text") return String(block.text);
    throw untranslatable(`a "${String(block.type)}" block in ${where}`);
  }).join("\n\n");
}
