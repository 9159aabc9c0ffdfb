import type { CodeKind, Part, TextPart } from "../part.ts";
import type { Emit } from "../stage.ts";

/** What {@linkcode HeldText.cut} took out. */
export interface CutText {
  /** The text, joined. */
  text: string;
  /** Offset of its first code unit. */
  start: number;
  /** Parts that had been waiting inside it, in order. */
  waiting: Part[];
}

/** The state of a {@linkcode HeldText} as plain data. */
export type HeldTextSnapshot = readonly Part[];

/**
 * Text that waits for a decision, kept in pieces and never joined before it is
 * decided (joining at every chunk would be quadratic), together with the parts
 * that came in between and may not overtake it.
 */
export class HeldText {
  /** Text pieces and waiting parts in source order; those before `#head` are gone. */
  #queue: Part[];
  #head = 0;
  #length = 0;
  #waiting = 0;

  constructor(snapshot: HeldTextSnapshot = []) {
    this.#queue = [...snapshot];
    for (const part of snapshot) {
      if (part.type === "text") this.#length += part.text.length;
      else this.#waiting++;
    }
  }

  /** Code units held. */
  get length(): number {
    return this.#length;
  }

  /** Parts that wait behind held text. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Holds one more piece. */
  add(text: string, start: number, code?: CodeKind): void {
    if (text === "") return;
    this.#queue.push(textPart(text, start, code));
    this.#length += text.length;
  }

  /** Lets a part wait until the text before it is decided. */
  wait(part: Part): void {
    this.#queue.push(part);
    this.#waiting++;
  }

  /** Gives out the first `count` code units (default: all) as text, of kind `code` when given. */
  give(emit: Emit<Part>, count: number = this.#length, code?: CodeKind): void {
    const end = this.#length - count;
    for (
      let part = this.#next(end);
      part !== undefined;
      part = this.#next(end)
    ) {
      emit(
        code === undefined || part.type !== "text" || part.code === code
          ? part
          : textPart(part.text, part.start, code),
      );
    }
  }

  /** Takes the first `count` code units (default: all) out of the text. */
  cut(count: number = this.#length): CutText {
    const pieces: string[] = [];
    const waiting: Part[] = [];
    let start = -1;
    const end = this.#length - count;
    for (
      let part = this.#next(end);
      part !== undefined;
      part = this.#next(end)
    ) {
      if (part.type === "text") {
        if (start < 0) start = part.start;
        pieces.push(part.text);
      } else waiting.push(part);
    }
    return { text: pieces.join(""), start, waiting };
  }

  /** Everything held, joined. Linear in what is held: not for every chunk. */
  join(): string {
    let text = "";
    for (let index = this.#head; index < this.#queue.length; index++) {
      const part = this.#queue[index]!;
      if (part.type === "text") text += part.text;
    }
    return text;
  }

  snapshot(): HeldTextSnapshot {
    return this.#queue.slice(this.#head);
  }

  /** Takes the next piece or waiting part out, while more than `rest` code units are held or parts wait. */
  #next(rest: number): Part | undefined {
    const head = this.#head;
    if (head === this.#queue.length) return undefined;
    const part = this.#queue[head]!;
    if (part.type !== "text") this.#waiting--;
    else {
      const left = this.#length - rest;
      if (left <= 0) return undefined;
      const { text, start, code } = part;
      if (text.length > left) {
        this.#length = rest;
        this.#queue[head] = textPart(text.slice(left), start + left, code);
        return textPart(text.slice(0, left), start, code);
      }
      this.#length -= text.length;
    }
    this.#head++;
    if (this.#head === this.#queue.length) {
      // Faster than to set its length.
      while (this.#head > 0) {
        this.#queue.pop();
        this.#head--;
      }
    } else if (this.#head > 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return part;
  }
}

/** A text part; `code` is absent, not `undefined`, for prose. */
export function textPart(
  text: string,
  start: number,
  code?: CodeKind,
): TextPart {
  return code === undefined
    ? { type: "text", text, start }
    : { type: "text", text, start, code };
}
