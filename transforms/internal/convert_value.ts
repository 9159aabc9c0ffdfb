import type { JSONSchema, Schema, StandardSchema } from "../schema.ts";
import {
  isJSONNumber,
  keepsNumber,
  type Parsed,
  parseLenientJSON,
} from "./lenient_json.ts";
import { setOwn } from "./own_property.ts";
import { parsePythonLiteral } from "./python_literal.ts";

/**
 * One argument as a markup has it: its name, its text, and what the markup says
 * of it where it does (DSML's `string="true"` and `string="false"`).
 */
export type ArgumentText = readonly [
  name: string,
  text: string,
  kind?: "string" | "json",
];

/** What {@linkcode convertArguments} gives. */
export type ConvertedArguments =
  | {
    ok: true;
    /** The arguments. */
    input: Record<string, unknown>;
    /** Parameters that are required and were not given. */
    missing: string[];
    /** Names of the repairs that were needed. */
    repairs: string[];
  }
  | {
    ok: false;
    /** Why not. */
    reason: string;
    /** The parameter that does not convert, when it is one. */
    parameter?: string;
  };

type SchemaObject = { readonly [keyword: string]: unknown };

// The types that a schema allows, as bits.
const STRING = 1;
const FRACTION = 2;
const INTEGER = 4;
const BOOLEAN = 8;
const OBJECT = 16;
const ARRAY = 32;
const NULL = 64;
/** The schema says nothing about types. */
const UNSAID = 128;
const ANYTHING = 255;

const TYPES: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  ["string", STRING],
  ["number", FRACTION | INTEGER],
  ["integer", INTEGER],
  ["boolean", BOOLEAN],
  ["object", OBJECT],
  ["array", ARRAY],
  ["null", NULL],
]);

/** More references or branches than these in one another are a cycle, or an attack. */
const MOST_HOPS = 32;

/** Schemas may branch at every level: more steps than these are refused. */
const MOST_STEPS = 2_000_000;

const REFUSED: unique symbol = Symbol("refused");

/**
 * Converts the raw text of a value by its schema.
 *
 * A schema that allows a string gets the text as it is, code unit for code
 * unit; only a text that is `null` (or `None`) becomes `null`, when the
 * schema names `null` and no `enum` or `const` names that text. So does a
 * schema that says nothing about types, without that exception.
 * Otherwise the text is read as JSON (with the repairs of `parseLenientJSON`,
 * Python's literals among them) and its type is checked, at every level.
 * Integers must be safe and written as such. What does not convert is refused:
 * nothing is guessed.
 *
 * Types come from `type` (one or a list), `nullable`, `anyOf`, `oneOf`,
 * `allOf`, local `$ref`; where no type is given, from `const` and `enum`, from
 * `properties` (an object) and `items` (an array). Values, ranges and patterns
 * are not checked.
 *
 * @param root What `$ref` points into.
 */
export function convertText(
  text: string,
  schema: JSONSchema | undefined,
  root: JSONSchema | undefined = schema,
): Parsed {
  const converter = new Converter(root);
  return converter.result(converter.text(text, schema));
}

/**
 * Checks the types of a parsed value by its schema. A string becomes a number,
 * a boolean or `null` where the schema excludes a string and nothing is
 * lost; that is reported as repair `converted-string`. The value given is not
 * changed, and comes back as it is when nothing had to be converted.
 *
 * @param root What `$ref` points into.
 */
export function convertJSON(
  value: unknown,
  schema: JSONSchema | undefined,
  root: JSONSchema | undefined = schema,
): Parsed {
  const converter = new Converter(root);
  return converter.result(converter.value(value, schema));
}

/**
 * Converts a call's arguments by the tool's schema.
 *
 * An array is taken for texts, so a parsed value that is one must be refused
 * before.
 *
 * - From texts: the last one of equal names wins; a parameter that the schema
 *   does not know stays a raw string.
 * - From a parsed object: types are checked as {@linkcode convertJSON} does.
 * - A required parameter that is missing does not refuse the call: it is named
 *   in `missing`.
 * - `input` is what the schema takes in, never what a transforming schema would
 *   give out: the host still runs its own validation on it.
 *
 * A Standard Schema that offers its JSON Schema (`~standard.jsonSchema`, as
 * zod does from 4.2 on) is used through that. Any other is asked with
 * `validate`: raw strings first (`null` for a text that is `null`), then, for
 * the parameters named in the issues, what their text reads as (for parsed
 * arguments: the strings that convert without loss). Issues that remain, save
 * about missing parameters, refuse the call, as does a `validate` that throws or
 * gives a promise.
 */
export function convertArguments(
  given: readonly ArgumentText[] | Readonly<Record<string, unknown>>,
  schema: Schema | undefined,
): ConvertedArguments {
  const isTexts = Array.isArray(given) && given.every(isArgumentText);
  if (!isTexts && !isPlainObject(given)) {
    return { ok: false, reason: "The arguments are not an object" };
  }
  const texts = isTexts
    ? new Map((given as ArgumentText[]).map((one) => [one[0], one]))
    : undefined;
  const parsed = given as Readonly<Record<string, unknown>>;
  if (!isStandardSchema(schema)) return byJSONSchema(texts, parsed, schema);
  const view = jsonSchemaOf(schema);
  return view === undefined
    ? byValidation(texts, parsed, schema)
    : byJSONSchema(texts, parsed, view);
}

function isArgumentText(given: unknown): boolean {
  return Array.isArray(given) && typeof given[0] === "string" &&
    typeof given[1] === "string";
}

/** Whether a schema is a Standard Schema, not a JSON Schema. */
export function isStandardSchema(
  schema: Schema | undefined,
): schema is StandardSchema {
  return (typeof schema === "object" || typeof schema === "function") &&
    schema !== null && "~standard" in schema &&
    typeof (schema as StandardSchema)["~standard"]?.validate === "function";
}

/** Asks a Standard Schema, synchronously. Throws nothing. */
export function validateStandard(
  value: unknown,
  schema: StandardSchema,
):
  | { ok: true; value: unknown }
  | {
    ok: false;
    reason: string;
    issues: readonly { message: string; path: PropertyKey[] }[];
  } {
  try {
    const result = schema["~standard"].validate(value);
    if ("then" in result) {
      // Nobody waits for it, so nobody may trip over it either.
      result.then(() => {}, () => {});
      return {
        ok: false,
        reason: "The schema validates asynchronously, which a stage cannot",
        issues: [],
      };
    }
    if (result.issues === undefined) return { ok: true, value: result.value };
    const issues = result.issues.map((issue) => ({
      message: String(issue.message),
      path: (issue.path ?? []).map((step) =>
        typeof step === "object" ? step.key : step
      ),
    }));
    return {
      ok: false,
      reason: issues[0]?.message ?? "The schema refuses the value",
      issues,
    };
  } catch (error) {
    return {
      ok: false,
      reason: `The schema failed: ${
        error instanceof Error ? error.message : String(error)
      }`,
      issues: [],
    };
  }
}

function byJSONSchema(
  texts: ReadonlyMap<string, ArgumentText> | undefined,
  parsed: Readonly<Record<string, unknown>>,
  schema: JSONSchema | undefined,
): ConvertedArguments {
  if (schema === false) {
    return { ok: false, reason: "The tool's schema allows no arguments" };
  }
  const converter = new Converter(schema);
  const input: Record<string, unknown> = {};
  for (const name of texts?.keys() ?? Object.keys(parsed)) {
    const parameter = converter.parameter(name);
    let value: unknown;
    if (texts === undefined) value = converter.value(parsed[name], parameter);
    else {
      const [, text, kind] = texts.get(name)!;
      value = kind === "string"
        ? converter.value(text, parameter)
        : kind === "json"
        ? converter.json(text, parameter)
        : converter.text(text, parameter);
    }
    if (value === REFUSED) {
      return { ok: false, reason: converter.reason, parameter: name };
    }
    setOwn(input, name, value);
  }
  return {
    ok: true,
    input,
    missing: converter.required().filter((name) => !Object.hasOwn(input, name)),
    repairs: [...converter.repairs],
  };
}

function byValidation(
  texts: ReadonlyMap<string, ArgumentText> | undefined,
  parsed: Readonly<Record<string, unknown>>,
  schema: StandardSchema,
): ConvertedArguments {
  const repairs = new Set<string>();
  let input: Record<string, unknown> = {};
  for (const name of texts?.keys() ?? Object.keys(parsed)) {
    if (texts === undefined) {
      setOwn(input, name, parsed[name]);
      continue;
    }
    const [, text, kind] = texts.get(name)!;
    if (kind === "json") {
      const read = parseLenientJSON(text);
      if (!read.ok) return { ok: false, reason: read.reason, parameter: name };
      for (const repair of read.repairs) repairs.add(repair);
      setOwn(input, name, read.value);
    } else if (kind === undefined && (text === "null" || text === "None")) {
      setOwn(input, name, null);
    } else setOwn(input, name, text);
  }
  let result = validateStandard(input, schema);
  if (!result.ok && result.issues.length > 0) {
    const second = texts === undefined
      ? withConvertedStrings(input, result.issues, repairs)
      : withReadTexts(input, result.issues, texts, repairs);
    const again = validateStandard(second, schema);
    // An issue about the whole does not say which texts to read.
    if (again.ok || result.issues.some((issue) => issue.path.length > 0)) {
      input = second;
      result = again;
    }
  }
  if (result.ok) return { ok: true, input, missing: [], repairs: [...repairs] };
  const missing = new Set<string>();
  for (const { path: [first] } of result.issues) {
    if (typeof first === "string" && !Object.hasOwn(input, first)) {
      missing.add(first);
    } else {
      return typeof first === "string"
        ? { ok: false, reason: result.reason, parameter: first }
        : { ok: false, reason: result.reason };
    }
  }
  return missing.size > 0
    ? { ok: true, input, missing: [...missing], repairs: [...repairs] }
    : { ok: false, reason: result.reason };
}

/** The input with the texts that the issues are about read as values. */
function withReadTexts(
  input: Record<string, unknown>,
  issues: readonly { path: PropertyKey[] }[],
  texts: ReadonlyMap<string, ArgumentText>,
  repairs: Set<string>,
): Record<string, unknown> {
  const whole = issues.every((issue) => issue.path.length === 0);
  const names = new Set(
    whole ? texts.keys() : issues.map(({ path }) => path[0]!),
  );
  const second = copyOf(input);
  for (const name of names) {
    if (typeof name !== "string" || texts.get(name)?.[2] !== undefined) {
      continue;
    }
    const text = texts.get(name)?.[1];
    if (text === undefined) continue;
    if (input[name] === null) setOwn(second, name, text);
    else {
      const read = readText(text);
      if (!read.ok) continue;
      for (const repair of read.repairs) repairs.add(repair);
      setOwn(second, name, read.value);
    }
  }
  return second;
}

/** The input with the strings that the issues are about converted, where nothing is lost. */
function withConvertedStrings(
  input: Record<string, unknown>,
  issues: readonly { path: PropertyKey[] }[],
  repairs: Set<string>,
): Record<string, unknown> {
  // Only what lies on a path is copied, so that the given object stays as it is.
  const copied = new Set<object>();
  const copy = (value: object): object => {
    if (copied.has(value)) return value;
    const own = Array.isArray(value) ? [...value] : copyOf(value as never);
    copied.add(own);
    return own;
  };
  const second = copy(input) as Record<string, unknown>;
  for (const { path } of issues) {
    let holder: object = second;
    for (const [index, step] of path.entries()) {
      if (!Object.hasOwn(holder, step)) break;
      const value = (holder as Record<PropertyKey, unknown>)[step];
      if (index === path.length - 1) {
        if (typeof value !== "string") break;
        const converted = fromString(value, ANYTHING & ~STRING);
        if (converted === REFUSED) break;
        repairs.add("converted-string");
        setOwn(holder, step as string, converted);
      } else if (typeof value === "object" && value !== null) {
        const next = copy(value);
        setOwn(holder, step as string, next);
        holder = next;
      } else break;
    }
  }
  return second;
}

/** What a text that is no string reads as. */
function readText(text: string): Parsed {
  const trimmed = text.trim();
  if (trimmed === "") return { ok: false, reason: "There is no value" };
  // JSON knows no tuples; everything else of Python's is read leniently.
  return trimmed.startsWith("(")
    ? parsePythonLiteral(trimmed)
    : parseLenientJSON(trimmed);
}

/** What a string says, when it is one of these types and nothing is lost. */
function fromString(text: string, types: number): unknown {
  if (types & BOOLEAN) {
    if (text === "true" || text === "True") return true;
    if (text === "false" || text === "False") return false;
  }
  if (types & NULL && (text === "null" || text === "None")) return null;
  if (types & (INTEGER | FRACTION) && isJSONNumber(text) && keepsNumber(text)) {
    const written = /^-?\d+$/.test(text);
    if (written || types & FRACTION && keepsDigits(text)) return Number(text);
  }
  return REFUSED;
}

/** Whether a number with a fraction or an exponent has no more digits than a double. */
function keepsDigits(text: string): boolean {
  const digits = text.replace(/[eE].*$/, "").replace(/[-.]/g, "");
  return digits.replace(/^0+/, "").length <= 15;
}

/** Converts by one schema and what its references point to. */
class Converter {
  readonly repairs: Set<string> = new Set();
  /** Why the last value was refused. */
  reason = "";
  readonly #root: JSONSchema | undefined;
  readonly #types: Map<object, number> = new Map();
  /** Whether strings may be converted; not while branches are compared. */
  #mayConvert = true;
  #steps = 0;

  constructor(root: JSONSchema | undefined) {
    this.#root = root;
  }

  result(value: unknown): Parsed {
    return value === REFUSED
      ? { ok: false, reason: this.reason }
      : { ok: true, value, repairs: [...this.repairs] };
  }

  text(text: string, schema: JSONSchema | undefined): unknown {
    const types = this.#typesOf(schema);
    if (types & STRING) {
      return types & NULL && !(types & UNSAID) &&
          (text === "null" || text === "None") && !this.#names(schema, text)
        ? null
        : text;
    }
    const read = readText(text);
    if (!read.ok) {
      return this.#refuse(`${expected(types)}, got ${shown(text)}`);
    }
    if (
      typeof read.value === "number" && !(types & FRACTION) &&
      types & INTEGER && !/^-?\d+$/.test(text.trim())
    ) return this.#refuse(`${expected(types)}, got ${shown(text)}`);
    const value = this.value(read.value, schema);
    if (value !== REFUSED) this.#note(read.repairs);
    return value;
  }

  /** The same for a text that is said to be JSON. */
  json(text: string, schema: JSONSchema | undefined): unknown {
    const read = parseLenientJSON(text);
    if (!read.ok) return this.#refuse(read.reason);
    this.#note(read.repairs);
    return this.value(read.value, schema);
  }

  value(value: unknown, schema: JSONSchema | undefined, hops = 0): unknown {
    if (++this.#steps > MOST_STEPS) {
      return this.#refuse("The schema has too many branches");
    }
    const types = this.#typesOf(schema);
    const type = typeOf(value);
    if ((types & type) === 0) {
      if (
        typeof value === "string" && this.#mayConvert
      ) {
        const converted = fromString(value, types);
        if (converted !== REFUSED) {
          this.repairs.add("converted-string");
          return converted;
        }
      }
      return this.#refuse(
        `${expected(types)}, got ${
          typeof value === "object" && value !== null
            ? NAMES.get(type)
            : shown(value)
        }`,
      );
    }
    if (
      typeof value !== "object" || value === null || !isSchemaObject(schema) ||
      hops > MOST_HOPS
    ) return value;
    let result: unknown = Array.isArray(value)
      ? this.#items(value, schema)
      : this.#properties(value as Record<string, unknown>, schema);
    if (result === REFUSED) return REFUSED;
    const target = this.#target(schema);
    if (target !== undefined) {
      result = this.value(result, target, hops + 1);
      if (result === REFUSED) return REFUSED;
    }
    for (const part of listOf(schema["allOf"])) {
      result = this.value(result, part, hops + 1);
      if (result === REFUSED) return REFUSED;
    }
    for (const key of ["anyOf", "oneOf"]) {
      const branches = listOf(schema[key]);
      if (branches.length === 0) continue;
      result = this.#branch(result as object, branches, hops + 1);
      if (result === REFUSED) return REFUSED;
    }
    return result;
  }

  /** The schema of one of the arguments, `undefined` when there is none. */
  parameter(
    name: string,
    schema: JSONSchema | undefined = this.#root,
    seen: Set<object> = new Set(),
    hops = 0,
  ): JSONSchema | undefined {
    if (!isSchemaObject(schema) || seen.has(schema) || hops > MOST_HOPS) {
      return undefined;
    }
    seen.add(schema);
    const all: JSONSchema[] = [];
    const properties = schema["properties"];
    if (isPlainObject(properties) && Object.hasOwn(properties, name)) {
      all.push(properties[name] as JSONSchema);
    } else if (isSchemaObject(schema["additionalProperties"])) {
      all.push(schema["additionalProperties"]);
    }
    for (const part of [this.#target(schema), ...listOf(schema["allOf"])]) {
      const found = this.parameter(name, part, seen, hops + 1);
      if (found !== undefined) all.push(found);
    }
    for (const key of ["anyOf", "oneOf"]) {
      const found = listOf(schema[key])
        .map((branch) => this.parameter(name, branch, seen, hops + 1))
        .filter((one) => one !== undefined);
      if (found.length > 0) all.push({ anyOf: found });
    }
    return all.length > 1 ? { allOf: all } : all[0];
  }

  /** The parameters that have to be given. */
  required(
    schema: JSONSchema | undefined = this.#root,
    seen: Set<object> = new Set(),
    hops = 0,
  ): string[] {
    if (!isSchemaObject(schema) || seen.has(schema) || hops > MOST_HOPS) {
      return [];
    }
    seen.add(schema);
    const names = new Set<string>();
    for (const name of listOf(schema["required"]) as unknown[]) {
      if (typeof name === "string") names.add(name);
    }
    for (const part of [this.#target(schema), ...listOf(schema["allOf"])]) {
      for (const name of this.required(part, seen, hops + 1)) names.add(name);
    }
    return [...names];
  }

  #note(repairs: readonly string[]): void {
    for (const repair of repairs) this.repairs.add(repair);
  }

  #refuse(reason: string): typeof REFUSED {
    this.reason = reason;
    return REFUSED;
  }

  #items(value: readonly unknown[], schema: SchemaObject): unknown {
    const list = schema["items"];
    const prefix = Array.isArray(list) ? list : listOf(schema["prefixItems"]);
    const rest = Array.isArray(list) ? schema["additionalItems"] : list;
    if (prefix.length === 0 && !isSchemaObject(rest)) return value;
    let result = value;
    for (const [index, item] of value.entries()) {
      const converted = this.value(
        item,
        (index < prefix.length ? prefix[index] : rest) as JSONSchema,
      );
      if (converted === REFUSED) return REFUSED;
      if (converted === item) continue;
      if (result === value) result = [...value];
      (result as unknown[])[index] = converted;
    }
    return result;
  }

  #properties(
    value: Readonly<Record<string, unknown>>,
    schema: SchemaObject,
  ): unknown {
    const properties = schema["properties"];
    const rest = schema["patternProperties"] === undefined
      ? schema["additionalProperties"]
      : undefined;
    if (!isPlainObject(properties) && !isSchemaObject(rest)) return value;
    let result = value;
    for (const key of Object.keys(value)) {
      const known = isPlainObject(properties) && Object.hasOwn(properties, key)
        ? properties[key]
        : isSchemaObject(rest)
        ? rest
        : undefined;
      if (known === undefined) continue;
      const converted = this.value(value[key], known as JSONSchema);
      if (converted === REFUSED) return REFUSED;
      if (converted === value[key]) continue;
      if (result === value) result = copyOf(value);
      setOwn(result, key, converted);
    }
    return result;
  }

  /** The value by the first branch that takes it as it is, else by the first that takes it. */
  #branch(
    value: object,
    branches: readonly JSONSchema[],
    hops: number,
  ): unknown {
    const type = typeOf(value);
    const typed = branches.filter((one) => this.#typesOf(one) & type);
    const fitting = typed.filter((one) => !this.#contradicts(value, one));
    const candidates = fitting.length > 0 ? fitting : typed;
    if (candidates.length === 1) return this.value(value, candidates[0], hops);
    const mayConvert = this.#mayConvert;
    for (const convert of mayConvert ? [false, true] : [false]) {
      for (const candidate of candidates) {
        this.#mayConvert = convert;
        const result = this.value(value, candidate, hops);
        this.#mayConvert = mayConvert;
        if (result !== REFUSED) return result;
      }
    }
    return REFUSED;
  }

  /** Whether a property has another value than the only one this branch allows: unions are told apart so. */
  #contradicts(value: object, branch: JSONSchema): boolean {
    let schema: JSONSchema | undefined = branch;
    for (let hops = 0; hops < MOST_HOPS && isSchemaObject(schema); hops++) {
      const properties: unknown = schema["properties"];
      if (isPlainObject(properties)) {
        for (const key of Object.keys(properties)) {
          const property = properties[key];
          if (!isPlainObject(property) || !Object.hasOwn(value, key)) continue;
          const own = (value as Record<string, unknown>)[key];
          const only = property["const"] !== undefined
            ? [property["const"]]
            : listOf(property["enum"]) as unknown[];
          if (
            only.length > 0 && !only.includes(own) &&
            only.every((one) => typeof one !== "object")
          ) return true;
        }
      }
      schema = this.#target(schema);
    }
    return false;
  }

  #typesOf(schema: JSONSchema | undefined, hops = 0): number {
    if (schema === false) return 0;
    if (!isSchemaObject(schema) || hops > MOST_HOPS) return ANYTHING;
    const known = this.#types.get(schema);
    if (known !== undefined) return known;
    // For references back to here.
    this.#types.set(schema, ANYTHING);
    let types = ANYTHING;
    const type = schema["type"];
    if (typeof type === "string" || Array.isArray(type)) {
      types = union(listOf(type), (one) => TYPES.get(one) ?? 0);
    } else if (Object.hasOwn(schema, "const")) {
      types = typeOf(schema["const"]);
    } else if (Array.isArray(schema["enum"])) {
      types = union(schema["enum"], typeOf);
    }
    types &= this.#typesOf(this.#target(schema), hops + 1);
    for (const part of listOf(schema["allOf"])) {
      types &= this.#typesOf(part, hops + 1);
    }
    for (const key of ["anyOf", "oneOf"]) {
      const branches = listOf(schema[key]);
      if (branches.length > 0) {
        types &= union(branches, (one) => this.#typesOf(one, hops + 1));
      }
    }
    if (types === ANYTHING) {
      if (isPlainObject(schema["properties"])) types = OBJECT;
      else if (
        isSchemaObject(schema["items"]) || Array.isArray(schema["prefixItems"])
      ) types = ARRAY;
    }
    if (schema["nullable"] === true && types !== ANYTHING) types |= NULL;
    this.#types.set(schema, types);
    return types;
  }

  /** What a local `$ref` points to. */
  #target(schema: SchemaObject): JSONSchema | undefined {
    const reference = schema["$ref"];
    if (typeof reference !== "string" || !reference.startsWith("#")) {
      return undefined;
    }
    let target: unknown = this.#root;
    for (const step of reference.slice(1).split("/").slice(1)) {
      const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
      if (
        typeof target !== "object" || target === null ||
        !Object.hasOwn(target, key)
      ) return undefined;
      target = (target as Record<string, unknown>)[key];
    }
    return target as JSONSchema;
  }

  /** Whether the schema has this very text among its values. */
  #names(
    schema: JSONSchema | undefined,
    text: string,
    seen: Set<object> = new Set(),
    hops = 0,
  ): boolean {
    if (!isSchemaObject(schema) || seen.has(schema) || hops > MOST_HOPS) {
      return false;
    }
    seen.add(schema);
    if (schema["const"] === text) return true;
    if ((listOf(schema["enum"]) as unknown[]).includes(text)) return true;
    return [
      this.#target(schema),
      ...listOf(schema["anyOf"]),
      ...listOf(schema["oneOf"]),
      ...listOf(schema["allOf"]),
    ].some((one) => this.#names(one, text, seen, hops + 1));
  }
}

const NAMES: ReadonlyMap<number, string> = new Map([
  [STRING, "string"],
  [FRACTION, "number"],
  [INTEGER, "integer"],
  [BOOLEAN, "boolean"],
  [OBJECT, "object"],
  [ARRAY, "array"],
  [NULL, "null"],
]);

function expected(types: number): string {
  const names = [...NAMES]
    .filter(([type]) => types & type && !(type === INTEGER && types & FRACTION))
    .map(([, name]) => name);
  return names.length === 0
    ? "Expected nothing"
    : `Expected ${names.join(" or ")}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}

function typeOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return STRING;
    case "number":
      return Number.isSafeInteger(value) ? INTEGER : FRACTION;
    case "boolean":
      return BOOLEAN;
    default:
      return value === null ? NULL : Array.isArray(value) ? ARRAY : OBJECT;
  }
}

function union<One>(
  all: readonly One[],
  typesOf: (one: One) => number,
): number {
  let types = 0;
  for (const one of all) types |= typesOf(one);
  return types;
}

function listOf(value: unknown): readonly JSONSchema[] {
  return Array.isArray(value)
    ? value
    : typeof value === "string"
    ? [value as never]
    : [];
}

function isSchemaObject(schema: unknown): schema is SchemaObject {
  return isPlainObject(schema);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function copyOf(value: Readonly<Record<string, unknown>>): Record<
  string,
  unknown
> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, value[key]);
  return copy;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** The views found so far; `null` for a schema without one. */
const views: WeakMap<object, JSONSchema | null> = new WeakMap();

/** The JSON Schema of what a Standard Schema takes in, when it offers one. */
function jsonSchemaOf(schema: StandardSchema): JSONSchema | undefined {
  const known = views.get(schema);
  if (known !== undefined) return known ?? undefined;
  let view: JSONSchema | undefined;
  const offered = (schema["~standard"] as {
    jsonSchema?: { input?: (options: { target: string }) => unknown };
  }).jsonSchema;
  try {
    const made = offered?.input?.({ target: "draft-2020-12" });
    if (isPlainObject(made)) view = made;
  } catch {
    // Not everything has a JSON Schema; such a schema is asked instead.
  }
  views.set(schema, view ?? null);
  return view;
}
