import type { ToolSnippet } from "../tool_edit.ts";

/** What a patch does to a file. */
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

/**
 * The patch that a shell command hands to `apply_patch`, as an argument or in a
 * here-document; `undefined` when the command does something else.
 */
export function patchText(command: string): string | undefined {
  const begin = command.indexOf("*** Begin Patch");
  if (
    begin < 0 || !/(?:^|[\s;&|/])apply_?patch\s/.test(command.slice(0, begin))
  ) {
    return undefined;
  }
  return command.slice(begin);
}

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
