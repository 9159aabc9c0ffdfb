/// <reference types="vscode" />
/**
 * A chat participant for VS Code, in one file: `@millrace` answers with the model
 * chosen in the chat, and may read files of the workspace.
 *
 * {@linkcode answer} is all of it that matters. It gets the editor as a value, so
 * that it runs in a test as well: `vscode` itself is only there in an editor.
 */
import type * as vscode from "vscode";
import {
  fitToolResults,
  type JSONSchema,
  OverBudgetError,
  readParts,
  sanitizeMessages,
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
  ToolGateStream,
} from "../../mod.ts";
import { fromVscodeLm } from "../../adapters/vscode_lm.ts";

/** What an answer needs of the `vscode` module. */
export type Editor =
  & Pick<
    typeof vscode,
    | "LanguageModelChatMessage"
    | "LanguageModelTextPart"
    | "LanguageModelToolCallPart"
    | "LanguageModelToolResultPart"
    | "LanguageModelDataPart"
  >
  & { readonly lm: Pick<typeof vscode.lm, "invokeTool"> };

/** What an answer needs of a model. */
export type ChatModel = Pick<
  vscode.LanguageModelChat,
  "maxInputTokens" | "countTokens" | "sendRequest"
>;

/** A question, and where its answer goes. */
export interface Turn {
  readonly request:
    & Pick<vscode.ChatRequest, "prompt" | "toolInvocationToken">
    & { readonly model: ChatModel };
  readonly history: vscode.ChatContext["history"];
  /** The tools that are offered to the model. No other one runs. */
  readonly tools: readonly vscode.LanguageModelChatTool[];
  readonly response: Pick<vscode.ChatResponseStream, "markdown">;
  readonly token: vscode.CancellationToken;
  /** Takes what was repaired, refused or dropped on the way. */
  readonly log: (line: string) => void;
}

/** A call of the model, and why it must not run, if so. */
interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: object;
  readonly blocked?: string;
}

/** What a model said in one request. */
interface Said {
  text: string;
  readonly calls: Call[];
  error?: vscode.ChatErrorDetails;
}

const READ_FILE = "millrace_read_file";

/** How often a model may call tools and go on. */
const MOST_ROUNDS = 20;

/** How much of the window is left free, since counts of tokens are never exact. */
const SPARE = 0.05;

/**
 * Answers a question: streams the text as Markdown, runs the tools that the model
 * calls, and asks it again with their results until it calls none.
 */
export async function answer(
  editor: Editor,
  turn: Turn,
): Promise<vscode.ChatResult> {
  const { request, token } = turn;
  const messages = [
    ...messagesOf(editor, turn.history),
    editor.LanguageModelChatMessage.User(request.prompt),
  ];
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    let fitted: vscode.LanguageModelChatMessage[];
    try {
      fitted = await fit(messages, turn);
    } catch (error) {
      if (token.isCancellationRequested) return {};
      if (!(error instanceof OverBudgetError)) throw error;
      return { errorDetails: { message: error.message } };
    }
    const said = await ask(editor, turn, fitted, round);
    if (said.error !== undefined) return { errorDetails: said.error };
    if (token.isCancellationRequested || said.calls.length === 0) return {};
    const results: vscode.LanguageModelToolResultPart[] = [];
    for (const call of said.calls) {
      if (token.isCancellationRequested) return {};
      results.push(
        new editor.LanguageModelToolResultPart(
          call.toolCallId,
          await run(editor, turn, call),
        ),
      );
    }
    messages.push(
      editor.LanguageModelChatMessage.Assistant([
        ...(said.text.trim() === ""
          ? []
          : [new editor.LanguageModelTextPart(said.text)]),
        // Calls, never the markup that some of them were written in: a model
        // that finds it in its own turns writes more of it.
        ...said.calls.map(({ toolCallId, toolName, input }) =>
          new editor.LanguageModelToolCallPart(toolCallId, toolName, input)
        ),
      ]),
      editor.LanguageModelChatMessage.User(results),
    );
  }
  return {
    errorDetails: {
      message: `Stopped: the model called tools ${MOST_ROUNDS} times in a row`,
    },
  };
}

/** The messages, well-formed and within the model's window. */
async function fit(
  messages: readonly vscode.LanguageModelChatMessage[],
  { request: { model }, tools, token, log }: Turn,
): Promise<vscode.LanguageModelChatMessage[]> {
  const fitted = await fitToolResults(sanitizeMessages(messages), {
    budget: model.maxInputTokens,
    reserve: {
      tools: tools.length === 0
        ? 0
        : await model.countTokens(JSON.stringify(tools), token),
      spare: Math.ceil(model.maxInputTokens * SPARE),
    },
    count: (text) => model.countTokens(text, token),
    messageCost: 4,
    imageCost: 1_600,
  });
  for (const { toolCallId, from, to } of fitted.shortened) {
    log(`Shortened the result of "${toolCallId}" from ${from} to ${to}`);
  }
  return [...fitted.messages];
}

/** Sends a request and shows its answer while it comes. */
async function ask(
  editor: Editor,
  { request: { model }, tools, response, token, log }: Turn,
  messages: vscode.LanguageModelChatMessage[],
  round: number,
): Promise<Said> {
  const offered = new Set(tools.map(({ name }) => name));
  const source = fromVscodeLm(
    model.sendRequest(messages, { tools: [...tools] }, token),
    {
      token,
      classes: {
        text: editor.LanguageModelTextPart,
        toolCall: editor.LanguageModelToolCallPart,
        toolResult: editor.LanguageModelToolResultPart,
        data: editor.LanguageModelDataPart,
      },
    },
  );
  const parts = readParts(
    source,
    new SurrogateSanitizerStream(),
    new ToolCallSalvagerStream({
      tools: tools.map(({ name, inputSchema }) => ({
        name,
        inputSchema: inputSchema as JSONSchema | undefined,
      })),
      // Ids are of the whole conversation, not of one answer.
      idPrefix: `salvaged_${round}_`,
    }),
    new ToolGateStream({
      policy: ({ toolName }) => ({
        allow: offered.has(toolName),
        reason: `There is no tool "${toolName}"`,
      }),
    }),
  );
  const said: Said = { text: "", calls: [] };
  for await (const part of parts) {
    switch (part.type) {
      case "text":
        said.text += part.text;
        response.markdown(part.text);
        break;
      case "tool-call":
        said.calls.push({ ...part, input: Object(part.input ?? {}) });
        break;
      case "tool-blocked":
        said.calls.push({ ...part, input: {}, blocked: part.reason });
        break;
      case "warning":
        log(`${part.code}: ${part.message}`);
        break;
      case "error":
        said.error = { message: part.error.message };
        break;
      case "finish":
        if (part.reason === "content-filter" && said.error !== undefined) {
          said.error.responseIsFiltered = true;
        }
        break;
    }
  }
  return said;
}

/**
 * Runs a tool, or says why not. The editor asks the user where the tool wants
 * that. It matters for calls that were written as text: that text may come from
 * a file the model has read.
 */
async function run(
  editor: Editor,
  { request, token, log }: Turn,
  { toolName, input, blocked }: Call,
): Promise<vscode.LanguageModelToolResult["content"]> {
  if (blocked !== undefined) {
    return [new editor.LanguageModelTextPart(blocked)];
  }
  try {
    const { toolInvocationToken } = request;
    const result = await editor.lm.invokeTool(
      toolName,
      { input, toolInvocationToken },
      token,
    );
    return result.content;
  } catch (error) {
    // The model may have called it wrongly, and can do better.
    const message = error instanceof Error ? error.message : String(error);
    log(`The tool "${toolName}" failed: ${message}`);
    return [new editor.LanguageModelTextPart(`Failed: ${message}`)];
  }
}

/** What was said before in this chat. */
function messagesOf(
  editor: Editor,
  history: vscode.ChatContext["history"],
): vscode.LanguageModelChatMessage[] {
  const { LanguageModelChatMessage } = editor;
  return history.flatMap((turn) => {
    if ("prompt" in turn) return [LanguageModelChatMessage.User(turn.prompt)];
    const text = turn.response.map((part) =>
      "value" in part && "value" in part.value &&
        typeof part.value.value === "string"
        ? part.value.value
        : ""
    ).join("");
    return text === "" ? [] : [LanguageModelChatMessage.Assistant(text)];
  });
}

/** What an editor calls when the extension is needed. */
export async function activate(
  context: vscode.ExtensionContext,
): Promise<void> {
  const editor = await import("vscode");
  const channel = editor.window.createOutputChannel("millrace", { log: true });
  const participant = editor.chat.createChatParticipant(
    "millrace.participant",
    (request, { history }, response, token) => {
      const wanted = new Set([
        READ_FILE,
        ...request.toolReferences.map(({ name }) => name),
      ]);
      return answer(editor, {
        request,
        history,
        tools: editor.lm.tools.filter(({ name }) => wanted.has(name)),
        response,
        token,
        log: (line) => channel.info(line),
      });
    },
  );
  const tool = editor.lm.registerTool<{ path: string }>(READ_FILE, {
    prepareInvocation: ({ input: { path } }) => ({
      invocationMessage: `Reading ${path}`,
      confirmationMessages: {
        title: "Read a file",
        message: `Let the model read "${path}"?`,
      },
    }),
    invoke: async ({ input: { path } }) => {
      const file = fileIn(editor, path);
      const bytes = await editor.workspace.fs.readFile(file);
      return new editor.LanguageModelToolResult([
        new editor.LanguageModelTextPart(new TextDecoder().decode(bytes)),
      ]);
    },
  });
  context.subscriptions.push(channel, participant, tool);
}

/** A file below the workspace's first folder. */
function fileIn(editor: typeof vscode, path: string): vscode.Uri {
  const folder = editor.workspace.workspaceFolders?.[0]?.uri;
  if (folder === undefined) throw new Error("No folder is open");
  const file = editor.Uri.joinPath(folder, path);
  if (!file.path.startsWith(`${folder.path}/`)) {
    throw new Error(`"${path}" is outside of the open folder`);
  }
  return file;
}
