import type { Part, PartOf } from "../part.ts";
import { sanitizeSurrogates } from "../sanitize_surrogates.ts";
import type { Emit, Stage } from "../stage.ts";
import type { SurrogateSanitizerStreamOptions } from "../surrogate_sanitizer.ts";
import { isAside } from "./is_aside.ts";
import { makeSnapshot, openSnapshot } from "./snapshot.ts";

const STAGE = "surrogate-sanitizer";

/** Where a piece of text comes from: a string, or a part to make more of. */
type Origin = string | PartOf<"text"> | PartOf<"reasoning">;

interface State {
  /** The high half that ended the last text, in its part or as a string; `null` when none. */
  half: Origin | null;
  /** Parts that only tell something and came after the half. */
  waiting: Part[];
}

/*
 *            high half at the end               low half first
 *  (empty) ------------------------> (half) --------------------> the pair
 *     ^                                 |  anything else
 *     +---------------------------------+  the replacement
 */
export class SurrogateSanitizerStage
  implements Stage<string | Part, string | Part> {
  readonly #replacement: string;
  #state: State;

  constructor(options: SurrogateSanitizerStreamOptions) {
    const { replacement = "\ufffd", snapshot } = options;
    if (
      typeof replacement !== "string" || replacement.length !== 1 ||
      sanitizeSurrogates(replacement) !== replacement
    ) {
      throw new RangeError(
        `Cannot use replacement ${
          JSON.stringify(replacement)
        }: it must be one well-formed code unit`,
      );
    }
    this.#replacement = replacement;
    this.#state = openSnapshot<State>(STAGE, snapshot) ??
      { half: null, waiting: [] };
  }

  push(input: string | Part, emit: Emit<string | Part>): void {
    if (
      typeof input === "string" || input.type === "text" ||
      input.type === "reasoning"
    ) {
      this.#text(input, emit);
    } else if (this.#state.half !== null && isAside(input)) {
      this.#state.waiting.push(input);
      if (this.#state.waiting.length > MOST_WAITING) this.end(emit);
    } else {
      this.end(emit);
      emit(input);
    }
  }

  end(emit: Emit<string | Part>): void {
    const { half } = this.#state;
    if (half === null) return;
    this.#resolve(withText(half, this.#replacement, 0), emit);
  }

  breakOff(emit: Emit<string | Part>): void {
    this.end(emit);
  }

  snapshot(): unknown {
    return makeSnapshot(STAGE, this.#state);
  }

  #text(input: Origin, emit: Emit<string | Part>): void {
    let rest = input;
    let text = textOf(rest);
    if (text === "") {
      // Nothing to say, but a string chain sees as many chunks as it sent.
      if (typeof input === "string" && this.#state.half === null) emit(input);
      return;
    }
    const { half } = this.#state;
    // Nearly free on the one-byte strings that most text is.
    if (half === null && text.isWellFormed()) {
      emit(input);
      return;
    }
    if (half !== null) {
      if (follows(half, input) && (text.charCodeAt(0) & 0xfc00) === 0xdc00) {
        this.#resolve(withText(half, textOf(half) + text[0], 0), emit);
        if (text.length === 1) return;
        text = text.slice(1);
        rest = withText(rest, text, 1);
      } else this.end(emit);
    }
    const last = text.length - 1;
    if ((text.charCodeAt(last) & 0xfc00) === 0xd800) {
      this.#state.half = withText(rest, text.slice(last), last);
      if (last === 0) return;
      text = text.slice(0, last);
      rest = withText(rest, text, 0);
    }
    const repaired = sanitizeSurrogates(text, this.#replacement);
    emit(repaired === text ? rest : withText(rest, repaired, 0));
  }

  #resolve(resolved: Origin, emit: Emit<string | Part>): void {
    const { waiting } = this.#state;
    this.#state = { half: null, waiting: [] };
    emit(resolved);
    for (const part of waiting) emit(part);
  }
}

/** More parts than these behind a half force its release. */
const MOST_WAITING = 1_024;

function textOf(origin: Origin): string {
  return typeof origin === "string" ? origin : origin.text;
}

/** The same kind of thing with another text, `skipped` code units further on. */
function withText(origin: Origin, text: string, skipped: number): Origin {
  if (typeof origin === "string") return text;
  return origin.type === "text"
    ? { ...origin, text, start: origin.start + skipped }
    : { ...origin, text };
}

/** Whether a text goes on where the half stopped. */
function follows(half: Origin, next: Origin): boolean {
  if (typeof half === "string" || typeof next === "string") {
    return typeof half === typeof next;
  }
  if (half.type === "text" && next.type === "text") {
    return half.start + 1 === next.start && half.code === next.code;
  }
  return half.type === next.type;
}
