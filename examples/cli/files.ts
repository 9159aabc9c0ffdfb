import {
  createReadStream,
  type Dirent,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { join, resolve, sep } from "node:path";
import process from "node:process";
import { follow } from "./follow.ts";
import { type CliOptions, sessionFormats, UsageError } from "./options.ts";

/** Something to read. */
export interface Input {
  /** How to call it: its path, `-` for standard input. */
  name: string;
  /** Where its bytes are; absent when they are not those of one file. */
  path?: string;
  /** Whether it was found in a folder: it is passed over when it is no session. */
  found: boolean;
  /** Its bytes, from the beginning. */
  open(): AsyncIterable<Uint8Array>;
}

/** Files in which programs store sessions end so. */
const SESSION_FILE = /\.(?:jsonl|json|md|vscdb)$/;

/** Folders without sessions, and with very many files. */
const PASSED_OVER = new Set(["node_modules", ".git"]);

/**
 * What the words of a command line mean: files, folders and patterns. Throws a
 * {@linkcode UsageError} for one that means nothing.
 */
export function inputsOf(
  words: readonly string[],
  options: CliOptions,
  signal: AbortSignal,
): Input[] {
  const standardInput: Input = {
    name: "-",
    found: false,
    open: () => process.stdin,
  };
  if (words.length === 0) words = ["-"];
  if (options.follow && words.includes("-")) {
    throw new UsageError(
      'Option "--follow" takes files: standard input is always read to its end',
    );
  }
  const file = (path: string): Input => ({
    name: path,
    path,
    found: false,
    open: () => options.follow ? follow(path, signal) : createReadStream(path),
  });
  return words.flatMap((word) => {
    if (word === "-") return [standardInput];
    if (existsSync(word)) {
      return statSync(word).isDirectory()
        ? inputsIn(word, options)
        : [file(word)];
    }
    const paths = /[*?[]/.test(word) ? globFiles(word) : [];
    if (paths.length === 0) {
      throw new UsageError(
        `Cannot read "${word}": there is no file of that name`,
      );
    }
    return paths.map(file);
  });
}

/** The files below a folder that may hold sessions. */
function inputsIn(folder: string, options: CliOptions): Input[] {
  if (options.follow) {
    throw new UsageError(`Option "--follow" takes files: "${folder}" is none`);
  }
  if (options.from !== "auto" && !Object.hasOwn(sessionFormats, options.from)) {
    throw new UsageError(
      `Cannot read the folder "${folder}" as "${options.from}": folders hold sessions`,
    );
  }
  const inputs: Input[] = [];
  const walk = (path: string): void => {
    const entries = sorted(readdirSync(path, { withFileTypes: true }));
    const names = new Set(entries.map(({ name }) => name));
    if (names.has("message") && names.has("part")) {
      inputs.push({
        name: path,
        found: true,
        open: () => openCodeStorage(path),
      });
      return;
    }
    for (const entry of entries) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) {
        if (!PASSED_OVER.has(entry.name)) walk(inner);
      } else if (
        entry.isFile() && SESSION_FILE.test(entry.name) &&
        // Cline tells each task twice.
        !(entry.name === "ui_messages.json" &&
          names.has("api_conversation_history.json"))
      ) {
        inputs.push({
          name: inner,
          path: inner,
          found: true,
          open: () => createReadStream(inner),
        });
      }
    }
  };
  walk(folder);
  return inputs;
}

function sorted(entries: Dirent[]): Dirent[] {
  return entries.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The small files of OpenCode's storage as one JSON object, session by session. */
async function* openCodeStorage(
  storage: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let before = "{";
  const files = (folder: string): string[] =>
    existsSync(join(storage, folder))
      ? readdirSync(join(storage, folder)).sort().map((name) =>
        `${folder}/${name}`
      )
      : [];
  const entry = (path: string): Uint8Array => {
    let text = readFileSync(join(storage, path), "utf8").trim();
    try {
      JSON.parse(text);
    } catch {
      // Cut while it was written: nobody can read it, the others stay readable.
      text = "null";
    }
    const piece = `${before}${JSON.stringify(path)}:${text}`;
    before = ",\n";
    return encoder.encode(piece);
  };
  for (const project of files("session")) {
    for (const path of files(project)) {
      if (path.endsWith(".json")) yield entry(path);
    }
  }
  for (const session of files("message")) {
    for (const message of files(session)) {
      yield entry(message);
      const id = message.split("/").at(-1)!.replace(/\.json$/, "");
      for (const part of files(`part/${id}`)) yield entry(part);
    }
  }
  yield encoder.encode(before === "{" ? "{}" : "}");
}

/**
 * The files that a pattern means, sorted: `*`, `?` and `[…]` inside a name, `**`
 * for any folders. Names with a dot at the beginning only where the pattern has
 * it too.
 */
export function globFiles(pattern: string): string[] {
  const parts = (sep === "\\" ? pattern.replaceAll("\\", "/") : pattern)
    .split("/");
  const files: string[] = [];
  const walk = (folder: string, rest: readonly string[]): void => {
    const [first = "", ...others] = rest;
    if (first === "**") {
      walk(folder, others);
      for (const entry of entriesOf(folder)) {
        if (entry.isDirectory() && !entry.name.startsWith(".")) {
          walk(joined(folder, entry.name), rest);
        }
      }
      return;
    }
    if (!/[*?[]/.test(first)) {
      const path = joined(folder, first);
      if (others.length > 0) walk(first === "" ? "/" : path, others);
      else if (existsSync(path) && statSync(path).isFile()) files.push(path);
      return;
    }
    const matches = matcherOf(first);
    for (const { name } of entriesOf(folder)) {
      if (!matches(name)) continue;
      const path = joined(folder, name);
      if (others.length > 0) walk(path, others);
      else if (statSync(path, { throwIfNoEntry: false })?.isFile()) {
        files.push(path);
      }
    }
  };
  walk("", parts);
  return [...new Set(files)].sort();
}

function joined(folder: string, name: string): string {
  return folder === "" || folder.endsWith("/")
    ? `${folder}${name}`
    : `${folder}/${name}`;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return sorted(readdirSync(resolve(folder), { withFileTypes: true }));
  } catch {
    return [];
  }
}

/** Whether a name fits one part of a pattern. */
function matcherOf(pattern: string): (name: string) => boolean {
  const source = pattern.replace(
    /\[(!?)([^\]]+)\]|[*?]|[^*?[]|\[/g,
    (piece, not: string | undefined, set: string | undefined) => {
      if (set !== undefined) {
        return `[${not ? "^" : ""}${set.replace(/[\\^]/g, "\\$&")}]`;
      }
      if (piece === "*") return ".*";
      if (piece === "?") return ".";
      return piece.replace(/[\\^$.|+(){}[\]]/, "\\$&");
    },
  );
  const expression = new RegExp(`^${source}$`, "s");
  return (name) =>
    expression.test(name) && (!name.startsWith(".") || pattern.startsWith("."));
}
