import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import {
  denoExports,
  packageExports,
  publicFiles,
  root,
  sourceFiles,
} from "./support/public_files.ts";

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** What a file imports or re-exports, as written. */
function importsOf(path: string): string[] {
  const code = read(path).replace(/^\s*\*.*$/gm, "");
  return [...code.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    (match) => match[1]!,
  );
}

/** The project file an import leads to; a package keeps its name. */
function targetOf(path: string, specifier: string): string {
  return specifier.startsWith(".")
    ? posix.normalize(posix.join(dirname(path), specifier))
    : specifier;
}

/** Which files may be imported from where. */
const directions: readonly {
  from: RegExp;
  allowed: RegExp;
}[] = [
  { from: /^transforms\//, allowed: /^transforms\// },
  {
    from: /^adapters\//,
    allowed:
      /^(adapters\/|transforms\/[a-z_]+\.ts$|transforms\/internal\/|zod(\/mini)?$|eventsource-parser$)/,
  },
  { from: /^mod\.ts$/, allowed: /^transforms\/[a-z_]+\.ts$/ },
];

describe("exports", () => {
  test("package.json and deno.json list every public file (else: npm run exports)", () => {
    expect(JSON.parse(read("deno.json")).exports).toEqual(denoExports());
    expect(JSON.parse(read("package.json")).exports).toEqual(packageExports());
  });

  test("names and versions agree", () => {
    const deno = JSON.parse(read("deno.json"));
    const node = JSON.parse(read("package.json"));
    expect(deno.version).toBe(node.version);
    expect(deno.name).toBe(`@millrace/${node.name}`);
    expect(Object.keys(node.dependencies)).toEqual([
      "eventsource-parser",
      "zod",
    ]);
  });

  test("mod.ts re-exports every public transform", () => {
    const expected = publicFiles().filter((path) =>
      /^transforms\/[a-z_]+\.ts$/.test(path)
    ).map((path) => `./${path}`);
    expect(importsOf("mod.ts").sort()).toEqual(expected.sort());
  });

  test("every public file has a test", () => {
    const without = publicFiles().filter((path) =>
      !existsSync(join(root, "test", path.replace(/\.ts$/, ".test.ts")))
    );
    expect(without).toEqual([]);
  });
});

describe("the direction of imports", () => {
  for (const { from, allowed } of directions) {
    test(`${from.source} imports only ${allowed.source}`, () => {
      const files = [
        "mod.ts",
        ...["transforms", "adapters"].flatMap(
          sourceFiles,
        ),
      ].filter((path) => from.test(path));
      const wrong = files.flatMap((path) =>
        importsOf(path).map((specifier) => targetOf(path, specifier)).filter((
          target,
        ) => !allowed.test(target)).map((target) => `${path} → ${target}`)
      );
      expect(wrong).toEqual([]);
    });
  }

  test("examples import only mod.ts, public adapters, each other and packages", () => {
    const publicAdapters = new Set(
      publicFiles().filter((path) => path.startsWith("adapters/")),
    );
    const wrong = sourceFiles("examples").flatMap((path) =>
      importsOf(path).map((specifier) => targetOf(path, specifier)).filter((
        target,
      ) =>
        target.endsWith(".ts") && target !== "mod.ts" &&
        !publicAdapters.has(target) && !target.startsWith("examples/")
      ).map((target) => `${path} → ${target}`)
    );
    expect(wrong).toEqual([]);
  });

  test("library code uses no runtime's own API", () => {
    const banned =
      /["']node:|\bDeno\.|\bBun\.|\bprocess\.|\bBuffer\b|\bReadableStream\.from\b|\bArray\.fromAsync\b|\bPromise\.withResolvers\b|\bRegExp\.escape\b|\beval\(|\bnew Function\b/;
    const wrong = ["transforms", "adapters"].flatMap(sourceFiles).flatMap((
      path,
    ) =>
      read(path).split("\n").flatMap((line, index) =>
        banned.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line)
          ? [`${path}:${index + 1}: ${line.trim()}`]
          : []
      )
    );
    expect(wrong).toEqual([]);
  });
});
