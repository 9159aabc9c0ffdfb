import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fromJSONL } from "../../adapters/jsonl.ts";
import { type ProviderName, resolveProvider } from "../../adapters/provider.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { collect } from "../../mod.ts";

interface Line {
  id: string;
  input: unknown;
  options: { provider: ProviderName; mergeChoices?: boolean };
}

for (const file of ["cases/provider", "cases_more/provider_more"]) {
  test(`${file}: "auto" reads what the provider by its name reads`, async () => {
    const url = new URL(`../${file}.jsonl`, import.meta.url);
    const lines = readFileSync(url, "utf8").trim().split("\n")
      .map((line): Line => JSON.parse(line));
    for (const { id, input, options } of lines) {
      if (typeof input !== "string") continue;
      const from = resolveProvider(options.provider).transport === "jsonl"
        ? fromJSONL
        : fromSSE;
      const { mergeChoices } = options;
      const read = async (provider: ProviderName): Promise<unknown> => {
        const { warnings: _, ...rest } = await collect(
          from(input, { provider, mergeChoices }),
        );
        return rest;
      };
      expect(await read("auto"), id).toEqual(await read(options.provider));
    }
  });
}
