import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publicFiles, root, sourceFiles, subpathOf } from "./public_files.ts";

/** One option as its docstring has it. */
interface Option {
  name: string;
  required: boolean;
  text: string;
  default: string;
}

/** The options of one interface. */
interface Table {
  name: string;
  from: string;
  options: Option[];
}

/** The files a public file speaks for: itself, and for a `mod.ts` its folder's. */
function filesOf(path: string): string[] {
  if (!path.endsWith("/mod.ts")) return [path];
  const folder = path.slice(0, -"/mod.ts".length);
  return sourceFiles(folder).filter((file) =>
    file.split("/").length === path.split("/").length
  );
}

function tablesOf(path: string): Table[] {
  const source = readFileSync(join(root, path), "utf8");
  const tables: Table[] = [];
  // The formatter sees to it that a declaration looks like this.
  for (
    const [, name, , body] of source.matchAll(
      /^export interface (\w+Options)(<[^{]*>)?[^{;]*\{\n(.*?)^\}$/gms,
    )
  ) {
    const options = [
      ...body!.matchAll(
        /^ {2}\/\*\*(.*?)\*\/\n {2}(?:readonly )?(\w+)(\?)?:/gms,
      ),
    ].map(([, comment, option, optional]) =>
      optionOf(option!, optional === undefined, comment!)
    );
    tables.push({ name: name!, from: path, options });
  }
  return tables;
}

function optionOf(name: string, required: boolean, comment: string): Option {
  const lines = comment.split("\n").map((line) =>
    line.replace(/^\s*\* ?/, "").trim()
  );
  const at = lines.findIndex((line) => line.startsWith("@"));
  const text = (at < 0 ? lines : lines.slice(0, at)).join(" ").trim();
  const tag = /@default \{(.*)\}\s*$/s.exec(comment.trim())?.[1] ?? "";
  return {
    name,
    required,
    text: cell(text.replace(/\{@link(?:code)? (?:\[.*?\]\.)?(.*?)\}/g, "`$1`")),
    default: tag === "" ? "" : `\`${cell(tag.replace(/\s+/g, " "))}\``,
  };
}

/** Text that may stand between the bars of a table. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** The page of all options, from the docstrings. */
export function optionsPage(): string {
  const sections = ["mod.ts", ...publicFiles()].flatMap((path) => {
    const tables = path === "mod.ts" ? [] : filesOf(path).flatMap(tablesOf);
    return tables.filter(({ options }) => options.length > 0).map((
      { name, options },
    ) => {
      const specifier = path.startsWith("transforms/")
        ? "millrace"
        : `millrace/${subpathOf(path).slice(2)}`;
      const rows = options.map((option) =>
        `| \`${option.name}\`${
          option.required ? " (required)" : ""
        } | ${option.default} | ${option.text} |`
      );
      return `## ${name}\n\nFrom \`${specifier}\`.\n\n| option | default | what it does |\n| --- | --- | --- |\n${
        rows.join("\n")
      }\n`;
    });
  });
  return `# Options

Every options object, from the docstrings (\`npm run docs\` writes this page).
Lengths are in UTF-16 code units where nothing else is said.

${sections.join("\n")}`;
}
