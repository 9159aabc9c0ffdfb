import {
  type Part,
  pipeline,
  StageStream,
  standardPipeline,
  type StandardPipelineOptions,
  type Tool,
} from "../../mod.ts";
import type { AnswerHead, Client } from "./client.ts";
import type { Configuration } from "./configuration.ts";
import { HonestFinish } from "./honest_finish.ts";
import type { Tally } from "./tally.ts";

/** What is to become of one answer. Plain data. */
export interface AnswerPlan {
  /** What every piece of it carries. */
  readonly head: AnswerHead;
  /** The tools that were offered. */
  readonly tools: readonly Tool[];
  /** Whether it ends with token counts. */
  readonly usage: boolean;
  /** Whether the upstream speaks the client's API. */
  readonly native: boolean;
}

/** The stages of an answer as one stream, and their state. */
export interface AnswerStages {
  /** Parts of the upstream's answer in, events for the client out. */
  readonly stream: StageStream<string | Part, string>;
  /** The state as plain data. */
  snapshot(): AnswerSnapshot;
}

/** The state of the stages. */
export interface AnswerSnapshot {
  /** What cleans. */
  readonly cleaning: unknown;
  /** What tells the truth at the end. */
  readonly finish: unknown;
  /** What encodes. */
  readonly encoder: unknown;
}

/**
 * From parts to the client's wire: surrogates are mended, leaked calls salvaged,
 * reasoning split off, and the end is honest.
 */
export function answerStages(
  plan: AnswerPlan,
  client: Client,
  configuration: Configuration,
  tally: Tally,
  snapshot?: AnswerSnapshot,
): AnswerStages {
  const cleaning = standardPipeline({
    ...cleaningOptions(plan, client, configuration),
    snapshot: snapshot?.cleaning,
  });
  const finish = new StageStream(
    new HonestFinish(
      tally,
      plan.usage,
      configuration.upstream?.key,
      snapshot?.finish,
    ),
  );
  const encoder = client.encoder(plan.head, plan.native, snapshot?.encoder);
  return {
    stream: pipeline(
      new StageStream(tally.counter()),
      cleaning,
      finish,
      encoder,
    ),
    snapshot: () => ({
      cleaning: cleaning.snapshot(),
      finish: finish.snapshot(),
      encoder: encoder.snapshot(),
    }),
  };
}

function cleaningOptions(
  { head, tools }: AnswerPlan,
  { callPrefix }: Client,
  { salvage, reasoning }: Configuration,
): StandardPipelineOptions {
  const startInside = reasoning === "inside" ? { startInside: "think" } : {};
  return {
    tools: salvage === "off" ? [] : tools,
    toolCalls: {
      bare: salvage === "bare" ? "line-start" : "never",
      // Unique in a conversation, which some APIs insist on.
      idPrefix: `${callPrefix}${head.id.replace(/^.*[-_]/, "")}_`,
      ...startInside,
    },
    ...(reasoning === "off" ? {} : {
      directiveOptions: {
        reasoning: true,
        onlyAtStart: reasoning !== "anywhere",
        ...startInside,
      },
    }),
    snippets: false,
  };
}
