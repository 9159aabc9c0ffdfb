import {
  type ServerSentEvent,
  SSEParserStream,
  type SSEParserStreamOptions,
} from "../../../adapters/sse_parser.ts";
import { StreamError } from "../../../adapters/stream_error.ts";
import { toReadableStream } from "../../../mod.ts";
import type { AreaRunner } from "./area_runner.ts";
import { difference, equal } from "./text_case.ts";
import { type WireChunk, wireCuttings, written } from "./wire_case.ts";

/** What a run told, in the words of the cases. */
interface Told {
  events: { event: string; data: string; id?: string }[];
  lastEventIds: string[];
  retry: number[];
  warnings: string[];
  error?: string;
}

function recorder(options: Record<string, unknown>) {
  const told: Told = { events: [], lastEventIds: [], retry: [], warnings: [] };
  const stream = new SSEParserStream({
    ...(options as SSEParserStreamOptions),
    onRetry: (milliseconds) => told.retry.push(milliseconds),
    onWarning: ({ code }) => told.warnings.push(code),
  });
  const event = ({ lastEventId, ...rest }: ServerSentEvent): void => {
    told.events.push(rest);
    told.lastEventIds.push(lastEventId);
  };
  const fail = (error: unknown): void => {
    told.error = error instanceof StreamError ? error.code : String(error);
  };
  return { told, stream, event, fail };
}

function pushed(chunks: WireChunk[], options: Record<string, unknown>): Told {
  const { told, stream, event, fail } = recorder(options);
  try {
    for (const chunk of chunks) stream.stage.push(chunk, event);
    stream.stage.end(event);
  } catch (error) {
    fail(error);
  }
  return told;
}

async function piped(
  chunks: WireChunk[],
  options: Record<string, unknown>,
): Promise<Told> {
  const { told, stream, event, fail } = recorder(options);
  const reader = toReadableStream(chunks).pipeThrough(stream).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      event(value);
    }
  } catch (error) {
    fail(error);
  }
  return told;
}

export const run: AreaRunner = async (line) => {
  const { given, all } = wireCuttings(line.input);
  const { warning, ...expected } = written(line.expect, line.input) as Record<
    string,
    unknown
  >;
  const check = (told: Told): string | undefined => {
    const error = expected["error"];
    if (!equal(told.error, error)) {
      return difference("error", told.error, error);
    }
    for (const key of ["events", "lastEventIds", "retry"] as const) {
      if (key in expected && !equal(told[key], expected[key])) {
        return difference(key, told[key], expected[key]);
      }
    }
    if (warning !== undefined && !told.warnings.includes(String(warning))) {
      return difference("warning", told.warnings, warning);
    }
    return undefined;
  };
  for (const chunks of all) {
    const why = check(pushed(chunks, line.options));
    if (why !== undefined) return { status: "failed", why };
  }
  const why = check(await piped(given, line.options));
  if (why !== undefined) {
    return { status: "failed", why: `as a stream: ${why}` };
  }
  return { status: "passed" };
};
