import type { Part } from "../../mod.ts";
import { harmless } from "./style.ts";

/** Warnings that mean the input was bad or came to an early end. */
const BAD_INPUT = new Set([
  "truncated",
  "invalid-utf8",
  "not-an-event-stream",
  "line-too-long",
]);

/** Counts what came out, and decides the exit code. */
export class Report {
  readonly #started = performance.now();
  readonly #parts: Record<string, number> = {};
  readonly #warnings: Record<string, number> = {};
  #characters = 0;
  #longestPart = 0;
  #firstPart: number | undefined;
  #bad = false;
  #finish: Part & { type: "finish" } | undefined;

  add(part: Part): void {
    this.#firstPart ??= performance.now() - this.#started;
    this.#parts[part.type] = (this.#parts[part.type] ?? 0) + 1;
    if (part.type === "text") {
      this.#characters += part.text.length;
      this.#longestPart = Math.max(this.#longestPart, part.text.length);
    } else if (part.type === "warning") {
      this.#warnings[part.code] = (this.#warnings[part.code] ?? 0) + 1;
      if (BAD_INPUT.has(part.code)) this.#bad = true;
    } else if (part.type === "error") this.#bad = true;
    else if (part.type === "finish") {
      this.#finish = part;
      if (!part.complete || part.reason === "error") this.#bad = true;
    }
  }

  /** 0 when all is well, 1 when the stream ended early or in error. */
  exitCode(strict: boolean): 0 | 1 {
    const warned = Object.keys(this.#warnings).length > 0;
    return this.#bad || (strict && warned) ? 1 : 0;
  }

  stats(json: boolean): string {
    const figures = {
      milliseconds: Math.round(performance.now() - this.#started),
      millisecondsToFirstPart: Math.round(this.#firstPart ?? 0),
      characters: this.#characters,
      longestTextPart: this.#longestPart,
      parts: this.#parts,
      warnings: this.#warnings,
      finish: this.#finish?.reason ?? null,
      complete: this.#finish?.complete ?? null,
    };
    if (json) return `${JSON.stringify(figures)}\n`;
    const counts = Object.entries(this.#parts).map(([type, count]) =>
      `${count} ${type}`
    ).join(", ");
    return `${figures.characters} characters in ${figures.milliseconds} ms (first part after ${figures.millisecondsToFirstPart} ms): ${
      counts || "no part"
    }\n`;
  }
}

/** A line for `--explain`, or `""` for a part that decides nothing. */
export function explain(part: Part): string {
  const at = (offset: number | undefined, what: string, why: string): string =>
    `${`${offset ?? "-"}`.padStart(8)}  ${what.padEnd(16)}  ${harmless(why)}\n`;
  switch (part.type) {
    case "fence-start":
      return at(
        part.fence.start,
        "fence opens",
        `${part.fence.marker} ${part.fence.info}`,
      );
    case "fence-end":
      return at(
        part.end,
        "fence ends",
        part.closed ? "closing line" : "its container or the stream ended",
      );
    case "directive-start":
      return at(part.start, "directive opens", `<${part.name}>`);
    case "directive":
      return at(
        part.end,
        "directive ends",
        part.complete ? `</${part.name}>` : "the stream ended",
      );
    case "tool-call":
      return part.origin === "salvaged"
        ? at(
          part.start,
          "call salvaged",
          `${part.toolName}, dialect ${part.dialect}${
            part.repairs.length === 0
              ? ""
              : `, repaired: ${part.repairs.join(", ")}`
          }`,
        )
        : at(undefined, "call", `${part.toolName}, sent as one`);
    case "tool-call-partial":
      return at(undefined, "call cut", `${part.toolName ?? "?"}: must not run`);
    case "snippet":
      return at(
        part.start,
        "snippet",
        part.filePath === undefined
          ? "no file named"
          : `${part.filePath}, found in ${part.pathSource ?? "?"}`,
      );
    case "warning":
      return at(part.start, part.code, part.message);
    case "error":
      return at(undefined, "error", part.error.message);
    case "finish":
      return at(
        undefined,
        "finish",
        `${part.reason}${
          part.rawReason === undefined ? "" : ` (${part.rawReason})`
        }${part.complete ? "" : ", no terminal marker"}`,
      );
    default:
      return "";
  }
}
