import { describe, expect, test } from "vitest";
import {
  FenceTrackerStream,
  type FenceTrackerStreamOptions,
  parse,
  type Part,
  pipeline,
  readParts,
} from "../../mod.ts";
import {
  checkLaws,
  cuttings,
  markupText,
  measureHold,
  merged,
  run,
  RUNS,
} from "../laws.ts";

function make(options: FenceTrackerStreamOptions = {}) {
  return (snapshot?: unknown) =>
    new FenceTrackerStream({ ...options, snapshot });
}

/** Parts as short strings; the same in every cutting. */
function track(
  input: string | string[],
  options: FenceTrackerStreamOptions = {},
): string[] {
  const chunks = typeof input === "string" ? [input] : input;
  const short = (parts: Part[]): string[] => merged(parts).map(shortPart);
  const parts = short(run(make(options)(), chunks));
  for (const way of cuttings(chunks.join(""))) {
    expect(short(run(make(options)(), way)), JSON.stringify(way)).toEqual(
      parts,
    );
  }
  return parts;
}

function shortPart(part: Part): string {
  switch (part.type) {
    case "text":
      return `${part.code ?? "prose"}: ${part.text}`;
    case "fence-start":
      return `start ${part.fence.marker}${part.fence.info}`;
    case "fence-end":
      return part.closed ? "closed" : "open";
    case "warning":
      return `${part.code} ${part.start} ${part.end}`;
    default:
      return part.type;
  }
}

describe("laws", () => {
  const all: FenceTrackerStreamOptions[] = [
    {},
    { mode: "commonmark" },
    { mode: "loose" },
    { inline: "hold" },
    { glued: true, nested: true },
    { mode: "loose", inline: "hold", maxSpanLength: 7, maxInfoLength: 6 },
    {
      inline: "hold",
      glued: true,
      nested: true,
      maxSpanLength: 9,
      maxInfoLength: 6,
      maxDepth: 2,
    },
  ];
  const fences = markupText([
    ..."```|````|~~~|`|``|js|md|\n|\n\n|\r\n|\r| |  |    |\t|> |- |1. |x|a b"
      .split("|"),
    ..."\\|<b>|<!--|-->|#|---|===|[a]: /u|&amp;|\ud83d|\ude00".split("|"),
  ]);
  for (const options of all) {
    test(JSON.stringify(options), () => {
      checkLaws({
        make: make(options),
        inputs: fences,
        runs: Math.ceil(RUNS / 4),
        examples: [
          "Text:\n\n- ```js\n  a()\n  ```\n\n> ~~~\n> `x\nend `y` ``",
          "a ```b``` c\n```md\n```js\nx\n```\n```\n``````sh\ny```\n",
          "- - 1. ",
          "`     \r\n  ",
          "````````\n ",
        ],
      });
      checkLaws({ make: make(options), runs: Math.ceil(RUNS / 4) });
    });
  }
});

describe("parts", () => {
  test("offsets, and the fence in full", () => {
    const parts = parse("ab\n~~~ ts x=1\ncd\n~~~\n", new FenceTrackerStream());
    const fence = {
      id: "fence-1",
      info: "ts x=1",
      language: "ts",
      meta: "x=1",
      marker: "~~~",
      start: 3,
    };
    expect(parts).toEqual([
      { type: "text", text: "ab\n", start: 0 },
      { type: "fence-start", fence },
      { type: "text", text: "~~~ ts x=1\n", start: 3, code: "marker" },
      { type: "text", text: "cd\n", start: 14, code: "fence" },
      { type: "text", text: "~~~", start: 17, code: "marker" },
      { type: "fence-end", fence, closed: true, end: 20 },
      { type: "text", text: "\n", start: 20 },
    ]);
    expect(JSON.parse(JSON.stringify(parts))).toEqual(parts);
  });

  test("a part that stays prose is the very same object", () => {
    const part: Part = { type: "text", text: "just some words ", start: 0 };
    const out = run(make()(), [part, { ...part, start: 16 }]);
    expect(out[0]).toBe(part);
    expect(out.length).toBe(2);
    const more: Part = { type: "text", text: "and\nmore\n", start: 0 };
    expect(run(make()(), [more])[0]).toBe(more);
  });

  test("a fence starts as soon as its opening line is complete, and code streams", () => {
    const seen: Part[] = [];
    const { stage } = make()();
    const push = (text: string): string[] => {
      stage.push(text, (part) => seen.push(part));
      return merged(seen.splice(0)).map(shortPart);
    };
    expect(push("a\n```j")).toEqual(["prose: a\n"]);
    expect(push("s\n")).toEqual(["start ```js", "marker: ```js\n"]);
    expect(push("le")).toEqual(["fence: le"]);
    expect(push("t\n")).toEqual(["fence: t\n"]);
    expect(push("``")).toEqual([]);
    expect(push("`\n")).toEqual(["marker: ```", "closed", "prose: \n"]);
  });

  test("strings and parts may be mixed, and gaps in the offsets are kept", () => {
    const parts = run(make()(), [
      "a\n``",
      { type: "text", text: "`js\nb", start: 10 },
    ]);
    expect(parts.map(shortPart)).toEqual([
      "prose: a\n",
      "prose: ``",
      "prose: `js\nb",
    ]);
    expect(parts.at(-1)).toEqual({ type: "text", text: "`js\nb", start: 10 });
  });

  test("works in a pipeThrough chain, a pipeline and readParts", async () => {
    const text = "a\n```\nb\n```\n";
    const expected = parse(text, new FenceTrackerStream());
    const source = (): ReadableStream<string> =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(text);
          controller.close();
        },
      });
    for (
      const stream of [
        source().pipeThrough(new FenceTrackerStream()),
        source().pipeThrough(pipeline(new FenceTrackerStream())),
      ]
    ) {
      const parts: Part[] = [];
      const reader = stream.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        parts.push(value as Part);
      }
      expect(parts).toEqual(expected);
    }
    const read: Part[] = [];
    for await (const part of readParts(source(), new FenceTrackerStream())) {
      read.push(part as Part);
    }
    expect(read).toEqual(expected);
  });
});

describe("other parts", () => {
  const call: Part = {
    type: "tool-call",
    toolCallId: "1",
    toolName: "read",
    input: {},
    origin: "native",
  };
  const usage: Part = { type: "usage", outputTokens: 1 };

  test("a call releases what is held as if the text ended there", () => {
    expect(run(make()(), ["```\na\n```", call, "\nb"]).map(shortPart)).toEqual([
      "start ```",
      "marker: ```\n",
      "fence: a\n",
      "marker: ```",
      "closed",
      "tool-call",
      "prose: \nb",
    ]);
    expect(run(make()(), ["a\n``", call, "`\n"]).map(shortPart)).toEqual([
      "prose: a\n",
      "prose: ``",
      "tool-call",
      "prose: `\n",
    ]);
  });

  test("a notice waits behind what is held, and changes nothing", () => {
    expect(run(make()(), ["a\n``", usage, "`js\nb"]).map(shortPart)).toEqual([
      "prose: a\n",
      "start ```js",
      "marker: ``",
      "usage",
      "marker: `js\n",
      "fence: b",
      "open",
    ]);
    expect(run(make()(), ["a", usage, "b"]).map(shortPart)).toEqual([
      "prose: a",
      "usage",
      "prose: b",
    ]);
  });

  test("text that an upstream tracker marked passes as it is", () => {
    const text = "a\n> ```js\n> b\n> ```\n`c`\n``` d\n";
    const first = parse(text, new FenceTrackerStream({ inline: "hold" }));
    const second = run(make({ mode: "loose", inline: "hold" })(), first);
    expect(second).toEqual(first);
    second.forEach((part, index) => expect(part).toBe(first[index]));
  });

  test("marks that come late end a fence of this tracker", () => {
    const parts = run(make()(), [
      "```\na\n``",
      { type: "text", text: "`\n", start: 8, code: "fence" },
      { type: "text", text: "```\n", start: 10 },
    ]);
    expect(parts.map(shortPart)).toEqual([
      "start ```",
      "marker: ```\n",
      "fence: a\n",
      "fence: ``",
      "open",
      "fence: `\n",
      "prose: ```\n",
    ]);
  });
});

describe("inline: hold", () => {
  const inline = (text: string, maxSpanLength?: number): string[] =>
    track(text, {
      inline: "hold",
      ...(maxSpanLength === undefined ? {} : { maxSpanLength }),
    });

  test("spans are marked, with their ticks", () => {
    expect(inline("a `b` c ``d ` e`` f")).toEqual([
      "prose: a ",
      "inline: `b`",
      "prose:  c ",
      "inline: ``d ` e``",
      "prose:  f",
    ]);
  });

  test("over the lines of a paragraph, not beyond", () => {
    expect(inline("a `b\nc` d")).toEqual([
      "prose: a ",
      "inline: `b\nc`",
      "prose:  d",
    ]);
    for (
      const between of ["\n\n", "\n# ", "\n- ", "\n> ", "\n***\n", "\n<!-- "]
    ) {
      const text = `a \`b${between}c\` d`;
      expect(inline(text), between).toEqual([`prose: ${text}`]);
    }
    expect(inline("a `b\n```\n`\n```\nc` d")).toEqual([
      "prose: a `b\n",
      "start ```",
      "marker: ```\n",
      "fence: `\n",
      "marker: ```",
      "closed",
      "prose: \nc` d",
    ]);
  });

  test("a span that is too long is text, with a warning", () => {
    expect(inline("a `1234567` b", 8)).toEqual([
      "prose: a ",
      "limit 2 10",
      "prose: `1234567` b",
    ]);
    expect(inline("a `1234567 `b` c", 8)).toEqual([
      "prose: a ",
      "limit 2 10",
      "prose: `1234567 ",
      "inline: `b`",
      "prose:  c",
    ]);
  });

  test("without it no prose waits", () => {
    const held = (options: FenceTrackerStreamOptions): number =>
      measureHold(make(options), `a \`${"b ".repeat(300)}`, 20).max;
    expect(held({})).toBe(0);
    expect(held({ inline: "hold" })).toBeGreaterThan(500);
  });
});

describe("mode loose: any run of three or more backticks toggles", () => {
  const loose = (input: string | string[]): string[] =>
    track(input, { mode: "loose" });

  test("outside, partial start, inside, partial end", () => {
    const { stage } = make({ mode: "loose" })();
    const seen: Part[] = [];
    const push = (text: string): string[] => {
      stage.push(text, (part) => seen.push(part));
      return merged(seen.splice(0)).map(shortPart);
    };
    expect(push("a``")).toEqual(["prose: a"]);
    expect(push("`\nb")).toEqual(["start ```", "marker: ```\n", "fence: b"]);
    expect(push("c``")).toEqual(["fence: c"]);
    expect(push("`")).toEqual([]);
    expect(push("d")).toEqual(["marker: ```", "closed", "prose: d"]);
  });

  test("the fence split over chunks", () => {
    expect(loose(["Some text\n`", "``\na", "``", "`\nMore"])).toEqual([
      "prose: Some text\n",
      "start ```",
      "marker: ```\n",
      "fence: a",
      "marker: ```",
      "closed",
      "prose: \nMore",
    ]);
  });

  test("several blocks in one message", () => {
    expect(loose("text ```code1``` more ```code2``` end")).toEqual([
      "prose: text ",
      "start ```",
      "marker: ```",
      "fence: code1",
      "marker: ```",
      "closed",
      "prose:  more ",
      "start ```",
      "marker: ```",
      "fence: code2",
      "marker: ```",
      "closed",
      "prose:  end",
    ]);
  });

  test("single backticks inside a block are literal", () => {
    expect(loose("```\nSome `code` here\n```")).toEqual([
      "start ```",
      "marker: ```\n",
      "fence: Some `code` here\n",
      "marker: ```",
      "closed",
    ]);
  });

  test("a lone double backtick is ordinary text", () => {
    expect(loose("text `` incomplete")).toEqual(["prose: text `` incomplete"]);
    expect(loose("```a``b```")).toEqual([
      "start ```",
      "marker: ```",
      "fence: a``b",
      "marker: ```",
      "closed",
    ]);
  });

  test("code, then something on the same line", () => {
    expect(loose("```\na\n``` <log_message>b</log_message>").slice(-2)).toEqual(
      ["closed", "prose:  <log_message>b</log_message>"],
    );
  });

  test("a directive split anywhere, inside a block and behind it", () => {
    expect(
      loose("Text ```\n<d1>c1</d1>\n``` middle ```\n<d2>c2</d2>\n``` end")
        .filter((part) => !part.startsWith("marker")),
    ).toEqual([
      "prose: Text ",
      "start ```",
      "fence: <d1>c1</d1>\n",
      "closed",
      "prose:  middle ",
      "start ```",
      "fence: <d2>c2</d2>\n",
      "closed",
      "prose:  end",
    ]);
  });

  test("the four-chunk scenario", () => {
    const chunks = [
      "Some text with\n`",
      "``\n<log_message>\n<message>",
      "This is an example</message>\n<level>warn</level>",
      "\n</log_message>\n```\nMore text",
    ];
    const expected = [
      "prose: Some text with\n",
      "start ```",
      "marker: ```\n",
      "fence: <log_message>\n<message>This is an example</message>\n<level>warn</level>\n</log_message>\n",
      "marker: ```",
      "closed",
      "prose: \nMore text",
    ];
    expect(loose(chunks)).toEqual(expected);
    expect(track(chunks)).toEqual(expected);
  });

  test("what follows the run on its line is info, if it may be", () => {
    const info = (text: string): string | undefined =>
      loose(text).find((part) => part.startsWith("start"))?.slice(9);
    expect(info("```ts title=a\nb")).toBe("ts title=a");
    expect(info("a ```ts\nb")).toBe("ts");
    expect(info("a ```b c\nd")).toBe("");
    expect(info("```a`b\nc")).toBe("");
    expect(info("a ```b")).toBe("");
  });

  test("any length toggles, and a run that is too long is text", () => {
    expect(loose("`````a```b").slice(-3)).toEqual([
      "marker: ```",
      "closed",
      "prose: b",
    ]);
    expect(track("a`````b", { mode: "loose", maxInfoLength: 4 })).toEqual([
      "prose: a",
      "limit 1 5",
      "prose: `````b",
    ]);
    expect(track("a```12345", { mode: "loose", maxInfoLength: 6 })).toEqual([
      "prose: a",
      "limit 1 7",
      "start ```",
      "marker: ```",
      "fence: 12345",
      "open",
    ]);
  });
});

describe("glued", () => {
  const glued = (text: string): string[] => track(text, { glued: true });

  test("an opener at the end of a prose line", () => {
    expect(glued("Here is code:```python\na\n```\nb")).toEqual([
      "prose: Here is code:",
      "start ```python",
      "marker: ```python\n",
      "fence: a\n",
      "marker: ```",
      "closed",
      "prose: \nb",
    ]);
  });

  test("no opener: a span, more than a word, a run that waits for its partner", () => {
    for (
      const text of [
        "Use ```a``` or ```b``` here.\n",
        "Use ```a``` or ```b```\n",
        "Use ```a b\nc",
        "Use ``a ```\nc``",
        "# Use ```js\n",
        "    Use ```js\n",
        "a ``` `\n",
      ]
    ) {
      expect(glued(text), text).toEqual([`prose: ${text}`]);
      expect(track(text), text).toEqual([`prose: ${text}`]);
    }
  });

  test("a closer at the end of a code line", () => {
    expect(glued("```js\na()```  \nb")).toEqual([
      "start ```js",
      "marker: ```js\n",
      "fence: a()",
      "marker: ```  ",
      "closed",
      "prose: \nb",
    ]);
    expect(glued("```\nUse ```a``` here ```b```\n```").slice(2, 3)).toEqual([
      "fence: Use ```a``` here ```b```\n",
    ]);
  });

  test("a closer with a tag or the next opener right behind it", () => {
    expect(glued("```js\na()\n```<think>\nhmm\n")).toEqual([
      "start ```js",
      "marker: ```js\n",
      "fence: a()\n",
      "marker: ```",
      "closed",
      "prose: <think>\nhmm\n",
    ]);
    expect(glued("```js\na()\n```< b\n```").slice(2, 3)).toEqual([
      "fence: a()\n```< b\n",
    ]);
    expect(glued("```patch a.py\n-x\n``````shell\nls\n```\n")).toEqual([
      "start ```patch a.py",
      "marker: ```patch a.py\n",
      "fence: -x\n",
      "marker: ```",
      "closed",
      "start ```shell",
      "marker: ```shell\n",
      "fence: ls\n",
      "marker: ```",
      "closed",
      "prose: \n",
    ]);
    expect(glued("```\na\n``````\nb").slice(-3)).toEqual([
      "marker: ``````",
      "closed",
      "prose: \nb",
    ]);
  });

  test("off by default: text behind the run is content", () => {
    expect(track("```js\na()\n```<think>\n").slice(2)).toEqual([
      "fence: a()\n```<think>\n",
      "open",
    ]);
  });
});

describe("nested", () => {
  const nested = (text: string): string[] =>
    track(text, { nested: true }).filter((part) => !part.startsWith("marker"));

  test("a fence line with an info word deepens, in Markdown only", () => {
    expect(nested("```markdown\n# T\n```bash\nls\n```\nmore\n```\nEnd.\n"))
      .toEqual([
        "start ```markdown",
        "fence: # T\n```bash\nls\n```\nmore\n",
        "closed",
        "prose: \nEnd.\n",
      ]);
    expect(nested("```text\n```bash\nls\n```\nmore\n")).toEqual([
      "start ```text",
      "fence: ```bash\nls\n",
      "closed",
      "prose: \nmore\n",
    ]);
  });

  test("several levels, a longer run, no info with a tick", () => {
    expect(nested("```md\n```md\n```js\n```\n```\n```\nend")).toEqual([
      "start ```md",
      "fence: ```md\n```js\n```\n```\n",
      "closed",
      "prose: \nend",
    ]);
    expect(nested("```mdx\n````js\n```\n````\n```\nend")).toEqual([
      "start ```mdx",
      "fence: ````js\n```\n````\n",
      "closed",
      "prose: \nend",
    ]);
    expect(nested("```md\n```a`\n```\nend")).toEqual([
      "start ```md",
      "fence: ```a`\n",
      "closed",
      "prose: \nend",
    ]);
  });
});

describe("options", () => {
  test("wrong ones throw", () => {
    const wrong = (options: unknown): () => void => () => {
      new FenceTrackerStream(options as FenceTrackerStreamOptions);
    };
    expect(wrong({ mode: "strict" })).toThrow(TypeError);
    expect(wrong({ inline: "mark" })).toThrow(TypeError);
    expect(wrong({ maxInfoLength: 0 })).toThrow(RangeError);
    expect(wrong({ maxDepth: NaN })).toThrow(RangeError);
    expect(wrong({ maxSpanLength: -1 })).toThrow(RangeError);
    expect(wrong({ snapshot: { stage: "other" } })).toThrow(TypeError);
    expect(wrong({ snapshot: null })).toThrow(TypeError);
  });
});

test("the warning of too deep a list stands at its marker, the last of the text too", () => {
  for (
    const [text, start] of [[">*", 1], [">1.", 2], [">* x", 2], [
      ">>",
      1,
    ]] as const
  ) {
    for (const chunks of [[text], text.split("")]) {
      const parts = run(new FenceTrackerStream({ maxDepth: 1 }), chunks);
      expect(parts.filter(({ type }) => type === "warning"), text)
        .toMatchObject([{ code: "limit", start, end: start + 1 }]);
    }
  }
});

describe("bounds", () => {
  const prose =
    "Some words of an answer, with `code` and\n1. a list\n2. of things.\n\n" +
    "- and more, *to be sure*\n\n# Heading\n\nA last paragraph, which is long enough.\n";
  const code = "```ts\nconst a = `b`;\nif (a) {\n  call(a);\n}\n```\n\n";

  test("hold-back in chunks of 20: at most 0.15 in the mean, never a line of prose", () => {
    const mixed = `${prose.repeat(3)}${code}`.repeat(50);
    expect(measureHold(make(), mixed, 20).mean).toBeLessThan(0.15);
    expect(measureHold(make(), prose.repeat(50), 20).max).toBeLessThanOrEqual(
      3,
    );
    expect(measureHold(make(), prose.repeat(50), 1).max).toBeLessThanOrEqual(3);
    expect(measureHold(make(), code.repeat(50), 1).max).toBeLessThanOrEqual(5);
  });

  /** Hostile texts of about a length. */
  const hostile: Record<string, (length: number) => string> = {
    "one line": (length) => "a".repeat(length),
    "one line of code": (length) => `~~~\n${"a`".repeat(length / 2)}`,
    "backticks": (length) => "`".repeat(length),
    "backticks in a fence": (length) => `\`\`\`\n${"`".repeat(length)}`,
    "blanks": (length) => " ".repeat(length),
    "blanks in a fence": (length) => `- ~~~\n${" ".repeat(length)}`,
    "quote marks": (length) => ">".repeat(length),
    "list markers": (length) => "- ".repeat(length / 2),
    "list items": (length) => "- a\n".repeat(length / 4),
    "deep list, blank lines": (length) =>
      `${"- ".repeat(99)}a\n${"\n".repeat(length)}`,
    "opening lines": (length) => "```\n".repeat(length / 4),
    "runs of ticks": (length) => "` `` ``` ".repeat(length / 9),
    "definitions": (length) => "[a]: /u\n".repeat(length / 8),
    "tag": (length) => `<a b='${"x".repeat(length)}`,
    "comment": (length) => `<!-- ${"-".repeat(length)}`,
    "breaks": (length) => `${"* ".repeat(length / 2)}x`,
  };
  for (const [name, text] of Object.entries(hostile)) {
    test(`linear: ${name}`, () => {
      for (
        const options of [{ mode: "commonmark" }, { inline: "hold" }] as const
      ) {
        const time = (length: number): number => {
          const input = text(length);
          const { stage } = make(options)();
          const before = performance.now();
          for (let at = 0; at < input.length; at += 7) {
            stage.push(input.slice(at, at + 7), () => {});
          }
          stage.end(() => {});
          return (performance.now() - before) / input.length;
        };
        // Quadratic would be 10 and more; memory makes it up to 3.
        let growth = Infinity;
        for (let tries = 0; growth > 5 && tries < 4; tries++) {
          growth = time(200_000) / (time(20_000) + 2e-5);
        }
        expect(growth).toBeLessThan(5);
      }
    });
  }

  test("10,000 nested quotes and 100,000 list items: few containers are kept", () => {
    const { stage } = make()();
    stage.push(`${"> ".repeat(10_000)}a\n`, () => {});
    stage.push("- a\n".repeat(100_000), () => {});
    expect(JSON.stringify(stage.snapshot()).length).toBeLessThan(2_000);
  });
});
