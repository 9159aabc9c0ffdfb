import type { Dialect } from "../dialect.ts";
import { dialects } from "../dialects/mod.ts";
import type { Schema, Tool } from "../schema.ts";
import type { ToolCallSalvagerStreamOptions } from "../tool_call_salvager.ts";
import { checkDialect } from "./check_dialect.ts";
import { CompiledForm } from "./compiled_form.ts";
import { OfferedTools } from "./offered_tools.ts";
import { OpenerTable } from "./opener_table.ts";
import {
  type ReasoningTag,
  reasoningTag,
  reasoningTags,
} from "./reasoning_tags.ts";
import { SalvagerStage } from "./salvager_stage.ts";
import { resumed } from "./snapshot.ts";

/** What a model's stray word before a bare call usually is. */
const LEAD_IN: readonly string[] = ["count", "court", "call", "course", "sure"];

/** Compiled forms, so that a stream is cheap to make. */
const compiled: WeakMap<Dialect, CompiledForm[]> = new WeakMap();

/** Tables by forms and names: the same tools come with every answer of a conversation. */
const tables: WeakMap<readonly CompiledForm[], Map<string, OpenerTable>> =
  new WeakMap();
const MOST_TABLES = 64;

/** Checks the options and makes the machine of a `ToolCallSalvagerStream`. */
export function makeSalvagerStage(
  options: ToolCallSalvagerStreamOptions,
): SalvagerStage {
  checkOptions(options);
  const prefix = options.idPrefix ?? "call_";
  const tools = new OfferedTools(
    toolsOf(options.tools ?? []),
    options.repairJson,
  );
  const forms = formsOf(options.dialects ?? "auto");
  const { startInside } = options;
  const reasoning = reasoningTags(options.reasoning);
  const parameters = {
    tools,
    forms,
    openers: openersOf(forms, tools, reasoning),
    bare: options.bare === "line-start",
    leadIn: leadInOf(options.leadIn ?? LEAD_IN),
    startInside: startInside === undefined
      ? undefined
      : reasoningTag(startInside)[1],
    reasoning: reasoning.map(([, closer]) => closer),
    reasoningNames: options.reasoning,
    afterNativeCall: options.afterNativeCall ?? "on",
    progress: options.progress ?? false,
    generateId: options.generateId ?? ((index) => `${prefix}${index}`),
    candidateLimit: limitOf(
      "maxCandidateLength",
      options.maxCandidateLength ?? 65_536,
    ),
    valueLimit: limitOf(
      "maxValueLength",
      options.maxValueLength ?? 1_048_576,
    ),
  };
  return resumed(
    options.snapshot,
    (snapshot) => new SalvagerStage(parameters, snapshot),
  );
}

/** Refuses what would be noticed late, or never. The rest is checked where it is used. */
function checkOptions(options: ToolCallSalvagerStreamOptions): void {
  const { bare, afterNativeCall, generateId, repairJson, startInside } =
    options;
  checkWord("bare", bare, "never", "line-start");
  checkWord("afterNativeCall", afterNativeCall, "on", "off");
  checkKind("generateId", generateId, "function");
  checkKind("repairJson", repairJson, "function");
  checkKind("startInside", startInside, "string");
  checkWords("leadIn", options.leadIn);
  checkWords("reasoning", options.reasoning);
  if (options.dialects !== "auto") checkList("dialects", options.dialects);
}

function checkWord(
  name: string,
  value: unknown,
  ...words: readonly [string, string]
): void {
  if (value !== undefined && !words.includes(value as string)) {
    throw new TypeError(
      `Cannot use ${name} "${value}": it is "${words[0]}" or "${words[1]}"`,
    );
  }
}

function checkKind(name: string, value: unknown, kind: string): void {
  if (value !== undefined && typeof value !== kind) {
    throw new TypeError(`Cannot use ${name} "${value}": it is no ${kind}`);
  }
}

function checkList(name: string, value: unknown): void {
  if (value !== undefined && !Array.isArray(value)) {
    throw new TypeError(`Cannot use ${name} "${value}": it is no list`);
  }
}

function checkWords(name: string, value: unknown): void {
  checkList(name, value);
  for (const word of (value ?? []) as readonly unknown[]) {
    checkKind(name, word, "string");
  }
}

/** What to look for, with the form's index; reasoning tags count from -1 down. */
function openersOf(
  forms: readonly CompiledForm[],
  tools: OfferedTools,
  reasoning: readonly ReasoningTag[],
): OpenerTable {
  const names = [...tools.schemas.keys()];
  let known = tables.get(forms);
  if (known === undefined || known.size >= MOST_TABLES) {
    tables.set(forms, known = new Map());
  }
  const key = JSON.stringify([names, reasoning]);
  let table = known.get(key);
  if (table === undefined) {
    table = new OpenerTable([
      ...forms.flatMap((compiled, index) =>
        compiled.form.position === "message"
          ? []
          : compiled.openings(names).map((opening) => [opening, index] as const)
      ),
      ...reasoning.map(([opener], index) => [opener, -1 - index] as const),
    ]);
    known.set(key, table);
  }
  return table;
}

function toolsOf(
  tools: NonNullable<ToolCallSalvagerStreamOptions["tools"]>,
): ReadonlyMap<string, Schema | undefined> {
  const schemas = new Map<string, Schema | undefined>();
  if (typeof tools !== "object") {
    throw new TypeError(
      "Cannot salvage calls: tools is neither a list nor schemas by name",
    );
  }
  const entries = Array.isArray(tools)
    ? (tools as readonly Tool[]).map(({ name, inputSchema }) =>
      [name, inputSchema] as const
    )
    : Object.entries(tools as Readonly<Record<string, Schema | undefined>>);
  for (const [name, schema] of entries) {
    if (typeof name !== "string" || name === "") {
      throw new TypeError("Cannot salvage calls: a tool has no name");
    }
    if (schemas.has(name)) {
      throw new TypeError(
        `Cannot salvage calls: there are two tools "${name}"`,
      );
    }
    schemas.set(name, schema);
  }
  return schemas;
}

/** Forms by the names that were wanted. */
const lists: Map<string, readonly CompiledForm[]> = new Map();
const MOST_LISTS = 64;

function formsOf(
  wanted: NonNullable<ToolCallSalvagerStreamOptions["dialects"]>,
): readonly CompiledForm[] {
  const all = wanted === "auto" ? ["auto"] : wanted;
  if (!all.every((one) => typeof one === "string")) return listForms(all);
  const key = all.join("\n");
  let forms = lists.get(key);
  if (forms === undefined) {
    if (lists.size >= MOST_LISTS) lists.clear();
    lists.set(key, forms = listForms(all));
  }
  return forms;
}

function listForms(wanted: readonly (string | Dialect)[]): CompiledForm[] {
  const forms = new Set<CompiledForm>();
  for (const one of wanted) {
    if (one === "auto") {
      for (const dialect of dialects) {
        for (const form of compile(dialect)) {
          if (!form.form.named) forms.add(form);
        }
      }
      continue;
    }
    const dialect = typeof one === "string"
      ? dialects.find(({ name }) => name === one)
      : one;
    if (dialect === undefined) {
      throw new RangeError(
        `Cannot salvage calls: there is no dialect "${one}"; known are "auto", ${
          dialects.map(({ name }) => `"${name}"`).join(", ")
        }`,
      );
    }
    for (const form of compile(dialect)) forms.add(form);
  }
  return [...forms];
}

function compile(dialect: Dialect): CompiledForm[] {
  let forms = compiled.get(dialect);
  if (forms === undefined) {
    const isBuiltIn = dialects.includes(dialect);
    if (!isBuiltIn) checkDialect(dialect);
    forms = dialect.forms.map((form) => new CompiledForm(dialect.name, form));
    // What is wrong with a dialect of somebody else has to show now.
    if (!isBuiltIn) forms.forEach((form) => form.program);
    compiled.set(dialect, forms);
  }
  return forms;
}

function leadInOf(words: readonly string[]): readonly string[] {
  const wrong = words.find((word) =>
    word === "" || word.length > 14 || /[\r\n]/.test(word)
  );
  if (wrong !== undefined) {
    throw new RangeError(
      `Cannot use "${wrong}" as leadIn: a word has 1 to 14 characters on one line`,
    );
  }
  return words;
}

function limitOf(name: string, limit: number): number {
  if (!(limit > 0)) {
    throw new RangeError(`Cannot use ${name} "${limit}": it must be above 0`);
  }
  return limit;
}
