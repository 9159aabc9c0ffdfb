import type { FinishReason, Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import { Decoder, errorOf, reasonOf } from "../internal/decoder.ts";
import {
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

/** A part of a message that is not over. */
interface OpenPart {
  /** Code units given out. */
  given: number;
  type: string;
}

/** What this decoder remembers. */
interface State {
  /** Messages of the user: their text is no answer. */
  users: string[];
  /** The session that is read: the first one with an answer. Others are sub-agents. */
  session: string;
  /** The parts that are open, by id. */
  parts: Record<string, OpenPart>;
  /** Calls that have been given out. */
  calls: string[];
}

const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  "tool-calls": "stop",
  length: "length",
  "content-filter": "content-filter",
  error: "error",
};

/** More than this at once is no real session. */
const MOST = 1024;

/**
 * The events of opencode: those of its server, and the lines of
 * `opencode run --format json`. It runs the tools itself: calls and their results
 * are for looking on, and a turn with calls in it still ends with `"stop"`.
 */
class OpencodeDecoder extends Decoder<State> {
  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("opencode", options, snapshot, {
      users: [],
      session: "",
      parts: {},
      calls: [],
    });
  }

  protected override event(value: JSONObject): void {
    const properties = objectOf(value.properties);
    if (properties === undefined) return this.#line(value);
    switch (value.type) {
      case "server.connected":
      case "server.heartbeat":
        return;
      case "message.updated": {
        const info = objectOf(properties.info) ?? {};
        if (info.role === "user") {
          rememberId(this.own.users, stringOf(info.id), MOST);
        }
        if (!isEmpty(info.error)) this.#error(info.error);
        return;
      }
      case "message.part.updated":
        if (isObject(properties.part)) {
          return this.#part(properties.part, value);
        }
        break;
      case "message.part.delta": {
        const part = this.#open(stringOf(properties.partID));
        if (part === undefined || properties.field !== "text") break;
        const delta = this.stringIn(properties.delta);
        part.given += delta.length;
        this.#give(part.type, delta);
        return;
      }
      case "session.status":
        // What has taken the place of "session.idle".
        if (objectOf(properties.status)?.type !== "idle") break;
        if (
          this.own.session !== "" &&
          shortId(stringOf(properties.sessionID)) === this.own.session
        ) this.terminal();
        return;
      case "session.idle":
        if (
          this.own.session !== "" &&
          shortId(stringOf(properties.sessionID)) === this.own.session
        ) this.terminal();
        return;
      case "session.error":
        this.#error(properties.error);
        return;
    }
    this.raw(value);
  }

  protected override asksForResults(): boolean {
    return false;
  }

  /** One line of the command line: its parts are always whole. */
  #line(value: JSONObject): void {
    const part = objectOf(value.part);
    if (value.type === "error") return this.#error(value.error);
    if (part === undefined) return this.raw(value);
    this.#part(part, value);
    // There is no other end in this form.
    if (part.type === "step-finish" && part.reason !== "tool-calls") {
      this.terminal();
    }
  }

  #part(part: JSONObject, value: JSONObject): void {
    const { own } = this;
    if (own.users.includes(stringOf(part.messageID))) return this.raw(value);
    const session = shortId(stringOf(part.sessionID));
    if (own.session === "") own.session = session;
    else if (session !== own.session) return this.raw(value);
    const id = `p ${shortId(stringOf(part.id))}`;
    switch (part.type) {
      case "text":
      case "reasoning": {
        if (part.synthetic === true || part.ignored === true) break;
        const open = this.#open(stringOf(part.id)) ??
          { given: 0, type: part.type };
        const text = this.stringIn(part.text);
        this.#give(part.type, text.slice(open.given));
        open.given = Math.max(open.given, text.length);
        if (!isEmpty(objectOf(part.time)?.end)) delete own.parts[id];
        else if (Object.keys(own.parts).length < MOST) own.parts[id] = open;
        return;
      }
      case "tool":
        return this.#tool(part, value);
      case "step-start":
        return;
      case "step-finish":
        return this.#stepOver(part);
    }
    this.raw(value);
  }

  #open(id: string): OpenPart | undefined {
    const key = `p ${shortId(id)}`;
    return Object.hasOwn(this.own.parts, key) ? this.own.parts[key] : undefined;
  }

  #give(type: string, text: string): void {
    if (type === "text") this.text(text);
    else this.reasoning(text);
  }

  /** A call is known once it runs, its result once that is over. */
  #tool(part: JSONObject, value: JSONObject): void {
    const state = this.objectIn(part.state) ?? {};
    const id = stringOf(part.callID);
    if (state.status === "pending") return;
    if (!this.own.calls.includes(id)) {
      rememberId(this.own.calls, id, MOST);
      this.calls.whole(
        this.emit,
        id,
        stringOf(part.tool),
        state.input ?? {},
      );
    }
    if (state.status === "completed" || state.status === "error") {
      this.emit({
        type: "tool-result",
        toolCallId: id,
        output: state.output ?? state.error ?? "",
      });
      if (state.status === "error") this.raw(value);
    }
  }

  #stepOver(part: JSONObject): void {
    const tokens = objectOf(part.tokens) ?? {};
    this.usage({
      inputTokens: tokens.input,
      outputTokens: tokens.output,
      totalTokens: tokens.total,
      reasoningTokens: tokens.reasoning,
      cachedInputTokens: objectOf(tokens.cache)?.read,
    });
    const word = wordOf(part.reason);
    if (word !== undefined) this.finish(reasonOf(REASONS, word), word);
  }

  #error(error: unknown): void {
    const given = objectOf(error) ?? {};
    const info = errorOf(isObject(given.data) ? given.data : error);
    if (typeof given.name === "string" && given.name !== "") {
      info.name = given.name;
    }
    this.fail(info, true);
  }
}

/** The events of opencode. */
export const opencode: Provider = {
  name: "opencode",
  transport: "sse",
  detect(value: unknown): boolean {
    return isObject(value) && typeof value.type === "string" &&
      (isObject(value.properties) &&
          /^(server|session|message)\./.test(value.type) ||
        typeof value.sessionID === "string" && isObject(value.part));
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(
      snapshot,
      (snapshot) => new OpencodeDecoder(options, snapshot),
    );
  },
};
