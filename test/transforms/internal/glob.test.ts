import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileGlobs } from "../../../transforms/internal/glob.ts";
import { growthOf, RUNS } from "../../laws.ts";

function matches(patterns: string | string[], path: string): boolean {
  return compileGlobs(typeof patterns === "string" ? [patterns] : patterns)(
    path,
  );
}

describe("compileGlobs", () => {
  test("patterns and what they match", () => {
    const cases: [pattern: string, matching: string[], others: string[]][] = [
      ["a.ts", ["a.ts"], ["A.ts", "b/a.ts", "a.tsx", "a_ts"]],
      ["*.ts", ["a.ts", "é.ts"], ["a.js", "b/a.ts", ".ts", ".a.ts"]],
      ["src/*", ["src/a"], ["src", "src/a/b", "src/.env"]],
      ["src/**", ["src/a", "src/a/b/c", "src"], [
        "srcs/a",
        "src/.git/x",
        "x/src/a",
      ]],
      ["src/", ["src/a", "src/a/b"], ["srca"]],
      ["**/*.md", ["a.md", "x/y/a.md"], ["a.mdx", ".x/a.md"]],
      ["**", ["a", "a/b/c"], [".env", "a/.b/c"]],
      ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "ab", "a/.x/b"]],
      ["a**b", ["ab", "axxb"], ["a/b"]],
      [".github/*.yml", [".github/ci.yml"], ["github/ci.yml"]],
      ["**/.env", [".env", "a/.env"], ["a/env"]],
      ["file?.txt", ["file1.txt", "file\u{1f600}.txt"], [
        "file.txt",
        "file12.txt",
      ]],
      ["[ab]c", ["ac", "bc"], ["cc", "abc"]],
      ["[a-c]", ["b"], ["d", "-"]],
      ["[!a]", ["b"], ["a", ".", "/"]],
      ["[^a-c]x", ["dx"], ["ax"]],
      ["[]a]", ["]", "a"], ["b"]],
      ["[a-]", ["a", "-"], ["b"]],
      ["x[\\]]", ["x]"], ["x\\"]],
      ["*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.js"]],
      ["{src,test/{a,b}}/*.ts", ["src/x.ts", "test/a/x.ts"], ["test/x.ts"]],
      ["{a}", ["{a}"], ["a"]],
      ["a{,b}", ["a", "ab"], ["ac"]],
      ["a{b,[,]}", ["ab", "a,"], ["a["]],
      ["\\*", ["*"], ["a"]],
      ["\\{a,b\\}", ["{a,b}"], ["a"]],
      ["./src/a", ["src/a"], []],
      ["app/(auth)/*", ["app/(auth)/a"], ["app/auth/a"]],
      ["*a*a*a*b", ["aaab", "xaxaxab"], ["aaa", "aaaa".repeat(20)]],
    ];
    for (const [pattern, matching, others] of cases) {
      for (const path of matching) {
        expect([pattern, path, matches(pattern, path)]).toEqual([
          pattern,
          path,
          true,
        ]);
      }
      for (const path of others) {
        expect([pattern, path, matches(pattern, path)]).toEqual([
          pattern,
          path,
          false,
        ]);
      }
    }
  });

  test("several patterns, some of them against", () => {
    const patterns = ["src/**", "docs/*.md", "!src/keys/**"];
    expect(matches(patterns, "src/a.ts")).toBe(true);
    expect(matches(patterns, "docs/a.md")).toBe(true);
    expect(matches(patterns, "src/keys/a.ts")).toBe(false);
    expect(matches(["!src/**"], "a")).toBe(false);
    expect(matches([], "a")).toBe(false);
  });

  test("what others read otherwise is refused", () => {
    for (
      const pattern of [
        "",
        "!",
        "/etc/*",
        "../a",
        "a/../b",
        "a/./b",
        "a//b",
        "@(a|b)",
        "!(a)",
        "*(a)",
        "{1..3}",
        "{a,b",
        "[a",
        "[]",
        "[z-a]",
        "[[:alpha:]]",
        "[a/b]",
        "a\\",
        "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "a".repeat(2_000),
      ]
    ) {
      expect(() => compileGlobs([pattern]), pattern).toThrow(TypeError);
    }
  });

  test("any pattern compiles or is refused; a path matches itself escaped", () => {
    const names = fc.array(
      fc.constantFrom(..."ab.*?[]{}!-\\,é".split("")),
      { minLength: 1, maxLength: 6 },
    ).map((all) => all.join("")).filter((name) =>
      name !== "." && name !== ".."
    );
    fc.assert(
      fc.property(
        fc.array(names, { minLength: 1, maxLength: 4 }),
        names,
        (all, pattern) => {
          const path = all.join("/");
          const escaped = path.replace(/[^/]/g, "\\$&");
          expect(matches(escaped, path)).toBe(true);
          try {
            matches(pattern, path);
          } catch (error) {
            expect(error).toBeInstanceOf(TypeError);
          }
        },
      ),
      { numRuns: RUNS * 2 },
    );
  });

  test("no pattern takes long", () => {
    const stars = growthOf((count) => {
      matches("*a".repeat(200) + "b", "a".repeat(count));
    }, 2_000);
    expect(stars).toBeLessThan(4);
    const folders = growthOf((count) => {
      matches("**/a/".repeat(100) + "b", "a/".repeat(count) + "c");
    }, 500);
    expect(folders).toBeLessThan(4);
  });
});
