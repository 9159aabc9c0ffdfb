import {
  type AnyTransform,
  DirectiveExtractorStream,
  FenceTrackerStream,
  parse,
  type Part,
  pipeline,
  readParts,
  sanitizeSurrogates,
  SnippetExtractorStream,
  standardPipeline,
  type StandardPipelineOptions,
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
  toReadableStream,
} from "../../../mod.ts";
import { TOOLS } from "../../transforms/salvage_alphabet.ts";
import { expectSame, type Subject } from "../subject.ts";
import {
  checkTextCase,
  randomTextCase,
  smallerTextCases,
  type TextCase,
  textCaseSize,
} from "./text_stage.ts";

/** What the standard pipeline is built with. */
const VARIANTS: Readonly<Record<string, StandardPipelineOptions>> = {
  full: { tools: TOOLS, directives: ["log", "note", "think"] },
  reasoning: {
    tools: TOOLS,
    toolCalls: { bare: "line-start" },
    directiveOptions: { reasoning: true },
    snippets: { guess: true },
  },
  commonmark: {
    tools: TOOLS,
    directives: { log: { fields: ["level", "message"] } },
    directiveOptions: { unclosed: "text" },
    fences: { mode: "commonmark", inline: "hold" },
  },
  "text-only": { snippets: false },
};

/** The five stages as streams of their own, in the standard order. */
export function fiveStages(): [
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
  FenceTrackerStream,
  DirectiveExtractorStream,
  SnippetExtractorStream,
] {
  return [
    new SurrogateSanitizerStream(),
    new ToolCallSalvagerStream({ tools: TOOLS }),
    new FenceTrackerStream(),
    new DirectiveExtractorStream({
      directives: ["log", "note", "think"],
      trackFences: false,
    }),
    new SnippetExtractorStream({ trackFences: false }),
  ];
}

/** Everything a stream gives. */
async function drained(readable: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  const reader = readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    parts.push(value);
  }
}

/**
 * Checks that the five stages give the same parts, one for one, as one stream,
 * as a chain of streams, read without streams, run at once, and as
 * {@linkcode standardPipeline} builds them.
 */
export async function checkForms(chunks: TextCase): Promise<void> {
  const at_once = parse(chunks, ...fiveStages());
  expectSame(
    "standardPipeline is the five stages",
    parse(
      chunks,
      standardPipeline({ tools: TOOLS, directives: ["log", "note", "think"] }),
    ),
    at_once,
  );
  expectSame(
    "A fused pipeline is the same as running at once",
    await drained(
      toReadableStream(chunks).pipeThrough(pipeline(...fiveStages())),
    ),
    at_once,
  );
  const chained = fiveStages().reduce<ReadableStream<string | Part>>(
    (upstream, stage) => upstream.pipeThrough(stage as AnyTransform),
    toReadableStream(chunks),
  );
  expectSame(
    "A chain of streams is the same as running at once",
    await drained(chained as ReadableStream<Part>),
    at_once,
  );
  const read: Part[] = [];
  for await (const part of readParts(chunks, ...fiveStages())) read.push(part);
  expectSame("readParts is the same as running at once", read, at_once);
}

/** The standard pipeline, whole. */
export function pipelineSubjects(): Subject<TextCase>[] {
  return [
    ...Object.entries(VARIANTS).map((
      [variant, options],
    ): Subject<TextCase> => ({
      name: `pipeline/${variant}`,
      make: (random) => randomTextCase(random, "all"),
      check: (chunks) =>
        checkTextCase(
          (snapshot) =>
            standardPipeline(
              snapshot === undefined ? options : { ...options, snapshot },
            ),
          chunks,
          {
            expected: (text) => sanitizeSurrogates(text),
            costly: options.tools !== undefined,
          },
        ),
      shrink: smallerTextCases,
      size: textCaseSize,
    })),
    {
      name: "pipeline/forms",
      make: (random) => randomTextCase(random, "all"),
      check: checkForms,
      shrink: smallerTextCases,
      size: textCaseSize,
    },
  ];
}
