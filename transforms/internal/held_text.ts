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
    this.#take(count, (piece) => {
      emit(
        code === undefined || piece.code === code
          ? piece
          : textPart(piece.text, piece.start, code),
      );
    }, emit);
  }

  /** Takes the first `count` code units (default: all) out of the text. */
  cut(count: number = this.#length): CutText {
    const pieces: string[] = [];
    const waiting: Part[] = [];
    let start = -1;
    this.#take(count, (piece) => {
      if (start < 0) start = piece.start;
      pieces.push(piece.text);
    }, (part) => waiting.push(part));
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

  #take(
    count: number,
    give: (piece: TextPart) => void,
    pass: (part: Part) => void,
  ): void {
    let left = Math.min(count, this.#length);
    while (this.#head < this.#queue.length) {
      const part = this.#queue[this.#head]!;
      if (part.type !== "text") {
        pass(part);
        this.#waiting--;
      } else if (left === 0) break;
      else if (part.text.length > left) {
        give(textPart(part.text.slice(0, left), part.start, part.code));
        this.#queue[this.#head] = textPart(
          part.text.slice(left),
          part.start + left,
          part.code,
        );
        this.#length -= left;
        break;
      } else {
        give(part);
        this.#length -= part.text.length;
        left -= part.text.length;
      }
      this.#head++;
    }
    if (this.#head === this.#queue.length) {
      this.#queue.length = this.#head = 0;
    } else if (this.#head > 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
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
