/// <reference types="vscode" />
/**
 * An extension that reads the test's language model through millrace, in the
 * extension host, and writes down what it saw.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import type * as vscode from "vscode";
import {
  fromVscodeLm,
  type LanguageModelPartClasses,
  type PartClass,
} from "../../adapters/vscode_lm.ts";
import { answer } from "../../examples/vscode/extension.ts";
import { fitToolResults, type Part, sanitizeMessages } from "../../mod.ts";
import type { ProviderExports } from "./provider.ts";
import type {
  AnswerReport,
  FitReport,
  GivenPart,
  Report,
  ScenarioReport,
} from "./report.ts";
import { scenarios, TOOL, TOOL_SCHEMA, VENDOR } from "./scenarios.ts";

const tools = [{
  name: TOOL,
  description: "Reads a file",
  inputSchema: TOOL_SCHEMA as { readonly [keyword: string]: unknown },
}];

async function partsOf(stream: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** Calls a function until it gives something. */
async function until<Value>(
  what: string,
  give: () => PromiseLike<Value | undefined> | Value | undefined,
): Promise<Value> {
  for (let tries = 0; tries < 300; tries++) {
    const value = await give();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Waited in vain for ${what}`);
}

function classesOf(editor: typeof vscode): LanguageModelPartClasses {
  return {
    text: editor.LanguageModelTextPart,
    toolCall: editor.LanguageModelToolCallPart,
    toolResult: editor.LanguageModelToolResultPart,
    data: editor.LanguageModelDataPart,
    thinking: (editor as { LanguageModelThinkingPart?: never })
      .LanguageModelThinkingPart,
  };
}

class Checker {
  readonly #editor: typeof vscode;
  readonly #model: vscode.LanguageModelChat;
  readonly #provider: ProviderExports;

  constructor(
    editor: typeof vscode,
    model: vscode.LanguageModelChat,
    provider: ProviderExports,
  ) {
    this.#editor = editor;
    this.#model = model;
    this.#provider = provider;
  }

  #send(
    name: string,
    token?: vscode.CancellationToken,
  ): Thenable<vscode.LanguageModelChatResponse> {
    return this.#model.sendRequest(
      [this.#editor.LanguageModelChatMessage.User(name)],
      { tools },
      token,
    );
  }

  async scenario(name: string): Promise<ScenarioReport> {
    const classes = classesOf(this.#editor);
    const given: GivenPart[] = [];
    try {
      for await (const part of (await this.#send(name)).stream) {
        const kind = Object.entries(classes).find(([, one]) =>
          one !== undefined && part instanceof (one as PartClass)
        );
        given.push({ kind: kind?.[0] ?? "none", fields: part });
      }
    } catch {
      // Told by the parts.
    }
    return {
      given,
      byFields: await partsOf(fromVscodeLm(this.#send(name))),
      byClasses: await partsOf(fromVscodeLm(this.#send(name), { classes })),
      salvaged: await partsOf(fromVscodeLm(this.#send(name), { tools })),
    };
  }

  /** A request that hangs, stopped by its token, by a signal, and by its reader. */
  async stopped(): Promise<Record<string, readonly Part[]>> {
    const byToken = new this.#editor.CancellationTokenSource();
    const bySignal = new AbortController();
    const read = async (
      stream: ReadableStream<Part>,
      stop: () => unknown,
    ): Promise<Part[]> => {
      const parts: Part[] = [];
      for await (const part of stream) {
        parts.push(part);
        if (part.type === "text") setTimeout(stop, 20);
      }
      return parts;
    };
    const { token } = byToken;
    const reader = fromVscodeLm(this.#send("hang")).getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return {
      token: await read(
        fromVscodeLm(this.#send("hang", token), { token }),
        () => byToken.cancel(),
      ),
      signal: await read(
        fromVscodeLm(this.#send("hang"), { signal: bySignal.signal }),
        () => bySignal.abort(),
      ),
      reader: value === undefined ? [] : [value],
    };
  }

  async fit(): Promise<FitReport> {
    const editor = this.#editor;
    const model = this.#model;
    const {
      LanguageModelChatMessage,
      LanguageModelTextPart,
      LanguageModelToolCallPart,
      LanguageModelToolResultPart,
    } = editor;
    const result = (id: string, lines: number) =>
      new LanguageModelToolResultPart(id, [
        new LanguageModelTextPart(
          `first \ud83d\n${"noise \u{1f680}\n".repeat(lines)}last`,
        ),
      ]);
    const messages = [
      LanguageModelChatMessage.User("Look \udc00"),
      LanguageModelChatMessage.Assistant([
        new LanguageModelToolCallPart("c1", TOOL, { path: "a \ud83d" }),
        new LanguageModelToolCallPart("c2", TOOL, { path: "b" }),
      ]),
      LanguageModelChatMessage.User([result("c1", 20_000), result("c2", 10)]),
      LanguageModelChatMessage.User("agent"),
    ];
    const sum = async (
      all: readonly vscode.LanguageModelChatMessage[],
    ): Promise<number> => {
      let tokens = 0;
      for (const one of all) tokens += await model.countTokens(one);
      return tokens;
    };
    const fit = (
      all: readonly vscode.LanguageModelChatMessage[],
      budget: number,
    ) =>
      fitToolResults(all, {
        budget,
        reserve: { tools: 100 },
        count: (text) => model.countTokens(text),
      });
    const budget = model.maxInputTokens;
    const sane = sanitizeMessages(messages);
    const before = await sum(sane);
    const counts = this.#provider.counted.length;
    const fitted = await fit(sane, budget);
    const counted = this.#provider.counted.length - counts;
    let tooSmall = "";
    try {
      await fit(sane, 300);
    } catch (error) {
      tooSmall = String(error);
    }
    await partsOf(
      fromVscodeLm(model.sendRequest([...fitted.messages], { tools })),
    );
    const again = await fit(fitted.messages, budget);
    return {
      budget,
      before,
      after: await sum(fitted.messages),
      total: fitted.total,
      shortened: fitted.shortened,
      counts: counted,
      instances:
        fitted.messages.every((message) =>
          message instanceof LanguageModelChatMessage
        ) && fitted.messages[2]!.content.every((part) =>
          part instanceof LanguageModelToolResultPart &&
          part.content.every((one) =>
            one instanceof LanguageModelTextPart
          )
        ),
      again: again.messages === fitted.messages,
      tooSmall,
      received: this.#provider.received.at(-1),
    };
  }

  /** What the example makes of a model that writes a call as text. */
  async answer(): Promise<AnswerReport> {
    const invoked: unknown[] = [];
    const tool = this.#editor.lm.registerTool(TOOL, {
      invoke: ({ input }) => {
        invoked.push(input);
        return new this.#editor.LanguageModelToolResult([
          new this.#editor.LanguageModelTextPart("the content"),
        ]);
      },
    });
    const shown: string[] = [];
    const from = this.#provider.received.length;
    const source = new this.#editor.CancellationTokenSource();
    const result = await answer(this.#editor, {
      request: {
        prompt: "agent",
        model: this.#model,
        toolInvocationToken: undefined as never,
      },
      history: [],
      tools,
      response: { markdown: (text) => void shown.push(String(text)) },
      token: source.token,
      log: () => {},
    });
    tool.dispose();
    return {
      shown: shown.join(""),
      invoked,
      result,
      received: this.#provider.received.slice(from),
    };
  }
}

/** A question in the chat to the example's participant. Somebody has to allow its tool. */
async function chat(
  editor: typeof vscode,
  { received }: ProviderExports,
): Promise<readonly unknown[]> {
  const from = received.length;
  await editor.commands.executeCommand("workbench.action.chat.open", {
    query: "@millrace chat",
    modelSelector: { vendor: VENDOR },
  });
  return await until("the chat's second request", () => {
    const requests = received.slice(from);
    return requests.length > 1 ? requests : undefined;
  });
}

async function check(editor: typeof vscode): Promise<Report> {
  const provider = editor.extensions.getExtension<ProviderExports>(
    "millrace.test-provider",
  );
  if (provider === undefined) throw new Error("The provider is not installed");
  const exports = await provider.activate();
  const checker = new Checker(
    editor,
    // Its extension may not have registered it yet.
    await until("the model", async () => {
      const [model] = await editor.lm.selectChatModels({ vendor: VENDOR });
      return model;
    }),
    exports,
  );
  const reports: Record<string, ScenarioReport> = {};
  for (const name of Object.keys(scenarios)) {
    if (name === "hang") continue;
    reports[name] = await checker.scenario(name);
  }
  const example = editor.extensions.getExtension(
    "millrace.millrace-vscode-example",
  );
  await example?.activate();
  return {
    version: editor.version,
    node: process.version,
    scenarios: reports,
    stopped: await checker.stopped(),
    fit: await checker.fit(),
    answer: await checker.answer(),
    chat: await chat(editor, exports),
    example: {
      active: example?.isActive ?? false,
      tools: editor.lm.tools.map(({ name }) => name),
    },
  };
}

/** What the editor calls at its start. */
export async function activate(): Promise<void> {
  const path = process.env["MILLRACE_REPORT"];
  if (path === undefined) return;
  const editor = await import("vscode");
  // Not waited for: an editor gives up on extensions that start slowly.
  check(editor).catch((error) => ({
    failure: error instanceof Error ? error.stack ?? error.message : `${error}`,
  })).then((report) => writeFileSync(path, JSON.stringify(report)));
}
