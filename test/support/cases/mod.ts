import type { AreaRunner } from "./area_runner.ts";
import { run as directive } from "./directive.ts";
import { run as fence } from "./fence.ts";
import { run as jsonl } from "./jsonl.ts";
import { run as provider } from "./provider.ts";
import { run as salvage } from "./salvage.ts";
import { run as snippet } from "./snippet.ts";
import { run as sse } from "./sse.ts";
import { run as surrogate } from "./surrogate.ts";
import { run as truncate } from "./truncate.ts";
import { run as vscodeLm } from "./vscode_lm.ts";

/** The runner of each area. */
export const areas: Readonly<Record<string, AreaRunner>> = {
  directive,
  fence,
  jsonl,
  provider,
  salvage,
  snippet,
  sse,
  surrogate,
  truncate,
  "vscode-lm": vscodeLm,
};
