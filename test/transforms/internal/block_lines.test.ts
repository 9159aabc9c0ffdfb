/** Every small document made of lines that matter, as commonmark.js reads it. */
import { describe, test } from "vitest";
import { FenceTrackerStream, parse } from "../../../mod.ts";
import {
  type ReferenceBlock,
  referenceBlocks,
  sameBlocks,
} from "../../support/commonmark_reference.ts";

function compare(text: string): void {
  const blocks: ReferenceBlock[] = [];
  let content = "";
  for (
    const part of parse(text, new FenceTrackerStream({ mode: "commonmark" }))
  ) {
    if (part.type === "fence-start") content = "";
    else if (part.type === "text" && part.code === "fence") {
      content += part.text;
    } else if (part.type === "fence-end") {
      blocks.push({ info: part.fence.info, content });
    }
  }
  const theirs = referenceBlocks(text);
  if (sameBlocks(blocks, theirs)) return;
  throw new Error(
    `${JSON.stringify(text)}\nours   ${JSON.stringify(blocks)}\ntheirs ${
      JSON.stringify(theirs)
    }`,
  );
}

/** All documents with one line of each list. */
function all(...lists: readonly (readonly string[])[]): void {
  const from = (index: number, text: string): void => {
    const list = lists[index];
    if (list === undefined) return compare(text);
    for (const line of list) from(index + 1, `${text}${line}\n`);
  };
  from(0, "");
}

const FENCES = ["~~~", "   ~~~", "    ~~~", "```x`", "``` x", "\t~~~", "~~ ~"];

describe("documents of three lines", () => {
  test("what may begin a list item, and what may not", () => {
    const openers = [
      "1. ~~~",
      "1) ~~~",
      "1x ~~~",
      "1.~~~",
      "1 ~~~",
      "0. ~~~",
      "2. ~~~",
      "123456789. ~~~",
      "1234567890. ~~~",
      "- ~~~",
      "-~~~",
      "-     ~~~",
      "-    ~~~",
      "-\t~~~",
      "-",
      "+ ~~~",
      "* ~~~",
      "= ~~~",
      "- - ~~~",
      "1. - ~~~",
      "- 1. ~~~",
      "- > ~~~",
      "> ~~~",
      ">~~~",
      ">>~~~",
      "> - ~~~",
      "* * *",
      "- - -",
      "* * ~~~",
      "***",
    ];
    all(
      ["", "a", "- a", "> a", "1. a", "# a", "[a]: b", "    a"],
      openers,
      [...FENCES, "a", "", "  b", "   b", "> b", "  ~~~", "      ~~~"],
    );
  });

  test("what keeps a paragraph open, and what ends it", () => {
    all(
      [
        "a",
        "[a]: b",
        "[a]: b 'c",
        "[a]:",
        "# a",
        "#",
        "####### a",
        "#a",
        "- a",
      ],
      [
        "===",
        "---",
        "--",
        "- ",
        "-",
        "* * *",
        "***",
        "===  ",
        "= =",
        "- - -",
        "__",
        "___",
        "2. x",
        "1. x",
        "1.",
        "<div>",
        "<!-- x",
        "<a>",
        "> b",
        "    b",
        "",
      ],
      ["    ~~~", "~~~", "- ~~~", "2. ~~~", "  ~~~", "> ~~~", "\t~~~"],
    );
  });

  test("how a fence goes on and ends in its container", () => {
    all(
      [
        "~~~",
        "- ~~~",
        "> ~~~",
        "  ~~~ x",
        "1. ```",
        "- > ~~~",
        "> - ~~~",
        "   ~~~",
      ],
      [
        "a",
        "  a",
        "   a",
        "> a",
        ">a",
        "> > a",
        "  > a",
        "",
        ">",
        "\ta",
        " \ta",
        "- b",
        "~~~~",
        "  ~~~~",
        "```",
      ],
      [
        "~~~",
        "  ~~~",
        "    ~~~",
        "     ~~~",
        "> ~~~",
        ">   ~~~",
        "  > ~~~",
        "~~",
        "~~~ x",
        "~~~ ",
        "```",
        "   ```",
        "\t~~~",
      ],
      ["b", "~~~"],
    );
  });

  test("tags that begin blocks in which nothing is a fence", () => {
    all(
      ["", "a", "- a"],
      [
        "<div>",
        "</div>",
        "<DIV",
        "<div/>",
        "<divx>",
        "<pre>",
        "<script x",
        "<style>",
        "<!-- a",
        "<!-- a -->",
        "<!A",
        "<!a>",
        "<?x",
        "<![CDATA[",
        "<x-y>",
        "<x y='z'>",
        "<x y=z",
        "</x>",
        "<x>a",
        "< div>",
        "   <div>",
        "    <div>",
      ],
      ["", "</pre>", "-->", "?>", "]]>", ">", "a", "</script>x", "```"],
      ["~~~"],
    );
  });

  test("quotes and lists in each other, with tabs", () => {
    const starts = [
      "> ",
      ">",
      "- ",
      "-\t",
      "1. ",
      "  - ",
      ">\t",
      "   > ",
      "-  ",
      "\t- ",
    ];
    const doubled = starts.flatMap((one) => starts.map((two) => one + two));
    all(
      doubled.map((start) => `${start}~~~`),
      [
        "a",
        "  a",
        "    a",
        "> a",
        ">   a",
        "\ta",
        "\t\ta",
        ">\ta",
        "  > a",
        "- a",
      ],
      ["~~~", "  ~~~", "> ~~~"],
    );
  });
});
