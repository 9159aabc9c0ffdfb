/**
 * Deciding over every tool call before anything can run it.
 *
 * @module
 */

import type { Part, ToolBlockedPart, ToolCallPart } from "./part.ts";

/**
 * What a policy says of a call: `true` lets it through, `false` blocks it, an
 * object does the same and can say why, in words for the model. Anything else blocks.
 */
export type ToolVerdict =
  | boolean
  | {
    /** Whether the call may run. */
    readonly allow: boolean;
    /** Why not. */
    readonly reason?: string;
  };

/**
 * Decides over one call, at once or by a promise. Throwing or rejecting blocks
 * the call.
 */
export type ToolPolicy = (
  call: ToolCallPart,
) => ToolVerdict | PromiseLike<ToolVerdict>;

/** Options of {@linkcode ToolGateStream}. */
export interface ToolGateStreamOptions {
  /** Decides over every call. */
  policy: ToolPolicy;
  /**
   * How many parts may wait before the gate, and how many behind it, until
   * backpressure is felt.
   *
   * @default {1}
   */
  highWaterMark?: number;
}

/**
 * Lets only those tool calls through that a policy allows. A call that it does not
 * becomes a `tool-blocked` part with the reason, in its place, and never
 * reaches what runs calls; every other part passes untouched. The gate fails
 * closed: a policy that throws, rejects or gives no verdict blocks.
 *
 * A policy may take its time: while it waits, say for a person to approve,
 * nothing behind the call passes and backpressure reaches the source. That is why the gate is a plain
 * `TransformStream` and no `StageStream`: `pipeline` and `readParts` take it as
 * any other transform, `parse` does not. Put it last.
 *
 * What builds up a call before it is complete (`tool-input-start`,
 * `tool-input-delta`, `tool-call-partial`) passes: it is for showing, and must not be run.
 * A blocked salvaged call keeps its `raw`, `start` and `end`.
 *
 * Construction throws a `TypeError` without a policy.
 *
 * @example An allow list
 * ```ts
 * import { type Part, readParts, ToolGateStream } from "@millrace/millrace";
 *
 * const allowed = new Set(["read_file"]);
 * const gate = new ToolGateStream({
 *   policy: (call) => ({
 *     allow: allowed.has(call.toolName),
 *     reason: `"${call.toolName}" is not allowed here`,
 *   }),
 * });
 * const call: Part = {
 *   type: "tool-call",
 *   toolCallId: "1",
 *   toolName: "delete_file",
 *   input: {},
 *   origin: "native",
 * };
 * for await (const part of readParts([call], gate)) {
 *   if (part.type !== "tool-blocked") throw new Error();
 *   if (part.reason !== '"delete_file" is not allowed here') throw new Error();
 * }
 * ```
 *
 * @example Asking a person
 * ```ts
 * import { ToolGateStream } from "@millrace/millrace";
 *
 * // Stands for a dialog.
 * const ask = (question: string): Promise<boolean> => Promise.resolve(question !== "");
 *
 * const gate = new ToolGateStream({
 *   policy: async (call) =>
 *     call.toolName === "read_file" || await ask(`Run ${call.toolName}?`),
 * });
 * if (!(gate instanceof TransformStream)) throw new Error();
 * ```
 */
export class ToolGateStream extends TransformStream<string | Part, Part> {
  /**
   * Makes a gate.
   *
   * @param options See {@linkcode ToolGateStreamOptions}.
   */
  constructor(options: ToolGateStreamOptions) {
    if (typeof options?.policy !== "function") {
      throw new TypeError(
        "Cannot make a gate: the options need a policy, a function",
      );
    }
    const { policy, highWaterMark = 1 } = options;
    if (!(highWaterMark >= 0)) {
      throw new RangeError(
        `Cannot use highWaterMark "${highWaterMark}": it must be 0 or more`,
      );
    }
    let offset = 0;
    super(
      {
        transform(input, controller) {
          if (typeof input === "string") {
            if (input === "") return;
            controller.enqueue({ type: "text", text: input, start: offset });
            offset += input.length;
            return;
          }
          if (input.type !== "tool-call") {
            if (input.type === "text") offset = input.start + input.text.length;
            controller.enqueue(input);
            return;
          }
          let verdict: ToolVerdict | PromiseLike<ToolVerdict>;
          try {
            verdict = policy(input);
          } catch (error) {
            controller.enqueue(blocked(input, failure(error)));
            return;
          }
          if (!isThenable(verdict)) {
            controller.enqueue(decided(input, verdict));
            return;
          }
          return Promise.resolve(verdict).then(
            (late) => decided(input, late),
            (error) => blocked(input, failure(error)),
          ).then((part) => controller.enqueue(part));
        },
      },
      { highWaterMark },
      { highWaterMark },
    );
  }
}

function decided(call: ToolCallPart, verdict: unknown): Part {
  if (verdict === true) return call;
  if (verdict === false) return blocked(call, "The call is not allowed");
  if (typeof verdict === "object" && verdict !== null) {
    const { allow, reason } = verdict as { allow?: unknown; reason?: unknown };
    if (allow === true) return call;
    if (allow === false) {
      return blocked(
        call,
        typeof reason === "string" && reason !== ""
          ? reason
          : "The call is not allowed",
      );
    }
  }
  return blocked(call, "The policy gave no verdict");
}

function blocked(call: ToolCallPart, reason: string): ToolBlockedPart {
  const part: ToolBlockedPart = {
    type: "tool-blocked",
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    reason,
  };
  if (call.origin !== "salvaged") return part;
  // Its markup was taken out of the text, so it stays with the part.
  const { raw, start, end } = call;
  return Object.assign(part, { raw, start, end });
}

function failure(error: unknown): string {
  let message = "";
  try {
    message = error instanceof Error ? error.message : String(error);
  } catch {
    // Not even a string can be made of it.
  }
  return message === "" ? "The policy failed" : `The policy failed: ${message}`;
}

function isThenable(value: unknown): value is PromiseLike<ToolVerdict> {
  return typeof value === "object" && value !== null &&
    typeof (value as { then?: unknown }).then === "function";
}
