import {
  DirectiveExtractorStream,
  FenceTrackerStream,
  type Part,
  pipeline,
  SnippetExtractorStream,
  type StageStream,
  standardPipeline,
  SurrogateSanitizerStream,
  type Tool,
  ToolCallSalvagerStream,
  toReadableStream,
} from "../mod.ts";

/** The tools that the corpus calls. */
export const tools: readonly Tool[] = [{
  name: "read_file",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" } },
  },
}];

/** A stream with a stage inside, from text to parts. */
export type PartStream = StageStream<string | Part, Part>;

/** The five stages as one. */
export function fused(): PartStream {
  return standardPipeline({ tools, directives: ["note"] });
}

/** The five stages, in the standard order, each as its own stream. */
export function five(): PartStream[] {
  return [
    pipeline(new SurrogateSanitizerStream()) as unknown as PartStream,
    new ToolCallSalvagerStream({ tools }),
    new FenceTrackerStream(),
    new DirectiveExtractorStream({ directives: ["note"], trackFences: false }),
    new SnippetExtractorStream({ trackFences: false }),
  ];
}

/** Each stage alone. */
export const stages: Readonly<Record<string, () => PartStream>> = {
  "sanitizer": () =>
    pipeline(new SurrogateSanitizerStream()) as unknown as PartStream,
  "salvager": () => new ToolCallSalvagerStream({ tools }),
  "fence tracker": () => new FenceTrackerStream(),
  "directive extractor": () =>
    new DirectiveExtractorStream({ directives: ["note"] }),
  "snippet extractor": () => new SnippetExtractorStream(),
};

/** Reads a stream to its end. */
export async function drain(readable: ReadableStream<unknown>): Promise<void> {
  const reader = readable.getReader();
  while (!(await reader.read()).done);
}

/** Chunks through transforms, one after the other. */
export function piped(
  chunks: readonly string[],
  // deno-lint-ignore no-explicit-any
  ...streams: TransformStream<any, any>[]
): Promise<void> {
  return drain(
    streams.reduce(
      (readable: ReadableStream<unknown>, stream) =>
        readable.pipeThrough(stream),
      toReadableStream<unknown>(chunks),
    ),
  );
}

/** Chunks through a stage, without any stream. */
export function pushed(chunks: readonly string[], { stage }: PartStream): void {
  const ignore = (): void => {};
  for (const chunk of chunks) stage.push(chunk, ignore);
  stage.end(ignore);
}
