/** The handed cases as stages that can be resumed. The same on every runtime. */
import { JSONLParserStream } from "../../adapters/jsonl_parser.ts";
import { type ProviderName, resolveProvider } from "../../adapters/provider.ts";
import { SSEParserStream } from "../../adapters/sse_parser.ts";
import {
  DirectiveExtractorStream,
  FenceTrackerStream,
  SnippetExtractorStream,
  type Stage,
  standardPipeline,
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
} from "../../mod.ts";

/** A stage of whatever a case is about. */
export type AnyStage = Stage<unknown, unknown>;

type Options = Record<string, unknown>;

/** What a case is run by, made anew or from a snapshot. */
export function makeStage(
  area: string,
  given: Options,
  snapshot?: unknown,
): AnyStage {
  // deno-lint-ignore no-explicit-any
  const options: any = snapshot === undefined ? { ...given } : {
    ...given,
    snapshot,
  };
  switch (area) {
    case "salvage":
      return new ToolCallSalvagerStream(options).stage as AnyStage;
    case "fence":
      return new FenceTrackerStream(options).stage as AnyStage;
    case "directive": {
      const { directives, nesting, ...rest } = options;
      return new DirectiveExtractorStream({
        ...rest,
        directives: nesting === undefined ? directives : Object.fromEntries(
          (directives as string[]).map((name) => [name, { nesting }]),
        ),
      }).stage as AnyStage;
    }
    case "snippet":
      return new SnippetExtractorStream(options).stage as AnyStage;
    case "surrogate":
      return new SurrogateSanitizerStream(options).stage as AnyStage;
    case "pipeline": {
      const { tools, bare, dialects } = options;
      return standardPipeline({
        tools: tools ?? [],
        toolCalls: {
          ...(bare === undefined ? {} : { bare }),
          ...(dialects === undefined ? {} : { dialects }),
        },
        directives: ["log", "log_message", "think"],
        snippets: { guess: true },
        ...(snapshot === undefined ? {} : { snapshot: snapshot as unknown[] }),
      }).stage as AnyStage;
    }
    case "sse":
      return new SSEParserStream(options).stage as AnyStage;
    case "jsonl":
      return new JSONLParserStream(options).stage as AnyStage;
    case "provider": {
      const { provider, mergeChoices } = given;
      return resolveProvider(provider as ProviderName).create(
        mergeChoices === undefined
          ? {}
          : { mergeChoices: mergeChoices as boolean },
        snapshot,
      ) as AnyStage;
    }
    default:
      throw new Error(`no stage for area ${area}`);
  }
}

/** A snapshot to go on from, and what is left of the input. */
export interface Resumption {
  area: string;
  options: Options;
  /** Absent: from the beginning. */
  snapshot?: unknown;
  /** Characters, in one piece, or the events that are left. */
  rest: string | readonly unknown[];
}

/** What comes out from a snapshot on, as JSON; also when it fails. */
export function resumed({ area, options, snapshot, rest }: Resumption): string {
  const output: unknown[] = [];
  const emit = (one: unknown): void => {
    output.push(one);
  };
  const stage = makeStage(area, options, snapshot);
  finished(stage, typeof rest === "string" ? [rest] : rest, emit);
  return JSON.stringify(joined(output));
}

/** Goes on from many snapshots: JSON in, JSON out. */
export function resumedAll(input: string): string {
  return JSON.stringify(
    (JSON.parse(input) as Resumption[]).map((resumption) => {
      try {
        return resumed(resumption);
      } catch (error) {
        return `threw ${error}`;
      }
    }),
  );
}

/** Pushes inputs and ends; a failure is an output. */
export function finished(
  stage: AnyStage,
  inputs: readonly unknown[],
  emit: (output: unknown) => void,
): void {
  try {
    for (const input of inputs) stage.push(input, emit);
    stage.end(emit);
  } catch (error) {
    emit({ failed: (error as { code?: unknown }).code ?? String(error) });
  }
}

/** Neighbouring texts and deltas as one; strings too. */
export function joined(output: readonly unknown[]): unknown[] {
  const all: unknown[] = [];
  for (const one of output) {
    const last = all.at(-1);
    if (typeof one === "string" && typeof last === "string") {
      all[all.length - 1] = last + one;
      continue;
    }
    const [a, b] = [last, one] as Record<string, unknown>[];
    const type = b?.["type"];
    const key = type === "tool-input-delta" ? "delta" : "text";
    const id = type === "directive-delta"
      ? "id"
      : type === "tool-input-delta"
      ? "toolCallId"
      : undefined;
    if (
      (type === "text" || type === "reasoning" || id !== undefined) &&
      a?.["type"] === type && a?.["code"] === b?.["code"] &&
      (id === undefined || a?.[id] === b?.[id]) &&
      (type !== "text" ||
        b!["start"] === (a!["start"] as number) + String(a!["text"]).length)
    ) {
      all[all.length - 1] = { ...b, ...a, [key]: `${a![key]}${b![key]}` };
    } else all.push(one);
  }
  return all;
}
