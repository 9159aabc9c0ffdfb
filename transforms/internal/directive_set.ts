import type {
  DirectiveDefinition,
  DirectiveDefinitions,
} from "../directive_types.ts";
import type { Schema } from "../schema.ts";
import { isContainerName } from "./directive_container.ts";
import { isTagName } from "./directive_tag.ts";

/** The names of reasoning: their defaults differ, and the option `reasoning` switches them on. */
export const REASONING_NAMES = [
  "think",
  "thinking",
  "thought",
  "thoughts",
  "Thought",
  "reason",
  "reasoning",
  "reflection",
  "scratchpad",
  "antThinking",
  "antml:thinking",
  "seed:think",
  "mm:think",
] as const;

/** One directive with all defaults filled in. */
export interface KnownDirective {
  /** The names of its fields; empty when none are declared. */
  readonly fields: readonly string[];
  readonly schema: Schema | undefined;
  /** Whether openers of the same name are counted. */
  readonly balanced: boolean;
  /** Whether its closer beats a fence, and is hidden only by a run that closes on its line. */
  readonly reasoning: boolean;
  /** Whether the content comes out as reasoning parts. */
  readonly asReasoning: boolean;
  /** Whether nothing in the content counts but the first closer. */
  readonly raw: boolean;
}

/** What {@linkcode DirectiveSet} is made from. */
export interface DirectiveSetOptions {
  directives: DirectiveDefinitions;
  reasoning: boolean | readonly string[];
  containers: boolean;
  caseInsensitive: boolean;
}

/** The directives that an extractor looks for, checked and by name. */
export class DirectiveSet {
  /** All names, lower case when case does not count. */
  readonly names: readonly string[];
  /** Whether the closer of any of them counts in code. */
  readonly breaks: boolean;
  readonly #byName: ReadonlyMap<string, KnownDirective>;
  readonly #caseInsensitive: boolean;

  constructor(options: DirectiveSetOptions) {
    this.#caseInsensitive = options.caseInsensitive;
    const byName = new Map<string, KnownDirective>();
    const add = (name: string, definition: DirectiveDefinition): void => {
      const folded = this.fold(name);
      if (byName.has(folded)) {
        throw new TypeError(
          `Cannot extract directive "${name}": the name is declared twice`,
        );
      }
      byName.set(folded, this.#known(name, definition, options.containers));
    };
    const { directives, reasoning } = options;
    if (Array.isArray(directives)) {
      for (const name of new Set(directives)) add(name, {});
    } else if (typeof directives === "object" && directives !== null) {
      for (const [name, definition] of Object.entries(directives)) {
        add(name, definition);
      }
    } else {
      throw new TypeError(
        "Cannot extract directives: `directives` is a list of names, or an object of definitions by name",
      );
    }
    if (typeof reasoning !== "boolean" && !Array.isArray(reasoning)) {
      throw new TypeError(
        "Cannot extract directives: `reasoning` is true, false or a list of names",
      );
    }
    const added = reasoning === true
      // Two of them have a colon, which ends the name of a container.
      ? REASONING_NAMES.filter((name) =>
        !options.containers || isContainerName(name)
      )
      : reasoning === false
      ? []
      : reasoning;
    for (const name of new Set(added)) {
      // What is declared under the name counts.
      if (!byName.has(this.fold(name))) add(name, { as: "reasoning" });
    }
    this.#byName = byName;
    this.names = [...byName.keys()];
    this.breaks = [...byName.values()].some((one) => one.reasoning || one.raw);
  }

  /** A name in the form in which names are compared. */
  fold(name: string): string {
    return this.#caseInsensitive ? name.toLowerCase() : name;
  }

  /** The directive of this name, as written. */
  get(name: string): KnownDirective | undefined {
    return this.#byName.get(this.fold(name));
  }

  #known(
    name: string,
    definition: DirectiveDefinition,
    containers: boolean,
  ): KnownDirective {
    if (
      typeof name !== "string" ||
      !(containers ? isContainerName(name) : isTagName(name))
    ) {
      throw new TypeError(
        `Cannot extract directive "${name}": that is no name of a ${
          containers ? "container" : "tag"
        }`,
      );
    }
    if (typeof definition !== "object" || definition === null) {
      throw new TypeError(
        `Cannot extract directive "${name}": its definition is not an object`,
      );
    }
    const { fields = [], schema, nesting, as, raw = false } = definition;
    if (nesting !== undefined && nesting !== "balanced" && nesting !== "flat") {
      throw new TypeError(
        `Cannot extract directive "${name}": nesting "${nesting}" is neither "balanced" nor "flat"`,
      );
    }
    if (as !== undefined && as !== "reasoning") {
      throw new TypeError(
        `Cannot extract directive "${name}": as "${as}" is not "reasoning"`,
      );
    }
    if (fields.length > 0 && (containers || raw)) {
      throw new TypeError(
        `Cannot extract directive "${name}": a ${
          raw ? "raw one" : "container"
        } has no fields`,
      );
    }
    for (const field of fields) {
      if (
        typeof field !== "string" || !isTagName(field) ||
        this.fold(field) === this.fold(name)
      ) {
        throw new TypeError(
          `Cannot extract directive "${name}": "${field}" is no name of a field`,
        );
      }
    }
    const reasoning = as === "reasoning" ||
      (REASONING_NAMES as readonly string[]).includes(name);
    return {
      fields,
      schema,
      balanced: !raw && (nesting ?? (reasoning ? "flat" : "balanced")) ===
          "balanced",
      reasoning,
      asReasoning: as === "reasoning",
      raw,
    };
  }
}
