import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import type { Figure, Run, Table } from "../table.ts";

/** What is imported, from where, and how many KB it may be. */
const ENTRIES: readonly [name: string, from: string, target?: number][] = [
  ["*", "mod.ts"],
  ["standardPipeline", "mod.ts", 20],
  ["SurrogateSanitizerStream", "mod.ts", 5],
  ["FenceTrackerStream", "mod.ts", 5],
  ["DirectiveExtractorStream", "mod.ts", 5],
  ["ToolCallSalvagerStream", "mod.ts", 5],
  ["SnippetExtractorStream", "mod.ts", 5],
  ["fromSSE", "adapters/sse.ts"],
];

/** How large bundles are. */
export async function size({ runtime }: Run): Promise<Table[]> {
  const figures: Figure[] = [];
  for (const [name, from, target] of ENTRIES) {
    const text = await bundled(name, from);
    figures.push({
      name: name === "*" ? `everything in ${from}` : name,
      value: gzipSync(text).length / 1_000,
      note: `${(text.length / 1_000).toFixed(1)} KB minified`,
      ...(target === undefined ? {} : { target }),
    });
  }
  return [{
    id: "size",
    title: "Bundles",
    unit: "KB, minified and compressed by gzip",
    about: `${runtime}, rolldown: npm run bench -- --only size`,
    figures,
  }];
}

/** Minified code of a module that imports one thing. */
async function bundled(name: string, from: string): Promise<string> {
  const path = fileURLToPath(new URL(`../../${from}`, import.meta.url));
  const names = name === "*" ? name : `{ ${name} }`;
  const build = await rolldown({
    input: "entry",
    platform: "neutral",
    plugins: [{
      name: "entry",
      resolveId: (id) => id === "entry" ? id : null,
      load: (id) =>
        id === "entry" ? `export ${names} from ${JSON.stringify(path)};` : null,
    }],
    resolve: { mainFields: ["module", "main"] },
    logLevel: "warn",
  });
  const { output } = await build.generate({ format: "esm", minify: true });
  await build.close();
  return output[0].code;
}
