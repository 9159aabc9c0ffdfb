import type { Provider } from "../provider.ts";

/** All providers, in the order in which they are asked to detect a stream. */
export const providers: readonly Provider[] = [];
