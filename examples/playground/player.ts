import type { FenceMode, Part, PartOf, Stage, Tool } from "../../mod.ts";
import { JSONLParserStream } from "../../adapters/jsonl_parser.ts";
import { autoProvider, type ProviderInput } from "../../adapters/provider.ts";
import { providers } from "../../adapters/providers/mod.ts";
import { SSEParserStream } from "../../adapters/sse_parser.ts";
import { type Held, Probe, standardStages } from "../probe.ts";

/** What to run, and how to cut it. */
export interface Setup {
  /** The text of an answer, or of a provider's stream. */
  text: string;
  /** Which of these it is; `auto` looks at its beginning. */
  format: "auto" | "text" | "sse" | "jsonl";
  /** The tools offered to the model. */
  tools: readonly Tool[];
  /** The directives to extract. */
  directives: readonly string[];
  /** Whether reasoning tags are taken out of the text. */
  reasoning: boolean;
  fences: FenceMode;
  /** Characters of a chunk; with a seed, the most of one. */
  size: number;
  /** Where random cuts come from; 0 cuts evenly. */
  seed: number;
}

/** What one chunk brought about. */
export interface Step {
  /** The chunk; `undefined` for the end of the stream. */
  chunk: string | undefined;
  /** The parts that came out. */
  parts: Part[];
  /** What each stage holds now. */
  held: Held[];
  /** The text that has come in and not yet out. */
  waiting: string;
}

/** How a text is framed, by its beginning. */
export function formatOf(text: string): "text" | "sse" | "jsonl" {
  const start = text.trimStart();
  if (/^(?:data|event|id|retry)?:/.test(start)) return "sse";
  try {
    const first: unknown = JSON.parse(start.split("\n", 1)[0]!);
    return typeof first === "object" && first !== null ? "jsonl" : "text";
  } catch {
    return "text";
  }
}

/** Whose stream a text is, by its first event; `auto` when nobody knows it. */
export function providerOf(text: string): string {
  const line = /^(?:data:)?[ \t]*([{[].*)$/m.exec(text)?.[1] ?? "";
  try {
    const value: unknown = JSON.parse(line);
    return providers.find((one) => one.detect(value))?.name ?? "auto";
  } catch {
    return "auto";
  }
}

/** A text in chunks: even ones, or random ones that a seed decides. */
export function chunksOf(text: string, size: number, seed: number): string[] {
  const chunks: string[] = [];
  let state = seed | 0;
  for (let from = 0; from < text.length;) {
    let length = size;
    if (seed !== 0) {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
      length = 1 + ((mixed ^ (mixed >>> 14)) >>> 0) % (2 * size - 1);
    }
    chunks.push(text.slice(from, from + length));
    from += length;
  }
  return chunks;
}

/** Runs a stream chunk by chunk and shows what every stage does with it. */
export class Player {
  readonly chunks: readonly string[];
  readonly format: "text" | "sse" | "jsonl";
  readonly #probe: Probe;
  readonly #source: Stage<string, Part>;
  #next = 0;
  /** The text channel, as far as it has come in. */
  #text = "";

  constructor(setup: Setup) {
    const { text, size, seed } = setup;
    this.format = setup.format === "auto" ? formatOf(text) : setup.format;
    this.chunks = chunksOf(text, size, seed);
    this.#source = sourceOf(this.format);
    this.#probe = new Probe(standardStages({ ...setup, toolCalls: {} }));
  }

  /** How many steps are left, the end of the stream included. */
  get left(): number {
    return this.chunks.length + 1 - this.#next;
  }

  /** Takes the next chunk, or the end; `undefined` when it is over. */
  step(): Step | undefined {
    if (this.left === 0) return undefined;
    const chunk = this.chunks[this.#next++];
    const parts: Part[] = [];
    const take = (part: Part): void => {
      if (part.type === "text") this.#text += part.text;
      parts.push(...this.#probe.push(part));
    };
    if (chunk === undefined) {
      this.#source.end(take);
      parts.push(...this.#probe.end());
    } else this.#source.push(chunk, take);
    const length = this.#probe.heldLength();
    return {
      chunk,
      parts,
      held: this.#probe.held(),
      waiting: length === 0 ? "" : this.#text.slice(-length),
    };
  }
}

/** From chunks of text to parts, synchronously. */
function sourceOf(format: "text" | "sse" | "jsonl"): Stage<string, Part> {
  if (format === "text") return plainText();
  const decoder = autoProvider();
  if (format === "sse") {
    return framed(
      new SSEParserStream({ flushAtEnd: true }).stage as Stage<
        string,
        { data: string; event: string }
      >,
      decoder,
      ({ data, event }) => event === "message" ? { data } : { data, event },
    );
  }
  return framed(
    new JSONLParserStream().stage as Stage<
      string,
      { ok: boolean; value?: unknown }
    >,
    decoder,
    (record) => record.ok ? { data: "", value: record.value } : undefined,
  );
}

function plainText(): Stage<string, Part> {
  let start = 0;
  return {
    push(text, emit) {
      const part: PartOf<"text"> = { type: "text", text, start };
      start += text.length;
      emit(part);
    },
    end() {},
    snapshot: () => start,
  };
}

function framed<Frame>(
  parser: Stage<string, Frame>,
  decoder: Stage<ProviderInput, Part>,
  inputOf: (frame: Frame) => ProviderInput | undefined,
): Stage<string, Part> {
  const decode = (emit: (part: Part) => void) => (frame: Frame): void => {
    const input = inputOf(frame);
    if (input !== undefined) decoder.push(input, emit);
  };
  return {
    push: (text, emit) => parser.push(text, decode(emit)),
    end(emit) {
      parser.end(decode(emit));
      decoder.end(emit);
    },
    snapshot: () => [parser.snapshot(), decoder.snapshot()],
  };
}

/** All parts of a run at once, in one stream. */
export function playAll(setup: Setup): Part[] {
  const player = new Player(setup);
  const parts: Part[] = [];
  for (let step = player.step(); step !== undefined; step = player.step()) {
    parts.push(...step.parts);
  }
  return parts;
}
