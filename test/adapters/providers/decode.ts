import type { Provider, ProviderOptions } from "../../../adapters/provider.ts";
import { type Collected, collectParts, type Part } from "../../../mod.ts";

/** Decodes events; a string is passed as it is, everything else as JSON. */
export function decodeWith(
  provider: Provider,
  events: readonly unknown[],
  options: ProviderOptions = {},
): Collected & { parts: Part[]; raws: unknown[] } {
  const stage = provider.create(options);
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  for (const event of events) {
    stage.push({
      data: typeof event === "string" ? event : JSON.stringify(event),
    }, emit);
  }
  stage.end(emit);
  const raws = parts.filter((part) => part.type === "raw").map((part) =>
    part.value
  );
  return { ...collectParts(parts), parts, raws };
}
