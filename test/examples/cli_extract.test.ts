import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { safePath } from "../../examples/cli/safe_path.ts";
import { SnippetFiles } from "../../examples/cli/snippet_files.ts";
import { spawnCli } from "../support/spawn_cli.ts";

/** A fresh folder with `out` in it, and `outside` with a file that must stay as it is. */
function jail(): { folder: string; out: string; outside: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "millrace-")));
  const out = join(folder, "out");
  const outside = join(folder, "outside");
  mkdirSync(out);
  mkdirSync(outside);
  writeFileSync(join(outside, "secret.txt"), "secret\n");
  return { folder, out, outside };
}

/** Everything below a folder, links not followed: path and content. */
function treeOf(folder: string, before = ""): string[] {
  return readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    const shown = `${before}${name}`;
    const stats = lstatSync(path);
    if (stats.isDirectory()) {
      return [`${shown}/`, ...treeOf(path, `${shown}/`)];
    }
    return stats.isFile()
      ? [`${shown}: ${readFileSync(path, "utf8")}`]
      : [`${shown} (link)`];
  });
}

/** Paths that a hostile or careless model may write, for a folder `outside` that exists. */
function hostilePaths(outside: string): string[] {
  return [
    `${outside}/evil.txt`,
    `/${outside}/evil.txt`,
    `/..${outside}/evil.txt`,
    "/etc/millrace-evil",
    "../outside/evil.txt",
    "../outside/secret.txt",
    "./../outside/evil.txt",
    "a/../../outside/evil.txt",
    "a/b/../../../outside/evil.txt",
    "..",
    "../",
    ".",
    "./",
    "",
    " ",
    "/",
    "//",
    "a/",
    "a\\",
    "..\\outside\\evil.txt",
    "a\\..\\..\\outside\\evil.txt",
    "../\\outside/evil.txt",
    "..\\/outside/evil.txt",
    "C:\\Windows\\evil.txt",
    "c:/Windows/evil.txt",
    "C:evil.txt",
    "\\\\server\\share\\evil.txt",
    "\\\\?\\C:\\evil.txt",
    "\\\\.\\pipe\\evil",
    "\\evil.txt",
    "//server/share/evil.txt",
    "file:///etc/millrace-evil",
    "https://example.org/../../evil.txt",
    "~/.ssh/authorized_keys",
    "~root/evil.txt",
    "~",
    "$HOME/evil.txt",
    "%2e%2e/outside/evil.txt",
    "..%2foutside%2fevil.txt",
    "%USERPROFILE%\\evil.txt",
    "．．/outside/evil.txt",
    "..\u200b/outside/evil.txt",
    "\u202e../outside/evil.txt",
    "..\0/outside/evil.txt",
    "evil.txt\0.png",
    "a\n../../outside/evil.txt",
    "evil\r\n.txt",
    "\x1b[2Jevil.txt",
    "con",
    "CON.txt",
    "a/NUL.tar.gz",
    "aux .c",
    "COM1",
    "lpt9.md",
    "conin$",
    "COM¹.txt",
    "evil.txt:stream",
    "evil.txt::$DATA",
    "evil.txt.",
    "evil.txt ",
    ".. /outside/evil.txt",
    ".../outside/evil.txt",
    "... /evil.txt",
    'a<b>c:d"e|f?g*h.txt',
    "-rf",
    "--force",
    ".git/hooks/post-checkout",
    ".GIT/config",
    ".git",
    "a/.Git/config",
    "git~1/config",
    ".git./config",
    ".git /config",
    ".g\u200bit/config",
    "\uff0egit/config",
    "lone\ud800surrogate.txt",
    `${"a".repeat(300)}.txt`,
    `${"a/".repeat(100)}evil.txt`,
    `${"../".repeat(100)}etc/millrace-evil`,
    "../".repeat(5000),
    "link/evil.txt",
    "link/secret.txt",
    "secret-link.txt",
    "dangling-link.txt",
    "file.txt/evil.txt",
    "folder",
    "folder/",
    "folder/../link/evil.txt",
    "link/../../outside/evil.txt",
    "clock$",
    "a/con/evil.txt",
    "a/con /evil.txt",
    "COM1.",
    "....//evil.txt",
    "..;/outside/evil.txt",
    "/proc/self/environ",
    "/dev/null",
    "\\\\?\\UNC\\server\\share\\evil.txt",
    "C:..\\..\\outside\\evil.txt",
    "..\u2215outside\u2215evil.txt",
    "..\uff0foutside\uff0fevil.txt",
    "..\uff3coutside\uff3cevil.txt",
    "..\u2044outside\u2044evil.txt",
    "\ufeff../outside/evil.txt",
    "\u00a0../outside/evil.txt",
    "\u0085../outside/evil.txt",
    "..\t/outside/evil.txt",
    "..\u3000/outside/evil.txt",
    "\u2025/outside/evil.txt",
    ".git::$INDEX_ALLOCATION/config",
    ".gi\u0131t/config",
    "\u212aEVIN.txt",
    "kevin.txt",
    "stra\u00dfe.txt",
    "STRASSE.TXT",
    "e\u0301.txt",
    "\u00e9.txt",
    "a.2.txt",
    "a.txt",
    "A.TXT",
  ];
}

/** A session of Claude Code in which these files are written. */
function sessionOf(paths: readonly string[], cwd: string): string {
  return paths.map((file_path, index) =>
    JSON.stringify({
      type: "assistant",
      uuid: `u${index}`,
      sessionId: "s",
      cwd,
      message: {
        id: `m${index}`,
        role: "assistant",
        content: [{
          type: "tool_use",
          id: `t${index}`,
          name: "Write",
          input: { file_path, content: `evil ${index}\n` },
        }],
      },
    })
  ).join("\n");
}

function withTraps(out: string, outside: string): void {
  symlinkSync(outside, join(out, "link"));
  symlinkSync(join(outside, "secret.txt"), join(out, "secret-link.txt"));
  symlinkSync(join(outside, "missing.txt"), join(out, "dangling-link.txt"));
  writeFileSync(join(out, "file.txt"), "file\n");
  mkdirSync(join(out, "folder"));
}

describe("--extract never leaves its folder", () => {
  for (const force of [false, true]) {
    test(`hostile paths, ${force ? "with" : "without"} --force`, async () => {
      const { folder, out, outside } = jail();
      withTraps(out, outside);
      const session = join(folder, "session.jsonl");
      writeFileSync(session, sessionOf(hostilePaths(outside), "/project"));
      const before = treeOf(outside);
      const { code, stdout, stderr } = await spawnCli([
        session,
        "--extract",
        out,
        ...(force ? ["--force"] : []),
      ]);
      expect(code).toBe(1);
      expect(stderr).toContain("Cannot write");
      expect(stderr).not.toContain("\x1b");
      expect(treeOf(outside)).toEqual(before);
      expect(readdirSync(folder).sort()).toEqual([
        "out",
        "outside",
        "session.jsonl",
      ]);
      expect(existsSync("/etc/millrace-evil")).toBe(false);
      // The traps are as they were, and nothing went along them.
      for (const name of ["link", "secret-link.txt", "dangling-link.txt"]) {
        expect(lstatSync(join(out, name)).isSymbolicLink()).toBe(true);
      }
      expect(readFileSync(join(out, "file.txt"), "utf8")).toBe("file\n");
      expect(readdirSync(join(out, "folder"))).toEqual([]);
      expect(treeOf(out).join("\n")).not.toMatch(/(?:^|\/)\.git\//im);
      // What was written is listed, one path a line, and is there.
      const paths = stdout.trimEnd().split("\n");
      expect(paths.length).toBeGreaterThan(20);
      for (const path of paths) {
        expect(lstatSync(join(out, path)).isFile()).toBe(true);
      }
    }, 120_000);
  }

  test("any path", () => {
    const { out, outside } = jail();
    withTraps(out, outside);
    const before = treeOf(outside);
    const step = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "",
        "link",
        "a",
        "~",
        "C:",
        ".git",
        "nul",
        "file.txt",
        "secret-link.txt",
      ),
      fc.string({ maxLength: 6 }),
    );
    const path = fc.tuple(
      fc.array(step, { maxLength: 6 }),
      fc.constantFrom("/", "\\"),
    ).map(([steps, separator]) => steps.join(separator));
    const files = new SnippetFiles(out, true);
    fc.assert(
      fc.property(path, fc.string({ maxLength: 3 }), (filePath, content) => {
        files.add({ filePath, content, closed: true });
        expect(treeOf(outside)).toEqual(before);
      }),
      { numRuns: Number(process.env["FAST_CHECK_RUNS"] ?? 500) },
    );
  }, 120_000);
});

describe("where a path leads", () => {
  test("as a list", () => {
    const inside = (path: string, cwd?: string) => {
      const safe = safePath(path, cwd);
      return "refused" in safe ? `! ${safe.refused}` : safe.steps.join("/");
    };
    for (
      const [path, expected, cwd] of [
        ["src/a.ts", "src/a.ts"],
        ["./src//a.ts", "src/a.ts"],
        ["src/x/../a.ts", "src/a.ts"],
        ["src\\a.ts", "src/a.ts"],
        ["/home/me/app/src/a.ts", "src/a.ts", "/home/me/app"],
        ["/home/me/app/src/a.ts", "src/a.ts", "/home/me/app/"],
        ["/home/me/app2/a.ts", "home/me/app2/a.ts", "/home/me/app"],
        [
          "/home/me/app/../b.ts",
          "! it leads out of the folder",
          "/home/me/app",
        ],
        ["C:\\work\\app\\a.ts", "a.ts", "C:\\work\\app"],
        ["src/a.ts", "src/a.ts", "/home/me/app"],
        ["/etc/passwd", "etc/passwd"],
        ["C:\\a.ts", "C_/a.ts"],
        ["../a.ts", "! it leads out of the folder"],
        ["src/", "! it names no file"],
        ["", "! it names no file"],
        [".git/config", "! it leads into a .git folder"],
        [".github/workflows/ci.yml", ".github/workflows/ci.yml"],
        [".gitignore", ".gitignore"],
        [".env.example", ".env.example"],
        ["app/[id]/page.tsx", "app/[id]/page.tsx"],
        ["con.ts", "_con.ts"],
        ["console.ts", "console.ts"],
        ["a:b.ts", "a_b.ts"],
        ["a.", "a_"],
        ["~/a", "_~/a"],
        ["-rf", "_-rf"],
        ["ä/日本.md", "ä/日本.md"],
        ["😀.md", "😀.md"],
        ["\ud800.md", "_.md"],
        ["a".repeat(300), "! it is too long"],
      ] as [string, string, string?][]
    ) expect([path, inside(path, cwd)]).toEqual([path, expected]);
  });
});

describe("the files of snippets", () => {
  const snippet = (filePath: string | undefined, content: string) => ({
    ...(filePath === undefined ? {} : { filePath }),
    content,
    closed: true,
  });

  test("what is there stays, unless it is forced", () => {
    const { out } = jail();
    writeFileSync(join(out, "a.ts"), "mine\n");
    expect(new SnippetFiles(out, false).add(snippet("a.ts", "new\n")))
      .toEqual({ status: "kept", path: "a.ts" });
    expect(readFileSync(join(out, "a.ts"), "utf8")).toBe("mine\n");
    expect(new SnippetFiles(out, true).add(snippet("a.ts", "new\n")))
      .toEqual({ status: "written", path: "a.ts" });
    expect(readFileSync(join(out, "a.ts"), "utf8")).toBe("new\n");
    expect(readdirSync(out)).toEqual(["a.ts"]);
  });

  test("several snippets of one path, the same again", () => {
    const { out } = jail();
    const add = (files: SnippetFiles) =>
      ["1\n", "2\n", "1\n", "3\n"].map((content) =>
        files.add(snippet("b/a.test.ts", content))
      ).map((result) => `${result.status} ${result.path}`);
    expect(add(new SnippetFiles(out, false))).toEqual([
      "written b/a.test.ts",
      "written b/a.test.2.ts",
      "same b/a.test.ts",
      "written b/a.test.3.ts",
    ]);
    expect(add(new SnippetFiles(out, false))).toEqual([
      "same b/a.test.ts",
      "same b/a.test.2.ts",
      "same b/a.test.ts",
      "same b/a.test.3.ts",
    ]);
  });

  test("names that differ only for careful file systems", () => {
    const { out } = jail();
    const files = new SnippetFiles(out, false);
    files.add(snippet("A.ts", "1"));
    expect(files.add(snippet("a.ts", "2"))).toEqual({
      status: "written",
      path: "a.2.ts",
    });
  });

  test("names that look like the number of another", () => {
    const { out } = jail();
    for (const force of [false, true]) {
      const files = new SnippetFiles(out, force);
      expect(
        [["a.ts", "1"], ["a.ts", "2"], ["a.2.ts", "3"], ["A.ts", "4"], [
          "a.ts",
          "2",
        ]].map(([path, content]) => files.add(snippet(path, content!)).path),
      ).toEqual(["a.ts", "a.2.ts", "a.2.2.ts", "A.3.ts", "a.2.ts"]);
      expect(
        ["a.ts", "a.2.ts", "a.2.2.ts", "A.3.ts"].map((name) =>
          readFileSync(join(out, name), "utf8")
        ),
      ).toEqual(["1", "2", "3", "4"]);
    }
  });

  test("without a path, and cut", () => {
    const { out } = jail();
    const files = new SnippetFiles(out, false);
    const named = files.add({
      content: "x = 1\n",
      closed: true,
      languageId: "python",
    });
    expect(named.path).toMatch(/^snippet-[0-9a-f]{12}\.py$/);
    expect(files.add({ content: "x", closed: true, languageId: "../x" }).path)
      .toMatch(/^snippet-[0-9a-f]{12}\.txt$/);
    expect(files.add({ content: "x", closed: false, filePath: "a.ts" }).path)
      .toBe("a.ts.cut");
  });

  test("changes of a file do not take its name", () => {
    const { out } = jail();
    const files = new SnippetFiles(out, false);
    const add = (filePath: string, closed = true) =>
      files.add({
        content: "@@\n-1\n+2\n",
        closed,
        filePath,
        languageId: "diff",
      })
        .path;
    expect(add("src/a.ts")).toBe("src/a.ts.diff");
    expect(add("src/b.ts", false)).toBe("src/b.ts.diff.cut");
    expect(add("src/c.patch")).toBe("src/c.patch");
    expect(add("../d.ts")).toBe("../d.ts");
    expect(add("folder/")).toBe("folder/");
    expect(readdirSync(join(out, "src")).sort()).toEqual([
      "a.ts.diff",
      "b.ts.diff.cut",
      "c.patch",
    ]);
  });

  test("a hard link to elsewhere is replaced, not written through", () => {
    const { out, outside } = jail();
    linkSync(join(outside, "secret.txt"), join(out, "a.txt"));
    expect(new SnippetFiles(out, true).add(snippet("a.txt", "new")).status)
      .toBe("written");
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("secret\n");
  });

  test("the folder itself may be a link, and need not be there", () => {
    const { folder, out } = jail();
    symlinkSync(out, join(folder, "alias"));
    new SnippetFiles(join(folder, "alias"), false).add(snippet("a", "1"));
    new SnippetFiles(join(folder, "new/deep"), false).add(snippet("a", "1"));
    expect(treeOf(out)).toEqual(["a: 1"]);
    expect(treeOf(join(folder, "new"))).toEqual(["deep/", "deep/a: 1"]);
  });
});

describe("--extract on the command line", () => {
  test("a stream, with figures on stderr and paths on stdout", async () => {
    const { out } = jail();
    const answer = [
      "```ts src/a.ts",
      "export {};",
      "```",
      "",
      "```py",
      "x = 1",
      "```",
      "",
      "```sh b.sh",
      "never ends",
    ].join("\n");
    const first = await spawnCli(["--extract", out], answer);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(
      /^src\/a\.ts\nsnippet-[0-9a-f]{12}\.py\nb\.sh\.cut\n$/,
    );
    expect(first.stderr).toContain("3 written");
    const second = await spawnCli(["--extract", out], answer);
    expect(second.stdout).toBe("");
    expect(second.stderr).toContain("0 written, 3 there already");
    const third = await spawnCli(
      ["--extract", out, "--to", "jsonl"],
      answer.replace("export {};", "other"),
    );
    expect(third.stdout).toContain('"type":"snippet"');
    expect(third.stderr).toContain("1 not written over other files");
  }, 120_000);

  test("wrong usage", async () => {
    const { outside } = jail();
    const file = await spawnCli([
      "--extract",
      join(outside, "secret.txt"),
    ]);
    expect(file.code).toBe(2);
    expect(file.stderr).toContain("Cannot use the folder");
    const force = await spawnCli(["--force"]);
    expect(force.code).toBe(2);
    expect(force.stderr).toContain("--extract");
  }, 120_000);
});
