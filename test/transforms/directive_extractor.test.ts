import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  DirectiveExtractorStream,
  type DirectiveExtractorStreamOptions,
  type FenceMode,
  FenceTrackerStream,
  parse,
  type Part,
  type PartOf,
} from "../../mod.ts";
import {
  checkBarrier,
  checkChunkInvariance,
  checkConservation,
  checkLaws,
  checkSnapshots,
  coverage,
  cut,
  cuttings,
  least,
  markupText,
  measureGrowth,
  measureHold,
  merged,
  random,
  run,
  RUNS,
  textOf,
} from "../laws.ts";
import { readDirectives } from "../support/directive_oracle.ts";

type Options = DirectiveExtractorStreamOptions;

const make = (options: Options) => (snapshot?: unknown) =>
  new DirectiveExtractorStream({ ...options, snapshot }) as never;

/** Merged parts of chunks. */
function extract(input: string | string[], options: Options): Part[] {
  const chunks = typeof input === "string" ? [input] : input;
  return merged(run(make(options)(), chunks));
}

type Entry = string | [
  name: string,
  content: string,
  more?: Record<string, unknown>,
];

/** Text as strings, directives as `[name, content]`, with attributes and `partial` where there are some. */
function brief(parts: readonly Part[]): Entry[] {
  const entries: Entry[] = [];
  for (const part of parts) {
    const last = entries.at(-1);
    if (part.type === "text") {
      if (typeof last === "string") {
        entries[entries.length - 1] = last + part.text;
      } else entries.push(part.text);
    } else if (part.type === "directive") {
      const more = {
        ...(Object.keys(part.attributes).length > 0 ? part.attributes : {}),
        ...(part.complete ? {} : { partial: true }),
      };
      entries.push(
        Object.keys(more).length > 0
          ? [part.name, part.content, more]
          : [part.name, part.content],
      );
    }
  }
  return entries;
}

/** Checks what comes out, in every cutting, and that nothing is lost. */
function check(
  input: string | string[],
  options: Options,
  expected: Entry[],
): void {
  const text = typeof input === "string" ? input : input.join("");
  const ways = typeof input === "string" ? [[input]] : [input, [text]];
  for (const chunks of [...ways, ...cuttings(text)]) {
    const parts = extract(chunks, options);
    expect(brief(parts), JSON.stringify(chunks)).toEqual(expected);
    checkConservation(text, parts);
  }
  checkChunkInvariance(make(options), text);
}

function warnings(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => part.type === "warning" ? [part.code] : []);
}

function directives(parts: readonly Part[]): PartOf<"directive">[] {
  return parts.filter((part) => part.type === "directive");
}

const log: Options = { directives: ["log"] };
const think: Options = { directives: ["think"] };
const messages: Options = { directives: ["log_message", "message", "level"] };

describe("requirement A: a directive parser that leaves code alone", () => {
  test("the four-chunk scenario is one text", () => {
    const chunks = [
      "Some text with\n`",
      "``\n<log_message>\n<message>",
      "This is an example</message>\n<level>warn</level>",
      "\n</log_message>\n```\nMore text",
    ];
    check(chunks, messages, [chunks.join("")]);
  });

  test("a directive inside a code block is text", () => {
    const text =
      "Some text\n```\n<log_message>content</log_message>\n```\nMore text";
    check(text, messages, [text]);
  });

  test("two blocks in one line are two suppressed regions", () => {
    const text = "text ```code1``` more ```code2``` end";
    check(text, messages, [text]);
    const tagged =
      "a ```<message>1</message>``` b ```<message>2</message>``` c ";
    for (const mode of ["tolerant", "loose"] as const) {
      check(`${tagged}<message>3</message>`, { ...messages, mode }, [
        tagged,
        ["message", "3"],
      ]);
    }
  });

  test("a lone double backtick is ordinary text", () => {
    check("text `` incomplete", messages, ["text `` incomplete"]);
    check("text `` incomplete <level>warn</level>\n\nmore", messages, [
      "text `` incomplete ",
      ["level", "warn"],
      "\n\nmore",
    ]);
  });

  test("single backticks inside a block are literal", () => {
    const text = "```\na ` b <level>x</level> ` c\n```\n";
    for (const mode of ["tolerant", "loose"] as const) {
      check(`${text}<level>warn</level>`, { ...messages, mode }, [
        text,
        ["level", "warn"],
      ]);
    }
  });

  test("code then a directive on the same line", () => {
    check("text ```code``` <level>warn</level> end", messages, [
      "text ```code``` ",
      ["level", "warn"],
      " end",
    ]);
    check(
      "```\ncode\n``` <level>warn</level>",
      { ...messages, mode: "loose" },
      [
        "```\ncode\n``` ",
        ["level", "warn"],
      ],
    );
  });

  test("the loose mode: inside and outside toggle at any run of three", () => {
    check(
      "Some text ```\n<level>a</level>\n```\nMore text\n<level>b</level>",
      { ...messages, mode: "loose" },
      [
        "Some text ```\n<level>a</level>\n```\nMore text\n",
        ["level", "b"],
      ],
    );
  });

  test("tags, attributes and content split anywhere", () => {
    check(
      "a <log level=\"warn\" at='x > y'>disk\n<full></log> b",
      log,
      ["a ", ["log", "disk\n<full>", { level: "warn", at: "x > y" }], " b"],
    );
  });

  test("typed values in order with the text around them, and partial content before", () => {
    const stream = new DirectiveExtractorStream({
      directives: {
        log_message: {
          fields: ["message", "level"],
          schema: {
            type: "object",
            properties: {
              message: { type: "string" },
              level: { enum: ["info", "warn"] },
            },
            required: ["message", "level"],
          },
        },
      },
      partials: true,
    });
    const parts: Part[] = [];
    const emit = (part: Part) => {
      parts.push(part);
    };
    stream.stage.push("Hi <log_message><message>Disk f", emit as never);
    const delta = parts.at(-1) as { partial?: unknown };
    expect(delta.partial).toEqual({
      content: "<message>Disk f",
      fields: { message: "Disk f" },
    });
    stream.stage.push(
      "ull</message><level>warn</level></log_message> bye",
      emit as never,
    );
    stream.stage.end(emit as never);
    expect(directives(parts)[0]?.value).toEqual({
      message: "Disk full",
      level: "warn",
    });
    expect(textOf(parts)).toBe("Hi  bye");
  });
});

describe("tags", () => {
  test("attributes: double, single, without quotes, without value, over lines", () => {
    check(
      '<log a="1 > 0" b=\'"\' c=x/y= d\n e = "2"f=3>x</log>',
      log,
      [["log", "x", {
        a: "1 > 0",
        b: '"',
        c: "x/y=",
        d: "",
        e: "2",
        f: "3",
      }]],
    );
  });

  test("self-closing tags; a slash at the end of a bare value belongs to it", () => {
    check('a<log/>b<log n="1" />c', log, [
      "a",
      ["log", ""],
      "b",
      ["log", "", { n: "1" }],
      "c",
    ]);
    check("<log href=/a/b/>x</log>", log, [["log", "x", { href: "/a/b/" }]]);
  });

  test("a name that comes twice keeps its first value, and no name is special", () => {
    const [part] = directives(
      extract("<log a=1 a=2 __proto__=3 constructor>x</log>", log),
    );
    expect(Object.entries(part!.attributes)).toEqual([
      ["a", "1"],
      ["__proto__", "3"],
      ["constructor", ""],
    ]);
    expect(Object.getPrototypeOf(part!.attributes)).toBe(Object.prototype);
  });

  test("what is none stays: comparisons, generics, links, unknown and longer names", () => {
    for (
      const text of [
        "if a < b and c > d then x<y",
        "Array<string>, Map<K, V>, <T>",
        "<https://example.org> <!-- c --> <logger>x</logger> <Log>y</Log>",
        "< log>x</log> </log> </ log> <log/x> <log / > <log =a> <log a=>",
        "<log a=`b`> <log 'x'> <log a='b'`> <lo",
        "<log",
        "<log a='unclosed\n\nNext paragraph",
      ]
    ) check(text, log, [text]);
  });

  test("half tags at the end: text outside, content inside", () => {
    check(["answer: ", "<th"], think, ["answer: <th"]);
    check("<think>plan</th", think, [
      ["think", "plan</th", { partial: true }],
    ]);
    check("<think>plan</think ", think, [
      ["think", "plan</think ", { partial: true }],
    ]);
  });

  test("a candidate that dies does not take a tag inside it along", () => {
    check("<log a='<log>x</log>", log, ["<log a='", ["log", "x"]]);
    check("<log <log>x</log>", log, ["<log ", ["log", "x"]]);
    check("<<log>x</log>", log, ["<", ["log", "x"]]);
  });

  test("white space is kept byte for byte", () => {
    check("  <log>\r\n  a\r</log>\n\n", log, [
      "  ",
      ["log", "\r\n  a\r"],
      "\n\n",
    ]);
  });

  test("a directive in a directive: content, and balanced for its own name", () => {
    check("<log>a<log>b</log>c</log>d", log, [
      ["log", "a<log>b</log>c"],
      "d",
    ]);
    check("<log>a<log/>b</log>d", log, [["log", "a<log/>b"], "d"]);
    check("<log>a<think>b</log>c</think>", { directives: ["log", "think"] }, [
      ["log", "a<think>b"],
      "c</think>",
    ]);
    check(
      "<log>a<log>b</log>c</log>d",
      { directives: { log: { nesting: "flat" } } },
      [["log", "a<log>b"], "c</log>d"],
    );
    check(
      "<think>a<think>b</think>c</think>d",
      { directives: { think: { nesting: "balanced" } } },
      [["think", "a<think>b</think>c"], "d"],
    );
  });

  test("start at the opener, deltas at once, the whole at the closer", () => {
    const { stage } = new DirectiveExtractorStream(log);
    const parts: Part[] = [];
    const push = (text: string): string[] => {
      parts.length = 0;
      stage.push(text, (part) => parts.push(part as Part));
      return parts.map((part) => part.type);
    };
    expect(push("a <log x=1")).toEqual(["text"]);
    expect(push(">")).toEqual(["directive-start"]);
    expect(parts[0]).toEqual({
      type: "directive-start",
      id: "directive-2",
      name: "log",
      attributes: { x: "1" },
      start: 2,
    });
    expect(push("b")).toEqual(["directive-delta"]);
    expect(push(" <")).toEqual(["directive-delta"]);
    expect(push("c </lo")).toEqual(["directive-delta", "directive-delta"]);
    expect(merged(parts)).toEqual([{
      type: "directive-delta",
      id: "directive-2",
      name: "log",
      text: "<c ",
    }]);
    expect(push("g>d")).toEqual(["directive", "text"]);
    expect(parts[0]).toEqual({
      type: "directive",
      id: "directive-2",
      name: "log",
      attributes: { x: "1" },
      content: "b <c ",
      complete: true,
      raw: "<log x=1>b <c </log>",
      start: 2,
      end: 22,
    });
  });
});

describe("code", () => {
  test("nothing fires in a fence, opener or closer", () => {
    const text = "~~~xml\n<log>a</log>\n~~~\n";
    check(`${text}<log>b</log>`, log, [text, ["log", "b"]]);
    check(
      '<save path="a.md">\n```html\n</save>\n<save>\n```\nok\n</save>\nbye',
      { directives: ["save"] },
      [
        ["save", "\n```html\n</save>\n<save>\n```\nok\n", { path: "a.md" }],
        "\nbye",
      ],
    );
  });

  test("nothing fires in a code span, over the lines of a paragraph", () => {
    for (
      const text of [
        "Write `<log>draft</log>` as the tag.",
        "see `foo\n<log>x</log>` ok",
        "`` a ` <log>x</log> ``",
        "> `a\n> <log>x</log>` z",
        "` `` <log>x</log> `` <log>y</log> `",
      ]
    ) check(text, log, [text]);
  });

  test("a run that does not close in its paragraph hides nothing", () => {
    check("a stray ` tick here\n\n<log>x</log>` ", log, [
      "a stray ` tick here\n\n",
      ["log", "x"],
      "` ",
    ]);
    check("5` long <log>x</log>\n\nend `", log, [
      "5` long ",
      ["log", "x"],
      "\n\nend `",
    ]);
    check("- a `\n- <log>x</log> ` z", log, [
      "- a `\n- ",
      ["log", "x"],
      " ` z",
    ]);
    check("`\n```\n` <log>x</log>\n```\n", log, [
      "`\n```\n` <log>x</log>\n```\n",
    ]);
  });

  test("when the first run is literal, the later ones are looked at again", () => {
    check("` <log>a</log> `` <log>b</log> ``\n\nc", log, [
      "` ",
      ["log", "a"],
      " `` <log>b</log> ``\n\nc",
    ]);
    check("` <log>a `` </log> `` b</log>\n\nc", log, [
      "` ",
      ["log", "a `` </log> `` b"],
      "\n\nc",
    ]);
  });

  test("ticks in a tag belong to it, unless a run before it is open", () => {
    check("<log a='`'>x</log> `", log, [["log", "x", { a: "`" }], " `"]);
    check("` <log a='`'>x</log>", log, ["` <log a='`'>x</log>"]);
    check("` <log a='``'>x</log>", log, ["` ", ["log", "x", { a: "``" }]]);
    check("` <log a='` <log>x</log>", log, [
      "` <log a='` ",
      ["log", "x"],
    ]);
  });

  test("nothing fires behind a back-slash, unless that is escaped itself", () => {
    check("\\<log>x</log>", log, ["\\<log>x</log>"]);
    check("\\\\<log>x</log>", log, ["\\\\", ["log", "x"]]);
    check("<log>a\\</log>b</log>", log, [["log", "a\\</log>b"]]);
    check("\\`<log>x</log>`", log, ["\\`", ["log", "x"], "`"]);
    check("`\\` <log>x</log> `", log, ["`\\` ", ["log", "x"], " `"]);
  });

  test("the tag is held, never the prose; what follows it waits with it", () => {
    const { stage } = new DirectiveExtractorStream(log);
    const parts: Part[] = [];
    const emit = (part: unknown) => {
      parts.push(part as Part);
    };
    stage.push("5` long ", emit);
    expect(textOf(parts)).toBe("5` long ");
    stage.push("words <log>x</log> and", emit);
    expect(textOf(parts)).toBe("5` long words ");
    stage.push(" more\n\n", emit);
    expect(brief(parts)).toEqual([
      "5` long words ",
      ["log", "x"],
      " and more\n\n",
    ]);
  });

  test("codeAware: false switches all of that off", () => {
    const off: Options = { ...log, codeAware: false };
    check("`<log>x</log>`", off, ["`", ["log", "x"], "`"]);
    check("```\n<log>x</log>\n```", off, ["```\n", ["log", "x"], "\n```"]);
    check("\\<log>x</log>", off, ["\\", ["log", "x"]]);
  });

  test("a directive left open in a fence says where its closer seems to be", () => {
    const parts = extract("<save>\n```\n</save>\n", { directives: ["save"] });
    const warning = parts.find((part) => part.type === "warning");
    expect(warning?.code).toBe("quoted");
    expect(warning?.message).toContain("offset 11");
    expect(directives(parts)[0]?.complete).toBe(false);
  });

  test("a line that the own tracker cannot read is reported, in its place", () => {
    const line = `\`\`\`${"x".repeat(2_000)}\n`;
    const inputs = [`${line}a <log>b</log>`, `${line}no directive`];
    for (const input of inputs) {
      const parts = extract(input, log);
      expect(warnings(parts)).toEqual(["limit"]);
      checkChunkInvariance(make(log), input, [
        input.split(""),
        cut(input, [10, 1_500, 2_004]),
      ]);
    }
  });
});

describe("reasoning", () => {
  test("reasoning: true makes parts of the usual names", () => {
    for (
      const name of ["think", "thinking", "thought", "Thought", "reflection"]
    ) {
      const parts = extract(`a<${name}>b</${name}>c`, { reasoning: true });
      expect(parts.map((part) => part.type)).toEqual([
        "text",
        "directive-start",
        "reasoning",
        "directive",
        "text",
      ]);
      expect(parts[2]).toEqual({ type: "reasoning", text: "b" });
    }
    expect(brief(extract("<ponder>b</ponder>", { reasoning: ["ponder"] })))
      .toEqual([["ponder", "b"]]);
  });

  test("a declared name keeps its definition", () => {
    const parts = extract("<think>a</think>", {
      directives: { think: {} },
      reasoning: true,
    });
    expect(parts.map((part) => part.type)).toEqual([
      "directive-start",
      "directive-delta",
      "directive",
    ]);
  });

  test("the first closer wins, a second one is text", () => {
    check("<think>a <think>b</think> c</think>d", think, [
      ["think", "a <think>b"],
      " c</think>d",
    ]);
  });

  test("a closer beats an open fence, and code after it is code again", () => {
    check("<think>x\n```py\ncode\n</think>\nUse:\n```\n<think>\n```\n", think, [
      ["think", "x\n```py\ncode\n"],
      "\nUse:\n```\n<think>\n```\n",
    ]);
    check("<think>x\n```\ny\n```</think>z", think, [
      ["think", "x\n```\ny\n```"],
      "z",
    ]);
    check("<think>x\n~~~ y</think>z\n<think>", think, [
      ["think", "x\n~~~ y"],
      "z\n",
      ["think", "", { partial: true }],
    ]);
    check("> <think>\n> ```\n> </think>\nz", think, [
      "> ",
      ["think", "\n> ```\n> "],
      "\nz",
    ]);
  });

  test("a closer is hidden only by a span on its line", () => {
    check("<think>a ` tick\n</think>Use `ls` now.", think, [
      ["think", "a ` tick\n"],
      "Use `ls` now.",
    ]);
    check("<think>a ` tick\nthe tag `</think>` ends it</think>ok", think, [
      ["think", "a ` tick\nthe tag `</think>` ends it"],
      "ok",
    ]);
    check("<think>it's a ` tick</think>\nUse `ls` now.", think, [
      ["think", "it's a ` tick"],
      "\nUse `ls` now.",
    ]);
    check("<think>the tag `</think>` ends it</think>ok", think, [
      ["think", "the tag `</think>` ends it"],
      "ok",
    ]);
    check("<think>a ` b `` c </think> `` d\n` e</think>", think, [
      ["think", "a ` b `` c </think> `` d\n` e"],
    ]);
  });

  test("startInside: the opener was part of the prompt", () => {
    const inside: Options = { ...think, startInside: "think" };
    check(["Let me", "... fine.</th", "ink>The cause."], inside, [
      ["think", "Let me... fine."],
      "The cause.",
    ]);
    check("Just an answer", inside, [
      ["think", "Just an answer", { partial: true }],
    ]);
    check("", inside, [["think", "", { partial: true }]]);
    check("</think>", inside, [["think", ""]]);
    const [start] = extract("x", inside);
    expect(start?.type).toBe("directive-start");
  });

  test("onlyAtStart: later mentions are text", () => {
    const first: Options = { ...think, onlyAtStart: true };
    check("<think>reason</think>Use </think> to close.", first, [
      ["think", "reason"],
      "Use </think> to close.",
    ]);
    check(" \n<think>a</think>b<think>c</think>", first, [
      " \n",
      ["think", "a"],
      "b<think>c</think>",
    ]);
    check("Hi <think>a</think>", first, ["Hi <think>a</think>"]);
    check("<thin <think>a</think>", first, ["<thin <think>a</think>"]);
  });

  test("as: reasoning, held: one reasoning part at the closer", () => {
    const parts = extract("<think>a</think>", {
      reasoning: true,
      unclosed: "text",
    });
    expect(parts.map((part) => part.type)).toEqual([
      "directive-start",
      "reasoning",
      "directive",
    ]);
  });
});

describe("containers", () => {
  const container: Options = {
    directives: ["artifact", "note"],
    dialect: "container",
  };

  test("opener and closer lines are markup, with their line ends", () => {
    check(
      'Intro\n\n:::artifact{identifier="a-1" title="Hi > }"}\n```html\n:::\n```\n:::\n\nBye',
      container,
      [
        "Intro\n\n",
        ["artifact", "```html\n:::\n```\n", {
          identifier: "a-1",
          title: "Hi > }",
        }],
        "\nBye",
      ],
    );
    check("a\r\n  :::note\r\nx\r\n   :::  \r\nb", container, [
      "a\r\n",
      ["note", "x\r\n"],
      "b",
    ]);
    check(":::note\rx\r:::\rb", container, [["note", "x\r"], "b"]);
    check(":::note\nx\n:::", container, [["note", "x\n"]]);
    check(":::note", container, [["note", "", { partial: true }]]);
  });

  test("label, shorthands and values", () => {
    const parts = extract(
      ":::note[A [b] \\] c]{#x .y .z k=1 class='w' q}\nx\n:::\n",
      container,
    );
    const [part] = directives(parts);
    expect((part as { label?: string }).label).toBe("A [b] \\] c");
    expect(part?.attributes).toEqual({
      id: "x",
      k: "1",
      q: "",
      class: "y z w",
    });
  });

  test("colons in prose are never directives", () => {
    for (
      const text of [
        "At 10:30 on localhost:8080, see :::",
        "a :::note\nx\n:::\n",
        "::: note\nx\n:::\n",
        ":::note title\nx\n:::\n",
        "::note\n",
        ":::other\nx\n:::\n",
        ":::notes\nx\n:::\n",
        "    :::note\nx\n:::\n",
        "```\n:::note\nx\n:::\n```\n",
        ":::note{a='\n'}\n",
        ":::note[a\n]\n",
        ":::note {a=b}\n",
      ]
    ) check(text, container, [text]);
  });

  test("a closer with text behind it is content", () => {
    check(":::note\nx\n::: trailing\n:::\nafter", container, [
      ["note", "x\n::: trailing\n"],
      "after",
    ]);
  });

  test("nesting: by length, and balanced for equal lengths", () => {
    check(":::note\n:::other\nx\n:::\n:::\nafter", container, [
      ["note", ":::other\nx\n:::\n"],
      "after",
    ]);
    check("::::note\n:::other\nx\n::::\nafter", container, [
      ["note", ":::other\nx\n"],
      "after",
    ]);
    check("::::note\nx\n:::\ny\n:::::\nafter", container, [
      ["note", "x\n:::\ny\n"],
      "after",
    ]);
    check(
      ":::note\n:::note\nx\n:::\n:::\nafter",
      { directives: { note: { nesting: "flat" } }, dialect: "container" },
      [["note", ":::note\nx\n"], ":::\nafter"],
    );
  });

  test("reasoning containers close in an open fence; raw ones anywhere", () => {
    for (const definition of [{ as: "reasoning" }, { raw: true }] as const) {
      check(
        ":::plan\n```\nx\n:::\nafter\n```\n:::plan\n```",
        { directives: { plan: definition }, dialect: "container" },
        [["plan", "```\nx\n"], "after\n```\n:::plan\n```"],
      );
    }
  });

  test("a container left open in a fence says where its closer seems to be", () => {
    const parts = extract(":::note\n```\n:::\n", container);
    const warning = parts.find((part) => part.type === "warning");
    expect(warning?.code).toBe("quoted");
    expect(warning?.message).toContain("offset 12");
  });
});

describe("definitions", () => {
  const fields: Options = {
    directives: { log: { fields: ["message", "level"] } },
  };

  test("fields: one-level tags right inside, as written", () => {
    const [part] = directives(extract(
      "<log>\n<message a=1> Disk\n full </message><x>?</x><level>3</level></log>",
      fields,
    ));
    expect(part?.fields).toEqual({ message: " Disk\n full ", level: "3" });
    expect(part?.content).toBe(
      "\n<message a=1> Disk\n full </message><x>?</x><level>3</level>",
    );
  });

  test("fields: balanced, empty, repeated, in code, missing", () => {
    const of = (content: string) =>
      directives(extract(`<log>${content}</log>`, fields))[0]!.fields;
    expect(of("<message>a<message>b</message>c</message>")).toEqual({
      message: "a<message>b</message>c",
    });
    expect(of("<message/><level></level>")).toEqual({ message: "", level: "" });
    expect(of("<level>1</level><level>2</level>")).toEqual({ level: "2" });
    expect(of("<message>a `</message>` b</message>")).toEqual({
      message: "a `</message>` b",
    });
    expect(of("<message>about <log>x</log> tags</message>")).toEqual({
      message: "about <log>x</log> tags",
    });
    expect(of("<message>about the <log> tag</message>")).toEqual({
      message: "about the <log> tag",
    });
    expect(of("<log><level>1</level></log>")).toEqual({});
    expect(of("none")).toEqual({});
  });

  test("a field without closer is reported and is not among the fields", () => {
    const parts = extract("<log><level>1</level><message>a</log>b", fields);
    expect(warnings(parts)).toEqual(["malformed"]);
    expect(directives(parts)[0]?.fields).toEqual({ level: "1" });
    expect(directives(parts)[0]?.complete).toBe(true);
    checkChunkInvariance(
      make(fields),
      "<log><level>1</level><message>a</log>b",
    );
  });

  test("a JSON Schema converts what it names and refuses the rest", () => {
    const schema = {
      type: "object",
      properties: {
        message: { type: "string" },
        level: { type: "integer" },
        kind: { enum: ["a", "b"] },
      },
      required: ["message"],
    } as const;
    const options: Options = {
      directives: {
        log: { fields: ["message", "level", "kind"], schema },
      },
    };
    const value = (content: string) => {
      const parts = extract(`<log>${content}</log>`, options);
      return [directives(parts)[0]?.value, ...warnings(parts)];
    };
    expect(value("<message>5</message><level> 3 </level>")).toEqual([
      { message: "5", level: 3 },
    ]);
    expect(value("<message>5</message><level>high</level>")).toEqual([
      undefined,
      "schema",
    ]);
    expect(value("<level>3</level>")).toEqual([undefined, "schema"]);
    expect(value("<message/><kind>c</kind>")).toEqual([undefined, "schema"]);
    expect(value("<message/><kind>b</kind>")).toEqual([
      { message: "", kind: "b" },
    ]);
  });

  test("without fields the content is the value", () => {
    const value = (content: string, schema: object) => {
      const parts = extract(`<log>${content}</log>`, {
        directives: { log: { schema: schema as never } },
      });
      return [directives(parts)[0]?.value, ...warnings(parts)];
    };
    expect(value(" a ", { type: "string" })).toEqual([" a "]);
    expect(value("5", { type: "number" })).toEqual([5]);
    expect(value('{"a": [1, 2,]}', { type: "object" })).toEqual([
      { a: [1, 2] },
      "repaired",
    ]);
    expect(value("no", { type: "object" })).toEqual([undefined, "schema"]);
    expect(value('{"a": {"b": 2}}', {
      type: "object",
      properties: { a: { properties: { b: { const: 1 } } } },
    })).toEqual([undefined, "schema"]);
    expect(value('[{"a": 1}, {}]', {
      type: "array",
      items: { type: "object", required: ["a"] },
    })).toEqual([undefined, "schema"]);
  });

  test("a Standard Schema gives its output", () => {
    const positive = {
      "~standard": {
        version: 1 as const,
        vendor: "test",
        validate: (value: unknown) =>
          typeof value === "number" && value > 0
            ? { value: value * 2 }
            : { issues: [{ message: "Not positive" }] },
      },
    };
    const value = (content: string) => {
      const parts = extract(`<log>${content}</log>`, {
        directives: { log: { schema: positive } },
      });
      return [directives(parts)[0]?.value, ...warnings(parts)];
    };
    expect(value("21")).toEqual([42]);
    expect(value("-1")).toEqual([undefined, "schema"]);
    expect(value("x")).toEqual([undefined, "schema"]);
  });

  test("an incomplete directive has no value", () => {
    const parts = extract("<log>5", {
      directives: { log: { schema: { type: "number" } } },
    });
    expect(directives(parts)[0]).not.toHaveProperty("value");
    expect(warnings(parts)).toEqual([]);
  });

  test("raw: the first closer ends it, wherever it stands", () => {
    const raw: Options = { directives: { log: { raw: true } } };
    check("<log>a <log> `b</log> c`", raw, [["log", "a <log> `b"], " c`"]);
    check("<log>\n```\n\\</log>x\n```\n<log>", raw, [
      ["log", "\n```\n\\"],
      "x\n```\n<log>",
    ]);
  });
});

describe("options", () => {
  test("caseInsensitive: parts have the name as written", () => {
    check("<Log>A</LOG> <log>b</log>", { ...log, caseInsensitive: true }, [
      ["Log", "A"],
      " ",
      ["log", "b"],
    ]);
    const [part] = directives(extract("<log><LEVEL>1</level></log>", {
      directives: { LOG: { fields: ["Level"] } },
      caseInsensitive: true,
    }));
    expect(part?.fields).toEqual({ Level: "1" });
  });

  test("decodeEntities: once, in attributes, content, fields and deltas", () => {
    const options: Options = {
      directives: { log: { fields: ["f"] } },
      decodeEntities: true,
    };
    const text =
      '<log t="a &quot;b&quot;">x &amp;lt; &#65;&x; & <f>&gt;</f>&am</log>';
    for (const chunks of [[text], ...cuttings(text)]) {
      const parts = extract(chunks, options);
      const content = "x &lt; A&x; & <f>></f>&am";
      const [part] = directives(parts);
      expect(part?.attributes).toEqual({ t: 'a "b"' });
      expect(part?.content).toBe(content);
      expect(part?.fields).toEqual({ f: ">" });
      expect(part?.raw).toBe(text);
      const delta = parts.filter((one) => one.type === "directive-delta");
      expect(delta.map((one) => one.text).join("")).toBe(content);
    }
  });

  test("unclosed: text holds the directive until its closer", () => {
    const held: Options = { ...log, unclosed: "text" };
    check("a <log>b</log> c <log>d", held, ["a ", ["log", "b"], " c <log>d"]);
    check("<log>b <log>x</log>", held, ["<log>b <log>x</log>"]);
    const parts = run(make(held)(), ["a <log x='1'>b", "c</log>d"]);
    expect(parts.map((part) => part.type)).toEqual([
      "text",
      "directive-start",
      "directive",
      "text",
    ]);
  });

  test("partials grow with every delta", () => {
    const parts = run(
      make({ directives: { log: { fields: ["m"] } }, partials: true })(),
      ["<log>a<m>b", "c</m>", "d</log>"],
    );
    const partials = parts.flatMap((part) =>
      part.type === "directive-delta"
        ? [(part as { partial?: unknown }).partial]
        : []
    );
    expect(partials).toEqual([
      { content: "a<m>", fields: {} },
      { content: "a<m>b", fields: { m: "b" } },
      { content: "a<m>bc", fields: { m: "bc" } },
      { content: "a<m>bc</m>", fields: { m: "bc" } },
      { content: "a<m>bc</m>d", fields: { m: "bc" } },
    ]);
    const plain = run(make({ ...log, partials: true })(), ["<log>a", "b"]);
    expect(plain[2]).toEqual({
      type: "directive-delta",
      id: "directive-0",
      name: "log",
      text: "b",
      partial: { content: "ab" },
    });
  });

  test("mode: commonmark has HTML blocks", () => {
    const text = "<div>\n```\n<log>x</log>\n";
    check(text, log, [text]);
    check(text, { ...log, mode: "commonmark" }, [
      "<div>\n```\n",
      ["log", "x"],
      "\n",
    ]);
  });

  test("wrong use is refused", () => {
    const refused: [unknown, typeof TypeError | typeof RangeError][] = [
      [{ directives: [""] }, TypeError],
      [{ directives: ["a b"] }, TypeError],
      [{ directives: ["a>"] }, TypeError],
      [{ directives: [1] }, TypeError],
      [{ directives: "log" }, TypeError],
      [{ directives: null }, TypeError],
      [{ directives: { log: null } }, TypeError],
      [{ directives: { log: { nesting: "deep" } } }, TypeError],
      [{ directives: { log: { as: "text" } } }, TypeError],
      [{ directives: { log: { fields: ["log"] } } }, TypeError],
      [{ directives: { log: { fields: ["a b"] } } }, TypeError],
      [{ directives: { log: { fields: ["a"], raw: true } } }, TypeError],
      [{ directives: ["Log", "log"], caseInsensitive: true }, TypeError],
      [{ directives: ["a.b"], dialect: "container" }, TypeError],
      [{ ...log, dialect: "yaml" }, TypeError],
      [{ ...log, unclosed: "drop" }, TypeError],
      [{ ...log, mode: "strict" }, TypeError],
      [{ ...log, mode: "" }, TypeError],
      [{ ...log, startInside: "think" }, TypeError],
      [{ ...log, maxTagLength: 0 }, RangeError],
      [{ ...log, maxContentLength: Number.NaN }, RangeError],
      [{ ...log, highWaterMark: -1 }, RangeError],
      [{ ...log, snapshot: { stage: "other" } }, TypeError],
    ];
    for (const [options, kind] of refused) {
      expect(
        () => new DirectiveExtractorStream(options as Options),
        JSON.stringify(options),
      ).toThrow(kind);
    }
    const inside = new DirectiveExtractorStream(log);
    inside.stage.push("<log>", () => {});
    expect(() => make(think)(inside.snapshot())).toThrow(TypeError);
  });

  test("nothing to look for: everything passes", () => {
    check("<log>`x`</log>", {}, ["<log>`x`</log>"]);
  });
});

describe("limits", () => {
  test("an opener over its limit is text, with a warning", () => {
    const options: Options = { ...log, maxTagLength: 20 };
    check(
      "a <log x='0123456789a'> <log>b</log>",
      options,
      ["a <log x='0123456789a'> ", ["log", "b"]],
    );
    expect(warnings(extract("a <log x='0123456789a'>", options))).toEqual([
      "too-long",
    ]);
    expect(warnings(extract("a <log x='0123456789'>", options))).toEqual([]);
    const container: Options = { ...options, dialect: "container" };
    check(":::log{a=0123456789012345}\nx\n", container, [
      ":::log{a=0123456789012345}\nx\n",
    ]);
  });

  test("with the least limit of a tag the chunks do not matter", () => {
    for (const text of ["<", "<i", "</", "</l", "<l", "<log>", "a < b <"]) {
      const options: Options = { ...log, maxTagLength: 1 };
      const whole = merged(parse(text, new DirectiveExtractorStream(options)));
      const apart = parse(
        text.split(""),
        new DirectiveExtractorStream(options),
      );
      expect(merged(apart), text).toEqual(whole);
    }
  });

  test("the default limit of a tag is 4096", () => {
    const tag = (length: number) =>
      `<log a='${"x".repeat(length - "<log a=''>".length)}'>`;
    expect(directives(extract(tag(4_096), log))).toHaveLength(1);
    const parts = extract(tag(4_097), log);
    expect(directives(parts)).toHaveLength(0);
    expect(warnings(parts)).toEqual(["too-long"]);
    expect(textOf(parts)).toBe(tag(4_097));
  });

  test("a tag behind a run waits so long, then it counts, with a warning", () => {
    const options: Options = { ...log, maxHeldSpan: 30 };
    const text = "` <log>x</log> and so on and so on ` end";
    check(text, options, [
      "` ",
      ["log", "x"],
      " and so on and so on ` end",
    ]);
    expect(warnings(extract(text, options))).toEqual(["limit"]);
    const long = `\` <log>x</log> ${"and so on ".repeat(500)}\` end`;
    const parts = extract(long, log);
    expect(brief(parts)).toHaveLength(3);
    expect(warnings(parts)).toEqual(["limit"]);
    checkChunkInvariance(make(log), long, [
      long.split(""),
      cut(long, [1, 5, 9, 13, 4_090, 4_099]),
    ]);
  });

  test("depth: deeper openers are content", () => {
    const options: Options = { ...log, maxDepth: 2 };
    const text = "<log><log><log></log></log></log>";
    check(text, options, [["log", "<log><log></log>"], "</log>"]);
    expect(warnings(extract(text, options))).toEqual(["limit"]);
  });

  test("content: the directive ends there, incomplete, and text follows", () => {
    const options: Options = { ...log, maxContentLength: 10 };
    check("<log>0123456789abc</log>d", options, [
      ["log", "0123456789", { partial: true }],
      "abc</log>d",
    ]);
    check("<log>0123</log>d", options, [["log", "0123"], "d"]);
    check("<log>01234</log>d", options, [
      ["log", "01234</log", { partial: true }],
      ">d",
    ]);
    expect(warnings(extract("<log>0123456789a", options))).toEqual(["limit"]);
    const held: Options = { ...options, unclosed: "text" };
    check("<log>0123456789abc</log><log>d</log>", held, [
      "<log>0123456789abc</log>",
      ["log", "d"],
    ]);
    expect(warnings(extract("<log>0123456789a", held))).toEqual(["limit"]);
  });
});

const PIECES: readonly string[] = [
  ..."`|``|```|````|~~~|<|</|>|/>|log|think|<log>|</log>|<log/>".split("|"),
  "<log a='",
  '<log b="`" c>',
  "<think>",
  "</think>",
  "</think >",
  "<f>",
  "</f>",
  "\n",
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  " ",
  "   ",
  "    ",
  "\t",
  "- ",
  "> ",
  "# ",
  "1. ",
  "\\",
  "a",
  "word ",
  "'",
  '"',
  "=",
  "&",
  "&amp;",
  "&#",
  "amp;",
  ":::",
  "\n:::log",
  "\n:::log{a=b}\n",
  "\n:::\n",
  "::::",
  "{",
  "}",
  "[",
  "]",
  "\u{1f600}",
  "\ud83d",
  "<!--",
  "-->",
  "\n```js\n",
  "\n```\n",
  "\n</think>",
  "```</think>",
  "===",
  "---",
];

const CONFIGURATIONS: Record<string, Options> = {
  names: { directives: ["log", "think"] },
  "fields, entities": {
    directives: { log: { fields: ["f"] }, think: { as: "reasoning" } },
    decodeEntities: true,
  },
  nesting: {
    directives: { log: { nesting: "flat" }, think: { nesting: "balanced" } },
  },
  raw: { directives: { log: { raw: true } } },
  "without code": { directives: ["log", "think"], codeAware: false },
  "unclosed: text": { directives: ["log"], reasoning: true, unclosed: "text" },
  startInside: { directives: ["log", "think"], startInside: "think" },
  onlyAtStart: { directives: ["log", "think"], onlyAtStart: true },
  "small limits": {
    directives: ["log", "think"],
    maxTagLength: 7,
    maxHeldSpan: 9,
    maxContentLength: 13,
    maxDepth: 2,
  },
  "small limits, held": {
    directives: ["log", "think"],
    maxTagLength: 12,
    maxHeldSpan: 20,
    maxContentLength: 30,
    maxDepth: 1,
    unclosed: "text",
  },
  loose: { directives: ["log", "think"], mode: "loose" },
  commonmark: {
    directives: ["LOG", "think"],
    mode: "commonmark",
    caseInsensitive: true,
  },
  containers: { directives: ["log", "think"], dialect: "container" },
  "reasoning containers": {
    directives: { log: { as: "reasoning" } },
    dialect: "container",
    maxTagLength: 10,
    maxContentLength: 25,
  },
  "raw containers": {
    directives: { log: { raw: true } },
    dialect: "container",
    onlyAtStart: true,
  },
  "held containers": {
    directives: ["log", "think"],
    dialect: "container",
    unclosed: "text",
    startInside: "log",
  },
};

describe("laws", () => {
  for (const [name, options] of Object.entries(CONFIGURATIONS)) {
    test(name, () => {
      checkLaws({
        make: make(options),
        inputs: markupText(PIECES),
        runs: Math.ceil(RUNS / 2),
        examples: [
          "a <log x='1'>b `c` <log>d</log>\n```\n</log>\n```\n</log> e",
          "<think>a ` b\n```\n</think>`c`\n\n<log>d\\</log></log>",
          ":::log{a=b}\nx\n```\n:::\n```\n:::\nafter\n",
        ],
      });
    }, 120_000);
  }

  test("a snapshot at every position", () => {
    const text = "a ` <log x='1'>b</log>\n\n<think>```\n~~~\nc</think> `<log>`";
    checkSnapshots(make({ directives: ["log", "think"] }), text.split(""));
    checkSnapshots(
      make({ directives: ["log"], unclosed: "text", partials: true }),
      text.split(""),
    );
  });

  test("a native call at every position keeps its place", () => {
    const text = "a ` <log x='1'>b</log>\n\n```\n<log>\n```\n<log>c `d` </log>";
    for (const options of [log, { ...log, unclosed: "text" } as const]) {
      for (let at = 0; at <= text.length; at++) {
        checkBarrier(make(options), text.slice(0, at), text.slice(at));
      }
    }
  });

  test("a call in the middle of a tag makes it text, of a directive does not", () => {
    const call: Part = {
      type: "tool-call",
      toolCallId: "1",
      toolName: "t",
      input: {},
      origin: "native",
    };
    const parts = (inputs: (string | Part)[], options: Options = log) =>
      run(make(options)(), inputs);
    expect(brief(parts(["<lo", call, "g>x</log>"]))).toEqual([
      "<log>x</log>",
    ]);
    expect(brief(parts(["<log>a</lo", call, "g>b</log>"]))).toEqual([
      ["log", "a</log>b"],
    ]);
    expect(brief(parts(["` <log>a", call, "b</log> `"]))).toEqual([
      "` ",
      ["log", "ab"],
      " `",
    ]);
    expect(brief(parts(["<log>a", call, "b</log>"], {
      ...log,
      unclosed: "text",
    }))).toEqual(["<log>ab</log>"]);
  });
});

describe("against a naive reading of the whole text", () => {
  const sets: string[][] = [
    [
      ..."`|``|```|<log>|</log>|<think>|</think>|\n|\n\n| |a|\\".split("|"),
      "<log a='`'>",
      '<log a="``">',
      "<log/>",
      "~~~",
      "\n```\n",
      "\n- ",
      "> ",
      "</think ",
      "</log\n",
      ">",
      "<",
      "'",
      '"',
    ],
    "`|``|<think>|</think>|\n|a|`|\n\n|```|\\".split("|"),
    [
      ..."`|``|```|````|<log>|</log>|'|\"|\n|a| |\\|\\`|/>|>".split("|"),
      "<log a='",
      '<log b="',
    ],
  ];

  const entries = (parts: Part[]) =>
    brief(parts).map((entry) =>
      typeof entry === "string" ? { text: entry } : entry
    );

  const compare = (text: string, options: Options, chunks: string[]) => {
    const got = directives(merged(run(make(options)(), chunks)));
    const expected = readDirectives(text, ["log", "think"], ["think"]);
    expect(
      got.map(({ name, content, complete }) => ({ name, content, complete })),
      JSON.stringify(text),
    ).toEqual(expected.filter((entry) => "name" in entry));
    expect(
      entries(run(make(options)(), chunks)).filter((entry) => "text" in entry),
      JSON.stringify(text),
    ).toEqual(expected.filter((entry) => "text" in entry));
  };

  for (const [index, set] of sets.entries()) {
    test(`ticks, tags and fences, alphabet ${index + 1}`, () => {
      fc.assert(
        fc.property(
          fc.array(fc.constantFrom(...set), { maxLength: 30 }),
          (all) => {
            const text = all.join("");
            compare(text, { directives: ["log", "think"] }, [text]);
          },
        ),
        { numRuns: RUNS * 2 },
      );
    }, 120_000);
  }

  test("long texts, most of which pass unread", () => {
    const words = (count: number) => "lorem ipsum ".repeat(count).trim();
    const pieces = [
      `\n\nText ${words(60)}`,
      `\n\n${words(100)}`,
      "\n\nA",
      `\n\n- item ${words(30)}`,
      `\n  more ${words(30)}`,
      `\n> quote ${words(50)}`,
      `\n\n    deeper ${words(50)}`,
      "\n    ```\n",
      "\n\n    ~~~\n",
      `\n\n1. one ${words(30)}`,
      "\n   two",
      "<!--",
      "-->",
      "\n<!-- ",
      "\n<script>",
      "</script>",
      "\n<pre>\n",
      "</pre>",
      "\n<think>\n",
      "</think>",
      "<log>",
      "</log>",
      "`",
      "``",
      "\n```js\n",
      "\n```\n",
      "\n   ```\n",
      "\n~~~\n",
      "\n\n~",
      `\r\n\r\n${words(60)}`,
      "\\",
      " x < y ",
      "<b",
      "<",
      words(200),
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { minLength: 8, maxLength: 25 }),
        fc.nat(),
        (all, seed) => {
          const text = all.join("");
          const next = random(seed);
          const step = [40, 400, 4_000][seed % 3]!;
          const offsets: number[] = [];
          for (
            let at = 0;
            at < text.length;
            at += 1 + Math.floor(next() * step)
          ) offsets.push(at);
          compare(
            text,
            {
              directives: ["log", "think"],
              maxHeldSpan: Infinity,
              maxTagLength: Infinity,
            },
            cut(text, offsets),
          );
        },
      ),
      { numRuns: RUNS },
    );
  }, 120_000);
});

describe("behind a fence tracker", () => {
  const pieces = [
    ..."`|``|```|````|<log>|</log>|<think>|</think>|\n|\n\n| |a|\\".split("|"),
    "<log a='`'>",
    "~~~",
    "\n```js\n",
    "\n```\n",
    "\n- ",
    "\n  ",
    "\n> ",
    "</think ",
    ">",
    "<",
    "\r\n",
    "    ",
    "\n<!--",
    "-->",
    "1. ",
    "# ",
  ];

  for (const mode of ["tolerant", "commonmark", "loose"] as const) {
    for (const inline of ["pass", "hold"] as const) {
      for (const trackFences of [undefined, false, true]) {
        test(`the same directives: ${mode}, inline ${inline}, trackFences ${trackFences}`, () => {
          fc.assert(
            fc.property(
              fc.array(fc.constantFrom(...pieces), { maxLength: 30 }),
              fc.array(fc.nat(), { maxLength: 8 }),
              (all, places) => {
                const text = all.join("");
                const chunks = cut(
                  text,
                  places.map((place) => place % (text.length + 1)),
                );
                const options = { directives: ["log", "think"], mode } as const;
                const alone = run(make(options)(), chunks);
                const tracker = inline === "hold"
                  ? new FenceTrackerStream({ mode, inline })
                  : new FenceTrackerStream({ mode });
                const marked = run(tracker as never, chunks);
                const tracked = run(
                  make({ ...options, trackFences })(),
                  marked,
                );
                expect(brief(tracked), JSON.stringify(chunks))
                  .toEqual(brief(alone));
                checkMarks(tracked, marked, alone, mode, text.length);
              },
            ),
            { numRuns: Math.ceil(RUNS / 10) },
          );
        });
      }
    }
  }

  /**
   * Fence parts pass, in order, and text keeps its marks; once a closer has
   * ended a fence from inside, both are what a tracker makes of the rest.
   */
  function checkMarks(
    tracked: Part[],
    marked: Part[],
    alone: Part[],
    mode: FenceMode,
    length: number,
  ): void {
    const fences = (parts: Part[]) =>
      parts.filter((part) => part.type.startsWith("fence-"));
    const given = fences(marked);
    const passed = fences(tracked);
    const known = new Set(given.map((part) => JSON.stringify(part)));
    const broken = passed.findIndex((part) => !known.has(JSON.stringify(part)));
    const end = broken < 0
      ? Infinity
      : (passed[broken] as PartOf<"fence-end">).end;
    const before = kinds(marked, length);
    for (const [offset, kind] of kinds(tracked, 0).entries()) {
      if (kind !== undefined && offset < end) {
        expect(kind).toBe(before[offset]);
      }
    }
    if (broken < 0) {
      expect(passed).toEqual(given);
      return;
    }
    expect(passed[broken]).toMatchObject({ type: "fence-end", closed: false });
    expect(passed.slice(0, broken)).toEqual(given.slice(0, broken));
    const closed = alone.findIndex((part) =>
      part.type === "directive" && part.end > end
    );
    const next = (alone[closed] as PartOf<"directive">).end;
    const rest = run(new FenceTrackerStream({ mode }) as never, [
      { type: "text", text: "x", start: next - 1 },
      ...alone.slice(closed + 1),
    ]);
    const places = (parts: Part[]) =>
      fences(parts).map((part) =>
        part.type === "fence-start" ? part.fence.start : (part as PartOf<
          "fence-end"
        >).end
      );
    expect(places(passed.slice(broken + 1))).toEqual(places(rest));
    expect(new Set(passed.map((part) => JSON.stringify(part))).size)
      .toBe(passed.length);
    const after = kinds(rest, length);
    for (const [offset, kind] of kinds(tracked, 0).entries()) {
      if (kind !== undefined && offset >= next) {
        expect(kind).toBe(after[offset]);
      }
    }
  }

  /** The mark of each code unit of text. */
  function kinds(parts: Part[], length: number): (string | undefined)[] {
    const marks: (string | undefined)[] = new Array(length).fill(undefined);
    for (const part of parts) {
      if (part.type !== "text") continue;
      for (let at = 0; at < part.text.length; at++) {
        marks[part.start + at] = part.code ?? "prose";
      }
    }
    return marks;
  }

  test("upstream's marks count where its rules differ", () => {
    const text = "Some text ```\n<log>a</log>\n```\n<log>b</log>";
    const loose = () => new FenceTrackerStream({ mode: "loose" });
    for (const trackFences of [undefined, false]) {
      const parts = parse(
        text,
        loose(),
        new DirectiveExtractorStream({ ...log, trackFences }),
      );
      expect(brief(parts as Part[])).toEqual([
        "Some text ```\n<log>a</log>\n```\n",
        ["log", "b"],
      ]);
    }
    const own = parse(
      text,
      loose(),
      new DirectiveExtractorStream({ ...log, trackFences: true }),
    );
    expect(brief(own as Part[])).toEqual([
      "Some text ```\n",
      ["log", "a"],
      "\n```\n<log>b</log>",
    ]);
  });

  test("after a reasoning closer beat a fence, the own lines count", () => {
    const text =
      "<think>\n```py\nx\n</think>\nUse:\n```js\n<log>x</log>\n```\n<log>y</log>\n";
    for (const trackFences of [undefined, false]) {
      const parts = parse(
        text,
        new FenceTrackerStream(),
        new DirectiveExtractorStream({
          directives: ["log", "think"],
          trackFences,
        }),
      );
      expect(brief(parts as Part[])).toEqual([
        ["think", "\n```py\nx\n"],
        "\nUse:\n```js\n<log>x</log>\n```\n",
        ["log", "y"],
        "\n",
      ]);
    }
  });

  test("a fence that was left open in the thinking does not make code of the answer", () => {
    const text = "<think>\n```py\nx\n</think>Use:\n```js\na\n```\n`b`\n";
    for (const trackFences of [undefined, false, true]) {
      const parts = merged(parse(
        text,
        new FenceTrackerStream(),
        new DirectiveExtractorStream({
          directives: {},
          reasoning: true,
          trackFences,
        }),
      ) as Part[]);
      const py = { id: "fence-1", info: "py", language: "py", marker: "```" };
      const js = { id: "fence-2", info: "js", language: "js", marker: "```" };
      expect(parts.slice(-9)).toEqual([
        {
          type: "fence-end",
          fence: { ...py, start: 8 },
          closed: false,
          end: 16,
        },
        expect.objectContaining({ type: "directive", name: "think" }),
        { type: "text", text: "Use:\n", start: 24 },
        { type: "fence-start", fence: { ...js, start: 29 } },
        { type: "text", text: "```js\n", start: 29, code: "marker" },
        { type: "text", text: "a\n", start: 35, code: "fence" },
        { type: "text", text: "```", start: 37, code: "marker" },
        {
          type: "fence-end",
          fence: { ...js, start: 29 },
          closed: true,
          end: 40,
        },
        { type: "text", text: "\n`b`\n", start: 40 },
      ]);
    }
  });

  test("behind a raw container that ended in a fence a line begins", () => {
    const text = ":::art\n```\nx\n:::\n```\n:::art\ny\n:::\n```\n";
    const options = {
      directives: { art: { raw: true } },
      dialect: "container",
    } as const;
    const rest = "```\n:::art\ny\n:::\n```\n";
    expect(brief(extract(text, options))).toEqual([
      ["art", "```\nx\n"],
      rest,
    ]);
    const tracked = parse(
      text,
      new FenceTrackerStream(),
      new DirectiveExtractorStream(options),
    ) as Part[];
    expect(brief(tracked)).toEqual([["art", "```\nx\n"], rest]);
    expect(tracked.filter(({ type }) => type === "fence-end").length).toBe(2);
  });

  test("a long indentation is no container line, however it is cut", () => {
    const options = {
      directives: ["log"],
      dialect: "container",
      maxTagLength: 3,
    } as const;
    const make = () => new DirectiveExtractorStream(options);
    expect(merged(run(make() as never, "a\n     b".split(""))))
      .toEqual([{ type: "text", text: "a\n     b", start: 0 }]);
  });

  test("all names of reasoning that can be names of containers", () => {
    expect(brief(extract(":::think\nx\n:::\ny", {
      directives: [],
      reasoning: true,
      dialect: "container",
    }))).toEqual([["think", "x\n"], "y"]);
  });

  test("alone it makes no marks and no fence parts", () => {
    const parts = extract("```\nx\n```\n", log);
    expect(parts).toEqual([{ type: "text", text: "```\nx\n```\n", start: 0 }]);
  });
});

describe("promptness and cost", () => {
  test("a chunk without candidates passes as the same object", () => {
    const { stage } = new DirectiveExtractorStream({
      directives: ["log"],
      trackFences: false,
    });
    for (
      const [text, code] of [
        ["plain text, a < b, `code`\n", undefined],
        ["<b>", undefined],
        ["```\n", "marker"],
        ["x < y\n", "fence"],
      ] as const
    ) {
      const part: Part = code === undefined
        ? { type: "text", text, start: 0 }
        : { type: "text", text, start: 0, code };
      const parts: unknown[] = [];
      stage.push(part, (out) => parts.push(out));
      expect(parts).toHaveLength(1);
      expect(parts[0]).toBe(part);
    }
  });

  test("a candidate leaves at its first impossible character", () => {
    for (
      const text of [
        "<x",
        "<lop",
        "<log!",
        "<log a=>",
        "<log/ ",
        "</l",
      ]
    ) {
      const { stage } = new DirectiveExtractorStream(log);
      const parts: Part[] = [];
      for (const unit of `ab${text}`) {
        stage.push(unit, (part) => parts.push(part as Part));
      }
      expect(coverage(parts), text).toBe(text.length + 2);
    }
  });

  test("outside of candidates nothing is held", () => {
    const prose = "Some prose, with `code` and a < b.\n\n- a list\n- of < two\n"
      .repeat(200);
    const { mean, max } = measureHold(make(log), prose, 20);
    expect(max).toBeLessThanOrEqual(1);
    expect(mean).toBeLessThan(0.1);
  });

  test("in a directive at most the beginning of its closer is held", () => {
    const content = "x < y, </p>, </lo, plain words and more of them. ".repeat(
      200,
    );
    const { max } = measureHold(make(log), `<log>${content}`, 7);
    // The opener is not counted as covered.
    expect(max).toBeLessThanOrEqual("<log>".length + "</log".length);
  });

  test("time is linear, whatever comes", () => {
    const texts: Record<string, string> = {
      "<": "<",
      "<a": "<a",
      "<log": "<log",
      "quotes": "<log a='<log b=\"",
      "open": "word word\n",
      "nested": "<log>",
      "spans": "`<log>` ",
      "ticks": "` `` ",
      "runs": "`<log>x\n\n",
      "broken fences": "<think>\n```\n</think>",
      "lines": "- a\n",
    };
    for (const [name, unit] of Object.entries(texts)) {
      for (const startInside of [undefined, "log"]) {
        const growth = least(
          () =>
            measureGrowth(
              make({ directives: ["log", "think"], startInside }),
              (length) =>
                unit.repeat(Math.ceil(length / unit.length)).slice(0, length),
              30_000,
              3,
            ),
          8,
        );
        expect(growth, name).toBeLessThan(4);
      }
    }
  });

  test("one megabyte in one chunk", () => {
    /** Nanoseconds a code unit. */
    const time = (unit: string, size: number): number => {
      const text = unit.repeat(Math.ceil(size / unit.length));
      let length = 0;
      const { stage } = new DirectiveExtractorStream({
        directives: ["log", "think"],
      });
      const count = (part: unknown) => {
        const { type, text, raw } = part as {
          type: string;
          text?: string;
          raw?: string;
        };
        if (type === "text") length += text!.length;
        if (type === "directive") length += raw!.length;
      };
      const before = performance.now();
      stage.push(text, count);
      stage.end(count);
      const taken = performance.now() - before;
      expect(length).toBe(text.length);
      return taken / text.length;
    };
    for (const unit of ["<", "<a<a<a", "`<log>` ", "<think>\n```\n</think>"]) {
      time(unit, 100_000);
      // Quadratic would be 10.
      expect(
        least(() => time(unit, 1_000_000) / time(unit, 100_000)),
        unit,
      ).toBeLessThan(4);
    }
  }, 60_000);
});
