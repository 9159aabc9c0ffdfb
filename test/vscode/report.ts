import type { Part, ShortenedResult } from "../../mod.ts";

/** A part as the editor gave it. */
export interface GivenPart {
  /** Which of the editor's classes it is an instance of, if any. */
  readonly kind: string;
  readonly fields: unknown;
}

/** What became of one scenario in the editor. */
export interface ScenarioReport {
  readonly given: readonly GivenPart[];
  /** What `fromVscodeLm` made of it with nothing but fields to go by. */
  readonly byFields: readonly Part[];
  /** The same with the editor's classes. */
  readonly byClasses: readonly Part[];
  /** The same with the tool offered. */
  readonly salvaged: readonly Part[];
}

/** How tool results were fitted and sent. */
export interface FitReport {
  readonly budget: number;
  /** What the model counts for all messages, one by one: before and after. */
  readonly before: number;
  readonly after: number;
  /** What `fitToolResults` says that they have. */
  readonly total: number;
  readonly shortened: readonly ShortenedResult[];
  /** How often the model had to count. */
  readonly counts: number;
  /** Whether messages and results are still of the editor's classes. */
  readonly instances: boolean;
  /** Whether fitting again changes nothing. */
  readonly again: boolean;
  /** What is said when nothing fits. */
  readonly tooSmall: string;
  /** The last request, as the model got it. */
  readonly received: unknown;
}

/** What the example extension's `answer` did. */
export interface AnswerReport {
  readonly shown: string;
  readonly invoked: readonly unknown[];
  readonly result: unknown;
  /** The requests, as the model got them. */
  readonly received: readonly unknown[];
}

/** What the checker saw. */
export interface Report {
  /** What went wrong with the checker itself. */
  readonly failure?: string;
  readonly version: string;
  readonly node: string;
  readonly scenarios: Readonly<Record<string, ScenarioReport>>;
  /** The parts of requests that were stopped in different ways. */
  readonly stopped: Readonly<Record<string, readonly Part[]>>;
  readonly fit: FitReport;
  readonly answer: AnswerReport;
  /** The requests that came of a question in the editor's chat. */
  readonly chat: readonly unknown[];
  /** Whether the example extension is active, and the tools that there are. */
  readonly example: {
    readonly active: boolean;
    readonly tools: readonly string[];
  };
}
