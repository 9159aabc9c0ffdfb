import { describe, expect, test } from "vitest";
import {
  builtInToolEdits,
  isShell,
  toolSnippets,
} from "../../../transforms/internal/tool_edits.ts";
import type { ToolSnippet } from "../../../mod.ts";

function read(tool: string, input: unknown): readonly ToolSnippet[] {
  const row = builtInToolEdits.find((each) => each.tool === tool);
  if (row === undefined) throw new Error(`no row for ${tool}`);
  return toolSnippets(row, input);
}

const DIFF =
  "<<<<<<< SEARCH\n:start_line:3\n-------\na\n=======\nb\n>>>>>>> REPLACE\n";
const BARE = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";

describe("arguments of odd shapes", () => {
  test("what is missing is left out, nothing is made up", () => {
    expect(read("Write", { content: "a" })).toEqual([{ content: "a" }]);
    expect(read("Write", { file_path: "a" })).toEqual([]);
    expect(read("Write", { file_path: 1, content: 2 })).toEqual([]);
    expect(read("Write", Object.create({ content: "a" }))).toEqual([]);
    expect(read("Edit", { new_string: "a", old_string: "b" }))
      .toEqual([{ content: "a", replaces: "b" }]);
    for (const input of [null, 1, "text", "{broken", '["list"]', []]) {
      expect([input, read("Write", input)]).toEqual([input, []]);
    }
  });

  test("the first of several names that is a text counts", () => {
    expect(read("Write", { file_path: "a", path: "b", content: "c" }))
      .toEqual([{ filePath: "a", content: "c" }]);
    expect(read("Write", { file_path: 1, path: "b", contents: "c" }))
      .toEqual([{ filePath: "b", content: "c" }]);
  });

  test("lists of edits: names inside first, then outside", () => {
    expect(read("MultiEdit", {
      file_path: "a",
      edits: [
        { new_string: "x", old_string: "y" },
        { file_path: "b", new_string: "z" },
        "odd",
        {},
      ],
    })).toEqual([
      { filePath: "a", content: "x", replaces: "y" },
      { filePath: "b", content: "z" },
    ]);
    // Without a list the edit stands in the arguments themselves.
    expect(read("MultiEdit", { file_path: "a", new_string: "x" }))
      .toEqual([{ filePath: "a", content: "x" }]);
    expect(read("MultiEdit", { file_path: "a", edits: "odd", new_string: "x" }))
      .toEqual([{ filePath: "a", content: "x" }]);
  });

  test("lines: before which one, from where to where", () => {
    const insert = (line: unknown, content = "a\nb"): unknown =>
      read("insert_content", { path: "p", line, content })[0]?.lineRange;
    expect(insert(3)).toEqual([3, 4]);
    expect(insert("3")).toEqual([3, 4]);
    expect(insert(3, "a\nb\n")).toEqual([3, 4]);
    expect(insert("three")).toBeUndefined();
    expect(insert(undefined)).toBeUndefined();
    const replace = (start: unknown, end: unknown): unknown =>
      read("search_and_replace", {
        path: "p",
        operations: [{ replace: "a", start_line: start, end_line: end }],
      })[0]?.lineRange;
    expect(replace(2, 5)).toEqual([2, 5]);
    expect(replace(2, undefined)).toBeUndefined();
    expect(replace(undefined, 5)).toBeUndefined();
    expect(replace(5, 2)).toBeUndefined();
    expect(replace("1".repeat(16), "1".repeat(16))).toBeUndefined();
  });
});

describe("apply_diff", () => {
  test("one diff, a list of them, files of them, arguments around all", () => {
    const one = { filePath: "p", language: "diff", content: DIFF };
    expect(read("apply_diff", { path: "p", diff: DIFF })).toMatchObject([one]);
    expect(read("apply_diff", { path: "p", diff: [{ content: DIFF }] }))
      .toMatchObject([one]);
    expect(read("apply_diff", { files: [{ path: "p", diff: DIFF }, "odd"] }))
      .toMatchObject([one]);
    expect(
      read("apply_diff", { args: { file: { path: "p", diff: DIFF } } }),
    ).toMatchObject([one]);
    expect(read("apply_diff", { args: { file: [{ path: "p", diff: DIFF }] } }))
      .toMatchObject([one]);
    expect(read("apply_diff", { diff: DIFF })[0]).not.toHaveProperty(
      "filePath",
    );
    expect(read("apply_diff", { path: "p" })).toEqual([]);
    expect(read("apply_diff", { path: "p", diff: [1, {}] })).toEqual([]);
  });

  test("the line stands in the diff or beside it", () => {
    const range = (diff: unknown): unknown =>
      read("apply_diff", { path: "p", diff })[0]?.lineRange;
    expect(range(DIFF)).toEqual([3, 3]);
    expect(range(BARE)).toBeUndefined();
    expect(range([{ content: BARE, start_line: 7 }])).toEqual([7, 7]);
    expect(range([{ content: BARE, start_line: "7" }])).toEqual([7, 7]);
    expect(range([{ content: DIFF, start_line: 7 }])).toEqual([3, 3]);
  });
});

describe("notebooks and editors", () => {
  test("a cell that is deleted is no code", () => {
    const cell = { notebook_path: "p", new_source: "a" };
    expect(read("NotebookEdit", cell)).toEqual([{
      filePath: "p",
      content: "a",
    }]);
    expect(read("NotebookEdit", { ...cell, edit_mode: "delete" })).toEqual([]);
    expect(read("NotebookEdit", { new_source: "a" })).toEqual([{
      content: "a",
    }]);
    expect(read("NotebookEdit", { notebook_path: "p" })).toEqual([]);
  });

  test("the commands of an editor", () => {
    const edit = (input: object): unknown => read("str_replace_editor", input);
    expect(edit({ command: "create", path: "p" })).toEqual([]);
    expect(edit({ command: "create", file_text: "a" })).toEqual([{
      content: "a",
    }]);
    expect(edit({ command: "insert", path: "p" })).toEqual([]);
    expect(edit({ command: "insert", path: "p", new_str: "a" }))
      .toEqual([{ filePath: "p", content: "a" }]);
    expect(
      edit({
        command: "insert",
        path: "p",
        insert_text: "a\nb\n",
        insert_line: 2,
      }),
    ).toEqual([{ filePath: "p", content: "a\nb\n", lineRange: [3, 4] }]);
    expect(edit({ command: "str_replace", path: "p" })).toEqual([]);
    expect(edit({ command: "str_replace", path: "p", old_str: "a" }))
      .toEqual([{ filePath: "p", content: "", replaces: "a" }]);
    expect(edit({ command: "str_replace", path: "p", new_str: "b" }))
      .toEqual([{ filePath: "p", content: "b" }]);
    expect(edit({ command: "view", path: "p" })).toEqual([]);
  });
});

describe("patches", () => {
  const patch = "*** Begin Patch\n*** Add File: a.ts\n+x\n*** End Patch";
  const file = [{ filePath: "a.ts", content: "x\n" }];

  test("as text, under any of their names, and in commands", () => {
    expect(read("apply_patch", patch)).toMatchObject(file);
    for (const name of ["input", "patch", "patchText", "diff"]) {
      expect(read("apply_patch", { [name]: patch })).toMatchObject(file);
    }
    expect(read("apply_patch", { other: patch })).toEqual([]);
    const command = `apply_patch <<'EOF'\n${patch}\nEOF`;
    for (
      const input of [
        { command: ["bash", "-lc", command] },
        { command: ["apply_patch", patch, 1] },
        { command },
        { cmd: command },
        command,
      ]
    ) expect(read("shell", input)).toMatchObject(file);
    expect(read("shell", { command: ["ls"] })).toEqual([]);
    expect(read("shell", { command: 1 })).toEqual([]);
  });

  test("which tools are shells", () => {
    expect(["shell", "container.exec", "Write"].map(isShell))
      .toEqual([true, true, false]);
  });
});
