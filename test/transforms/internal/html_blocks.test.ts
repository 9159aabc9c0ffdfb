import { describe, expect, test } from "vitest";
import { FenceTrackerStream, type Part } from "../../../mod.ts";
import { RandomSource } from "../../fuzz/random_source.ts";
import { merged, run } from "../../laws.ts";
import {
  type ReferenceBlock,
  referenceBlocks,
  sameBlocks,
} from "../../support/commonmark_reference.ts";

function blocksOf(chunks: Iterable<string>): ReferenceBlock[] {
  const blocks: ReferenceBlock[] = [];
  let content = "";
  const parts: Part[] = merged(
    run(new FenceTrackerStream({ mode: "commonmark" }), chunks),
  );
  for (const part of parts) {
    if (part.type === "fence-start") content = "";
    else if (part.type === "text" && part.code === "fence") {
      content += part.text;
    } else if (part.type === "fence-end") {
      blocks.push({ info: part.fence.info, content });
    }
  }
  return blocks;
}

/** A fence is one, unless an HTML block goes on to it: so the two must agree. */
function compare(text: string): void {
  const theirs = referenceBlocks(text);
  for (const chunks of [[text], text.split("")]) {
    const ours = blocksOf(chunks);
    if (!sameBlocks(ours, theirs)) {
      throw new Error(
        `${JSON.stringify(chunks)}\nours   ${JSON.stringify(ours)}\ntheirs ${
          JSON.stringify(theirs)
        }`,
      );
    }
  }
}

const FENCE = "```\nx\n```\n";

const RAW_NAMES = ["script", "pre", "textarea", "style"];

const BLOCK_NAMES =
  ("address article aside base basefont blockquote body caption center col " +
    "colgroup dd details dialog dir div dl dt fieldset figcaption figure " +
    "footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe " +
    "legend li link main menu menuitem nav noframes ol optgroup option p " +
    "param search section summary table tbody td tfoot th thead title tr " +
    "track ul").split(" ");

describe("how HTML blocks open", () => {
  test("every name of a block, in a paragraph and alone, with what may follow it", () => {
    for (const name of [...RAW_NAMES, ...BLOCK_NAMES, "a", "custom-tag"]) {
      for (const word of [name, name.toUpperCase(), `${name}x`]) {
        for (const slash of ["", "/"]) {
          for (
            const end of [">", "/>", " ", "", "/", "-"]
          ) {
            for (const before of ["", "p\n"]) {
              compare(`${before}<${slash}${word}${end}\n${FENCE}\n${FENCE}`);
            }
          }
        }
      }
    }
  });

  test("comments, instructions, declarations, CDATA: where they begin and end", () => {
    for (
      const open of [
        "<!--",
        "<!-",
        "<!- -",
        "<!-->",
        "<!--->",
        "<?",
        "<? a",
        "<?>",
        "< ?",
        "<!A",
        "<!a",
        "<!1",
        "<! a",
        "<![CDATA[",
        "<![cdata[",
        "<![CDATA",
        "<![CDATB[",
        "<![XDATA[",
        "<script>",
        "<pre",
        "<style a='",
        "<textarea>",
      ]
    ) {
      for (
        const close of [
          "-->",
          "--",
          "->",
          "?>",
          "?",
          ">",
          "]]>",
          "]>",
          "]]",
          "</script>",
          "</PRE>",
          "</style >",
          "</style>",
          "</textarea>",
          "</div>",
          "< /pre>",
          "",
        ]
      ) {
        compare(`${open}${close}\n${FENCE}`);
        compare(`${open}\na ${close} b\n${FENCE}`);
        compare(`${open}\n\n\`\`\`\n${close}\n${FENCE}`);
        compare(`p\n${open} x ${close}\n${FENCE}`);
        compare(`- ${open}\n\n  ${close}\n  ${FENCE}\n${FENCE}`);
      }
    }
  });

  test("any other tag alone on its line, as the reference reads it", () => {
    const random = new RandomSource(7);
    const spaces = [
      "",
      " ",
      "  ",
      "\t",
      " \t ",
      "\u00a0",
      "\u2003",
      "\f",
      "\v",
      "\u0001",
      "\u001f",
    ];
    const attribute = (): string =>
      random.pick([
        "a",
        "A",
        "_a",
        ":a",
        "a1",
        "a.b",
        "a-b",
        "a:b",
        "1a",
        "-a",
        "é",
      ]) +
      random.pick([
        "",
        "",
        `${random.pick(spaces)}=${random.pick(spaces)}${
          random.pick([
            "b",
            "1",
            "b/c",
            "'b'",
            '"b"',
            "'b\"c'",
            '"b>c"',
            '"b',
            "'b",
            "b'c",
            "b`c",
            "b=c",
            "b<c",
            "é",
            "",
          ])
        }`,
        "=",
      ]);
    const tag = (): string =>
      "<" + random.pick(["", "", "", "/"]) +
      random.pick([
        "a",
        "Ab",
        "a1",
        "a-b",
        "log",
        "1",
        "a_b",
        "customelement",
      ]) +
      random.times(
        random.below(3),
        () => random.pick(spaces) + attribute(),
      ).join("") +
      random.pick(spaces) + random.pick(["", "", "/", "/ "]) +
      random.pick([">", ">", ">", ">", ""]) +
      random.pick(["", "", "", " ", "\t", "\u00a0", "x", "<b>"]);
    const signs = "<>/=\"'` \ta1-_:.é\u00a0\u0085\u200b".split("");
    let fences = 0;
    for (let time = 0; time < 2_500; time++) {
      let text = tag();
      if (random.chance(0.4)) {
        const at = 1 + random.below(text.length);
        text = text.slice(0, at) + random.pick(signs) +
          text.slice(at + random.below(2));
      }
      const before = random.pick(["", "", "", " ", "   ", "    ", "p\n", "> "]);
      const whole = `${before}${text}\n${FENCE}`;
      compare(whole);
      fences += blocksOf([whole]).length;
    }
    // Of both kinds there were many.
    expect(fences).toBeGreaterThan(500);
    expect(fences).toBeLessThan(2_400);
  });
});
