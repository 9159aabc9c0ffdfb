import type { Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import { Decoder, errorOf } from "../internal/decoder.ts";
import {
  isObject,
  type JSONObject,
  objectOf,
  stringOf,
} from "../internal/json.ts";
import { shortId } from "../internal/recent_ids.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/** What this decoder remembers. */
interface State {
  /** Code units given out of the items that are open, by id. */
  open: Record<string, number>;
  /** Whether a message, or reasoning, has been given out: the next begins on a line of its own. */
  text: boolean;
  reasoning: boolean;
}

/** More open items than this are no real session. */
const MOST_OPEN = 1024;

/**
 * The lines of `codex exec --json`. The command line runs its tools itself:
 * commands, file changes and searches pass as `raw`. Messages come whole, and are
 * set apart by a line end.
 */
class CodexDecoder extends Decoder<State> {
  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("codex", options, snapshot, {
      open: {},
      text: false,
      reasoning: false,
    });
  }

  protected override event(value: JSONObject): void {
    switch (value.type) {
      case "item.started":
      case "item.updated":
      case "item.completed":
        if (isObject(value.item)) {
          return this.#item(
            value.item,
            value.type === "item.completed",
            value,
          );
        }
        break;
      case "turn.started":
        return;
      case "turn.completed": {
        const usage = objectOf(value.usage) ?? {};
        this.usage({
          inputTokens: usage.input_tokens,
          outputTokens: usage.output_tokens,
          reasoningTokens: usage.reasoning_output_tokens,
          cachedInputTokens: usage.cached_input_tokens,
        });
        // Errors on the way, such as a lost connection, have been overcome.
        this.recover();
        this.finish("stop", "completed");
        this.terminal();
        return;
      }
      case "turn.failed":
        this.fail(errorOf(value.error), true);
        this.finish("error", "failed");
        this.terminal();
        return;
      case "error":
        this.fail(errorOf(value), false);
        return;
    }
    this.raw(value);
  }

  #item(item: JSONObject, over: boolean, value: JSONObject): void {
    switch (item.type) {
      case "agent_message":
      case "reasoning":
        return this.#message(item, item.type, over);
      case "error":
        this.emit({ type: "error", error: errorOf(item), fatal: false });
        return;
    }
    this.raw(value);
  }

  /** A message can grow before it is over: only what is new counts. */
  #message(
    item: JSONObject,
    type: "agent_message" | "reasoning",
    over: boolean,
  ): void {
    const { own } = this;
    const id = `i ${shortId(stringOf(item.id))}`;
    const text = this.stringIn(item.text);
    const given = Object.hasOwn(own.open, id) ? own.open[id]! : 0;
    const rest = text.slice(given);
    if (over) delete own.open[id];
    else if (Object.keys(own.open).length < MOST_OPEN) {
      own.open[id] = Math.max(given, text.length);
    }
    if (rest === "") return;
    if (type === "agent_message") {
      if (given === 0 && own.text) this.text("\n");
      own.text = true;
      this.text(rest);
    } else {
      if (given === 0 && own.reasoning) this.reasoning("\n");
      own.reasoning = true;
      this.reasoning(rest);
    }
  }
}

const TYPES = new Set([
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn.failed",
  "item.started",
  "item.updated",
  "item.completed",
]);

/** The JSON lines of Codex's command line. */
export const codex: Provider = {
  name: "codex",
  transport: "jsonl",
  detect(value: unknown): boolean {
    return isObject(value) && TYPES.has(value.type as string);
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(snapshot, (snapshot) => new CodexDecoder(options, snapshot));
  },
};
