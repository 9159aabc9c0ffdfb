/// <reference types="vscode" />
/**
 * An extension that brings a language model, which plays the scenarios.
 */
import type * as vscode from "vscode";
import { LAST_WORDS, scenarios, type Step, VENDOR } from "./scenarios.ts";

/** How many tokens the model takes. */
const MOST_TOKENS = 6_000;

/** What other extensions get of this one. */
export interface ProviderExports {
  /** The requests that came, as plain data. */
  readonly received: unknown[];
  /** How many tokens were counted, in characters. */
  readonly counted: number[];
}

/** A third of all characters in it. */
function tokensOf(value: unknown): number {
  return Math.ceil(lengthOf(value) / 3);
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum, one) => sum + lengthOf(one), 0);
}

/** A piece of the answer, as this editor has it. */
function partOf(
  editor: typeof vscode,
  step: Step,
): vscode.LanguageModelResponsePart | undefined {
  if ("text" in step) return new editor.LanguageModelTextPart(step.text);
  if ("call" in step) {
    const { callId, name, input } = step.call;
    return new editor.LanguageModelToolCallPart(callId, name, input);
  }
  if ("data" in step) {
    return editor.LanguageModelDataPart.text(
      step.data.text,
      step.data.mimeType,
    );
  }
  if ("thinking" in step) {
    // Proposed, so that it may be missing.
    const { LanguageModelThinkingPart } = editor as unknown as {
      LanguageModelThinkingPart?: new (
        value: string | string[],
      ) => vscode.LanguageModelTextPart;
    };
    return LanguageModelThinkingPart === undefined
      ? undefined
      : new LanguageModelThinkingPart(step.thinking);
  }
  return undefined;
}

async function play(
  editor: typeof vscode,
  steps: readonly Step[],
  progress: vscode.Progress<vscode.LanguageModelResponsePart>,
  token: vscode.CancellationToken,
): Promise<void> {
  for (const step of steps) {
    if (token.isCancellationRequested) return;
    if ("error" in step) {
      const { message, code } = step.error;
      throw code === undefined
        ? new Error(message)
        : editor.LanguageModelError[code](message);
    }
    if ("wait" in step) {
      const { wait } = step;
      await new Promise<unknown>((resolve) => {
        token.onCancellationRequested(resolve);
        if (wait !== "cancelled") setTimeout(resolve, wait);
      });
      continue;
    }
    const part = partOf(editor, step);
    if (part !== undefined) progress.report(part);
    // So that every step is a part of its own.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** The text that a request ends with. */
function lastText(
  messages: readonly vscode.LanguageModelChatRequestMessage[],
): string {
  const [part] = messages.at(-1)?.content ?? [];
  const { value } = (part ?? {}) as { value?: unknown };
  return typeof value === "string" ? value : "";
}

/** What the editor calls at its start. */
export async function activate(
  context: vscode.ExtensionContext,
): Promise<ProviderExports> {
  const editor = await import("vscode");
  const received: unknown[] = [];
  const counted: number[] = [];
  context.subscriptions.push(
    editor.lm.registerLanguageModelChatProvider(VENDOR, {
      provideLanguageModelChatInformation: () => [{
        id: "scripted",
        name: "Scripted",
        family: "scripted",
        version: "1",
        maxInputTokens: MOST_TOKENS,
        maxOutputTokens: 1_000,
        capabilities: { toolCalling: true },
      }],
      async provideLanguageModelChatResponse(
        _model,
        messages,
        options,
        progress,
        token,
      ) {
        received.push(
          JSON.parse(JSON.stringify({ messages, tools: options.tools })),
        );
        const steps = scenarios[lastText(messages)] ?? [{ text: LAST_WORDS }];
        await play(editor, steps, progress, token);
      },
      provideTokenCount(_model, text) {
        counted.push(lengthOf(text));
        return Promise.resolve(tokensOf(text));
      },
    }),
  );
  return { received, counted };
}
