import { describe, expect, test } from "vitest";
import {
  commentText,
  firstLine,
} from "../../../../transforms/internal/snippet_conventions/first_line.ts";

describe("commentText", () => {
  test("comments of many languages, closed or not", () => {
    for (
      const [open, close] of [
        ["<!--", "-->"],
        ["{{!--", "--}}"],
        ["{{/*", "*/}}"],
        ["{/*", "*/}"],
        ["/**", "*/"],
        ["/*!", "*/"],
        ["/*", "*/"],
        ["<%--", "--%>"],
        ["<%#", "%>"],
        ["<#", "#>"],
        ["@*", "*@"],
        ["(*", "*)"],
        ["{-", "-}"],
        ["{#", "#}"],
        ["--[[", "]]"],
        ['"""', '"""'],
        ["'''", "'''"],
      ]
    ) {
      for (
        const line of [
          `${open} a.ts ${close}`,
          `${open}a.ts${close}`,
          `${open} a.ts`,
        ]
      ) {
        expect([line, commentText(line)]).toEqual([line, "a.ts"]);
      }
      // Only its own closer is taken off.
      expect(commentText(`${open} a.ts ?>`)).toBe("a.ts ?>");
    }
    for (
      const open of [
        "//",
        "--",
        "::",
        "#",
        ";",
        "%",
        "! ",
        "'",
        '" ',
        "rem ",
        "REM ",
        "@rem ",
      ]
    ) {
      expect([open, commentText(`${open} a.ts `)]).toEqual([open, "a.ts"]);
    }
  });

  test("more of the same sign, and `//!`", () => {
    for (
      const line of [
        "/// a",
        "//! a",
        "///! a",
        "## a",
        ";;; a",
        "%% a",
        "::: a",
      ]
    ) {
      expect([line, commentText(line)]).toEqual([line, "a"]);
    }
    expect(commentText("--- a")).toBe("- a");
    expect(commentText("#! a")).toBeUndefined();
    expect(commentText("#!/bin/sh")).toBeUndefined();
    expect(commentText("##! a")).toBe("! a");
  });

  test("what is no comment", () => {
    for (
      const line of [
        "",
        "a",
        "- a",
        "/ a",
        "!a",
        '"a',
        "remove a",
        "rema",
        "xrem a",
      ]
    ) {
      expect([line, commentText(line)]).toEqual([line, undefined]);
    }
  });
});

describe("firstLine", () => {
  test("without white space, and not longer than 1,024", () => {
    expect(firstLine(" a \nb")).toBe("a");
    expect(firstLine("\nb")).toBe("");
    expect(firstLine("a")).toBe("a");
    expect(firstLine("")).toBe("");
    expect(firstLine("x".repeat(2_000))).toBe("x".repeat(1_024));
    expect(firstLine(`${"x".repeat(2_000)}\ny`)).toBe("x".repeat(1_024));
  });
});
