/**
 * How directives are declared, and what is known of their parts' types from the
 * declaration. Types only.
 *
 * @module
 */

import type {
  DirectiveDeltaPart,
  DirectivePart,
  DirectiveStartPart,
  Part,
} from "./part.ts";
import type { Schema } from "./schema.ts";

/** What one directive looks like and what becomes of it. */
export interface DirectiveDefinition {
  /**
   * Names of tags right inside the content (`<log><level>warn</level></log>`:
   * `level`) whose content goes into `fields`, as it is written. The last one of
   * a name counts. Tag dialect only.
   */
  readonly fields?: readonly string[] | undefined;
  /**
   * The shape of the directive's `value`: a JSON Schema, or anything that
   * implements Standard Schema (zod 4, valibot, …). With `fields` it is the
   * shape of the object of fields, otherwise of the content. A JSON Schema
   * converts texts to the types it names (`"5"` to `5`). When the
   * schema does not hold, there is no `value` and a `warning` (`schema`) says
   * why; the raw content stays.
   */
  readonly schema?: Schema | undefined;
  /**
   * What an opener of the same name inside the content is. `"balanced"`: nested,
   * its closer belongs to it. `"flat"`: content, the first closer ends the
   * directive.
   *
   * @default {"balanced", "flat" for reasoning names}
   */
  readonly nesting?: "balanced" | "flat" | undefined;
  /**
   * `"reasoning"`: the content comes out as `reasoning` parts instead of deltas.
   * The directive counts as a reasoning one whatever its name is.
   */
  readonly as?: "reasoning" | undefined;
  /**
   * Whether the content is taken as it is: the first closer ends the directive,
   * wherever it stands, in a code fence too.
   *
   * @default {false}
   */
  readonly raw?: boolean | undefined;
}

/** The directives to extract: names, or what is known of each by name. */
export type DirectiveDefinitions =
  | readonly string[]
  | { readonly [name: string]: DirectiveDefinition };

/** The names that models and their templates wrap reasoning in. */
export type ReasoningName =
  | "think"
  | "thinking"
  | "thought"
  | "thoughts"
  | "Thought"
  | "reason"
  | "reasoning"
  | "reflection"
  | "scratchpad"
  | "antThinking"
  | "antml:thinking"
  | "seed:think"
  | "mm:think";

/** What is known of a directive that is still open; only with `partials`. */
export interface DirectivePartial {
  /** The content so far, this delta included. */
  content: string;
  /** The fields so far, the one that is still growing included; only when fields are declared. */
  fields?: Record<string, string>;
}

/** The start of a directive of a known name. */
export interface TypedDirectiveStart<Name extends string>
  extends DirectiveStartPart {
  /** The tag name, as written. */
  name: Name;
  /** What stood in brackets behind a container's name, as written. */
  label?: string;
}

/** More content of a directive of a known name. */
export interface TypedDirectiveDelta<Name extends string>
  extends DirectiveDeltaPart {
  /** The directive's name. */
  name: Name;
  /** What is there so far; only with `partials`. */
  partial?: DirectivePartial;
}

/** A directive of a known name with its value. */
export interface TypedDirective<
  Name extends string,
  Value = unknown,
  Field extends string = string,
> extends Omit<DirectivePart, "fields" | "value"> {
  /** The tag name, as written. */
  name: Name;
  /** What stood in brackets behind a container's name, as written. */
  label?: string;
  /** Content of the nested tags that are declared as fields, as far as they came. */
  fields?: { [name in Field]?: string };
  /** The validated value; absent when the directive is incomplete or the schema did not hold. */
  value?: Value;
}

/**
 * What a schema's values are: the output of a Standard Schema, or what a JSON
 * Schema says, see {@linkcode JSONSchemaValue}.
 *
 * @typeParam Shape The schema's type.
 */
export type SchemaValue<Shape> = Shape extends {
  readonly "~standard": {
    readonly types?: { readonly output: infer Output } | undefined;
  };
} ? Output
  : JSONSchemaValue<Shape>;

/**
 * What a literal JSON Schema says of its values by `type`, `properties`,
 * `required`, `items`, `enum`, `const`, `anyOf` and `oneOf`; everything else is
 * `unknown`.
 *
 * @typeParam Shape The schema's type.
 */
export type JSONSchemaValue<Shape> = Shape extends false ? never
  : Shape extends { readonly const: infer Constant } ? Constant
  : Shape extends { readonly enum: readonly (infer Member)[] } ? Member
  : Shape extends { readonly anyOf: readonly (infer Branch)[] }
    ? JSONSchemaValue<Branch>
  : Shape extends { readonly oneOf: readonly (infer Branch)[] }
    ? JSONSchemaValue<Branch>
  : Shape extends { readonly type: readonly (infer Type)[] }
    ? JSONTypeValue<Type, Shape>
  : Shape extends { readonly type: infer Type } ? JSONTypeValue<Type, Shape>
  : Shape extends { readonly properties: unknown }
    ? JSONTypeValue<"object", Shape>
  : unknown;

/** What a type that a JSON Schema names has for values. */
export type JSONTypeValue<Type, Shape> = Type extends "string" ? string
  : Type extends "number" | "integer" ? number
  : Type extends "boolean" ? boolean
  : Type extends "null" ? null
  : Type extends "array"
    ? Shape extends { readonly items: infer Item } ? JSONSchemaValue<Item>[]
    : unknown[]
  : Type extends "object"
    ? Shape extends { readonly properties: infer Properties } ? JSONObjectValue<
        Properties,
        Shape extends { readonly required: readonly (infer Name)[] } ? Name
          : never
      >
    : Record<string, unknown>
  : unknown;

/** The object that a JSON Schema with these properties describes. */
export type JSONObjectValue<Properties, Required> =
  & {
    -readonly [
      Name in keyof Properties as Name extends Required ? Name : never
    ]: JSONSchemaValue<Properties[Name]>;
  }
  & {
    -readonly [
      Name in keyof Properties as Name extends Required ? never : Name
    ]?: JSONSchemaValue<Properties[Name]>;
  };

/** The names in a declaration of directives. */
export type DirectiveName<Definitions> = Definitions extends
  readonly (infer Name)[] ? Name & string : keyof Definitions & string;

/** The final parts of declared directives, told apart by `name`. */
export type DeclaredDirective<Definitions> = {
  [Name in DirectiveName<Definitions>]: Definitions extends readonly unknown[]
    ? TypedDirective<Name>
    : Name extends keyof Definitions ? TypedDirective<
        Name,
        Definitions[Name] extends { readonly schema: infer Shape }
          ? SchemaValue<Shape>
          : unknown,
        Definitions[Name] extends { readonly fields: readonly (infer Field)[] }
          ? Field & string
          : string
      >
    : never;
}[DirectiveName<Definitions>];

/** The final parts of directives of which only the names are known. */
export type NamedDirective<Name> = Name extends string ? TypedDirective<Name>
  : never;

/** The names that the option `reasoning` adds. */
export type AddedReasoningName<Reasoning> = Reasoning extends true
  ? ReasoningName
  : Reasoning extends readonly (infer Name)[] ? Name & string
  : never;

/**
 * The parts that a directive extractor with these options gives: the `directive`
 * parts are a union told apart by `name`, so that comparing the name tells the
 * type of `value` and `fields`.
 *
 * Right as long as names are written as declared (not with `caseInsensitive`)
 * and no directives of another extractor come in.
 *
 * @typeParam Options The type of the options given.
 *
 * @example
 * ```ts
 * import {
 *   DirectiveExtractorStream,
 *   type DirectiveExtractorStreamOptions,
 *   type DirectiveOutput,
 *   parse,
 * } from "@millrace/millrace";
 *
 * const options = {
 *   directives: { point: { schema: { type: "array", items: { type: "number" } } } },
 * } as const satisfies DirectiveExtractorStreamOptions;
 *
 * function sum(part: DirectiveOutput<typeof options>): number {
 *   // In here `part.value` is `number[] | undefined`.
 *   if (part.type !== "directive" || part.name !== "point") return 0;
 *   return (part.value ?? []).reduce((one, other) => one + other, 0);
 * }
 *
 * const parts = parse("<point>[1, 2]</point>", new DirectiveExtractorStream(options));
 * if (sum(parts.at(-1)!) !== 3) throw new Error();
 * ```
 */
export type DirectiveOutput<Options> = Options extends {
  readonly directives?: infer Definitions;
  readonly reasoning?: infer Reasoning;
} ?
    | Exclude<
      Part,
      DirectiveStartPart | DirectiveDeltaPart | DirectivePart
    >
    | DeclaredDirective<Definitions>
    | NamedDirective<AddedReasoningName<Reasoning>>
    | TypedDirectiveStart<
      DirectiveName<Definitions> | AddedReasoningName<Reasoning>
    >
    | TypedDirectiveDelta<
      DirectiveName<Definitions> | AddedReasoningName<Reasoning>
    >
  : Part;
