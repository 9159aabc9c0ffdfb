import type { Intent } from "../intent_policy.ts";
import { compileGlobs } from "./glob.ts";

/**
 * Reads what `.orchestration/active_intents.yaml` holds: a list of intents,
 * or an object with one under `active_intents` or `intents`. Throws a `TypeError` that
 * says what is wrong and where.
 */
export function parseIntents(value: unknown): Intent[] {
  const list = Array.isArray(value)
    ? value
    : isFields(value)
    ? value["active_intents"] ?? value["intents"]
    : undefined;
  if (!Array.isArray(list)) {
    throw new TypeError(
      'Cannot read the intents: there is no list under "active_intents"',
    );
  }
  const intents = list.map(parseIntent);
  for (const [index, { id }] of intents.entries()) {
    if (intents.findIndex((one) => one.id === id) !== index) {
      throw new TypeError(`Cannot read the intents: "${id}" is in them twice`);
    }
  }
  return intents;
}

function parseIntent(value: unknown, index: number): Intent {
  const where = `intent ${index}`;
  if (!isFields(value)) {
    throw new TypeError(`Cannot read the intents: ${where} is no object`);
  }
  const ownedScope = textsOf(value["owned_scope"], `owned_scope of ${where}`);
  // A pattern that cannot be read is told now, not when a write is stopped by it.
  compileGlobs(ownedScope);
  return {
    id: textOf(value["id"], `id of ${where}`),
    ...value["name"] === undefined || value["name"] === null
      ? {}
      : { name: textOf(value["name"], `name of ${where}`) },
    status: textOf(value["status"], `status of ${where}`),
    ownedScope,
    constraints: textsOf(value["constraints"], `constraints of ${where}`),
    acceptanceCriteria: textsOf(
      value["acceptance_criteria"],
      `acceptance_criteria of ${where}`,
    ),
  };
}

function textOf(value: unknown, what: string): string {
  if (typeof value === "string" && value !== "") return value;
  // YAML reads an id like 42 as a number.
  if (typeof value === "number") return String(value);
  throw new TypeError(`Cannot read the intents: the ${what} is no text`);
}

function textsOf(value: unknown, what: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    throw new TypeError(`Cannot read the intents: the ${what} are no list`);
  }
  return value.map((one) => textOf(one, what));
}

function isFields(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
