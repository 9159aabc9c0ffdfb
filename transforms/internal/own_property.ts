/**
 * Sets an own property under any name. A plain assignment to `__proto__` would
 * change the object's prototype instead.
 */
export function setOwn(object: object, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else (object as Record<string, unknown>)[key] = value;
}
