/** Short forms for tests of the salvager. */
import {
  parse,
  type Part,
  type PartOf,
  ToolCallSalvagerStream,
  type ToolCallSalvagerStreamOptions,
} from "../../mod.ts";
import { textOf } from "../laws.ts";
import { TOOLS } from "./salvage_alphabet.ts";

/** What came of a text. */
export interface Salvaged {
  /** The calls: name and arguments. */
  calls: [name: string, input: unknown][];
  /** What stayed text. */
  text: string;
  /** The codes of the warnings. */
  codes: string[];
  /** Markup of the calls. */
  raws: string[];
  parts: Part[];
}

/** Salvages a text, with the tools of the alphabet unless others are given. */
export function salvage(
  text: string,
  options: ToolCallSalvagerStreamOptions = {},
): Salvaged {
  return summary(
    parse(text, new ToolCallSalvagerStream({ tools: TOOLS, ...options })),
  );
}

/** The same for parts that are there already. */
export function summary(parts: Part[]): Salvaged {
  const calls = callsOf(parts);
  return {
    calls: calls.map((call) => [call.toolName, call.input]),
    text: textOf(parts),
    codes: parts.flatMap((part) => part.type === "warning" ? [part.code] : []),
    raws: calls.map((call) => call.raw),
    parts,
  };
}

/** The salvaged calls among parts. */
export function callsOf(
  parts: readonly Part[],
): Extract<PartOf<"tool-call">, { origin: "salvaged" }>[] {
  return parts.flatMap((part) =>
    part.type === "tool-call" && part.origin === "salvaged" ? [part] : []
  );
}

/** `<invoke>` with parameters, each on its line. */
export function invoke(
  name: string,
  parameters: Readonly<Record<string, string>> = {},
  prefix = "",
): string {
  const lines = Object.entries(parameters).map(([key, value]) =>
    `<${prefix}parameter name="${key}">${value}</${prefix}parameter>\n`
  );
  return `<${prefix}invoke name="${name}">\n${
    lines.join("")
  }</${prefix}invoke>`;
}

/** Calls in Claude's wrapper, each on its line. */
export function wrapped(...calls: readonly string[]): string {
  return `<function_calls>\n${calls.join("\n")}\n</function_calls>`;
}

/** What a text in the message's channel gives with parts between. */
export function run(
  inputs: readonly (string | Part)[],
  options: ToolCallSalvagerStreamOptions = {},
): Part[] {
  const { stage } = new ToolCallSalvagerStream({ tools: TOOLS, ...options });
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  for (const input of inputs) stage.push(input, emit);
  stage.end(emit);
  return parts;
}
