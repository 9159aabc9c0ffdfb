import { describe, expect, test } from "vitest";
import { languageId } from "../../mod.ts";

describe("languageId", () => {
  test("knows aliases, whatever their case", () => {
    const aliases: Record<string, string> = {
      js: "javascript",
      JavaScript: "javascript",
      mjs: "javascript",
      ts: "typescript",
      jsx: "jsx",
      tsx: "tsx",
      py: "python",
      Python3: "python",
      sh: "shell",
      bash: "shell",
      zsh: "shell",
      "c++": "cpp",
      "C#": "csharp",
      "objective-c": "objective-c",
      rs: "rust",
      "rust,ignore": "rust",
      yml: "yaml",
      md: "markdown",
      text: "plaintext",
      "vb.net": "vb",
      console: "shellsession",
    };
    for (const [alias, id] of Object.entries(aliases)) {
      expect(`${alias} ${languageId(alias)}`).toBe(`${alias} ${id}`);
    }
  });
  test("gives unknown names back in lower case", () => {
    expect(languageId("Brainfuck")).toBe("brainfuck");
    expect(languageId("asp.net")).toBe("asp.net");
    expect(languageId("__proto__")).toBe("__proto__");
    expect(languageId("constructor")).toBe("constructor");
  });
  test("looks at the file name when there is no language", () => {
    const files: Record<string, string | undefined> = {
      "src/main.rs": "rust",
      "C:\\w\\A.TSX": "tsx",
      "a/Dockerfile": "dockerfile",
      Makefile: "makefile",
      "CMakeLists.txt": "cmake",
      "notes.txt": "plaintext",
      "go.mod": "gomod",
      ".gitignore": "gitignore",
      "x.unknown": undefined,
      c: undefined,
      "": undefined,
      "a.constructor": undefined,
    };
    for (const [file, id] of Object.entries(files)) {
      expect(`${file} ${languageId(undefined, file)}`).toBe(`${file} ${id}`);
    }
    expect(languageId("", "a.py")).toBe("python");
    expect(languageId("sh", "a.py")).toBe("shell");
    expect(languageId()).toBe(undefined);
  });
});
