import {
  JSONLParserStream,
  type JSONLParserStreamOptions,
  type JSONLRecord,
} from "../../../adapters/jsonl_parser.ts";
import { toReadableStream } from "../../../mod.ts";
import type { AreaRunner } from "./area_runner.ts";
import { difference, equal } from "./text_case.ts";
import { type WireChunk, wireCuttings, written } from "./wire_case.ts";

/** What a run told, in the words of the cases. */
interface Told {
  values: unknown[];
  errorKinds: string[];
  throws: boolean;
}

function add(told: Told, record: JSONLRecord): void {
  if (record.ok) told.values.push(record.value);
  else told.errorKinds.push(record.kind);
}

function pushed(
  chunks: WireChunk[],
  options: JSONLParserStreamOptions,
): Told {
  const told: Told = { values: [], errorKinds: [], throws: false };
  const { stage } = new JSONLParserStream(options);
  const emit = (record: JSONLRecord): void => add(told, record);
  try {
    for (const chunk of chunks) stage.push(chunk, emit);
    stage.end(emit);
  } catch {
    told.throws = true;
  }
  return told;
}

async function piped(
  chunks: WireChunk[],
  options: JSONLParserStreamOptions,
): Promise<Told> {
  const told: Told = { values: [], errorKinds: [], throws: false };
  const reader = toReadableStream(chunks)
    .pipeThrough(new JSONLParserStream(options)).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      add(told, value);
    }
  } catch {
    told.throws = true;
  }
  return told;
}

export const run: AreaRunner = async (line) => {
  const { errors, errorKinds, throws } = line.expect;
  const values = written(line.expect["values"], line.input);
  const check = (told: Told): string | undefined => {
    if (values !== undefined && !equal(own(told.values), values)) {
      return difference("values", told.values, values);
    }
    if (told.throws !== (throws ?? false)) {
      return difference("throws", told.throws, throws ?? false);
    }
    if (errors !== undefined && told.errorKinds.length !== errors) {
      return difference("errors", told.errorKinds, errors);
    }
    if (errorKinds !== undefined && !equal(told.errorKinds, errorKinds)) {
      return difference("errorKinds", told.errorKinds, errorKinds);
    }
    if (({} as Record<string, unknown>)["admin"] !== undefined) {
      return "Object.prototype was changed";
    }
    return undefined;
  };
  const { given, all } = wireCuttings(line.input);
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

/** The values with their own keys, `__proto__` excepted. */
function own(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(own);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value).filter((key) => key !== "__proto__")
      .map((key) => [key, own((value as Record<string, unknown>)[key])]),
  );
}
