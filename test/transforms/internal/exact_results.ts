/**
 * Functions of `transforms/` with arguments and what they give: a table beside
 * the tests that say why. Most lines are arguments at which a small mistake in
 * the sources shows that nothing else had noticed.
 *
 * A line of exact_results.jsonl: `function`, `arguments`, and `result` or `throws`,
 * the message. What JSON cannot say is a text: "undefined", "NaN", "-0".
 *
 *     npx tsx test/transforms/internal/exact_results.ts
 *
 * writes the results anew. Read what it changes before you keep it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  FenceSplitterStream,
  fitToolResults,
  languageId,
  parse,
  sanitizeMessages,
  truncateMiddle,
} from "../../../mod.ts";
import {
  patchSnippets,
  patchText,
} from "../../../transforms/internal/apply_patch.ts";
import {
  convertArguments,
  convertJSON,
  convertText,
} from "../../../transforms/internal/convert_value.ts";
import {
  decodeEntities,
  halfEntity,
} from "../../../transforms/internal/decode_entities.ts";
import { readTagAttributes } from "../../../transforms/internal/directive_tag.ts";
import { parseGemmaArguments } from "../../../transforms/internal/gemma_notation.ts";
import { compileGlobs } from "../../../transforms/internal/glob.ts";
import { decodeInfo } from "../../../transforms/internal/info_string.ts";
import {
  JSONScanner,
  type Notation,
} from "../../../transforms/internal/json_scanner.ts";
import { parseLenientJSON } from "../../../transforms/internal/lenient_json.ts";
import {
  anchoredPath,
  bracketedRange,
} from "../../../transforms/internal/line_range.ts";
import { viewMessage } from "../../../transforms/internal/message_view.ts";
import { normalizePath } from "../../../transforms/internal/normalize_path.ts";
import { findPairFaults } from "../../../transforms/internal/pair_results.ts";
import { parseIntents } from "../../../transforms/internal/parse_intents.ts";
import * as paths from "../../../transforms/internal/path_like.ts";
import {
  parsePythonCalls,
  parsePythonLiteral,
} from "../../../transforms/internal/python_literal.ts";
import { searchReplaceRange } from "../../../transforms/internal/search_replace_range.ts";
import { pathWord } from "../../../transforms/internal/snippet_conventions/located_path.ts";
import { parseTagTree } from "../../../transforms/internal/tag_tree.ts";
import {
  builtInToolEdits,
  toolSnippets,
} from "../../../transforms/internal/tool_edits.ts";

/** Arguments and what they give. */
export interface ExactResult {
  function: string;
  arguments: unknown[];
  result?: unknown;
  throws?: string;
}

/** A scanner that reads one code unit after the other: how it stands behind each. */
function scan(text: string, notation: Notation): unknown {
  const scanner = new JSONScanner(undefined, notation);
  const strings: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const end = scanner.push(text[at]!, 0);
    if (scanner.inString) strings.push(at);
    if (scanner.failed) return { failed: at, strings };
    if (end >= 0) return { end: at + end, strings };
  }
  return { depth: scanner.depth, strings };
}

/**
 * Where a text is split, for every limit there can be: from which limit on, and
 * of each message the offset and the length.
 */
function splitsOf(text: string): unknown[] {
  const splits: [limit: number, messages: string][] = [];
  for (let limit = 32; limit <= text.length + 12; limit++) {
    const messages = parse(text, new FenceSplitterStream({ maxLength: limit }))
      .map((part) =>
        part.type === "text" ? `${part.start}+${part.text.length}` : part.type
      ).join(" ");
    if (messages !== splits.at(-1)?.[1]) splits.push([limit, messages]);
  }
  return splits;
}

/**
 * What results are shortened to, for every budget there can be: from which one
 * on, and what is left of each, and of all messages together.
 */
async function fitsOf(
  messages: object[],
  options: object,
): Promise<unknown[]> {
  const fits: [budget: number, lengths: string][] = [];
  const most = JSON.stringify(messages).length;
  for (let budget = 0; budget <= most; budget++) {
    let lengths: string;
    try {
      const { total, shortened } = await fitToolResults(messages, {
        count: (text) => text.length,
        ...options,
        budget,
      });
      lengths = [...shortened.map(({ to }) => to), total].join(" ");
    } catch (error) {
      lengths = (error as Error).name;
    }
    if (lengths !== fits.at(-1)?.[1]) fits.push([budget, lengths]);
  }
  return fits;
}

// deno-lint-ignore no-explicit-any
const FUNCTIONS: Readonly<Record<string, (...given: any[]) => unknown>> = {
  parseLenientJSON,
  parsePythonLiteral,
  parsePythonCalls,
  parseGemmaArguments,
  scan,
  convertText,
  convertJSON,
  convertArguments,
  matchesGlobs: (patterns: string[], path: string) =>
    compileGlobs(patterns)(path),
  toolSnippets: (tool: string, input: unknown) =>
    toolSnippets(builtInToolEdits.find((row) => row.tool === tool)!, input),
  viewMessage,
  sanitizeMessages,
  fitToolResults: async (
    messages: object[],
    options: { budget: number },
  ) => {
    const all = await fitToolResults(messages, {
      count: (text) => text.length,
      ...options,
    });
    return all;
  },
  fitsOf,
  findPairFaults: (messages: unknown[]) =>
    findPairFaults(messages.map(viewMessage)),
  splitFences: (text: string, maxLength: number) =>
    parse(text, new FenceSplitterStream({ maxLength })),
  splitsOf,
  languageId,
  isPathLike: paths.isPathLike,
  isFileName: paths.isFileName,
  isBareFileName: paths.isBareFileName,
  isThing: paths.isThing,
  isDottedName: paths.isDottedName,
  pathWord,
  anchoredPath,
  bracketedRange,
  normalizePath,
  searchReplaceRange,
  patchText,
  patchSnippets,
  parseTagTree,
  decodeInfo,
  decodeEntities,
  halfEntity,
  readTagAttributes,
  truncateMiddle,
  parseIntents,
};

const PATH: string = fileURLToPath(
  new URL("exact_results.jsonl", import.meta.url),
);

/** All of them. */
export function exactResults(): ExactResult[] {
  return readFileSync(PATH, "utf8").split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** What JSON leaves out, as text: a key without a value is not the same as no key. */
function sayable(_key: string, value: unknown): unknown {
  if (value === undefined || typeof value === "function") return String(value);
  if (typeof value !== "number") return value;
  return Object.is(value, -0)
    ? "-0"
    : Number.isFinite(value)
    ? value
    : String(value);
}

/** What a function gives, or throws. */
export async function outcomeOf(
  one: Pick<ExactResult, "function" | "arguments">,
): Promise<ExactResult> {
  let outcome: object;
  try {
    outcome = { result: await FUNCTIONS[one.function]!(...one.arguments) };
  } catch (error) {
    outcome = { throws: (error as Error).message };
  }
  return {
    function: one.function,
    arguments: one.arguments,
    ...JSON.parse(JSON.stringify(outcome, sayable)),
  };
}

async function update(): Promise<void> {
  const lines: string[] = [];
  for (const one of exactResults()) {
    lines.push(JSON.stringify(await outcomeOf(one)));
  }
  writeFileSync(PATH, lines.map((line) => `${line}\n`).join(""));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await update();
