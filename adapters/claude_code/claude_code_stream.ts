/**
 * Claude Code's lines as a stream of parts.
 *
 * @module
 */

import type { Part } from "../../transforms/part.ts";
import {
  type Stage,
  StageStream,
  type StageStreamOptions,
} from "../../transforms/stage.ts";
import type { ProviderInput, ProviderOptions } from "../provider.ts";
import { claudeCode } from "../providers/claude_code.ts";

/** Options of {@linkcode ClaudeCodeStream}. */
export interface ClaudeCodeStreamOptions
  extends ProviderOptions, StageStreamOptions {
  /** What an earlier stream's `snapshot()` gave. */
  snapshot?: unknown;
}

/**
 * Lines of `claude -p --output-format stream-json` in, parts out: the answer's
 * text, its reasoning, the tool calls that the command line runs and their
 * results, usage, errors and one `finish` at the end. What else the protocol says
 * passes as `raw`, and what is no JSON is reported by a warning.
 *
 * Each chunk has to be one line; {@linkcode [line_splitter].LineSplitterStream}
 * cuts text into lines, and {@linkcode [jsonl].fromJSONL} does all of it.
 *
 * @example
 * ```ts
 * import { collect, toReadableStream } from "@millrace/millrace";
 * import { ClaudeCodeStream } from "@millrace/millrace/adapters/claude_code";
 *
 * const lines = [
 *   '{"type":"assistant","message":{"content":[{"type":"text","text":"42"}]}}',
 *   '{"type":"result","subtype":"success","is_error":false,"result":"42"}',
 * ];
 * const { text, finish } = await collect(
 *   toReadableStream(lines).pipeThrough(new ClaudeCodeStream()),
 * );
 * if (text !== "42" || finish?.reason !== "stop") throw new Error();
 * ```
 */
export class ClaudeCodeStream extends StageStream<string, Part> {
  /**
   * Makes the stream. Throws a `RangeError` for a limit below 1.
   *
   * @param options See {@linkcode ClaudeCodeStreamOptions}.
   */
  constructor(options: ClaudeCodeStreamOptions = {}) {
    super(new LineStage(claudeCode.create(options, options.snapshot)), options);
  }
}

/** Lines are events. */
class LineStage implements Stage<string, Part> {
  readonly #decoder: Stage<ProviderInput, Part>;

  constructor(decoder: Stage<ProviderInput, Part>) {
    this.#decoder = decoder;
  }

  push(line: string, emit: (part: Part) => void): void {
    this.#decoder.push({ data: line }, emit);
  }

  end(emit: (part: Part) => void): void {
    this.#decoder.end(emit);
  }

  /** The failure that follows says how it ended. */
  breakOff(emit: (part: Part) => void): void {
    this.#decoder.end((part) => {
      if (part.type !== "finish") emit(part);
    });
  }

  snapshot(): unknown {
    return this.#decoder.snapshot();
  }
}
