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
  printf '~~~js src/a.js (3-4)\\nrun();\\n~~~\\n' | millrace --to snippets
  echo '<tool_call>{"name": "look", "arguments": {}}</tool_call>' |
    millrace --tools <(echo '[{"name": "look"}]') --explain
  millrace README.md --extract out
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

/** A completion script. Its first line says what to do with it. */
export function completionScript(shell: string): string {
  if (shell === "fish") {
    return `# millrace --completions fish > ~/.config/fish/completions/millrace.fish\n${fishScript()}`;
  }
  if (shell === "zsh") {
    return `# In ~/.zshrc, behind compinit: source <(millrace --completions zsh)\n${zshScript()}`;
  }
  return `# In ~/.bashrc: source <(millrace --completions bash)\n${bashScript()}`;
}

function zshScript(): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = optionTable.map((row) => {
    const help = row.help.replace(/[[\]\\:]/g, "\\$&");
    const action = row.choices !== undefined
      ? `(${row.choices.join(" ")})`
      : row.value === "DIR"
      ? "_directories"
      : row.value === "FILE"
      ? "_files"
      : " ";
    const value = row.value === undefined
      ? ""
      : `:${row.optionalValue ? ":" : ""}${row.value}:${action}`;
    // The value of "=" may also be the next word, that of "=-" may not.
    const joint = row.value === undefined ? "" : row.optionalValue ? "=-" : "=";
    return `    ${quote(`--${row.name}${joint}[${help}]${value}`)} \\`;
  });
  return `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_millrace() {
  _arguments \\
${lines.join("\n")}
    '*:input:_files'
}
compdef _millrace millrace
`;
}

function fishScript(): string {
  const lines = optionTable.map((row) => {
    const value = row.choices !== undefined
      ? `${row.optionalValue ? " -f" : " -x"} -a '${row.choices.join(" ")}'`
      : row.value === "DIR"
      ? " -x -a '(__fish_complete_directories)'"
      : row.value === undefined
      ? ""
      : row.value === "FILE"
      ? " -r"
      : " -x";
    const help = row.help.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
    return `complete -c millrace -l ${row.name}${value} -d '${help}'`;
  });
  return `${lines.join("\n")}\n`;
}

function bashScript(): string {
  const names = optionTable.map((row) =>
    `--${row.name}${row.optionalValue ? ` --${row.name}=` : ""}`
  ).join(" ");
  const branches = optionTable.flatMap((row) => {
    if (row.value === undefined) return [];
    const action = row.choices !== undefined
      ? `list="${row.choices.join(" ")}"`
      : row.value === "DIR"
      ? "kind=-d"
      : row.value === "FILE"
      ? "kind=-f"
      // A number or names of one's own: nothing to offer.
      : "kind=";
    // A value that may be left out only comes behind an equals sign.
    const pattern = `${
      row.optionalValue ? "" : `--${row.name} | `
    }--${row.name}=`;
    return [`    ${pattern}) ${action} ;;`];
  }).join("\n");
  return `_millrace() {
  # Not "words": zsh has one of its own.
  local current="\${COMP_WORDS[COMP_CWORD]}" option="" before="" kind=-f list=""
  # Bash takes --from=x apart into three words, unless it is told not to.
  if [[ $current == "=" ]]; then
    option="\${COMP_WORDS[COMP_CWORD-1]}=" current=""
  elif [[ $COMP_CWORD -gt 2 && "\${COMP_WORDS[COMP_CWORD-1]}" == "=" ]]; then
    option="\${COMP_WORDS[COMP_CWORD-2]}="
  elif [[ $current == --*=* ]]; then
    option="\${current%%=*}=" before="\${current%%=*}=" current="\${current#*=}"
  else
    option="\${COMP_WORDS[COMP_CWORD-1]}"
  fi
  COMPREPLY=()
  case "$option" in
${branches}
    *) if [[ $current == -* ]]; then list="${names}"; fi ;;
  esac
  if [[ -n $list ]]; then
    COMPREPLY=($(compgen -P "$before" -W "$list" -- "$current"))
  elif [[ -n $kind ]]; then
    # Names may have blanks in them.
    local IFS=$'\\n'
    COMPREPLY=($(compgen -P "$before" $kind -- "$current"))
  fi
}
complete -o filenames -F _millrace millrace
`;
}
