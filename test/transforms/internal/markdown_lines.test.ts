import { describe, expect, test } from "vitest";
import {
  MarkdownLines,
  type MarkdownLinesOptions,
} from "../../../transforms/internal/markdown_lines.ts";
import { cut, random } from "../../laws.ts";
import { LineTrace } from "../../support/line_trace.ts";
import {
  nestedDocument,
  scatteredDocument,
} from "../../support/markdown_documents.ts";

/** Events of a text, the same in every two-way cut and by single characters. */
function trace(text: string, options: MarkdownLinesOptions = {}): string[] {
  const whole = new LineTrace(options).read([text]);
  for (let at = 1; at < text.length; at++) {
    expect(new LineTrace(options).read(cut(text, [at])), `cut at ${at}`)
      .toEqual(whole);
  }
  expect(new LineTrace(options).read(text), "single characters").toEqual(whole);
  return whole;
}

describe("where what is reported", () => {
  test("the opening line with its line end is marker, the closing one without", () => {
    expect(trace("a\n  ```js x\n  b\n c\n  ```  \nd")).toEqual([
      "prose: a\n",
      "paragraph",
      "start js x 4",
      "marker:   ```js x\n  ",
      "fence: b\n",
      "marker:  ",
      "fence: c\n",
      "marker:   ```  ",
      "closed 26",
      "prose: \nd",
      "paragraph",
    ]);
  });

  test("all three line ends, also cut between CR and LF", () => {
    expect(trace("~~~\r\na\r\n~~~\r\nb")).toEqual([
      "start  0",
      "marker: ~~~\r\n",
      "fence: a\r\n",
      "marker: ~~~",
      "closed 11",
      "prose: \r\nb",
      "paragraph",
    ]);
    expect(trace("~~~\ra\r~~~\rb")).toEqual([
      "start  0",
      "marker: ~~~\r",
      "fence: a\r",
      "marker: ~~~",
      "closed 9",
      "prose: \rb",
      "paragraph",
    ]);
  });

  test("container prefixes inside a fence are marker, before it they are prose", () => {
    expect(trace("> - ```\n>   a\n>   ```\n")).toEqual([
      "prose: > - ",
      "start  4",
      "marker: ```\n>   ",
      "fence: a\n",
      "marker: >   ```",
      "closed 21",
      "prose: \n",
    ]);
  });

  test("a fence ended by its container ends before the line that shows it", () => {
    expect(trace("> ```\n> a\n  b")).toEqual([
      "prose: > ",
      "start  2",
      "marker: ```\n> ",
      "fence: a\n",
      "ended 10",
      "prose:   b",
      "paragraph",
    ]);
    expect(trace("- ```\n  a\n ```\nb")).toEqual([
      "prose: - ",
      "start  2",
      "marker: ```\n  ",
      "fence: a\n",
      "ended 10",
      "start  11",
      "marker:  ```\n",
      "fence: b",
      "ended 16",
    ]);
  });

  test("an end of stream closes: a closing line without line end, or an open fence", () => {
    expect(trace("```\na\n```")).toEqual([
      "start  0",
      "marker: ```\n",
      "fence: a\n",
      "marker: ```",
      "closed 9",
    ]);
    expect(trace("```\na\n``")).toEqual([
      "start  0",
      "marker: ```\n",
      "fence: a\n``",
      "ended 8",
    ]);
    expect(trace("x\n```js")).toEqual([
      "prose: x\n",
      "paragraph",
      "start js 2",
      "marker: ```js",
      "ended 7",
    ]);
  });

  test("a tab that a container takes in part is content", () => {
    expect(trace("- ```\n\ta\n")).toEqual([
      "prose: - ",
      "start  2",
      "marker: ```\n",
      "fence: \ta\n",
      "ended 9",
    ]);
  });

  test("paragraphs end before a blank line, another block, and with a heading's line", () => {
    expect(trace("a\nb\n\nc\n# d\n- e\n- f\n> g\n---\nh\n===\ni")).toEqual([
      "prose: a\nb\n",
      "paragraph",
      "prose: \nc\n#",
      "paragraph",
      "prose:  d",
      "paragraph",
      "prose: \n- e\n- ",
      "paragraph",
      "prose: f\n",
      "paragraph",
      "prose: > g\n---",
      "paragraph",
      "prose: \nh\n===",
      "paragraph",
      "prose: \ni",
      "paragraph",
    ]);
  });

  test("without a paragraph listener, prose of many lines is one piece", () => {
    const pieces: string[] = [];
    const lines = new MarkdownLines({}, {
      text: (text) => pieces.push(text),
      fenceStart: () => {},
      fenceEnd: () => {},
      limit: () => {},
    });
    const prose = "a\n\nb\n- c\n> d\n# e\n";
    lines.advance(prose);
    expect(pieces).toEqual([prose]);
    lines.advance("```\nlet a;\n\nlet b;\n");
    expect(pieces.slice(1)).toEqual(["```\n", "let a;\n\nlet b;\n"]);
  });
});

describe("corners that decide whether a list marker counts", () => {
  /** Whether an ordered item that begins with 2 may begin below. */
  const begins = (above: string): boolean =>
    trace(`${above}2. ~~~\n   x\n`, { mode: "commonmark" }).some((event) =>
      event.startsWith("start")
    );

  test("not below a paragraph, but below what is none", () => {
    expect(begins("text\n")).toBe(false);
    expect(begins("text\n---\n")).toBe(true);
    expect(begins("# text\n")).toBe(true);
    expect(begins("    text\n")).toBe(true);
    expect(begins("> text\n")).toBe(true);
    expect(begins("> text\nlazy\n")).toBe(true);
    expect(begins("> text\n> text\n> ")).toBe(false);
  });

  test("a line of = or - makes no heading of link definitions", () => {
    expect(begins("[a]: /u\n=\n")).toBe(false);
    expect(begins("[a]: /u\n-\n")).toBe(false);
    expect(begins("[a]: /u\n---\n")).toBe(true);
    expect(begins("[a]: /u x\n=\n")).toBe(true);
    expect(begins('[a]: /u\n"title"\n=\n')).toBe(false);
    expect(begins('[a]: /u\n"title" x\n=\n')).toBe(true);
    expect(begins("[a]:\n/u\n[b]: <v w> (t)\n=\n")).toBe(false);
    expect(begins("[a\\]: /u\n=\n")).toBe(true);
    expect(begins("[ ]: /u\n=\n")).toBe(true);
    expect(begins("[a]: (b)c)\n=\n")).toBe(true);
    expect(begins("[a]: b(c\\))\n=\n")).toBe(false);
    expect(begins(`[${"a".repeat(999)}]: /u\n=\n`)).toBe(false);
    expect(begins(`[${"a".repeat(1000)}]: /u\n=\n`)).toBe(true);
  });
});

describe("HTML blocks hide fences", () => {
  const fences = (
    text: string,
    mode: "commonmark" | "tolerant" = "commonmark",
  ): number =>
    trace(`${text}\n~~~\n~~~\n`, { mode }).filter((event) =>
      event.startsWith("start")
    ).length;

  test("types 1 to 5 until their end mark, in both modes", () => {
    for (const mode of ["commonmark", "tolerant"] as const) {
      for (
        const [open, close] of [
          ["<script>", "</SCRIPT>"],
          ["<pre", "</textarea>"],
          ["<!--", "-->"],
          ["<?x", "?>"],
          ["<!X", ">"],
          ["<![CDATA[", "]]>"],
        ] as const
      ) {
        expect(fences(open, mode), open).toBe(0);
        expect(fences(`${open}\n\n`, mode), open).toBe(0);
        expect(fences(`${open}\n${close}`, mode), open).toBe(1);
      }
      expect(fences("<!-->", mode)).toBe(1);
      expect(fences("<?>", mode)).toBe(1);
      expect(fences("<! x", mode)).toBe(1);
    }
  });

  test("types 6 and 7 until a blank line, in mode commonmark", () => {
    for (
      const open of [
        "<div",
        "</div>",
        "<h1/>",
        "<think>",
        "</a >",
        "<a b c=d e='f' g=\"h\" />",
      ]
    ) {
      expect(fences(open), open).toBe(0);
      expect(fences(`${open}\n`), open).toBe(1);
      expect(fences(open, "tolerant"), open).toBe(1);
    }
    for (const none of ["<divx", "<a b=>", "<a/ >", "<think> x", "<1>"]) {
      expect(fences(none), none).toBe(1);
    }
    // Type 7 does not interrupt a paragraph.
    expect(fences("text\n<think>")).toBe(1);
    expect(fences("text\n<div>")).toBe(0);
  });
});

describe("hold-back", () => {
  /** What is kept after a text. */
  const kept = (text: string, options: MarkdownLinesOptions = {}): number => {
    const { lines } = new LineTrace(options);
    lines.advance(text);
    return lines.pending;
  };

  test("nothing in the middle of a line, nor of containers and headings", () => {
    for (
      const text of [
        "a ",
        "a `",
        "a ```",
        "- ",
        "> ",
        "12",
        "##",
        "***",
        "<div",
        "\r",
      ]
    ) {
      expect(kept(text), JSON.stringify(text)).toBe(0);
    }
    expect(kept("```\na `")).toBe(0);
  });

  test("indentation up to three columns, a run, an opening line", () => {
    expect(kept("   ")).toBe(3);
    expect(kept("    ")).toBe(0);
    expect(kept("> - a\n>    ")).toBe(1);
    expect(kept("``")).toBe(2);
    expect(kept("``a")).toBe(0);
    expect(kept("```js x")).toBe(7);
    expect(kept("```js `")).toBe(0);
    expect(kept("~~~ a`b")).toBe(7);
  });

  test("in a fence a prefix and what may be a closing line", () => {
    expect(kept("```\n  ")).toBe(2);
    expect(kept("  ```\n  ")).toBe(0);
    expect(kept("```\n    ")).toBe(0);
    expect(kept("```\n```  ")).toBe(5);
    expect(kept("```\n```a")).toBe(0);
    expect(kept("```\n~~~")).toBe(0);
    expect(kept("> - ```\n> ")).toBe(2);
    expect(kept("> - ```\n>   ")).toBe(0);
  });
});

describe("limits", () => {
  test("an opening line that is too long is text, with a report before it", () => {
    const options = { maxInfoLength: 8 };
    expect(trace("a\n```1234\n", options)).toEqual([
      "prose: a\n",
      "paragraph",
      "start 1234 2",
      "marker: ```1234\n",
      "ended 10",
    ]);
    expect(trace("a\n ```12345\nb", options)).toEqual([
      "prose: a\n",
      "limit 2 10",
      "prose:  ```12345\nb",
      "paragraph",
    ]);
    expect(trace("`````````\nb", options)).toEqual([
      "limit 0 8",
      "prose: `````````\nb",
      "paragraph",
    ]);
  });

  test("an undecided closing line that is too long is content", () => {
    expect(trace("```\n`````````\na", { maxInfoLength: 8 })).toEqual([
      "start  0",
      "marker: ```\n",
      "limit 4 12",
      "fence: `````````\na",
      "ended 15",
    ]);
    expect(trace("```\n```      \na", { maxInfoLength: 8 })).toEqual([
      "start  0",
      "marker: ```\n",
      "limit 4 12",
      "fence: ```      \na",
      "ended 15",
    ]);
  });

  test("containers that are nested too deep are text, reported once", () => {
    expect(trace("> > > ~~~\n> > > a\n- - - b\n", { maxDepth: 2 })).toEqual([
      "prose: > > ",
      "limit 4 5",
      "prose: > ~~~\n> > > a\n- ",
      "paragraph",
      "prose: - - b\n",
      "paragraph",
    ]);
  });
});

describe("release, seek and kindOf", () => {
  test("a release decides as if nothing followed, and the line goes on", () => {
    const released = (...chunks: string[]): string[] => {
      const it = new LineTrace();
      for (const chunk of chunks) {
        it.lines.advance(chunk);
        it.lines.release();
        expect(it.lines.pending).toBe(0);
      }
      it.lines.end();
      return it.take();
    };
    expect(released("```\na\n```", "\nb\n")).toEqual([
      "start  0",
      "marker: ```\n",
      "fence: a\n",
      "marker: ```",
      "closed 9",
      "paragraph",
      "prose: \nb\n",
      "paragraph",
    ]);
    expect(released("```\na\n``", "`\n")).toEqual([
      "start  0",
      "marker: ```\n",
      "fence: a\n```\n",
      "ended 10",
    ]);
    expect(released("```js", "\na")).toEqual([
      "start js 0",
      "marker: ```js\n",
      "fence: a",
      "ended 7",
    ]);
    expect(released("``", "`\na")).toEqual(["prose: ```\na", "paragraph"]);
    // Nothing is undecided at the beginning of a line.
    expect(released("a\n", "```\n")).toEqual([
      "prose: a\n",
      "paragraph",
      "start  2",
      "marker: ```\n",
      "ended 6",
    ]);
    expect(released("> ```\n> a\n", " ", "x")).toEqual([
      "prose: > ",
      "start  2",
      "marker: ```\n> ",
      "fence: a\n",
      "ended 10",
      "prose:  x",
      "paragraph",
    ]);
  });

  test("seek sets offsets, and decides what is kept", () => {
    const it = new LineTrace();
    it.lines.advance("a\n``");
    it.lines.seek(100);
    it.lines.advance("\n```\n");
    it.lines.end();
    expect(it.take()).toEqual([
      "prose: a\n``\n",
      "paragraph",
      "start  101",
      "marker: ```\n",
      "ended 105",
    ]);
  });

  test("kindOf tells what a following < becomes", () => {
    for (const mode of ["commonmark", "tolerant", "loose"] as const) {
      for (let seed = 0; seed < 300; seed++) {
        const make = seed % 2 ? scatteredDocument : nestedDocument;
        const text = make(random(seed));
        for (let at = 0; at <= text.length; at++) {
          const kinds: string[] = [];
          const lines = new MarkdownLines({ mode }, {
            text: (piece, kind) => {
              for (let unit = 0; unit < piece.length; unit++) kinds.push(kind);
            },
            fenceStart: () => {},
            fenceEnd: () => {},
            limit: () => {},
          });
          lines.advance(text.slice(0, at));
          const kind = lines.kindOf("<");
          lines.advance("<\n");
          lines.end();
          expect(kind, JSON.stringify([mode, text.slice(0, at)])).toBe(
            kinds[at],
          );
        }
      }
    }
  });

  test("kindOf inside a quoted fence, and before a tick", () => {
    const { lines } = new LineTrace();
    lines.advance("> ```\n");
    expect(lines.kindOf(">")).toBe("marker");
    expect(lines.kindOf("<")).toBe("prose");
    lines.advance("> a\n\n```a");
    expect(lines.kindOf("<")).toBe("marker");
    expect(lines.kindOf("`")).toBe("prose");
  });
});

describe("breakFence", () => {
  /** Ends the fence behind every "!". */
  const breaker = (text: string): string | undefined =>
    text.includes("!") ? text.slice(text.indexOf("!") + 1) : undefined;

  test("the rest is prose in the middle of a line", () => {
    const text = "```\na\nb! ```\nc\n```\nd";
    const whole = new LineTrace({}, breaker).read([text]);
    expect(whole).toEqual([
      "start  0",
      "marker: ```\n",
      "fence: a\nb!",
      "ended 8",
      "prose:  ```\nc\n",
      "paragraph",
      "start  15",
      "marker: ```\n",
      "fence: d",
      "ended 20",
    ]);
    for (let at = 1; at < text.length; at++) {
      expect(new LineTrace({}, breaker).read(cut(text, [at]))).toEqual(whole);
    }
  });

  test("between two calls, with something kept", () => {
    const it = new LineTrace();
    it.lines.advance("```\na\n``");
    it.lines.breakFence("");
    expect(it.lines.fence).toBeUndefined();
    it.lines.advance("`\nb");
    it.lines.end();
    expect(it.take()).toEqual([
      "start  0",
      "marker: ```\n",
      "fence: a\n",
      "ended 6",
      "prose: ```\nb",
      "paragraph",
    ]);
    it.lines.breakFence("");
    expect(it.take()).toEqual([]);
  });
});

test("any options: nothing lost, every cutting alike, snapshots anywhere", () => {
  const all: MarkdownLinesOptions[] = [
    { mode: "tolerant" },
    { mode: "loose" },
    { glued: true },
    { nested: true },
    { mode: "commonmark", glued: true, nested: true },
    { maxInfoLength: 5, maxDepth: 2 },
    { maxInfoLength: 4, glued: true, nested: true },
    { maxInfoLength: 4, mode: "loose" },
  ];
  const breaker = (text: string): string | undefined =>
    text.includes("x") ? text.slice(text.indexOf("x") + 1) : undefined;
  for (let seed = 0; seed < 2_000; seed++) {
    const next = random(seed);
    const make = seed % 2 ? scatteredDocument : nestedDocument;
    const text = make(next);
    const options = all[seed % all.length]!;
    const onFence = seed % 3 === 0 ? breaker : undefined;
    const whole = new LineTrace(options, onFence).read([text]);
    const joined = whole.map((event) =>
      /^(?:prose|fence|marker): ([^]*)$/.exec(event)?.[1] ?? ""
    )
      .join("");
    expect(joined).toBe(text);
    const at = Math.floor(next() * text.length);
    for (const chunks of [text.split(""), cut(text, [at])]) {
      expect(
        new LineTrace(options, onFence).read(chunks),
        JSON.stringify([options, chunks]),
      ).toEqual(whole);
    }
    const first = new LineTrace(options);
    first.lines.advance(text.slice(0, at));
    const snapshot = JSON.stringify(first.lines.snapshot());
    const kinds: string[] = [];
    const record = {
      text: (piece: string, kind: string) => kinds.push(kind, piece),
      fenceStart: () => {},
      fenceEnd: () => {},
      paragraphEnd: () => {},
      limit: () => {},
    };
    const second = new MarkdownLines(options, record, JSON.parse(snapshot));
    // The first goes on, which must not disturb the second.
    first.lines.advance("```\n> - ");
    second.advance(text.slice(at));
    const resumed = kinds.splice(0);
    const third = new MarkdownLines(options, record);
    third.advance(text.slice(0, at));
    kinds.length = 0;
    third.advance(text.slice(at));
    expect(resumed).toEqual(kinds);
  }
});
