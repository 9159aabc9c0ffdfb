import type { Part } from "../../mod.ts";
import { harmless, type Styles } from "./style.ts";

/** Turns parts into what is written; `end` says what is left to write. */
export interface Writer {
  part(part: Part): string;
  end(): string;
}

/** The writers, by the value of `--to`. */
export const writers: Readonly<Record<string, (styles: Styles) => Writer>> = {
  pretty: prettyWriter,
  text: () => ({
    part: (part) => part.type === "text" ? part.text : "",
    end: () => "",
  }),
  jsonl: () => ({
    part: (part) => `${JSON.stringify(part)}\n`,
    end: () => "",
  }),
  sse: () => ({
    part: (part) => `data: ${JSON.stringify(part)}\n\n`,
    end: () => "",
  }),
  snippets: () => ({
    part: (part) => part.type === "snippet" ? `${JSON.stringify(part)}\n` : "",
    end: () => "",
  }),
};

/** Text as it flows; everything else on lines of its own. */
function prettyWriter(styles: Styles): Writer {
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
  return {
    part(part) {
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
              `● ${styles.bold(harmless(part.toolName))} ${
                oneLine(part.input)
              }`,
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
            `! ${part.code}${
              part.start === undefined ? "" : ` at ${part.start}`
            }: ${harmless(part.message)}`,
          ));
        case "error":
          return line(styles.red(
            `✗ ${harmless(part.error.name)}: ${harmless(part.error.message)}`,
          ));
        case "usage":
          return line(styles.dim(
            `  ${part.inputTokens ?? "?"} tokens in, ${
              part.outputTokens ?? "?"
            } out`,
          ));
        case "finish":
          return line(
            part.complete
              ? styles.dim(`■ finished: ${part.reason}`)
              : styles.red(`■ ended early: ${part.reason}`),
          );
        default:
          return "";
      }
    },
    end: () => atLineStart ? "" : "\n",
  };
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
      part.lineRange === undefined ? "" : `:${part.lineRange.join("-")}`
    }`;
  return `⧉ snippet: ${
    harmless(part.languageId ?? part.language ?? "no language")
  }${place}, ${lines} ${lines === 1 ? "line" : "lines"}${
    part.closed ? "" : " (cut)"
  }`;
}

/** A value as JSON on one line, shortened for people. */
function oneLine(value: unknown): string {
  const text = harmless(
    typeof value === "string" ? JSON.stringify(value) : JSON.stringify(value) ??
      "",
  );
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
