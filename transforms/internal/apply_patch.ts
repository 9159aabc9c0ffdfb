import type { ToolSnippet } from "../tool_edit.ts";

/** What a patch does to a file. */
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

/**
 * The patch that a shell command hands to `apply_patch` (or to a program of
 * another name that reads it), as an argument or in a here-document; `undefined`
 * when the command does something else, such as writing the patch to a file.
 */
export function patchText(command: string): string | undefined {
  const begin = command.indexOf("*** Begin Patch");
  if (begin < 0) return undefined;
  const before = command.slice(Math.max(0, begin - LONGEST_COMMAND), begin);
  const line = before.slice(before.trimEnd().lastIndexOf("\n") + 1);
  const applies = /(?:^|[\s;&|/"'])apply_?patch\s/.test(before) ||
    /<<-?\s*["']?\w+["']?\s*$/.test(line) && !/\b(?:cat|tee)\b|>/.test(line);
  return applies ? command.slice(begin) : undefined;
}

/** So far before a patch its command is looked for. */
const LONGEST_COMMAND = 1_024;

/**
 * One snippet for each file that a patch in the format of Codex (`*** Begin
 * Patch`) adds or updates. An added file's content is the file, an updated
 * one's is the hunks as written. A deleted file has no code.
 */
export function patchSnippets(patch: string): ToolSnippet[] {
  const snippets: ToolSnippet[] = [];
  let path: string | undefined;
  let added = false;
  let lines: string[] = [];
  const close = (): void => {
    if (path !== undefined && (added || lines.length > 0)) {
      const content = lines.map((line) => `${line}\n`).join("");
      snippets.push(
        added
          ? { filePath: path, content }
          : { filePath: path, language: "diff", content },
      );
    }
    path = undefined;
    lines = [];
  };
  for (const line of patch.split(/\r?\n/)) {
    const header = HEADER.exec(line);
    if (header !== null) {
      close();
      added = header[1] === "Add";
      path = header[1] === "Delete" ? undefined : header[2]!.trim();
    } else if (line.startsWith("*** End Patch")) break;
    else if (line.startsWith("*** ") || path === undefined) continue;
    else if (!added) lines.push(line);
    else if (line.startsWith("+")) lines.push(line.slice(1));
  }
  close();
  return snippets;
}
