/**
 * The AI SDK (npm `ai`): the standard pipeline as a language-model middleware.
 * Nothing of the SDK is imported; its types are described here as far as they
 * matter, and fit those of its current and its previous major version.
 *
 * @module
 */

import type { Part, ToolCallPart } from "../transforms/part.ts";
import type { Emit, Stage } from "../transforms/stage.ts";
import type { Schema, Tool } from "../transforms/schema.ts";
import {
  standardPipeline,
  type StandardPipelineOptions,
} from "../transforms/standard_pipeline.ts";
import { toJSON } from "./internal/json.ts";

/** An element of a language model's stream, or of its content. */
export interface AISDKPart {
  /** What it is. */
  type: string;
  /** Whatever belongs to it. */
  // deno-lint-ignore no-explicit-any
  [key: string]: any;
}

/** What is needed of a call's parameters. */
export interface AISDKCallParameters {
  /** The tools that were offered. */
  readonly tools?:
    | readonly {
      readonly type: string;
      readonly name: string;
      readonly inputSchema?: unknown;
    }[]
    | undefined;
}

/**
 * A middleware for `wrapLanguageModel`.
 *
 * @typeParam Version The version of the SDK's model specification.
 */
export interface AISDKMiddleware<Version extends "v3" | "v4"> {
  /** The version it is for. */
  readonly specificationVersion: Version;
  /** Streams through the pipeline. */
  // deno-lint-ignore no-explicit-any
  wrapStream<Result extends { stream: ReadableStream<any> }>(options: {
    doStream: () => PromiseLike<Result>;
    params: AISDKCallParameters;
  }): Promise<Result>;
  /** Runs a whole answer through the pipeline. */
  wrapGenerate<
    // deno-lint-ignore no-explicit-any
    Result extends { content: any[]; finishReason: any },
  >(options: {
    doGenerate: () => PromiseLike<Result>;
    params: AISDKCallParameters;
  }): Promise<Result>;
}

/** Options of {@linkcode millrace}. */
export interface MillraceOptions<Version extends "v3" | "v4" = "v4">
  extends Omit<StandardPipelineOptions, "snapshot" | "highWaterMark"> {
  /**
   * The tools whose leaked calls are recovered.
   *
   * @default {those offered with the call}
   */
  tools?: readonly Tool[];
  /**
   * Whether snippets are extracted; they go to `onPart`.
   *
   * @default {false}
   */
  snippets?: NonNullable<StandardPipelineOptions["snippets"]>;
  /** Gets every part the SDK has no place for: directives, snippets, warnings. */
  onPart?: ((part: Part) => void) | undefined;
  /**
   * Makes ids for recovered calls. They have to be unique in the conversation.
   *
   * @default {a random UUID}
   */
  generateId?: (() => string) | undefined;
  /**
   * The model specification of the SDK: `"v4"` for `ai` 7, `"v3"` for `ai` 6.
   *
   * @default {"v4"}
   */
  specificationVersion?: Version | undefined;
}

/** An element of the model's stream on its way through the stages. */
interface Foreign {
  foreign: AISDKPart;
}

/** Elements that may not make held text leave: they say nothing about it. */
const QUIET = new Set(["stream-start", "response-metadata", "raw", "ping"]);

/**
 * The text of a model's stream through the stages, everything else around it.
 *
 * ```txt
 *   text-start ─▶ waits for text ─▶ open ─▶ text-end
 *                       ▲             │ a recovered call, reasoning
 *                       └─────────────┘ (the block ends, another follows)
 * ```
 */
class MiddlewareStage implements Stage<AISDKPart, AISDKPart> {
  readonly #stage: Stage<string | Part, Part>;
  readonly #onPart: ((part: Part) => void) | undefined;
  readonly #generateId: () => string;
  #emit: Emit<AISDKPart> = () => {};
  /** The block of the model that is open, as its start said. */
  #block: AISDKPart = { type: "text-start", id: "text" };
  /** The block given out for it. */
  #open: string | undefined;
  #blocks = 0;
  /** The reasoning block that is open. */
  #reasoning: string | undefined;
  #recovered = 0;
  /** What belongs to the next piece of text. */
  #metadata: unknown;
  readonly #take: Emit<Part> = (part) => this.#out(part);

  constructor(options: MillraceOptions<"v3" | "v4">, tools: readonly Tool[]) {
    const { onPart, generateId, specificationVersion: _, ...rest } = options;
    this.#stage =
      standardPipeline({ snippets: false, ...rest, tools: [...tools] }).stage;
    this.#onPart = onPart;
    this.#generateId = generateId ?? (() => `call_${crypto.randomUUID()}`);
  }

  push(part: AISDKPart, emit: Emit<AISDKPart>): void {
    this.#emit = emit;
    if (part.type === "text-delta") {
      if (part["id"] !== this.#block["id"]) {
        // Blocks side by side: what is held belongs to the one before.
        this.#foreign({ type: "text-start", id: part["id"] });
      }
      if (part["providerMetadata"] !== undefined) {
        this.#metadata = part["providerMetadata"];
      }
      this.#stage.push(String(part["delta"] ?? ""), this.#take);
    } else this.#foreign(part);
  }

  end(emit: Emit<AISDKPart>): void {
    this.#emit = emit;
    this.#stage.end(this.#take);
    this.#closeReasoning();
    this.#closeText();
  }

  snapshot(): null {
    return null;
  }

  #foreign(part: AISDKPart): void {
    const value: Foreign = { foreign: part };
    if (QUIET.has(part.type)) {
      this.#stage.push({ type: "raw", value }, this.#take);
    } else if (part.type === "tool-call") {
      // The salvager may want to know.
      const call = {
        type: "tool-call",
        toolCallId: part["toolCallId"],
        toolName: part["toolName"],
        input: part["input"],
        origin: "native",
        ...value,
      };
      this.#stage.push(call as unknown as Part, this.#take);
    } else {
      const other = { type: "ai-sdk", ...value };
      this.#stage.push(other as unknown as Part, this.#take);
    }
  }

  #out(part: Part): void {
    const foreign = foreignOf(part);
    if (foreign !== undefined) return this.#pass(foreign);
    switch (part.type) {
      case "text":
        this.#closeReasoning();
        return this.#text(part.text);
      case "reasoning":
        this.#closeText();
        if (this.#reasoning === undefined) {
          this.#reasoning = `millrace-reasoning-${++this.#blocks}`;
          this.#emit({ type: "reasoning-start", id: this.#reasoning });
        }
        this.#emit({
          type: "reasoning-delta",
          id: this.#reasoning,
          delta: part.text,
        });
        return;
      case "tool-call":
        this.#closeReasoning();
        this.#closeText();
        return this.#call(part);
    }
    this.#onPart?.(part);
  }

  #text(text: string): void {
    if (this.#open === undefined) {
      const id = String(this.#block["id"]);
      // The first piece keeps the block's own id.
      this.#open = this.#block["used"] === true
        ? `${id}-${++this.#blocks}`
        : id;
      const { used: _, ...start } = this.#block;
      this.#emit({ ...start, id: this.#open } as AISDKPart);
      this.#block = { ...this.#block, used: true };
    }
    const delta: AISDKPart = {
      type: "text-delta",
      id: this.#open,
      delta: text,
    };
    if (this.#metadata !== undefined) {
      delta["providerMetadata"] = this.#metadata;
      this.#metadata = undefined;
    }
    this.#emit(delta);
  }

  #call(part: ToolCallPart): void {
    const input = toJSON(part.input);
    if (input === undefined) {
      // Nested too deep to be written: it stays what it was.
      if (part.origin === "salvaged") this.#text(part.raw);
      return;
    }
    this.#recovered++;
    this.#emit({
      type: "tool-call",
      toolCallId: this.#generateId(),
      toolName: part.toolName,
      input,
    });
  }

  /** An element of the model itself. */
  #pass(part: AISDKPart): void {
    switch (part.type) {
      case "text-start":
        this.#closeReasoning();
        this.#closeText();
        this.#block = part;
        return;
      case "text-end":
        this.#closeReasoning();
        if (this.#open !== undefined) {
          this.#emit({ ...part, id: this.#open });
          this.#open = undefined;
        }
        return;
      case "finish":
        this.#closeReasoning();
        this.#closeText();
        this.#emit({
          ...part,
          finishReason: this.finishReason(part["finishReason"]),
        });
        return;
    }
    if (!QUIET.has(part.type)) this.#closeReasoning();
    this.#emit(part);
  }

  /** A normal end with recovered calls in it asks for their results. */
  finishReason(given: unknown): unknown {
    if (this.#recovered === 0) return given;
    const normal = ["stop", "other", "unknown"];
    if (typeof given === "string") {
      return normal.includes(given) ? "tool-calls" : given;
    }
    const reason = given as { unified?: unknown } | null | undefined;
    return typeof reason === "object" && reason !== null &&
        normal.includes(String(reason.unified))
      ? { ...reason, unified: "tool-calls" }
      : given;
  }

  #closeText(): void {
    if (this.#open === undefined) return;
    this.#emit({ type: "text-end", id: this.#open });
    this.#open = undefined;
  }

  #closeReasoning(): void {
    if (this.#reasoning === undefined) return;
    this.#emit({ type: "reasoning-end", id: this.#reasoning });
    this.#reasoning = undefined;
  }
}

function foreignOf(part: Part): AISDKPart | undefined {
  if (part.type === "raw") {
    const value = part.value as Partial<Foreign> | null;
    return typeof value === "object" ? value?.foreign : undefined;
  }
  return (part as Partial<Foreign>).foreign;
}

/** The function tools that were offered. */
function toolsOf(params: AISDKCallParameters): Tool[] {
  return (params.tools ?? []).filter((tool) => tool.type === "function").map((
    { name, inputSchema },
  ) => ({ name, inputSchema: inputSchema as Schema }));
}

/** A whole answer's content through the stage, and together again. */
function throughContent(
  stage: MiddlewareStage,
  content: readonly AISDKPart[],
): AISDKPart[] {
  const result: AISDKPart[] = [];
  const pieces: string[] = [];
  const emit: Emit<AISDKPart> = (part) => {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const { type, id: _, ...rest } = part;
        result.push({
          ...rest,
          type: type.slice(0, -"-start".length),
          text: "",
        });
        return;
      }
      case "text-delta":
      case "reasoning-delta":
        pieces.push(part["delta"]);
        return;
      case "text-end":
      case "reasoning-end":
        result.at(-1)!["text"] = pieces.join("");
        pieces.length = 0;
        return;
      case "whole":
        result.push(part["part"]);
        return;
    }
    result.push(part);
  };
  for (const [index, part] of content.entries()) {
    if (part.type === "text") {
      const { text, type: _, ...rest } = part;
      const id = String(index);
      stage.push({ ...rest, type: "text-start", id }, emit);
      stage.push({ type: "text-delta", id, delta: text }, emit);
      stage.push({ type: "text-end", id }, emit);
    } else stage.push({ type: "whole", part }, emit);
  }
  stage.end(emit);
  return result;
}

/**
 * A middleware for `wrapLanguageModel` of the AI SDK: the model's text goes
 * through the standard pipeline, in streams and in whole answers.
 *
 * - A call of an offered tool that leaked as text becomes a real one, which the
 *   SDK validates and runs. Calls in code fences, quotes and reasoning stay text.
 * - Reasoning tags in the text become reasoning, with
 *   `directiveOptions: { reasoning: true }`; other directives go to `onPart`.
 * - Halves of surrogate pairs are repaired.
 *
 * Everything else the model sends passes as it is. A normal end with recovered
 * calls in it becomes `"tool-calls"`.
 *
 * @typeParam Version The version of the SDK's model specification.
 * @param options See {@linkcode MillraceOptions}.
 * @returns The middleware.
 *
 * @example
 * ```ts
 * import { millrace } from "@millrace/millrace/adapters/ai_sdk";
 *
 * // const model = wrapLanguageModel({ model: provider("some-model"), middleware: millrace() });
 * const { content } = await millrace().wrapGenerate({
 *   doGenerate: () => Promise.resolve({
 *     content: [{ type: "text", text: '<tool_call>{"name":"now","arguments":{}}</tool_call>' }],
 *     finishReason: "stop",
 *   }),
 *   params: { tools: [{ type: "function", name: "now", inputSchema: {} }] },
 * });
 * if (content[0]?.type !== "tool-call") throw new Error();
 * ```
 */
export function millrace<Version extends "v3" | "v4" = "v4">(
  options: MillraceOptions<Version> = {},
): AISDKMiddleware<Version> {
  const make = (params: AISDKCallParameters): MiddlewareStage =>
    new MiddlewareStage(options, options.tools ?? toolsOf(params));
  return {
    specificationVersion: options.specificationVersion ?? ("v4" as Version),
    async wrapStream({ doStream, params }) {
      const stage = make(params);
      const result = await doStream();
      const stream = result.stream.pipeThrough(
        new TransformStream<AISDKPart, AISDKPart>(
          {
            transform(part, controller) {
              stage.push(part, (out) => controller.enqueue(out));
            },
            flush(controller) {
              stage.end((out) => controller.enqueue(out));
            },
          },
          { highWaterMark: 1 },
          { highWaterMark: 0 },
        ),
      );
      return { ...result, stream };
    },
    async wrapGenerate({ doGenerate, params }) {
      const stage = make(params);
      const result = await doGenerate();
      const content = throughContent(stage, result.content);
      return {
        ...result,
        content,
        finishReason: stage.finishReason(result.finishReason),
      };
    },
  };
}

/**
 * A part as an element of the SDK's `fullStream` (`TextStreamPart`), for code that
 * shows one. There is one text and one reasoning, with the ids `"text"` and
 * `"reasoning"`; their starts and ends are left to the caller. What the SDK has no
 * element for becomes `raw`.
 *
 * @param part The part.
 * @returns The element.
 *
 * @example
 * ```ts
 * import { toTextStreamPart } from "@millrace/millrace/adapters/ai_sdk";
 *
 * const element = toTextStreamPart({ type: "text", text: "Hi", start: 0 });
 * if (element.type !== "text-delta" || element.text !== "Hi") throw new Error();
 * ```
 */
export function toTextStreamPart(part: Part): AISDKPart {
  switch (part.type) {
    case "text":
      return { type: "text-delta", id: "text", text: part.text };
    case "reasoning":
      return { type: "reasoning-delta", id: "reasoning", text: part.text };
    case "tool-input-start":
      return {
        type: "tool-input-start",
        id: part.toolCallId,
        toolName: part.toolName,
      };
    case "tool-input-delta":
      return {
        type: "tool-input-delta",
        id: part.toolCallId,
        delta: part.delta,
      };
    case "tool-call":
      return {
        type: "tool-call",
        toolCallId: part.toolCallId,
        toolName: part.toolName,
        input: part.input,
        dynamic: true,
      };
    case "error":
      return {
        type: "error",
        error: Object.assign(new Error(part.error.message), {
          name: part.error.name,
          code: part.error.code,
        }),
      };
    case "raw":
      return { type: "raw", rawValue: part.value };
  }
  return { type: "raw", rawValue: part };
}
