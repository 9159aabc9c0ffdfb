import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { collectParts, parse, SnippetExtractorStream } from "../mod.ts";
import { withDialects } from "./support/dialect_table.ts";
import { optionsPage } from "./support/option_tables.ts";
import { denoExports, root } from "./support/public_files.ts";
import { cliCommand, exampleCommand } from "./support/spawn_cli.ts";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
    .sort().map((name) => `docs/${name}`),
];

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** A folder inside the project, so that packages and configuration are found. */
function temporary(): string {
  mkdirSync(join(root, "dist"), { recursive: true });
  return mkdtempSync(join(root, "dist/docs-"));
}

/** The code of a page in one language. */
function codeOf(page: string, language: string): string[] {
  const { snippets } = collectParts(
    parse(read(page), new SnippetExtractorStream({ toolEdits: false })),
  );
  return snippets.filter((one) => one.language === language).map((
    { content },
  ) => content);
}

/** Code with the package's names replaced by where its files are. */
function withFiles(code: string): string {
  return code.replace(/"millrace(\/[^"]+)?"/g, (_, path?: string) => {
    const file = denoExports()[path === undefined ? "." : `.${path}`];
    if (file === undefined) throw new Error(`There is no "millrace${path}"`);
    return JSON.stringify(pathToFileURL(join(root, file)).href);
  });
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const prose = read(page).replace(/^```.*?^```/gms, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  );
}

/** A page without the blanks that the formatter fills its tables up with. */
function plain(text: string): string {
  return text.replace(/ *\| */g, "|").replace(/-{2,}/g, "-").replace(
    /\s+/g,
    " ",
  ).trim();
}

describe("the docs", () => {
  test("the options are those of the docstrings (else: npm run docs)", () => {
    const rows = (page: string) =>
      page.split("\n").filter((line) => line.startsWith("|")).map(plain);
    const [is, shall] = [read("docs/options.md"), optionsPage()];
    const differ = [
      ...rows(shall).filter((row) => !rows(is).includes(row)),
      ...rows(is).filter((row) => !rows(shall).includes(row)),
    ];
    expect(differ).toEqual([]);
    expect(plain(is) === plain(shall)).toBe(true);
  });

  test("the dialects are those that there are (else: npm run docs)", () => {
    const is = read("docs/salvaging.md");
    const rows = (page: string) =>
      page.split("\n").filter((line) => line.startsWith("|")).map(plain);
    expect(rows(is)).toEqual(rows(withDialects(is)));
  });

  test("every ts snippet runs as pasted", () => {
    const folder = temporary();
    try {
      const files = [...pages, "examples/edge/README.md"].filter((page) =>
        page !== "CONTRIBUTING.md"
      ).flatMap(
        (page) =>
          codeOf(page, "ts").map((code, index) => {
            const name = `${page.replace(/\W/g, "_")}_${index + 1}.ts`;
            writeFileSync(join(folder, name), withFiles(code));
            return name;
          }),
      );
      expect(files.length).toBeGreaterThan(5);
      const main = join(folder, "main.ts");
      writeFileSync(
        main,
        files.map((name) =>
          `try { await import("./${name}"); } catch (error) { throw new Error("${name}", { cause: error }); }\n`
        ).join("") + "export {};\n",
      );
      const [program, ...words] = cliCommand();
      const { status, stderr } = spawnSync(
        program,
        [...words.slice(0, -1), main],
        { cwd: root, encoding: "utf8" },
      );
      if (status !== 0) throw new Error(stderr);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);

  test("every command of the CLI that needs nothing from outside runs", () => {
    const commands = pages.flatMap((page) => codeOf(page, "sh")).flatMap((
      code,
    ) => code.split("\n")).map((line) =>
      line.replace(/\s+#.*$/, "").replace(
        /\bnpx millrace |\bnpx tsx examples\/cli\.ts /,
        "millrace ",
      )
    ).filter((line) =>
      /^(cat [\w./]+ \| )?millrace /.test(line) &&
      !/[~…]|--follow|\.aider/.test(line)
    );
    expect(commands.length).toBeGreaterThan(3);
    const folder = temporary();
    try {
      const [program, ...words] = cliCommand();
      const quote = (word: string) => `'${word}'`;
      const script = commands.map((command) =>
        `(set -e -o pipefail; ${
          command.replaceAll(
            /(--extract) \S+/g,
            `$1 ${quote(join(folder, "out"))}`,
          )
        }) >/dev/null || { echo ${
          quote(command.replaceAll("'", ""))
        } >&2; exit 1; }`
      );
      const { status, stderr } = spawnSync("bash", [
        "-c",
        `millrace() { ${
          [program, ...words].map(quote).join(" ")
        } "$@"; }\nhash jq 2>/dev/null || jq() { cat; }\n${script.join("\n")}`,
      ], { cwd: root, encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);

  test("the README's edge function answers as pasted", async () => {
    const [start, ask] = codeOf("README.md", "sh").find((code) =>
      code.includes("/v1/clean")
    )!.split("\n");
    expect(start).toMatch(/^npx tsx examples\/edge\/node\.ts &/);
    if (spawnSync("curl", ["--version"]).status !== 0) return;
    const [program, ...words] = exampleCommand("edge/node.ts");
    const server = spawn(program, words, {
      cwd: root,
      env: { ...process.env, PORT: "0", UPSTREAM_URL: "", CLIENT_KEYS: "" },
    });
    try {
      const address = await new Promise<string>((resolve, reject) => {
        let said = "";
        server.on("exit", () => reject(new Error(said)));
        for (const stream of [server.stdout, server.stderr]) {
          stream.on("data", (data) => {
            said += data;
            const found = /http:\/\/\S+/.exec(said);
            if (found !== null) resolve(found[0]);
          });
        }
      });
      const { stdout } = spawnSync("bash", [
        "-c",
        ask!.replace("http://127.0.0.1:8787", address),
      ], { cwd: root, encoding: "utf8" });
      expect(stdout).toContain('"toolName":"read_file"');
      expect(stdout).toContain('"complete":true');
    } finally {
      server.kill();
    }
  }, 120_000);

  test("links lead somewhere", () => {
    const broken = pages.flatMap((page) =>
      [
        ...read(page).replace(/^```.*?^```/gms, "").matchAll(
          /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g,
        ),
      ].flatMap(([link, path, anchor]) => {
        const target = path === ""
          ? page
          : posix.normalize(posix.join(dirname(page), path!));
        const exists = existsSync(join(root, target));
        const found = anchor === undefined ||
          exists && anchorsOf(target).includes(anchor);
        return exists && found ? [] : [`${page}: ${link}`];
      })
    );
    expect(broken).toEqual([]);
  });

  test("every page is reached from the README", () => {
    const readme = read("README.md");
    expect(pages.slice(1).filter((page) => !readme.includes(`(${page}`)))
      .toEqual([]);
  });
});
