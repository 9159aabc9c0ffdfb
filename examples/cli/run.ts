import process from "node:process";
import {
  type Part,
  type StageStream,
  standardPipeline,
  type Tool,
} from "../../mod.ts";
import type { Message } from "../../adapters/sessions/mod.ts";
import { type NamedStage, Probe, standardStages } from "../probe.ts";
import { Explainer, explainMessage, explainWarning } from "./explain.ts";
import { type Input, inputsOf } from "./files.ts";
import { openInput } from "./input.ts";
import { LiveLine } from "./live_line.ts";
import {
  type CliOptions,
  providerFormats,
  sessionFormats,
  UsageError,
} from "./options.ts";
import { type Writer, writers } from "./output.ts";
import { Report } from "./report.ts";
import { SnippetFiles, type SnippetLike } from "./snippet_files.ts";
import { harmless, makeStyles } from "./style.ts";
import { readTools } from "./tools.ts";

/** Does what the command line says. Gives the exit code. */
export async function run(
  options: CliOptions,
  words: readonly string[],
): Promise<number> {
  const stop = new AbortController();
  if (options.follow) {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => stop.abort());
    }
  }
  if (words.length === 0 && process.stdin.isTTY === true) {
    process.stderr.write(
      "millrace: Reading what you type, until Ctrl-D. Try --help\n",
    );
  }
  const inputs = inputsOf(words, options, stop.signal);
  const runner = new Runner(options, inputs.length, stop.signal);
  // Files that grow have to be read side by side.
  if (options.follow) {
    await Promise.all(inputs.map((input) => runner.follow(input)));
  } else {
    for (const input of inputs) await runner.read(input);
  }
  return runner.finish();
}

class Runner {
  readonly #options: CliOptions;
  readonly #count: number;
  readonly #signal: AbortSignal;
  readonly #tools: readonly Tool[];
  readonly #report = new Report();
  readonly #live: LiveLine;
  readonly #files: SnippetFiles | undefined;
  readonly #extracted = { written: 0, same: 0, kept: 0, refused: 0, failed: 0 };
  readonly #to: string;
  /** The input whose output came last, where several are read side by side. */
  #last: string | undefined;
  #atLineStart = true;

  constructor(options: CliOptions, count: number, signal: AbortSignal) {
    this.#options = options;
    this.#count = count;
    this.#signal = signal;
    this.#tools = options.tools === "" ? [] : readTools(options.tools);
    try {
      this.#pipeline();
    } catch (error) {
      // The directives' names are all in it that may be wrong.
      throw new UsageError(
        `Option "--directives": ${(error as Error).message}`,
      );
    }
    // Long work says how far it is also when nobody asked.
    this.#live = new LiveLine(true, options.stats === "none" ? 1_000 : 0);
    this.#to = options.to ||
      (options.extract === "" ? "pretty" : "extracted paths");
    if (options.extract !== "") {
      try {
        this.#files = new SnippetFiles(options.extract, options.force);
      } catch (error) {
        throw new UsageError(
          `Cannot use the folder "${options.extract}": ${
            (error as Error).message
          }`,
        );
      }
    }
  }

  /** Reads a file that grows, and the next one when another takes its place. */
  async follow(input: Input): Promise<void> {
    await this.read(input);
    while (!this.#signal.aborted) {
      this.#note(`"${input.name}" was replaced, it is read anew`);
      await this.read(input);
    }
  }

  /** Reads one input to its end. */
  async read(input: Input): Promise<void> {
    const writer = this.#writer(input);
    let kind = "";
    try {
      const opened = await openInput(input, {
        from: this.#options.from,
        chunk: Number(this.#options.chunk),
        follow: this.#options.follow,
        onBytes: (length) => {
          this.#report.bytes(length);
          this.#showProgress();
        },
        onWarning: (warning) => {
          this.#report.sessionWarning(warning);
          if (this.#options.explain) this.#tell(explainWarning(warning));
          else this.#note(`"${input.name}": ${warning.message}`);
        },
        onSession: (found) => kind = found,
      });
      if (opened.type === "stream") {
        await this.#stream(opened.parts, opened.format, input, writer);
      } else {
        const { from } = this.#options;
        const wanted = input.found ? sessionFormats[from] : undefined;
        let any = false;
        for await (const message of opened.messages) {
          // Of another program than was asked for.
          if (wanted !== undefined && kind !== wanted) return;
          any = true;
          await this.#message(message, kind, input, writer);
        }
        if (input.found && !any) return;
      }
    } catch (error) {
      if (error instanceof UsageError) throw error;
      // Not everything in a folder is a session.
      if (
        input.found && (error as { code?: string }).code === "unknown-format"
      ) return;
      const message = `Cannot read "${input.name}": ${
        (error as Error).message
      }`;
      if (this.#count === 1 && kind === "") throw new UsageError(message);
      this.#note(message);
      this.#report.unreadable();
    }
    await this.#write(input, writer.end(kind));
    this.#report.file();
  }

  /** Says what there is to say in the end. Gives the exit code. */
  finish(): number {
    this.#live.clear();
    if (this.#report.files === 0) {
      this.#note("No stored session was found");
      this.#report.refused();
    }
    if (this.#files !== undefined) {
      const { written, same, kept, refused, failed } = this.#extracted;
      const pieces = [
        `${written} written`,
        same > 0 ? `${same} there already` : "",
        kept > 0 ? `${kept} not written over other files (--force does)` : "",
        failed > 0 ? `${failed} of calls that failed left out` : "",
        refused > 0 ? `${refused} refused` : "",
      ];
      this.#note(pieces.filter((piece) => piece !== "").join(", "));
    }
    if (this.#options.stats !== "none") {
      this.#tell(this.#report.stats(this.#options.stats === "json"));
    }
    return this.#report.exitCode(this.#options.strict);
  }

  #writer(input: Input): Writer {
    const colours = process.stdout.isTTY === true &&
      !process.env["NO_COLOR"];
    const make = writers[this.#to] ?? pathsOnly;
    return make({
      styles: makeStyles(colours),
      ...(this.#count > 1 ? { file: input.name } : {}),
    });
  }

  async #stream(
    parts: ReadableStream<Part>,
    format: string,
    input: Input,
    writer: Writer,
  ): Promise<void> {
    const { explain } = this.#options;
    const probe = new Probe(
      explain
        ? this.#stages()
        : [{ name: "pipeline", stream: this.#pipeline() }],
    );
    const explainer = new Explainer();
    const take = async (output: readonly Part[]): Promise<void> => {
      this.#report.held(probe.heldLength());
      if (explain) this.#tell(explainer.parts(output, probe.held()));
      for (const part of output) {
        this.#report.part(part);
        await this.#write(input, writer.part(part));
        if (part.type === "snippet") await this.#extract(input, part);
      }
      this.#showProgress();
    };
    // How many events nobody knew, and whether any was known.
    let unknown = 0;
    let known = false;
    for await (const part of parts) {
      if (part.type === "raw") unknown++;
      else if (part.type !== "finish") known = true;
      await take(probe.push(part));
    }
    await take(probe.end());
    if (unknown > 0 && !known) {
      this.#report.refused();
      this.#note(
        `"${input.name}": none of its ${unknown} events is one of ` +
          (providerFormats.includes(format)
            ? `${format}. Without --from, the format is found out`
            : "a format known here"),
      );
    }
  }

  async #message(
    message: Message,
    kind: string,
    input: Input,
    writer: Writer,
  ): Promise<void> {
    this.#report.message(message);
    if (this.#options.explain) this.#tell(explainMessage(message));
    await this.#write(input, writer.message(message, kind));
    if (message.origin !== "model") return;
    for (const snippet of message.snippets) {
      if (snippet.failed) this.#extracted.failed++;
      else await this.#extract(input, snippet, message.cwd);
    }
    this.#showProgress();
  }

  /** The stages of the standard pipeline, one by one. */
  #stages(): NamedStage[] {
    return standardStages({
      tools: this.#tools,
      toolCalls: this.#toolCalls(),
      directives: this.#directives(),
      reasoning: false,
      fences: this.#fences(),
    });
  }

  /** The same in one. */
  #pipeline(): StageStream<string | Part, Part> {
    return standardPipeline({
      tools: this.#tools,
      toolCalls: this.#toolCalls(),
      directives: this.#directives(),
      fences: this.#fences(),
    });
  }

  #toolCalls(): { bare?: "line-start" } {
    return this.#options.bare ? { bare: "line-start" } : {};
  }

  #directives(): string[] {
    return this.#options.directives.split(",").map((name) => name.trim())
      .filter((name) => name !== "");
  }

  #fences(): "tolerant" | "commonmark" | "loose" {
    return this.#options.fences as "tolerant" | "commonmark" | "loose";
  }

  async #extract(
    input: Input,
    snippet: SnippetLike,
    cwd?: string,
  ): Promise<void> {
    if (this.#files === undefined) return;
    const result = this.#files.add(snippet, cwd);
    this.#extracted[result.status]++;
    if (result.status === "refused") {
      this.#report.refused();
      this.#note(
        `Cannot write ${JSON.stringify(result.path)}: ${result.reason}`,
      );
    } else if (result.status === "written" && this.#options.to === "") {
      await this.#write(input, `${result.path}\n`);
    }
  }

  #showProgress(): void {
    this.#live.update(() => this.#report.progress(this.#count));
  }

  /** Writes to stderr. */
  #tell(text: string): void {
    if (text === "") return;
    this.#live.clear();
    process.stderr.write(text);
  }

  #note(text: string): void {
    this.#tell(`millrace: ${harmless(text)}\n`);
  }

  /** Writes to stdout, and waits where the other side is slower. */
  async #write(input: Input, text: string): Promise<void> {
    if (text === "") return;
    // The pretty writer has seen to it, and its colours are meant to be obeyed.
    if (process.stdout.isTTY === true && this.#to !== "pretty") {
      text = harmless(text);
    }
    let head = "";
    if (this.#count > 1 && this.#to === "pretty" && input.name !== this.#last) {
      head = `${this.#atLineStart ? "" : "\n"}==> ${
        harmless(input.name)
      } <==\n`;
    }
    this.#last = input.name;
    this.#atLineStart = text.endsWith("\n");
    if (process.stdout.write(head + text)) return;
    await new Promise<void>((resolve) => process.stdout.once("drain", resolve));
  }
}

/** Nothing but the paths that are extracted. */
function pathsOnly(): Writer {
  return { part: () => "", message: () => "", end: () => "" };
}
