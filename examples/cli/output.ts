import type { Part } from "../../mod.ts";
import type { CodeSnippet, Message } from "../../adapters/sessions/mod.ts";
import { partsOfMessage } from "./message_parts.ts";
import { harmless, type Styles } from "./style.ts";

/** What a writer has to know of what it writes. */
export interface WriterOptions {
  styles: Styles;
  /** The input's name, when there are several: machines want it in every line. */
  file?: string;
}

/** Turns one input's parts or messages into what is written. */
export interface Writer {
  /** A part of a stream. */
  part(part: Part): string;
  /** A message of a stored session; `kind` is the program. */
  message(message: Message, kind: string): string;
  /** What is left to write. */
  end(kind: string): string;
}

/** The writers, by the value of `--to`. */
export const writers: Readonly<
  Record<string, (options: WriterOptions) => Writer>
> = {
  pretty: prettyWriter,
  text: textWriter,
  jsonl: (options) => jsonWriter(options, (json) => `${json}\n`),
  sse: (options) => jsonWriter(options, (json) => `data: ${json}\n\n`),
  snippets: snippetsWriter,
  sessions: sessionsWriter,
};

/** A snippet of a message, with what tells where it comes from. */
export interface FoundSnippet extends CodeSnippet {
  messageId: string;
  role: string;
  timestamp?: string;
  model?: string;
  sessionId?: string;
  cwd?: string;
}

function foundIn(message: Message, snippet: CodeSnippet): FoundSnippet {
  const { id, role, timestamp, model, sessionId, cwd } = message;
  return {
    ...snippet,
    messageId: id,
    role,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(model === undefined ? {} : { model }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

/** The options' file in front of a value's fields. */
function named(file: string | undefined, value: object): object {
  return file === undefined ? value : { file, ...value };
}

function textWriter(): Writer {
  let any = false;
  return {
    part: (part) => part.type === "text" ? part.text : "",
    message(message) {
      const text = message.blocks.flatMap((block) =>
        block.type === "text" ? [block.text] : []
      ).join("\n");
      if (text === "") return "";
      const between = any ? "\n" : "";
      any = true;
      return `${between}${text}${text.endsWith("\n") ? "" : "\n"}`;
    },
    end: () => "",
  };
}

function jsonWriter(
  { file }: WriterOptions,
  frame: (json: string) => string,
): Writer {
  const write = (value: object): string =>
    frame(JSON.stringify(named(file, value)));
  return { part: write, message: write, end: () => "" };
}

function snippetsWriter({ file }: WriterOptions): Writer {
  const write = (value: object): string =>
    `${JSON.stringify(named(file, value))}\n`;
  return {
    part: (part) => part.type === "snippet" ? write(part) : "",
    message: (message) =>
      message.snippets.map((one) => write(foundIn(message, one))).join(""),
    end: () => "",
  };
}

/** One JSON document a file, one message a line in it. */
function sessionsWriter({ file }: WriterOptions): Writer {
  let begun = false;
  const begin = (kind: string): string => {
    begun = true;
    const head = JSON.stringify(named(file, { kind: kind || null }));
    return `${head.slice(0, -1)},"messages":[\n`;
  };
  return {
    part: () => "",
    message(message, kind) {
      const before = begun ? ",\n" : begin(kind);
      return before + JSON.stringify(message);
    },
    end: (kind) => begun ? "\n]}\n" : `${begin(kind)}]}\n`,
  };
}

/** Text as it flows; everything else on lines of its own. */
function prettyWriter({ styles }: WriterOptions): Writer {
  let atLineStart = true;
  const flow = (text: string, styled: string): string => {
    if (text !== "") atLineStart = text.endsWith("\n");
    return styled;
  };
  const line = (text: string): string => {
    const output = `${atLineStart ? "" : "\n"}${text}\n`;
    atLineStart = true;
    return output;
  };
  const writePart = (part: Part): string => {
    switch (part.type) {
      case "text": {
        const text = harmless(part.text);
        return flow(
          text,
          part.code === "fence"
            ? styles.cyan(text)
            : part.code === "marker"
            ? styles.dim(text)
            : text,
        );
      }
      case "reasoning": {
        const text = harmless(part.text);
        return flow(text, styles.dim(text));
      }
      case "directive-start":
        return line(styles.magenta(
          `▷ ${harmless(part.name)}${attributesOf(part.attributes)}`,
        ));
      case "directive-delta": {
        const text = harmless(part.text);
        return flow(text, styles.magenta(text));
      }
      case "directive":
        return line(styles.magenta(
          `◁ ${harmless(part.name)}${part.complete ? "" : " (cut)"}`,
        ));
      case "tool-call":
        return line(
          styles.green(
            `● ${styles.bold(harmless(part.toolName))} ${oneLine(part.input)}`,
          ) + styles.dim(
            part.origin === "salvaged"
              ? ` salvaged from the text (${part.dialect})`
              : "",
          ),
        );
      case "tool-call-partial":
        return line(styles.yellow(
          `○ ${harmless(part.toolName ?? "?")} ${
            oneLine(part.inputText)
          } (cut, must not run)`,
        ));
      case "tool-result":
        return line(styles.dim(`  ${oneLine(part.output)}`));
      case "tool-blocked":
        return line(styles.yellow(
          `⊘ ${harmless(part.toolName)}: ${harmless(part.reason)}`,
        ));
      case "snippet":
        return line(styles.cyan(snippetLine(part)));
      case "warning":
        return line(styles.yellow(
          `! ${harmless(part.code)}${
            part.start === undefined ? "" : harmless(` at ${part.start}`)
          }: ${harmless(part.message)}`,
        ));
      case "error":
        return line(styles.red(
          `✗ ${harmless(part.error.name)}: ${harmless(part.error.message)}`,
        ));
      case "usage":
        return line(styles.dim(
          `  ${harmless(String(part.inputTokens ?? "?"))} tokens in, ${
            harmless(String(part.outputTokens ?? "?"))
          } out`,
        ));
      case "finish":
        return line(
          part.complete
            ? styles.dim(`■ finished${reasonOf(part.reason)}`)
            : styles.red(`■ ended early${reasonOf(part.reason)}`),
        );
      default:
        return "";
    }
  };
  return {
    part: writePart,
    message(message) {
      const head = line(styles.bold(headOf(message)));
      const pieces = partsOfMessage(message).map(writePart);
      return `${head}${pieces.join("")}${line("")}`;
    },
    end: () => atLineStart ? "" : "\n",
  };
}

function reasonOf(reason: string): string {
  return reason === "unknown" ? "" : `: ${harmless(reason)}`;
}

function headOf({ role, origin, model, timestamp, revision }: Message): string {
  const pieces = [
    origin === "program" ? `${role} (put in by the program)` : role,
    model,
    timestamp,
    revision ? "again" : undefined,
  ].filter((piece) => piece !== undefined);
  return `── ${pieces.map(harmless).join(" · ")}`;
}

function attributesOf(attributes: Record<string, string>): string {
  return Object.entries(attributes).map(([name, value]) =>
    ` ${harmless(name)}=${oneLine(value)}`
  ).join("");
}

function snippetLine(part: Part & { type: "snippet" }): string {
  const lines = part.content.split("\n").length - 1;
  const place = part.filePath === undefined
    ? ""
    : ` ${harmless(part.filePath)}${
      part.lineRange === undefined
        ? ""
        : harmless(`:${part.lineRange.join("-")}`)
    }`;
  return `⧉ snippet: ${
    harmless(part.languageId ?? part.language ?? "no language")
  }${place}, ${lines} ${lines === 1 ? "line" : "lines"}${
    part.closed ? "" : " (cut)"
  }`;
}

/** A value as JSON on one line, shortened for people. */
function oneLine(value: unknown): string {
  const text = harmless(JSON.stringify(value) ?? "");
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
