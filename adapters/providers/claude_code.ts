import type { FinishReason, Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import {
  ANTHROPIC_REASONS,
  AnthropicDecoder,
  type AnthropicState,
} from "../internal/anthropic_decoder.ts";
import { reasonOf } from "../internal/decoder.ts";
import {
  arrayOf,
  isEmpty,
  isObject,
  type JSONObject,
  objectOf,
  stringOf,
  wordOf,
} from "../internal/json.ts";
import { rememberId, shortId } from "../internal/recent_ids.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/** A block that came in deltas. */
interface StreamedBlock {
  type: string;
  /** Its `index` in the message. */
  index: unknown;
  /** Code units that have been given out. */
  length: number;
}

/** What this decoder remembers. */
interface State extends AnthropicState {
  /** The message that comes, or came last, in deltas. */
  streaming: string;
  /** Its blocks that the whole message has not repeated yet. */
  blocks: StreamedBlock[];
  /** Ids of calls that were given out. */
  given: string[];
}

/** Blocks of a message that are waited for; no message has more. */
const MOST_BLOCKS = 1024;

/** Ids kept to know a repeated call by. */
const MOST_GIVEN = 4096;

/**
 * The lines of `claude -p --output-format stream-json`. The command line runs
 * the tools itself: calls and their results are for looking on, and a turn with
 * calls in it still ends with `"stop"`. What sub-agents say passes as `raw`.
 *
 * With partial messages on, everything comes twice: first in deltas
 * (`stream_event`), then whole (`assistant`, one line a block). The whole one
 * brings only what the deltas did not.
 */
class ClaudeCodeDecoder extends AnthropicDecoder<State> {
  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("claude-code", options, snapshot, {
      inputs: {},
      streaming: "",
      blocks: [],
      given: [],
    });
  }

  protected override event(value: JSONObject, event: string | undefined): void {
    switch (value.type) {
      case "keep_alive":
        return;
      case "assistant":
      case "user":
      case "stream_event":
        // Traffic of a sub-agent is not the answer.
        if (!isEmpty(value.parent_tool_use_id)) break;
        if (value.type === "assistant") return this.#assistant(value);
        if (value.type === "user") return this.#user(value);
        if (isObject(value.event)) return this.#stream(value.event, event);
        break;
      case "result":
        return this.#result(value);
    }
    if (value.type === "system" && !isEmpty(value.retracted_message_uuids)) {
      this.#retracted();
    }
    this.raw(value);
  }

  /** Messages end, the session goes on: its own end says why. */
  protected override messageReason(): void {}
  protected override messageOver(): void {}

  /** Every message has its own; the result line sums them up. */
  protected override messageUsage(): void {}

  protected override asksForResults(): boolean {
    return false;
  }

  #stream(inner: JSONObject, event: string | undefined): void {
    const { own } = this;
    switch (inner.type) {
      case "message_start":
        own.streaming = shortId(stringOf(objectOf(inner.message)?.id));
        own.blocks = [];
        break;
      case "content_block_start": {
        const block = objectOf(inner.content_block) ?? {};
        if (block.type === "tool_use") {
          const id = stringOf(block.id);
          // The whole message can overtake its deltas.
          if (this.#wasGiven(id)) return;
          this.#remember(id);
        }
        if (own.blocks.length >= MOST_BLOCKS) own.blocks.shift();
        own.blocks.push({
          type: stringOf(block.type),
          index: inner.index,
          length: stringOf(block.text).length + stringOf(block.thinking).length,
        });
        break;
      }
      case "content_block_delta": {
        const delta = objectOf(inner.delta) ?? {};
        const block = own.blocks.find((one) => one.index === inner.index);
        if (block !== undefined) {
          block.length += stringOf(delta.text).length +
            stringOf(delta.thinking).length;
        }
        break;
      }
    }
    super.event(inner, event);
  }

  #assistant(value: JSONObject): void {
    if (!isEmpty(value.supersedes)) this.#retracted();
    const message = this.objectIn(value.message) ?? {};
    const repeats = this.own.streaming !== "" &&
      shortId(stringOf(message.id)) === this.own.streaming;
    let unknown = value.aborted === true;
    const content = typeof message.content === "string"
      ? [{ type: "text", text: message.content }]
      : this.arrayIn(message.content);
    if (message.content === undefined && !isEmpty(message)) this.unread();
    for (const block of content) {
      if (!isObject(block)) {
        unknown = true;
        continue;
      }
      switch (block.type) {
        case "text":
          this.text(this.#rest("text", this.stringIn(block.text), repeats));
          break;
        case "thinking":
          this.reasoning(
            this.#rest("thinking", this.stringIn(block.thinking), repeats),
          );
          break;
        case "tool_use":
          this.#call(block);
          break;
        default:
          unknown = true;
      }
    }
    if (unknown) this.raw(value);
    const error = wordOf(value.error);
    if (error !== undefined) {
      // Not the end: the command line tries again, and the result line judges.
      this.emit({
        type: "error",
        error: {
          name: "AssistantError",
          message: `The message ended with the error "${error}"`,
          code: error,
        },
        fatal: false,
      });
    }
  }

  /** What the deltas of a block did not bring. */
  #rest(type: string, text: string, repeats: boolean): string {
    if (!repeats) return text;
    const at = this.own.blocks.findIndex((one) => one.type === type);
    if (at < 0) return text;
    const [block] = this.own.blocks.splice(at, 1);
    return text.slice(block!.length);
  }

  #call(block: JSONObject): void {
    const id = stringOf(block.id);
    const input = block.input;
    const open = id === "" ? undefined : this.calls.findId(id);
    if (open !== undefined) {
      // The whole message comes before the end of its last block.
      if (open.length === 0) {
        this.calls.appendValue(this.emit, open, isEmpty(input) ? {} : input);
      }
      this.calls.complete(this.emit, open);
      return;
    }
    if (this.#wasGiven(id)) return;
    this.#remember(id);
    this.calls.whole(this.emit, id, stringOf(block.name), input ?? {});
  }

  #user(value: JSONObject): void {
    const content = objectOf(value.message)?.content;
    let unknown = !Array.isArray(content) || !isEmpty(value.tool_use_result);
    for (const block of arrayOf(content)) {
      if (
        isObject(block) && block.type === "tool_result" &&
        typeof block.tool_use_id === "string"
      ) {
        if (block.is_error === true) unknown = true;
        this.emit({
          type: "tool-result",
          toolCallId: block.tool_use_id,
          output: block.content ?? "",
        });
      } else unknown = true;
    }
    if (unknown) this.raw(value);
  }

  #result(value: JSONObject): void {
    const usage = objectOf(value.usage);
    if (usage !== undefined) super.messageUsage(usage);
    const subtype = stringOf(value.subtype);
    if (subtype === "success" && value.is_error !== true) {
      const stop = wordOf(value.stop_reason);
      let reason: FinishReason = "stop";
      if (stop !== undefined) {
        reason = reasonOf(ANTHROPIC_REASONS, stop);
        if (reason === "unknown") reason = "stop";
      }
      this.recover();
      this.finish(reason, subtype);
    } else {
      const errors = arrayOf(value.errors).filter((one) =>
        typeof one === "string"
      );
      this.fail({
        name: "ResultError",
        message: errors.join("\n") || stringOf(value.result) ||
          `The session ended with "${subtype}"`,
        code: subtype !== "success"
          ? subtype
          : typeof value.api_error_status === "number"
          ? String(value.api_error_status)
          : "error",
      }, true);
      this.finish("error", subtype);
    }
    this.terminal();
    this.raw(value);
  }

  #retracted(): void {
    this.warn(
      "retracted",
      'Earlier messages were withdrawn; which ones, the "raw" part behind this tells',
    );
  }

  #wasGiven(id: string): boolean {
    return id !== "" && this.own.given.includes(id);
  }

  #remember(id: string): void {
    rememberId(this.own.given, id, MOST_GIVEN);
  }
}

/** Top-level types of the protocol that no other provider uses. */
const TYPES = new Set([
  "assistant",
  "user",
  "system",
  "stream_event",
  "control_request",
  "control_response",
  "control_cancel_request",
  "keep_alive",
  "rate_limit_event",
]);

/** The JSON lines of Claude Code's command line. */
export const claudeCode: Provider = {
  name: "claude-code",
  transport: "jsonl",
  detect(value: unknown): boolean {
    return isObject(value) && TYPES.has(value.type as string);
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(
      snapshot,
      (snapshot) => new ClaudeCodeDecoder(options, snapshot),
    );
  },
};
