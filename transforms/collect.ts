/**
 * Everything a stream of parts said, gathered.
 *
 * @module
 */

import type { Part, PartOf, ToolCallPart } from "./part.ts";
import { readParts, type Source } from "./pipeline.ts";
import { StageStream } from "./stage.ts";

/** What {@linkcode collect} gathers. */
export interface Collected {
  /** The text of all text parts, joined. */
  text: string;
  /** The text of all reasoning parts, joined. */
  reasoning: string;
  /** The complete calls, native and salvaged, in order. */
  toolCalls: ToolCallPart[];
  /** Calls that never completed. They must not run. */
  partialToolCalls: PartOf<"tool-call-partial">[];
  /** What tools gave back, where the wire carries it. */
  toolResults: PartOf<"tool-result">[];
  /** The directives, complete or not, in order. */
  directives: PartOf<"directive">[];
  /** The snippets, in order. */
  snippets: PartOf<"snippet">[];
  /** Everything that was repaired, rejected or dropped. */
  warnings: PartOf<"warning">[];
  /** The errors. */
  errors: PartOf<"error">[];
  /** The last token counts, if any came: later ones replace earlier ones field by field. */
  usage: PartOf<"usage"> | undefined;
  /** How the stream ended; `undefined` when no part said so. */
  finish: PartOf<"finish"> | undefined;
}

/**
 * Reads a source of parts to its end and gathers what it said. Parts without a
 * place in the result (`raw`, fences, deltas) are dropped.
 *
 * Rejects with the source's error, if it fails.
 *
 * @param source A stream, an iterable or an array of parts (strings stand for text).
 * @returns What was gathered.
 *
 * @example
 * ```ts
 * import { collect } from "@millrace/millrace";
 *
 * const { text, finish } = await collect([
 *   { type: "text", text: "Hel", start: 0 },
 *   { type: "text", text: "lo", start: 3 },
 *   { type: "finish", reason: "stop", complete: true },
 * ]);
 * if (text !== "Hello" || !finish?.complete) throw new Error();
 * ```
 */
export async function collect(
  source: Source<string | Part>,
): Promise<Collected> {
  const gathering = new Gathering();
  const untouched = new StageStream<string | Part, string | Part>({
    push: (input, emit) => emit(input),
    end: () => {},
    snapshot: () => null,
  });
  for await (const part of readParts(source, untouched)) gathering.add(part);
  return gathering.result();
}

/**
 * The same as {@linkcode collect} for parts that are there already, such as
 * those of {@linkcode [pipeline].parse}.
 *
 * @param parts The parts (strings stand for text).
 * @returns What was gathered.
 *
 * @example
 * ```ts
 * import { collectParts, FenceTrackerStream, parse } from "@millrace/millrace";
 *
 * const { text } = collectParts(parse("a `b` c", new FenceTrackerStream()));
 * if (text !== "a `b` c") throw new Error();
 * ```
 */
export function collectParts(parts: Iterable<string | Part>): Collected {
  const gathering = new Gathering();
  for (const part of parts) gathering.add(part);
  return gathering.result();
}

class Gathering {
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #collected: Collected = {
    text: "",
    reasoning: "",
    toolCalls: [],
    partialToolCalls: [],
    toolResults: [],
    directives: [],
    snippets: [],
    warnings: [],
    errors: [],
    usage: undefined,
    finish: undefined,
  };

  add(part: string | Part): void {
    const collected = this.#collected;
    if (typeof part === "string") {
      this.#text.push(part);
      return;
    }
    switch (part.type) {
      case "text":
        this.#text.push(part.text);
        break;
      case "reasoning":
        this.#reasoning.push(part.text);
        break;
      case "tool-call":
        collected.toolCalls.push(part);
        break;
      case "tool-call-partial":
        collected.partialToolCalls.push(part);
        break;
      case "tool-result":
        collected.toolResults.push(part);
        break;
      case "directive":
        collected.directives.push(part);
        break;
      case "snippet":
        collected.snippets.push(part);
        break;
      case "warning":
        collected.warnings.push(part);
        break;
      case "error":
        collected.errors.push(part);
        break;
      case "usage":
        collected.usage = { ...collected.usage, ...part };
        break;
      case "finish":
        collected.finish = part;
        break;
    }
  }

  result(): Collected {
    this.#collected.text = this.#text.join("");
    this.#collected.reasoning = this.#reasoning.join("");
    return this.#collected;
  }
}
