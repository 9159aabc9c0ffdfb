import { describe, expect, test } from "vitest";
import {
  baseName,
  extension,
  isBareFileName,
  isDottedName,
  isFileName,
  isPathLike,
  isThing,
} from "../../../transforms/internal/path_like.ts";

/** Those of some texts for which something holds. */
function those(
  texts: readonly string[],
  holds: (text: string) => boolean,
): string[] {
  return texts.filter(holds);
}

describe("paths and what only looks like one", () => {
  test("names of things, in any case; files where they are written small", () => {
    const things =
      ("A.k.a A.M ADO.NET Angular.js ASP.NET Backbone.js C#.NET Console.log D.C D3.js " +
        "Deno.land E.g Ember.js Express.js F#.NET I.e ML.NET Nest.js Next.js " +
        "Node.js Nuxt.js P.M P5.js Ph.D React.js Socket.io Three.js U.K U.S " +
        "VB.NET Vue.js").split(" ");
    expect(those(things, (text) => !isThing(text))).toEqual([]);
    expect(those(things, (text) => !isDottedName(text))).toEqual([]);
    const small = things.map((text) => text.toLowerCase());
    expect(those(small, isThing)).toEqual([]);
    expect(those(small, (text) => !isDottedName(text))).toEqual([]);
    expect(those(["Main.java", "a.js", "README.md", ""], isThing)).toEqual([]);
    expect(
      those(
        ["example.com", "a.io", "A.ORG", "b.net"],
        (text) => !isDottedName(text),
      ),
    )
      .toEqual([]);
    expect(those(["a/b.com", "a.community", ".com", "a.ts"], isDottedName))
      .toEqual([]);
  });

  test("versions", () => {
    const versions = [
      "1",
      "v1",
      "V2.0",
      "1.",
      "1.x",
      "v1.x",
      "3.5s",
      "10ms",
      "v2.0.0-rc1",
      "1.0-beta.2",
      "2.0-alpha",
      "1-pre",
      "1-dev",
      "1-next",
      "1-canary",
    ];
    expect(those(versions, (text) => !isThing(text))).toEqual([]);
    expect(
      those(
        ["1-rc/x", "1-beta!", "v2.0-alpha x", "1-dev\n", "x1-pre"],
        isThing,
      ),
    ).toEqual([]);
    expect(
      those(["v", "1.js2", "1.abcd", "1-foo", "x1", "1.s", "a1.2"], isThing),
    ).toEqual([]);
  });

  test("file names without an extension", () => {
    const names =
      ("Brewfile Caddyfile Containerfile Dockerfile Gemfile GNUmakefile " +
        "Jenkinsfile Justfile LICENSE Makefile Pipfile Podfile Procfile " +
        "Rakefile README Vagrantfile").split(" ");
    expect(those(names, (text) => !isBareFileName(text) || !isFileName(text)))
      .toEqual([]);
    expect(those(["", "file", "Dockerfiles", "makefil"], isBareFileName))
      .toEqual([]);
    expect(
      those(
        [".env", ".gitignore", ".eslintrc.json"],
        (text) => !isFileName(text),
      ),
    )
      .toEqual([]);
    expect(those([".", "..", ".1", "word", "two words"], isFileName)).toEqual(
      [],
    );
  });

  test("paths", () => {
    const paths = [
      "a/b",
      "./a",
      "/a",
      "a.ts",
      "a b.ts",
      "C:\\a",
      "c:\\dir\\a",
      "a/.b",
      "../x",
      "a.tar.gz",
      "x.c++",
    ];
    expect(those(paths, (text) => !isPathLike(text))).toEqual([]);
    const none = [
      "",
      "a",
      "a/",
      "/",
      "./",
      "../",
      " / ",
      "http://a/b",
      "a`b.ts",
      "a<b.ts",
      "a>b.ts",
      "a|b.ts",
      'a"b.ts',
      "a*b.ts",
      "a?b.ts",
      "a\nb.ts",
      "a\x7fb.ts",
      ".ts",
      "a.",
      "1.5",
      "C:\\",
      "\\a",
    ];
    expect(those(none, isPathLike)).toEqual([]);
    expect(isPathLike(`${"a".repeat(247)}.ts`)).toBe(true);
    expect(isPathLike(`${"a".repeat(248)}.ts`)).toBe(false);
  });

  test("the last step and its extension", () => {
    expect(["a/b.ts", "a\\b.ts", "b.ts", "a/b\\c", ""].map(baseName))
      .toEqual(["b.ts", "b.ts", "b.ts", "c", ""]);
    expect(
      [
        "a.b/c.ts",
        "a.ts",
        ".ts",
        "a.",
        "a.1",
        "a.t s",
        `a.${"x".repeat(16)}`,
        `a.${"x".repeat(17)}`,
        "a.b-c",
      ]
        .map(extension),
    ).toEqual([
      "ts",
      "ts",
      undefined,
      undefined,
      undefined,
      undefined,
      "x".repeat(16),
      undefined,
      "b-c",
    ]);
  });
});
