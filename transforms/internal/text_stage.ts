import type { CodeKind, Part, TextPart } from "../part.ts";
import type { Emit, Stage } from "../stage.ts";
import type { HeldText } from "./held_text.ts";
import { isAside } from "./is_aside.ts";

/**
 * Longer texts are worked on in pieces: joining a carry to a chunk of more than
 * 128 KiB costs a hundred times as much as to a smaller one (V8).
 */
const LONGEST_PIECE = 32_768;

/** More parts than these behind one held text force its release. */
const MOST_WAITING = 1_024;

/**
 * What all stages that read the text channel have in common: strings stand for
 * text parts, offsets are kept, long texts come in pieces, and a part from
 * elsewhere first releases held text. Parts that only tell something do not, see
 * {@linkcode isAside}: markup that is cut by one is still markup. They wait in
 * line instead.
 */
export abstract class TextStage implements Stage<string | Part, Part> {
  /** The text that waits for a decision. */
  protected abstract readonly held: HeldText;
  /** Offset of the next code unit, unless its part says otherwise. */
  protected offset = 0;

  push(input: string | Part, emit: Emit<Part>): void {
    if (typeof input === "string") {
      this.#text(input, this.offset, undefined, undefined, emit);
    } else if (input.type === "text") {
      const start = input.start ?? this.offset;
      if (start !== this.offset && this.held.length > 0) this.release(emit);
      this.#text(input.text, start, input.code, input, emit);
    } else if (isAside(input)) {
      if (this.held.length === 0) emit(input);
      else {
        this.held.wait(input);
        if (this.held.waiting > MOST_WAITING) this.release(emit);
      }
    } else this.part(input, emit);
  }

  /** Every other part. A stage that handles some types overrides this. */
  protected part(part: Part, emit: Emit<Part>): void {
    this.release(emit);
    emit(part);
  }

  /**
   * The next text, at most 32 Ki code units. `whole` is the part it came in,
   * when it is all of it: a stage that has nothing to say about the text emits
   * this one instead of a copy.
   */
  protected abstract text(
    text: string,
    start: number,
    code: CodeKind | undefined,
    whole: TextPart | undefined,
    emit: Emit<Part>,
  ): void;

  /** Gives up waiting: what is held is decided as if nothing followed. */
  protected abstract release(emit: Emit<Part>): void;

  abstract end(emit: Emit<Part>): void;

  breakOff(emit: Emit<Part>): void {
    this.end(emit);
  }

  abstract snapshot(): unknown;

  #text(
    text: string,
    start: number,
    code: CodeKind | undefined,
    whole: TextPart | undefined,
    emit: Emit<Part>,
  ): void {
    if (text.length <= LONGEST_PIECE) {
      if (text === "") return;
      this.offset = start + text.length;
      this.text(text, start, code, whole, emit);
      return;
    }
    for (let from = 0; from < text.length;) {
      let to = Math.min(from + LONGEST_PIECE, text.length);
      // Never between the halves of a surrogate pair.
      if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) {
        to--;
      }
      this.offset = start + to;
      this.text(text.slice(from, to), start + from, code, undefined, emit);
      from = to;
    }
  }
}
