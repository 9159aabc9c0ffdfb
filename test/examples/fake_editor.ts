/// <reference types="vscode" />
/**
 * An editor with a language model, as far as the example extension needs one.
 * The compiler checks every piece against the editor's own types.
 */
import type * as vscode from "vscode";
import type { Editor } from "../../examples/vscode/extension.ts";

export class TextPart implements vscode.LanguageModelTextPart {
  value: string;

  constructor(value: string) {
    this.value = value;
  }
}

export class ToolCallPart implements vscode.LanguageModelToolCallPart {
  callId: string;
  name: string;
  input: object;

  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}

export class ToolResultPart implements vscode.LanguageModelToolResultPart {
  callId: string;
  content: unknown[];

  constructor(callId: string, content: unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}

export class DataPart implements vscode.LanguageModelDataPart {
  mimeType: string;
  data: Uint8Array;

  constructor(data: Uint8Array, mimeType: string) {
    this.data = data;
    this.mimeType = mimeType;
  }

  static image(data: Uint8Array, mime: string): DataPart {
    return new DataPart(data, mime);
  }

  static json(value: unknown, mime: string = "application/json"): DataPart {
    return DataPart.text(JSON.stringify(value), mime);
  }

  static text(value: string, mime: string = "text/plain"): DataPart {
    return new DataPart(new TextEncoder().encode(value), mime);
  }
}

/** What the editor's enumeration of roles has. */
const USER: vscode.LanguageModelChatMessageRole.User = 1;
const ASSISTANT: vscode.LanguageModelChatMessageRole.Assistant = 2;

export class ChatMessage implements vscode.LanguageModelChatMessage {
  role: vscode.LanguageModelChatMessageRole;
  content: vscode.LanguageModelInputPart[];
  name: string | undefined;

  constructor(
    role: vscode.LanguageModelChatMessageRole,
    content: string | vscode.LanguageModelInputPart[],
    name?: string,
  ) {
    this.role = role;
    this.content = typeof content === "string"
      ? [new TextPart(content)]
      : content;
    this.name = name;
  }

  static User(
    content: string | vscode.LanguageModelInputPart[],
    name?: string,
  ): ChatMessage {
    return new ChatMessage(USER, content, name);
  }

  static Assistant(
    content: string | vscode.LanguageModelInputPart[],
    name?: string,
  ): ChatMessage {
    return new ChatMessage(ASSISTANT, content, name);
  }
}

export class CancellationToken implements vscode.CancellationToken {
  isCancellationRequested = false;
  readonly #listeners = new Set<(event: unknown) => unknown>();

  readonly onCancellationRequested: vscode.Event<unknown> = (listener) => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  cancel(): void {
    this.isCancellationRequested = true;
    for (const listener of [...this.#listeners]) listener(undefined);
  }
}

/** One thing that a response does: it gives a part, or does what the function says. */
export type Step = object | ((token: CancellationToken) => unknown);

/** A model that says what a script tells it to, one response after the other. */
export class ScriptedModel implements vscode.LanguageModelChat {
  readonly name = "Scripted";
  readonly id = "scripted";
  readonly vendor = "test";
  readonly family = "test";
  readonly version = "1";
  readonly maxInputTokens: number;
  /** What was asked. */
  readonly requests: {
    readonly messages: readonly vscode.LanguageModelChatMessage[];
    readonly options: vscode.LanguageModelChatRequestOptions;
  }[] = [];
  /** How many responses were told to stop. */
  stopped = 0;
  readonly #responses: readonly (readonly Step[])[];

  constructor(
    responses: readonly (readonly Step[])[],
    maxInputTokens: number = 8_000,
  ) {
    this.#responses = responses;
    this.maxInputTokens = maxInputTokens;
  }

  /** Four characters of text a token, and four tokens a message. */
  countTokens(text: string | vscode.LanguageModelChatMessage): Promise<number> {
    const extra = typeof text === "string" ? 0 : 4;
    return Promise.resolve(extra + Math.ceil(lengthOf(text) / 4));
  }

  sendRequest(
    messages: vscode.LanguageModelChatMessage[],
    options: vscode.LanguageModelChatRequestOptions = {},
    token: vscode.CancellationToken = new CancellationToken(),
  ): Promise<vscode.LanguageModelChatResponse> {
    const steps = this.#responses[this.requests.length] ?? [];
    this.requests.push({ messages, options });
    const stream = this.#stream(steps, token as CancellationToken);
    return Promise.resolve({ stream, text: this.#text(stream) });
  }

  async *#stream(
    steps: readonly Step[],
    token: CancellationToken,
  ): AsyncGenerator<unknown> {
    let ended = false;
    try {
      for (const step of steps) {
        const part = await (typeof step === "function" ? step(token) : step);
        if (part !== undefined) yield part;
      }
      ended = true;
    } catch (error) {
      ended = true;
      throw error;
    } finally {
      if (!ended) this.stopped++;
    }
  }

  async *#text(stream: AsyncIterable<unknown>): AsyncGenerator<string> {
    for await (const part of stream) {
      if (part instanceof TextPart) yield part.value;
    }
  }
}

/** How long all strings in it are together. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum, one) => sum + lengthOf(one), 0);
}

/** A tool of the editor, by what it does. */
export type RunTool = (input: Record<string, unknown>) => unknown;

/** An editor with these tools. */
export class FakeEditor implements Editor {
  readonly LanguageModelChatMessage: typeof ChatMessage = ChatMessage;
  readonly LanguageModelTextPart: typeof TextPart = TextPart;
  readonly LanguageModelToolCallPart: typeof ToolCallPart = ToolCallPart;
  readonly LanguageModelToolResultPart: typeof ToolResultPart = ToolResultPart;
  readonly LanguageModelDataPart: typeof DataPart = DataPart;
  /** What was run. */
  readonly invoked: {
    readonly name: string;
    readonly input: object;
  }[] = [];
  readonly lm: Editor["lm"];

  constructor(tools: Readonly<Record<string, RunTool>> = {}) {
    this.lm = {
      invokeTool: async (name, { input }) => {
        this.invoked.push({ name, input });
        const text = await tools[name]!(input as Record<string, unknown>);
        return { content: [new TextPart(String(text))] };
      },
    };
  }
}
