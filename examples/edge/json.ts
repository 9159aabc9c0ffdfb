/** A JSON object of which nothing is known yet. */
export type Fields = Record<string, unknown>;

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects in a list; none when it is no list. */
export function objectsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Whether there is no value. */
export function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** The fields that have a value. */
export function given(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !isNothing(value)),
  );
}
