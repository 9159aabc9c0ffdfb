/**
 * Cuts streamed Markdown into messages of a limited length.
 *
 * @module
 */

import type { Fence, Part } from "./part.ts";
import { type Emit, type Stage, StageStream } from "./stage.ts";
import { textPart } from "./internal/held_text.ts";
import { isAside } from "./internal/is_aside.ts";
import {
  type FenceMode,
  type LineKind,
  MarkdownLines,
  type MarkdownLinesSnapshot,
} from "./internal/markdown_lines.ts";
import { makeSnapshot, openSnapshot, resumed } from "./internal/snapshot.ts";

/** Options of {@linkcode FenceSplitterStream}. */
export interface FenceSplitterStreamOptions {
  /**
   * How long a message may be, in UTF-16 code units, added fence lines
   * included. At least 32.
   *
   * @default {2000}
   */
  maxLength?: number;
  /**
   * How fences are found, see {@linkcode FenceMode}.
   *
   * @default {"tolerant"}
   */
  mode?: Exclude<FenceMode, "loose">;
  /** A snapshot of another splitter with the same options, to go on from. */
  snapshot?: unknown;
  /** See {@linkcode StageStreamOptions.highWaterMark}. */
  highWaterMark?: number;
}

const STAGE = "fence-splitter";
const LEAST_LENGTH = 32;
const LIST_ITEM = /^[> ]{0,20}(?:[-*+]|\d{1,9}[.)])[ \t]/m;

/** The fence at the end of the message. */
interface OpenFence {
  /** Its opening line as written, without containers and line end. */
  opener: string;
  marker: string;
  /** What a line must begin with to stay inside: containers, or in a message that goes on with it, quotes. */
  prefix: string;
  /** Whether the opening line is in an earlier message. */
  again: boolean;
}

interface State {
  lines: MarkdownLinesSnapshot;
  /** The message so far: whole lines. */
  message: string;
  /** Offset of its first character in the text channel. */
  start: number;
  /** Index in the message behind the last block, 0 when there is none. */
  block: number;
  /** Offset of that place. */
  blockOffset: number;
  /** The line at work: what containers add to a content line, and the rest. */
  prefix: string;
  line: string;
  /** It ends in a carriage return, to which a line feed may come. */
  returned: boolean;
  /** Offset behind the line at work. */
  offset: number;
  fence: OpenFence | null;
  /** The fence whose opening line is at work. */
  opening: Fence | null;
}

/*
 *  text ──▶ MarkdownLines ──▶ line ── line end ──▶ message ──▶ out
 *                                                     ▲
 *     no room: cut behind the last block, or here ────┘
 *     no room in a fence: closing line, cut, opening line again
 */
class FenceSplitterStage implements Stage<string | Part, Part> {
  readonly #maxLength: number;
  readonly #lines: MarkdownLines;
  readonly #state: State;
  #emit: Emit<Part> = () => {};
  #ending = false;

  constructor(options: FenceSplitterStreamOptions) {
    this.#maxLength = options.maxLength ?? 2000;
    this.#state = openSnapshot<State>(STAGE, options.snapshot) ?? {
      lines: undefined,
      message: "",
      start: 0,
      block: 0,
      blockOffset: 0,
      prefix: "",
      line: "",
      returned: false,
      offset: 0,
      fence: null,
      opening: null,
    };
    this.#lines = new MarkdownLines(
      { mode: options.mode },
      {
        text: (text, kind) => this.#text(text, kind),
        fenceStart: (fence) => {
          this.#state.opening = fence;
        },
        fenceEnd: (_fence, closed) => this.#endFence(closed),
        limit: (message, start, end) =>
          this.#emit({ type: "warning", code: "limit", message, start, end }),
      },
      this.#state.lines,
    );
  }

  push(input: string | Part, emit: Emit<Part>): void {
    this.#emit = emit;
    if (typeof input === "string") this.#lines.advance(input);
    else if (input.type === "text") {
      if (input.start !== undefined) this.#seek(input.start);
      this.#lines.advance(input.text);
    } else if (isAside(input)) emit(input);
    else if (input.type !== "fence-start" && input.type !== "fence-end") {
      this.#lines.release();
      this.#takeLine();
      this.#cut();
      emit(input);
    }
  }

  end(emit: Emit<Part>): void {
    this.#emit = emit;
    this.#ending = true;
    this.#lines.end();
    this.#takeLine();
    this.#cut();
  }

  breakOff(emit: Emit<Part>): void {
    this.end(emit);
  }

  snapshot(): unknown {
    const state: State = { ...this.#state, lines: this.#lines.snapshot() };
    return makeSnapshot(STAGE, state);
  }

  /** Something was cut out upstream. */
  #seek(start: number): void {
    this.#lines.seek(start);
    this.#state.offset = start - this.#lines.pending;
  }

  #text(text: string, kind: LineKind): void {
    const state = this.#state;
    const returns = text.includes("\r");
    for (let from = 0; from < text.length;) {
      if (state.returned && text.charCodeAt(from) !== 0x0a) this.#takeLine();
      if (
        kind === "marker" && state.opening === null && state.fence !== null
      ) {
        state.prefix += text.slice(from);
        state.offset += text.length - from;
        return;
      }
      const to = returns ? endOfLine(text, from) : text.indexOf("\n", from) + 1;
      state.line += text.slice(from, to === 0 ? text.length : to);
      state.offset += (to === 0 ? text.length : to) - from;
      if (to > 0) this.#takeLine();
      else if (state.opening === null) this.#shorten();
      if (to === 0) {
        state.returned = returns && text.endsWith("\r");
        return;
      }
      from = to;
    }
  }

  /** The line at work is complete: puts it into a message. */
  #takeLine(): void {
    const state = this.#state;
    state.returned = false;
    if (state.opening !== null) {
      this.#open(state.opening);
      return;
    }
    this.#shorten();
    if (state.line === "" && state.prefix === "") return;
    this.#fit();
    this.#add(this.#written());
    if (state.fence === null && state.line.trim() === "") this.#markBlock();
    state.line = state.prefix = "";
  }

  /** The line at work as it is written into the message. */
  #written(): string {
    const { fence, line, prefix } = this.#state;
    return (fence?.again === true ? quotesOf(prefix) : prefix) + line;
  }

  /** What the line's prefix takes, in this message or the next. */
  #prefixLength(): number {
    const { prefix } = this.#state;
    return Math.max(prefix.length, quotesOf(prefix).length);
  }

  /** How much the opening line adds that is written again. */
  #reopening(): string {
    const { fence, message } = this.#state;
    return fence?.again === true && message === ""
      ? `${fence.prefix}${fence.opener}\n`
      : "";
  }

  /** Whether so many code units more have room, and then the closing line with line ends around it. */
  #fits(length: number): boolean {
    const { fence, message } = this.#state;
    const closing = fence === null
      ? 0
      : fence.prefix.length + fence.marker.length + 2;
    return message.length + this.#reopening().length + length + closing <=
      this.#maxLength;
  }

  #add(text: string): void {
    const state = this.#state;
    if (state.message === "") {
      state.start = state.offset - state.line.length - state.prefix.length;
      state.message = this.#reopening();
    }
    state.message += text;
  }

  /** The end of the message is a good place to cut. */
  #markBlock(): void {
    const state = this.#state;
    state.block = state.message.length;
    state.blockOffset = state.offset;
  }

  /** Makes room for the line at work. */
  #fit(): void {
    while (!this.#fits(this.#written().length)) {
      // Only with the state of a splitter of longer messages.
      if (this.#state.message === "") return;
      this.#makeRoom();
    }
  }

  /** Makes a message shorter that is not empty, or has no room for the line at work. */
  #makeRoom(): void {
    const state = this.#state;
    if (state.block < this.#maxLength / 2) {
      this.#cut();
      return;
    }
    this.#deliver(state.message.slice(0, state.block));
    state.message = state.message.slice(state.block);
    state.start = state.blockOffset;
    state.block = 0;
  }

  /** Ends the message here. */
  #cut(): void {
    const state = this.#state;
    const { fence, message } = state;
    if (message === "") return;
    if (fence === null) this.#deliver(message);
    else {
      const end = message.endsWith("\n") ? "" : "\n";
      this.#deliver(`${message}${end}${fence.prefix}${fence.marker}`);
      fence.again = true;
      fence.prefix = quotesOf(fence.prefix);
    }
    state.message = "";
    state.block = 0;
  }

  #deliver(message: string): void {
    if (message.trim() !== "") {
      this.#emit(textPart(message, this.#state.start));
    }
  }

  /** Cuts the line at work while it is longer than a message. */
  #shorten(): void {
    const state = this.#state;
    if (
      state.fence !== null && this.#prefixLength() > this.#maxLength / 4
    ) {
      // However it is written: this is what it means, and it has room.
      state.prefix = state.fence.prefix;
    }
    for (;;) {
      const { fence, line } = state;
      const lines = fence === null
        ? 0
        : fence.opener.length + fence.marker.length +
          2 * fence.prefix.length + 3;
      const room = Math.max(1, this.#maxLength - lines - this.#prefixLength());
      // Also when a state from outside leaves no number.
      if (!(line.length > room)) return;
      const space = fence === null ? line.lastIndexOf(" ", room - 1) + 1 : 0;
      let to = space > room / 2 ? space : room;
      // Never between the halves of a surrogate pair.
      if ((line.charCodeAt(to - 1) & 0xfc00) === 0xd800 && to > 1) to--;
      state.line = line.slice(0, to);
      state.offset -= line.length - to;
      this.#fit();
      this.#add(this.#written());
      this.#cut();
      state.line = line.slice(to);
      state.offset += line.length - to;
    }
  }

  /** An opening line is complete. */
  #open(fence: Fence): void {
    const state = this.#state;
    const opener = state.line.slice(state.line.indexOf(fence.marker)).trimEnd();
    const { prefix } = this.#lines;
    const longest = Math.max(
      state.line.length,
      prefix.length + opener.length + 1,
    );
    const lines = longest + prefix.length + fence.marker.length + 2;
    state.opening = null;
    if (lines > this.#maxLength / 2) {
      this.#emit({
        type: "warning",
        code: "limit",
        message:
          `A fence's opening and closing lines take more than half of ${this.#maxLength} code units: it is cut without being closed`,
        start: fence.start,
        end: fence.start + fence.marker.length,
      });
      this.#takeLine();
      return;
    }
    // Some of the content should come with it.
    if (state.message.length + lines > this.#maxLength * 0.875) this.#cut();
    if (state.message !== "") {
      state.block = state.message.length;
      state.blockOffset = state.offset - state.line.length;
    }
    // Without its list item, deep indentation would make it another kind of code.
    const again = /^[> ]*( {4}|\t)/.test(state.line) &&
      !LIST_ITEM.test(state.message);
    const written = again ? `${quotesOf(prefix)}${opener}\n` : state.line;
    this.#add(written);
    state.line = "";
    state.fence = {
      opener,
      marker: fence.marker,
      prefix: again ? quotesOf(prefix) : prefix,
      again,
    };
  }

  #endFence(closed: boolean): void {
    const state = this.#state;
    if (state.opening !== null || state.line !== "" || !closed) {
      this.#takeLine();
    }
    const { fence } = state;
    if (fence === null) return;
    const { prefix } = state;
    state.prefix = "";
    state.fence = null;
    // Nothing came since the last message closed it.
    if (fence.again && state.message === "") return;
    const closing = fence.prefix + fence.marker;
    if (closed) {
      const written = fence.again
        ? quotesOf(prefix) + prefix.replace(/^[> \t]+/, "")
        : prefix;
      // A closing line may be longer than it has to be, and than there is room.
      state.message += written.length > closing.length ? closing : written;
    } else {
      // Its container ended it, but that may be in an earlier message.
      const end = state.message.endsWith("\n") ? "" : "\n";
      state.message += `${end}${closing}${this.#ending ? "" : "\n"}`;
    }
  }
}

/** Index behind the line's end, 0 when it is not there; a return at the end may yet be half of one. */
function endOfLine(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) return at + 1;
    if (code === 0x0d && at + 1 < text.length) {
      return text.charCodeAt(at + 1) === 0x0a ? at + 2 : at + 1;
    }
  }
  return 0;
}

/** Of what containers write before a line, the part that another message needs too. */
function quotesOf(prefix: string): string {
  return "> ".repeat(prefix.split(">").length - 1);
}

/**
 * Cuts a long Markdown text into messages of at most so many characters, for
 * chats that limit them, without breaking its code blocks. Strings or parts go
 * in; one text part per message comes out, as soon as the message is full.
 *
 * A message ends between two blocks if one ends in its second half, else between
 * two lines; a line longer than a message is cut between words. When the cut
 * lies inside a fence, the message gets a closing line, and the next one begins
 * with the opening line again: same marker, same info. Block quotes around the
 * fence are kept, the indentation of list items is not, as the list stays
 * behind. Fences themselves are found as {@linkcode FenceTrackerStream} finds
 * them, whether or not the text is marked. A message of white space alone is
 * left out, and a fence that the text leaves open is closed at the end.
 *
 * `start` is the offset of the message's first character that was in the input.
 * Every other part passes; a part that is more than a notice (a tool call, an
 * error) first ends the message. `fence-start` and `fence-end` do not pass.
 *
 * Throws a `TypeError` for an unknown `mode` and for a foreign snapshot, and a
 * `RangeError` for a `maxLength` below 32.
 *
 * @example
 * ```ts
 * import { FenceSplitterStream, parse } from "@millrace/millrace";
 *
 * const fence = "`".repeat(3);
 * const messages = parse(
 *   `${fence}ts\n${"let a = 1;\n".repeat(6)}${fence}\n`,
 *   new FenceSplitterStream({ maxLength: 60 }),
 * );
 * for (const message of messages) {
 *   if (message.type !== "text") throw new Error();
 *   if (message.text.length > 60) throw new Error("Too long");
 *   if (!message.text.startsWith(`${fence}ts\n`)) throw new Error("Not opened");
 *   if (!message.text.trimEnd().endsWith(`\n${fence}`)) {
 *     throw new Error("Not closed");
 *   }
 * }
 * if (messages.length !== 2) throw new Error(`${messages.length}`);
 * ```
 */
export class FenceSplitterStream extends StageStream<string | Part, Part> {
  /**
   * Makes a splitter at the beginning of a text, or one that goes on from a snapshot.
   *
   * @param options See {@linkcode FenceSplitterStreamOptions}.
   */
  constructor(options: FenceSplitterStreamOptions = {}) {
    const { maxLength, mode } = options;
    if (maxLength !== undefined && !(maxLength >= LEAST_LENGTH)) {
      throw new RangeError(
        `Cannot split into messages of maxLength "${maxLength}": it must be ${LEAST_LENGTH} or more`,
      );
    }
    if (mode !== undefined && mode !== "commonmark" && mode !== "tolerant") {
      throw new TypeError(
        `Cannot split in mode "${mode}": use "commonmark" or "tolerant"`,
      );
    }
    super(
      resumed(
        options.snapshot,
        (snapshot) => new FenceSplitterStage({ ...options, snapshot }),
      ),
      options,
    );
  }
}
