import {
  type AnyTransform,
  DirectiveExtractorStream,
  type Part,
  pipeline,
  SurrogateSanitizerStream,
  type Tool,
  ToolCallSalvagerStream,
} from "../../../mod.ts";

/** Puts the stages that a case's options ask for behind an adapter. */
export function behind(
  parts: ReadableStream<Part>,
  options: Record<string, unknown>,
): ReadableStream<Part> {
  const stages: AnyTransform[] = [];
  if (options["sanitize"] === true) stages.push(new SurrogateSanitizerStream());
  if (options["salvage"] === true) {
    stages.push(
      new ToolCallSalvagerStream({ tools: (options["tools"] ?? []) as Tool[] }),
    );
  }
  if (options["reasoningTags"] !== undefined) {
    stages.push(
      new DirectiveExtractorStream({
        directives: Object.fromEntries(
          (options["reasoningTags"] as string[]).map((name) => [
            name,
            { as: "reasoning" as const },
          ]),
        ),
      }),
    );
  }
  if (stages.length === 0) return parts;
  return parts.pipeThrough(
    pipeline(...stages as [AnyTransform, ...AnyTransform[]]) as TransformStream<
      Part,
      Part
    >,
  );
}
