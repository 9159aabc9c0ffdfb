import { type OptionRow, optionTable } from "./options.ts";

/** Where the second column of the options begins. */
const INDENT = 22;

/** The text of `--help`. */
export function helpText(): string {
  const groups = new Map<string, string[]>();
  for (const row of optionTable) {
    const lines = groups.get(row.group) ?? [];
    groups.set(row.group, [...lines, optionLines(row)]);
  }
  const options = [...groups].map(([group, lines]) =>
    `${group}:\n${lines.join("\n")}\n`
  ).join("\n");
  return `millrace - what a language model streams, as typed parts

Usage: millrace [OPTIONS] [FILE | FOLDER | PATTERN ...]

Reads files, or standard input where there is none (or "-"), and writes what the
stream says: text, code fences, directives, tool calls, snippets, usage. Folders
are looked through for sessions that coding agents have stored. A pattern with
*, ?, [...] or ** is one where no file has that name.

${options}
Exit codes:
  0  finished
  1  a stream ended early or in error (what came is kept), or something was
     refused; with --strict also any warning
  2  wrong usage, or a file that cannot be read

Environment: NO_COLOR switches colours off.

Examples:
  millrace examples/data/demo.sse --tools examples/data/tools.json
  cat examples/data/demo.sse | millrace --to jsonl --chunk 1
  millrace --to sessions ~/.claude/projects | jq '.messages[].snippets'
`;
}

function optionLines(row: OptionRow): string {
  const value = row.value === undefined
    ? ""
    : row.optionalValue
    ? `[=${row.value}]`
    : ` ${row.value}`;
  const choices = row.choices === undefined || row.optionalValue
    ? ""
    : `\n${" ".repeat(INDENT)}${wrapped(row.choices.join(" | "))}`;
  return `  ${`--${row.name}${value}`.padEnd(INDENT - 2)}${
    wrapped(row.help)
  }${choices}`;
}

/** Broken into lines that fit beside the option names. */
function wrapped(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > 79 - INDENT) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${" ".repeat(INDENT)}`);
}

/** A completion script. */
export function completionScript(shell: string): string {
  if (shell === "fish") return fishScript();
  return shell === "zsh"
    ? `autoload -U +X bashcompinit && bashcompinit\n${bashScript()}`
    : bashScript();
}

function fishScript(): string {
  return optionTable.map((row) => {
    const value = row.choices !== undefined
      ? ` -x -a "${row.choices.join(" ")}"`
      : row.value === "DIR"
      ? ' -x -a "(__fish_complete_directories)"'
      : row.value === undefined
      ? ""
      : " -r";
    return `complete -c millrace -l ${row.name}${value} -d '${
      row.help.replaceAll("'", "\\'")
    }'`;
  }).join("\n") + "\n";
}

function bashScript(): string {
  const names = optionTable.map((row) => `--${row.name}`).join(" ");
  const branches = optionTable.flatMap((row) => {
    const words = row.choices !== undefined && !row.optionalValue
      ? `-W "${row.choices.join(" ")}"`
      : row.value === "DIR"
      ? "-d"
      : row.value === "FILE"
      ? "-f"
      : undefined;
    return words === undefined ? [] : [
      `    --${row.name}) COMPREPLY=($(compgen ${words} -- "$current")); return ;;`,
    ];
  }).join("\n");
  return `_millrace() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${branches}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "${names}" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -F _millrace millrace
`;
}
