import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { extname, join } from "node:path";
import process from "node:process";
import { safePath } from "./safe_path.ts";

/** What is needed of a snippet. */
export interface SnippetLike {
  content: string;
  closed: boolean;
  filePath?: string;
  languageId?: string;
}

/** What became of a snippet. */
export type Extracted =
  /** It is in a file now. */
  | { status: "written"; path: string }
  /** A file has just this content already. */
  | { status: "same"; path: string }
  /** A file with other content is there, and stays. */
  | { status: "kept"; path: string }
  /** Its path leads where nothing may be written. */
  | { status: "refused"; path: string; reason: string };

/** Extensions for code without a path; other languages get their own name. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  csharp: "cs",
  dockerfile: "Dockerfile",
  elixir: "ex",
  haskell: "hs",
  javascript: "js",
  kotlin: "kt",
  makefile: "mk",
  markdown: "md",
  perl: "pl",
  plaintext: "txt",
  powershell: "ps1",
  python: "py",
  ruby: "rb",
  rust: "rs",
  shell: "sh",
  shellsession: "txt",
  typescript: "ts",
  yaml: "yaml",
};

/**
 * Writes snippets into files below one folder, and never anywhere else: not
 * along links, not over what is there (unless `force`), not by any path that a
 * model may think of.
 *
 * The first snippet of a path gets its name, further ones with other content a
 * number (`a.ts`, `a.2.ts`), those without a path a name made of their content.
 * Changes of a file are no file, so `.diff` is added to its name, and `.cut` to
 * that of a snippet that was cut. The same snippets give the same files:
 * extracting again changes nothing.
 */
export class SnippetFiles {
  readonly #root: string;
  readonly #force: boolean;
  /** Which content each path got in this run, and under which number. */
  readonly #seen = new Map<
    string,
    { next: number; byHash: Map<string, number> }
  >();
  /** The names given in this run. */
  readonly #taken = new Set<string>();

  /** Makes the folder when there is none. */
  constructor(folder: string, force: boolean) {
    mkdirSync(folder, { recursive: true });
    this.#root = realpathSync(folder);
    this.#force = force;
  }

  /** Writes one snippet. `cwd` is where its path is meant from, if that is known. */
  add(snippet: SnippetLike, cwd?: string): Extracted {
    const hash = createHash("sha256").update(snippet.content).digest("hex");
    const wanted = snippet.filePath ?? nameOf(snippet, hash);
    const safe = safePath(wanted, cwd);
    if ("refused" in safe) {
      return { status: "refused", path: wanted, reason: safe.refused };
    }
    safe.steps.push(safe.steps.pop()! + markOf(snippet));
    const steps = this.#numbered(safe.steps, hash);
    const path = steps.join("/");
    try {
      return this.#write(steps, snippet.content);
    } catch (error) {
      const reason = error instanceof RefusedError
        ? error.message
        : `the system says ${(error as { code?: string }).code ?? error}`;
      return { status: "refused", path, reason };
    }
  }

  /** The steps, with a number when the name has other content already. */
  #numbered(steps: string[], hash: string): string[] {
    const key = keyOf(steps);
    const seen = this.#seen.get(key) ?? { next: 1, byHash: new Map() };
    this.#seen.set(key, seen);
    const known = seen.byHash.get(hash);
    if (known !== undefined) return withNumber(steps, known);
    // Another path may be spelt like a number of this one: `a.2.ts`.
    for (;;) {
      const number = seen.next++;
      const numbered = withNumber(steps, number);
      const name = keyOf(numbered);
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      seen.byHash.set(hash, number);
      return numbered;
    }
  }

  #write(steps: readonly string[], content: string): Extracted {
    const path = steps.join("/");
    let folder = this.#root;
    for (const step of steps.slice(0, -1)) {
      folder = join(folder, step);
      makeFolder(folder, step);
    }
    const file = join(folder, steps.at(-1)!);
    const there = statOf(file);
    if (there === undefined) {
      // Fails, and follows nothing, when there is something after all.
      writeFileSync(file, content, { flag: "wx" });
      return { status: "written", path };
    }
    if (!there.isFile()) throw new RefusedError(`"${path}" is no plain file`);
    if (
      there.size === Buffer.byteLength(content) &&
      readFileSync(file, "utf8") === content
    ) return { status: "same", path };
    if (!this.#force) return { status: "kept", path };
    // Takes the place of the old file, which may have other names elsewhere.
    const fresh = `${file}.${process.pid}.new`;
    writeFileSync(fresh, content, { flag: "wx" });
    try {
      renameSync(fresh, file);
    } catch (error) {
      unlinkSync(fresh);
      throw error;
    }
    return { status: "written", path };
  }
}

class RefusedError extends Error {}

/** What is added to a name because the snippet is no whole file: changes of one, or cut. */
function markOf({ languageId, filePath, closed }: SnippetLike): string {
  const isChange = languageId === "diff" && filePath !== undefined &&
    !/\.(?:diff|patch)\s*$/i.test(filePath);
  return `${isChange ? ".diff" : ""}${closed ? "" : ".cut"}`;
}

/** A path as the least discerning file systems see it. */
function keyOf(steps: readonly string[]): string {
  return steps.join("/").normalize("NFKC").toUpperCase().toLowerCase();
}

/** The path with a number before its extension, from 2 on. */
function withNumber(steps: string[], number: number): string[] {
  if (number === 1) return steps;
  const name = steps.at(-1)!;
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  return [...steps.slice(0, -1), `${stem}.${number}${extension}`];
}

/** Makes a folder, or finds that it is one and no link to one. */
function makeFolder(folder: string, step: string): void {
  const there = statOf(folder);
  if (there === undefined) mkdirSync(folder);
  else if (!there.isDirectory()) {
    throw new RefusedError(
      there.isSymbolicLink() ? `"${step}" is a link` : `"${step}" is no folder`,
    );
  }
}

/** What a path is, links not followed; `undefined` when there is nothing. */
function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function nameOf({ languageId }: SnippetLike, hash: string): string {
  const language = languageId ?? "plaintext";
  const extension = EXTENSIONS[language] ??
    (/^[a-z0-9+-]{1,16}$/.test(language) ? language : "txt");
  return `snippet-${hash.slice(0, 12)}.${extension}`;
}
