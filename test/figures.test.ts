/** Whether the figures that the pages tell are those of `bench/results`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./support/public_files.ts";

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The values of one table of results, by name. */
function results(id: string): Map<string, number> {
  const { figures } = JSON.parse(read(`bench/results/${id}.json`)) as {
    figures: { name: string; value: number }[];
  };
  return new Map(figures.map(({ name, value }) => [name, value]));
}

/** What a page says of one subject, by the first cell of its rows. */
function rowOf(page: string, first: string): number[] {
  const cells = page.split("\n").map((line) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim())
  ).find(([cell]) => cell === first);
  if (cells === undefined) throw new Error(`There is no row "${first}"`);
  return cells.slice(1).map(Number);
}

/** As the pages tell it: in two digits. */
function rounded(value: number | undefined): number {
  if (value === undefined) throw new Error("There is no such figure");
  return Number(value.toPrecision(2));
}

/** A page as one line. */
function flat(page: string): string {
  return read(page).replace(/\s+/g, " ");
}

const COSTS: Readonly<Record<string, string>> = {
  "by synchronous push": "five stages, push",
  "by `readParts`, no stream": "five stages, readParts",
  "fused into one stream": "five stages, fused",
  "as five streams": "five stages, chained",
  "(five identity streams)": "five identity TransformStreams",
};

const PEERS: Readonly<Record<string, string>> = {
  "millrace, five stages by push": "millrace: five stages, push",
  "millrace, fence tracker alone": "millrace: fence tracker, push",
  "millrace, directive extractor alone": "millrace: directive extractor, push",
  "millrace, salvager alone": "millrace: salvager, push",
  "htmlparser2, `write`: tags": "htmlparser2, write",
  "sax, `write`: tags": "sax, write",
  "streaming-markdown, `parser_write`: Markdown":
    "streaming-markdown, parser_write",
  "`@ai-sdk-tool/parser`, hermes: one dialect, a stream":
    "@ai-sdk-tool/parser hermes, a stream",
  "`ai` extractReasoningMiddleware: one tag, a stream":
    "ai extractReasoningMiddleware, a stream",
  "`ai` smoothStream: words, a stream": "ai smoothStream, a stream",
  "micromark, whole message at once": "micromark, whole message at once",
  "one identity `TransformStream`": "one identity TransformStream",
};

describe("the figures", () => {
  test("of the README's costs", () => {
    const tables = [4, 20, 1024].map((size) => results(`streams-${size}.node`));
    for (const [row, name] of Object.entries(COSTS)) {
      expect([row, ...rowOf(read("README.md"), row)]).toEqual([
        row,
        ...tables.map((table) => rounded(table.get(name))),
      ]);
    }
    const of = (id: string, name: string) => results(id).get(name)!;
    const [workerd, deno, bun, held] = [
      of("workerd.node", "five stages, fused").toFixed(2),
      of("streams-20.deno", "five stages, fused").toFixed(1),
      of("streams-20.bun", "five stages, fused").toFixed(1),
      of("hold-back-20.node", "five stages").toFixed(2),
    ];
    expect(flat("README.md")).toContain(
      `In workerd the fused five are ${workerd} of an identity stream`,
    );
    expect(deno).toBe(bun);
    expect(flat("README.md")).toContain(`as much as Node's, ${deno}.`);
    expect(flat("README.md")).toContain(
      `a chunk ${held} characters are held back on average`,
    );
  });

  test("of the comparison with others", () => {
    const tables = [20, 65536].map((size) => results(`peers-${size}.node`));
    for (const [row, name] of Object.entries(PEERS)) {
      expect([row, ...rowOf(read("docs/comparison.md"), row)]).toEqual([
        row,
        ...tables.map((table) => rounded(table.get(name))),
      ]);
    }
  });

  test("of the page about costs", () => {
    const sizes = results("size.node");
    const of = (name: string) => Math.round(sizes.get(name)!);
    expect(flat("bench/README.md")).toContain(
      `about ${of("standardPipeline")} KB`,
    );
    expect(flat("bench/README.md")).toContain(
      `the sanitizer ${of("SurrogateSanitizerStream")}, the fence tracker ${
        of("FenceTrackerStream")
      }, snippets ${of("SnippetExtractorStream")}, directives ${
        of("DirectiveExtractorStream")
      }, the salvager ${of("ToolCallSalvagerStream")} KB`,
    );
    const node = results("streams-20.node");
    const two = (name: string) => node.get(name)!.toFixed(2);
    expect(flat("bench/README.md")).toContain(
      `fused five ${two("five stages, fused")} (1.25), push ${
        two("five stages, push")
      } (0.15), five own streams over five identity ones ${
        two("five stages, chained ÷ five identity TransformStreams")
      } (1.2)`,
    );
  });
});
