import type { CodeKind, Part, TextPart } from "../part.ts";
import type { Emit } from "../stage.ts";
import { HeldText, type HeldTextSnapshot, textPart } from "./held_text.ts";

/** The state of a {@linkcode TextWindow} as plain data. */
export interface TextWindowSnapshot {
  held: HeldTextSnapshot;
  at: number;
  out: number;
  rest: string;
}

/**
 * The text that a stage works on: the piece at hand, and before it as much of
 * what is held as has to be looked at again. All positions are offsets in the
 * text channel.
 *
 * ```
 *      given out     held back              the piece at hand
 *   ──────────────┬──────────────────────┬──────────────────────┐
 *                out       start ········│··· at ··········     end
 *                           └──────────── text ─────────────────┘
 * ```
 */
export class TextWindow {
  readonly held: HeldText;
  /** What is looked at. */
  text = "";
  /** Offset of its first code unit. */
  start = 0;
  /** Offset of the next code unit to look at. */
  at: number;
  /** Offset of the first code unit that was not given out. */
  out: number;
  /** Why the piece at hand is no prose. */
  code: CodeKind | undefined;
  /** What was not yet decided when the last piece ended. */
  #rest: string;
  #piece = "";
  #pieceStart = 0;
  #whole: TextPart | undefined;
  #emit: Emit<Part> = () => {};

  constructor(snapshot?: TextWindowSnapshot) {
    this.held = new HeldText(snapshot?.held);
    this.at = snapshot?.at ?? 0;
    this.out = snapshot?.out ?? 0;
    this.#rest = snapshot?.rest ?? "";
  }

  /** Offset behind the text. */
  get end(): number {
    return this.start + this.text.length;
  }

  /** Offset behind what is held. */
  get heldEnd(): number {
    return this.out + this.held.length;
  }

  /** What will be looked at again, with what follows it. */
  get rest(): string {
    return this.#rest;
  }

  /** Gives out all that is held: it was looked at after all. */
  pass(emit: Emit<Part>): void {
    this.at = this.out = this.heldEnd;
    this.held.give(emit);
    this.#rest = "";
  }

  snapshot(): TextWindowSnapshot {
    return {
      held: this.held.snapshot(),
      at: this.at,
      out: this.out,
      rest: this.#rest,
    };
  }

  /** The next piece. Without held text it may begin at any offset. */
  open(
    piece: string,
    start: number,
    code: CodeKind | undefined,
    whole: TextPart | undefined,
    emit: Emit<Part>,
  ): void {
    this.#emit = emit;
    this.#piece = piece;
    this.#pieceStart = start;
    this.#whole = whole;
    this.code = code;
    if (this.held.length === 0) this.at = this.out = start;
    else if (
      this.heldEnd !== start || this.at > start ||
      this.at < this.out
    ) {
      // Only a state from outside is at several places at once.
      throw new TypeError(
        "Cannot resume: offsets in the snapshot do not agree",
      );
    }
    this.text = this.#rest === "" ? piece : this.#rest + piece;
    this.start = start - this.#rest.length;
    this.#rest = "";
  }

  /** Makes the text begin at the first code unit that was not given out. */
  rewind(): void {
    if (this.start <= this.out) return;
    this.text = this.held.join() + this.#piece;
    this.start = this.out;
  }

  /**
   * The piece is done: gives out what comes before `from` and holds the rest.
   * What lies behind `at` will be looked at again, unless it is read already.
   */
  close(from: number, isRead: boolean): void {
    if (!isRead) this.#rest = this.text.slice(this.at - this.start);
    this.give(from);
    const kept = Math.max(from, this.#pieceStart);
    this.held.add(
      this.#piece.slice(kept - this.#pieceStart),
      kept,
      this.code,
    );
    this.text = this.#piece = "";
    this.#whole = undefined;
  }

  /** Gives out a part that is no text. */
  emit(part: Part): void {
    this.#emit(part);
  }

  /** Gives out text up to an offset. */
  give(to: number): void {
    const start = this.#pieceStart;
    const heldTo = Math.min(start, to);
    if (this.out < heldTo) {
      this.held.give(this.#emit, heldTo - this.out);
      this.out = heldTo;
    }
    if (this.out >= to) return;
    const piece = this.#piece;
    if (
      this.#whole !== undefined && this.out === start &&
      to === start + piece.length
    ) this.#emit(this.#whole);
    else {
      const text = piece.slice(this.out - start, to - start);
      this.#emit(textPart(text, this.out, this.code));
    }
    this.out = to;
  }

  /** Takes text out up to an offset. Gives it with the parts that waited in it. */
  cut(to: number): { text: string; waiting: Part[] } {
    const start = this.#pieceStart;
    const heldTo = Math.min(start, to);
    let text = "";
    let waiting: Part[] = [];
    if (this.out < heldTo) {
      ({ text, waiting } = this.held.cut(heldTo - this.out));
      this.out = heldTo;
    }
    if (this.out < to) {
      text += this.#piece.slice(this.out - start, to - start);
      this.out = to;
    }
    return { text, waiting };
  }
}
