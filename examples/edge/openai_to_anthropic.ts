import { type Fields, given, isNothing, isObject } from "./json.ts";
import { untranslatable } from "./problem.ts";
import type { Translated } from "./translate.ts";

/** What only tunes the answer, or where it is kept: it is left out and reported. */
const TUNING = new Set([
  "frequency_penalty",
  "metadata",
  "prediction",
  "presence_penalty",
  "prompt_cache_key",
  "prompt_cache_retention",
  "reasoning_effort",
  "safety_identifier",
  "seed",
  "service_tier",
  "store",
  "verbosity",
]);

/** What has been dealt with, or says nothing. */
const KNOWN = new Set([
  "max_completion_tokens",
  "max_tokens",
  "messages",
  "model",
  "n",
  "parallel_tool_calls",
  "stop",
  "stream",
  "stream_options",
  "temperature",
  "tool_choice",
  "tools",
  "top_k",
  "top_p",
  "user",
]);

/** Values with which a parameter says nothing. */
const NOTHING: Readonly<Record<string, (value: unknown) => boolean>> = {
  frequency_penalty: (value) => value === 0,
  logit_bias: (value) => isObject(value) && Object.keys(value).length === 0,
  logprobs: (value) => value === false,
  modalities: () => true,
  presence_penalty: (value) => value === 0,
  response_format: (value) => isObject(value) && value.type === "text",
  store: (value) => value === false,
};

/**
 * A chat completions request in the form of Anthropic's messages.
 *
 * @param request The request.
 * @param maxTokens `max_tokens`, when it has none.
 * @throws {Problem} When it asks for what that API has not.
 */
export function fromOpenAI(request: Fields, maxTokens: number): Translated {
  const dropped = new Set<string>();
  for (const [name, value] of Object.entries(request)) {
    if (value === undefined || value === null || KNOWN.has(name)) continue;
    if (Object.hasOwn(NOTHING, name) && NOTHING[name]!(value)) continue;
    if (!TUNING.has(name)) throw untranslatable(`"${name}"`);
    dropped.add(name);
  }
  const { temperature, top_p, top_k, stop, user } = request;
  if (typeof temperature === "number" && temperature > 1) {
    throw untranslatable(`a "temperature" of ${temperature}, above 1,`);
  }
  const { system, messages } = new Conversation().read(
    request.messages as unknown[],
    dropped,
  );
  const tools = toolsOf(request.tools);
  return {
    body: {
      model: request.model,
      max_tokens: request.max_completion_tokens ?? request.max_tokens ??
        maxTokens,
      stream: true,
      ...given({ temperature, top_p, top_k }),
      ...(isNothing(stop)
        ? {}
        : { stop_sequences: Array.isArray(stop) ? stop : [stop] }),
      ...(typeof user === "string" ? { metadata: { user_id: user } } : {}),
      ...(system.length > 0 ? { system } : {}),
      messages,
      ...(tools.length > 0
        ? {
          tools,
          ...choiceOf(request.tool_choice, request.parallel_tool_calls),
        }
        : {}),
    },
    dropped: [...dropped],
  };
}

function toolsOf(tools: unknown): Fields[] {
  if (isNothing(tools)) return [];
  if (!Array.isArray(tools)) throw untranslatable('"tools" that are no list');
  return tools.map((tool, index) => {
    const described = isObject(tool) ? tool.function : undefined;
    if (!isObject(described)) {
      throw untranslatable(`tools[${index}], no function,`);
    }
    const { name, description, parameters } = described;
    return {
      name,
      ...given({ description }),
      input_schema: isObject(parameters)
        ? parameters
        : { type: "object", properties: {} },
    };
  });
}

function choiceOf(choice: unknown, parallel: unknown): Fields {
  const result = isNothing(choice) || choice === "auto"
    ? { type: "auto" }
    : choice === "none"
    ? { type: "none" }
    : choice === "required"
    ? { type: "any" }
    : isObject(choice) && isObject(choice.function)
    ? { type: "tool", name: choice.function.name }
    : undefined;
  if (result === undefined) throw untranslatable('this "tool_choice"');
  const single = parallel === false && result.type !== "none";
  return isNothing(choice) && !single ? {} : {
    tool_choice: {
      ...result,
      ...(single ? { disable_parallel_tool_use: true } : {}),
    },
  };
}

/** Messages, by whose turn it is. */
class Conversation {
  readonly #system: Fields[] = [];
  readonly #messages: { role: string; content: Fields[] }[] = [];
  /** Ids of calls as Anthropic allows them. */
  readonly #ids: Map<string, string> = new Map();
  readonly #taken: Set<string> = new Set();

  read(
    messages: readonly unknown[],
    dropped: Set<string>,
  ): { system: Fields[]; messages: Fields[] } {
    for (const [index, message] of messages.entries()) {
      const where = `messages[${index}]`;
      if (!isObject(message)) throw untranslatable(`${where}, no object,`);
      switch (message.role) {
        case "system":
        case "developer":
          // Said later on, it would count from the beginning.
          if (this.#messages.length > 0) {
            throw untranslatable(
              `${where}, a "${message.role}" message behind the beginning,`,
            );
          }
          this.#system.push(...textsOf(message.content, where));
          break;
        case "user":
          this.#say("user", userContent(message.content, where));
          break;
        case "assistant":
          if (
            typeof message.reasoning_content === "string" ||
            typeof message.reasoning === "string"
          ) dropped.add("reasoning_content");
          this.#say("assistant", [
            ...textsOf(message.content, where),
            ...textsOf(message.refusal, where),
            ...this.#calls(message.tool_calls, where),
          ]);
          break;
        case "tool":
          this.#say("user", [{
            type: "tool_result",
            tool_use_id: this.#id(message.tool_call_id, where),
            content: textsOf(message.content, where),
          }]);
          break;
        default:
          throw untranslatable(
            `${where}, a "${String(message.role)}" message,`,
          );
      }
    }
    return { system: this.#system, messages: this.#messages };
  }

  /** Turns alternate: results of several calls are one message. */
  #say(role: string, content: Fields[]): void {
    if (content.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else this.#messages.push({ role, content });
  }

  #calls(calls: unknown, where: string): Fields[] {
    if (isNothing(calls)) return [];
    if (!Array.isArray(calls)) {
      throw untranslatable(`the "tool_calls" of ${where}`);
    }
    return calls.map((call, index) => {
      const place = `${where}.tool_calls[${index}]`;
      const called = isObject(call) ? call.function : undefined;
      if (!isObject(called)) {
        throw untranslatable(`${place}, no function call,`);
      }
      let input: unknown;
      try {
        input = JSON.parse(String(called.arguments || "{}"));
      } catch {
        input = undefined;
      }
      if (!isObject(input)) {
        throw untranslatable(`the arguments of ${place}, no JSON object,`);
      }
      return {
        type: "tool_use",
        id: this.#id((call as Fields).id, place),
        name: called.name,
        input,
      };
    });
  }

  /** The same id in the characters that Anthropic takes. */
  #id(id: unknown, where: string): string {
    if (typeof id !== "string" || id === "") {
      throw untranslatable(`${where}, which has no id,`);
    }
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const plain = id.replace(/[^a-zA-Z0-9_-]/g, "_");
    let result = plain;
    for (let count = 2; this.#taken.has(result); count++) {
      result = `${plain}_${count}`;
    }
    this.#ids.set(id, result);
    this.#taken.add(result);
    return result;
  }
}

/** Content that can be text only. The API refuses empty texts. */
function textsOf(content: unknown, where: string): Fields[] {
  if (isNothing(content)) return [];
  const parts = Array.isArray(content) ? content : [content];
  return parts.flatMap((part): Fields[] => {
    const text = typeof part === "string"
      ? part
      : isObject(part) && part.type === "text"
      ? part.text
      : isObject(part) && part.type === "refusal"
      ? part.refusal
      : undefined;
    if (typeof text !== "string") {
      throw untranslatable(`the content of ${where}, which is not text,`);
    }
    return text === "" ? [] : [{ type: "text", text }];
  });
}

function userContent(content: unknown, where: string): Fields[] {
  if (!Array.isArray(content)) return textsOf(content, where);
  return content.flatMap((part, index): Fields[] => {
    const place = `${where}.content[${index}]`;
    if (isObject(part)) {
      if (part.type === "image_url" && isObject(part.image_url)) {
        return [{ type: "image", source: sourceOf(part.image_url.url, place) }];
      }
      if (part.type === "file" && isObject(part.file)) {
        return [{
          type: "document",
          source: sourceOf(part.file.file_data, place),
          ...(typeof part.file.filename === "string"
            ? { title: part.file.filename }
            : {}),
        }];
      }
    }
    return textsOf([part], place);
  });
}

/** Data in a URL, or a place where it is. */
function sourceOf(url: unknown, where: string): Fields {
  if (typeof url === "string") {
    const data = /^data:([^;,]+);base64,/.exec(url.slice(0, 200));
    if (data !== null) {
      return {
        type: "base64",
        media_type: data[1],
        data: url.slice(data[0].length),
      };
    }
    if (/^https?:\/\//.test(url)) return { type: "url", url };
  }
  throw untranslatable(
    `${where}, neither a base64 "data:" URL nor a web address,`,
  );
}
