/**
 * Claude Code's lines as a stream of events for clients.
 *
 * @module
 */

import {
  type Stage,
  StageStream,
  type StageStreamOptions,
} from "../../transforms/stage.ts";
import { ClaudeCodeAdapter } from "./claude_code_adapter.ts";
import type {
  AdapterOutput,
  ProviderAdapter,
  RawEvent,
  SocketEvent,
} from "./provider_adapter.ts";

/** Options of {@linkcode SocketEventStream}. */
export interface SocketEventStreamOptions extends StageStreamOptions {
  /**
   * The adapter of the command line.
   *
   * @default {new ClaudeCodeAdapter()}
   */
  adapter?: ProviderAdapter<RawEvent> | undefined;
  /**
   * Gets everything that has to be done for a line besides sending its events:
   * automatic answers, server actions. It must not throw.
   */
  onOutput?: ((output: AdapterOutput) => void) | undefined;
}

/**
 * Lines of an agent's command line in, {@linkcode SocketEvent}s out. A line of a
 * type that is not known becomes `raw:event`, one of a known type in a wrong
 * shape `raw:invalid` with `error` and `event`; skipped lines give nothing.
 *
 * Each chunk has to be one line; {@linkcode [line_splitter].LineSplitterStream}
 * cuts text into lines.
 *
 * @example
 * ```ts
 * import { toReadableStream } from "@millrace/millrace";
 * import { SocketEventStream } from "@millrace/millrace/adapters/claude_code";
 *
 * const names: string[] = [];
 * const events = toReadableStream([
 *   '{"type":"system","subtype":"init","cwd":"/","tools":[]}',
 *   '{"type":"brand_new"}',
 * ]).pipeThrough(new SocketEventStream());
 * const reader = events.getReader();
 * for (let next = await reader.read(); !next.done; next = await reader.read()) {
 *   names.push(next.value.name);
 * }
 * if (names.join() !== "system:init,raw:event") throw new Error();
 * ```
 */
export class SocketEventStream extends StageStream<string, SocketEvent> {
  /**
   * Makes the stream.
   *
   * @param options See {@linkcode SocketEventStreamOptions}.
   */
  constructor(options: SocketEventStreamOptions = {}) {
    super(new SocketEventStage(options), options);
  }
}

class SocketEventStage implements Stage<string, SocketEvent> {
  readonly #adapter: ProviderAdapter<RawEvent>;
  readonly #onOutput: ((output: AdapterOutput) => void) | undefined;

  constructor(options: SocketEventStreamOptions) {
    this.#adapter = options.adapter ??
      new ClaudeCodeAdapter() as ProviderAdapter<RawEvent>;
    this.#onOutput = options.onOutput;
  }

  push(line: string, emit: (event: SocketEvent) => void): void {
    const result = this.#adapter.parseLine(line);
    if (result.status === "skip") return;
    if (result.status === "error") {
      emit({
        name: "raw:invalid",
        payload: { error: result.error, event: result.raw },
      });
      return;
    }
    const output = this.#adapter.transform(
      result.status === "ok" ? result.event : result.raw,
    );
    for (const event of output.events) emit(event);
    this.#onOutput?.(output);
  }

  end(): void {}

  /** The edits under way are in the adapter; a line leaves nothing else behind. */
  snapshot(): null {
    return null;
  }
}
