/**
 * Stages side by side instead of fused, so that one can see what each holds back.
 */
import type { Part, StageStream } from "../mod.ts";

/** A stage and what to call it. */
export interface NamedStage {
  name: string;
  stream: StageStream<string | Part, Part>;
}

/** What a stage holds back. */
export interface Held {
  /** The stage's name. */
  name: string;
  /** How many characters (UTF-16 code units) it holds. */
  length: number;
  /** Offset of the first of them in the text channel. */
  start: number;
  /** The last of them, at most 64. */
  text: string;
}

/** How much of the text held is remembered, for people to look at. */
const REMEMBERED = 64;

/** Runs parts through stages one after the other and measures what each holds. */
export class Probe {
  readonly #stages: MeasuredStage[];

  constructor(stages: readonly NamedStage[]) {
    this.#stages = stages.map((stage) => new MeasuredStage(stage));
  }

  /** Takes one part; gives what comes out behind the last stage. */
  push(part: Part): Part[] {
    let parts = [part];
    for (const stage of this.#stages) parts = stage.push(parts);
    return parts;
  }

  /** There is no more. */
  end(): Part[] {
    let parts: Part[] = [];
    for (const stage of this.#stages) parts = stage.end(parts);
    return parts;
  }

  /** What each stage holds now, in the order of the stages. */
  held(): Held[] {
    return this.#stages.map((stage) => stage.held());
  }

  /** How many characters are held in all. */
  heldLength(): number {
    return this.#stages.reduce((sum, stage) => sum + stage.length, 0);
  }
}

/** A stage with a count of what went in and what came out. */
class MeasuredStage {
  readonly #stage: NamedStage;
  /** Offset behind all text that went in. */
  #position = 0;
  #tail = "";
  /** Characters that went in and have not come out. */
  length = 0;
  /** Of each open directive, how many of its characters have been counted as out. */
  readonly #shown = new Map<string, number>();

  constructor(stage: NamedStage) {
    this.#stage = stage;
  }

  push(parts: readonly Part[]): Part[] {
    const { stage } = this.#stage.stream;
    const output: Part[] = [];
    for (const part of parts) {
      this.#count(part);
      stage.push(part, (one) => output.push(one));
    }
    for (const part of output) this.#uncount(part);
    this.#countOpeners(output);
    return output;
  }

  end(parts: readonly Part[]): Part[] {
    const output = this.push(parts);
    const last: Part[] = [];
    this.#stage.stream.stage.end((one) => last.push(one));
    for (const part of last) this.#uncount(part);
    return [...output, ...last];
  }

  held(): Held {
    const { length } = this;
    return {
      name: this.#stage.name,
      length,
      start: this.#position - length,
      text: length === 0 ? "" : this.#tail.slice(-length),
    };
  }

  #count(part: Part): void {
    const length = lengthOf(part);
    this.length += length;
    if (part.type === "text") {
      this.#position = part.start + length;
      this.#tail = (this.#tail + part.text).slice(-REMEMBERED);
    } else if (length > 0) {
      this.#position = (part as { end?: number }).end ?? this.#position;
      this.#tail = "";
    }
  }

  #uncount(part: Part): void {
    if (part.type === "directive-delta") {
      const shown = this.#shown.get(part.id);
      if (shown === undefined) return;
      this.#shown.set(part.id, shown + part.text.length);
      this.length -= part.text.length;
    } else if (part.type === "directive-start") this.#shown.set(part.id, 0);
    else {
      this.length -= lengthOf(part);
      if (part.type === "directive") {
        this.length += this.#shown.get(part.id) ?? 0;
        this.#shown.delete(part.id);
      }
    }
  }

  /** What is left behind the opener of a directive is the opener: it is not held any more. */
  #countOpeners(output: readonly Part[]): void {
    for (const part of output) {
      if (part.type !== "directive-start") continue;
      const shown = this.#shown.get(part.id);
      if (shown === undefined) continue;
      this.#shown.set(part.id, shown + this.length);
      this.length = 0;
    }
  }
}

/** How much of the text channel a part stands for. */
function lengthOf(part: Part): number {
  switch (part.type) {
    case "text":
      return part.text.length;
    case "directive":
      return part.raw.length;
    case "tool-call":
      return part.origin === "salvaged" ? part.raw.length : 0;
    case "tool-blocked":
      return part.raw?.length ?? 0;
    default:
      return 0;
  }
}
