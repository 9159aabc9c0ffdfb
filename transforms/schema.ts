/**
 * How tools and directives state the shape of their values: JSON Schema, or
 * anything that implements Standard Schema (zod 4, valibot, arktype, …).
 *
 * @module
 */

/** A JSON Schema: an object of keywords, or `true` / `false`. */
export type JSONSchema = boolean | { readonly [keyword: string]: unknown };

/** What a Standard Schema's `validate` gives. */
export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
    readonly issues: readonly {
      readonly message: string;
      readonly path?:
        | readonly (PropertyKey | { readonly key: PropertyKey })[]
        | undefined;
    }[];
  };

/**
 * The Standard Schema interface, version 1, as
 * {@link https://standardschema.dev | its specification} has it. Declared here
 * so that no dependency is needed.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What the specification prescribes. */
  readonly "~standard": {
    /** The version of the interface. */
    readonly version: 1;
    /** The library the schema is of. */
    readonly vendor: string;
    /** Checks and converts a value. Stages are synchronous: a promise counts as refused. */
    readonly validate: (
      value: unknown,
    ) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
    /** Types only, never there at run time. */
    readonly types?: {
      readonly input: Input;
      readonly output: Output;
    } | undefined;
  };
}

/** Either way of stating a shape. */
export type Schema = JSONSchema | StandardSchema;

/** A tool that was offered to the model. */
export interface Tool {
  /** Its name, matched exactly. */
  readonly name: string;
  /** What it does, in words for the model. Not used here. */
  readonly description?: string | undefined;
  /** The shape of its arguments. Without one every argument is a raw string. */
  readonly inputSchema?: Schema | undefined;
}
