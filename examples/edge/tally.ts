import type { Emit, ErrorInfo, FinishReason, Part, Stage } from "../../mod.ts";
import type { Plan } from "./plan.ts";

/** What is remembered of an answer. Plain data. */
export interface TallySnapshot {
  /** How many parts the upstream has sent: it is alive. */
  received: number;
  /** Calls that came as calls. */
  calls: number;
  /** Calls that came as text. */
  salvaged: number;
  /** Warnings by code: what was repaired, and why something stayed text. */
  warnings: Record<string, number>;
  /** The first fatal error. */
  error?: ErrorInfo;
  /** Why the answer ended. */
  finish?: FinishReason;
}

/** Counts, for an answer's log line and for those who wait for it. */
export class Tally {
  readonly #state: TallySnapshot;

  /**
   * @param snapshot What an earlier tally's `snapshot()` gave.
   */
  constructor(snapshot?: TallySnapshot) {
    this.#state = structuredClone(
      snapshot ?? { received: 0, calls: 0, salvaged: 0, warnings: {} },
    );
  }

  /** How many parts the upstream has sent: it is alive. */
  get received(): number {
    return this.#state.received;
  }

  /** The first fatal error. */
  get error(): ErrorInfo | undefined {
    return this.#state.error;
  }

  /** Looks at what goes to the client. */
  add(part: Part): void {
    const state = this.#state;
    switch (part.type) {
      case "tool-call":
        if (part.origin === "salvaged") state.salvaged++;
        else state.calls++;
        return;
      case "warning":
        state.warnings[part.code] = (state.warnings[part.code] ?? 0) + 1;
        return;
      case "error":
        if (part.fatal) state.error ??= part.error;
        return;
      case "finish":
        state.finish = part.reason;
        return;
    }
  }

  /** The state, as plain data. */
  snapshot(): TallySnapshot {
    return structuredClone(this.#state);
  }

  /** A first stage that counts what comes from the upstream. */
  counter(): Stage<string | Part, string | Part> {
    return {
      push: (part: string | Part, emit: Emit<string | Part>): void => {
        this.#state.received++;
        emit(part);
      },
      end: () => {},
      snapshot: () => null,
    };
  }
}

/** Writes an answer's line to the console: what happened, nothing of what was said. */
export function logAnswer(
  { streaming, answer, dropped }: Pick<
    Plan,
    "streaming" | "answer" | "dropped"
  >,
  tally: Tally,
  begun: number,
  cancelled: boolean,
): void {
  const { calls, salvaged, warnings, error, finish } = tally.snapshot();
  console.log(JSON.stringify({
    id: answer.head.id,
    model: answer.head.model.slice(0, 100),
    streaming,
    milliseconds: Date.now() - begun,
    finish: cancelled ? "cancelled" : finish,
    error: error?.code ?? error?.name,
    calls,
    salvaged,
    warnings,
    dropped,
  }));
}
