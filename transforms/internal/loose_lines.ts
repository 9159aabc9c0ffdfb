import { isLineEnd } from "./code_units.ts";
import { LineReader } from "./line_reader.ts";
import {
  BACKTICK,
  LOOSE,
  LOOSE_EXCESS,
  LOOSE_INFO,
  LOOSE_RUN,
  NONE,
  SPACE,
  TAB,
} from "./line_state.ts";
import type { LineKind } from "./markdown_lines.ts";
import { hasLineEnd } from "./text_flags.ts";

/**
 * Fences as any run of three or more backticks toggles them, wherever it
 * stands and whatever it is part of.
 *
 * ```text
 *             tick                three ticks, then other
 *   LOOSE ───────────▶ LOOSE_RUN ────────────────────────▶ LOOSE_INFO
 *   prose ◀─────────── fewer      (from prose)                │
 *     ▲                                                       │ line end: info
 *     │ three ticks, then other                               │ else: content
 *   LOOSE_RUN ◀─────── LOOSE ◀────────────────────────────────┘
 *           ──fewer──▶ fence
 * ```
 *
 * What follows the run on its line is the info string if the run is the first
 * thing on the line, or if it is at most one word; without a tick in it, and
 * with a line end behind it. Otherwise content begins right behind the run.
 */
export class LooseLines extends LineReader {
  protected step(): void {
    const state = this.state;
    const text = this.text;
    const code = text.charCodeAt(this.at);
    if (
      this.isTooLong() &&
      (state.phase === LOOSE_RUN ? code === BACKTICK : !isLineEnd(code))
    ) {
      this.#giveUp();
      return;
    }
    switch (state.phase) {
      case LOOSE:
        if (state.kind === "marker") this.switchTo(this.here(), "fence");
        if (state.kind === "fence") {
          this.at = this.find("`");
          if (this.at < text.length) this.#startRun();
        } else this.#prose(code);
        break;
      case LOOSE_RUN:
        if (code !== BACKTICK) this.#endRun();
        else {
          state.run++;
          this.at++;
        }
        break;
      case LOOSE_EXCESS:
        if (code === BACKTICK) this.at++;
        else state.phase = LOOSE;
        break;
      case LOOSE_INFO:
        if (isLineEnd(code)) {
          this.#open(true);
          this.skipLineEnd();
        } else if (
          code === BACKTICK || (!this.readWord(code) && !state.runFirst)
        ) this.#open(false);
        else this.at++;
        break;
    }
  }

  protected isPlain(text: string): boolean {
    const { phase, kind, lineBlank, inlines } = this.state;
    if (phase !== LOOSE || kind === "marker" || text.includes("`")) {
      return false;
    }
    return kind === "fence" || !lineBlank && inlines && !hasLineEnd(text);
  }

  /** Prose up to the next tick or line end. */
  #prose(code: number): void {
    const state = this.state;
    if (code === BACKTICK) this.#startRun();
    else if (isLineEnd(code)) {
      if (state.lineBlank) this.endInlines(this.here());
      this.skipLineEnd();
      state.lineBlank = true;
    } else if (state.lineBlank && (code === SPACE || code === TAB)) this.at++;
    else {
      state.lineBlank = false;
      state.inlines = true;
      if (this.tick < this.at) this.tick = this.find("`");
      this.at = Math.min(this.nextLineEnd(), this.tick);
    }
  }

  #startRun(): void {
    const state = this.state;
    state.hold = state.runAt = this.here();
    state.run = 0;
    state.runFirst = state.lineBlank;
    state.lineBlank = false;
    state.phase = LOOSE_RUN;
  }

  /** A run is over. Returns as `report`. */
  #endRun(): boolean {
    const state = this.state;
    if (state.run < 3) {
      state.hold = NONE;
      state.phase = LOOSE;
      if (state.fence === null) state.inlines = true;
    } else if (state.fence === null) {
      state.words = 0;
      state.phase = LOOSE_INFO;
    } else {
      if (this.closeFence()) return true;
      state.phase = LOOSE;
    }
    return false;
  }

  /** Opens a fence whose run is followed by an info string, or at once by content. */
  #open(info: boolean): void {
    const state = this.state;
    const contentAt = state.runAt + state.run;
    this.endInlines(state.hold);
    this.report(state.hold);
    this.startFence(info ? this.here() : contentAt);
    state.phase = LOOSE;
    if (!info) this.switchTo(contentAt, "fence");
  }

  protected decide(): boolean {
    const state = this.state;
    if (state.phase === LOOSE_RUN && this.#endRun()) return true;
    if (state.phase !== LOOSE_INFO) return false;
    this.#open(state.runFirst || state.words === 0);
    return false;
  }

  protected endOfLine(): boolean {
    return this.decide();
  }

  protected goOn(): void {
    this.state.phase = LOOSE;
  }

  kindOf(): LineKind {
    const state = this.state;
    switch (state.phase) {
      case LOOSE_RUN:
        if (state.run < 3) return state.kind;
        return state.fence === null ? "marker" : "prose";
      case LOOSE_INFO:
        return state.runFirst || state.words < 2 ? "marker" : "fence";
      case LOOSE:
        return state.kind === "prose" ? "prose" : "fence";
      default:
        return state.kind;
    }
  }

  /** What waits is too long to be what it may be. */
  #giveUp(): void {
    if (this.reportTooLong()) return;
    const state = this.state;
    if (state.phase === LOOSE_INFO) this.#open(false);
    else {
      state.hold = NONE;
      state.phase = LOOSE_EXCESS;
    }
  }
}
