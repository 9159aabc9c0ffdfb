import { describe, expect, test } from "vitest";
import { normalizePath } from "../../../transforms/internal/normalize_path.ts";

describe("normalizePath", () => {
  test("relative paths", () => {
    expect(normalizePath("src/a.ts")).toBe("src/a.ts");
    expect(normalizePath("./src//./a.ts")).toBe("src/a.ts");
    expect(normalizePath("src\\b\\..\\a.ts")).toBe("src/a.ts");
    expect(normalizePath("src/x/../a.ts")).toBe("src/a.ts");
    expect(normalizePath("src/.env")).toBe("src/.env");
    expect(normalizePath("日本/é.md")).toBe("日本/é.md");
  });

  test("what leads outside, or may", () => {
    for (
      const path of [
        "",
        ".",
        "..",
        "src/..",
        "../a",
        "src/../../a",
        "src\\..\\..\\a",
        "/etc/passwd",
        "\\etc",
        "//server/share/a",
        "C:\\a",
        "c:/a",
        "C:a",
        "~/a",
        "~root/a",
        "file:///a",
        "a:b",
        "src/a.ts ",
        "src./a",
        ".../a",
        "a\u0000b",
        "a\nb",
        undefined,
        42,
        ["a"],
      ]
    ) {
      expect([path, normalizePath(path)]).toEqual([path, undefined]);
    }
  });

  test("absolute paths, with the workspace known", () => {
    expect(normalizePath("/home/me/p/src/a", "/home/me/p")).toBe("src/a");
    expect(normalizePath("/home/me/p/../p/a", "/home/me/p/")).toBe("a");
    expect(normalizePath("c:\\p\\a", "C:/p")).toBe("a");
    expect(normalizePath("//server/share/a", "//server/share")).toBe("a");
    expect(normalizePath("src/a", "/home/me/p")).toBe("src/a");
    for (
      const path of [
        "/home/me/p",
        "/home/me/pp/a",
        "/home/me/p/../a",
        "/home/me",
        "//home/me/p/a",
        "D:\\home\\me\\p\\a",
        "/../home/me/p/a",
      ]
    ) {
      expect([path, normalizePath(path, "/home/me/p")])
        .toEqual([path, undefined]);
    }
    expect(normalizePath("/a", "relative")).toBe(undefined);
  });
});
