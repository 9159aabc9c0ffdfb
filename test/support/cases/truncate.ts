import {
  fitToolResults,
  type FitToolResultsOptions,
  OverBudgetError,
  sanitizeMessages,
  truncateMiddle,
  type TruncateMiddleOptions,
} from "../../../mod.ts";
import type { AreaRunner, CaseOutcome } from "./area_runner.ts";
import { difference, equal } from "./text_case.ts";

type Block = Record<string, unknown>;
type Message = { role: string; content: string | Block[] };
type Options = Record<string, unknown>;

const failed = (why: string): CaseOutcome => ({ status: "failed", why });

export const run: AreaRunner = (line) =>
  typeof line.input === "string"
    ? runText(line.input, line.options, line.expect)
    : runMessages(
      (line.input as { messages: Message[] }).messages,
      line.options,
      line.expect,
    );

function runText(text: string, options: Options, expect: Options): CaseOutcome {
  const { maxChars, ...rest } = options;
  const got = truncateMiddle(
    text,
    maxChars as number,
    rest as TruncateMiddleOptions,
  );
  return checkText(got, expect) ?? { status: "passed" };
}

function checkText(got: string, expect: Options): CaseOutcome | undefined {
  const { maxChars, startsWith, endsWith, onlyOf } = expect;
  if (expect["wellFormed"] === true && !got.isWellFormed()) {
    return failed(`not well-formed: ${JSON.stringify(got)}`);
  }
  if (maxChars !== undefined && got.length > (maxChars as number)) {
    return failed(difference("length", got.length, maxChars));
  }
  if (startsWith !== undefined && !got.startsWith(startsWith as string)) {
    return failed(difference("start", got, startsWith));
  }
  if (endsWith !== undefined && !got.endsWith(endsWith as string)) {
    return failed(difference("end", got, endsWith));
  }
  if (onlyOf !== undefined) {
    let rest = got;
    for (const piece of onlyOf as string[]) rest = rest.replaceAll(piece, "");
    if (rest !== "") return failed(`something else is left: ${rest}`);
  }
  return undefined;
}

async function runMessages(
  messages: Message[],
  options: Options,
  expect: Options,
): Promise<CaseOutcome> {
  const { counter, sanitize, twice, ...rest } = options;
  const count = counter === "chars"
    ? (text: string) => text.length
    : async (text: string) => {
      await Promise.resolve();
      return Math.ceil(text.length / 3);
    };
  const fitOptions = { ...rest, count } as unknown as FitToolResultsOptions;
  const given = sanitize === true ? sanitizeMessages(messages) : messages;
  const before = JSON.stringify(given);
  let fitted: Awaited<ReturnType<typeof fitToolResults<Message>>>;
  try {
    fitted = await fitToolResults(given, fitOptions);
    if (twice === true) {
      const again = await fitToolResults(fitted.messages, fitOptions);
      if (again.messages !== fitted.messages) return failed("not idempotent");
    }
  } catch (error) {
    if (!(error instanceof OverBudgetError)) throw error;
    return expect["error"] === "over-budget"
      ? { status: "passed" }
      : failed(error.message);
  }
  if (expect["error"] === "over-budget" || expect["fits"] === false) {
    return failed(`it fits: ${JSON.stringify(fitted)}`);
  }
  if (JSON.stringify(given) !== before) return failed("the input was changed");
  const after = fitted.messages as Message[];
  const results = new Map(
    after.flatMap(blocksOf).filter((block) => block["type"] === "tool_result")
      .map((block) => [block["tool_use_id"] as string, block]),
  );
  const found: Options = {
    pairs: pairsOf(after),
    shortened: fitted.shortened.map((one) => one.toolCallId),
    untouched: fitted.untouched,
    unchanged: equal(after, given),
    sameMessageCount: after.length === messages.length,
    missingResults: fitted.missingResults,
    orphans: fitted.orphans,
    keepsImage: [...results].filter(([, block]) =>
      Array.isArray(block["content"]) &&
      block["content"].some((one) => one.type === "image")
    ).map(([id]) => id),
  };
  for (const [key, value] of Object.entries(found)) {
    const wanted = expect[key];
    if (wanted === undefined) continue;
    const same = key === "untouched" || key === "keepsImage"
      ? (wanted as string[]).every((id) => (value as string[]).includes(id))
      : equal(sorted(value), sorted(wanted));
    if (!same) return failed(difference(key, value, wanted));
  }
  for (const [id, ends] of Object.entries(expect["keeps"] ?? {})) {
    const outcome = checkText(textOf(results.get(id) ?? {}), ends as Options);
    if (outcome !== undefined) return outcome;
  }
  const texts = after.flatMap(textsOf);
  const total = await count(texts.join(""));
  if (
    expect["maxTotal"] !== undefined && total > (expect["maxTotal"] as number)
  ) {
    return failed(difference("total", total, expect["maxTotal"]));
  }
  if (total > (options["budget"] as number)) {
    return failed(difference("total", total, options["budget"]));
  }
  if (
    expect["wellFormed"] === true && !texts.every((text) => text.isWellFormed())
  ) {
    return failed("not well-formed");
  }
  return { status: "passed" };
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? [...value].sort() : value;
}

function blocksOf(message: Message): Block[] {
  return typeof message.content === "string"
    ? [{ type: "text", text: message.content }]
    : message.content;
}

/** What the counters of the cases count. */
function textsOf(message: Message): string[] {
  return blocksOf(message).map((block) =>
    block["type"] === "tool_use"
      ? block["name"] + JSON.stringify(block["input"])
      : block["type"] === "tool_result"
      ? textOf(block)
      : (block["text"] as string | undefined) ?? ""
  );
}

function textOf(block: Block): string {
  const { content } = block;
  if (typeof content === "string") return content;
  return ((content ?? []) as Block[]).map((one) => one["text"] ?? "").join("");
}

/** Ids with exactly one call and one result, in the next message. */
function pairsOf(messages: Message[]): string[] {
  return messages.flatMap((message, at) => {
    const next = messages[at + 1];
    const results = (next === undefined ? [] : blocksOf(next))
      .filter((block) => block["type"] === "tool_result")
      .map((block) => block["tool_use_id"]);
    const calls = blocksOf(message)
      .filter((block) => block["type"] === "tool_use")
      .map((block) => block["id"] as string);
    return calls.filter((id) =>
      calls.filter((one) => one === id).length === 1 &&
      results.filter((one) => one === id).length === 1
    );
  });
}
