/** Shorter lists: a half left out, a quarter, …, one element. */
export function* shorterLists<Item>(
  items: readonly Item[],
): Generator<Item[]> {
  for (let size = items.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < items.length; at += size) {
      yield [...items.slice(0, at), ...items.slice(at + size)];
    }
  }
  if (items.length === 1) yield [];
}

/** Shorter texts: a half left out, a quarter, …, one code unit. */
export function* shorterTexts(text: string): Generator<string> {
  for (let size = text.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < text.length; at += size) {
      yield text.slice(0, at) + text.slice(at + size);
    }
  }
  if (text.length === 1) yield "";
}

/** Smaller JSON values: parts left out, strings shortened, at any depth. */
export function* smallerValues(value: unknown): Generator<unknown> {
  if (typeof value === "string") {
    yield* shorterTexts(value);
  } else if (Array.isArray(value)) {
    yield* shorterLists(value);
    for (const [index, item] of value.entries()) {
      for (const smaller of smallerValues(item)) {
        yield [...value.slice(0, index), smaller, ...value.slice(index + 1)];
      }
    }
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    for (const fewer of shorterLists(entries)) yield Object.fromEntries(fewer);
    for (const [key, item] of entries) {
      for (const smaller of smallerValues(item)) {
        yield { ...value, [key]: smaller };
      }
    }
  } else if (typeof value === "number" && value !== 0) yield 0;
}
