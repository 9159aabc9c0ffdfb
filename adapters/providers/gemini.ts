import type { FinishReason, Part } from "../../transforms/part.ts";
import type { Stage } from "../../transforms/stage.ts";
import { Decoder, errorOf, reasonOf } from "../internal/decoder.ts";
import {
  arrayOf,
  define,
  isEmpty,
  isObject,
  type JSONObject,
  KnownKeys,
  objectOf,
  stringOf,
  toJSON,
  wordOf,
} from "../internal/json.ts";
import { type ArgumentTree, putPiece } from "../internal/partial_arguments.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { resumed } from "../../transforms/internal/snapshot.ts";

/** What this decoder remembers. */
interface State {
  /** Arguments that come piece by piece, by the call's key. */
  trees: Record<string, ArgumentTree>;
  /** Calls among them of which a piece made no sense. */
  broken: Record<string, true>;
}

const REASONS: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  BLOCKLIST: "content-filter",
  PROHIBITED_CONTENT: "content-filter",
  SPII: "content-filter",
  IMAGE_SAFETY: "content-filter",
  IMAGE_PROHIBITED_CONTENT: "content-filter",
  IMAGE_RECITATION: "content-filter",
  LANGUAGE: "content-filter",
  MODEL_ARMOR: "content-filter",
  MALFORMED_FUNCTION_CALL: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
  MALFORMED_RESPONSE: "error",
  MISSING_THOUGHT_SIGNATURE: "error",
};

/** Keys of a chunk that are read, or tell only about the request. */
const CHUNK_KEYS = new KnownKeys([
  "candidates",
  "createTime",
  "error",
  "modelVersion",
  "promptFeedback",
  "responseId",
  "usageMetadata",
]);

const CANDIDATE_KEYS = new KnownKeys([
  "avgLogprobs",
  "content",
  "finishMessage",
  "finishReason",
  "index",
  "safetyRatings",
]);

const CONTENT_KEYS = new KnownKeys(["parts", "role"]);

const PART_KEYS = new KnownKeys(["text", "thought", "functionCall"]);

const CALL_KEYS = new KnownKeys([
  "args",
  "id",
  "name",
  "partialArgs",
  "willContinue",
]);

/**
 * Gemini's `streamGenerateContent`, on either API, as server-sent events or as
 * one JSON array. There is no end marker but the finish reason, which some
 * servers send on every chunk: the last one counts, and reading never stops at it.
 *
 * Calls come whole. Vertex can stream a call's arguments as values with paths;
 * such a call is over at the chunk that does not say `willContinue`.
 */
class GeminiDecoder extends Decoder<State> {
  readonly #choice: number;
  readonly #merge: boolean;

  constructor(options: ProviderOptions, snapshot?: unknown) {
    super("gemini", options, snapshot, { trees: {}, broken: {} });
    this.#choice = options.choice ?? 0;
    this.#merge = options.mergeChoices ?? false;
  }

  protected override event(value: JSONObject): void {
    // The command line's own endpoint wraps it.
    const chunk = isObject(value.response) && !Array.isArray(value.candidates)
      ? value.response
      : value;
    let unknown = CHUNK_KEYS.hasOther(chunk);
    for (const candidate of this.arrayIn(chunk.candidates)) {
      if (!isObject(candidate)) {
        unknown = true;
        continue;
      }
      const index = typeof candidate.index === "number" ? candidate.index : 0;
      if (this.#merge || index === this.#choice) {
        if (this.#read(candidate, index)) unknown = true;
      } else {
        this.warnOnce(
          "other-choice",
          `Left out candidate ${index}: candidate ${this.#choice} is read. Use "choice" or "mergeChoices" to read others`,
        );
        unknown = true;
      }
    }
    if (unknown) this.raw(value);
    const feedback = objectOf(chunk.promptFeedback);
    const blocked = wordOf(feedback?.blockReason);
    if (blocked !== undefined) {
      if (!unknown) this.raw(value);
      this.finish("content-filter", blocked);
      this.terminal();
    }
    const usage = objectOf(chunk.usageMetadata);
    if (usage !== undefined) {
      this.usage({
        inputTokens: usage.promptTokenCount,
        outputTokens: usage.candidatesTokenCount,
        totalTokens: usage.totalTokenCount,
        reasoningTokens: usage.thoughtsTokenCount,
        cachedInputTokens: usage.cachedContentTokenCount,
      });
    }
    if (!isEmpty(chunk.error)) this.fail(errorOf(chunk.error), true);
  }

  /** One candidate of a chunk. Says whether there is anything unknown in it. */
  #read(candidate: JSONObject, index: number): boolean {
    let unknown = CANDIDATE_KEYS.hasOther(candidate);
    const content = this.objectIn(candidate.content) ?? {};
    if (CONTENT_KEYS.hasOther(content)) unknown = true;
    for (const part of this.arrayIn(content.parts)) {
      if (!isObject(part)) {
        unknown = true;
        continue;
      }
      if (PART_KEYS.hasOther(part)) unknown = true;
      const text = this.stringIn(part.text);
      if (part.thought === true) this.reasoning(text);
      else this.text(text);
      const call = this.objectIn(part.functionCall);
      if (call !== undefined) {
        this.#call(call, index);
        if (CALL_KEYS.hasOther(call)) unknown = true;
      }
    }
    const word = wordOf(candidate.finishReason);
    if (word !== undefined && word !== "FINISH_REASON_UNSPECIFIED") {
      const reason = reasonOf(REASONS, word);
      if (reason === "error") {
        this.warn(
          "malformed",
          `The answer ended with "${word}"${
            isEmpty(candidate.finishMessage)
              ? ""
              : `: ${stringOf(candidate.finishMessage).slice(0, 500)}`
          }`,
        );
      }
      this.finish(reason, word);
      this.terminal();
    }
    return unknown;
  }

  #call(part: JSONObject, candidate: number): void {
    const name = stringOf(part.name);
    const goesOn = part.willContinue === true;
    const pieces = arrayOf(part.partialArgs);
    const key = `c${candidate}`;
    const open = this.calls.find(key);
    if (open === undefined && !goesOn && pieces.length === 0) {
      // An end without a beginning says nothing.
      if (name === "" && isEmpty(part.args)) return;
      this.#whole(part, name);
      return;
    }
    if (open !== undefined && name !== "") {
      // Another call begins; the one before never said that it was over.
      this.#close(key, false);
    }
    const call = this.calls.find(key) ??
      this.calls.open(this.emit, key, wordOf(part.id) ?? "", name);
    if (call === undefined) return;
    const tree = this.own.trees[key] ??= { root: {}, growing: "" };
    for (const piece of pieces) {
      if (!isObject(piece) || !putPiece(tree, piece)) {
        this.own.broken[key] = true;
      }
      // Counted and kept as it came, should the call be cut.
      const text = toJSON(piece);
      if (text === undefined) this.own.broken[key] = true;
      else this.calls.keep(this.emit, call, `${text}\n`);
    }
    // What cannot be written cannot be kept over a snapshot either.
    if (toJSON(part.args) === undefined && part.args !== undefined) {
      this.own.broken[key] = true;
    } else if (isObject(part.args)) {
      for (const [name, value] of Object.entries(part.args)) {
        define(tree.root, name, value);
      }
    }
    if (!goesOn || call.tooLong) this.#close(key, !call.tooLong);
  }

  #whole(part: JSONObject, name: string): void {
    const id = stringOf(part.id);
    if (name !== "") {
      this.calls.whole(this.emit, id, name, part.args ?? {});
      return;
    }
    const call = this.calls.open(this.emit, "whole", id, name);
    if (call === undefined) return;
    this.calls.appendValue(this.emit, call, part.args);
    this.calls.complete(this.emit, call);
  }

  /** The end of a call whose arguments came piece by piece. */
  #close(key: string, over: boolean): void {
    const call = this.calls.find(key);
    const tree = this.own.trees[key];
    const broken = this.own.broken[key] === true;
    delete this.own.trees[key];
    delete this.own.broken[key];
    if (call === undefined || tree === undefined) return;
    if (broken) {
      this.warn(
        "malformed",
        `A piece of the arguments of call "${call.id}" has no place in them; it cannot run`,
      );
    }
    if (!over || broken) return this.calls.partial(this.emit, call);
    this.calls.replace(this.emit, call, tree.root);
    this.calls.complete(this.emit, call);
  }
}

/** Gemini, on Google's AI and Vertex APIs. */
export const gemini: Provider = {
  name: "gemini",
  transport: "sse-or-json-array",
  detect(value: unknown): boolean {
    if (!isObject(value)) return false;
    const chunk = objectOf(value.response) ?? value;
    return Array.isArray(chunk.candidates) ||
      isObject(chunk.promptFeedback) || isObject(chunk.usageMetadata);
  },
  create(
    options: ProviderOptions,
    snapshot?: unknown,
  ): Stage<ProviderInput, Part> {
    return resumed(
      snapshot,
      (snapshot) => new GeminiDecoder(options, snapshot),
    );
  },
};
