import { describe, expect, test } from "vitest";
import {
  DirectiveExtractorStream,
  FenceTrackerStream,
  type Part,
  SnippetExtractorStream,
  type StageStream,
  standardPipeline,
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
} from "../../mod.ts";

const tools = [{ name: "read" }];
const directives = ["log"];

const STAGES: Readonly<Record<string, () => unknown>> = {
  sanitizer: () => new SurrogateSanitizerStream(),
  fence: () => new FenceTrackerStream(),
  "fence, loose": () => new FenceTrackerStream({ mode: "loose" }),
  "fence, commonmark": () => new FenceTrackerStream({ mode: "commonmark" }),
  directive: () => new DirectiveExtractorStream({ directives }),
  "directive behind a tracker": () =>
    new DirectiveExtractorStream({ directives, trackFences: false }),
  container: () =>
    new DirectiveExtractorStream({ directives, dialect: "container" }),
  salvager: () => new ToolCallSalvagerStream({ tools }),
  "salvager, bare": () =>
    new ToolCallSalvagerStream({ tools, bare: "line-start" }),
  snippet: () => new SnippetExtractorStream(),
  "snippet behind a tracker": () =>
    new SnippetExtractorStream({ trackFences: false }),
  standard: () => standardPipeline({ tools, directives }),
};

/** Chunks of prose, none of which ends with what could be the beginning of markup. */
const PROSE = [
  "Hello there",
  "more words, and more",
  "a line\nand another",
  " `x` y",
  "and <b>bold</b> it",
  "\n- item\n- item",
  "\n\nA new paragraph ",
  "with 2 > 1 and a \\` tick, a ~ and a {brace}",
];

/** What a stage gives for each of these parts, without the end. */
function outputs(
  stream: StageStream<string | Part, Part>,
  inputs: readonly Part[],
): Part[][] {
  return inputs.map((input) => {
    const parts: Part[] = [];
    stream.stage.push(input, (part) => parts.push(part));
    return parts;
  });
}

describe("text in which nothing is found leaves as the object it came as", () => {
  for (const [name, make] of Object.entries(STAGES)) {
    test(name, () => {
      let start = 0;
      const inputs = PROSE.map((text): Part => {
        const part: Part = { type: "text", text, start };
        start += text.length;
        return part;
      });
      const stream = make() as StageStream<string | Part, Part>;
      for (const [at, parts] of outputs(stream, inputs).entries()) {
        expect([at, parts.length, parts[0] === inputs[at]])
          .toEqual([at, 1, true]);
      }
    });
  }

  test("marked text behind a tracker, too", () => {
    const tracked: Part[] = [];
    const tracker = new FenceTrackerStream();
    for (const text of ["Look:\n\n", "```ts\n", "<log>x</log>\n", "more\n"]) {
      tracker.stage.push(text, (part) => tracked.push(part));
    }
    expect(tracked.map((part) => part.type))
      .toEqual(["text", "fence-start", "text", "text", "text"]);
    for (
      const stream of [
        new DirectiveExtractorStream({ directives, trackFences: false }),
        new SnippetExtractorStream({ trackFences: false }),
      ]
    ) {
      for (const [at, parts] of outputs(stream, tracked).entries()) {
        expect([at, parts.length, parts[0] === tracked[at]])
          .toEqual([at, 1, true]);
      }
    }
  });
});
