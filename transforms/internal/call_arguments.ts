import { type ArgumentText, convertArguments } from "./convert_value.ts";
import type { CompiledForm } from "./compiled_form.ts";
import type { CallText } from "./form_reader.ts";
import { parseGemmaArguments } from "./gemma_notation.ts";
import { type Parsed, parseLenientJSON } from "./lenient_json.ts";
import { NAME_KEYS } from "./name_finder.ts";
import type { OfferedTools } from "./offered_tools.ts";
import { parseTagTree } from "./tag_tree.ts";
import { openings } from "./token_program.ts";
import { parsePythonCalls } from "./python_literal.ts";

/** What {@linkcode readArguments} gives. */
export type ReadArguments =
  | {
    ok: true;
    name: string;
    input: unknown;
    repairs: string[];
    /** Required parameters that were not given. */
    missing: string[];
  }
  | {
    ok: false;
    code: "unknown-tool" | "malformed" | "schema";
    /** The name, as far as it is known. */
    name: string | undefined;
    reason: string;
  };

/** A call's name and arguments, not yet held against the schema. */
interface Read {
  name: string;
  /** Keys that stand beside the arguments. */
  beside: readonly string[];
  given: readonly ArgumentText[] | Readonly<Record<string, unknown>>;
  repairs: string[];
}

/** Keys under which an object holds a call's arguments. */
const ARGUMENT_KEYS: readonly string[] = ["arguments", "parameters"];

/** Keys that may stand beside name and arguments without meaning anything here. */
const OTHER_KEYS: readonly string[] = [
  "id",
  "type",
  "index",
  "call_id",
  "tool_call_id",
];

/**
 * Makes a call of its text: reads the arguments and converts them by the tool's
 * schema.
 *
 * @param text The text of the call, from `call.start` to `call.end`.
 */
export function readArguments(
  compiled: CompiledForm,
  call: CallText,
  text: string,
  tools: OfferedTools,
): ReadArguments {
  const read = readCall(compiled, call, text, tools);
  if (!("given" in read)) return read;
  const { name, beside, given, repairs } = read;
  if (!tools.schemas.has(name)) {
    return {
      ok: false,
      code: "unknown-tool",
      name,
      reason: "The tool was not offered",
    };
  }
  const known = tools.parameters(name);
  const misplaced = beside.find((key) => known?.has(key));
  if (misplaced !== undefined) {
    return malformed(name, `"${misplaced}" stands outside the arguments`);
  }
  const converted = convertArguments(given, tools.schemas.get(name));
  if (!converted.ok) {
    const { reason, parameter } = converted;
    return {
      ok: false,
      code: "schema",
      name,
      reason: parameter === undefined
        ? reason
        : `Parameter "${parameter}" does not convert: ${reason}`,
    };
  }
  return {
    ok: true,
    name,
    input: converted.input,
    repairs: [...new Set([...call.repairs, ...repairs, ...converted.repairs])],
    missing: converted.missing,
  };
}

function readCall(
  compiled: CompiledForm,
  call: CallText,
  text: string,
  tools: OfferedTools,
): Read | ReadArguments {
  const { body } = compiled.form.call;
  const slice = (from: number, to: number): string =>
    text.slice(from - call.start, to - call.start);
  if (call.body === undefined) {
    const last = call.parameters.at(-1);
    if (
      last !== undefined && call.repairs.includes("missing-closer") &&
      endsInHalfCloser(compiled, slice(last.from, last.to))
    ) return malformed(call.name, "A parameter's closer is broken");
    const given = parametersOf(compiled, call, slice);
    return given === undefined
      ? malformed(call.name, "A nested value cannot be read")
      : { name: call.name!, beside: [], given, repairs: [] };
  }
  const bodyText = slice(...call.body);
  if (body === "call") {
    const read = json(bodyText, call.loose, true, tools);
    return read.ok
      ? fromObject(read.value, read.repairs)
      : malformed(call.name, read.reason);
  }
  if (body === "python") {
    const read = parsePythonCalls(slice(call.start, call.body[1]));
    if (!read.ok) return malformed(call.name, read.reason);
    const [first] = read.value;
    return {
      name: first!.name,
      beside: [],
      given: first!.arguments,
      repairs: read.repairs,
    };
  }
  const read = typeof body === "object"
    ? parseGemmaArguments(bodyText, body.delimiter)
    : json(bodyText, call.loose, false, tools);
  if (!read.ok) return malformed(call.name, read.reason);
  if (!isObject(read.value)) {
    return malformed(call.name, "The arguments are not an object");
  }
  return {
    name: call.name!,
    beside: [],
    given: read.value,
    repairs: read.repairs,
  };
}

function malformed(
  name: string | undefined,
  reason: string,
): ReadArguments {
  return { ok: false, code: "malformed", name, reason };
}

function json(
  text: string,
  loose: boolean,
  envelope: boolean,
  { repairJSON }: OfferedTools,
): Parsed {
  const read: Parsed = loose
    ? { ok: false, reason: "The arguments are no JSON" }
    : parseLenientJSON(text, { envelope });
  if (read.ok || repairJSON === undefined) return read;
  try {
    const repaired = repairJSON(text);
    if (typeof repaired === "string") {
      return {
        ok: true,
        value: JSON.parse(repaired),
        repairs: ["host-repair"],
      };
    }
  } catch {
    // A repair that fails is none.
  }
  return read;
}

/**
 * Whether a value whose closer is missing ends with most of one: it would be
 * run with markup in it, or, had it been cut off, with less than was written.
 */
function endsInHalfCloser({ form }: CompiledForm, value: string): boolean {
  const at = value.lastIndexOf("</");
  if (at < 0) return false;
  const tail = value.slice(at).trimEnd().replace(/>$/, "");
  return tail.length > 3 &&
    (form.call.parameter?.close ?? []).some((pattern) =>
      openings(pattern, []).some((closer) => closer.startsWith(tail))
    );
}

/** The call that an object with name and arguments stands for. */
function fromObject(value: unknown, repairs: string[]): Read | ReadArguments {
  if (!isObject(value)) return malformed(undefined, "A call is not an object");
  if (isObject(value["function"])) {
    // The shape of an API's own message.
    return fromObject(value["function"], repairs);
  }
  const names = NAME_KEYS.filter((key) => typeof value[key] === "string");
  if (names.length !== 1) return malformed(undefined, "A call has no name");
  const name = value[names[0]!] as string;
  const keys = ARGUMENT_KEYS.filter((key) => Object.hasOwn(value, key));
  if (keys.length > 1) return malformed(name, "A call has two arguments");
  if (keys.length === 0) {
    const other = Object.keys(value).find((key) =>
      key !== names[0] && !OTHER_KEYS.includes(key)
    );
    // What is there may be meant as the arguments: nobody knows.
    return other === undefined
      ? { name, beside: [], given: {}, repairs }
      : malformed(name, "A call has no arguments");
  }
  let given = value[keys[0]!];
  if (typeof given === "string") {
    const read = parseLenientJSON(given);
    if (!read.ok) return malformed(name, read.reason);
    given = read.value;
    repairs = [...repairs, ...read.repairs, "arguments-in-string"];
  }
  if (!isObject(given)) {
    return malformed(name, "The arguments are not an object");
  }
  const beside = Object.keys(value).filter((key) =>
    key !== names[0] && key !== keys[0]
  );
  return { name, beside, given, repairs };
}

/** The parameters as texts, without what belongs to the markup. */
function parametersOf(
  compiled: CompiledForm,
  call: CallText,
  slice: (from: number, to: number) => string,
): ArgumentText[] | undefined {
  const syntax = compiled.form.call.parameter;
  const given: ArgumentText[] = [];
  for (const { key, from, to, kind } of call.parameters) {
    let text = slice(from, to);
    if (syntax?.framing === "line") {
      text = text.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
    }
    if (syntax?.nested !== undefined && text.includes(syntax.nested)) {
      const tree = parseTagTree(text, syntax.nested);
      if (tree === undefined) return undefined;
      given.push([key, JSON.stringify(tree), "json"]);
    } else given.push(kind === undefined ? [key, text] : [key, text, kind]);
  }
  return given;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
