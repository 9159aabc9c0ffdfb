/**
 * A copy of an object with other values under some keys. Its class stays, and so
 * do its other own properties; private fields (`#name`) of a class do not.
 */
export function copyWith<Given extends object>(
  given: Given,
  changes: Iterable<readonly [key: string, value: unknown]>,
): Given {
  const descriptors = Object.getOwnPropertyDescriptors(given);
  // A frozen object's copy is free.
  for (const descriptor of Object.values(descriptors)) {
    descriptor.configurable = true;
    if ("value" in descriptor) descriptor.writable = true;
  }
  const copy = Object.create(
    Object.getPrototypeOf(given),
    descriptors,
  ) as Given;
  for (const [key, value] of changes) {
    if (key === "__proto__" || Object.hasOwn(copy, key)) {
      Object.defineProperty(copy, key, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    } else {
      // Not an own property: a class has an accessor for it.
      (copy as Record<string, unknown>)[key] = value;
    }
  }
  return copy;
}
