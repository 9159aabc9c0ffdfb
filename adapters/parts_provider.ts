/**
 * millrace's own wire format: parts as JSON.
 *
 * @module
 */

import type { FinishPart, Part } from "../transforms/part.ts";
import type { Emit, Stage } from "../transforms/stage.ts";
import {
  makeSnapshot,
  openSnapshot,
  resumed,
} from "../transforms/internal/snapshot.ts";
import { excerptOf } from "./internal/limits.ts";
import type { Provider, ProviderInput, ProviderOptions } from "./provider.ts";

/** The fields that stages rely on, by type: what comes over a wire may lack them. */
const FIELDS: Readonly<Record<Part["type"], Readonly<Record<string, string>>>> =
  {
    "text": { text: "string", start: "number" },
    "reasoning": { text: "string" },
    "fence-start": { fence: "object" },
    "fence-end": { fence: "object", closed: "boolean", end: "number" },
    "directive-start": {
      id: "string",
      name: "string",
      attributes: "object",
      start: "number",
    },
    "directive-delta": { id: "string", name: "string", text: "string" },
    "directive": {
      id: "string",
      name: "string",
      attributes: "object",
      content: "string",
      complete: "boolean",
      raw: "string",
      start: "number",
      end: "number",
    },
    "tool-input-start": { toolCallId: "string", toolName: "string" },
    "tool-input-delta": { toolCallId: "string", delta: "string" },
    "tool-call": {
      toolCallId: "string",
      toolName: "string",
      origin: "string",
    },
    "tool-call-partial": { toolCallId: "string", inputText: "string" },
    "tool-result": { toolCallId: "string" },
    "tool-blocked": {
      toolCallId: "string",
      toolName: "string",
      reason: "string",
    },
    "snippet": {
      content: "string",
      closed: "boolean",
      start: "number",
      end: "number",
    },
    "snippet-start": { id: "string", start: "number" },
    "snippet-delta": { id: "string", text: "string" },
    "usage": {},
    "finish": { reason: "string", complete: "boolean" },
    "warning": { code: "string", message: "string" },
    "error": { error: "object", fatal: "boolean" },
    "raw": {},
  };

interface State {
  /** The finish part, which waits for the end. */
  finish?: FinishPart;
  /** How the transport failed, if it did. */
  failed?: "error" | "cancelled";
}

class PartsDecoder implements Stage<ProviderInput, Part> {
  readonly #raw: boolean;
  readonly #state: State;

  constructor(options: ProviderOptions, snapshot: unknown) {
    this.#raw = options.raw !== "none";
    this.#state = openSnapshot<State>("parts", snapshot) ?? {};
  }

  push(input: ProviderInput, emit: Emit<Part>): void {
    if (input.error !== undefined) {
      emit({ type: "error", error: input.error, fatal: true });
      this.#state.failed = input.error.name === "AbortError"
        ? "cancelled"
        : "error";
      return;
    }
    let { value } = input;
    if (value === undefined) {
      try {
        value = JSON.parse(input.data);
      } catch {
        emit({
          type: "warning",
          code: "malformed",
          message: `Dropped an event that is not JSON. It begins ${
            JSON.stringify(excerptOf(input.data))
          }`,
        });
        return;
      }
    }
    if (!isPart(value)) {
      if (this.#raw) emit({ type: "raw", value });
    } else if (value.type === "finish") this.#state.finish = value;
    else emit(value);
  }

  end(emit: Emit<Part>): void {
    const { finish, failed } = this.#state;
    if (failed !== undefined) {
      emit({ type: "finish", reason: failed, complete: false });
    } else {
      emit(finish ?? { type: "finish", reason: "unknown", complete: false });
    }
  }

  snapshot(): unknown {
    return makeSnapshot("parts", this.#state);
  }
}

/** Whether a value is a part: of a known type with its fields, or of another type. */
function isPart(value: unknown): value is Part {
  if (typeof value !== "object" || value === null) return false;
  const part = value as Record<string, unknown>;
  if (!Object.hasOwn(part, "type") || typeof part.type !== "string") {
    return false;
  }
  if (!Object.hasOwn(FIELDS, part.type)) return true;
  const fields = FIELDS[part.type as Part["type"]];
  for (const name in fields) {
    if (
      !Object.hasOwn(part, name) || part[name] === null ||
      typeof part[name] !== fields[name]
    ) return false;
  }
  return true;
}

/**
 * Reads what {@linkcode [encode_sse].SSEEncoderStream} and
 * {@linkcode [encode_jsonl].JSONLEncoderStream} write: parts as JSON, so
 * that they can travel from a server to a client, or into a file and back. Parts
 * of unknown types pass; a known one that lacks what stages rely on becomes a
 * `raw` part.
 *
 * @example
 * ```ts
 * import { parse } from "@millrace/millrace";
 * import { SSEEncoderStream } from "@millrace/millrace/adapters/encode_sse";
 * import { partsProvider } from "@millrace/millrace/adapters/parts_provider";
 * import { fromSSE } from "@millrace/millrace/adapters/sse";
 *
 * const sent = parse(["hi"], new SSEEncoderStream());
 * const received = fromSSE(sent, { provider: partsProvider }).getReader();
 * const { value } = await received.read();
 * if (value?.type !== "text" || value.text !== "hi") throw new Error();
 * ```
 */
export const partsProvider: Provider = {
  name: "parts",
  transport: "any",
  detect: (value: unknown): boolean =>
    isPart(value) && Object.hasOwn(FIELDS, value.type),
  create: (
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> =>
    resumed(snapshot, (snapshot) => new PartsDecoder(options, snapshot)),
};
