import type { Schema } from "../schema.ts";
import { isStandardSchema } from "./convert_value.ts";

/** The tools that were offered: their names, and what their schemas say. */
export class OfferedTools {
  /** The schemas by name; `undefined` for a tool without. */
  readonly schemas: ReadonlyMap<string, Schema | undefined>;
  /** The host's own repair of JSON. */
  readonly repairJSON: ((text: string) => string | undefined) | undefined;
  readonly #prefixes: Set<string> = new Set();
  readonly #parameters: Map<string, ReadonlySet<string> | undefined> =
    new Map();

  constructor(
    schemas: ReadonlyMap<string, Schema | undefined>,
    repairJSON?: (text: string) => string | undefined,
  ) {
    this.schemas = schemas;
    this.repairJSON = repairJSON;
    for (const name of schemas.keys()) {
      for (let end = 1; end <= name.length; end++) {
        this.#prefixes.add(name.slice(0, end));
      }
    }
  }

  has(name: string): boolean {
    return this.schemas.has(name);
  }

  /** Whether a tool's name begins like this. */
  begins(prefix: string): boolean {
    return this.#prefixes.has(prefix);
  }

  /** The parameters that a tool's schema names; `undefined`: it names none. */
  parameters(name: string): ReadonlySet<string> | undefined {
    if (!this.#parameters.has(name)) {
      this.#parameters.set(name, parametersOf(this.schemas.get(name)));
    }
    return this.#parameters.get(name);
  }
}

function parametersOf(
  schema: Schema | undefined,
): ReadonlySet<string> | undefined {
  if (typeof schema !== "object" || isStandardSchema(schema)) return undefined;
  const { properties } = schema;
  return typeof properties === "object" && properties !== null
    ? new Set(Object.keys(properties))
    : undefined;
}
