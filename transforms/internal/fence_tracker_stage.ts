import type { FenceTrackerStreamOptions } from "../fence_tracker.ts";
import type { CodeKind, Part, TextPart } from "../part.ts";
import type { Emit } from "../stage.ts";
import { checkMode } from "./check_mode.ts";
import { CodeSpans, type CodeSpansSnapshot } from "./code_spans.ts";
import { HeldText, type HeldTextSnapshot, textPart } from "./held_text.ts";
import {
  type LineKind,
  MarkdownLines,
  type MarkdownLinesSnapshot,
} from "./markdown_lines.ts";
import { makeSnapshot, openSnapshot } from "./snapshot.ts";
import { TextStage } from "./text_stage.ts";

const STAGE = "fence-tracker";

interface State {
  offset: number;
  lines: MarkdownLinesSnapshot;
  spans: CodeSpansSnapshot | null;
  held: HeldTextSnapshot;
  unsettled: number;
  passing: boolean;
}

/*
 *   text ──▶ MarkdownLines ──marker, fence──────────────────────▶ out
 *                  │ prose
 *                  ├── without `inline` ────────────────────────▶ out
 *                  └── CodeSpans ── settled: prose or inline ───▶ out
 *
 *   held:  [ unsettled: prose behind an open run ][ what MarkdownLines keeps ]
 */
export class FenceTrackerStage extends TextStage {
  protected readonly held: HeldText;
  readonly #lines: MarkdownLines;
  readonly #spans: CodeSpans | undefined;
  readonly #maxSpanLength: number;
  /** An upstream tracker has marked the text: nothing is left to do. */
  #passing: boolean;
  /** How much of the held text is prose that a code span may yet cover. */
  #unsettled: number;
  /** Offset of the next text to leave. */
  #at = 0;
  #emit: Emit<Part> = ignore;
  /** The part whose text is at work, while it may leave as it is. */
  #whole: TextPart | undefined;

  constructor(options: FenceTrackerStreamOptions) {
    super();
    const { mode, inline } = options;
    checkMode(mode);
    if (inline !== undefined && inline !== "hold") {
      throw new TypeError(
        `Cannot track code spans with inline "${inline}": use "hold" or leave it out`,
      );
    }
    checkLimit("maxInfoLength", options.maxInfoLength);
    checkLimit("maxDepth", options.maxDepth);
    checkLimit("maxSpanLength", options.maxSpanLength);
    const state = openSnapshot<State>(STAGE, options.snapshot);
    const holds = options.inline === "hold";
    this.#maxSpanLength = options.maxSpanLength ?? 4096;
    this.#lines = new MarkdownLines(
      options,
      {
        text: (text, kind) => this.#line(text, kind),
        fenceStart: (fence) => this.#fence({ type: "fence-start", fence }),
        fenceEnd: (fence, closed, end) =>
          this.#fence({ type: "fence-end", fence, closed, end }),
        limit: (message, start, end) =>
          this.#emit({ type: "warning", code: "limit", message, start, end }),
        ...(holds ? { paragraphEnd: () => this.#endSpans() } : {}),
      },
      state?.lines,
    );
    this.#spans = holds
      ? new CodeSpans(this.#maxSpanLength, state?.spans ?? undefined)
      : undefined;
    this.held = new HeldText(state?.held);
    this.offset = state?.offset ?? 0;
    this.#unsettled = state?.unsettled ?? 0;
    this.#passing = state?.passing ?? false;
  }

  override push(input: string | Part, emit: Emit<Part>): void {
    // Most text by far goes this way: it is here, and not in the class above, as
    // engines make calls cheap that always meet the same.
    if (
      typeof input !== "string" && input.type === "text" &&
      input.code === undefined && input.start === this.offset &&
      !this.#passing && this.#spans === undefined && this.held.length === 0 &&
      input.text !== ""
    ) {
      const { text, start } = input;
      this.#lines.seek(start);
      const kind = this.#lines.skim(text);
      if (kind !== undefined) {
        this.offset = start + text.length;
        emit(
          kind === "prose" ? input : { type: "text", text, start, code: kind },
        );
        return;
      }
    }
    super.push(input, emit);
  }

  protected text(
    text: string,
    start: number,
    code: CodeKind | undefined,
    whole: TextPart | undefined,
    emit: Emit<Part>,
  ): void {
    if (code !== undefined && !this.#passing) this.#pass(emit);
    if (this.#passing) {
      emit(whole ?? textPart(text, start, code));
      return;
    }
    this.#lines.seek(start);
    if (this.held.length === 0 && this.#spans === undefined) {
      // Most text by far.
      const kind = this.#lines.skim(text);
      if (kind !== undefined) {
        emit(
          kind === "prose"
            ? whole ?? textPart(text, start)
            : textPart(text, start, kind),
        );
        return;
      }
    }
    this.#emit = emit;
    this.#whole = whole;
    this.#at = start - this.held.length;
    this.#lines.advance(text);
    this.#whole = undefined;
    const kept = this.#unsettled + this.#lines.pending - this.held.length;
    if (kept > 0) {
      const from = text.length - kept;
      this.held.add(text.slice(from), start + from);
    }
  }

  protected override part(part: Part, emit: Emit<Part>): void {
    if (part.type === "fence-start" && !this.#passing) this.#pass(emit);
    // Nothing of this text comes behind it.
    if (part.type === "finish") this.end(emit);
    super.part(part, emit);
  }

  protected release(emit: Emit<Part>): void {
    if (this.held.length === 0) return;
    this.#begin(emit);
    this.#lines.release();
    this.#endSpans();
  }

  end(emit: Emit<Part>): void {
    if (this.#passing) return;
    this.#begin(emit);
    this.#lines.end();
    this.#endSpans();
  }

  snapshot(): unknown {
    const state: State = {
      offset: this.offset,
      lines: this.#lines.snapshot(),
      spans: this.#spans?.snapshot() ?? null,
      held: this.held.snapshot(),
      unsettled: this.#unsettled,
      passing: this.#passing,
    };
    return makeSnapshot(STAGE, state);
  }

  #begin(emit: Emit<Part>): void {
    this.#emit = emit;
    this.#at = this.offset - this.held.length;
  }

  /** Marked text comes in: from now on everything passes. */
  #pass(emit: Emit<Part>): void {
    this.release(emit);
    this.#emit = emit;
    this.#lines.breakFence("");
    this.#passing = true;
  }

  #line(text: string, kind: LineKind): void {
    if (kind !== "prose") {
      this.#endSpans();
      this.#give(text, kind);
    } else if (this.#spans === undefined) this.#give(text, undefined);
    else this.#prose(text, this.#spans);
  }

  #fence(part: Part): void {
    this.#endSpans();
    this.#emit(part);
  }

  /** Lets text go that is next in line: the held text first, then what is not held yet. */
  #give(text: string, code: CodeKind | undefined): void {
    const held = this.held.length;
    if (held === 0) {
      const whole = this.#whole;
      this.#emit(
        whole !== undefined && code === undefined &&
          whole.text.length === text.length
          ? whole
          : textPart(text, this.#at, code),
      );
    } else if (text.length <= held) {
      this.held.give(this.#emit, text.length, code);
    } else {
      this.held.give(this.#emit, held, code);
      this.#emit(textPart(text.slice(held), this.#at + held, code));
    }
    this.#at += text.length;
  }

  #prose(text: string, spans: CodeSpans): void {
    const before = spans.position - this.#unsettled;
    spans.text(text);
    if (
      this.#unsettled === 0 && spans.settled === spans.position &&
      spans.spans.length === 0 && spans.expired.length === 0
    ) {
      this.#give(text, undefined);
      return;
    }
    const kept = this.held.length - this.#unsettled;
    if (text.length > kept) {
      this.held.add(
        text.slice(kept),
        this.#at + this.#unsettled + kept,
      );
    }
    this.#settle(spans, before);
  }

  /** The paragraph is over, or something else than prose comes. */
  #endSpans(): void {
    const spans = this.#spans;
    if (spans === undefined) return;
    const before = spans.position - this.#unsettled;
    spans.end();
    this.#settle(spans, before);
  }

  /** Lets go what is decided of the held prose, which begins at position `from`. */
  #settle(spans: CodeSpans, from: number): void {
    let at = from;
    let span = 0;
    for (const run of spans.expired) {
      for (; span < spans.spans.length; span++) {
        const [start, end] = spans.spans[span]!;
        if (start > run) break;
        this.#giveHeld(start - at, undefined);
        this.#giveHeld(end - start, "inline");
        at = end;
      }
      this.#giveHeld(run - at, undefined);
      at = run;
      const start = this.#at;
      this.#emit({
        type: "warning",
        code: "limit",
        message:
          `A run of backticks was not closed within ${this.#maxSpanLength} code units: it is read as text`,
        start,
        end: start + this.#maxSpanLength,
      });
    }
    for (; span < spans.spans.length; span++) {
      const [start, end] = spans.spans[span]!;
      this.#giveHeld(start - at, undefined);
      this.#giveHeld(end - start, "inline");
      at = end;
    }
    this.#giveHeld(spans.settled - at, undefined);
    this.#unsettled = spans.position - spans.settled;
  }

  #giveHeld(count: number, code: CodeKind | undefined): void {
    if (count <= 0) return;
    this.held.give(this.#emit, count, code);
    this.#at += count;
  }
}

function ignore(): void {}

function checkLimit(name: string, value: number | undefined): void {
  if (value !== undefined && !(value >= 1)) {
    throw new RangeError(
      `Cannot track fences with ${name} "${value}": it must be 1 or more`,
    );
  }
}
