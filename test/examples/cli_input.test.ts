import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { globFiles } from "../../examples/cli/files.ts";
import { follow } from "../../examples/cli/follow.ts";
import {
  detectFraming,
  isStoredSession,
  rechunk,
} from "../../examples/cli/input.ts";
import { optionTable, providerFormats } from "../../examples/cli/options.ts";
import { providers } from "../../adapters/providers/mod.ts";
import { root } from "../support/public_files.ts";
import { cliCommand, spawnCli } from "../support/spawn_cli.ts";

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

function temporary(): string {
  return mkdtempSync(join(tmpdir(), "millrace-"));
}

describe("what comes in, told by the content", () => {
  test("recorded streams are no sessions", () => {
    const wrong = filesBelow(join(root, "test/real")).filter((path) =>
      /\.(?:sse|jsonl)$/.test(path) && !/(?:answers|manifest)/.test(path) &&
      isStoredSession(readFileSync(path, "utf8"), true)
    );
    expect(wrong).toEqual([]);
  });

  test("stored sessions are", () => {
    const wrong = filesBelow(join(root, "test/sessions")).filter((path) =>
      /\.(?:md|jsonl?)$/.test(path) &&
      !/(?:answers|manifest|README|transcripts|json-dump)/.test(path) &&
      !isStoredSession(readFileSync(path, "utf8"), true)
    );
    expect(wrong).toEqual([]);
  });

  test("single answers are text, also one that shows a record", () => {
    const folder = join(root, "test/sessions/transcripts");
    const wrong = readdirSync(folder).filter((name) => {
      if (!name.endsWith(".md")) return false;
      const text = readFileSync(join(folder, name), "utf8");
      return detectFraming(text) !== "text" || isStoredSession(text, true);
    });
    expect(wrong).toEqual([]);
    expect(isStoredSession(
      'Send this:\n```json\n{"role":"user","content":"hi"}\n```\n',
      true,
    )).toBe(false);
  });

  test("framing", () => {
    for (
      const [head, format] of [
        ["data: {}\n\n", "sse"],
        ["\ufeffevent: x\ndata: {}\n", "sse"],
        [": comment\n\n", "sse"],
        ['{"a":1}\n', "jsonl"],
        ['[{"a":1},\n', "text"],
        ["[\n{", "jsonl"],
        ['{"a":1', "text"],
        ["dataset: x", "text"],
        ["# Title", "text"],
        ["[link](x)", "text"],
      ] as const
    ) expect([head, detectFraming(head)]).toEqual([head, format]);
  });

  test("the option lists every provider", () => {
    expect(providerFormats).toEqual(providers.map(({ name }) => name).sort());
    const names = optionTable.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("cutting keeps bytes and characters", async () => {
    const bytes = new TextEncoder().encode("aé日😀b\n");
    for (const size of [1, 2, 3, 100]) {
      const pieces: Uint8Array[] = [];
      // In pieces that end inside characters.
      const source = (async function* () {
        for (const byte of bytes) yield Uint8Array.of(byte);
      })();
      for await (const piece of rechunk(source, size)) {
        pieces.push(piece.slice());
      }
      const texts = pieces.map((piece) =>
        new TextDecoder("utf-8", { fatal: true }).decode(piece)
      );
      expect(texts.join("")).toBe("aé日😀b\n");
      expect(texts.slice(0, -1).every((text) => [...text].length === size))
        .toBe(true);
    }
  });
});

describe("files, folders and patterns", () => {
  test("patterns", () => {
    const folder = temporary().replaceAll("\\", "/");
    mkdirSync(join(folder, "b/c"), { recursive: true });
    mkdirSync(join(folder, ".hidden"));
    for (
      const name of [
        "a.md",
        "a1.md",
        "a[x].md",
        "b/d.md",
        "b/c/e.md",
        ".hidden/f.md",
        ".g.md",
        "b/(z).txt",
      ]
    ) writeFileSync(join(folder, name), "");
    for (
      const [pattern, expected] of [
        ["*.md", ["a.md", "a1.md", "a[x].md"]],
        ["a?.md", ["a1.md"]],
        ["a[0-9].md", ["a1.md"]],
        ["a[!x].md", ["a1.md"]],
        ["**/*.md", ["a.md", "a1.md", "a[x].md", "b/c/e.md", "b/d.md"]],
        ["b/**/e.md", ["b/c/e.md"]],
        [".*.md", [".g.md"]],
        ["*/*.md", ["b/d.md"]],
        ["b/(*).txt", ["b/(z).txt"]],
        ["*.txt", []],
        ["missing/*", []],
      ] as const
    ) {
      expect([
        pattern,
        globFiles(`${folder}/${pattern}`).map((path) =>
          path.slice(folder.length + 1)
        ),
      ]).toEqual([pattern, expected]);
    }
  });

  test("several files, by a pattern: each line says whose it is", async () => {
    const folder = temporary();
    writeFileSync(join(folder, "a.md"), "```js\n1\n```\n");
    writeFileSync(join(folder, "b.md"), "```js\n2\n```\n");
    const { code, stdout } = await spawnCli([
      join(folder, "*.md"),
      "--to",
      "snippets",
    ]);
    expect(code).toBe(0);
    expect(
      stdout.trim().split("\n").map((line) => JSON.parse(line)).map((
        { file, content },
      ) => [file.slice(-4), content]),
    ).toEqual([["a.md", "1\n"], ["b.md", "2\n"]]);
    const pretty = await spawnCli([
      join(folder, "a.md"),
      join(folder, "b.md"),
    ]);
    expect(pretty.stdout.match(/==> .*[ab]\.md <==/g)!.length).toBe(2);
  }, 120_000);

  test("one that cannot be read does not stop the others", async () => {
    const folder = temporary();
    writeFileSync(join(folder, "a.jsonl"), '{"half');
    writeFileSync(join(folder, "b.jsonl"), '{"role":"user","content":"hi"}\n');
    const { code, stdout, stderr } = await spawnCli([
      "--from",
      "session",
      "--to",
      "jsonl",
      join(folder, "a.jsonl"),
      join(folder, "b.jsonl"),
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("Cannot read");
    expect(stderr).toContain("a.jsonl");
    expect(JSON.parse(stdout).blocks[0].text).toBe("hi");
  }, 120_000);

  test("what is written comes back in with --from parts", async () => {
    const words = ["--to", "jsonl", "--tools", "examples/data/tools.json"];
    const first = await spawnCli(["examples/data/demo.sse", ...words]);
    for (const to of ["jsonl", "sse"]) {
      const sent = await spawnCli([
        "examples/data/demo.sse",
        ...words,
        "--to",
        to,
      ]);
      for (const from of [["--from", "parts"], []]) {
        const again = await spawnCli([...from, "--to", "text"], sent.stdout);
        expect(again.code).toBe(0);
        expect(again.stdout).toContain("src/parser.ts (12-18)");
        expect(again.stdout).not.toContain("<invoke");
      }
    }
    expect(first.code).toBe(0);
  }, 120_000);
});

describe("--follow", () => {
  test(
    "gives what is added, and ends with another file of that name",
    async () => {
      const path = join(temporary(), "log");
      writeFileSync(path, "one ");
      const stop = new AbortController();
      const pieces = follow(path, stop.signal);
      const next = async () => {
        const { value, done } = await pieces.next();
        return done ? undefined : new TextDecoder().decode(value as Uint8Array);
      };
      expect(await next()).toBe("one ");
      setTimeout(() => appendFileSync(path, "two "), 150);
      expect(await next()).toBe("two ");
      renameSync(path, `${path}.old`);
      writeFileSync(path, "new");
      expect(await next()).toBe(undefined);

      const emptied = follow(path, stop.signal);
      await emptied.next();
      writeFileSync(path, "");
      expect((await emptied.next()).done).toBe(true);

      const stopped = follow(path, stop.signal);
      setTimeout(() => stop.abort(), 150);
      expect((await stopped.next()).done).toBe(true);
    },
    120_000,
  );

  test("parts come while the files grow, side by side", async () => {
    const folder = temporary();
    const paths = ["a.txt", "b.txt"].map((name) => join(folder, name));
    for (const path of paths) writeFileSync(path, "start\n");
    const [program, ...first] = cliCommand();
    const child = spawn(
      program,
      [...first, "--follow", "--from", "text", "--to", "jsonl", ...paths],
      { cwd: root },
    );
    let output = "";
    child.stdout.on(
      "data",
      (chunk: Uint8Array) => output += new TextDecoder().decode(chunk),
    );
    const closed = new Promise<number | null>((resolve) =>
      child.on("close", resolve)
    );
    const until = async (text: string) => {
      for (let tries = 0; !output.includes(text) && tries < 400; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      expect(output).toContain(text);
    };
    await until("start");
    appendFileSync(paths[1]!, "second\n");
    await until("second");
    appendFileSync(paths[0]!, "first\n```js\nx\n");
    await until("first");
    expect(output).not.toContain('"snippet"');
    // Deno's child.kill() would forget the exit code.
    process.kill(child.pid!, "SIGINT");
    expect(await closed).toBe(0);
    // What was open is closed in the end.
    expect(output).toContain('"snippet"');
    const last = output.trim().split("\n").map((line) => JSON.parse(line)).at(
      -1,
    );
    expect(last.file).toBe(paths[0]);
  }, 120_000);

  test("takes files", async () => {
    expect((await spawnCli(["--follow"])).code).toBe(2);
    expect((await spawnCli(["--follow", "examples"])).code).toBe(2);
  }, 120_000);
});

/** Whether a terminal can be made. */
const hasTerminal = process.platform === "linux" &&
  spawnSync("script", ["--version"]).status === 0;

/** What a terminal gets to see of a command line; stdout may be a file. */
function onTerminal(words: readonly string[], stdout?: string): string {
  const log = join(temporary(), "log");
  const quote = (word: string) => `'${word}'`;
  const command = [...cliCommand(), ...words].map(quote).join(" ") +
    (stdout === undefined ? "" : ` > ${quote(stdout)}`);
  const { status } = spawnSync("script", ["-qec", command, log], {
    cwd: root,
    stdio: "ignore",
  });
  expect(status).toBe(0);
  return readFileSync(log, "utf8");
}

(hasTerminal ? describe : describe.skip)("on a terminal", () => {
  test("--stats shows a live line, and takes it away", () => {
    const folder = temporary();
    const text = join(folder, "text.md");
    const output = join(folder, "out");
    writeFileSync(text, "some words, and again\n".repeat(5_000));
    const shown = onTerminal(
      [text, "--to", "text", "--stats", "--chunk", "1"],
      output,
    );
    expect(shown).toMatch(/\r[\d,]+ characters, held \d+ \(\d+\), /);
    expect(shown).toContain("\r\x1b[K110,000 characters in ");
    expect(readFileSync(output, "utf8")).toBe(readFileSync(text, "utf8"));
  }, 120_000);

  test("no format lets it obey what a stream says", () => {
    const text = join(temporary(), "text.md");
    writeFileSync(text, "```js\nx = '\x1b[2J\x9b2J\u202e'\n```\n");
    for (const to of ["pretty", "text", "jsonl", "sse", "snippets"]) {
      const shown = onTerminal([text, "--to", to]);
      const obeyed = ["\x1b[2J", "\x9b", "\u202e"].filter((one) =>
        shown.includes(one)
      );
      expect([to, obeyed]).toEqual([to, []]);
    }
  }, 120_000);
});
