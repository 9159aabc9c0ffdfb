import { copyWith } from "./copy_with.ts";
import {
  findVscodeResult,
  isUserMessage,
  type MessageView,
  withoutResults,
  withResultsBefore,
} from "./message_view.ts";

/** What is wrong with the pairs of calls and results in some messages. */
export interface PairFaults {
  /** Calls without a result, with the index of their message. */
  missing: { id: string; message: number }[];
  /** Results without a call, with their message and their index in it. */
  orphans: { id: string; message: number; result: number }[];
}

/**
 * Looks for calls without a result and results without a call. A result belongs
 * to a call of the message before it, or before other messages with results.
 */
export function findPairFaults(views: readonly MessageView[]): PairFaults {
  const faults: PairFaults = { missing: [], orphans: [] };
  /** Calls that wait for their result, with their message. */
  let open = new Map<string, number>();
  const giveUp = (): void => {
    for (const [id, message] of open) faults.missing.push({ id, message });
    open = new Map();
  };
  // Items pair over any distance; other messages only with the next ones.
  const items = views.some((view) => view.item);
  for (const [message, view] of views.entries()) {
    for (const [result, { id }] of view.results.entries()) {
      if (!open.delete(id)) faults.orphans.push({ id, message, result });
    }
    if (view.results.length === 0 && !items) giveUp();
    for (const id of view.calls) open.set(id, message);
  }
  giveUp();
  return faults;
}

/**
 * The messages with the faults mended: orphans are taken out, for missing
 * results `text` stands in. Those of `vscode.lm` are made after another result
 * in the messages; where there is none, they stay missing.
 */
export function repairPairFaults<Message>(
  messages: readonly Message[],
  views: readonly MessageView[],
  faults: PairFaults,
  text: string,
): Message[] {
  const repaired: Message[] = [];
  const model = findVscodeResult(messages);
  const missing = new Map<number, string[]>();
  for (const { id, message } of faults.missing) {
    missing.set(message, [...missing.get(message) ?? [], id]);
  }
  const orphans = new Map<number, Set<number>>();
  for (const { message, result } of faults.orphans) {
    orphans.set(message, (orphans.get(message) ?? new Set()).add(result));
  }
  let before: object[] = [];
  /** OpenAI's results that come behind those that are there. */
  let behind: object[] = [];
  for (const [index, message] of messages.entries()) {
    const view = views[index]!;
    let kept = withoutResults(message, orphans.get(index) ?? new Set());
    if (behind.length > 0 && view.results.length === 0) {
      repaired.push(...behind as Message[]);
      behind = [];
    }
    if (before.length > 0) {
      if (isUserMessage(kept ?? message)) {
        kept = withResultsBefore(kept ?? withEmptyContent(message), before);
      } else repaired.push(userMessage(before, messages) as Message);
      before = [];
    }
    if (kept !== undefined) repaired.push(kept);
    for (const id of missing.get(index) ?? []) {
      if (view.form === "openai") {
        behind.push({ role: "tool", tool_call_id: id, content: text });
      } else if (view.form === "responses") {
        repaired.push(
          {
            type: "function_call_output",
            call_id: id,
            output: text,
          } as Message,
        );
      } else if (view.form === "anthropic") {
        before.push({ type: "tool_result", tool_use_id: id, content: text });
      } else if (model !== undefined) {
        before.push(vscodeResult(model, id, text));
      }
    }
  }
  repaired.push(...behind as Message[]);
  if (before.length > 0) {
    repaired.push(userMessage(before, messages) as Message);
  }
  return repaired;
}

function withEmptyContent<Message>(message: Message): Message {
  return copyWith(message as object, [["content", []]]) as Message;
}

/** A user message; among those of `vscode.lm` one of their class. */
function userMessage(
  content: readonly object[],
  messages: readonly unknown[],
): object {
  const model = messages.find(isUserMessage) as { role: unknown } | undefined;
  return typeof model?.role === "number"
    ? copyWith(model, [["content", content]])
    : { role: "user", content };
}

function vscodeResult(model: object, id: string, text: string): object {
  const { content } = model as { content: unknown };
  // Messages are anybody's: a result may hold a text where a list belongs.
  const block = Array.isArray(content)
    ? content.find((one) =>
      typeof (one as { value?: unknown } | null)?.value === "string"
    )
    : undefined;
  const part = block === undefined
    ? { value: text }
    : copyWith(block as object, [["value", text]]);
  return copyWith(model, [["callId", id], ["content", [part]]]);
}
