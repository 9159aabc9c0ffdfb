import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  FenceSplitterStream,
  type FenceSplitterStreamOptions,
  type Part,
  type TextPart,
} from "../../mod.ts";
import { cut, cuttings, random, run } from "../laws.ts";
import { referenceBlocks } from "../support/commonmark_reference.ts";
import {
  nestedDocument,
  scatteredDocument,
} from "../support/markdown_documents.ts";

function make(options: FenceSplitterStreamOptions) {
  return (snapshot?: unknown) =>
    new FenceSplitterStream({ ...options, snapshot });
}

/** The messages of a text; the same in every cutting. */
function split(text: string, maxLength: number): string[] {
  const parts = run(make({ maxLength })(), [text]);
  for (const way of cuttings(text)) {
    expect(run(make({ maxLength })(), way), JSON.stringify(way)).toEqual(parts);
  }
  return messagesOf(parts, maxLength);
}

function messagesOf(parts: readonly Part[], maxLength: number): string[] {
  return parts.filter((part): part is TextPart => part.type === "text")
    .map(({ text }) => {
      expect(text.length).toBeLessThanOrEqual(maxLength);
      expect(text.trim()).not.toBe("");
      return text;
    });
}

const line = "let value = 1;\n";

describe("where messages end", () => {
  test("a short text is one message, as it is", () => {
    const text = "# A\n\nb\n\n```js\nc\n```\n\n- d\n";
    expect(split(text, 100)).toEqual([text]);
  });

  test("a fence of any length is closed where it is open, and nowhere else", () => {
    for (const maxLength of [32, 33, 40]) {
      for (let length = 0; length < 90; length++) {
        for (const lines of [1, 2, 3]) {
          const code = `${"x".repeat(length)}\n`.repeat(lines);
          for (const after of ["", "after\n"]) {
            const text = `before\n\`\`\`js\n${code}\`\`\`\n${after}`;
            const parts = run(make({ maxLength })(), [text]);
            const messages = messagesOf(parts, maxLength);
            let left = "";
            for (const message of messages) {
              const [block, ...others] = referenceBlocks(message);
              expect([text, message, others]).toEqual([text, message, []]);
              // All marker lines of a message belong to its one fence.
              const markers = message.split("\n").filter((line) =>
                line.startsWith("```")
              );
              expect([text, message, markers]).toEqual([
                text,
                message,
                block === undefined ? [] : ["```js", "```"],
              ]);
              left += block?.content ?? "";
            }
            expect(left.replaceAll("\n", "")).toBe(code.replaceAll("\n", ""));
          }
        }
      }
    }
  });

  test("behind a block in the second half, else behind a line, else a word", () => {
    expect(split("aaaa aaaa aaaa\n\nbbbb bbbb\nbbbb bbbb\n", 32)).toEqual([
      "aaaa aaaa aaaa\n\n",
      "bbbb bbbb\nbbbb bbbb\n",
    ]);
    expect(split("a\n\nbbbb bbbb bbbb bbbb\ncccc cccc cccc\n", 32)).toEqual([
      "a\n\nbbbb bbbb bbbb bbbb\n",
      "cccc cccc cccc\n",
    ]);
    expect(split("aaaaaa bbbbbb cccccc dddddd eeeeee ffffff", 32)).toEqual([
      "aaaaaa bbbbbb cccccc dddddd ",
      "eeeeee ffffff",
    ]);
    expect(split("a".repeat(40), 32)).toEqual(["a".repeat(32), "a".repeat(8)]);
  });

  test("never between the halves of a surrogate pair", () => {
    expect(split(`a${"\u{1f600}".repeat(20)}`, 32)).toEqual([
      `a${"\u{1f600}".repeat(15)}`,
      "\u{1f600}".repeat(5),
    ]);
  });

  test("prose is all there, in order", () => {
    const text = "Some words of prose.\n\nAnd more of them, on a line.\n"
      .repeat(9);
    expect(split(text, 64).join("")).toBe(text);
  });
});

describe("fences", () => {
  test("are closed, and opened again with the same marker and info", () => {
    expect(split(`\`\`\`\`js title="a"\n${line.repeat(5)}\`\`\`\`\n`, 64))
      .toEqual([
        `\`\`\`\`js title="a"\n${line.repeat(2)}\`\`\`\``,
        `\`\`\`\`js title="a"\n${line.repeat(2)}\`\`\`\``,
        `\`\`\`\`js title="a"\n${line}\`\`\`\`\n`,
      ]);
  });

  test("go to the next message when only their first lines would fit", () => {
    const prose = "Some words of prose, and more.\n";
    expect(split(`${prose}~~~\n${line.repeat(2)}~~~\n`, 44)).toEqual([
      prose,
      `~~~\n${line.repeat(2)}~~~\n`,
    ]);
  });

  test("a code line longer than a message is cut anyway", () => {
    expect(split("~~~\n0123456789012345678901234567890\n~~~\n", 32)).toEqual([
      "~~~\n01234567890123456789012\n~~~",
      "~~~\n34567890\n~~~\n",
    ]);
  });

  test("block quotes around them are kept, the indentation of list items is not", () => {
    const quoted = `> ${line}`;
    expect(split(`> ~~~js\n${quoted.repeat(4)}> ~~~\n`, 60)).toEqual([
      `> ~~~js\n${quoted.repeat(2)}> ~~~`,
      `> ~~~js\n${quoted.repeat(2)}> ~~~\n`,
    ]);
    const item = `      ${line}`;
    expect(split(`1.    ~~~\n${item.repeat(4)}      ~~~\n`, 64)).toEqual([
      `1.    ~~~\n${item.repeat(2)}      ~~~`,
      `~~~\n${line.repeat(2)}~~~\n`,
    ]);
  });

  test("one that its container ends, or the text, is closed", () => {
    expect(split("- ~~~\n  a\nb\n", 40)).toEqual(["- ~~~\n  a\n  ~~~\nb\n"]);
    expect(split("~~~\na", 40)).toEqual(["~~~\na\n~~~"]);
    expect(split("~~~js", 40)).toEqual(["~~~js\n~~~"]);
  });

  test("whose lines take half a message are cut without being closed", () => {
    const parts = run(make({ maxLength: 32 })(), [
      `~~~ a very long info\n${line.repeat(3)}~~~\n`,
    ]);
    expect(parts.map((part) => part.type)).toEqual([
      "warning",
      "text",
      "text",
      "text",
    ]);
    expect(messagesOf(parts, 32).join("")).toBe(
      `~~~ a very long info\n${line.repeat(3)}~~~\n`,
    );
  });

  test("content of real answers survives", () => {
    const answers = readFileSync(
      fileURLToPath(
        new URL("../transcripts/transcripts.jsonl", import.meta.url),
      ),
      "utf8",
    ).trim().split("\n").map((row) => JSON.parse(row).text as string);
    const content = (texts: string[]): string =>
      texts.flatMap(referenceBlocks).map((block) => block.content).join("")
        .replace(/\s/g, "");
    for (const text of answers) {
      for (const maxLength of [300, 1_000, 2_000]) {
        const messages = messagesOf(
          run(make({ maxLength })(), cut(text, [text.length >> 1])),
          maxLength,
        );
        expect(content(messages)).toBe(content([text]));
      }
    }
  });
});

test("other parts pass; one that is more than a notice ends the message", () => {
  const usage: Part = { type: "usage", outputTokens: 1 };
  const error: Part = {
    type: "error",
    error: { name: "E", message: "e" },
    fatal: false,
  };
  expect(run(make({})(), [
    "~~~js\na\n",
    usage,
    { type: "text", text: "b", start: 8 },
    error,
    "c\n~~~\n",
  ])).toEqual([
    usage,
    { type: "text", text: "~~~js\na\nb\n~~~", start: 0 },
    error,
    { type: "text", text: "~~~js\nc\n~~~\n", start: 9 },
  ]);
  const marked = "a\n```\nb\n```\n";
  expect(
    run(make({})(), [
      { type: "text", text: "a\n", start: 0 },
      {
        type: "fence-start",
        fence: { id: "1", info: "", marker: "```", start: 2 },
      },
      { type: "text", text: "```\n", start: 2, code: "marker" },
      { type: "text", text: "b\n```\n", start: 6, code: "fence" },
    ]),
  ).toEqual([{ type: "text", text: marked, start: 0 }]);
});

test("any text: no message too long or blank, every cutting and snapshot alike", () => {
  for (let seed = 0; seed < 600; seed++) {
    const next = random(seed);
    const piece = seed % 2 ? scatteredDocument : nestedDocument;
    const text = piece(next) + piece(next) + piece(next);
    const maxLength = 32 + Math.floor(next() * 100);
    const whole = run(make({ maxLength })(), [text]);
    messagesOf(whole, maxLength);
    const at = Math.floor(next() * text.length);
    for (const chunks of [text.split(""), cut(text, [at])]) {
      expect(run(make({ maxLength })(), chunks), JSON.stringify(chunks))
        .toEqual(whole);
    }
    const parts: Part[] = [];
    const first = make({ maxLength })();
    first.stage.push(text.slice(0, at), (part) => parts.push(part));
    const second = make({ maxLength })(
      JSON.parse(JSON.stringify(first.snapshot())),
    );
    first.stage.push("```\nx", () => {});
    second.stage.push(text.slice(at), (part) => parts.push(part));
    second.stage.end((part) => parts.push(part));
    expect(parts).toEqual(whole);
  }
});

test("deep and wide containers: no message too long", () => {
  const containers = ["> ", "   > ", ">", "- ", "1.    ", "     "];
  for (let seed = 0; seed < 1_000; seed++) {
    const next = random(seed);
    let text = "";
    for (let line = next() * 30; line > 0; line--) {
      const container = containers[Math.floor(next() * containers.length)]!;
      text += container.repeat(next() * 14);
      text += ["```js", "```", "~~~~~~~~~~~~", ""][Math.floor(next() * 4)];
      text += ["a", "b ", " ", ""][Math.floor(next() * 4)]!.repeat(next() * 60);
      text += "\n";
    }
    const maxLength = 32 + Math.floor(next() * 80);
    messagesOf(run(make({ maxLength })(), [text]), maxLength);
  }
});

test("a snapshot of longer messages than the option allows comes to an end", () => {
  const quotes = "> ".repeat(100);
  const before = new FenceSplitterStream({ maxLength: 2_000 });
  before.stage.push(`${quotes}~~~ts${"x".repeat(200)}\n${quotes}gh`, () => {});
  const snapshot = JSON.parse(JSON.stringify(before.snapshot()));
  const parts = run(make({ maxLength: 32 })(snapshot), ["ij ".repeat(50)]);
  const text = parts.map((part) => (part as TextPart).text).join("");
  expect(text.match(/[ij]/g)?.length).toBe(100);
});

test("wrong options throw", () => {
  expect(() => new FenceSplitterStream({ maxLength: 31 })).toThrow(RangeError);
  expect(() => new FenceSplitterStream({ mode: "loose" as "tolerant" }))
    .toThrow(TypeError);
  expect(() => new FenceSplitterStream({ snapshot: {} })).toThrow(TypeError);
});
