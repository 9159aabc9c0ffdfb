/** One row of the option table. Parsing, help and completions come from it. */
export interface OptionRow {
  /** The name behind the two dashes. */
  name: keyof CliOptions;
  /** What stands for the value in the help; absent for a switch. */
  value?: string;
  /** Whether the value may be left out: then it is `""`, else behind `=`. */
  optionalValue?: boolean;
  /** The only values allowed. */
  choices?: readonly string[];
  /** What it does. */
  help: string;
}

/** What the command line said. */
export interface CliOptions {
  from: string;
  to: string;
  tools: string;
  directives: string;
  fences: string;
  bare: boolean;
  explain: boolean;
  stats: string;
  strict: boolean;
  chunk: string;
  completions: string;
  help: boolean;
  version: boolean;
}

/** The option table. */
export const optionTable: readonly OptionRow[] = [
  {
    name: "from",
    value: "FORMAT",
    choices: [
      "auto",
      "text",
      "sse",
      "jsonl",
      "openai-chat",
      "openai-responses",
      "anthropic",
      "gemini",
      "ollama",
      "claude-code",
    ],
    help: "what comes in; auto (default) looks at the first bytes",
  },
  {
    name: "to",
    value: "FORMAT",
    choices: ["pretty", "text", "jsonl", "sse", "snippets"],
    help:
      "what goes out; pretty (default) is for people, jsonl is one part a line",
  },
  {
    name: "tools",
    value: "FILE",
    help:
      "JSON file with the tools offered to the model: calls of these that leaked as text are salvaged",
  },
  {
    name: "directives",
    value: "A,B",
    help: "names of the XML-like directives to extract",
  },
  {
    name: "fences",
    value: "MODE",
    choices: ["tolerant", "commonmark", "loose"],
    help: "how code fences are found; default tolerant",
  },
  {
    name: "bare",
    help: "also salvage <invoke> calls without their wrapper, at a line start",
  },
  {
    name: "explain",
    help: "one line a decision on stderr: offset, what, why",
  },
  {
    name: "stats",
    value: "json",
    optionalValue: true,
    choices: ["json"],
    help: "figures on stderr when done, for people or as JSON",
  },
  {
    name: "strict",
    help: "exit with 1 on any warning too",
  },
  {
    name: "chunk",
    value: "N",
    help:
      "cut the input into pieces of N characters first, to see that it does not matter",
  },
  {
    name: "completions",
    value: "SHELL",
    choices: ["bash", "zsh", "fish"],
    help: "print a completion script for a shell",
  },
  { name: "help", help: "show this" },
  { name: "version", help: "show the version" },
];

/** Wrong usage: the message is for stderr, the exit code is 2. */
export class UsageError extends Error {}

/** Reads a command line. Throws a {@linkcode UsageError}. */
export function parseCommandLine(
  words: readonly string[],
): { options: CliOptions; files: string[] } {
  const options: CliOptions = {
    from: "auto",
    to: "pretty",
    tools: "",
    directives: "",
    fences: "tolerant",
    bare: false,
    explain: false,
    stats: "none",
    strict: false,
    chunk: "",
    completions: "",
    help: false,
    version: false,
  };
  const files: string[] = [];
  const left = [...words];
  while (left.length > 0) {
    const word = left.shift()!;
    if (word === "--") {
      files.push(...left.splice(0));
    } else if (word === "-h") options.help = true;
    else if (word === "-" || !word.startsWith("-")) files.push(word);
    else readOption(word, left, options);
  }
  return { options, files };
}

function readOption(word: string, left: string[], options: CliOptions): void {
  const [name = "", given] = split(word.replace(/^-{1,2}/, ""));
  const row = word.startsWith("--")
    ? optionTable.find((one) => one.name === name)
    : undefined;
  if (row === undefined) {
    const near = nearest(name, optionTable.map((one) => one.name));
    throw new UsageError(
      `There is no option "${word}"${
        near === undefined ? "" : `; did you mean "--${near}"?`
      }`,
    );
  }
  if (row.value === undefined) {
    if (given !== undefined) {
      throw new UsageError(`Option "--${name}" takes no value`);
    }
    Object.assign(options, { [row.name]: true });
    return;
  }
  const value = given ?? (row.optionalValue ? "" : left.shift());
  if (value === undefined) {
    throw new UsageError(`Option "--${name}" needs a value: ${row.value}`);
  }
  if (
    row.choices !== undefined && !row.choices.includes(value) &&
    !(row.optionalValue && value === "")
  ) {
    const near = nearest(value, row.choices);
    throw new UsageError(
      `Option "--${name}" takes ${row.choices.join(", ")}, not "${value}"${
        near === undefined ? "" : `; did you mean "${near}"?`
      }`,
    );
  }
  if (row.name === "chunk" && !/^[1-9]\d{0,8}$/.test(value)) {
    throw new UsageError(
      `Option "--chunk" takes a whole number from 1, not "${value}"`,
    );
  }
  Object.assign(options, { [row.name]: value });
}

/** What stands before and behind the first equals sign. */
function split(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

/** The candidate that takes the fewest edits, if it is near enough to be meant. */
export function nearest(
  word: string,
  candidates: readonly string[],
): string | undefined {
  let best: string | undefined;
  let least = Math.min(3, Math.ceil(word.length / 2) + 1);
  for (const candidate of candidates) {
    const edits = distance(word, candidate);
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(
        row[j]! + 1,
        next[j - 1]! + 1,
        row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    }
    row = next;
  }
  return row[b.length]!;
}

/** The text of `--help`. */
export function helpText(): string {
  const rows = optionTable.map((row) => {
    const value = row.value === undefined
      ? ""
      : row.optionalValue
      ? `[=${row.value}]`
      : ` ${row.value}`;
    const choices = row.choices === undefined || row.optionalValue
      ? ""
      : `\n${" ".repeat(24)}${wrapped(row.choices.join(" | "))}`;
    return `  ${`--${row.name}${value}`.padEnd(22)}${
      wrapped(row.help)
    }${choices}`;
  });
  return `millrace - what a language model streams, as typed parts

Usage: millrace [OPTIONS] [FILE ...]

Reads files, or standard input where there is none (or "-"), and writes what
the stream says: text, code fences, directives, tool calls, snippets, usage.

Options:
${rows.join("\n")}

Exit codes: 0 finished, 1 the stream ended early or in error (what came is
kept), 2 wrong usage.

Examples:
  millrace examples/data/demo.sse --tools examples/data/tools.json
  cat examples/data/demo.sse | millrace --to jsonl --chunk 1
  millrace --from text --to snippets README.md
`;
}

/** Broken into lines that fit beside the option names. */
function wrapped(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > 54) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${" ".repeat(24)}`);
}

/** A completion script. */
export function completionScript(shell: string): string {
  const names = optionTable.map((row) => `--${row.name}`).join(" ");
  const withChoices = optionTable.filter((row) => row.choices !== undefined);
  if (shell === "fish") {
    return optionTable.map((row) => {
      const value = row.choices !== undefined
        ? ` -x -a "${row.choices.join(" ")}"`
        : row.value === undefined
        ? ""
        : " -r";
      return `complete -c millrace -l ${row.name}${value} -d ${
        JSON.stringify(row.help)
      }`;
    }).join("\n") + "\n";
  }
  const branches = withChoices.map((row) =>
    `    --${row.name}) COMPREPLY=($(compgen -W "${
      row.choices!.join(" ")
    }" -- "$current")); return ;;`
  ).join("\n");
  const bash = `_millrace() {
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
  return shell === "zsh"
    ? `autoload -U +X bashcompinit && bashcompinit\n${bash}`
    : bash;
}
