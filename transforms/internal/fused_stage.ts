import type { Emit, Stage } from "../stage.ts";

/** Several stages as one: what one emits is pushed into the next at once. */
export class FusedStage implements Stage<unknown, unknown> {
  readonly stages: readonly Stage<unknown, unknown>[];
  /** One emit function a stage; the last one ends at `#emit`. */
  readonly #emits: Emit<unknown>[];
  #emit: Emit<unknown> = () => {};

  constructor(stages: readonly Stage<unknown, unknown>[]) {
    this.stages = stages;
    let emit: Emit<unknown> = (output) => this.#emit(output);
    this.#emits = [emit];
    for (let index = stages.length - 1; index > 0; index--) {
      emit = link(index, stages[index]!, emit);
      this.#emits.unshift(emit);
    }
  }

  push(input: unknown, emit: Emit<unknown>): void {
    this.#emit = emit;
    this.stages[0]!.push(input, this.#emits[0]!);
  }

  end(emit: Emit<unknown>): void {
    this.#emit = emit;
    for (let index = 0; index < this.stages.length; index++) {
      this.stages[index]!.end(this.#emits[index]!);
    }
  }

  breakOff(emit: Emit<unknown>): void {
    this.#emit = emit;
    for (const [index, stage] of this.stages.entries()) {
      stage.breakOff?.(this.#emits[index]!);
    }
  }

  snapshot(): unknown[] {
    return this.stages.map((stage) => stage.snapshot());
  }
}

/**
 * What comes goes into a stage. The same function once a place in the pipeline:
 * engines learn by where in the source a call stands what it calls, and a call
 * that always meets the same stage is cheaper than one that meets all of them.
 */
function link(
  place: number,
  stage: Stage<unknown, unknown>,
  emit: Emit<unknown>,
): Emit<unknown> {
  switch (place) {
    case 1:
      return (output) => stage.push(output, emit);
    case 2:
      return (output) => stage.push(output, emit);
    case 3:
      return (output) => stage.push(output, emit);
    case 4:
      return (output) => stage.push(output, emit);
    default:
      return (output) => stage.push(output, emit);
  }
}
