import type { AnswerPlan } from "./answer.ts";
import type { Client } from "./client.ts";
import type { Configuration, Upstream } from "./configuration.ts";
import type { Fields } from "./json.ts";
import { Problem } from "./problem.ts";
import { translate } from "./translate.ts";

/** What is to be done about one request. */
export interface Plan {
  /** Where to ask. */
  readonly upstream: Upstream;
  /** What to ask. */
  readonly body: Fields;
  /** Whether the client wants it as a stream. */
  readonly streaming: boolean;
  /** What becomes of the answer. */
  readonly answer: AnswerPlan;
  /** What of the request the upstream has no word for, and can do without. */
  readonly dropped: readonly string[];
}

/**
 * Plans what is to be done.
 *
 * @throws {Problem} When that cannot be done.
 */
export function planFor(
  client: Client,
  request: Fields,
  configuration: Configuration,
): Plan {
  const { upstream, maxTokens } = configuration;
  if (upstream === undefined) {
    throw new Problem(503, "No upstream is configured: set UPSTREAM_URL", {
      code: "configuration",
    });
  }
  client.check(request);
  const model = upstream.model ?? request.model;
  if (typeof model !== "string") {
    throw new Problem(400, 'The request has no "model"');
  }
  const streaming = request.stream === true;
  const usage = !streaming || client.wantsUsage(request);
  const { body, dropped } = translate(
    { ...request, model },
    client.format,
    upstream.format,
    { maxTokens, usage },
  );
  const random = crypto.randomUUID().replaceAll("-", "").slice(0, 24);
  return {
    upstream,
    body,
    streaming,
    answer: {
      head: {
        id: client.answerId(random),
        model,
        created: Math.floor(Date.now() / 1000),
      },
      tools: client.tools(request),
      usage,
      native: client.format === upstream.format,
    },
    dropped,
  };
}
