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
}

/** The state of an {@linkcode SSEMachine} as plain data. */
export interface SSEMachineSnapshot {
  /** Whether the first character has been seen: a byte order mark counts only there. */
  started: boolean;
  /** The last character was a CR: a LF that follows belongs to it. */
  afterReturn: boolean;
  /** The block that is not over, its line ends LF. */
  block: string[];
  /** Its length. */
  blockChars: number;
  /** The length of its last, unfinished line. */
  lineChars: number;
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
  readonly #state: SSEMachineSnapshot;
  #emit: Emit<ServerSentEvent> = () => {};
  /** Whether the block just parsed gave an event. */
  #dispatched = false;
  /** The block is parsed again for its id only. */
  #muted = false;
  /** Why nothing is taken any more. */
  failure: StreamError | undefined;

  readonly #parser = createParser({
    onEvent: ({ id, event, data }) => {
      const state = this.#state;
      this.#dispatched = true;
      if (id !== undefined) state.lastEventId = id;
      if (this.#muted) return;
      state.recognised = true;
      const { lastEventId } = state;
      this.#emit(
        id === undefined
          ? { event: event ?? "message", data, lastEventId }
          : { event: event ?? "message", data, id, lastEventId },
      );
    },
    onComment: (comment) => {
      if (this.#muted) return;
      this.#state.recognised = true;
      this.#options.onComment?.(comment);
    },
    onRetry: (milliseconds) => {
      if (this.#muted) return;
      this.#state.recognised = true;
      this.#options.onRetry?.(milliseconds);
    },
  });

  constructor(
    options: SSEMachineOptions,
    snapshot: SSEMachineSnapshot = {
      started: false,
      afterReturn: false,
      block: [],
      blockChars: 0,
      lineChars: 0,
      lastEventId: "",
      recognised: false,
      head: "",
    },
  ) {
    this.#options = options;
    this.#safeChars = Math.min(options.maxLineChars, options.maxBlockChars);
    this.#state = snapshot;
    // Byte order marks are handled here. The parser would also take the three
    // characters that a badly decoded one looks like; a first line spares them.
    this.#parser.feed("\n");
  }

  /** Whether anything of an event stream has been seen. */
  get recognised(): boolean {
    return this.#state.recognised;
  }

  /** The beginning of the stream, when nothing has been recognised in it. */
  get head(): string {
    return this.#state.head;
  }

  push(text: string, emit: Emit<ServerSentEvent>): void {
    if (this.failure !== undefined || text === "") return;
    this.#emit = emit;
    const state = this.#state;
    if (!state.started) {
      state.started = true;
      if (text.charCodeAt(0) === 0xfeff) {
        text = text.slice(1);
        if (text === "") return;
      }
    }
    if (state.recognised) state.head = "";
    else if (state.head.length < this.#options.headChars) {
      state.head += text.slice(0, this.#options.headChars - state.head.length);
    }
    if (state.afterReturn || text.indexOf("\r") >= 0) {
      if (state.afterReturn && text.charCodeAt(0) === 10) text = text.slice(1);
      state.afterReturn = false;
      if (text === "") return;
      state.afterReturn = text.charCodeAt(text.length - 1) === 13;
      text = text.replace(/\r\n?/g, "\n");
    }
    if (text.indexOf("\n") < 0) this.#append(text);
    else if (state.blockChars + text.length <= this.#safeChars) {
      this.#blocks(text);
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
    const { recognised, head } = this.#state;
    if (recognised || head.trim() === "") return false;
    return !head.split(/[\r\n]/).some((line) =>
      /^(?:data|event|id|retry)(?::|$)/.test(line)
    );
  }

  snapshot(): SSEMachineSnapshot {
    return this.#state;
  }

  /** Text without a line end. */
  #append(text: string): void {
    const state = this.#state;
    state.block.push(text);
    state.blockChars += text.length;
    state.lineChars += text.length;
    this.#check();
  }

  /** Text with line ends that cannot reach a limit: only the last blank line matters. */
  #blocks(text: string): void {
    const state = this.#state;
    let end = text.lastIndexOf("\n\n") + 2;
    if (end < 2) {
      end = state.lineChars === 0 && text.charCodeAt(0) === 10 ? 1 : 0;
    }
    if (end > 0) {
      const whole = end === text.length ? text : text.slice(0, end);
      this.#parse(this.#takeBlock() + whole);
      if (end === text.length) return;
      text = text.slice(end);
    }
    state.block.push(text);
    state.blockChars += text.length;
    const lineEnd = text.lastIndexOf("\n");
    if (lineEnd < 0) state.lineChars += text.length;
    else {
      state.lineChars = text.length - lineEnd - 1;
      this.#dropComments();
    }
  }

  /** The same line by line, counting. */
  #lines(text: string): void {
    const state = this.#state;
    let from = 0;
    for (;;) {
      const end = text.indexOf("\n", from);
      const piece = text.slice(from, end < 0 ? text.length : end);
      if (piece !== "") this.#append(piece);
      if (end < 0 || this.failure !== undefined) return;
      from = end + 1;
      if (state.lineChars === 0) this.#parse(`${this.#takeBlock()}\n`);
      else {
        state.block.push("\n");
        state.blockChars++;
        state.lineChars = 0;
        this.#dropComments();
      }
    }
  }

  /**
   * Comments in front of a block are told at once: keep-alives may come for
   * hours without a blank line.
   */
  #dropComments(): void {
    const state = this.#state;
    if (state.block[0]!.charCodeAt(0) !== 0x3a) return;
    const { lineChars } = state;
    let block = this.#takeBlock();
    while (block.charCodeAt(0) === 0x3a) {
      const end = block.indexOf("\n") + 1;
      if (end === 0) break;
      this.#parser.feed(block.slice(0, end));
      block = block.slice(end);
    }
    if (block === "") return;
    state.block.push(block);
    state.blockChars = block.length;
    state.lineChars = lineChars;
  }

  #takeBlock(): string {
    const state = this.#state;
    const { block } = state;
    if (block.length === 0) return "";
    const text = block.length === 1 ? block[0]! : block.join("");
    state.block = [];
    state.blockChars = state.lineChars = 0;
    return text;
  }

  /** Whole blocks, the blank lines included. */
  #parse(blocks: string): void {
    if (!blocks.startsWith("id") && blocks.indexOf("\nid") < 0) {
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
      if (!this.#dispatched && /^id/m.test(block)) {
        this.#muted = true;
        this.#parser.feed(`${block.slice(0, -1)}data\n\n`);
        this.#muted = false;
      }
      from = end;
    }
  }

  #check(): void {
    const state = this.#state;
    const { maxLineChars, maxBlockChars } = this.#options;
    const overLine = state.lineChars - maxLineChars;
    const overBlock = state.blockChars - maxBlockChars;
    if (overLine <= 0 && overBlock <= 0) return;
    const block = this.#takeBlock();
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
