/**
 * Stages side by side instead of fused, so that one can see what each holds back.
 */
import {
  DirectiveExtractorStream,
  type DirectiveExtractorStreamOptions,
  type FenceMode,
  FenceTrackerStream,
  type Part,
  SnippetExtractorStream,
  type StageStream,
  SurrogateSanitizerStream,
  type Tool,
  ToolCallSalvagerStream,
  type ToolCallSalvagerStreamOptions,
} from "../mod.ts";

/** A stage and what to call it. */
export interface NamedStage {
  name: string;
  stream: StageStream<string | Part, Part>;
}

/** What the stages look for. */
export interface StageOptions {
  tools: readonly Tool[];
  toolCalls: Omit<ToolCallSalvagerStreamOptions, "tools">;
  directives: readonly string[];
  reasoning: boolean;
  fences: FenceMode;
}

/** The stages of the standard pipeline, one by one. */
export function standardStages(options: StageOptions): NamedStage[] {
  const { tools, directives, reasoning, fences: mode } = options;
  const directiveOptions: DirectiveExtractorStreamOptions = {
    directives,
    trackFences: false,
    ...(reasoning ? { reasoning } : {}),
  };
  const stages: (NamedStage | false)[] = [
    {
      name: "sanitizer",
      stream: new SurrogateSanitizerStream() as unknown as StageStream<
        string | Part,
        Part
      >,
    },
    tools.length > 0 && {
      name: "salvager",
      stream: new ToolCallSalvagerStream({ ...options.toolCalls, tools }),
    },
    { name: "fences", stream: new FenceTrackerStream({ mode }) },
    (directives.length > 0 || reasoning) && {
      name: "directives",
      stream: new DirectiveExtractorStream(directiveOptions),
    },
    {
      name: "snippets",
      stream: new SnippetExtractorStream({ trackFences: false }),
    },
  ];
  return stages.filter((stage) => stage !== false);
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
  #length = 0;
  /** Of each open directive, how many of its characters came in already. */
  readonly #arrived = new Map<string, number>();
  /** The same for those that have been counted as out. */
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

  /** Characters that went in and have not come out. */
  get length(): number {
    // What was held behind an opener counts as part of it until it comes out.
    return Math.max(0, this.#length);
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
    const length = lengthOf(part, this.#arrived);
    this.#length += length;
    if (part.type === "text") {
      this.#position = part.start + length;
      this.#tail = (this.#tail + part.text).slice(-REMEMBERED);
    } else if (length > 0) {
      this.#position = (part as { end?: number }).end ?? this.#position;
      this.#tail = "";
    }
  }

  #uncount(part: Part): void {
    this.#length -= lengthOf(part, this.#shown);
  }

  /** What is left behind the opener of a directive is the opener: it is not held any more. */
  #countOpeners(output: readonly Part[]): void {
    for (const part of output) {
      if (part.type !== "directive-start") continue;
      const shown = this.#shown.get(part.id);
      if (shown === undefined) continue;
      this.#shown.set(part.id, shown + this.#length);
      this.#length = 0;
    }
  }
}

/**
 * How much of the text channel a part stands for. `open` has what the deltas of
 * open directives stood for: their last part stands for the rest.
 */
function lengthOf(part: Part, open: Map<string, number>): number {
  switch (part.type) {
    case "text":
      return part.text.length;
    case "directive-start":
      open.set(part.id, 0);
      return 0;
    case "directive-delta": {
      const before = open.get(part.id);
      if (before === undefined) return 0;
      open.set(part.id, before + part.text.length);
      return part.text.length;
    }
    case "directive": {
      const before = open.get(part.id) ?? 0;
      open.delete(part.id);
      return part.raw.length - before;
    }
    case "tool-call":
      return part.origin === "salvaged" ? part.raw.length : 0;
    case "tool-blocked":
      return part.raw?.length ?? 0;
    default:
      return 0;
  }
}
