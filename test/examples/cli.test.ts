import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Part } from "../../mod.ts";
import { merged } from "../laws.ts";
import { root } from "../support/public_files.ts";
import { spawnCli } from "../support/spawn_cli.ts";

const demo = readFileSync(join(root, "examples/data/demo.sse"));
const tools = ["--tools", "examples/data/tools.json"];
const main = [...tools, "--directives", "note"];

function partsOf(jsonl: string): Part[] {
  return merged(
    jsonl.split("\n").filter((line) => line !== "").map((line) =>
      JSON.parse(line)
    ),
  );
}

function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function chat(content: string, finish: string | null = null): string {
  return event({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  });
}

describe("the CLI's main job", () => {
  test("shows text, fence, directive, salvaged call and snippet", async () => {
    const { code, stdout, stderr } = await spawnCli(main, demo);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    for (
      const piece of [
        "The build fails because",
        "```ts src/parser.ts (12-18)",
        "note level=",
        "read_file",
        "src/main.ts",
        "snippet: typescript src/parser.ts:12-18",
        "finished",
      ]
    ) expect(stdout).toContain(piece);
    expect(stdout).not.toContain("<invoke");
    expect(stdout).not.toContain("\x1b");
  }, 120_000);

  test(
    "1-byte chunks give the same parts as the whole, one part a line",
    async () => {
      const whole = await spawnCli([...main, "--to", "jsonl"], demo);
      const cut = await spawnCli(
        [...main, "--to", "jsonl", "--chunk", "1"],
        demo,
      );
      expect(whole.code).toBe(0);
      expect(partsOf(cut.stdout)).toEqual(partsOf(whole.stdout));
      const types = partsOf(whole.stdout).map((part) => part.type);
      for (
        const type of [
          "text",
          "fence-start",
          "fence-end",
          "directive-start",
          "directive-delta",
          "directive",
          "snippet",
          "tool-call",
          "usage",
          "finish",
        ] as const
      ) expect(types).toContain(type);
    },
    120_000,
  );

  test("a file, text only", async () => {
    const { code, stdout } = await spawnCli([
      "examples/data/demo.sse",
      "--to",
      "text",
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("<invoke");
    expect(stdout.startsWith("The build fails")).toBe(true);
  }, 120_000);

  test("sse and snippets out", async () => {
    const sse = await spawnCli([...main, "--to", "sse"], demo);
    expect(sse.stdout.split("\n\n").at(-2)).toContain('"finish"');
    const snippets = await spawnCli([...main, "--to", "snippets"], demo);
    expect(
      snippets.stdout.trim().split("\n").map((line) =>
        JSON.parse(line).filePath
      ),
    ).toEqual(["src/parser.ts"]);
  }, 120_000);

  test("plain text in, told or found out", async () => {
    for (const from of [["--from", "text"], []]) {
      const { code, stdout } = await spawnCli(
        [...from, "--to", "snippets"],
        "# Title\n\n```js\nrun()\n```\n",
      );
      expect(code).toBe(0);
      expect(JSON.parse(stdout).content).toBe("run()\n");
    }
  }, 120_000);

  test("explain and stats go to stderr", async () => {
    const { stderr } = await spawnCli(
      [...main, "--explain", "--stats=json"],
      demo,
    );
    expect(stderr).toContain("call salvaged");
    expect(stderr).toContain("fence opens");
    const stats = JSON.parse(stderr.trim().split("\n").at(-1)!);
    expect(stats.parts["tool-call"]).toBe(1);
    expect(stats.complete).toBe(true);
  }, 120_000);

  test("a reader that stops early is no error", async () => {
    const text = "word ".repeat(200_000);
    const { code, stderr } = await spawnCli(
      ["--from", "text", "--to", "text"],
      text,
      10,
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
  }, 120_000);

  test(
    "control characters of the stream do not reach the terminal",
    async () => {
      const { stdout } = await spawnCli([], chat("a\x1b[2Jb\u202ec", "stop"));
      expect(stdout).not.toContain("\x1b");
      expect(stdout).toContain("a\u241b[2Jb<U+202E>c");
    },
    120_000,
  );
});

test("no field of any part makes a terminal obey", async () => {
  const evil = "\x1b[2J\x9b2J\u202e";
  // Every field of every part, also those that should be numbers.
  const parts = [
    { type: "text", text: evil, start: 0 },
    { type: "reasoning", text: evil },
    {
      type: "tool-call",
      toolCallId: evil,
      toolName: evil,
      input: { [evil]: evil },
      origin: "native",
    },
    {
      type: "tool-call-partial",
      toolCallId: evil,
      toolName: evil,
      inputText: evil,
    },
    { type: "tool-result", toolCallId: evil, output: evil },
    { type: "tool-blocked", toolCallId: evil, toolName: evil, reason: evil },
    {
      type: "directive",
      id: evil,
      name: evil,
      attributes: { [evil]: evil },
      content: evil,
      complete: true,
      raw: evil,
      start: 0,
      end: 9,
    },
    {
      type: "snippet",
      language: evil,
      content: evil,
      filePath: evil,
      lineRange: [evil, evil],
      closed: true,
      start: 0,
      end: 9,
    },
    { type: "usage", inputTokens: evil, outputTokens: evil },
    { type: "warning", code: evil, message: evil, start: evil },
    {
      type: "error",
      error: { name: evil, message: evil, code: evil },
      fatal: false,
    },
    { type: "raw", value: { [evil]: evil } },
    { type: evil, more: evil },
    { type: "finish", reason: evil, rawReason: evil, complete: true },
  ];
  const { stdout, stderr } = await spawnCli(
    ["--from", "parts", "--to", "pretty", "--explain", "--stats"],
    parts.map((part) => `${JSON.stringify(part)}\n`).join(""),
  );
  for (const obeyed of ["\x1b", "\x9b", "\u202e"]) {
    expect(stdout).not.toContain(obeyed);
    expect(stderr).not.toContain(obeyed);
  }
  expect(stdout).toContain("[2J");
}, 60_000);

describe("bad input: said, kept, exit code 1", () => {
  test("a stream cut in mid-event", async () => {
    const input = chat("Hello") + chat(" world").slice(0, 40);
    const { code, stdout } = await spawnCli(["--to", "jsonl"], input);
    const parts = partsOf(stdout);
    expect(code).toBe(1);
    expect(parts.find((part) => part.type === "text")).toMatchObject({
      text: "Hello",
    });
    expect(parts.at(-1)).toMatchObject({ type: "finish", complete: false });
    expect(
      parts.some((part) => part.type === "error" || part.type === "warning"),
    ).toBe(true);
  }, 120_000);

  test(
    "HTML or an error body instead of SSE, also when nobody said SSE",
    async () => {
      const page = "<!doctype html><title>502 Bad Gateway</title>";
      const body = JSON.stringify(
        { error: { message: "No such key" } },
        null,
        2,
      );
      for (
        const [from, input, message] of [
          [["--from", "sse"], page, "502 Bad Gateway"],
          [[], page, "502 Bad Gateway"],
          [[], body, "No such key"],
        ] as const
      ) {
        const { code, stdout } = await spawnCli(
          [...from, "--to", "jsonl"],
          input,
        );
        expect(code).toBe(1);
        const parts = partsOf(stdout);
        expect(JSON.stringify(parts)).toContain(message);
        expect(
          parts.some((part) =>
            part.type === "warning" && part.code === "not-an-event-stream" ||
            part.type === "error"
          ),
        ).toBe(true);
      }
      // Whoever says that it is text gets text.
      const { code, stdout } = await spawnCli(
        ["--from", "text", "--to", "text"],
        page,
      );
      expect([code, stdout]).toEqual([0, page]);
    },
    120_000,
  );

  test("a stream that is of another provider than was said", async () => {
    const { code, stderr } = await spawnCli(["--from", "anthropic"], demo);
    expect(code).toBe(1);
    expect(stderr).toContain("events is one of anthropic");
  }, 120_000);

  test("an empty body", async () => {
    const { code, stdout } = await spawnCli(["--to", "jsonl"], "");
    expect(code).toBe(1);
    expect(partsOf(stdout).at(-1)).toMatchObject({
      type: "finish",
      complete: false,
    });
  }, 120_000);

  test("bytes that are not UTF-8", async () => {
    const text = new TextEncoder().encode(chat("abc", "stop"));
    const bytes = Uint8Array.from(text, (byte) => byte === 0x62 ? 0xff : byte);
    const { code, stdout } = await spawnCli(
      ["--from", "sse", "--to", "jsonl"],
      bytes,
    );
    expect(code).toBe(1);
    const parts = partsOf(stdout);
    expect(
      parts.some((part) =>
        part.type === "warning" && part.code === "invalid-utf8"
      ),
    ).toBe(true);
  }, 120_000);

  test("strict counts warnings", async () => {
    const input = chat("see <tool_call>x", "stop");
    const words = ["--to", "jsonl", ...tools];
    expect((await spawnCli(words, input)).code).toBe(0);
    expect((await spawnCli([...words, "--strict"], input)).code).toBe(1);
  }, 120_000);
});

describe("wrong usage: exit code 2", () => {
  test("says what is wrong and what was meant", async () => {
    const folder = mkdtempSync(join(tmpdir(), "millrace-"));
    const broken = join(folder, "tools.json");
    writeFileSync(broken, "{");
    for (
      const [words, message] of [
        [["--form", "text"], 'did you mean "--from"?'],
        [["--from", "txt"], 'did you mean "text"?'],
        [["--from"], "needs a value"],
        [["--bare=1"], "takes no value"],
        [["--chunk", "0"], "whole number"],
        [["--tools", broken], 'it has to hold JSON such as [{"name": "read"}]'],
        [["--directives", "a b"], 'Option "--directives": '],
        [["no-such-file"], "no-such-file"],
        [["-x"], "no option"],
      ] as const
    ) {
      const { code, stderr } = await spawnCli([...words]);
      expect(stderr).toContain(message);
      expect(code).toBe(2);
    }
  }, 120_000);

  test("help, version and completions", async () => {
    const help = await spawnCli(["--help"]);
    expect(help.code).toBe(0);
    for (const name of ["--from", "--strict", "Exit codes", "Examples"]) {
      expect(help.stdout).toContain(name);
    }
    const version = await spawnCli(["--version"]);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const shell of ["bash", "zsh", "fish"]) {
      const script = await spawnCli(["--completions", shell]);
      expect(script.stdout).toContain("directives");
    }
  }, 120_000);
});
