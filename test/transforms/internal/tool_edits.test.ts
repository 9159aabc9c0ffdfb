import { describe, expect, test } from "vitest";
import {
  builtInToolEdits,
  toolSnippets,
} from "../../../transforms/internal/tool_edits.ts";
import type { ToolSnippet } from "../../../mod.ts";

function read(tool: string, input: unknown): readonly ToolSnippet[] {
  const row = builtInToolEdits.find((each) => each.tool === tool);
  if (row === undefined) throw new Error(`no row for ${tool}`);
  return toolSnippets(row, input);
}

describe("tools that write whole files", () => {
  const calls: readonly [string, Record<string, unknown>][] = [
    ["Write", { file_path: "/a.py", content: "1\n" }],
    ["Write", { path: "/a.py", contents: "1\n" }],
    ["write_to_file", { path: "/a.py", content: "1\n", line_count: 1 }],
    ["write_to_file", {
      absolutePath: "/a.py",
      content: "1\n",
      task_progress: "x",
    }],
    ["write_to_file", { TargetFile: "/a.py", CodeContent: "1\n" }],
    ["write_file", { file_path: "/a.py", content: "1\n" }],
    ["write_file", { path: "/a.py", content: "1\n" }],
    ["write", { filePath: "/a.py", content: "1\n" }],
    ["create", { path: "/a.py", file_text: "1\n" }],
    ["create_file", { filePath: "/a.py", content: "1\n" }],
    ["create_new_file", { filepath: "/a.py", contents: "1\n" }],
    ["edit_file", { target_file: "/a.py", code_edit: "1\n" }],
    ["edit_existing_file", { filepath: "/a.py", changes: "1\n" }],
    ["insert_edit_into_file", { filePath: "/a.py", code: "1\n" }],
    ["NotebookEdit", { notebook_path: "/a.py", new_source: "1\n" }],
    ["str_replace_editor", {
      command: "create",
      path: "/a.py",
      file_text: "1\n",
    }],
    ["text_editor", { command: "write", path: "/a.py", file_text: "1\n" }],
  ];
  test("give the file", () => {
    for (const [tool, input] of calls) {
      expect([tool, read(tool, input)])
        .toEqual([tool, [{ filePath: "/a.py", content: "1\n" }]]);
      expect([tool, read(tool, JSON.stringify(input))])
        .toEqual([tool, [{ filePath: "/a.py", content: "1\n" }]]);
    }
  });
});

describe("tools that replace text", () => {
  const calls: readonly [string, Record<string, unknown>][] = [
    ["Edit", { file_path: "/a", old_string: "1", new_string: "2" }],
    ["StrReplace", { path: "/a", old_string: "1", new_string: "2" }],
    ["replace", {
      file_path: "/a",
      old_string: "1",
      new_string: "2",
      instruction: "x",
    }],
    ["search_replace", { file_path: "/a", old_string: "1", new_string: "2" }],
    ["edit", { filePath: "/a", oldString: "1", newString: "2" }],
    ["edit", { path: "/a", oldText: "1", newText: "2" }],
    ["edit", { path: "/a", old_str: "1", new_str: "2" }],
    ["replace_string_in_file", {
      filePath: "/a",
      oldString: "1",
      newString: "2",
    }],
    ["multi_replace_string_in_file", {
      replacements: [{ filePath: "/a", oldString: "1", newString: "2" }],
    }],
    ["MultiEdit", {
      file_path: "/a",
      edits: [{ old_string: "1", new_string: "2" }],
    }],
    ["edit_file", { path: "/a", edits: [{ oldText: "1", newText: "2" }] }],
    ["str_replace_based_edit_tool", {
      command: "str_replace",
      path: "/a",
      old_str: "1",
      new_str: "2",
    }],
  ];
  test("give both", () => {
    for (const [tool, input] of calls) {
      expect([tool, read(tool, input)])
        .toEqual([tool, [{ filePath: "/a", content: "2", replaces: "1" }]]);
    }
  });
  test("give one snippet for each edit", () => {
    expect(read("MultiEdit", {
      file_path: "/a",
      edits: [
        { old_string: "1", new_string: "2" },
        { old_string: "3", new_string: "" },
      ],
    })).toEqual([
      { filePath: "/a", content: "2", replaces: "1" },
      { filePath: "/a", content: "", replaces: "3" },
    ]);
  });
});

describe("arguments that tell lines", () => {
  test("give ranges", () => {
    expect(
      read("insert_content", { path: "a", line: "5", content: "1\n2\n" }),
    ).toEqual([{ filePath: "a", content: "1\n2\n", lineRange: [5, 6] }]);
    // 0 appends: nobody knows where.
    expect(read("insert_content", { path: "a", line: 0, content: "1" })[0])
      .toEqual({ filePath: "a", content: "1" });
    expect(
      read("str_replace_editor", {
        command: "insert",
        path: "a",
        insert_line: 4,
        new_str: "1\n2",
      }),
    ).toEqual([{ filePath: "a", content: "1\n2", lineRange: [5, 6] }]);
    expect(
      read("replace_file_content", {
        TargetFile: "a",
        ReplacementChunks: [{
          StartLine: 3,
          EndLine: 4,
          TargetContent: "1",
          ReplacementContent: "2",
        }],
      }),
    ).toEqual([
      { filePath: "a", content: "2", replaces: "1", lineRange: [3, 4] },
    ]);
    expect(
      read("search_and_replace", {
        path: "a",
        search: "1",
        replace: "2",
        start_line: 9,
        end_line: 3,
      }),
    ).toEqual([{ filePath: "a", content: "2", replaces: "1" }]);
  });
  test("give ranges of SEARCH/REPLACE blocks", () => {
    const block = (start: number) =>
      `<<<<<<< SEARCH\n:start_line:${start}\n-------\na\nb\n=======\nc\n>>>>>>> REPLACE\n`;
    const none = "<<<<<<< SEARCH\na\n=======\nc\n>>>>>>> REPLACE\n";
    expect(read("apply_diff", { path: "a", diff: block(5) })).toEqual([{
      filePath: "a",
      language: "diff",
      content: block(5),
      lineRange: [5, 6],
    }]);
    expect(
      read("apply_diff", { path: "a", diff: block(5) + block(20) })[0]
        ?.lineRange,
    ).toEqual([5, 21]);
    expect(
      read("apply_diff", { path: "a", diff: block(5) + none })[0]?.lineRange,
    ).toBe(undefined);
    expect(read("replace_in_file", { path: "a", diff: none })).toEqual([
      { filePath: "a", language: "diff", content: none },
    ]);
    // As values between tags: the list of files, lists as JSON.
    expect(
      read("apply_diff", {
        args: `<file>
  <path>a.ts</path>
  <diff>
    <content><![CDATA[
${none.trimEnd()}
]]></content>
    <start_line>7</start_line>
  </diff>
  <diff><content>${block(20)}</content></diff>
</file>
<file><path>b.ts</path></file>`,
      }),
    ).toEqual([
      {
        filePath: "a.ts",
        language: "diff",
        content: none.trimEnd(),
        lineRange: [7, 7],
      },
      {
        filePath: "a.ts",
        language: "diff",
        content: block(20).trimEnd(),
        lineRange: [20, 21],
      },
    ]);
    expect(
      read("search_and_replace", {
        path: "a",
        operations:
          '[{"search":"x","replace":"y","start_line":2,"end_line":4}]',
      }),
    ).toEqual([{
      filePath: "a",
      content: "y",
      replaces: "x",
      lineRange: [2, 4],
    }]);
    expect(
      read("insert_content", {
        path: "a",
        operations: '[{"start_line":3,"content":"x\\ny\\n"}]',
      }),
    ).toEqual([{ filePath: "a", content: "x\ny\n", lineRange: [3, 4] }]);
    expect(read("insert_content", { path: "a", operations: "[no" }))
      .toEqual([]);
    expect(
      [
        { command: "create", path: "a", file_text: "1" },
        { command: "append", path: "a", new_str: "2" },
      ].map((input) => read("fs_write", input)),
    ).toEqual([
      [{ filePath: "a", content: "1" }],
      [{ filePath: "a", content: "2" }],
    ]);
    expect(
      read("edit_file", { path: "a", start: 2, end: 5, content: "x" }),
    ).toEqual([{ filePath: "a", content: "x", lineRange: [2, 5] }]);
    expect(
      [
        { start_line: 3, end_line: 9 },
        { start_line: "3", end_line: "9" },
        {
          start_line: 3,
        },
        { start_line: 9, end_line: 3 },
        { end_line: 3 },
      ].map((lines) =>
        read("apply_diff", { path: "a", diff: none, ...lines })[0]?.lineRange
      ),
    ).toEqual([[3, 9], [3, 9], [3, 3], undefined, undefined]);
    expect(
      read("apply_diff", {
        args: {
          file: [{ path: "a", diff: [{ content: none, start_line: 7 }] }],
        },
      }),
    ).toEqual([
      { filePath: "a", language: "diff", content: none, lineRange: [7, 7] },
    ]);
  });
});

describe("patches", () => {
  const patch =
    "*** Begin Patch\n*** Add File: a.py\n+1\n+2\n*** Update File: b.py\n*** Move to: c.py\n@@ def x\n-1\n+2\n*** End of File\n*** Delete File: d.py\n*** Update File: e.py\n*** End Patch\n";
  const expected = [
    { filePath: "a.py", content: "1\n2\n" },
    { filePath: "b.py", language: "diff", content: "@@ def x\n-1\n+2\n" },
  ];
  test("give a snippet for each file with code", () => {
    expect(read("apply_patch", patch)).toEqual(expected);
    expect(read("apply_patch", { patch })).toEqual(expected);
    expect(read("apply_patch", patch.replaceAll("\n", "\r\n")))
      .toEqual(expected);
    expect(read("shell", { command: ["apply_patch", patch] }))
      .toEqual(expected);
    expect(
      read("exec_command", { cmd: `apply_patch <<'EOF'\n${patch}EOF\n` }),
    ).toEqual(expected);
  });
  test("that are cut give what is there", () => {
    expect(read("apply_patch", "*** Begin Patch\n*** Add File: a\n+1"))
      .toEqual([{ filePath: "a", content: "1\n" }]);
  });
  test("in other commands are none", () => {
    expect(read("shell", { command: ["ls"] })).toEqual([]);
    expect(read("shell", { command: `grep '${patch}' x` })).toEqual([]);
    expect(read("shell", { command: `cat <<EOF > x\n${patch}EOF` }))
      .toEqual([]);
  });
});

describe("arguments of another shape", () => {
  test("give nothing, and never throw", () => {
    for (const { tool, snippets } of builtInToolEdits) {
      for (
        const input of [
          null,
          0,
          "",
          "{",
          "{}",
          [],
          [1],
          {},
          { __proto__: { content: "x", path: "y" } },
          { path: 1, content: {}, diff: [], edits: {}, command: 7 },
          { edits: [null, 1, [], { new_string: 1 }] },
        ]
      ) {
        expect([tool, toolSnippets({ tool, snippets }, input)])
          .toEqual([tool, []]);
      }
    }
  });
  test("rows are there once", () => {
    const tools = builtInToolEdits.map(({ tool }) => tool);
    expect(new Set(tools).size).toBe(tools.length);
  });
});
