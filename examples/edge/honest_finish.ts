import {
  type Emit,
  type ErrorInfo,
  type FinishPart,
  type Part,
  sanitizeMessages,
  type Stage,
} from "../../mod.ts";
import type { Tally } from "./tally.ts";

interface State {
  /** Whether a call was salvaged. */
  salvaged: boolean;
  /** Whether a fatal error went by. */
  failed: boolean;
  /** Whether the model refused in a field that the client does not get. */
  refused: boolean;
}

/**
 * The last stage before the encoder: what the client is told at the end is true.
 *
 * - Calls were salvaged: a normal end asks for their results.
 * - The answer just stopped: the client gets an error, not half an answer.
 * - A refusal is no empty answer.
 * - Every string of a call is well-formed, and no error says the upstream's key.
 */
export class HonestFinish implements Stage<string | Part, Part> {
  readonly #tally: Tally;
  readonly #usage: boolean;
  readonly #secret: string | undefined;
  readonly #state: State;

  /**
   * @param tally Told of everything.
   * @param usage Whether token counts pass.
   * @param secret What must not be said.
   * @param snapshot What an earlier stage's `snapshot()` gave.
   */
  constructor(
    tally: Tally,
    usage: boolean,
    secret: string | undefined,
    snapshot?: unknown,
  ) {
    this.#tally = tally;
    this.#usage = usage;
    this.#secret = secret;
    this.#state = {
      ...(snapshot as State | undefined ??
        { salvaged: false, failed: false, refused: false }),
    };
  }

  push(part: string | Part, emit: Emit<Part>): void {
    if (typeof part === "string") return;
    const state = this.#state;
    switch (part.type) {
      case "tool-call":
      case "tool-call-partial": {
        const call = sanitizeMessages(part);
        if (call.type === "tool-call" && call.origin === "salvaged") {
          state.salvaged = true;
        }
        this.#tally.add(call);
        return emit(call);
      }
      case "usage":
        return this.#usage ? emit(part) : undefined;
      case "warning":
        if (part.code === "refusal") state.refused = true;
        break;
      case "error":
        return this.#fail(part.error, part.fatal, emit);
      case "finish":
        return this.#finish(part, emit);
    }
    this.#tally.add(part);
    emit(part);
  }

  end(): void {}

  snapshot(): unknown {
    return { ...this.#state };
  }

  #finish(part: FinishPart, emit: Emit<Part>): void {
    const state = this.#state;
    let { reason, complete } = part;
    if (!state.failed && reason !== "cancelled") {
      if (!complete) {
        this.#fail(
          {
            name: "api_error",
            message: "The upstream's answer stopped before its end",
            code: "incomplete",
          },
          true,
          emit,
        );
      } else if (reason === "error") {
        this.#fail(
          {
            name: "api_error",
            message: `The upstream ended in error: ${
              part.rawReason ?? "unknown"
            }`,
          },
          true,
          emit,
        );
      }
    }
    if (state.failed) {
      reason = "error";
      complete = false;
    } else if (complete) {
      // An end mark without a word, or with one of the upstream's own.
      if (reason === "unknown") reason = "stop";
      if (reason === "stop" && state.salvaged) reason = "tool-calls";
      if (reason === "stop" && state.refused) reason = "content-filter";
    }
    const finish = { ...part, reason, complete };
    this.#tally.add(finish);
    emit(finish);
  }

  #fail(error: ErrorInfo, fatal: boolean, emit: Emit<Part>): void {
    if (fatal) this.#state.failed = true;
    const timedOut = error.code === "TimeoutError" ||
      error.name === "TimeoutError";
    const told: Part = {
      type: "error",
      error: {
        ...error,
        name: timedOut ? "timeout_error" : error.name,
        message: without(error.message, this.#secret),
      },
      fatal,
    };
    this.#tally.add(told);
    emit(told);
  }
}

/** A text in which a secret is not said. */
export function without(text: string, secret: string | undefined): string {
  return secret === undefined ? text : text.replaceAll(secret, "***");
}
