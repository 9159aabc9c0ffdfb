import { AnsiStripper, type AnsiStripperSnapshot } from "./ansi_stripper.ts";
import {
  type Found,
  JSONScanner,
  type JSONScannerSnapshot,
  type TakeFound,
} from "./json_scanner.ts";
import {
  LineMachine,
  type LineMachineSnapshot,
  type TakeLine,
} from "./line_machine.ts";
import { EXCERPT, excerptOf } from "./limits.ts";

/** What is wrong with a line. */
export type FaultKind = "invalid-line" | "line-too-long" | "truncated";

/** Takes what a {@linkcode JSONLMachine} reads. */
export interface JSONLTaker {
  /** A value, the text it was read from, and its line. */
  value(value: unknown, text: string, line: number): void;
  /** A line, or in concatenated text a stretch, that is no value. */
  fault(
    kind: FaultKind,
    text: string,
    line: number,
    length: number,
    message: string,
  ): void;
}

/** What a {@linkcode JSONLMachine} is told. */
export interface JSONLMachineOptions {
  maxLineChars: number;
  concatenated: boolean;
  recordSeparator: boolean;
  /** Whether the values are the elements of arrays. */
  unwrap: boolean;
  stripAnsi: boolean;
}

/** The state of a {@linkcode JSONLMachine} as plain data. */
export interface JSONLMachineSnapshot {
  /** Whether the first character has been seen. */
  started: boolean;
  ansi?: AnsiStripperSnapshot | undefined;
  lines?: LineMachineSnapshot | undefined;
  scanner?: JSONScannerSnapshot | undefined;
}

/** Text in, JSON values and faults out: by lines, or by looking for values. */
export class JSONLMachine {
  readonly #options: JSONLMachineOptions;
  readonly #taker: JSONLTaker;
  readonly #ansi: AnsiStripper | undefined;
  readonly #lines: LineMachine | undefined;
  readonly #scanner: JSONScanner | undefined;
  #started: boolean;

  constructor(
    options: JSONLMachineOptions,
    taker: JSONLTaker,
    snapshot?: JSONLMachineSnapshot,
  ) {
    const { maxLineChars, concatenated, recordSeparator, unwrap, stripAnsi } =
      options;
    this.#options = options;
    this.#taker = taker;
    this.#started = snapshot?.started ?? false;
    if (stripAnsi) this.#ansi = new AnsiStripper(snapshot?.ansi);
    if (concatenated || recordSeparator || unwrap) {
      this.#scanner = new JSONScanner(
        { maxChars: maxLineChars, separators: recordSeparator, unwrap },
        snapshot?.scanner,
      );
    } else {
      this.#lines = new LineMachine(
        { maxLineChars, keepChars: EXCERPT, loneReturn: false },
        snapshot?.lines,
      );
    }
  }

  push(text: string): void {
    if (text === "") return;
    if (!this.#started) {
      this.#started = true;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    this.#text(this.#ansi === undefined ? text : this.#ansi.strip(text));
  }

  end(): void {
    if (this.#ansi !== undefined) this.#text(this.#ansi.end());
    this.#lines?.end(this.#line);
    this.#scanner?.end(this.#found);
  }

  snapshot(): JSONLMachineSnapshot {
    return {
      started: this.#started,
      ansi: this.#ansi?.snapshot(),
      lines: this.#lines?.snapshot(),
      scanner: this.#scanner?.snapshot(),
    };
  }

  #text(text: string): void {
    this.#lines?.push(text, this.#line);
    this.#scanner?.push(text, this.#found);
  }

  readonly #line: TakeLine = (text, number, ending, length) => {
    if (length > this.#options.maxLineChars) {
      return this.#tooLong(text, number, length);
    }
    if (isBlank(text)) return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      const cut = ending === "" && isOpen(text);
      return this.#fault(cut ? "truncated" : "invalid-line", text, number);
    }
    this.#taker.value(value, text, number);
  };

  readonly #found: TakeFound = (found: Found, text, line, length) => {
    if (found === "too-long") return this.#tooLong(text, line, length);
    if (found !== "value") {
      return this.#fault(
        found === "cut" ? "truncated" : "invalid-line",
        text,
        line,
      );
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#fault("invalid-line", text, line);
    }
    this.#taker.value(value, text, line);
  };

  #fault(kind: FaultKind, text: string, line: number): void {
    let message = kind === "truncated"
      ? `Line ${line} is cut: the JSON in it does not end`
      : `Line ${line} is not JSON`;
    message += `. It begins ${JSON.stringify(excerptOf(text))}`;
    if (!this.#options.stripAnsi && text.includes("\x1b")) {
      message += ' and has terminal escapes in it: set "stripAnsi"';
    }
    this.#taker.fault(kind, text, line, text.length, message);
  }

  #tooLong(text: string, line: number, length: number): void {
    this.#taker.fault(
      "line-too-long",
      text,
      line,
      length,
      `Skipped line ${line}: it has ${length} characters, the limit is ${this.#options.maxLineChars}. It begins ${
        JSON.stringify(text)
      }`,
    );
  }
}

/**
 * Whether a text begins a list, an object or a string that does not end in it.
 * One that ends, with something behind it, was not cut but spoilt.
 */
function isOpen(text: string): boolean {
  let depth = 0;
  let inString = false;
  let begun = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
      else continue;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (begun || character === " " || character === "\t") continue;
    else return false;
    begun = true;
    if (depth <= 0 && !inString) return false;
  }
  return begun;
}

/** Whether there is nothing in a line but what JSON calls white space. */
function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x09 && code !== 0x0d) return false;
  }
  return true;
}
