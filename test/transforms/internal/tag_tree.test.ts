import { describe, expect, test } from "vitest";
import { parseTagTree } from "../../../transforms/internal/tag_tree.ts";

const parse = (text: string) => parseTagTree(text.replaceAll("<", "@<"), "@");

describe("parseTagTree", () => {
  test("strings, arrays, objects", () => {
    expect(parse("a b")).toBe("a b");
    expect(parse(" <item>a</item>\n<item> b </item> ")).toEqual(["a", " b "]);
    expect(parse("<a>1</a><b><item>2</item></b>")).toEqual({
      a: "1",
      b: ["2"],
    });
    const own = parse("<__proto__>1</__proto__>");
    expect(Object.keys(own as object)).toEqual(["__proto__"]);
  });

  test("what is none of these", () => {
    for (
      const text of [
        "<a>1",
        "<a>1</b>",
        "<a>1</a> x",
        "<a>1</a><item>2</item>",
        "<a>1</a><a>2</a>",
        "</a>",
        "x<a>1</a>",
        "<a b>1</a b>",
        "<item>".repeat(100) + "</item>".repeat(100),
      ]
    ) expect(parse(text), text).toBe(undefined);
  });
});
