import type { Fence, Part } from "../part.ts";
import type { Emit } from "../stage.ts";
import { FenceTrackerStage } from "./fence_tracker_stage.ts";
import { textPart } from "./held_text.ts";
import type { FenceMode } from "./markdown_lines.ts";

/** The state of a {@linkcode MarkRepair} as plain data. */
export interface MarkRepairSnapshot {
  /** The upstream tracker's fence that is open. */
  fence: Fence | null;
  /** How many fences it has begun. */
  fences: number;
  /** The own tracker, once there is one. */
  tracker: unknown;
}

/**
 * Everything that a stage gives out goes through here, so that an upstream
 * tracker's fence can be ended from inside. From there on upstream takes prose
 * for code and code for prose; so its marks and fences are dropped, and a
 * tracker of its own makes new ones.
 *
 * ```text
 *   upstream's marks pass ── endFence ──▶ marks and fences are made anew
 * ```
 */
export class MarkRepair {
  readonly #mode: FenceMode;
  #fence: Fence | null;
  #fences: number;
  #tracker: FenceTrackerStage | undefined;
  /** Where everything goes. Set before anything is given out. */
  to: Emit<Part> = () => {};

  constructor(mode: FenceMode, snapshot?: MarkRepairSnapshot) {
    this.#mode = mode;
    this.#fence = snapshot?.fence ?? null;
    this.#fences = snapshot?.fences ?? 0;
    if (snapshot !== undefined && snapshot.tracker !== null) {
      this.#tracker = new FenceTrackerStage({
        mode,
        snapshot: snapshot.tracker,
      });
    }
  }

  /** Whether marks are made anew. */
  get active(): boolean {
    return this.#tracker !== undefined;
  }

  snapshot(): MarkRepairSnapshot {
    return {
      fence: this.#fence,
      fences: this.#fences,
      tracker: this.#tracker?.snapshot() ?? null,
    };
  }

  /** Gives out the next part. */
  readonly emit: Emit<Part> = (part) => {
    const { type } = part;
    if (this.#tracker === undefined) {
      if (type === "fence-start") {
        this.#fence = part.fence;
        this.#fences++;
      } else if (type === "fence-end") this.#fence = null;
      this.to(part);
    } else if (type === "text") {
      const { text, start, code } = part;
      this.#tracker.push(
        code === undefined ? part : textPart(text, start),
        this.#made,
      );
    } else if (type !== "fence-start" && type !== "fence-end") {
      this.#tracker.push(part, this.#made);
    }
  };

  /** The upstream tracker's open fence is over at `end`. What follows at `next` goes on in that line, or begins one. */
  endFence(end: number, next: number, atLineStart: boolean): void {
    const fence = this.#fence;
    if (fence === null) return;
    this.#fence = null;
    this.to({ type: "fence-end", fence, closed: false, end });
    this.#tracker = new FenceTrackerStage({ mode: this.#mode });
    if (atLineStart) return;
    // There is no such character; it makes a line begin before `next`.
    this.#tracker.push(textPart("x", next - 1), () => {});
  }

  /** The stream is over. */
  end(): void {
    this.#tracker?.end(this.#made);
  }

  /** What the own tracker gives: its fences are counted on from upstream's. */
  readonly #made: Emit<Part> = (part) => {
    if (part.type !== "fence-start" && part.type !== "fence-end") {
      this.to(part);
      return;
    }
    const { fence } = part;
    const count = this.#fences + Number(fence.id.slice("fence-".length));
    this.to({ ...part, fence: { ...fence, id: `fence-${count}` } });
  };
}
