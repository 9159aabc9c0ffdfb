/**
 * The package as others get it: packed, installed into an empty project, used by
 * every runtime, type-checked by several TypeScripts, and run as a command. What
 * is run and checked are the snippets of the docs.
 *
 *     npm run test:package
 *
 * Needs the npm registry.
 */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { collectParts, parse, SnippetExtractorStream } from "../../mod.ts";
import { root } from "../support/public_files.ts";

/** Versions of TypeScript that consumers have. */
const TYPESCRIPTS = ["5.7", "5.9", "6", "7"];

/** Versions of Node beside the one this runs on, from the npm package `node`. */
const NODES = ["20.19", "22", "24"];

const project = mkdtempSync(join(tmpdir(), "millrace-package-"));
process.on("exit", () => rmSync(project, { recursive: true, force: true }));

let failures = 0;

function run(
  what: string,
  program: string,
  words: string[],
  options: { cwd?: string; expect?: RegExp } = {},
): string {
  const started = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd: options.cwd ?? project,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
    // Sessions are long.
    maxBuffer: 1 << 28,
  });
  const holds = status === 0 && (options.expect?.test(stdout) ?? true);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${holds ? "ok  " : "FAIL"} ${what} (${seconds} s)`);
  if (!holds) {
    failures++;
    console.log(`${error ?? ""}${stdout}${stderr}`.slice(-4_000));
  }
  return stdout;
}

/** The TypeScript of the docs, as files of the project. */
function writeSnippets(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const pages = [
    "README.md",
    ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
  ].filter((name) => name.endsWith(".md"));
  return pages.flatMap((page) => {
    const { snippets } = collectParts(
      parse(
        readFileSync(join(root, page), "utf8"),
        new SnippetExtractorStream(),
      ),
    );
    return snippets.filter(({ language }) => language === "ts").map(
      ({ content }, index) => {
        const name = `${basename(page, ".md").toLowerCase()}_${index + 1}`;
        writeFileSync(join(folder, `${name}.ts`), content);
        return name;
      },
    );
  });
}

// Pack and install.
const packed = run(
  "npm pack, built by prepare",
  "npm",
  ["pack", "--pack-destination", project],
  { cwd: root },
);
const tarball = packed.trim().split("\n").at(-1)!;
writeFileSync(
  join(project, "package.json"),
  JSON.stringify({ name: "consumer", private: true, type: "module" }),
);
run("npm install of the tarball alone", "npm", [
  "install",
  "--no-audit",
  "--no-fund",
  join(project, tarball),
]);
const installed = join(project, "node_modules/millrace");
const manifest = JSON.parse(
  readFileSync(join(installed, "package.json"), "utf8"),
);
const names = readdirSync(join(project, "node_modules")).filter((name) =>
  !name.startsWith(".")
);
console.log(`     installs ${names.join(", ")}`);

// The command, before anything else is there that could help it, and not from
// the registry.
process.env["npm_config_offline"] = "true";
run("npx millrace --version", "npx", ["millrace", "--version"], {
  expect: new RegExp(`^${manifest.version.replaceAll(".", "\\.")}\n$`),
});
const demo = join(root, "examples/data/demo.sse");
const tools = join(root, "examples/data/tools.json");
run(
  "npx millrace on a stream",
  "npx",
  ["millrace", demo, "--tools", tools, "--directives", "note"],
  { expect: /● read_file .*\n[^]*■ finished: stop/ },
);
run(
  "npx millrace on stored sessions",
  "npx",
  ["millrace", "--to", "sessions", join(root, "test/sessions")],
  { expect: /"kind":"cursor"/ },
);

delete process.env["npm_config_offline"];

// Every subpath, on every runtime.
const specifiers = Object.keys(manifest.exports).filter((path) =>
  path !== "./package.json"
).map((path) => `millrace${path.slice(1)}`);
writeFileSync(
  join(project, "every.mjs"),
  specifiers.map((name, index) =>
    `import * as m${index} from ${JSON.stringify(name)};\n`
  ).join("") +
    `if (${
      specifiers.map((_, index) => `!m${index}`).join(" || ")
    }) throw 0;\n`,
);

// The snippets, checked by TypeScript and compiled for Node.
const snippets = writeSnippets(join(project, "src"));
writeFileSync(
  join(project, "src/main.ts"),
  snippets.map((name) => `await import("./${name}.js");\n`).join("") +
    'console.log("all ran");\nexport {};\n',
);
run("npm install of TypeScripts", "npm", [
  "install",
  "--no-audit",
  "--no-fund",
  "--no-save",
  "@types/node@20",
  ...TYPESCRIPTS.map((version) =>
    `typescript-${version}@npm:typescript@${version}`
  ),
]);
for (const version of TYPESCRIPTS) {
  for (
    const [module, resolution] of [
      ["NodeNext", "NodeNext"],
      ["ESNext", "Bundler"],
    ]
  ) {
    for (const lib of [["ES2022", "DOM", "DOM.Iterable"], ["ES2022"]]) {
      const config = `tsconfig.${version}.${module}.${lib.length}.json`;
      writeFileSync(
        join(project, config),
        JSON.stringify({
          compilerOptions: {
            target: "ES2022",
            module,
            moduleResolution: resolution,
            lib,
            types: ["node"],
            strict: true,
            skipLibCheck: false,
            outDir: "out",
            rootDir: "src",
          },
          include: ["src"],
        }),
      );
      run(
        `TypeScript ${version}, ${module}, ${
          lib.length > 1 ? "with" : "without"
        } DOM`,
        process.execPath,
        [`node_modules/typescript-${version}/bin/tsc`, "-p", config],
      );
    }
  }
}

run("Node: every subpath", process.execPath, ["every.mjs"]);
run("Node: the docs' snippets", process.execPath, ["out/main.js"], {
  expect: /all ran/,
});
for (const version of NODES) {
  const node = join(project, `node-${version}`);
  mkdirSync(node);
  writeFileSync(join(node, "package.json"), "{}");
  run(`npm install of Node ${version}`, "npm", [
    "install",
    "--no-audit",
    "--no-fund",
    `node@${version}`,
  ], { cwd: node });
  const program = join(node, "node_modules/node/bin/node");
  const exact = run(`Node ${version}: starts`, program, ["--version"]).trim();
  run(`Node ${exact}: every subpath`, program, ["every.mjs"]);
  run(`Node ${exact}: the docs' snippets`, program, ["out/main.js"], {
    expect: /all ran/,
  });
  run(
    `Node ${exact}: the command`,
    program,
    [join(installed, manifest.bin.millrace), demo],
    { expect: /■ finished: stop/ },
  );
}
const bin = join(root, "node_modules/.bin");
for (
  const [name, program, words] of [
    ["Deno", join(bin, "deno"), ["run", "-A", "--node-modules-dir=manual"]],
    ["Bun", join(bin, "bun"), []],
  ] as [string, string, string[]][]
) {
  run(`${name}: every subpath`, program, [...words, "every.mjs"]);
  run(`${name}: the docs' snippets`, program, [...words, "out/main.js"], {
    expect: /all ran/,
  });
  run(
    `${name}: the command`,
    program,
    [...words, join(installed, manifest.bin.millrace), demo],
    { expect: /■ finished: stop/ },
  );
}

console.log(`${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
