import type { JSONSchema, Schema } from "../schema.ts";
import {
  convertArguments,
  convertText,
  isStandardSchema,
  validateStandard,
} from "./convert_value.ts";
import { parseLenientJSON } from "./lenient_json.ts";

/** A directive's value, or why it has none. */
export type DirectiveValue =
  | {
    ok: true;
    value: unknown;
    /** Names of the repairs that reading it took; usually empty. */
    repairs: readonly string[];
  }
  | { ok: false; reason: string };

/** Deeper levels of a schema's `enum` and `const` are not checked. */
const DEEPEST = 32;

/** Reads a directive's fields, or its content when it has none declared, by the schema. */
export function readDirectiveValue(
  content: string,
  fields: Readonly<Record<string, string>> | undefined,
  schema: Schema,
): DirectiveValue {
  return fields === undefined
    ? valueOfContent(content, schema)
    : valueOfFields(fields, schema);
}

function valueOfContent(content: string, schema: Schema): DirectiveValue {
  if (!isStandardSchema(schema)) {
    const converted = convertText(content, schema);
    return converted.ok
      ? checked(converted.value, schema, converted.repairs)
      : converted;
  }
  const raw = validateStandard(content, schema);
  if (raw.ok) return { ...raw, repairs: [] };
  // A schema that wants no string wants what the text says.
  const read = parseLenientJSON(content.trim());
  if (!read.ok) return raw;
  const value = validateStandard(read.value, schema);
  if (value.ok) return { ...value, repairs: read.repairs };
  return typeof read.value === "string" ? raw : value;
}

function valueOfFields(
  fields: Readonly<Record<string, string>>,
  schema: Schema,
): DirectiveValue {
  const converted = convertArguments(Object.entries(fields), schema);
  if (!converted.ok) {
    const { parameter, reason } = converted;
    return {
      ok: false,
      reason: parameter === undefined
        ? reason
        : `Field "${parameter}": ${reason}`,
    };
  }
  // A Standard Schema may convert, refine and fill in: its output is the value.
  if (isStandardSchema(schema)) {
    const validated = validateStandard(converted.input, schema);
    return validated.ok
      ? { ...validated, repairs: converted.repairs }
      : validated;
  }
  if (converted.missing.length > 0) {
    return {
      ok: false,
      reason: `Field "${converted.missing[0]}" is missing`,
    };
  }
  return checked(converted.input, schema, converted.repairs);
}

/** Types are checked already; this adds the values that `enum` and `const` allow, and required properties. */
function checked(
  value: unknown,
  schema: JSONSchema,
  repairs: readonly string[],
): DirectiveValue {
  const reason = objection(value, schema, 0);
  return reason === undefined
    ? { ok: true, value, repairs }
    : { ok: false, reason };
}

function objection(
  value: unknown,
  schema: unknown,
  depth: number,
): string | undefined {
  if (typeof schema !== "object" || schema === null || depth > DEEPEST) return;
  const keywords = schema as Readonly<Record<string, unknown>>;
  const allowed = Object.hasOwn(keywords, "const")
    ? [keywords["const"]]
    : keywords["enum"];
  if (
    Array.isArray(allowed) &&
    !allowed.some((one) => JSON.stringify(one) === JSON.stringify(value))
  ) return `${shown(value)} is not one of the values allowed`;
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) {
      const reason = objection(item, keywords["items"], depth + 1);
      if (reason !== undefined) return reason;
    }
    return;
  }
  const { required, properties } = keywords;
  if (Array.isArray(required)) {
    const missing = required.find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return `Property "${missing}" is missing`;
  }
  if (typeof properties !== "object" || properties === null) return;
  for (const [name, item] of Object.entries(value)) {
    if (!Object.hasOwn(properties, name)) continue;
    const reason = objection(
      item,
      (properties as Readonly<Record<string, unknown>>)[name],
      depth + 1,
    );
    if (reason !== undefined) return `Property "${name}": ${reason}`;
  }
  return;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
