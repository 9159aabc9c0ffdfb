/**
 * No regular expression of the library takes more than linear time on text of
 * any length: its shape shows it, or what it reads has a limit.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, test } from "vitest";
import { whyNotLinear } from "./support/regex_safety.ts";

/** Expressions whose shape does not show it, and why they are safe. */
const BOUNDED: Readonly<Record<string, string>> = {
  "transforms/internal/apply_patch.ts /<<-?\\s*[\"']?\\w+[\"']?\\s*$/":
    "reads the end of a line, at most LONGEST_COMMAND (1,024) code units",
  "transforms/internal/convert_value.ts /[eE].*$/":
    "reads a JSON number: one exponent, no line end, so the first try fits",
  "transforms/internal/snippet_stage.ts /^<(source|code|pre|codeblock|sourcecode)((?:\\s[^<>]*)?)>[ \\t]*([\\w+#.-]*)[ \\t]*$/":
    "reads a line below LONGEST_TAG_LINE; each loop ends at its next character",
  "transforms/internal/token_program.ts /([\\w-]+)\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)')/g":
    "reads a token, at most LONGEST_TOKEN (1,024) code units",
  'adapters/sessions/internal/detect_format.ts /"(?:message|part|session)\\/[^"\\n]*\\.json"\\s*:/':
    "a start holds a quote, which ends the loop of the one before: no place is read twice",
};

/** Expressions made from text of our own. */
const MADE: readonly string[] = [
  // One for each token of a dialect; a token is at most LONGEST_TOKEN long.
  "transforms/internal/token_program.ts",
  // A key of a fixed list, blanks, a colon.
  "adapters/sessions/internal/detect_format.ts",
];

interface Expression {
  file: string;
  pattern: string;
  flags: string;
}

const home = fileURLToPath(new URL("..", import.meta.url));

function sources(folder: string): string[] {
  return readdirSync(home + folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? sources(`${folder}/${entry.name}`)
      : entry.name.endsWith(".ts")
      ? [`${folder}/${entry.name}`]
      : []
  );
}

/** Every object in a tree. */
function* nodesOf(node: unknown): Generator<Record<string, unknown>> {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) yield node as Record<string, unknown>;
  for (const inner of Object.values(node)) yield* nodesOf(inner);
}

const expressions: Expression[] = [];
const makers = new Set<string>();
for (const file of ["transforms", "adapters"].flatMap(sources)) {
  const tree = parseAst(readFileSync(home + file, "utf8"), { lang: "ts" });
  for (const node of nodesOf(tree)) {
    if (node["type"] === "Literal" && "regex" in node) {
      const { pattern, flags } = node["regex"] as Omit<Expression, "file">;
      expressions.push({ file, pattern, flags });
    } else if (
      node["type"] === "Identifier" && node["name"] === "RegExp" &&
      // As a type it makes nothing.
      new RegExp("\\bRegExp\\(").test(readFileSync(home + file, "utf8"))
    ) makers.add(file);
  }
}

function nameOf({ file, pattern, flags }: Expression): string {
  return `${file} /${pattern}/${flags}`;
}

describe("regular expressions", () => {
  test("are linear by their shape, or read something that has a limit", () => {
    expect(expressions.length).toBeGreaterThan(100);
    const doubtful = expressions.flatMap((expression) => {
      const why = whyNotLinear(expression.pattern, expression.flags);
      const name = nameOf(expression);
      return why === undefined || name in BOUNDED ? [] : [`${name}: ${why}`];
    });
    expect(doubtful).toEqual([]);
  });

  test("that are listed as doubtful are there, and are", () => {
    const names = new Set(
      expressions.filter(({ pattern, flags }) =>
        whyNotLinear(pattern, flags) !== undefined
      ).map(nameOf),
    );
    expect(Object.keys(BOUNDED).filter((name) => !names.has(name))).toEqual([]);
  });

  test("are made at run time in two places only", () => {
    expect([...makers].sort()).toEqual([...MADE].sort());
  });
});

describe("the judgement", () => {
  test("refuses what can be made slow", () => {
    for (
      const pattern of [
        "^(a+)+$",
        "^(a|a)*$",
        "^(a|ab)*c",
        "(a*)*b",
        "^(?:a?b?)*c",
        "^.*.*x",
        "\\s+$",
        "a[^b]*b",
        "\\w+:",
        "^(?:a|b)*(?:a|c)*$",
        "^\\d+\\w+!",
        "x{0,1000}x{0,1000}$",
      ]
    ) expect(whyNotLinear(pattern, ""), pattern).not.toBe(undefined);
  });

  test("accepts what cannot", () => {
    for (
      const pattern of [
        "abc",
        "[\\r\\n]+",
        "^\\s*x",
        "\\d+",
        '"key"\\s*:',
        "^(?:\\d,)*x",
        "^(.*[^:]):(\\d{1,15})$",
        "&#\\d{1,7};",
      ]
    ) expect(whyNotLinear(pattern, ""), pattern).toBe(undefined);
  });
});
