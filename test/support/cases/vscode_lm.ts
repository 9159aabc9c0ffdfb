import { collectParts, type Part } from "../../../mod.ts";
import {
  type CancellationTokenLike,
  fromVscodeLm,
} from "../../../adapters/vscode_lm.ts";
import type { AreaRunner } from "./area_runner.ts";
import { behind } from "./behind.ts";
import { difference, equal, sameText } from "./text_case.ts";

/** The part classes of an editor, as far as they matter. */
class TextPart {
  value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
class ToolCallPart {
  callId: unknown;
  name: unknown;
  input: unknown;
  constructor(callId: unknown, name: unknown, input: unknown) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}
class DataPart {
  mimeType: unknown;
  data: unknown;
  constructor(mimeType: unknown, data: unknown) {
    this.mimeType = mimeType;
    this.data = data;
  }
}
class ThinkingPart {
  value: unknown;
  id: unknown;
  metadata: unknown;
  constructor(value: unknown, id: unknown, metadata: unknown) {
    this.value = value;
    this.id = id;
    this.metadata = metadata;
  }
}

/** A part as the editor would give it. */
function partOf(given: Record<string, unknown>, structural: boolean): unknown {
  const { kind, ...rest } = given;
  if (structural) return rest;
  switch (kind) {
    case "text":
      return new TextPart(given["value"]);
    case "tool-call":
      return new ToolCallPart(given["callId"], given["name"], given["input"]);
    case "data":
      return new DataPart(
        given["mimeType"],
        Uint8Array.from(
          atob(given["dataBase64"] as string ?? ""),
          (character) => character.charCodeAt(0),
        ),
      );
    case "thinking":
      return new ThinkingPart(given["value"], given["id"], given["metadata"]);
  }
  return given;
}

/** A token that can be cancelled. */
class Token implements CancellationTokenLike {
  isCancellationRequested = false;
  readonly #listeners = new Set<(event: unknown) => unknown>();
  readonly onCancellationRequested = (
    listener: (event: unknown) => unknown,
  ): { dispose(): void } => {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  };
  cancel(): void {
    this.isCancellationRequested = true;
    for (const listener of [...this.#listeners]) listener(undefined);
  }
  get listening(): number {
    return this.#listeners.size;
  }
}

/** Text, reasoning and calls in order, neighbours of a kind merged. */
function entriesOf(parts: readonly Part[]): Record<string, unknown>[] {
  const entries: Record<string, unknown>[] = [];
  for (const part of parts) {
    const last = entries.at(-1);
    if (part.type === "text" || part.type === "reasoning") {
      if (last?.["type"] === part.type) last["content"] += part.text;
      else entries.push({ type: part.type, content: part.text });
    } else if (part.type === "tool-call") {
      entries.push({
        type: "call",
        id: part.toolCallId,
        name: part.toolName,
        input: part.input,
      });
    }
  }
  return entries;
}

function sameEntry(
  got: Record<string, unknown> | undefined,
  wanted: Record<string, unknown>,
  how: unknown,
): boolean {
  if (got === undefined || got["type"] !== wanted["type"]) return false;
  if (wanted["type"] !== "call") {
    return sameText(got["content"] as string, wanted["content"] as string, how);
  }
  return Object.keys(wanted).every((key) => equal(got[key], wanted[key]));
}

/** Why the parts are not what is expected, or `undefined`. */
function check(
  parts: Part[],
  expected: Record<string, unknown>,
): string | undefined {
  const got = collectParts(parts);
  const how = expected["textCompare"];
  const entries = entriesOf(parts);
  const calls = entries.filter((entry) => entry["type"] === "call");
  const raws = parts.filter((part) => part.type === "raw").map((part) =>
    part.value as { mimeType?: unknown; metadata?: unknown } | null
  );
  const data = raws.filter((value) => value?.mimeType !== undefined);
  const error = got.errors[0]?.error;
  for (const [key, wanted] of Object.entries(expected)) {
    switch (key) {
      case "textCompare":
      case "returned":
        break;
      case "text":
        if (!sameText(got.text, wanted as string, how)) {
          return difference(key, got.text, wanted);
        }
        break;
      case "reasoning":
        if (got.reasoning !== wanted) {
          return difference(key, got.reasoning, wanted);
        }
        break;
      case "calls":
      case "parts": {
        const found = key === "calls" ? calls : entries;
        const list = wanted as Record<string, unknown>[];
        if (
          found.length !== list.length ||
          !list.every((one, index) =>
            sameEntry(found[index], { type: "call", ...one }, how)
          )
        ) return difference(key, found, wanted);
        break;
      }
      case "order": {
        const order = entries.map((entry) => entry["type"]);
        if (!equal(order, wanted)) return difference(key, order, wanted);
        break;
      }
      case "data":
        if (
          data.length !== (wanted as unknown[]).length ||
          !(wanted as { mimeType?: string }[]).every((one, index) =>
            one.mimeType === undefined || data[index]!.mimeType === one.mimeType
          )
        ) return difference(key, data, wanted);
        break;
      case "unknown": {
        // What goes with reasoning is told apart by its metadata.
        const count = raws.filter((value) =>
          value?.mimeType === undefined && value?.metadata === undefined
        ).length;
        if (count !== wanted) {
          return difference(key, count, wanted);
        }
        break;
      }
      case "finish":
        if (got.finish?.reason !== wanted) {
          return difference(key, got.finish, wanted);
        }
        break;
      case "error": {
        const { code } = wanted as { code?: string };
        if (code !== undefined && (error?.code ?? error?.name) !== code) {
          return difference(key, error, wanted);
        }
        break;
      }
      default:
        return `unknown expectation "${key}"`;
    }
  }
  return undefined;
}

export const run: AreaRunner = async (line) => {
  const input = line.input as Record<string, unknown>[];
  const { options, expect } = line;
  const token = new Token();
  let returned = 0;
  let at = 0;
  const iterator: AsyncIterator<unknown> = {
    next(): Promise<IteratorResult<unknown>> {
      const given = input[at++];
      if (given === undefined) {
        return Promise.resolve({ done: true, value: undefined });
      }
      if (given["kind"] === "__throw") {
        return Promise.reject(
          Object.assign(new Error(given["message"] as string), {
            name: given["name"] ?? "Error",
            code: given["code"],
            cause: given["cause"],
          }),
        );
      }
      if (given["kind"] === "__cancel") {
        token.cancel();
        // A model that hangs: only the token ends it.
        return new Promise(() => {});
      }
      return Promise.resolve({
        done: false,
        value: partOf(given, options["shape"] === "structural"),
      });
    },
    return() {
      returned++;
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  const response = {
    stream: { [Symbol.asyncIterator]: () => iterator },
  };
  try {
    const source = fromVscodeLm(response, {
      token,
      classes: {
        text: TextPart,
        toolCall: ToolCallPart,
        data: DataPart,
        thinking: ThinkingPart,
      },
    });
    const parts: Part[] = [];
    const reader = behind(source, options).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      if (parts.length === options["cancelAfter"]) {
        await reader.cancel();
        break;
      }
    }
    const why = check(parts, expect);
    if (why !== undefined) return { status: "failed", why };
    if (
      expect["returned"] !== undefined &&
      (returned === 1) !== expect["returned"]
    ) return { status: "failed", why: `return() was called ${returned} times` };
    if (token.listening > 0) {
      return { status: "failed", why: "still listening to the token" };
    }
    return { status: "passed" };
  } catch (error) {
    return { status: "failed", why: String(error) };
  }
};
