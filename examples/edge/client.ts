import type { Part, StageStream, Tool } from "../../mod.ts";
import type { RequestFormat } from "./configuration.ts";
import type { Fields } from "./json.ts";
import type { Problem } from "./problem.ts";

/** What every piece of one answer carries. Plain data. */
export interface AnswerHead {
  /** Unique; also the beginning of the salvaged calls' ids. */
  readonly id: string;
  /** The model that was asked. */
  readonly model: string;
  /** When, in seconds since 1970. */
  readonly created: number;
}

/** What the clients of one API send and expect. */
export interface Client {
  /** The format of the requests. */
  readonly format: RequestFormat;
  /** The beginning of salvaged calls' ids, as this API has it. */
  readonly callPrefix: string;
  /** Makes the id of an answer out of something random. */
  answerId(random: string): string;
  /**
   * Looks for what this gateway cannot give.
   *
   * @throws {Problem} When there is something.
   */
  check(body: Fields): void;
  /** The tools the model may call in this turn. */
  tools(body: Fields): Tool[];
  /** Whether a streamed answer shall end with token counts. */
  wantsUsage(body: Fields): boolean;
  /**
   * The encoder of streamed answers.
   *
   * @param native Whether the upstream speaks this very API.
   */
  encoder(
    head: AnswerHead,
    native: boolean,
    snapshot?: unknown,
  ): StageStream<string | Part, string>;
  /** The answer that is not streamed, from the events of the one that is. */
  whole(events: readonly Fields[]): Fields;
  /** The body of an answer that is an error. */
  problem(problem: Problem): Fields;
}
