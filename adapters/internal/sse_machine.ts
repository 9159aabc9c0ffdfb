import { createParser } from "eventsource-parser";
import type { Emit } from "../../transforms/stage.ts";
import type { ServerSentEvent } from "../sse_parser.ts";
import { StreamError } from "../stream_error.ts";
import { excerptOf } from "./limits.ts";

/** What the machine tells besides events, and its limits. */
export interface SSEMachineOptions {
  /** The longest line, in characters. */
  maxLineChars: number;
  /** The longest block, in characters. */
  maxBlockChars: number;
  /** How much of the beginning is kept until the first event. */
  headChars: number;
  onComment?: ((comment: string) => void) | undefined;
  onRetry?: ((milliseconds: number) => void) | undefined;
  /** Told of a field called "error" with JSON in it, which the standard does not know. */
  onErrorField?: ((json: string) => void) | undefined;
}

/** The state of an {@linkcode SSEMachine} as plain data. */
export interface SSEMachineSnapshot {
  /** Whether the first character has been seen: a byte order mark counts only there. */
  started: boolean;
  /** The last character was a CR: a LF that follows belongs to it. */
  afterReturn: boolean;
  /** The block that is not over, its line ends LF. */
  block: string;
  /** The running last event id. */
  lastEventId: string;
  /** Whether there has been an event, a comment or a retry field. */
  recognised: boolean;
  /** The beginning of the stream, until it is recognised. */
  head: string;
}

/**
 * Text in, server-sent events out.
 *
 * The grammar is eventsource-parser's. It is given whole blocks only, so all
 * state lies here, is plain and is bounded: lines and blocks are counted before
 * anything is parsed, and a block that is not over is a list of pieces, joined
 * once. Line ends become LF on the way in.
 *
 * ```txt
 *                  ┌───────── blank line: parse the block ─────────┐
 *                  ▼                                               │
 *   between blocks ── character ──▶ in a line ── line end ──▶ at a line start
 *                                       ▲                          │
 *                                       └──────── character ───────┘
 * ```
 */
export class SSEMachine {
  readonly #options: SSEMachineOptions;
  /** Below this, no line and no block can be too long. */
  readonly #safeChars: number;
  /** The block that is not over; see {@linkcode SSEMachineSnapshot}. */
  #block: string[];
  #blockChars: number;
  /** Where in the block its last, unfinished line begins. */
  #lineStart: number;
  #started: boolean;
  #afterReturn: boolean;
  #lastEventId: string;
  #recognised: boolean;
  #head: string;
  /** Whether a chunk needs a closer look: at the beginning, behind a CR, after a failure. */
  #special = true;
  #emit: Emit<ServerSentEvent> = () => {};
  /** Whether the block just parsed gave an event. */
  #dispatched = false;
  /** The block is parsed again for its id only. */
  #muted = false;
  /** Why nothing is taken any more. */
  failure: StreamError | undefined;

  readonly #parser = createParser({
    onEvent: ({ id, event, data }) => {
      this.#dispatched = true;
      if (id !== undefined) this.#lastEventId = id;
      if (this.#muted) return;
      this.#recognised = true;
      const lastEventId = this.#lastEventId;
      this.#emit(
        id === undefined
          ? { event: event ?? "message", data, lastEventId }
          : { event: event ?? "message", data, id, lastEventId },
      );
    },
    onComment: (comment) => {
      if (this.#muted) return;
      this.#recognised = true;
      this.#options.onComment?.(comment);
    },
    onRetry: (milliseconds) => {
      if (this.#muted) return;
      this.#recognised = true;
      this.#options.onRetry?.(milliseconds);
    },
    onError: ({ field, value }) => {
      if (this.#muted || field !== "error") return;
      const { onErrorField } = this.#options;
      if (onErrorField === undefined || value?.startsWith("{") !== true) return;
      this.#recognised = true;
      onErrorField(value);
    },
  });

  constructor(options: SSEMachineOptions, snapshot?: SSEMachineSnapshot) {
    this.#options = options;
    this.#safeChars = Math.min(options.maxLineChars, options.maxBlockChars);
    const block = snapshot?.block ?? "";
    this.#block = block === "" ? [] : [block];
    this.#blockChars = block.length;
    this.#lineStart = block.lastIndexOf("\n") + 1;
    this.#started = snapshot?.started ?? false;
    this.#afterReturn = snapshot?.afterReturn ?? false;
    this.#lastEventId = snapshot?.lastEventId ?? "";
    this.#recognised = snapshot?.recognised ?? false;
    this.#head = snapshot?.head ?? "";
    // Byte order marks are handled here. The parser would also take the three
    // characters that a badly decoded one looks like; a first line spares them.
    this.#parser.feed("\n");
  }

  /** The beginning of the stream, when nothing has been recognised in it. */
  get head(): string {
    return this.#head;
  }

  push(text: string, emit: Emit<ServerSentEvent>): void {
    if (this.#special || text.indexOf("\r") >= 0) text = this.#prepare(text);
    const lineEnd = text.indexOf("\n");
    if (lineEnd < 0) {
      if (text === "") return;
      this.#block.push(text);
      this.#blockChars += text.length;
      if (this.#blockChars > this.#safeChars) this.#check();
      return;
    }
    this.#emit = emit;
    if (this.#blockChars + text.length <= this.#safeChars) {
      this.#blocks(text, lineEnd);
    } else this.#lines(text);
  }

  /**
   * The input is over.
   *
   * @param flush Whether a last block without its blank line counts.
   * @returns Whether such a block with data in it was dropped.
   */
  end(flush: boolean, emit: Emit<ServerSentEvent>): boolean {
    if (this.failure !== undefined) return false;
    this.#emit = emit;
    const block = this.#takeBlock();
    if (block === "") return false;
    if (flush) {
      this.#parse(block.endsWith("\n") ? `${block}\n` : `${block}\n\n`);
      return false;
    }
    // Comments and retry fields count without a blank line.
    this.#parser.feed(block);
    return block.startsWith("data") || block.includes("\ndata");
  }

  /**
   * Whether the stream, which is over, was something else: it was not empty, and
   * no line in its beginning was a field.
   */
  isForeign(): boolean {
    if (this.#recognised || this.#head.trim() === "") return false;
    return !this.#head.split(/[\r\n]/).some((line) =>
      /^(?:data|event|id|retry)(?::|$)/.test(line)
    );
  }

  snapshot(): SSEMachineSnapshot {
    return {
      started: this.#started,
      afterReturn: this.#afterReturn,
      block: this.#block.join(""),
      lastEventId: this.#lastEventId,
      recognised: this.#recognised,
      head: this.#head,
    };
  }

  /** The text with LF as the only line end, without what does not count. */
  #prepare(text: string): string {
    if (this.failure !== undefined || text === "") return "";
    if (!this.#started) {
      this.#started = true;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    if (this.#recognised) this.#head = "";
    else if (this.#head.length < this.#options.headChars) {
      this.#head += text.slice(0, this.#options.headChars - this.#head.length);
    }
    if (this.#afterReturn && text !== "") {
      this.#afterReturn = false;
      if (text.charCodeAt(0) === 10) text = text.slice(1);
    }
    if (text.indexOf("\r") >= 0) {
      this.#afterReturn = text.charCodeAt(text.length - 1) === 13;
      text = toLineFeeds(text);
    }
    this.#special = this.#afterReturn || !this.#recognised;
    return text;
  }

  /**
   * Text with line ends, the first at `lineEnd`, that cannot reach a limit: only
   * the last blank line matters.
   */
  #blocks(text: string, lineEnd: number): void {
    // Single characters are found many times faster than pairs, or backwards.
    let end = 0;
    if (lineEnd === 0 && this.#blockChars === this.#lineStart) end = 1;
    for (
      let next = text.indexOf("\n", lineEnd + 1);
      next >= 0;
      next = text.indexOf("\n", next + 1)
    ) {
      if (next === lineEnd + 1) end = next + 1;
      lineEnd = next;
    }
    if (end > 0) {
      this.#block.push(end === text.length ? text : text.slice(0, end));
      this.#parse(this.#takeBlock());
      if (end === text.length) return;
      text = text.slice(end);
      lineEnd -= end;
    }
    if (lineEnd >= 0) this.#lineStart = this.#blockChars + lineEnd + 1;
    this.#block.push(text);
    this.#blockChars += text.length;
    if (lineEnd >= 0) this.#dropComments();
  }

  /** The same line by line, counting. */
  #lines(text: string): void {
    let from = 0;
    for (;;) {
      const end = text.indexOf("\n", from);
      const piece = text.slice(from, end < 0 ? text.length : end);
      if (piece !== "") {
        this.#block.push(piece);
        this.#blockChars += piece.length;
        this.#check();
      }
      if (end < 0 || this.failure !== undefined) return;
      from = end + 1;
      if (this.#blockChars === this.#lineStart) {
        this.#parse(`${this.#takeBlock()}\n`);
      } else {
        this.#block.push("\n");
        this.#blockChars++;
        this.#lineStart = this.#blockChars;
        this.#dropComments();
      }
    }
  }

  /**
   * Comments in front of a block are told at once: keep-alives may come for
   * hours without a blank line.
   */
  #dropComments(): void {
    if (this.#block[0]!.charCodeAt(0) !== 0x3a) return;
    let block = this.#takeBlock();
    while (block.charCodeAt(0) === 0x3a) {
      const end = block.indexOf("\n") + 1;
      if (end === 0) break;
      this.#parser.feed(block.slice(0, end));
      block = block.slice(end);
    }
    if (block === "") return;
    this.#block.push(block);
    this.#blockChars = block.length;
    this.#lineStart = block.lastIndexOf("\n") + 1;
  }

  #takeBlock(): string {
    const block = this.#block;
    if (block.length === 0) return "";
    const text = block.length === 1 ? block[0]! : block.join("");
    this.#block = [];
    this.#blockChars = this.#lineStart = 0;
    return text;
  }

  /** Whole blocks, the blank lines included. */
  #parse(blocks: string): void {
    if (!mayHaveId(blocks)) {
      this.#parser.feed(blocks);
      return;
    }
    // A block without data dispatches nothing, but its id counts from there on.
    for (let from = 0; from < blocks.length;) {
      let end = blocks.indexOf("\n\n", from) + 2;
      if (end < 2) end = blocks.length;
      const block = blocks.slice(from, end);
      this.#dispatched = false;
      this.#parser.feed(block);
      if (!this.#dispatched && mayHaveId(block)) {
        this.#muted = true;
        this.#parser.feed(`${block.slice(0, -1)}data\n\n`);
        this.#muted = false;
      }
      from = end;
    }
  }

  #check(): void {
    const { maxLineChars, maxBlockChars } = this.#options;
    const overLine = this.#blockChars - this.#lineStart - maxLineChars;
    const overBlock = this.#blockChars - maxBlockChars;
    if (overLine <= 0 && overBlock <= 0) return;
    const block = this.#takeBlock();
    this.#special = true;
    // The limit that was reached first, up to the character that was too much:
    // the same however the input was cut.
    if (overBlock >= overLine) {
      const read = block.slice(0, block.length - overBlock + 1);
      this.failure = new StreamError(
        "max-buffer-size",
        `Cannot read on: an event has more than ${maxBlockChars} characters. It begins ${
          JSON.stringify(excerptOf(read))
        }`,
        { excerpt: excerptOf(read) },
      );
    } else {
      const read = block.slice(
        block.lastIndexOf("\n") + 1,
        block.length - overLine + 1,
      );
      this.failure = new StreamError(
        "line-too-long",
        `Cannot read on: a line has more than ${maxLineChars} characters. It begins ${
          JSON.stringify(excerptOf(read))
        }`,
        { excerpt: excerptOf(read) },
      );
    }
  }
}

/** Below this, putting pieces together is faster than replacing. */
const SHORT = 64;

/** CRLF and CR as LF. One pattern for both takes several times as long. */
function toLineFeeds(text: string): string {
  if (text.length > SHORT) {
    text = text.replaceAll("\r\n", "\n");
    return text.indexOf("\r") < 0 ? text : text.replaceAll("\r", "\n");
  }
  let made = "";
  let from = 0;
  for (let at = text.indexOf("\r"); at >= 0; at = text.indexOf("\r", from)) {
    made += `${text.slice(from, at)}\n`;
    from = text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1;
  }
  return made + text.slice(from);
}

/** Whether a line begins as an `id` field does. */
function mayHaveId(blocks: string): boolean {
  return blocks.startsWith("id") || blocks.indexOf("\nid") >= 0;
}
