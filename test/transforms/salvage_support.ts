/** Short forms for tests of the salvager. */
import {
  parse,
  type Part,
  type PartOf,
  ToolCallSalvagerStream,
  type ToolCallSalvagerStreamOptions,
} from "../../mod.ts";
import { expect } from "vitest";
import { checkChunkInvariance, checkConservation, textOf } from "../laws.ts";
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

/** What {@linkcode checkMarkup} is given. */
export interface Markup {
  /** The dialect's name. */
  dialect: string;
  /** A call of `read` with the path "a b", and nothing else. */
  call: string;
  /** A call of `now` without arguments. */
  empty?: string;
  /** Whether it counts only when the dialect is named. */
  named?: boolean;
  /** Whether it has to be the whole message. */
  whole?: boolean;
  /** Whether it has to be first on its line. */
  bare?: boolean;
  /** Whether a fence cannot hide it, since it is one. */
  fenced?: boolean;
}

/**
 * What holds for every markup: its call is found, alone and in text, in every
 * cutting; every prefix gives it or nothing; it stays text when the tool is
 * unknown or when it is quoted.
 */
export function checkMarkup(markup: Markup): void {
  const { call, dialect } = markup;
  const named = { dialects: [dialect] };
  const wanted = [["read", { path: "a b" }]];
  const around: [string, string][] = markup.whole
    ? [["", ""], ["\n", "\n"]]
    : markup.bare
    ? [["", ""], ["Hi.\n", "\nBye."]]
    : [["", ""], ["Hi: ", " Bye."]];
  for (const [before, after] of around) {
    const text = before + call + after;
    const found = salvage(text, named);
    expect(found.calls, text).toEqual(wanted);
    expect(found.text.replaceAll(/\s/g, "")).toBe(
      (before + after).replaceAll(/\s/g, ""),
    );
    expect(callsOf(found.parts)[0]!.dialect).toBe(dialect);
    checkConservation(text, found.parts);
    checkChunkInvariance(
      (snapshot) =>
        new ToolCallSalvagerStream({ tools: TOOLS, ...named, snapshot }),
      text,
    );
    expect(salvage(text).calls, text).toEqual(markup.named ? [] : wanted);
  }
  for (let length = 0; length < call.length; length++) {
    const { calls } = salvage(call.slice(0, length), named);
    if (calls.length > 0) expect(calls, `${length} of ${call}`).toEqual(wanted);
  }
  if (markup.empty !== undefined) {
    expect(salvage(markup.empty, named).calls, markup.empty).toEqual([
      ["now", {}],
    ]);
  }
  const unknown = call.replaceAll("read", "gone");
  expect(salvage(unknown, named), unknown).toMatchObject({
    calls: [],
    text: unknown,
  });
  const quoted = ["> " + call.replaceAll("\n", "\n> ")];
  if (!markup.fenced) quoted.push(`~~~~\n${call}\n~~~~\n`);
  if (!/[`\n]/.test(call)) quoted.push(`See \`${call}\`.`, `See "${call}".`);
  for (const text of quoted) {
    expect(salvage(text, named), text).toMatchObject({ calls: [], text });
  }
}

/** A recovered call. */
export const NOW_CALL: ReturnType<typeof callsOf>[number] = callsOf(
  salvage(wrapped(invoke("now"))).parts,
)[0]!;
