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

/** Whether an object has a key with something in it that is not in the list. */
export function hasOtherKey(
  object: JSONObject,
  known: ReadonlySet<string>,
): boolean {
  for (const key in object) {
    if (!known.has(key) && !isEmpty(object[key])) return true;
  }
  return false;
}

/** `JSON.stringify` for values that came from `JSON.parse`; `""` for anything that has no JSON. */
export function toJSON(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
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
