/** A JSON object, of which nothing is known. */
export type JSONObject = Record<string, unknown>;

/** Whether a value is an object with keys: not null, not an array. */
export function isObject(value: unknown): value is JSONObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value when it is a string, else `""`. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value when it is a non-empty string, else nothing: many servers send `""` or `null` for "absent". */
export function wordOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value when it is an object, else nothing. */
export function objectOf(value: unknown): JSONObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The value when it is an array, else an empty one. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NONE;
}

const NONE: readonly unknown[] = [];

/** The value when it is a finite number, else nothing. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value)
    ? value
    : undefined;
}

/** Whether there is nothing in it: null, `""`, `[]`, `{}`. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (typeof value !== "object") return false;
  for (const _ in value) return false;
  return true;
}

/** Keys further behind than this are looked up, not remembered. */
const MOST_KEYS = 64;

/**
 * Keys that a decoder knows. Objects of one wire nearly always have the same keys
 * in the same order, so the last order is tried first: comparing two keys takes a
 * fraction of the time of looking one up.
 */
export class KnownKeys {
  readonly #keys: ReadonlySet<string>;
  readonly #order: string[] = [];

  constructor(keys: readonly string[]) {
    this.#keys = new Set(keys);
  }

  /** Whether an object has another key, with something in it. */
  hasOther(object: JSONObject): boolean {
    const order = this.#order;
    let index = -1;
    for (const key in object) {
      index++;
      if (order[index] === key) continue;
      if (this.#keys.has(key)) {
        if (index < MOST_KEYS) order[index] = key;
      } else if (!isEmpty(object[key])) return true;
    }
    return false;
  }
}

/**
 * `JSON.stringify` that never throws: `undefined` for what has no JSON text, and
 * for what is nested so deep that the runtime cannot write it. (It can read it.)
 */
export function toJSON(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Sets a key of the object itself, also one called `__proto__`. */
export function define(object: JSONObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

/**
 * JSON as one line, whoever reads it: some take U+2028 and U+2029, which JSON
 * leaves as they are, for line ends (Node's `readline`, Python's `splitlines`).
 */
export function oneLine(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
