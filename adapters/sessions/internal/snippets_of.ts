import { SnippetExtractor } from "../../../transforms/internal/snippet_stage.ts";
import { placeOfDiff } from "../../../transforms/internal/snippet_conventions/diff_header.ts";
import { languageId } from "../../../transforms/language_id.ts";
import { isShell } from "../../../transforms/internal/tool_edits.ts";
import { setOwn } from "../../../transforms/internal/own_property.ts";
import type { Part, SnippetPart } from "../../../transforms/part.ts";
import type { CodeSnippet, SessionStreamOptions } from "../message.ts";
import type { Draft, Hunk } from "./draft.ts";

/** What the snippets of a format need to know. */
export interface SnippetOptions
  extends Pick<SessionStreamOptions, "guess" | "conventions" | "toolEdits"> {
  tagBlocks?: boolean;
}

/** Finds the code of messages. */
export class SnippetFinder {
  readonly #options: SnippetOptions;
  readonly #tools: SnippetExtractor;

  constructor(options: SnippetOptions) {
    const { guess, conventions, toolEdits, tagBlocks } = options;
    this.#options = {
      ...(guess === undefined ? {} : { guess }),
      ...(conventions === undefined ? {} : { conventions }),
      ...(tagBlocks === undefined ? {} : { tagBlocks }),
      toolEdits: false,
    };
    this.#tools = new SnippetExtractor(
      toolEdits === undefined ? {} : { toolEdits },
    );
    // Wrong options are an error now, not with the first fence.
    new SnippetExtractor(this.#options);
  }

  /** The code in a message's text and tool calls, in order. */
  find(draft: Draft): CodeSnippet[] {
    const snippets: CodeSnippet[] = [];
    for (const [index, block] of draft.blocks.entries()) {
      const emit = (part: Part): void => {
        if (part.type !== "snippet") return;
        const { type: _, ...snippet } = part;
        snippets.push({ ...snippet, block: index });
      };
      if (block.type === "text") this.#text(block.text, index, draft, emit);
      else if (block.type === "tool-call") {
        const { toolName, toolCallId = "", input } = block;
        const before = snippets.length;
        this.#tools.push(
          { type: "tool-call", toolCallId, toolName, input, origin: "native" },
          emit,
        );
        for (const snippet of snippets.slice(before)) {
          finishToolSnippet(snippet, toolName, draft);
        }
      }
    }
    addPaths(snippets, draft);
    return snippets;
  }

  #text(
    text: string,
    index: number,
    draft: Draft,
    emit: (part: Part) => void,
  ): void {
    if (
      !text.includes("```") && !text.includes("~~~") &&
      !(this.#options.tagBlocks === true && text.includes("<"))
    ) return;
    const extractor = new SnippetExtractor(this.#options);
    let from = 0;
    for (const [block, start, end] of draft.masks ?? []) {
      if (block !== index) continue;
      const part = {
        type: "text" as const,
        text: text.slice(from, start),
        start: from,
      };
      if (part.text !== "") extractor.push(part, emit);
      from = end;
    }
    const rest = text.slice(from);
    if (rest !== "") {
      extractor.push({ type: "text", text: rest, start: from }, emit);
    }
    extractor.end(emit);
  }
}

/** Fills in the files that the format keeps beside the text. */
function addPaths(snippets: CodeSnippet[], { paths }: Draft): void {
  if (paths === undefined) return;
  const fenced = snippets.filter(({ toolName }) => toolName === undefined);
  for (const [index, snippet] of fenced.entries()) {
    const path = paths[index];
    if (path === undefined || path === null) continue;
    if (snippet.filePath !== undefined) continue;
    snippet.filePath = path;
    snippet.pathSource = "stored";
    const id = languageId(snippet.language, path);
    if (id !== undefined) snippet.languageId = id;
  }
}

/** Adds what the results told about the call to its snippet. */
function finishToolSnippet(
  snippet: CodeSnippet,
  toolName: string,
  draft: Draft,
): void {
  const { toolCallId } = snippet;
  snippet.start = snippet.end = 0;
  snippet.toolName = isShell(toolName) ? "apply_patch" : toolName;
  if (toolCallId === "") delete snippet.toolCallId;
  if (toolCallId === undefined || toolCallId === "") return;
  if (draft.failed?.includes(toolCallId) === true) snippet.failed = true;
  const hunks = hunksOf(draft, toolCallId, snippet);
  if (hunks.length === 0) return;
  snippet.appliedRanges = hunks.map(({ first, last }) => [first, last]);
  // Of several edits in one call the places that hold this one's text.
  const text = snippet.content.trimEnd();
  const holding = hunks.filter((hunk) => hunk.text.includes(text));
  const own = holding.length > 0 ? holding : hunks;
  snippet.lineRange = [
    Math.min(...own.map(({ first }) => first)),
    Math.max(...own.map(({ last }) => last)),
  ];
}

/** The places that a call changed in the snippet's file. */
function hunksOf(
  draft: Draft,
  toolCallId: string,
  { filePath }: SnippetPart | CodeSnippet,
): Hunk[] {
  const table = draft.hunks;
  if (table === undefined) return [];
  const byFile = `${toolCallId}\n${filePath ?? ""}`;
  return Object.hasOwn(table, byFile)
    ? table[byFile]!
    : Object.hasOwn(table, toolCallId)
    ? table[toolCallId]!
    : [];
}

/**
 * Notes what a call changed. `filePath` tells apart the files of one call.
 * Returns how many characters that are.
 */
export function addHunks(
  draft: Draft,
  toolCallId: string,
  hunks: Hunk[],
  filePath?: string,
): number {
  if (hunks.length === 0) return 0;
  draft.hunks ??= {};
  setOwn(
    draft.hunks,
    filePath === undefined ? toolCallId : `${toolCallId}\n${filePath}`,
    hunks,
  );
  return hunks.reduce((sum, { text }) => sum + text.length, 0);
}

/** The hunks of a unified diff of one file. */
export function hunksOfDiff(diff: string): Hunk[] {
  const place = placeOfDiff(diff);
  if (place?.lineRange === undefined) return [];
  const hunks: Hunk[] = [];
  let lines: string[] = [];
  let first = 0;
  const close = (): void => {
    if (lines.length > 0) {
      hunks.push({
        first,
        last: first + lines.length - 1,
        text: lines.join("\n"),
      });
    }
    lines = [];
  };
  for (const line of diff.split("\n")) {
    const match = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (match !== null) {
      close();
      first = Number(match[1]);
    } else if (first > 0 && /^[ +]/.test(line)) lines.push(line.slice(1));
  }
  close();
  return hunks;
}
