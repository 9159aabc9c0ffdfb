import {
  type Provider,
  type ProviderInput,
  type ProviderName,
  resolveProvider,
} from "../../adapters/provider.ts";
import {
  type ServerSentEvent,
  SSEParserStream,
} from "../../adapters/sse_parser.ts";
import type { Emit, ErrorInfo, Part, Stage } from "../../mod.ts";
import {
  type AnswerPlan,
  type AnswerSnapshot,
  type AnswerStages,
  answerStages,
} from "./answer.ts";
import { clients } from "./clients.ts";
import type { Configuration, RequestFormat } from "./configuration.ts";
import { Tally, type TallySnapshot } from "./tally.ts";

/** All that another machine has to know to go on. Plain data. */
export interface MachinePlan {
  /** The client's API. */
  readonly client: RequestFormat;
  /** The upstream's decoder. */
  readonly provider: ProviderName;
  /** What becomes of the answer. */
  readonly answer: AnswerPlan;
  /** As it was configured when the answer began. */
  readonly salvage: Configuration["salvage"];
  /** As it was configured when the answer began. */
  readonly reasoning: Configuration["reasoning"];
}

interface MachineSnapshot {
  readonly parser: unknown;
  readonly decoder: unknown;
  readonly stages: AnswerSnapshot;
  readonly tally: TallySnapshot;
}

/**
 * The whole way of an answer, from the upstream's bytes to the client's events,
 * as one synchronous machine whose state is plain data at any point.
 */
export class AnswerMachine {
  readonly #parser: Stage<string | Uint8Array, ServerSentEvent>;
  readonly #decoder: Stage<ProviderInput, Part>;
  readonly #stages: AnswerStages;
  /** What has happened so far. */
  readonly tally: Tally;
  #emit: Emit<string> = () => {};
  /** What the parser found out at the end: this is no event stream. */
  #foreign: ErrorInfo | undefined;

  /**
   * @param plan What is to be done.
   * @param configuration The operator's.
   * @param snapshot What an earlier machine's `snapshot()` gave.
   */
  constructor(
    plan: MachinePlan,
    configuration: Configuration,
    snapshot?: unknown,
  ) {
    const state = snapshot as MachineSnapshot | undefined;
    this.tally = new Tally(state?.tally);
    const provider: Provider = resolveProvider(plan.provider);
    this.#parser = new SSEParserStream({
      flushAtEnd: true,
      snapshot: state?.parser,
      onWarning: (warning) => {
        if (warning.code === "not-an-event-stream") {
          this.#foreign = {
            name: "api_error",
            message: "The upstream's answer is not an event stream",
            code: warning.code,
          };
        } else this.#part(warning);
      },
    }).stage;
    this.#decoder = provider.create({}, state?.decoder);
    this.#stages = answerStages(
      plan.answer,
      clients[plan.client],
      { ...configuration, salvage: plan.salvage, reasoning: plan.reasoning },
      this.tally,
      state?.stages,
    );
  }

  /** Takes bytes. What the parser cannot read ends the answer. */
  push(bytes: Uint8Array, emit: Emit<string>): ErrorInfo | undefined {
    this.#emit = emit;
    try {
      this.#parser.push(bytes, this.#event);
      return undefined;
    } catch (error) {
      return infoOfError(error);
    }
  }

  /** The upstream is done. */
  end(emit: Emit<string>): void {
    this.#emit = emit;
    try {
      this.#parser.end(this.#event);
    } catch (error) {
      return this.fail(infoOfError(error), emit);
    }
    if (this.#foreign !== undefined) return this.fail(this.#foreign, emit);
    this.#decoder.end(this.#part);
    this.#stages.stream.stage.end(emit);
  }

  /** The upstream failed. */
  fail(error: ErrorInfo, emit: Emit<string>): void {
    this.#emit = emit;
    this.#decoder.push({ data: "", error }, this.#part);
    this.#decoder.end(this.#part);
    this.#stages.stream.stage.end(emit);
  }

  /** The state as plain data. */
  snapshot(): unknown {
    const state: MachineSnapshot = {
      parser: this.#parser.snapshot(),
      decoder: this.#decoder.snapshot(),
      stages: this.#stages.snapshot(),
      tally: this.tally.snapshot(),
    };
    return state;
  }

  readonly #event = ({ event, data }: ServerSentEvent): void => {
    this.#decoder.push(
      event === "message" ? { data } : { data, event },
      this.#part,
    );
  };

  readonly #part = (part: Part): void => {
    this.#stages.stream.stage.push(part, this.#emit);
  };
}

function infoOfError(error: unknown): ErrorInfo {
  const { name, message, code } = error as {
    name: string;
    message: string;
    code?: unknown;
  };
  return { name, message, ...(typeof code === "string" ? { code } : {}) };
}
