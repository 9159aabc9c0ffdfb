import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  FenceSplitterStream,
  FenceTrackerStream,
  parse,
  type Part,
  type PartOf,
  pipeline,
  type SnippetConvention,
  SnippetExtractorStream,
  type SnippetExtractorStreamOptions,
  type StageStream,
  standardPipeline,
  SurrogateSanitizerStream,
  type ToolEdit,
} from "../../mod.ts";
import {
  checkChunkInvariance,
  checkConservation,
  checkLaws,
  cuttings,
  MARKUP,
  markupText,
  measureGrowth,
  measureHold,
  merged,
  run,
  RUNS,
  textOf,
} from "../laws.ts";

function snippets(
  input: string | Iterable<string | Part>,
  options: SnippetExtractorStreamOptions = {},
): PartOf<"snippet">[] {
  return parse(input, new SnippetExtractorStream(options)).filter(
    (part): part is PartOf<"snippet"> => part.type === "snippet",
  );
}

/** `language | path | source | range` of the only snippet. */
function place(
  input: string,
  options: SnippetExtractorStreamOptions = {},
): string {
  const all = snippets(input, options);
  expect(all.length).toBe(1);
  const { language, filePath, pathSource, lineRange } = all[0]!;
  return [language, filePath, pathSource, lineRange?.join("-")].map((each) =>
    each ?? "."
  ).join(" | ");
}

function fenced(info: string, content = "x\n"): string {
  return `\`\`\`${info}\n${content}\`\`\`\n`;
}

describe("the opening line", () => {
  const told: readonly [string, string][] = [
    ["ts src/x.ts", "ts | src/x.ts | info | ."],
    ["js x.js (19-25)", "js | x.js | info | 19-25"],
    ["py app/m.py (3 - 9)", "py | app/m.py | info | 3-9"],
    ["py app/m.py (L3-L9)", "py | app/m.py | info | 3-9"],
    ["12:15:app/x.tsx", ". | app/x.tsx | info | 12-15"],
    ["12:15:my dir/x.tsx", ". | my dir/x.tsx | info | 12-15"],
    ["3:4:C:\\w\\a.ts", ". | C:\\w\\a.ts | info | 3-4"],
    ["3:4:Makefile", ". | Makefile | info | 3-4"],
    ["0:0:b.ts", ". | b.ts | info | ."],
    ["path/x.rs#L10-20", ". | path/x.rs | info | 10-20"],
    ["src/a.go#L7", ". | src/a.go | info | 7-7"],
    ["src/b.go#L3-L9", ". | src/b.go | info | 3-9"],
    ["src/b.go#L3C2-L9C14", ". | src/b.go | info | 3-9"],
    ["rs src/x.rs#L10-20", "rs | src/x.rs | info | 10-20"],
    ["ts src/a.ts:42", "ts | src/a.ts | info | 42-42"],
    ["ts src/a.ts:42:7", "ts | src/a.ts | info | 42-42"],
    ["src/a.ts:42", ". | src/a.ts | info | 42-42"],
    ["text /var/log/app:42", "text | /var/log/app:42 | info | ."],
    ["diff ts:src/a.ts", "diff | src/a.ts | info | ."],
    ["ts file:src/a.ts", "ts | src/a.ts | info | ."],
    ["ts, src/a.ts", "ts | src/a.ts | info | ."],
    ["ts 'src/a.ts'", "ts | src/a.ts | info | ."],
    ["tsx (group)/page.tsx", "tsx | (group)/page.tsx | info | ."],
    ["tsx:pages/_app.tsx", "tsx | pages/_app.tsx | info | ."],
    ["ts:src/x.ts (3-9)", "ts | src/x.ts | info | 3-9"],
    ["ts:src/x.ts#L3-L9", "ts | src/x.ts | info | 3-9"],
    ["c++:src/x.cc", "c++ | src/x.cc | info | ."],
    ["c:C:\\w\\a.c", "c | C:\\w\\a.c | info | ."],
    ["makefile:Makefile", "makefile | Makefile | info | ."],
    ["js:title=src/x.js", "js | src/x.js | attribute | ."],
    [
      'jsx title="/src/x.js" {1,3-5} showLineNumbers',
      "jsx | /src/x.js | attribute | .",
    ],
    ["ts {2} title='my dir/a b.ts'", "ts | my dir/a b.ts | attribute | ."],
    ['file="./a.ts"', ". | ./a.ts | attribute | ."],
    ["ts filename=b.ts", "ts | b.ts | attribute | ."],
    ["ts filename=Dockerfile", "ts | Dockerfile | attribute | ."],
    ["sh filename=.env", "sh | .env | attribute | ."],
    ["js file=./x.js#L3-L6", "js | ./x.js | attribute | 3-6"],
    [
      'text path="/var/log/app:42"',
      "text | /var/log/app:42 | attribute | .",
    ],
    ['{.python filename="run.py"}', "python | run.py | attribute | ."],
    ["ts [config/site.ts]{3}", "ts | config/site.ts | info | ."],
    ["ts [app/[id]/page.tsx]", "ts | app/[id]/page.tsx | info | ."],
    ["tsx [id].tsx", "tsx | [id].tsx | info | ."],
    ["ts src/a.ts{1,3}", "ts | src/a.ts | info | ."],
    ["js{4} src/a.js", "js | src/a.js | info | ."],
    ["src/main.rs", ". | src/main.rs | info | ."],
    ["main.rs", ". | main.rs | info | ."],
    ["src/main.rs (3-9)", ". | src/main.rs | info | 3-9"],
    ["src/main.rs {3}", ". | src/main.rs | info | ."],
    ["C:\\work\\a.ts", ". | C:\\work\\a.ts | info | ."],
    ["app/[id]/page.tsx", ". | app/[id]/page.tsx | info | ."],
    ["src/a.ts:3-9", ". | src/a.ts | info | 3-9"],
    ["ts a.ts:3-9", "ts | a.ts | info | 3-9"],
    ["ts:src/a.ts:3-9", "ts | src/a.ts | info | 3-9"],
    ["save a.py", "save | a.py | info | ."],
    ["diff src/a.ts", "diff | src/a.ts | info | ."],
    // A back-slash before punctuation is part of the path, no escape.
    ["ts C:\\w\\_app.tsx", "ts | C:\\w\\_app.tsx | info | ."],
    ["ts src\\[id]\\page.tsx", "ts | src\\[id]\\page.tsx | info | ."],
  ];
  const none: readonly [string, string][] = [
    ["", "."],
    ["ts", "ts"],
    ["Python", "Python"],
    ["c++", "c++"],
    ["c#", "c#"],
    ["objective-c", "objective-c"],
    ["asp.net", "asp.net"],
    ["node.js", "node.js"],
    ["Dockerfile", "Dockerfile"],
    ["js{4,6-8}", "js"],
    ["ts:line-numbers {1}", "ts"],
    ["js {1,2}#a /word/3-5 showLineNumbers{5}", "js"],
    ["js /word/3-5", "js"],
    ["js /word/", "js"],
    ['ts title="How it works"', "ts"],
    ['ts title="Read/write access"', "ts"],
    ["js title=https://a.b/c.js", "js"],
    ["js https://a.b/c.js", "js"],
    ["https://a.b/c.js", "https://a.b/c.js"],
    ["text/html", "text/html"],
    ["application/vnd.a+json", "application/vnd.a+json"],
    ["c/c++", "c/c++"],
    ["pl/sql", "pl/sql"],
    ["python 3.10", "python"],
    ["12:15:30", "12:15:30"],
    ["{r plot, echo=FALSE}", "r"],
    ['{.python .numberLines startFrom="100"}', "python"],
    ["{=html}", "html"],
    ["{code-block} python", "python"],
    ["ts title=", "ts"],
    ['ts title="a.ts', "ts"],
    ["ts [a.ts", "ts"],
    ["rust,ignore", "rust,ignore"],
    ["foo\\+bar", "foo+bar"],
  ];
  test("tells the file", () => {
    for (const [info, expected] of told) {
      expect(`${info}: ${place(fenced(info))}`).toBe(`${info}: ${expected}`);
    }
  });
  test("tells no file", () => {
    for (const [info, language] of none) {
      expect(`${info}: ${place(fenced(info))}`)
        .toBe(`${info}: ${language} | . | . | .`);
    }
  });
  test("of HackMD has line numbers behind the language", () => {
    for (const info of ["js=", "js=101", "js=+"]) {
      expect(place(fenced(info))).toBe("js | . | . | .");
    }
  });
  test("ignores ranges that make no sense", () => {
    expect(place(fenced("ts a.ts (9-3)"))).toBe("ts | a.ts | info | .");
    expect(place(fenced("ts a.ts (0-3)"))).toBe("ts | a.ts | info | .");
    expect(place(fenced("a.ts#L9-L3"))).toBe(". | a.ts | info | .");
  });
});

describe("the first line", () => {
  test("names the file behind filepath:", () => {
    const lines = {
      "// filepath: /abs/x.ts": "/abs/x.ts",
      "# filepath: a/b.py": "a/b.py",
      "<!-- filepath: a/b.html -->": "a/b.html",
      "/* filepath: a.css */": "a.css",
      "-- filepath: a.sql": "a.sql",
      "; filepath: a.ini": "a.ini",
      "REM filepath: C:\\a\\b.bat": "C:\\a\\b.bat",
      "// filepath: /d:/a b/x.ts": "/d:/a b/x.ts",
      "// FilePath: Makefile": "Makefile",
    };
    for (const [line, path] of Object.entries(lines)) {
      expect(place(fenced("ts", `${line}\nx\n`)))
        .toBe(`ts | ${path} | first-line | .`);
    }
    expect(place(fenced("ts", "// filepath: https://a.b/c.ts\n")))
      .toBe("ts | . | . | .");
    expect(place(fenced("ts", "x\n// filepath: a.ts\n")))
      .toBe("ts | . | . | .");
  });
  test("stays in the content", () => {
    expect(snippets(fenced("", "# filepath: a.py\r\n1\r\n"))[0]?.content)
      .toBe("# filepath: a.py\n1\n");
  });
  test("loses to the info and wins over the line before", () => {
    const body = "# filepath: b.py\n";
    expect(place(`a.py\n${fenced("py c.py", body)}`))
      .toBe("py | c.py | info | .");
    expect(place(`a.py\n${fenced("py", body)}`))
      .toBe("py | b.py | first-line | .");
    expect(place(`a.py\n${fenced("py title=d.py", body)}`))
      .toBe("py | d.py | attribute | .");
  });
});

describe("the line before", () => {
  test("names the file when nothing else is on it", () => {
    const lines = [
      "a/x.py",
      "**a/x.py**",
      "**a/x.py:**",
      "**a/x.py**:",
      "`a/x.py`",
      "`a/x.py`:",
      "**`a/x.py`**",
      "__a/x.py__",
      "*a/x.py*",
      "### a/x.py",
      "### `a/x.py` ###",
      "a/x.py:",
      "2. **a/x.py**",
      "- a/x.py",
      "> a/x.py",
      "   a/x.py   ",
      "### 1. `a/x.py`",
      "- [ ] a/x.py",
      "[a/x.py](https://a.b/c)",
      "**[`a/x.py`](a/x.py):**",
      "'a/x.py'",
      "(`a/x.py`)",
      "a/x.py\\",
    ];
    for (const line of lines) {
      for (const between of ["\n", "\n\n", "\r\n\r\n", "\r", "\n  \n"]) {
        const text = `${line}${between}${fenced("py")}`;
        expect(`${JSON.stringify(text)}: ${place(text)}`)
          .toBe(`${JSON.stringify(text)}: py | a/x.py | line-before | .`);
      }
    }
    expect(place("Edit:\n\n__init__.py\n```\nx\n```\n"))
      .toBe(". | __init__.py | line-before | .");
    expect(place("README.md\n```\nx\n```\n"))
      .toBe(". | README.md | line-before | .");
  });
  test("may name lines", () => {
    for (
      const [line, range] of [["a/x.py:3", "3-3"], ["`a/x.py:3-9`:", "3-9"], [
        "**a/x.py#L3-L9**",
        "3-9",
      ]] as const
    ) {
      expect(place(`${line}\n${fenced("py")}`))
        .toBe(`py | a/x.py | line-before | ${range}`);
    }
  });
  test("has its underscores escaped, unless back-slashes are steps", () => {
    expect(place(`src/my\\_file.py\n${fenced("py")}`))
      .toBe("py | src/my_file.py | line-before | .");
    expect(place(`src\\my\\_file.py\n${fenced("py")}`))
      .toBe("py | src\\my\\_file.py | line-before | .");
  });
  test("counts before an indented fence", () => {
    expect(place("1. src/x.py\n\n   ```py\n   x\n   ```\n"))
      .toBe("py | src/x.py | line-before | .");
    expect(place("> src/x.py\n>\n> ```py\n> x\n> ```\n"))
      .toBe("py | src/x.py | line-before | .");
    expect(place("src/x.py\n  ```py\n  x\n  ```\n"))
      .toBe("py | src/x.py | line-before | .");
  });
  test("does not count when it is something else", () => {
    const lines = [
      "Update `src/app.ts` like so:",
      "a/x.py b/y.py",
      "https://a.b/c.py",
      "Node.js",
      "### Node.js:",
      "Math.random",
      "fs.readFile",
      "console.log",
      "CI/CD",
      "Input/Output:",
      "v1.x",
      "e.g.",
      "...",
      "/",
      "example.com",
      "24/7",
      "12/05/2024",
      "a/x.py.",
      "a/x.py, b/y.py",
      "~~a/x.py~~",
      `${"a".repeat(250)}/x.py`,
      `a/${"b".repeat(2_000)}.py`,
    ];
    for (const line of lines) {
      expect(`${line}: ${place(`${line}\n${fenced("py")}`)}`)
        .toBe(`${line}: py | . | . | .`);
    }
  });
  test("is at most one empty line away, and on this side of a fence", () => {
    expect(place("a/x.py\n\n\n```py\nx\n```\n")).toBe("py | . | . | .");
    const [, second] = snippets(`a/x.py\n${fenced("py")}${fenced("py")}`);
    expect(second?.filePath).toBe(undefined);
    const [, third] = snippets("- ```py\n  x\na/x.py\n```py\ny\n```\n");
    expect(third?.filePath).toBe("a/x.py");
  });
  test("is found across chunks and behind long prose", () => {
    const text = `${"word ".repeat(2_000)}\n\na/x.py\n${fenced("py")}`;
    expect(place(text)).toBe("py | a/x.py | line-before | .");
    expect(snippets(text.split(""))[0]?.filePath).toBe("a/x.py");
  });
});

describe("guesses", () => {
  const guess = { guess: true };
  test("are off by default", () => {
    for (
      const text of [
        "Update `src/app.ts` like so:\n\n```ts\nx\n```\n",
        "```ts\n// src/app.ts\nx\n```\n",
        "```diff\n--- a/x.ts\n+++ b/x.ts\n@@ -1,3 +10,4 @@\n```\n",
      ]
    ) expect(snippets(text)[0]?.filePath).toBe(undefined);
  });
  test("the only path in the sentence above", () => {
    expect(place("Update `src/app.ts` like so:\n\n```ts\nx\n```\n", guess))
      .toBe("ts | src/app.ts | prose | .");
    for (
      const [line, path] of [
        ["Create a `Dockerfile`:", "Dockerfile"],
        ["**Makefile**", "Makefile"],
        ["Put this into `.env`:", ".env"],
        ["`.eslintrc`", ".eslintrc"],
        ["Use `.map` for that:", "."],
        ["Compare `Makefile` and `Justfile`:", "."],
      ] as const
    ) {
      expect(place(`${line}\n${fenced("")}`, guess))
        .toBe(path === "." ? ". | . | . | ." : `. | ${path} | prose | .`);
    }
    expect(place("Put this into (src/app.ts):\n```ts\nx\n```\n", guess))
      .toBe("ts | src/app.ts | prose | .");
    expect(place("Copy a/b.ts to c/d.ts:\n```ts\nx\n```\n", guess))
      .toBe("ts | . | . | .");
  });
  test("a lone first comment", () => {
    for (
      const line of [
        "# app/x.py",
        "// app/x.py",
        "<!-- app/x.py -->",
        "# File: app/x.py",
      ]
    ) {
      expect(place(fenced("py", `${line}\nx\n`), guess))
        .toBe("py | app/x.py | first-comment | .");
    }
    for (const line of ["#!/bin/sh", "# run the tests", "app/x.py"]) {
      expect(place(fenced("sh", `${line}\nx\n`), guess))
        .toBe("sh | . | . | .");
    }
  });
  test("diff headers", () => {
    const diff =
      "--- a/src/x.ts\n+++ b/src/x.ts\n@@ -1,3 +10,4 @@\n a\n+b\n c\n d\n";
    expect(place(fenced("diff", diff), guess))
      .toBe("diff | src/x.ts | diff-header | 10-13");
    expect(place(fenced("diff", `${diff}@@ -30 +40 @@\n-a\n+b\n`), guess))
      .toBe("diff | src/x.ts | diff-header | 10-40");
    expect(place(fenced("diff", `${diff}--- a/y\n+++ b/y\n`), guess))
      .toBe("diff | . | . | .");
    expect(
      place(
        fenced("diff", "--- a/x.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
        guess,
      ),
    ).toBe("diff | x.ts | diff-header | .");
    // A removed line that begins with two hyphens is no header.
    const sql =
      "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n z\n";
    expect(place(fenced("diff", sql), guess))
      .toBe("diff | x.sql | diff-header | 1-2");
  });
  test("a path line above a SEARCH/REPLACE block", () => {
    const block = "a/x.py\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n";
    expect(place(fenced("py", block), guess))
      .toBe("py | a/x.py | search-replace | .");
    expect(snippets(fenced("py", block), guess)[0]?.content).toBe(block);
  });
  test("a fence that holds only a path", () => {
    const all = snippets("```\na/x.py\n```\n\n```py\n1\n```\n", guess);
    expect(all.map(({ filePath }) => filePath)).toEqual([undefined, "a/x.py"]);
    const apart = snippets("```\na/x.py\n```\nand\n```py\n1\n```\n", guess);
    expect(apart[1]?.filePath).toBe(undefined);
  });
});

describe("conventions of one's own", () => {
  const at: SnippetConvention = {
    name: "at",
    source: "info",
    find({ info }) {
      const [language = "", path = ""] = info.split(" ");
      return path.startsWith("@")
        ? { language, filePath: path.slice(1), lineRange: [1, 2] }
        : undefined;
    },
  };
  test("come before the built-in ones", () => {
    expect(place(fenced("ts @a/b.ts"), { conventions: [at] }))
      .toBe("ts | a/b.ts | info | 1-2");
    expect(place(fenced("ts a/b.ts"), { conventions: [at] }))
      .toBe("ts | a/b.ts | info | .");
  });
  test("replace a built-in one of the same name", () => {
    const off = { name: "line-before", find: () => undefined };
    expect(place("a/x.py\n```py\nx\n```\n", { conventions: [off] }))
      .toBe("py | . | . | .");
  });
  test("that throw are reported and passed over", () => {
    const broken = {
      name: "broken",
      find() {
        throw new Error("no");
      },
    };
    const parts = parse(
      fenced("ts a/b.ts"),
      new SnippetExtractorStream({ conventions: [broken] }),
    );
    expect(parts.map(({ type }) => type))
      .toEqual(["text", "warning", "snippet", "text"]);
    expect(parts.find((part) => part.type === "warning")?.code).toBe("fault");
    expect(parts.find((part) => part.type === "snippet")?.filePath)
      .toBe("a/b.ts");
  });
  test("are asked with the content, the line before and the fence before", () => {
    const seen: unknown[] = [];
    const spy: SnippetConvention = {
      name: "spy",
      find(context) {
        seen.push(context);
        return undefined;
      },
    };
    snippets("```\na\n```\n\n```\nb\n```\n", { conventions: [spy] });
    expect(seen).toEqual([
      { info: "", content: "a\n" },
      { info: "", lineBefore: "```", content: "b\n", contentBefore: "a\n" },
    ]);
  });
});

describe("the snippet part", () => {
  test("stands right behind the closing line", () => {
    const text = "a\n```js x.js\n1\n```  \nb";
    for (const chunks of [[text], ...cuttings(text)]) {
      const parts = merged(run(new SnippetExtractorStream(), chunks));
      expect(parts).toEqual([
        { type: "text", text: "a\n```js x.js\n1\n```  ", start: 0 },
        {
          type: "snippet",
          language: "js",
          languageId: "javascript",
          filePath: "x.js",
          pathSource: "info",
          content: "1\n",
          closed: true,
          start: 2,
          end: 20,
          info: "js x.js",
          meta: "x.js",
        },
        { type: "text", text: "\nb", start: 20 },
      ]);
    }
  });
  test("comes at the end of the stream when the block is cut", () => {
    const parts = parse("```go\nfunc a", new SnippetExtractorStream());
    expect(parts.map(({ type }) => type)).toEqual(["text", "snippet"]);
    const [snippet] = snippets("```go\nfunc a");
    expect(snippet).toMatchObject({
      // Lines, as CommonMark has them: the last one gets its end.
      content: "func a\n",
      closed: false,
      end: 12,
    });
  });
  test("ends its last line when the text does not, whatever cuts it", () => {
    for (
      const [text, content] of [
        ["```\n", ""],
        ["```\na", "a\n"],
        ["```\na\n", "a\n"],
        ["```\na\r", "a\n"],
        ["```\na\n  ", "a\n  \n"],
        ["```\na\n``", "a\n``\n"],
        ["> ```\n> a", "a\n"],
        ["> ```\n> a\nb", "a\n"],
        ["- ```\n  a", "a\n"],
      ] as const
    ) {
      expect(snippets(text)[0]).toMatchObject({ content, closed: false });
      for (const chunks of [[text], text.split("")]) {
        const parts = run(new SnippetExtractorStream({ live: true }), chunks);
        expect(
          parts.map((part) => part.type === "snippet-delta" ? part.text : "")
            .join(""),
        ).toBe(content);
        expect(parts.find(({ type }) => type === "snippet"))
          .toMatchObject({ content });
        expect(textOf(parts)).toBe(text);
      }
    }
  });
  test("has LF line ends, also when CR and LF come apart", () => {
    const text = "```\r\na\r\n\rb\r\n```\r\n";
    for (const chunks of [[text], text.split("")]) {
      expect(snippets(chunks)[0]?.content).toBe("a\n\nb\n");
    }
  });
  test("has the container's indentation removed", () => {
    expect(
      snippets("1. Do\n   ```yaml\n   a:\n     b: 1\n   ```\n")[0]?.content,
    )
      .toBe("a:\n  b: 1\n");
  });
  test("of a container that ends stands at its end however it is cut", () => {
    const text = "- ```js\n  1\n text\n";
    const parts = merged(parse(text, new SnippetExtractorStream()));
    expect(parts[1]).toMatchObject({ type: "snippet", closed: false, end: 12 });
    expect(textOf(parts.slice(0, 1))).toBe("- ```js\n  1\n");
    checkChunkInvariance(
      (snapshot) => new SnippetExtractorStream({ snapshot }),
      text,
    );
  });
});

describe("text", () => {
  test("passes as the same objects", () => {
    const texts: Part[] = ["a ", "```js\n", "1 + ", "1\n"].reduce<
      PartOf<"text">[]
    >((all, text) => [...all, {
      type: "text",
      text,
      start: all.reduce((sum, part) => sum + part.text.length, 0),
    }], []);
    const parts = parse(texts, new SnippetExtractorStream());
    for (const [index, part] of texts.entries()) {
      expect(parts[index]).toBe(part);
    }
  });
  test("of great length passes whole", () => {
    const part: Part = {
      type: "text",
      text: "word\n".repeat(40_000),
      start: 0,
    };
    expect(parse([part], new SnippetExtractorStream())[0]).toBe(part);
  });
  test("is never held at the margin", () => {
    const text = `a\n${fenced("js", "  x\n``\n\n    y\n")}`.repeat(20);
    expect(measureHold(() => new SnippetExtractorStream(), text, 1).max).toBe(
      0,
    );
  });
});

describe("an upstream tracker", () => {
  const fence = {
    id: "f",
    info: "ts a.ts",
    language: "ts",
    meta: "a.ts",
    marker: "```",
    start: 3,
  };
  const marked: Part[] = [
    { type: "text", text: "hi\n", start: 0 },
    { type: "fence-start", fence },
    { type: "text", text: "```ts a.ts\n", start: 3, code: "marker" },
    { type: "text", text: "let", start: 14, code: "fence" },
    { type: "text", text: " a\n", start: 17, code: "fence" },
    { type: "text", text: "```", start: 20, code: "marker" },
    { type: "fence-end", fence, closed: true, end: 23 },
    { type: "text", text: "\n", start: 23 },
  ];
  test("is trusted: its marks pass, the snippet comes behind its fence-end", () => {
    for (const trackFences of [undefined, false]) {
      const parts = parse(
        marked,
        new SnippetExtractorStream(
          trackFences === undefined ? {} : { trackFences },
        ),
      );
      expect(parts.filter(({ type }) => type !== "snippet")).toEqual(marked);
      expect(parts[7]).toMatchObject({
        type: "snippet",
        filePath: "a.ts",
        content: "let a\n",
        start: 3,
        end: 23,
      });
    }
  });
  test("that says nothing is a fence is trusted with trackFences: false", () => {
    expect(snippets(fenced("js"), { trackFences: false })).toEqual([]);
  });
  test("is not looked at with trackFences: true", () => {
    const parts = parse(
      marked,
      new SnippetExtractorStream({ trackFences: true }),
    );
    const found = parts.filter(({ type }) => type === "snippet");
    expect(found.length).toBe(1);
    expect(parts.filter(({ type }) => type === "fence-end").length).toBe(1);
  });
  test("whose fence is inside a directive gives none", () => {
    const text = "<log>\n```ts a.ts\nx\n```\n</log>\n```js\ny\n```\n";
    const parts = parse(
      text,
      standardPipeline({ directives: ["log"] }),
    ) as Part[];
    const found = parts.filter(({ type }) => type === "snippet");
    expect(found).toMatchObject([{ language: "js", content: "y\n" }]);
  });
  test("whose fence was begun in what was cut out gives half a snippet", () => {
    const parts = marked.filter((part) =>
      part.type !== "text" || part.start > 14 || part.start < 3
    );
    const [found] = parse(parts, new SnippetExtractorStream()).filter((
      { type },
    ) => type === "snippet");
    expect(found).toMatchObject({ content: " a\n", closed: false });
  });
  test("whose fence is open at the end gives a snippet that is not closed", () => {
    const parts = parse(marked.slice(0, 4), new SnippetExtractorStream());
    expect(parts.at(-1)).toMatchObject({
      type: "snippet",
      content: "let\n",
      closed: false,
      end: 17,
    });
  });
});

describe("blocks between tags", () => {
  const options = { tagBlocks: true };
  test("are off by default", () => {
    expect(snippets("<source>python\nx\n</source>\n")).toEqual([]);
  });
  test("hold fences as content", () => {
    const text =
      "a/x.py\n<source>python\n<<<<<<< SEARCH\n```bash\nls\n```\n=======\n</source> \n\n```js\n1\n```\n";
    const all = snippets(text, options);
    expect(all.map(({ language, filePath, content, closed, start, end }) => ({
      language,
      filePath,
      content,
      closed,
      text: text.slice(start, end).replace(/\n[^]*\n/, "…"),
    }))).toEqual([
      {
        language: "python",
        filePath: "a/x.py",
        content: "<<<<<<< SEARCH\n```bash\nls\n```\n=======\n",
        closed: true,
        text: "<source>python…</source> ",
      },
      {
        language: "js",
        filePath: undefined,
        content: "1\n",
        closed: true,
        text: "```js…```",
      },
    ]);
  });
  test("a line that is too long is no closer, however it comes", () => {
    for (const length of [255, 256, 257]) {
      const text = `<source>\nx\n</source>${" ".repeat(length - 9)}\n`;
      const [whole] = snippets(text, options);
      expect(whole!.closed, `${length}`).toBe(length < 256);
      expect(snippets(text.split(""), options)).toEqual([whole]);
    }
  });
  test("may have attributes, and may be cut", () => {
    expect(
      place('<codeblock lang="python" path="a/b.py">\n1', options),
    ).toBe("python | a/b.py | attribute | .");
    expect(snippets("<pre>\n1\n</pre", options)[0]).toMatchObject({
      content: "1\n</pre\n",
      closed: false,
    });
  });
  test("are none inside a fence, in a line or under another name", () => {
    for (
      const text of [
        "x <source>\n1\n</source>\n",
        "<source> is a tag\n</source>\n",
        "<div>\n1\n</div>\n",
        "</source>\n",
      ]
    ) expect(snippets(text, options)).toEqual([]);
    const [only, ...more] = snippets("```\n<pre>\n```\nx\n</pre>\n", options);
    expect(only?.content).toBe("<pre>\n");
    expect(more).toEqual([]);
  });
  test("obey the laws", () => {
    checkLaws({
      make: (snapshot) => new SnippetExtractorStream({ ...options, snapshot }),
      inputs: markupText([
        ...MARKUP,
        "<source>js\n",
        "\n</source>",
        "</source>\n",
        "<pre>",
        "\n",
        "\n",
      ]),
      runs: 300,
    });
  });
});

describe("limits", () => {
  test("cut long content and say so", () => {
    const text = "a\n```js\n12345\u{1f600}\n```\nb";
    for (
      const [max, content] of [[3, "123"], [6, "12345"], [
        7,
        "12345\u{1f600}",
      ]] as const
    ) {
      const make = (snapshot?: unknown) =>
        new SnippetExtractorStream({ maxContentLength: max, snapshot });
      const parts = parse(text, make());
      expect(textOf(parts)).toBe(text);
      const at = parts.findIndex(({ type }) => type === "snippet");
      expect(parts[at]).toMatchObject({ content, closed: false });
      expect(parts[at - 1]).toMatchObject({ type: "warning", code: "limit" });
      checkChunkInvariance(make, text);
    }
    expect(snippets(text, { maxContentLength: 8 })[0]?.closed).toBe(true);
  });
  test("are whole numbers above 0", () => {
    for (const value of [0, -1, 1.5, NaN]) {
      expect(() => new SnippetExtractorStream({ maxContentLength: value }))
        .toThrow(RangeError);
      expect(() => new SnippetExtractorStream({ maxLineLength: value }))
        .toThrow(RangeError);
    }
  });
  test("bound time", () => {
    const make = () => new SnippetExtractorStream();
    const shapes = [
      (length: number) => "word ".repeat(length / 5),
      (length: number) => "```js\n" + "x = 1;\n".repeat(length / 7),
      (length: number) => "`".repeat(length),
      (length: number) => "```js\n" + "`".repeat(length),
      (length: number) => "> a/b.c\n\n".repeat(length / 9),
      (length: number) => "a.b\n```\n```\n".repeat(length / 12),
    ];
    for (const shape of shapes) {
      // Quadratic time shows as about 10 every time, a busy machine now and then.
      let growth = Infinity;
      for (let attempt = 0; growth > 5 && attempt < 8; attempt++) {
        growth = Math.min(growth, measureGrowth(make, shape, 10_000, 3));
      }
      expect(growth).toBeLessThan(7);
    }
  });
});

describe("live", () => {
  const text = "a\n```ts a.ts\nlet a;\nlet b;\n```\nz";
  const make = (snapshot?: unknown) =>
    new SnippetExtractorStream({ live: true, snapshot });
  test("a snippet that a tracker's first mark belies ends all the same", () => {
    const chunks = cuttings("~~~abc\n`e`\nx");
    for (const way of chunks) {
      const parts = parse(
        way,
        new FenceTrackerStream({ maxInfoLength: 5, inline: "hold" }),
        make(),
      );
      expect(
        parts.filter((part) => "id" in part).map(({ type }) => type),
      ).toEqual(["snippet-start", "snippet"]);
      expect(textOf(parts)).toBe("~~~abc\n`e`\nx");
    }
  });
  test("deltas do not end what began in the text: later stages find the same in any cutting", () => {
    const makers = [
      () => new FenceTrackerStream(),
      () => new FenceSplitterStream({ maxLength: 40 }),
      () => pipeline(new SurrogateSanitizerStream(), new FenceTrackerStream()),
    ];
    const input = "a\n```ts\nlet \u{1f600};\n\nlet b;\n```\nz";
    for (const later of makers) {
      const read = (chunks: readonly string[]) =>
        merged(
          parse([...chunks], make(), later())
            .filter((part) => part.type !== "snippet-delta"),
        );
      const whole = read([input]);
      for (const chunks of cuttings(input)) {
        expect(read(chunks), JSON.stringify(chunks)).toEqual(whole);
      }
    }
  });
  test("tells of the snippet at once, and of all its code", () => {
    const parts = parse(text, make());
    expect(parts.map(({ type }) => type)).toEqual([
      "text",
      "snippet-start",
      "text",
      "snippet-delta",
      "snippet",
      "text",
    ]);
    expect(parts[1]).toMatchObject({
      language: "ts",
      languageId: "typescript",
      filePath: "a.ts",
      start: 2,
      info: "ts a.ts",
    });
    const ids = parts.filter((part) => "id" in part).map((part) =>
      (part as PartOf<"snippet-start">).id
    );
    expect(new Set(ids).size).toBe(1);
  });
  test("gives the same apart from how deltas are cut", () => {
    for (const input of [text, "```js", "```\n```", "- ```js\r\n  1\r\n2"]) {
      const tidy = (parts: Part[]) => ({
        rest: merged(parts.filter(({ type }) => type !== "snippet-delta")),
        deltas: parts.map((part) =>
          part.type === "snippet-delta" ? part.text : ""
        ).join(""),
      });
      const whole = tidy(parse(input, make()));
      for (const chunks of cuttings(input)) {
        expect(tidy(run(make(), chunks))).toEqual(whole);
      }
      expect(whole.deltas).toBe(
        whole.rest.map((part) => part.type === "snippet" ? part.content : "")
          .join(""),
      );
    }
  });
  test("has its start at one place, however the text is cut", () => {
    const texts = ["a ```js b``` c", "a ```{x}\ny", "<pre> ```js b```\n"];
    for (const input of texts) {
      const places = (chunks: string[]) => {
        const parts = run(
          new SnippetExtractorStream({
            live: true,
            mode: "loose",
            tagBlocks: true,
          }),
          chunks,
        );
        return merged(parts.filter(({ type }) => type !== "snippet-delta"));
      };
      for (const chunks of cuttings(input)) {
        expect(places(chunks)).toEqual(places([input]));
      }
    }
  });
  test("gives a delta with each chunk of code", () => {
    const stream = make();
    const seen: string[] = [];
    for (const chunk of ["```js\n", "let", " a", ";\n", "```"]) {
      stream.stage.push(
        chunk,
        (part: Part) =>
          seen.push(part.type === "snippet-delta" ? part.text : part.type),
      );
    }
    expect(seen).toEqual([
      "text",
      "snippet-start",
      "text",
      "text",
      "let",
      "text",
      " a",
      "text",
      ";\n",
      "text",
    ]);
  });
});

describe("tool calls", () => {
  function call(toolName: string, input: unknown): Part {
    return {
      type: "tool-call",
      toolCallId: "c1",
      toolName,
      input,
      origin: "native",
    };
  }
  test("that write files give snippets right behind them", () => {
    const write = call("Write", { file_path: "/a/x.py", content: "1\n" });
    const parts = parse(["hi ", write, "there"], new SnippetExtractorStream());
    expect(parts[1]).toBe(write);
    expect(parts[2]).toEqual({
      type: "snippet",
      languageId: "python",
      filePath: "/a/x.py",
      pathSource: "tool-input",
      content: "1\n",
      closed: true,
      start: 3,
      end: 3,
      toolCallId: "c1",
    });
  });
  test("of unknown tools and odd arguments give none", () => {
    for (
      const part of [
        call("Read", { file_path: "a" }),
        call("Write", { file_path: "a" }),
        call("Write", null),
        call("Write", 7),
        call("Write", ["a"]),
        call("Edit", { file_path: "a", new_string: 3 }),
        call("MultiEdit", { file_path: "a", edits: [1, null, {}] }),
        call("apply_patch", { input: 1 }),
        call("__proto__", {}),
      ]
    ) expect(parse([part], new SnippetExtractorStream())).toEqual([part]);
  });
  test("can be left alone", () => {
    const write = call("Write", { file_path: "a", content: "1" });
    expect(snippets([write], { toolEdits: false })).toEqual([]);
  });
  test("of salvaged origin give the place of their markup", () => {
    const salvaged: Part = {
      type: "tool-call",
      toolCallId: "s",
      toolName: "write_to_file",
      input: { path: "a.ts", content: "1" },
      origin: "salvaged",
      dialect: "x",
      raw: "<x>",
      start: 0,
      end: 3,
      repairs: [],
    };
    expect(snippets([salvaged])[0]).toMatchObject({ start: 0, end: 3 });
  });
  test("follow rows of one's own", () => {
    const row: ToolEdit = {
      tool: "Write",
      snippets: ({ content }) => [{ content: `mine: ${content}` }],
    };
    const broken: ToolEdit = {
      tool: "bad",
      snippets() {
        throw new Error("no");
      },
    };
    const parts = parse(
      [call("Write", { content: "1" }), call("bad", {})],
      new SnippetExtractorStream({ toolEdits: [row, broken] }),
    );
    expect(parts[1]).toMatchObject({ type: "snippet", content: "mine: 1" });
    expect(parts[3]).toMatchObject({ type: "warning", code: "fault" });
  });
});

describe("laws", () => {
  const inputs = markupText([
    ...MARKUP,
    "```js\n",
    "\n```\n",
    "a/x.py\n",
    "- ```\n  ",
    "> ```\n> ",
    "# filepath: a.b\n",
    " (3-9)",
    "1:2:a.b",
  ]);
  test("hold with own tracking", () => {
    checkLaws({
      make: (snapshot) => new SnippetExtractorStream({ snapshot }),
      inputs,
    });
  });
  test("hold with guesses, small limits and odd modes", () => {
    for (const mode of ["commonmark", "loose"] as const) {
      checkLaws({
        make: (snapshot) =>
          new SnippetExtractorStream({
            mode,
            guess: true,
            maxContentLength: 5,
            maxLineLength: 12,
            snapshot,
          }),
        inputs,
        runs: 200,
      });
    }
  });
  test("give what an upstream tracker and this stage give together", () => {
    fc.assert(
      fc.property(
        inputs,
        fc.constantFrom("tolerant", "commonmark", "loose"),
        (input, mode) => {
          const guess = true;
          const together = pipeline(
            new FenceTrackerStream({ mode }),
            new SnippetExtractorStream({ guess, trackFences: false }),
          ) as StageStream<string | Part, Part>;
          const found = (parts: Part[]) =>
            parts.filter(({ type }) => type === "snippet");
          expect(snippets(input, { guess, mode }))
            .toEqual(found(run(together, input.split(""))));
        },
      ),
      { numRuns: RUNS },
    );
  });
  test("hold on real text", () => {
    const text = readFileSync(
      new URL("../cases/README.md", import.meta.url),
      "utf8",
    ).slice(0, 3_000);
    const parts = parse(text, new SnippetExtractorStream());
    checkConservation(text, parts);
  });
});

describe("the last line", () => {
  // As commonmark.js says it.
  for (
    const [text, content] of [
      ["> ```\n>", "\n"],
      ["> ```\r\n> ", "\n"],
      ["> ```\n> a\n>", "a\n\n"],
      ["> ```\n> a\nb", "a\n"],
      ["> ```\n>\n> ```", "\n"],
      ["> ```\n>\nb", "\n"],
      ["- ```\n  ", "\n"],
      ["- ```\n", ""],
      [" ```\n ", "\n"],
      ["```\nab", "ab\n"],
    ] as const
  ) {
    test(`of ${JSON.stringify(text)}, also when it is only a prefix`, () => {
      for (
        const make of [
          () => new SnippetExtractorStream(),
          () =>
            pipeline(new FenceTrackerStream(), new SnippetExtractorStream()),
        ]
      ) {
        for (const chunks of [[text], [...text]]) {
          const parts: Part[] = parse(chunks, make());
          expect(parts.find(({ type }) => type === "snippet"))
            .toMatchObject({ content });
        }
      }
    });
  }
});

test("live content that is cut has no half of a pair, and nothing behind it", () => {
  const parts = parse(
    "```\nab🙂cd\nef\n```\n",
    new SnippetExtractorStream({ live: true, maxContentLength: 3 }),
  );
  const deltas = parts.flatMap((part) =>
    part.type === "snippet-delta" ? [part.text] : []
  );
  expect(deltas.join("")).toBe("ab");
  expect(parts.find(({ type }) => type === "snippet"))
    .toMatchObject({ content: "ab" });
});

describe("wrong use", () => {
  test("throws at construction", () => {
    const wrong = (options: unknown) => () =>
      new SnippetExtractorStream(options as SnippetExtractorStreamOptions);
    expect(wrong({ conventions: [{}] })).toThrow(TypeError);
    expect(wrong({ toolEdits: [{ tool: "x" }] })).toThrow(TypeError);
    expect(wrong({ snapshot: {} })).toThrow(TypeError);
    expect(wrong({ mode: "strict" })).toThrow(TypeError);
    expect(wrong({ mode: "" })).toThrow(TypeError);
  });
});
