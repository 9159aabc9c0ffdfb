import type { Part } from "../../mod.ts";
import type { Message, SessionWarning } from "../../adapters/sessions/mod.ts";
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
  #bytes = 0;
  /** How many inputs were read to their end. */
  files = 0;
  #messages = 0;
  #snippets = 0;
  #characters = 0;
  #longestPart = 0;
  #held = 0;
  #heldMost = 0;
  #firstOutput: number | undefined;
  #bad = false;
  #unreadable = false;
  #finish: Part & { type: "finish" } | undefined;

  /** Bytes were read. */
  bytes(length: number): void {
    this.#bytes += length;
  }

  /** An input was read to its end. */
  file(): void {
    this.files++;
  }

  /** An input could not be read. */
  unreadable(): void {
    this.#unreadable = true;
  }

  /** Something that was asked for was not done. */
  refused(): void {
    this.#bad = true;
  }

  /** How many characters are held back now. */
  held(length: number): void {
    this.#held = length;
    this.#heldMost = Math.max(this.#heldMost, length);
  }

  part(part: Part): void {
    this.#firstOutput ??= performance.now();
    this.#parts[part.type] = (this.#parts[part.type] ?? 0) + 1;
    if (part.type === "text") {
      this.#characters += part.text.length;
      this.#longestPart = Math.max(this.#longestPart, part.text.length);
    } else if (part.type === "warning") {
      this.#warn(part.code);
      if (BAD_INPUT.has(part.code)) this.#bad = true;
    } else if (part.type === "snippet") this.#snippets++;
    else if (part.type === "error") this.#bad = true;
    else if (part.type === "finish") {
      this.#finish = part;
      if (!part.complete || part.reason === "error") this.#bad = true;
    }
  }

  message(message: Message): void {
    this.#firstOutput ??= performance.now();
    this.#messages++;
    this.#snippets += message.snippets.length;
  }

  /** A stored session is damaged somewhere; the rest of it counts. */
  sessionWarning(warning: SessionWarning): void {
    this.#warn(warning.code);
  }

  #warn(code: string): void {
    this.#warnings[code] = (this.#warnings[code] ?? 0) + 1;
  }

  /** 0 when all is well, 1 when a stream ended early or in error, 2 when a file could not be read. */
  exitCode(strict: boolean): 0 | 1 | 2 {
    if (this.#unreadable) return 2;
    const warned = Object.keys(this.#warnings).length > 0;
    return this.#bad || (strict && warned) ? 1 : 0;
  }

  /** One line of how far it is. */
  progress(total: number): string {
    const seconds = (performance.now() - this.#started) / 1000;
    const pieces = [
      total > 1 ? `${this.files} of ${total} files` : "",
      this.#messages > 0 ? `${number(this.#messages)} messages` : "",
      this.#characters > 0 ? `${number(this.#characters)} characters` : "",
      this.#snippets > 0 ? `${number(this.#snippets)} snippets` : "",
      this.#parts["tool-call"] ? `${this.#parts["tool-call"]} calls` : "",
      this.#characters > 0 ? `held ${this.#held} (${this.#heldMost})` : "",
      `${(this.#bytes / 1e6).toFixed(1)} MB`,
      `${seconds.toFixed(1)} s`,
    ];
    return pieces.filter((piece) => piece !== "").join(", ");
  }

  /** The figures, as one line of JSON or for people. */
  stats(json: boolean): string {
    const now = performance.now();
    const figures = {
      milliseconds: Math.round(now - this.#started),
      millisecondsToFirstPart: Math.round(
        (this.#firstOutput ?? this.#started) - this.#started,
      ),
      files: this.files,
      bytes: this.#bytes,
      messages: this.#messages,
      snippets: this.#snippets,
      characters: this.#characters,
      longestTextPart: this.#longestPart,
      mostHeld: this.#heldMost,
      parts: this.#parts,
      warnings: this.#warnings,
      finish: this.#finish?.reason ?? null,
      complete: this.#finish?.complete ?? null,
    };
    if (json) return `${JSON.stringify(figures)}\n`;
    const counts = (all: Record<string, number>) =>
      Object.entries(all).map(([name, count]) => `${count} ${harmless(name)}`)
        .join(", ");
    const warnings = counts(this.#warnings);
    const first =
      `in ${figures.milliseconds} ms, the first after ${figures.millisecondsToFirstPart} ms`;
    return (this.#messages > 0
      ? `${number(this.#messages)} messages with ${
        number(this.#snippets)
      } snippets ${first}, from ${number(this.#bytes)} bytes\n`
      : `${
        number(this.#characters)
      } characters ${first}, at most ${this.#heldMost} held: ${
        counts(this.#parts) || "no part"
      }\n`) + (warnings === "" ? "" : `warnings: ${warnings}\n`);
  }
}

/** A number with its thousands apart. */
function number(value: number): string {
  return `${value}`.replace(/\B(?=(\d{3})+$)/g, ",");
}
