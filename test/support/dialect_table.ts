import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dialects } from "../../transforms/dialects/mod.ts";
import { root } from "./public_files.ts";

const BEGIN = "<!-- dialects -->";
const END = "<!-- end of dialects -->";

/** What the docstring of each dialect says, by the dialect's name. */
function docstrings(): Map<string, string> {
  const folder = join(root, "transforms/dialects");
  const found = new Map<string, string>();
  for (const file of readdirSync(folder)) {
    const source = readFileSync(join(folder, file), "utf8");
    // The formatter sees to it that a declaration looks like this.
    const declarations = source.matchAll(
      /\/\*\*((?:(?!\*\/).)*)\*\/\nexport const \w+: Dialect = \{\n {2}name: "([^"]+)"/gs,
    );
    for (const [, comment, name] of declarations) {
      found.set(
        name!,
        comment!.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trim())
          .join(" ").trim(),
      );
    }
  }
  return found;
}

/** A page with its table of dialects written anew, from the docstrings. */
export function withDialects(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`There is no "${BEGIN}" to fill`);
  const docs = docstrings();
  const rows = dialects.map(({ name }) => {
    const text = docs.get(name);
    if (text === undefined) throw new Error(`"${name}" has no docstring`);
    return `| \`${name}\` | ${text.replaceAll("|", "\\|")} |`;
  });
  return `${before}${BEGIN}\n\n| dialect | whose, and what it looks like |\n| --- | --- |\n${
    rows.join("\n")
  }\n\n${END}${after}`;
}
