import type { SessionKind } from "../../adapters/sessions/mod.ts";

/** One row of the option table. Parsing, help and completions come from it. */
export interface OptionRow {
  /** The name behind the two dashes. */
  name: keyof CliOptions;
  /** Under which heading the help has it. */
  group: "What comes in" | "What to look for" | "What goes out" | "Other";
  /** What stands for the value in the help; absent for a switch. */
  value?: string;
  /** Whether the value may be left out: then it is `""`, else behind `=`. */
  optionalValue?: boolean;
  /** The only values allowed. */
  choices?: readonly string[];
  /** What it does. */
  help: string;
}

/** What the command line said. Values not given are `""`. */
export interface CliOptions {
  from: string;
  to: string;
  tools: string;
  directives: string;
  fences: string;
  bare: boolean;
  chunk: string;
  follow: boolean;
  extract: string;
  force: boolean;
  explain: boolean;
  stats: string;
  strict: boolean;
  completions: string;
  help: boolean;
  version: boolean;
}

/** The values of `--from` that mean stored sessions; `session` is any of them. */
export const sessionFormats: Readonly<Record<string, SessionKind | undefined>> =
  {
    "session": undefined,
    "claude-session": "claude-session",
    "codex-session": "codex-session",
    "gemini-session": "gemini-session",
    "opencode-session": "opencode",
    "aider": "aider",
    "cline": "cline",
    "continue": "continue",
    "copilot": "copilot",
    "cursor": "cursor",
    "pi": "pi",
    "specstory": "specstory",
  };

/** The values of `--from` that mean the stream of one provider. */
export const providerFormats: readonly string[] = [
  "anthropic",
  "bedrock-converse",
  "claude-code",
  "codex",
  "cohere",
  "gemini",
  "gemini-cli",
  "google-interactions",
  "ollama",
  "openai-chat",
  "openai-responses",
  "opencode",
  "parts",
];

/** The option table. */
export const optionTable: readonly OptionRow[] = [
  {
    name: "from",
    group: "What comes in",
    value: "FORMAT",
    choices: [
      "auto",
      "text",
      "sse",
      "jsonl",
      ...providerFormats,
      ...Object.keys(sessionFormats),
    ],
    help:
      "what comes in; auto (default) looks at the first bytes. sse and jsonl find out the provider, parts is what --to jsonl and sse write, the last ones are sessions that coding agents have stored (session: any)",
  },
  {
    name: "follow",
    group: "What comes in",
    help:
      "keep reading files that grow; ends with Ctrl-C. A file that is replaced is read anew",
  },
  {
    name: "chunk",
    group: "What comes in",
    value: "N",
    help:
      "cut the input into pieces of N characters first, to see that it does not matter",
  },
  {
    name: "tools",
    group: "What to look for",
    value: "FILE",
    help:
      "JSON file with the tools offered to the model: calls of these that leaked as text are salvaged",
  },
  {
    name: "bare",
    group: "What to look for",
    help: "also salvage <invoke> calls without their wrapper, at a line start",
  },
  {
    name: "directives",
    group: "What to look for",
    value: "A,B",
    help: "names of the XML-like directives to extract",
  },
  {
    name: "fences",
    group: "What to look for",
    value: "MODE",
    choices: ["tolerant", "commonmark", "loose"],
    help: "how code fences are found; default tolerant",
  },
  {
    name: "to",
    group: "What goes out",
    value: "FORMAT",
    choices: ["pretty", "text", "jsonl", "sse", "snippets", "sessions"],
    help:
      "what goes out: pretty (default) is for people, jsonl one part (of a session: one message) a line, snippets one a line, sessions one JSON document a file",
  },
  {
    name: "extract",
    group: "What goes out",
    value: "DIR",
    help:
      "write the model's snippets into files below DIR, never outside it, and list them. What is there already stays",
  },
  {
    name: "force",
    group: "What goes out",
    help: "with --extract: replace what is there",
  },
  {
    name: "explain",
    group: "What goes out",
    help: "one line a decision on stderr: offset, what, why",
  },
  {
    name: "stats",
    group: "What goes out",
    value: "json",
    optionalValue: true,
    choices: ["json"],
    help:
      "figures on stderr when done, for people or as JSON, and meanwhile when stderr is a terminal and stdout is not",
  },
  {
    name: "strict",
    group: "What goes out",
    help: "exit with 1 on any warning too",
  },
  {
    name: "completions",
    group: "Other",
    value: "SHELL",
    choices: ["bash", "zsh", "fish"],
    help: "print a completion script for a shell",
  },
  { name: "help", group: "Other", help: "show this" },
  { name: "version", group: "Other", help: "show the version" },
];

/** Wrong usage: the message is for stderr, the exit code is 2. */
export class UsageError extends Error {}

/** Reads a command line. Throws a {@linkcode UsageError}. */
export function parseCommandLine(
  words: readonly string[],
): { options: CliOptions; files: string[] } {
  const options: CliOptions = {
    from: "auto",
    to: "",
    tools: "",
    directives: "",
    fences: "tolerant",
    bare: false,
    chunk: "",
    follow: false,
    extract: "",
    force: false,
    explain: false,
    stats: "none",
    strict: false,
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
  if (options.force && options.extract === "") {
    throw new UsageError('Option "--force" means nothing without "--extract"');
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
  if (value === undefined || (value === "" && !row.optionalValue)) {
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
