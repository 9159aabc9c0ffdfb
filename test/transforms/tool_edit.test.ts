import { describe, expect, test } from "vitest";
import {
  parse,
  type Part,
  SnippetExtractorStream,
  type ToolEdit,
} from "../../mod.ts";

function call(toolName: string, input: unknown): Part {
  return {
    type: "tool-call",
    toolCallId: "1",
    toolName,
    input,
    origin: "native",
  };
}

/** The snippets that a call yields. */
function snippetsOf(part: Part, ...toolEdits: ToolEdit[]) {
  return parse([part], new SnippetExtractorStream({ toolEdits }))
    .filter((one) => one.type === "snippet");
}

describe("a ToolEdit of one's own", () => {
  const row: ToolEdit = {
    tool: "put",
    snippets: (input) => [{
      filePath: String(input["to"]),
      content: String(input["body"]),
      lineRange: [3, 4],
    }],
  };

  test("its call yields a snippet with path and lines", () => {
    expect(snippetsOf(call("put", { to: "a.ts", body: "x\n" }), row)[0])
      .toMatchObject({
        filePath: "a.ts",
        content: "x\n",
        lineRange: [3, 4],
        languageId: "typescript",
        toolCallId: "1",
      });
  });

  test("the call itself passes, and other tools yield nothing", () => {
    const other = call("look", { to: "a.ts" });
    expect(parse([other], new SnippetExtractorStream({ toolEdits: [row] })))
      .toEqual([other]);
  });

  test("it takes the place of a built-in row of the same tool", () => {
    const [snippet] = snippetsOf(call("Write", { to: "b", body: "y" }), {
      ...row,
      tool: "Write",
    });
    expect(snippet).toMatchObject({ filePath: "b", content: "y" });
  });
});
