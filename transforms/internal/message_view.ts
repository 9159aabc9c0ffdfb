import { copyWith } from "./copy_with.ts";

/** A tool result in a message. */
export interface ResultView {
  /** The call it answers. */
  id: string;
  /** Its texts, in order. */
  texts: readonly string[];
}

/** What a message says, whichever API it is for. */
export interface MessageView {
  /** Ids of the calls made in it. */
  calls: readonly string[];
  /** The tool results in it. */
  results: readonly ResultView[];
  /** All other texts: prose, reasoning, names and inputs of calls. */
  texts: readonly string[];
  /** How many blocks are not text: images, sounds, documents. */
  images: number;
  /** Whether it is one item of a list in which pairs may lie anywhere (OpenAI's Responses). */
  item: boolean;
  /** The form it has. */
  form: MessageForm;
}

/** Whose messages these are, where it matters for making a result. */
export type MessageForm = "anthropic" | "openai" | "responses" | "vscode";

type Fields = { readonly [key: string]: unknown };

/** Blocks whose content is no text. */
const NOT_TEXT: readonly unknown[] = [
  "image",
  "image_url",
  "input_image",
  "input_audio",
  "audio",
  "document",
  "file",
  "input_file",
];

/**
 * Reads a message of Anthropic's Messages, OpenAI's Chat Completions and
 * Responses, or `vscode.lm`, told apart by what is in it.
 */
export function viewMessage(message: unknown): MessageView {
  const view = {
    calls: [] as string[],
    results: [] as ResultView[],
    texts: [] as string[],
    images: 0,
    item: false,
    form: "anthropic" as MessageForm,
  };
  if (!isFields(message)) return view;
  const call = message["call_id"];
  if (typeof call === "string" && typeof message["type"] === "string") {
    view.item = true;
    view.form = "responses";
    if (message["type"].endsWith("_output")) addResult(call, message["output"]);
    else {
      view.calls.push(call);
      addCall(message["name"], message["arguments"] ?? message["input"]);
    }
    return view;
  }
  if (typeof message["tool_call_id"] === "string") {
    view.form = "openai";
    addResult(message["tool_call_id"], message["content"]);
    return view;
  }
  for (const made of listOf(message["tool_calls"])) {
    if (!isFields(made)) continue;
    view.form = "openai";
    if (typeof made["id"] === "string") view.calls.push(made["id"]);
    const body = made["function"] ?? made["custom"];
    if (isFields(body)) {
      addCall(body["name"], body["arguments"] ?? body["input"]);
    }
  }
  const { content } = message;
  if (typeof content === "string") view.texts.push(content);
  for (const block of listOf(content)) addBlock(block);
  return view;

  function addCall(name: unknown, input: unknown): void {
    view.texts.push(
      `${typeof name === "string" ? name : ""}${
        typeof input === "string" ? input : stringify(input)
      }`,
    );
  }

  function addBlock(block: unknown): void {
    const text = textOf(block);
    if (text !== undefined) {
      view.texts.push(text);
      return;
    }
    if (!isFields(block)) return;
    const result = resultOf(block);
    if (result !== undefined) {
      if (result.key === "callId") view.form = "vscode";
      addResult(result.id, block["content"]);
    } else if (block["type"] === "tool_use" || isVscodeCall(block)) {
      const id = block["type"] === "tool_use" ? block["id"] : block["callId"];
      if (block["type"] !== "tool_use") view.form = "vscode";
      if (typeof id === "string") view.calls.push(id);
      addCall(block["name"], block["input"]);
    } else addOther(block);
  }

  function addOther(block: Fields): void {
    const source = block["source"];
    if (isFields(source) && source["type"] === "text") {
      view.texts.push(String(source["data"]));
    } else if (
      NOT_TEXT.includes(block["type"]) || isFields(source) ||
      (typeof block["mimeType"] === "string" && "data" in block)
    ) view.images++;
    else if (typeof block["thinking"] === "string") {
      view.texts.push(block["thinking"]);
    } else if (Array.isArray(block["value"])) {
      view.texts.push(block["value"].join(""));
    } else view.texts.push(stringify(block));
  }

  function addResult(id: string, content: unknown): void {
    const texts: string[] = [];
    if (typeof content === "string") texts.push(content);
    for (const block of listOf(content)) {
      const text = textOf(block);
      if (text !== undefined) texts.push(text);
      else if (isFields(block)) addOther(block);
    }
    view.results.push({ id, texts });
  }
}

/**
 * The message with other texts in some of its results, by their index; what does not change is
 * shared.
 */
export function withResultTexts<Message>(
  message: Message,
  changed: ReadonlyMap<number, readonly string[]>,
): Message {
  if (!isFields(message)) return message;
  const own = ownResultKey(message);
  if (own !== undefined) {
    const texts = changed.get(0);
    return texts === undefined
      ? message
      : copyWith(message, [[own, withTexts(message[own], texts)]]);
  }
  let index = -1;
  const content = listOf(message["content"]).map((block) => {
    if (!isFields(block) || resultOf(block) === undefined) return block;
    const texts = changed.get(++index);
    return texts === undefined
      ? block
      : copyWith(block, [["content", withTexts(block["content"], texts)]]);
  });
  return copyWith(message, [["content", content]]);
}

/** The message without some of its results, by their index; `undefined` when nothing is left. */
export function withoutResults<Message>(
  message: Message,
  indexes: ReadonlySet<number>,
): Message | undefined {
  if (!isFields(message) || indexes.size === 0) return message;
  if (ownResultKey(message) !== undefined) return undefined;
  let index = -1;
  const content = listOf(message["content"]).filter((block) =>
    !isFields(block) || resultOf(block) === undefined || !indexes.has(++index)
  );
  return content.length === 0
    ? undefined
    : copyWith(message, [["content", content]]);
}

/** The message with results in front of its content. */
export function withResultsBefore<Message>(
  message: Message,
  results: readonly object[],
): Message {
  const { content } = message as { content?: unknown };
  const rest = typeof content === "string"
    ? content === "" ? [] : [{ type: "text", text: content }]
    : listOf(content);
  return copyWith(message as object, [["content", [
    ...results,
    ...rest,
  ]]]) as Message;
}

/** The block or message in which this call's kind of result is. Used to make one more of its class. */
export function findVscodeResult(
  messages: readonly unknown[],
): object | undefined {
  for (const message of messages) {
    if (!isFields(message)) continue;
    for (const block of listOf(message["content"])) {
      if (isFields(block) && resultOf(block)?.key === "callId") return block;
    }
  }
  return undefined;
}

/** Whether a message speaks for the user, so that results may stand in it. */
export function isUserMessage(message: unknown): boolean {
  // `vscode.LanguageModelChatMessageRole.User` is 1.
  return isFields(message) &&
    (message["role"] === "user" || message["role"] === 1);
}

function ownResultKey(message: Fields): "content" | "output" | undefined {
  if (typeof message["tool_call_id"] === "string") return "content";
  return typeof message["call_id"] === "string" &&
      String(message["type"]).endsWith("_output")
    ? "output"
    : undefined;
}

function resultOf(
  block: Fields,
): { id: string; key: "tool_use_id" | "callId" } | undefined {
  if (
    block["type"] === "tool_result" && typeof block["tool_use_id"] === "string"
  ) return { id: block["tool_use_id"], key: "tool_use_id" };
  return typeof block["callId"] === "string" && !isVscodeCall(block) &&
      "content" in block
    ? { id: block["callId"], key: "callId" }
    : undefined;
}

function isVscodeCall(block: Fields): boolean {
  return typeof block["callId"] === "string" &&
    typeof block["name"] === "string" && "input" in block;
}

/** The text of a block that is nothing else. */
function textOf(block: unknown): string | undefined {
  if (typeof block === "string") return block;
  if (!isFields(block)) return undefined;
  const key = textKeyOf(block);
  return key === undefined ? undefined : block[key] as string;
}

function textKeyOf(block: Fields): "text" | "value" | undefined {
  if (typeof block["text"] === "string") return "text";
  return typeof block["value"] === "string" && !("mimeType" in block)
    ? "value"
    : undefined;
}

/** A result's content with these texts in place of its own. */
function withTexts(content: unknown, texts: readonly string[]): unknown {
  if (typeof content === "string") return texts[0];
  let index = -1;
  return listOf(content).map((block) => {
    const text = textOf(block);
    if (text === undefined) return block;
    const other = texts[++index]!;
    if (other === text) return block;
    return typeof block === "string"
      ? other
      : copyWith(block as object, [[textKeyOf(block as Fields)!, other]]);
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
