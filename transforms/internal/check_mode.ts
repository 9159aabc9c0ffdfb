const MODES: readonly unknown[] = ["commonmark", "tolerant", "loose"];

/** Refuses a way to find fences that there is not. Throws a `TypeError`. */
export function checkMode(mode: unknown): void {
  if (mode !== undefined && !MODES.includes(mode)) {
    throw new TypeError(
      `Cannot find fences in mode "${mode}": use "commonmark", "tolerant" or "loose"`,
    );
  }
}
