import type { ToolEdit, ToolSnippet } from "../tool_edit.ts";
import { lineRange } from "./line_range.ts";
import { patchSnippets, patchText } from "./apply_patch.ts";
import { searchReplaceRange } from "./search_replace_range.ts";

type Input = Readonly<Record<string, unknown>>;

/**
 * Where a tool keeps what. Several names are alternatives, the first one that
 * is there wins: programs share tool names and differ in their arguments.
 */
interface Fields {
  tool: string;
  /** The file. */
  path: string;
  /** The new code. */
  content?: string;
  /** The code it takes the place of. */
  replaces?: string;
  /** SEARCH/REPLACE blocks or a diff. */
  diff?: string;
  /** A list of edits; the other names are looked for in each, then outside. */
  list?: string;
  /** First and last line of what is replaced. */
  first?: string;
  last?: string;
  /** The line that the new code is put before. */
  before?: string;
}

/*
 * Claude Code, Cline, Roo Code, Gemini CLI, Cursor, Continue, Copilot, OpenCode,
 * pi, Windsurf, OpenHands, Amazon Q, Zed and the MCP file system server.
 */
const TABLE: readonly Fields[] = [
  {
    tool: "Write",
    path: "file_path path",
    content: "content contents",
  },
  {
    tool: "Edit",
    path: "file_path path",
    content: "new_string",
    replaces: "old_string",
  },
  {
    tool: "MultiEdit",
    path: "file_path",
    list: "edits",
    content: "new_string",
    replaces: "old_string",
  },
  {
    tool: "StrReplace",
    path: "path file_path",
    content: "new_string new_str",
    replaces: "old_string old_str",
  },
  {
    tool: "write_to_file",
    path: "path absolutePath TargetFile",
    content: "content CodeContent",
  },
  { tool: "replace_in_file", path: "path absolutePath", diff: "diff" },
  {
    tool: "insert_content",
    path: "path absolutePath",
    list: "operations",
    content: "content",
    before: "line start_line",
  },
  {
    tool: "search_and_replace",
    path: "path absolutePath",
    list: "operations",
    content: "replace",
    replaces: "search",
    first: "start_line",
    last: "end_line",
  },
  {
    tool: "write_file",
    path: "file_path path absolute_path",
    content: "content",
  },
  {
    tool: "replace",
    path: "file_path path absolute_path",
    content: "new_string",
    replaces: "old_string",
  },
  {
    tool: "edit_file",
    path: "target_file TargetFile file_path path",
    list: "edits",
    content: "code_edit CodeEdit new_string newText new_text content",
    replaces: "old_string oldText old_text",
    first: "start start_line",
    last: "end end_line",
  },
  {
    tool: "edit_file_v2",
    path: "relativeWorkspacePath target_file targetFile path",
    content: "code_edit contents contentsAfterEdit streamingContent content",
  },
  {
    tool: "search_replace",
    path: "file_path path",
    content: "new_string",
    replaces: "old_string",
  },
  {
    tool: "write",
    path: "filePath file_path path relativeWorkspacePath",
    content: "content contents code",
  },
  {
    tool: "edit",
    path: "filePath file_path path",
    list: "edits",
    content: "newString newText new_string new_str",
    replaces: "oldString oldText old_string old_str",
  },
  {
    tool: "multiedit",
    path: "filePath",
    list: "edits",
    content: "newString",
    replaces: "oldString",
  },
  { tool: "create", path: "path filePath", content: "file_text content" },
  { tool: "create_file", path: "filePath path", content: "content file_text" },
  { tool: "create_new_file", path: "filepath", content: "contents" },
  { tool: "edit_existing_file", path: "filepath", content: "changes" },
  {
    tool: "single_find_and_replace",
    path: "filepath",
    content: "new_string",
    replaces: "old_string",
  },
  {
    tool: "multi_edit",
    path: "filepath",
    list: "edits",
    content: "new_string",
    replaces: "old_string",
  },
  { tool: "insert_edit_into_file", path: "filePath", content: "code" },
  {
    tool: "replace_string_in_file",
    path: "filePath",
    content: "newString",
    replaces: "oldString",
  },
  {
    tool: "multi_replace_string_in_file",
    path: "filePath",
    list: "replacements",
    content: "newString",
    replaces: "oldString",
  },
  {
    tool: "replace_file_content",
    path: "TargetFile",
    list: "ReplacementChunks",
    content: "ReplacementContent",
    replaces: "TargetContent",
    first: "StartLine",
    last: "EndLine",
  },
];

/** The tools that run commands. */
const SHELLS: readonly string[] = [
  "shell",
  "shell_command",
  "local_shell",
  "exec_command",
  "container.exec",
];

/** The tools whose arguments need more than field names. */
const SPECIAL: readonly ToolEdit[] = [
  { tool: "NotebookEdit", snippets: notebookEdit },
  { tool: "apply_diff", snippets: applyDiff },
  { tool: "str_replace_editor", snippets: editorCommand },
  { tool: "str_replace_based_edit_tool", snippets: editorCommand },
  { tool: "text_editor", snippets: editorCommand },
  { tool: "fs_write", snippets: editorCommand },
  { tool: "apply_patch", snippets: applyPatch },
  { tool: "patch", snippets: applyPatch },
  ...SHELLS.map((tool) => ({ tool, snippets: shell })),
];

/** Whether code in a call of this tool is a patch that its command hands to `apply_patch`. */
export function isShell(tool: string): boolean {
  return SHELLS.includes(tool);
}

/** The table that is always on. */
export const builtInToolEdits: readonly ToolEdit[] = [
  ...TABLE.map((fields) => ({
    tool: fields.tool,
    snippets: (input: Input) => readFields(fields, input),
  })),
  ...SPECIAL,
];

/** The code in a call's arguments, by the row of its tool. */
export function toolSnippets(
  row: ToolEdit,
  input: unknown,
): readonly ToolSnippet[] {
  if (isRecord(input)) return row.snippets(input);
  if (typeof input === "string" && input.trimStart().startsWith("{")) {
    try {
      const parsed: unknown = JSON.parse(input);
      if (isRecord(parsed)) return row.snippets(parsed);
    } catch {
      // Then it is a text that begins with a brace.
    }
  }
  return row.snippets({ input });
}

function readFields(fields: Fields, input: Input): ToolSnippet[] {
  if (fields.list !== undefined) {
    const list = listAt(input, fields.list);
    if (list !== undefined) {
      return list.flatMap((edit) =>
        isRecord(edit) ? readOne(fields, edit, input) : []
      );
    }
  }
  return readOne(fields, input, {});
}

function readOne(
  fields: Fields,
  input: Input,
  outside: Input,
): ToolSnippet[] {
  const filePath = textAt(input, fields.path) ?? textAt(outside, fields.path);
  const path = filePath === undefined ? {} : { filePath };
  const diff = textAt(input, fields.diff);
  if (diff !== undefined) return [{ ...path, ...diffSnippet(diff) }];
  const content = textAt(input, fields.content);
  if (content === undefined) return [];
  const replaces = textAt(input, fields.replaces);
  const range = rangeOf(fields, input, content);
  return [{
    ...path,
    content,
    ...(replaces === undefined ? {} : { replaces }),
    ...(range === undefined ? {} : { lineRange: range }),
  }];
}

function rangeOf(
  fields: Fields,
  input: Input,
  content: string,
): [number, number] | undefined {
  const before = numberAt(input, fields.before);
  if (before !== undefined) {
    return lineRange(before, before + lineCount(content) - 1);
  }
  const first = numberAt(input, fields.first);
  const last = numberAt(input, fields.last);
  return first === undefined || last === undefined
    ? undefined
    : lineRange(first, last);
}

function diffSnippet(diff: string): ToolSnippet {
  const range = searchReplaceRange(diff);
  return {
    language: "diff",
    content: diff,
    ...(range === undefined ? {} : { lineRange: range }),
  };
}

/** Roo Code: one diff, or files with several diffs that name their line. */
function applyDiff(input: Input): ToolSnippet[] {
  const written = input["args"];
  const args: Input = isRecord(written)
    ? written
    : typeof written === "string"
    ? { file: filesOfTags(written) }
    : input;
  const files = listAt(args, "file files") ??
    (isRecord(args["file"]) ? [args["file"]] : [args]);
  return files.flatMap((file) => {
    if (!isRecord(file)) return [];
    const filePath = textAt(file, "path absolutePath");
    const path = filePath === undefined ? {} : { filePath };
    const diffs = listAt(file, "diff") ?? [file["diff"]];
    return diffs.flatMap((diff) => {
      const text = isRecord(diff) ? textAt(diff, "content") : diff;
      if (typeof text !== "string") return [];
      const snippet = diffSnippet(text);
      const place = isRecord(diff) ? diff : file;
      const first = numberAt(place, "start_line");
      const last = numberAt(place, "end_line");
      const range = snippet.lineRange ??
        (first === undefined
          ? undefined
          : last === undefined
          ? searchReplaceRange(text, first)
          : lineRange(first, last));
      return [{
        ...path,
        ...snippet,
        ...(range === undefined ? {} : { lineRange: range }),
      }];
    });
  });
}

/** The files in `<file><path>…</path><diff><content>…</content><start_line>…</start_line></diff></file>`. */
function filesOfTags(text: string): Input[] {
  return text.split("<file>").slice(1).map((file) => ({
    path: tagged(file, "path"),
    diff: file.split("<diff>").slice(1).map((diff) => ({
      content: tagged(diff, "content")?.replace(/^<!\[CDATA\[/, "")
        .replace(/\]\]>$/, "").replace(/^\r?\n/, "").replace(/\r?\n$/, ""),
      start_line: tagged(diff, "start_line"),
    })),
  }));
}

/** What stands between a tag and its last closer: the text may hold closers of its own. */
function tagged(text: string, tag: string): string | undefined {
  const open = text.indexOf(`<${tag}>`);
  const start = open + tag.length + 2;
  const end = text.lastIndexOf(`</${tag}>`);
  return open < 0 || end < start ? undefined : text.slice(start, end).trim();
}

function notebookEdit(input: Input): ToolSnippet[] {
  const content = textAt(input, "new_source");
  if (content === undefined || input["edit_mode"] === "delete") return [];
  const filePath = textAt(input, "notebook_path");
  return [{ ...(filePath === undefined ? {} : { filePath }), content }];
}

/** Anthropic's text editor tools and those made after them. */
function editorCommand(input: Input): ToolSnippet[] {
  const filePath = textAt(input, "path");
  const path = filePath === undefined ? {} : { filePath };
  const created = textAt(input, "file_text");
  const added = textAt(input, "new_str insert_text");
  switch (input["command"]) {
    case "create":
    case "write":
      return created === undefined ? [] : [{ ...path, content: created }];
    case "insert": {
      if (added === undefined) return [];
      const after = numberAt(input, "insert_line");
      const range = after === undefined
        ? undefined
        : lineRange(after + 1, after + lineCount(added));
      return [{
        ...path,
        content: added,
        ...(range === undefined ? {} : { lineRange: range }),
      }];
    }
    case "append":
      return added === undefined ? [] : [{ ...path, content: added }];
    case "str_replace": {
      const replaces = textAt(input, "old_str");
      return added === undefined && replaces === undefined ? [] : [{
        ...path,
        content: added ?? "",
        ...(replaces === undefined ? {} : { replaces }),
      }];
    }
    default:
      return [];
  }
}

function applyPatch(input: Input): ToolSnippet[] {
  const patch = textAt(input, "input patch patchText diff");
  return patch === undefined ? [] : patchSnippets(patch);
}

/** A shell command that calls apply_patch. */
function shell(input: Input): ToolSnippet[] {
  const command = input["command"] ?? input["cmd"] ?? input["input"];
  const words = Array.isArray(command) ? command : [command];
  const text = words.filter((word) => typeof word === "string").join("\n");
  const patch = patchText(text);
  return patch === undefined ? [] : patchSnippets(patch);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first of these fields that satisfies a test; only the object's own ones. */
function fieldAt<Value>(
  input: Input,
  names: string | undefined,
  test: (value: unknown) => value is Value,
): Value | undefined {
  for (const name of names?.split(" ") ?? []) {
    if (!Object.hasOwn(input, name)) continue;
    const value = input[name];
    if (test(value)) return value;
  }
  return undefined;
}

function textAt(input: Input, names: string | undefined): string | undefined {
  return fieldAt(input, names, (value) => typeof value === "string");
}

/** Also a list that came as JSON text, as values between tags do. */
function listAt(input: Input, names: string): unknown[] | undefined {
  const list = fieldAt(
    input,
    names,
    (value): value is unknown[] | string =>
      Array.isArray(value) ||
      typeof value === "string" && value.trimStart().startsWith("["),
  );
  if (typeof list !== "string") return list;
  try {
    const parsed: unknown = JSON.parse(list);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Models write numbers as text now and then. */
function numberAt(input: Input, names: string | undefined): number | undefined {
  const value = fieldAt(
    input,
    names,
    (each): each is number | string =>
      typeof each === "number" ||
      typeof each === "string" && /^\d{1,15}$/.test(each),
  );
  return value === undefined ? undefined : Number(value);
}

/** Lines of a text; an end of line at its end begins no further one. */
function lineCount(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    count++;
  }
  return count;
}
