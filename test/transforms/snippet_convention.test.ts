import { describe, expect, test } from "vitest";
import {
  parse,
  type SnippetContext,
  type SnippetConvention,
  SnippetExtractorStream,
} from "../../mod.ts";

/** The snippets of a text, with a convention of one's own. */
function snippetsOf(text: string, convention: SnippetConvention) {
  return parse(text, new SnippetExtractorStream({ conventions: [convention] }))
    .filter((part) => part.type === "snippet");
}

describe("a SnippetConvention of one's own", () => {
  test("sees info, line before and content, and names the place", () => {
    const seen: SnippetContext[] = [];
    const [snippet] = snippetsOf("See note 7:\n```js @src/a.js\nx\n```\n", {
      name: "at-sign",
      find(context) {
        seen.push(context);
        const at = context.info.indexOf("@");
        return at < 0 ? undefined : {
          language: context.info.slice(0, at).trim(),
          filePath: context.info.slice(at + 1),
          lineRange: [7, 7],
        };
      },
    });
    expect(seen[0]).toMatchObject({
      info: "js @src/a.js",
      lineBefore: "See note 7:",
      content: "x\n",
    });
    expect(snippet).toMatchObject({
      language: "js",
      filePath: "src/a.js",
      lineRange: [7, 7],
      pathSource: "at-sign",
    });
  });

  test("one that throws is reported and passed over", () => {
    const parts = parse(
      "```js src/a.js\nx\n```\n",
      new SnippetExtractorStream({
        conventions: [{
          name: "broken",
          find() {
            throw new Error("oops");
          },
        }],
      }),
    );
    expect(parts.find((part) => part.type === "warning")).toMatchObject({
      code: "fault",
    });
    expect(parts.find((part) => part.type === "snippet")).toMatchObject({
      filePath: "src/a.js",
    });
  });
});
