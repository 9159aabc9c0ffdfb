import { fromAnthropic } from "./anthropic_to_openai.ts";
import type { RequestFormat } from "./configuration.ts";
import { type Fields, isObject } from "./json.ts";
import { fromOpenAI } from "./openai_to_anthropic.ts";

/** What a translation has to know beyond the request. */
export interface TranslateOptions {
  /** `max_tokens` for an API that insists on it. */
  readonly maxTokens: number;
  /** Whether the answer shall end with token counts. */
  readonly usage: boolean;
}

/** A request for the upstream. */
export interface Translated {
  /** Its body. */
  readonly body: Fields;
  /** What the upstream has no word for, and can do without. */
  readonly dropped: readonly string[];
}

/**
 * A client's request as one for the upstream, which always streams. In the same
 * format everything goes through as it is. Else, what would make for another
 * answer than the one that is asked for is refused, and what only tunes it is
 * left out and reported.
 *
 * @throws {Problem} When it cannot be said in the other format.
 */
export function translate(
  request: Fields,
  from: RequestFormat,
  to: RequestFormat,
  options: TranslateOptions,
): Translated {
  if (to === "anthropic") {
    return from === "anthropic"
      ? withoutUnsigned({ ...request, stream: true })
      : fromOpenAI(request, options.maxTokens);
  }
  const { body, dropped } = from === "anthropic"
    ? fromAnthropic(request)
    : { body: request, dropped: [] };
  const given = isObject(body.stream_options) ? body.stream_options : {};
  return {
    body: {
      ...body,
      stream: true,
      ...(options.usage
        ? { stream_options: { ...given, include_usage: true } }
        : {}),
    },
    dropped,
  };
}

/**
 * Thinking without a signature is not the API's own: it stood in the text as
 * tags, and would be refused.
 */
function withoutUnsigned(body: Fields): Translated {
  let some = false;
  const isKept = (block: unknown): boolean => {
    const unsigned = isObject(block) && block.type === "thinking" &&
      (block.signature === undefined || block.signature === "");
    some ||= unsigned;
    return !unsigned;
  };
  const messages = (body.messages as unknown[]).map((message) =>
    isObject(message) && Array.isArray(message.content)
      ? { ...message, content: message.content.filter(isKept) }
      : message
  ).filter((message) => !isObject(message) || !isEmpty(message.content));
  return some
    ? { body: { ...body, messages }, dropped: ["thinking"] }
    : { body, dropped: [] };
}

function isEmpty(content: unknown): boolean {
  return Array.isArray(content) && content.length === 0;
}
